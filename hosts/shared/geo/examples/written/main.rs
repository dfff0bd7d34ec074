//! Measures locations of addresses as people write them:
//! `cargo run -p despacho-geo --features gazetteer --example written -- OPTION FILE...`
//!
//! - `--register FILE` locates the addresses of a register file of São Paulo in every form of
//!   `forms.rs`.
//! - `--extract FILE` does the same with addresses along the named roads of an OpenStreetMap
//!   extract of Porto Alegre.
//! - `--prices FILE` compares prices of the addresses of a register file with and without a pack.
//! - `--centroids FILE` measures locations by municipality.
//! - `--ceps FILE` measures road distances between locations by CEP, for addresses along the roads
//!   of an extract that have a CEP.
//!
//! The streets of a tenth of the names are left out of the pack: an address there must not be found
//! in another street. `LIST_WRONG=1` lists wrong results.

mod centroids;
mod ceps;
mod forms;
mod prices;
mod report;
mod town;

use std::error::Error;
use std::path::{Path, PathBuf};

use despacho_core::geo::{names, pack::Pack};
use forms::{Door, FORMS};

/// Maximum number of addresses of each form.
const ADDRESSES: usize = 4_000;

const USAGE: &str = "usage: written [--register FILE] [--extract FILE] [--prices FILE] [--centroids FILE] [--ceps FILE]";

#[expect(clippy::print_stdout, reason = "an example that measures and prints")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let path = PathBuf::from(arguments.next().ok_or(USAGE)?);
        let text = match &*option {
            "--register" => table(&path, &town::of_register(&path)?)?,
            "--extract" => table(&path, &town::of_extract(&path)?)?,
            "--prices" => {
                let doors = town::of_register(&path)?;
                let bytes = pack(doors.iter().filter(|door| !is_absent(door)))?;
                prices::report(&doors, bytes.leak())?
            }
            "--centroids" => centroids::report(&path)?,
            "--ceps" => {
                let doors = town::of_postcodes(&path)?;
                let bytes = pack(doors.iter())?;
                ceps::report(&path, &open(&bytes)?, &doors)?
            }
            _ => return Err(USAGE.into()),
        };
        println!("{text}");
    }
    Ok(())
}

/// Returns the results of each form as a table.
fn table(path: &Path, doors: &[Door]) -> Result<String, Box<dyn Error>> {
    let bytes = pack(doors.iter().filter(|door| !is_absent(door)))?;
    let pack = open(&bytes)?;
    let mut text = format!(
        "{}: {} addresses, {} streets in the pack\n",
        path.display(),
        doors.len(),
        pack.info().streets
    );
    text += "| form | addresses | number | street | CEP | wrong |\n|---|---|---|---|---|---|\n";
    for (form, counts) in FORMS
        .iter()
        .zip(report::measure(&pack, doors, is_absent, ADDRESSES, 1))
    {
        let [number, street, cep] = [counts.number, counts.street, counts.cep]
            .map(|count| format!("{:.1} %", counts.percent(count)));
        let wrong = format!("{:.2} %", counts.percent(counts.wrong));
        text += &format!(
            "| {} | {} | {number} | {street} | {cep} | {wrong} |\n",
            form.name, counts.addresses
        );
    }
    Ok(text)
}

/// Whether the streets of an address' name are left out of the pack.
fn is_absent(door: &Door) -> bool {
    names::hash32(&names::plain(&door.name)).is_multiple_of(10)
}

fn open(bytes: &[u8]) -> Result<Pack<'_>, String> {
    Pack::open(bytes).map_err(|error| error.to_string())
}

/// Builds a pack of these addresses.
fn pack<'a>(doors: impl Iterator<Item = &'a Door>) -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (input, output) = (
        folder.path().join("register.csv"),
        folder.path().join("register.pack"),
    );
    std::fs::write(&input, report::register_lines(doors))?;
    despacho_geo::gazetteer::build(&[input], &output, &mut |_| ())?;
    Ok(std::fs::read(output)?)
}

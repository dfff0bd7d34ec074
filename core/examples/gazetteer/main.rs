//! Generates `core/data`, the embedded gazetteer, from open data packages.
//!
//! Usage: `cargo run -p despacho-core --example gazetteer -- INPUT_DIR OUTPUT_DIR`. README.md lists
//! the packages to download. The same inputs give the same bytes. Unmatched entries are printed. A
//! municipality without a seat, or two municipalities of one federative unit with the same name,
//! are errors.

mod bytes;
mod ceps;
mod dictionary;
mod outline;
mod sources;
mod towns;

use std::error::Error;
use std::path::Path;

#[expect(
    clippy::print_stdout,
    reason = "a command-line tool that prints a report"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: gazetteer INPUT_DIR OUTPUT_DIR".into());
    };
    let (input, output) = (Path::new(&input), Path::new(&output));
    let sources = sources::read(input)?;
    let towns = towns::merge(&sources)?;
    let municipalities = towns::table(&towns)?;
    let ceps = ceps::table(&input.join("ceps.tsv"), &towns)?;
    let outline = outline::table(&input.join("countries-10m.json"))?;
    for (name, table) in [
        ("municipalities.bin", &municipalities),
        ("ceps.bin", &ceps),
        ("outline.bin", &outline),
    ] {
        std::fs::write(output.join(name), table)?;
        println!("{name}: {} bytes", table.len());
    }
    Ok(())
}

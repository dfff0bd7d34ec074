//! Measures lookups in the embedded gazetteer:
//! `cargo run --release -p despacho-core --example locate_speed`.

use std::hint::black_box;
use std::time::Instant;

use despacho_core::{
    geo::Gazetteer,
    model::{Address, Cep, Point},
};

const REPETITIONS: u32 = 20;

#[expect(
    clippy::print_stdout,
    reason = "a command-line tool that prints measurements"
)]
fn main() {
    let gazetteer = Gazetteer::embedded();
    let named: Vec<Address> = gazetteer
        .all()
        .map(|town| Address {
            city: Some(town.name()),
            state: Some(town.uf().code().to_owned()),
            ..Address::default()
        })
        .collect();
    let points: Vec<Address> = gazetteer
        .all()
        .map(|town| Address {
            point: Some(town.municipal_seat()),
            ..Address::default()
        })
        .collect();
    let far = Address {
        point: Point::from_degrees(-3.119, -60.0217),
        ..named[0].clone()
    };
    let far = vec![far; 50];
    for (name, addresses) in [
        ("by name", &named),
        ("by coordinates", &points),
        ("far coordinates", &far),
    ] {
        let start = Instant::now();
        for address in (0..REPETITIONS).flat_map(|_| addresses) {
            let _ = black_box(gazetteer.locate(black_box(address)));
        }
        println!(
            "{name}: {:?}",
            start.elapsed() / REPETITIONS / u32::try_from(addresses.len()).unwrap_or(u32::MAX)
        );
    }
    let ceps: Vec<Cep> = (0..5_000)
        .filter_map(|cep| Cep::parse(&format!("{:08}", cep * 19_997)))
        .collect();
    let start = Instant::now();
    for cep in (0..REPETITIONS).flat_map(|_| &ceps) {
        black_box(gazetteer.municipality_by_cep(black_box(*cep)));
    }
    println!("by CEP: {:?}", start.elapsed() / REPETITIONS / 5_000);
}

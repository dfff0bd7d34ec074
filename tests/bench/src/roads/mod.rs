//! `cargo run --release -p despacho-bench -- roads compare --osrm URL --extract FILE`: errors of the models of a leg against a running OSRM. `speed --extract FILE`: times.

mod compare;
mod osrm;

use std::path::{Path, PathBuf};

use despacho_roads::Roads;

const USAGE: &str = "usage: compare --osrm URL --extract FILE [--pairs N] [--worst N]  |  speed --extract FILE";

/// What to do, as the command line says it.
#[derive(Default)]
struct Order {
    what: String,
    osrm: Option<String>,
    extract: Option<PathBuf>,
    pairs: usize,
    worst: usize,
}

/// Reads the rest of the command line and measures.
pub(crate) fn command(arguments: lexopt::Parser) -> Result<(), String> {
    let order = read_order(arguments).map_err(|error| format!("{error}\n{USAGE}"))?;
    let extract = order.extract.as_deref().ok_or(USAGE)?;
    let text = match (&*order.what, &order.osrm) {
        ("speed", _) => compare::speed(extract)?,
        ("compare", Some(osrm)) => compare(osrm, extract, &order)?,
        _ => return Err(USAGE.to_owned()),
    };
    report(&text);
    Ok(())
}

fn read_order(mut parser: lexopt::Parser) -> Result<Order, lexopt::Error> {
    use lexopt::prelude::{Long, Value, ValueExt as _};
    let mut order = Order { pairs: 2_000, ..Order::default() };
    while let Some(word) = parser.next()? {
        match word {
            Long("osrm") => order.osrm = Some(parser.value()?.string()?),
            Long("extract") => order.extract = Some(parser.value()?.into()),
            Long("pairs") => order.pairs = parser.value()?.parse()?,
            Long("worst") => order.worst = parser.value()?.parse()?,
            Value(what) if order.what.is_empty() => order.what = what.string()?,
            other => return Err(other.unexpected()),
        }
    }
    Ok(order)
}

fn compare(osrm: &str, extract: &Path, order: &Order) -> Result<String, String> {
    let roads = Roads::load(extract).map_err(|error| error.to_string())?;
    let pairs = compare::pairs(osrm, &roads, order.pairs, 1)?;
    let missing = pairs.iter().filter(|pair| pair.own.is_none()).count();
    let mut lines = vec![
        format!("{} pairs; {missing} of them have no leg in process", pairs.len()),
        "| model | pairs | median error | 95th percentile | bias |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(compare::errors(&roads, &pairs, 2).iter().map(ToString::to_string));
    let mut worst = pairs;
    let error = |pair: &compare::Pair| {
        pair.own.map_or(f64::INFINITY, |own| (f64::from(own.metres) - pair.metres).abs() / pair.metres)
    };
    worst.sort_by(|a, b| error(b).total_cmp(&error(a)));
    let place = |point: despacho_core::model::Point| format!("{:.6},{:.6}", point.longitude(), point.latitude());
    for pair in worst.iter().take(order.worst) {
        let (metres, ms) = pair.own.map_or((0, 0), |own| (own.metres, own.ms));
        let (from, to) = (place(pair.from), place(pair.to));
        lines.push(format!("{from};{to}: {metres} m {ms} ms, OSRM {:.0} m {:.1} s", pair.metres, pair.seconds));
    }
    Ok(lines.join("\n"))
}

fn report(text: &str) {
    println!("{text}");
}

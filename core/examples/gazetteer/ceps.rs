//! Builds CEP ranges from runs of consecutive known CEPs of one municipality, extended towards the
//! next run.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use crate::bytes::{push_u24, to_u16};
use crate::towns::Town;

const NO_MUNICIPALITY: u16 = u16::MAX;

struct Run {
    first: u32,
    last: u32,
    town: u16,
    count: u32,
}

/// Returns the bytes of `ceps.bin`: the start of each range divided by ten, and its municipality.
#[expect(
    clippy::print_stdout,
    reason = "a command-line tool that prints a report"
)]
pub(crate) fn table(path: &Path, towns: &[Town]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (runs, unknown) = runs(path, towns)?;
    let with_range: std::collections::BTreeSet<u16> = runs.iter().map(|run| run.town).collect();
    println!(
        "{} CEP runs of {} municipalities; {unknown} CEPs with an unknown municipality",
        runs.len(),
        with_range.len()
    );
    for (index, town) in towns.iter().enumerate() {
        if !with_range.contains(&to_u16(index, "town")?) {
            println!("  no CEP range: {} {} {}", town.ibge, town.name, town.uf);
        }
    }
    let mut starts: Vec<(u32, u16)> = Vec::new();
    let mut free_from = 0;
    for (index, run) in runs.iter().enumerate() {
        // Ranges start at a round number at or shortly before the first known CEP.
        let start = roundest(free_from.max(run.first.saturating_sub(20_000)), run.first);
        if start > free_from {
            starts.push((free_from, NO_MUNICIPALITY));
        }
        starts.push((start, run.town));
        let next = runs.get(index + 1).map_or(100_000_000, |next| next.first);
        // Like the official ranges, a range extends to the next multiple of ten thousand, or to the
        // next municipality's range.
        free_from = (run.last / 10_000 + 1) * 10_000;
        if free_from >= next {
            free_from = roundest(run.last + 1, next);
        }
    }
    starts.push((free_from, NO_MUNICIPALITY));
    starts.dedup_by_key(|start| start.1);
    let mut table = b"DGC1".to_vec();
    for (start, town) in starts {
        push_u24(&mut table, start / 10);
        table.extend_from_slice(&town.to_le_bytes());
    }
    Ok(table)
}

/// Returns the number from `low` to `high` with the largest number of trailing zeros, the highest
/// if several have it.
fn roundest(low: u32, high: u32) -> u32 {
    let zeros = [
        10_000_000, 1_000_000, 100_000, 10_000, 1_000, 500, 100, 50, 10,
    ];
    zeros
        .iter()
        .map(|unit| high / unit * unit)
        .find(|round| *round >= low)
        .unwrap_or(high)
}

fn runs(path: &Path, towns: &[Town]) -> Result<(Vec<Run>, usize), Box<dyn Error>> {
    let mut by_name: BTreeMap<(&str, String), Vec<u16>> = BTreeMap::new();
    for (index, town) in towns.iter().enumerate() {
        by_name
            .entry((&town.uf, town.key.clone()))
            .or_default()
            .push(to_u16(index, "town")?);
    }
    for (index, town) in towns.iter().enumerate() {
        for key in &town.other_keys {
            let index = to_u16(index, "town")?;
            by_name
                .entry((&town.uf, key.clone()))
                .or_insert_with(|| vec![index]);
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut unknown = 0;
    for line in std::fs::read_to_string(path)?.lines() {
        let mut fields = line.split('\t');
        let (Some(cep), Some(uf), Some(city)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("expected three fields: {line}").into());
        };
        // `District (Municipality)` counts for the municipality.
        let city = city
            .split_once('(')
            .map_or(city, |(_, municipality)| municipality.trim_end_matches(')'));
        let Some(town) = find(&by_name, towns, uf, city) else {
            unknown += 1;
            continue;
        };
        let cep: u32 = cep.parse()?;
        match runs.last_mut() {
            Some(run) if run.town == town => (run.last, run.count) = (cep, run.count + 1),
            _ => runs.push(Run {
                first: cep,
                last: cep,
                town,
                count: 1,
            }),
        }
    }
    Ok((without_strays(runs), unknown))
}

fn find(
    by_name: &BTreeMap<(&str, String), Vec<u16>>,
    towns: &[Town],
    uf: &str,
    city: &str,
) -> Option<u16> {
    use despacho_core::geo::names::{city_key, plain};
    let uf = towns
        .iter()
        .find(|town| town.uf == uf)
        .map(|town| town.uf.as_str())?;
    match by_name.get(&(uf, city_key(city, "sao")))?.as_slice() {
        [one] => Some(*one),
        several => several
            .iter()
            .copied()
            .find(|town| plain(&towns[usize::from(*town)].name) == plain(city)),
    }
}

/// Removes single CEPs inside another municipality's run and joins the two parts of that run.
fn without_strays(runs: Vec<Run>) -> Vec<Run> {
    let stray = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| runs.get(before));
        let inside = before
            .zip(runs.get(index + 1))
            .is_some_and(|(before, after)| before.town == after.town);
        inside && runs[index].count == 1
    };
    let remaining: Vec<usize> = (0..runs.len()).filter(|index| !stray(*index)).collect();
    let mut joined: Vec<Run> = Vec::new();
    for index in remaining {
        let Run {
            first,
            last,
            town,
            count,
        } = runs[index];
        match joined.last_mut() {
            Some(run) if run.town == town => (run.last, run.count) = (last, run.count + count),
            _ => joined.push(Run {
                first,
                last,
                town,
                count,
            }),
        }
    }
    joined
}

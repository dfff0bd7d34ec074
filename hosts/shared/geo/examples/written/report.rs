//! Locates addresses in every form and counts the results.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    geo::{Gazetteer, great_circle_m, names::plain, pack::Pack},
    model::{Located, Point, Precision},
};

use crate::forms::{Door, FORMS, Rng, TITLES_OMITTED};

/// Results of one form.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) addresses: u32,
    pub(crate) number: u32,
    pub(crate) street: u32,
    pub(crate) cep: u32,
    pub(crate) wrong: u32,
}

impl Counts {
    fn add(&mut self, found: Option<Located>, is_wrong: bool) {
        self.addresses += 1;
        match found.map(|located| located.precision) {
            Some(Precision::Number) => self.number += 1,
            Some(Precision::Street) => self.street += 1,
            Some(Precision::Cep) => self.cep += 1,
            _ => {}
        }
        self.wrong += u32::from(is_wrong);
    }

    /// Returns a count as a percentage of the addresses.
    pub(crate) fn percent(&self, count: u32) -> f64 {
        f64::from(count) * 100.0 / f64::from(self.addresses.max(1))
    }
}

/// Returns the results of each form in the order of [`FORMS`], for up to `limit` addresses.
/// `is_absent` selects the addresses whose street is not in the pack.
pub(crate) fn measure(
    pack: &Pack<'_>,
    doors: &[Door],
    is_absent: impl Fn(&Door) -> bool,
    limit: usize,
    seed: u64,
) -> Vec<Counts> {
    let mut streets: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    let names: BTreeSet<String> = doors
        .iter()
        .map(|door| plain(&format!("{} {}", door.kind, door.name)))
        .collect();
    for door in doors {
        streets.entry(door.street).or_default().push(door.point);
    }
    let (absent, present): (Vec<&Door>, Vec<&Door>) =
        doors.iter().partition(|door| is_absent(door));
    let measure_form = |(index, form): (u64, &crate::forms::Form)| {
        let mut rng = Rng(seed.wrapping_add(index));
        let doors = if form.is_absent { &absent } else { &present };
        let mut counts = Counts::default();
        for _ in 0..limit.min(doors.len()) {
            let door = doors[rng.below(doors.len())];
            let Some(address) = (form.write)(door, &mut rng) else {
                continue;
            };
            // Without its title, a street can have the name of another one, and nothing
            // distinguishes them.
            if form.name == TITLES_OMITTED
                && names.contains(&address.street.as_deref().map(plain).unwrap_or_default())
            {
                continue;
            }
            let found = Gazetteer::embedded()
                .locate_with(std::slice::from_ref(pack), &address)
                .ok();
            let is_wrong = found.is_some_and(|located| {
                located.precision <= Precision::Street
                    && (form.is_absent || is_elsewhere(&located, door, streets.get(&door.street)))
            });
            if is_wrong && std::env::var_os("LIST_WRONG").is_some() {
                eprintln!("{}: {address:?} of {door:?} at {found:?}", form.name);
            }
            counts.add(found, is_wrong);
        }
        counts
    };
    (0u64..).zip(&FORMS).map(measure_form).collect()
}

/// Whether a location is on another street, or a number is more than 500 m from its address. The
/// middle of a street is correct near any of its addresses, within its radius.
fn is_elsewhere(located: &Located, door: &Door, street: Option<&Vec<Point>>) -> bool {
    let nearest = street
        .into_iter()
        .flatten()
        .map(|point| great_circle_m(*point, located.point))
        .min();
    let is_far =
        located.precision == Precision::Number && great_circle_m(located.point, door.point) > 500;
    is_far || nearest.is_none_or(|metres| metres > (located.radius_m + 50).clamp(100, 500))
}

/// Writes addresses in the register's layout.
pub(crate) fn register_lines<'a>(doors: impl Iterator<Item = &'a Door>) -> String {
    let mut text = String::new();
    for door in doors {
        let [kind, name] = [&door.kind, &door.name].map(|words| plain(words).to_uppercase());
        let (state, ibge, cep, number) = (door.ibge / 100_000, door.ibge, door.cep, door.number);
        let (latitude, longitude) = (door.point.latitude(), door.point.longitude());
        text += &format!(
            "1;{state};{ibge};0;0;0;1;1;{cep:08};;{kind};;{name};{number};;;;;;;;;;;;{latitude:.7};{longitude:.7};1;1;;1;1;1;1\n"
        );
    }
    text
}

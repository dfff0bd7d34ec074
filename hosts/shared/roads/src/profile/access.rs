//! Who may pass.

use crate::pbf::Tags;

use super::value::{is_forbidden, leading_number, metres, welcome};

/// Keys that speak of cars, the most specific first.
const HIERARCHY: [&str; 4] = ["motorcar", "motor_vehicle", "vehicle", "access"];

/// Size of the vehicle: metres high, wide and long, kilograms.
const HEIGHT_M: f64 = 2.0;
const WIDTH_M: f64 = 1.9;
const LENGTH_M: f64 = 4.8;
const WEIGHT_KG: f64 = 2_000.0;

/// For those who live, work or deliver there.
fn to_some(value: &str) -> bool {
    matches!(value, "private" | "delivery" | "destination" | "customers" | "permit" | "residents" | "unknown")
}

/// Of several values in one the kindest.
fn resolve(value: &str) -> &str {
    if !value.contains(';') {
        return value;
    }
    let rank = |part: &&str| match *part {
        part if welcome(part) => 3,
        part if to_some(part) => 2,
        part if is_forbidden(part) => 1,
        _ => 0,
    };
    value.rsplit(';').map(str::trim).max_by_key(rank).unwrap_or(value)
}

/// The values that count on a way, forward and backward.
pub(super) fn of_way<'a>(tags: &Tags<'a>) -> (Option<&'a str>, Option<&'a str>) {
    let (forward, backward) = tags.both_ways(&HIERARCHY);
    (forward.map(resolve), backward.map(resolve))
}

/// Whether one may ride under this value, and whether only to or from a place there.
pub(super) fn judge(value: Option<&str>, highway: &str) -> (bool, bool) {
    let Some(value) = value else { return (true, false) };
    let road = super::speed::of_class(highway).is_some();
    let restricted = road && to_some(value);
    (restricted || !is_forbidden(value), restricted)
}

/// Whether a node with this access value stops traffic; `None` without a value.
pub(super) fn stops(tags: &Tags<'_>) -> Option<bool> {
    let value = HIERARCHY.iter().find_map(|key| tags.get(key)).map(resolve)?;
    Some(is_forbidden(value) && !to_some(value))
}

/// Whether the vehicle fits under, between and onto a way, forward and backward.
pub(super) fn fits(tags: &Tags<'_>) -> (bool, bool) {
    let height = both(tags, &["maxheight:physical", "maxheight"], |value| metres(value) >= HEIGHT_M);
    let width = both(tags, &["maxwidth:physical", "maxwidth", "width", "est_width"], |value| metres(value) > WIDTH_M);
    let length = both(tags, &["maxlength"], |value| metres(value) >= LENGTH_M);
    let weight = both(tags, &["maxweightrating", "maxweight"], |value| kilograms(value) >= WEIGHT_KG);
    let all = [height, width, length, weight];
    (all.iter().all(|one| one.0), all.iter().all(|one| one.1))
}

fn both(tags: &Tags<'_>, keys: &[&str], fits: impl Fn(&str) -> bool) -> (bool, bool) {
    let (forward, backward) = tags.both_ways(keys);
    (forward.is_none_or(&fits), backward.is_none_or(&fits))
}

fn kilograms(value: &str) -> f64 {
    let start = value.find(|letter: char| letter.is_ascii_digit()).unwrap_or(value.len());
    let Some(number) = leading_number(&value[start..]) else { return f64::INFINITY };
    match value {
        value if value.contains("lbs") => number * 0.453_592_37,
        value if value.contains("kg") => number,
        _ => number * 1_000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_as_they_are_written() {
        assert!((metres("2,1 m") - 2.1).abs() < 1e-9 && (metres("6'7\"") - 2.0066).abs() < 1e-9);
        assert!(metres("default").is_infinite());
        assert!((kilograms("3.5") - 3_500.0).abs() < 1e-9 && (kilograms("900 kg") - 900.0).abs() < 1e-9);
        let low = Tags::new(vec![("maxheight", "1.8"), ("maxheight:backward", "2.5")]);
        assert_eq!(fits(&low), (false, true));
    }

    #[test]
    fn access_is_the_most_specific_and_the_kindest() {
        let tags = Tags::new(vec![("access", "no"), ("motor_vehicle", "delivery;no")]);
        assert_eq!(of_way(&tags), (Some("delivery"), Some("delivery")));
        assert_eq!(judge(Some("delivery"), "residential"), (true, true));
        assert_eq!(judge(Some("delivery"), "track"), (false, false));
        assert_eq!(judge(Some("no"), "primary"), (false, false));
        assert_eq!(judge(Some("something"), "primary"), (true, false));
        assert_eq!(judge(None, "primary"), (true, false));
    }
}

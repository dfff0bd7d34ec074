//! Access rules.

use crate::pbf::Tags;

use super::value::{is_allowed, is_forbidden, leading_number, metres};

/// The access tags of cars, the most specific first.
const HIERARCHY: [&str; 4] = ["motorcar", "motor_vehicle", "vehicle", "access"];

/// The size of the vehicle: height, width and length in metres, weight in kilograms.
const HEIGHT_M: f64 = 2.0;
const WIDTH_M: f64 = 1.9;
const LENGTH_M: f64 = 4.8;
const WEIGHT_KG: f64 = 2_000.0;

/// Returns whether access is limited to residents, customers or deliveries.
fn is_restricted(value: &str) -> bool {
    matches!(
        value,
        "private" | "delivery" | "destination" | "customers" | "permit" | "residents" | "unknown"
    )
}

/// Returns the most permissive of several values separated by semicolons.
fn widest_access(value: &str) -> &str {
    if !value.contains(';') {
        return value;
    }
    let rank = |part: &&str| match *part {
        part if is_allowed(part) => 3,
        part if is_restricted(part) => 2,
        part if is_forbidden(part) => 1,
        _ => 0,
    };
    value
        .rsplit(';')
        .map(str::trim)
        .max_by_key(rank)
        .unwrap_or(value)
}

/// Returns the access values of a way, forward and backward.
pub(super) fn way_access<'a>(tags: &Tags<'a>) -> (Option<&'a str>, Option<&'a str>) {
    let (forward, backward) = tags.by_direction(&HIERARCHY);
    (forward.map(widest_access), backward.map(widest_access))
}

/// Returns whether an access value allows cars, and whether only with a start or destination there.
pub(super) fn resolve_access(value: Option<&str>, highway: &str) -> (bool, bool) {
    let Some(value) = value else {
        return (true, false);
    };
    let road = super::speed::class_speed(highway).is_some();
    let restricted = road && is_restricted(value);
    (restricted || !is_forbidden(value), restricted)
}

/// Returns whether a node's access value blocks traffic, or `None` without a value.
pub(super) fn blocks_access(tags: &Tags<'_>) -> Option<bool> {
    let value = HIERARCHY
        .iter()
        .find_map(|key| tags.get(key))
        .map(widest_access)?;
    Some(is_forbidden(value) && !is_restricted(value))
}

/// Returns whether the vehicle fits the way's height, width, length and weight limits, forward and
/// backward.
pub(super) fn fits(tags: &Tags<'_>) -> (bool, bool) {
    let height = both_directions(tags, &["maxheight:physical", "maxheight"], |value| {
        metres(value) >= HEIGHT_M
    });
    let width = both_directions(
        tags,
        &["maxwidth:physical", "maxwidth", "width", "est_width"],
        |value| metres(value) > WIDTH_M,
    );
    let length = both_directions(tags, &["maxlength"], |value| metres(value) >= LENGTH_M);
    let weight = both_directions(tags, &["maxweightrating", "maxweight"], |value| {
        kilograms(value) >= WEIGHT_KG
    });
    let all = [height, width, length, weight];
    (
        all.iter().all(|limit| limit.0),
        all.iter().all(|limit| limit.1),
    )
}

fn both_directions(tags: &Tags<'_>, keys: &[&str], fits: impl Fn(&str) -> bool) -> (bool, bool) {
    let (forward, backward) = tags.by_direction(keys);
    (forward.is_none_or(&fits), backward.is_none_or(&fits))
}

fn kilograms(value: &str) -> f64 {
    let start = value
        .find(|letter: char| letter.is_ascii_digit())
        .unwrap_or(value.len());
    let Some(number) = leading_number(&value[start..]) else {
        return f64::INFINITY;
    };
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
    fn measures_are_parsed_with_units() {
        assert!((metres("2,1 m") - 2.1).abs() < 1e-9 && (metres("6'7\"") - 2.0066).abs() < 1e-9);
        assert!(metres("default").is_infinite());
        assert!(
            (kilograms("3.5") - 3_500.0).abs() < 1e-9 && (kilograms("900 kg") - 900.0).abs() < 1e-9
        );
        let low = Tags::new(vec![("maxheight", "1.8"), ("maxheight:backward", "2.5")]);
        assert_eq!(fits(&low), (false, true));
    }

    #[test]
    fn specific_key_and_widest_value_determine_access() {
        let tags = Tags::new(vec![("access", "no"), ("motor_vehicle", "delivery;no")]);
        assert_eq!(way_access(&tags), (Some("delivery"), Some("delivery")));
        assert_eq!(
            resolve_access(Some("delivery"), "residential"),
            (true, true)
        );
        assert_eq!(resolve_access(Some("delivery"), "track"), (false, false));
        assert_eq!(resolve_access(Some("no"), "primary"), (false, false));
        assert_eq!(resolve_access(Some("something"), "primary"), (true, false));
        assert_eq!(resolve_access(None, "primary"), (true, false));
    }
}

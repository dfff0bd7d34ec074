//! Speeds, and penalties on roads that are avoided.

use crate::pbf::Tags;

use super::value::{is_allowed, is_forbidden, leading_number, metres};

/// The fraction of the speed limit that is driven.
const LIMIT_SHARE: f64 = 0.8;

/// Returns the speed in km/h on a road of a class, without traffic.
pub(super) fn class_speed(highway: &str) -> Option<f64> {
    Some(match highway {
        "motorway" => 90.0,
        "trunk" => 85.0,
        "primary" => 65.0,
        "secondary" => 55.0,
        "motorway_link" => 45.0,
        "trunk_link" | "tertiary" => 40.0,
        "primary_link" => 30.0,
        "secondary_link" | "unclassified" | "residential" => 25.0,
        "tertiary_link" | "winter_road" => 20.0,
        "service" | "ice_road" => 15.0,
        "living_street" => 10.0,
        _ => return None,
    })
}

/// The speed in km/h on a way that is open to cars without a class for them.
const DEFAULT_KM_H: f64 = 10.0;

/// Returns the maximum speed in km/h for a surface, track type or smoothness.
fn max_surface_speed(tags: &Tags<'_>) -> f64 {
    let surface = match tags.get("surface").unwrap_or_default() {
        "cement" | "compacted" | "fine_gravel" => 80.0,
        "paving_stones" | "metal" | "bricks" => 60.0,
        "grass" | "wood" | "sett" | "grass_paver" | "gravel" | "unpaved" | "ground" | "dirt"
        | "pebblestone" | "tartan" => 40.0,
        "cobblestone" | "clay" | "snow" => 30.0,
        "earth" | "stone" | "rocky" | "sand" | "ice" => 20.0,
        "laterite" => 15.0,
        "mud" => 10.0,
        _ => f64::INFINITY,
    };
    let track = match tags.get("tracktype").unwrap_or_default() {
        "grade1" => 60.0,
        "grade2" => 40.0,
        "grade3" => 30.0,
        "grade4" => 25.0,
        "grade5" => 20.0,
        _ => f64::INFINITY,
    };
    let smoothness = match tags.get("smoothness").unwrap_or_default() {
        "intermediate" => 80.0,
        "bad" => 40.0,
        "very_bad" => 20.0,
        "horrible" => 10.0,
        "very_horrible" => 5.0,
        "impassable" => 0.0,
        _ => f64::INFINITY,
    };
    surface.min(track).min(smoothness)
}

/// Returns the speed in km/h, forward and backward, or `None` if the tags do not allow cars.
pub(super) fn speeds(
    tags: &Tags<'_>,
    highway: &str,
    access: (Option<&str>, Option<&str>),
) -> (Option<f64>, Option<f64>) {
    let limits = tags.by_direction(&[
        "maxspeed:advisory",
        "maxspeed",
        "source:maxspeed",
        "maxspeed:type",
    ]);
    let max_surface_speed = max_surface_speed(tags);
    let speed = |access: Option<&str>, limit: Option<&str>| {
        let open = access.is_some_and(|value| is_allowed(value) || !is_forbidden(value));
        let class = class_speed(highway).or_else(|| open.then_some(DEFAULT_KM_H))?;
        let limited = limit
            .and_then(limit_km_h)
            .map_or(class, |limit| limit * LIMIT_SHARE);
        Some(limited.min(max_surface_speed))
    };
    (speed(access.0, limits.0), speed(access.1, limits.1))
}

/// Parses a speed limit, a number or a category, to km/h.
fn limit_km_h(value: &str) -> Option<f64> {
    let km_h = match leading_number(value) {
        Some(number) if value.contains("mph") => number * 1.609,
        Some(number) => number,
        // Categories such as 'BR:urban'.
        None => match value.split_once(':')?.1.to_ascii_lowercase().as_str() {
            "urban" => 50.0,
            "rural" => 90.0,
            "trunk" => 110.0,
            "motorway" => 130.0,
            _ => return None,
        },
    };
    (km_h > 0.0).then_some(km_h)
}

/// Returns the factors from speed to rate, forward and backward. Narrow roads and service roads are
/// avoided.
pub(super) fn penalties(tags: &Tags<'_>, bidirectional: bool) -> (f64, f64) {
    let service = match tags.get("service") {
        Some(
            "alley" | "parking" | "parking_aisle" | "driveway" | "drive-through" | "drive-thru",
        ) => 0.5,
        _ => 1.0,
    };
    let side = if matches!(tags.get("side_road"), Some("yes" | "rotary")) {
        0.8
    } else {
        1.0
    };
    let alternating = if tags.is("oneway", "alternating") {
        0.4
    } else {
        1.0
    };
    let common = f64::min(service, side)
        .min(alternating)
        .min(if bidirectional {
            width_penalty(tags)
        } else {
            1.0
        });
    match tags.get("priority") {
        Some("forward") => (common, common.min(0.7)),
        Some("backward") => (common.min(0.7), common),
        _ => (common, common),
    }
}

fn width_penalty(tags: &Tags<'_>) -> f64 {
    if tags
        .get("lanes")
        .and_then(leading_number)
        .is_some_and(|lanes| lanes <= 1.0)
    {
        return 0.5;
    }
    match tags.get("width").map(metres) {
        Some(width) if width <= 3.0 => 0.5,
        Some(width) if width < 4.0 => 0.6,
        Some(width) if width < 5.0 => 0.75,
        Some(width) if width < 6.0 => 0.8,
        None if tags.is("lane_markings", "no") => 0.75,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn km_h(pairs: &[(&'static str, &'static str)]) -> (Option<f64>, Option<f64>) {
        let tags = Tags::new(pairs.to_vec());
        speeds(
            &tags,
            tags.get("highway").unwrap_or_default(),
            super::super::access::way_access(&tags),
        )
    }

    #[test]
    fn surface_limits_speed_limits_and_classes() {
        assert_eq!(km_h(&[("highway", "primary")]), (Some(65.0), Some(65.0)));
        assert_eq!(
            km_h(&[("highway", "primary"), ("maxspeed", "50")]),
            (Some(40.0), Some(40.0))
        );
        assert_eq!(
            km_h(&[("highway", "primary"), ("maxspeed:forward", "50")]),
            (Some(40.0), Some(65.0))
        );
        assert_eq!(
            km_h(&[("highway", "primary"), ("maxspeed", "BR:urban")]),
            (Some(40.0), Some(40.0))
        );
        assert_eq!(
            km_h(&[("highway", "primary"), ("maxspeed", "signals")]),
            (Some(65.0), Some(65.0))
        );
        assert_eq!(
            km_h(&[("highway", "primary"), ("surface", "cobblestone")]),
            (Some(30.0), Some(30.0))
        );
        assert_eq!(km_h(&[("highway", "track")]), (None, None));
        assert_eq!(
            km_h(&[("highway", "track"), ("motor_vehicle", "yes")]),
            (Some(10.0), Some(10.0))
        );
    }

    #[test]
    fn narrow_bidirectional_ways_are_penalised() {
        let lane = Tags::new(vec![("lanes", "1")]);
        assert_eq!(
            (penalties(&lane, true), penalties(&lane, false)),
            ((0.5, 0.5), (1.0, 1.0))
        );
        assert_eq!(
            penalties(&Tags::new(vec![("width", "4,5")]), true),
            (0.75, 0.75)
        );
        assert_eq!(
            penalties(&Tags::new(vec![("service", "driveway")]), true),
            (0.5, 0.5)
        );
        assert_eq!(
            penalties(&Tags::new(vec![("priority", "forward")]), true),
            (1.0, 0.7)
        );
    }
}

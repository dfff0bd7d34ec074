//! The profile: which roads a car or motorcycle can use, and how fast.
//!
//! The rules and figures are those of OSRM's car profile (`profiles/car.lua`, BSD-2-Clause, release
//! 26.10), so legs can be compared. Ferries, movable bridges, carpool lanes and opening hours are
//! not supported.

mod access;
mod node;
mod speed;
mod value;

pub(crate) use node::{Direction, Effect, Obstacle, STOP_MS, obstacle};

use crate::pbf::Tags;

/// Travel along a road in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Travel {
    /// The speed in metres per second, without traffic.
    pub(crate) speed: f64,
    /// The rate in metres per second that determines the weight. It is lower than the speed on
    /// narrow roads and service roads.
    pub(crate) rate: f64,
    /// Whether the road is for residents, customers, deliveries or owners only. A trip can start or
    /// end there but not pass through.
    pub(crate) restricted: bool,
}

/// The properties of a way for a vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Road {
    pub(crate) forward: Option<Travel>,
    pub(crate) backward: Option<Travel>,
    /// Whether the way is part of a roundabout.
    pub(crate) is_roundabout: bool,
    /// Whether points can be snapped to the way. Private driveways are excluded.
    pub(crate) is_snappable: bool,
}

/// The allowed direction of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oneway {
    Both,
    Forward,
    Backward,
}

/// Returns the road described by a way's tags, or `None` if vehicles cannot use it.
pub(crate) fn road(tags: &Tags<'_>) -> Option<Road> {
    let highway = tags.get("highway").filter(|highway| !highway.is_empty())?;
    if blocked(tags, highway) {
        return None;
    }
    let (fits_forward, fits_backward) = access::fits(tags);
    let (access_forward, access_backward) = access::way_access(tags);
    let (mut can_forward, restricted_forward) = access::resolve_access(access_forward, highway);
    let (mut can_backward, restricted_backward) = access::resolve_access(access_backward, highway);
    (can_forward, can_backward) = (can_forward && fits_forward, can_backward && fits_backward);
    let oneway = oneway(tags, highway);
    can_forward &= oneway != Oneway::Backward;
    can_backward &= oneway != Oneway::Forward;
    if tags.is("service", "emergency_access") {
        return None;
    }
    let speeds = speed::speeds(tags, highway, (access_forward, access_backward));
    let penalties = speed::penalties(tags, can_forward && can_backward);
    let travel = |allowed: bool, km_h: Option<f64>, penalty: f64, restricted: bool| {
        let km_h = km_h.filter(|km_h| allowed && *km_h > 0.0)?;
        Some(Travel {
            speed: km_h / 3.6,
            rate: km_h * penalty / 3.6,
            restricted,
        })
    };
    let forward = travel(can_forward, speeds.0, penalties.0, restricted_forward);
    let backward = travel(can_backward, speeds.1, penalties.1, restricted_backward);
    let is_roundabout = matches!(tags.get("junction"), Some("roundabout" | "circular"));
    let is_snappable = !(highway == "service" && access_forward == Some("private"));
    (forward.is_some() || backward.is_some()).then_some(Road {
        forward,
        backward,
        is_roundabout,
        is_snappable,
    })
}

fn blocked(tags: &Tags<'_>, highway: &str) -> bool {
    let unbuilt = tags
        .get("construction")
        .is_some_and(|value| !matches!(value, "no" | "widening" | "minor"));
    matches!(
        highway,
        "steps" | "construction" | "proposed" | "area" | "reversible" | "impassable"
    ) || tags.is("area", "yes")
        || tags.is("railway", "construction")
        || unbuilt
        || tags.is("oneway", "reversible")
        || tags.is("impassable", "yes")
        || tags.is("status", "impassable")
}

fn oneway(tags: &Tags<'_>, highway: &str) -> Oneway {
    let own = ["motorcar", "motor_vehicle", "vehicle"]
        .iter()
        .find_map(|kind| tags.suffixed("oneway", kind));
    match own.or_else(|| tags.get("oneway")) {
        Some("-1") => Oneway::Backward,
        Some("yes" | "1" | "true") => Oneway::Forward,
        Some("no") => Oneway::Both,
        _ if highway == "motorway" => Oneway::Forward,
        _ if matches!(tags.get("junction"), Some("roundabout" | "circular")) => Oneway::Forward,
        _ => Oneway::Both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn road_of(pairs: &[(&'static str, &'static str)]) -> Option<Road> {
        road(&Tags::new(pairs.to_vec()))
    }

    fn ways(pairs: &[(&'static str, &'static str)]) -> (bool, bool) {
        road_of(pairs).map_or((false, false), |road| {
            (road.forward.is_some(), road.backward.is_some())
        })
    }

    #[test]
    fn oneway_is_explicit_or_implied() {
        assert_eq!(ways(&[("highway", "residential")]), (true, true));
        assert_eq!(
            ways(&[("highway", "residential"), ("oneway", "yes")]),
            (true, false)
        );
        assert_eq!(
            ways(&[("highway", "residential"), ("oneway", "-1")]),
            (false, true)
        );
        assert_eq!(ways(&[("highway", "motorway")]), (true, false));
        assert_eq!(ways(&[("highway", "motorway_link")]), (true, true));
        assert_eq!(
            ways(&[("highway", "tertiary"), ("junction", "roundabout")]),
            (true, false)
        );
        assert_eq!(
            ways(&[
                ("highway", "tertiary"),
                ("junction", "roundabout"),
                ("oneway", "no")
            ]),
            (true, true)
        );
        let bus = [
            ("highway", "primary"),
            ("oneway", "yes"),
            ("oneway:vehicle", "no"),
        ];
        assert_eq!(ways(&bus), (true, true));
    }

    #[test]
    fn unusable_way_is_not_a_road() {
        for highway in [
            "footway",
            "steps",
            "construction",
            "cycleway",
            "pedestrian",
            "path",
        ] {
            assert_eq!(road_of(&[("highway", highway)]), None, "{highway}");
        }
        assert_eq!(road_of(&[("building", "yes")]), None);
        assert_eq!(road_of(&[("highway", "service"), ("area", "yes")]), None);
        assert_eq!(
            road_of(&[("highway", "residential"), ("oneway", "reversible")]),
            None
        );
        assert_eq!(
            road_of(&[("highway", "residential"), ("smoothness", "impassable")]),
            None
        );
        assert_eq!(
            road_of(&[("highway", "service"), ("service", "emergency_access")]),
            None
        );
    }

    #[test]
    fn private_driveway_is_not_snappable() {
        let drive =
            road_of(&[("highway", "service"), ("access", "private")]).expect("a road to its owner");
        assert!(!drive.is_snappable && drive.forward.is_some_and(|travel| travel.restricted));
        let street = road_of(&[("highway", "residential"), ("access", "private")])
            .expect("a road to its owners");
        assert!(street.is_snappable && street.backward.is_some_and(|travel| travel.restricted));
    }
}

//! What a car or motorcycle may ride on, and how fast.
//!
//! The rules and figures are those of the car profile of OSRM (`profiles/car.lua`, BSD-2-Clause, release 26.10), so that the two
//! can be compared leg by leg. Left out: ferries, movable bridges, lanes for car pools, and opening hours.

mod access;
mod node;
mod speed;
mod value;

pub(crate) use node::{Effect, Heading, Obstacle, STOP_MS, obstacle};

use crate::pbf::Tags;

/// Riding along a road in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ride {
    /// Metres a second in free flow.
    pub(crate) speed: f64,
    /// Metres a second as the choice of roads sees it: less than the speed where a road is narrow or a service lane.
    pub(crate) rate: f64,
    /// For residents, customers, deliveries or owners alone: may begin or end a ride, and is not a way through.
    pub(crate) restricted: bool,
}

/// What a way is to a vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Road {
    pub(crate) forward: Option<Ride>,
    pub(crate) backward: Option<Ride>,
    /// Part of a roundabout.
    pub(crate) round: bool,
    /// Whether points may be put on it; not on private driveways.
    pub(crate) snappable: bool,
}

/// The direction of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oneway {
    Both,
    Forward,
    Backward,
}

/// The road that a way's tags describe, or `None` where no vehicle may ride.
pub(crate) fn road(tags: &Tags<'_>) -> Option<Road> {
    let highway = tags.get("highway").filter(|highway| !highway.is_empty())?;
    if blocked(tags, highway) {
        return None;
    }
    let (fits_forward, fits_backward) = access::fits(tags);
    let (access_forward, access_backward) = access::of_way(tags);
    let (mut may_forward, restricted_forward) = access::judge(access_forward, highway);
    let (mut may_backward, restricted_backward) = access::judge(access_backward, highway);
    (may_forward, may_backward) = (may_forward && fits_forward, may_backward && fits_backward);
    let oneway = oneway(tags, highway);
    may_forward &= oneway != Oneway::Backward;
    may_backward &= oneway != Oneway::Forward;
    if tags.is("service", "emergency_access") {
        return None;
    }
    let speeds = speed::of(tags, highway, (access_forward, access_backward));
    let penalties = speed::penalties(tags, may_forward && may_backward);
    let ride = |may: bool, km_h: Option<f64>, penalty: f64, restricted: bool| {
        let km_h = km_h.filter(|km_h| may && *km_h > 0.0)?;
        Some(Ride { speed: km_h / 3.6, rate: km_h * penalty / 3.6, restricted })
    };
    let forward = ride(may_forward, speeds.0, penalties.0, restricted_forward);
    let backward = ride(may_backward, speeds.1, penalties.1, restricted_backward);
    let round = matches!(tags.get("junction"), Some("roundabout" | "circular"));
    let snappable = !(highway == "service" && access_forward == Some("private"));
    (forward.is_some() || backward.is_some()).then_some(Road { forward, backward, round, snappable })
}

fn blocked(tags: &Tags<'_>, highway: &str) -> bool {
    let unbuilt = tags.get("construction").is_some_and(|value| !matches!(value, "no" | "widening" | "minor"));
    matches!(highway, "steps" | "construction" | "proposed" | "area" | "reversible" | "impassable")
        || tags.is("area", "yes")
        || tags.is("railway", "construction")
        || unbuilt
        || tags.is("oneway", "reversible")
        || tags.is("impassable", "yes")
        || tags.is("status", "impassable")
}

fn oneway(tags: &Tags<'_>, highway: &str) -> Oneway {
    let own = ["motorcar", "motor_vehicle", "vehicle"].iter().find_map(|kind| tags.suffixed("oneway", kind));
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

    fn of(pairs: &[(&'static str, &'static str)]) -> Option<Road> {
        road(&Tags::new(pairs.to_vec()))
    }

    fn ways(pairs: &[(&'static str, &'static str)]) -> (bool, bool) {
        of(pairs).map_or((false, false), |road| (road.forward.is_some(), road.backward.is_some()))
    }

    #[test]
    fn one_ways_are_stated_or_implied() {
        assert_eq!(ways(&[("highway", "residential")]), (true, true));
        assert_eq!(ways(&[("highway", "residential"), ("oneway", "yes")]), (true, false));
        assert_eq!(ways(&[("highway", "residential"), ("oneway", "-1")]), (false, true));
        assert_eq!(ways(&[("highway", "motorway")]), (true, false));
        assert_eq!(ways(&[("highway", "motorway_link")]), (true, true));
        assert_eq!(ways(&[("highway", "tertiary"), ("junction", "roundabout")]), (true, false));
        assert_eq!(ways(&[("highway", "tertiary"), ("junction", "roundabout"), ("oneway", "no")]), (true, true));
        let bus = [("highway", "primary"), ("oneway", "yes"), ("oneway:vehicle", "no")];
        assert_eq!(ways(&bus), (true, true));
    }

    #[test]
    fn what_is_no_road_is_none() {
        for highway in ["footway", "steps", "construction", "cycleway", "pedestrian", "path"] {
            assert_eq!(of(&[("highway", highway)]), None, "{highway}");
        }
        assert_eq!(of(&[("building", "yes")]), None);
        assert_eq!(of(&[("highway", "service"), ("area", "yes")]), None);
        assert_eq!(of(&[("highway", "residential"), ("oneway", "reversible")]), None);
        assert_eq!(of(&[("highway", "residential"), ("smoothness", "impassable")]), None);
        assert_eq!(of(&[("highway", "service"), ("service", "emergency_access")]), None);
    }

    #[test]
    fn private_driveways_take_no_points() {
        let drive = of(&[("highway", "service"), ("access", "private")]).expect("a road to its owner");
        assert!(!drive.snappable && drive.forward.is_some_and(|ride| ride.restricted));
        let street = of(&[("highway", "residential"), ("access", "private")]).expect("a road to its owners");
        assert!(street.snappable && street.backward.is_some_and(|ride| ride.restricted));
    }
}

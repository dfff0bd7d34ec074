//! What stands on a road: barriers, signals, places to turn round.

use crate::pbf::Tags;

use super::{access::stops, value::metres};

/// For whom an obstacle stands there, against the direction of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    Both,
    Forward,
    Backward,
}

/// What an obstacle does to those who pass it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nobody passes.
    Barrier,
    /// One may turn round here.
    Turning,
    /// Passing takes so many milliseconds.
    Wait(u32),
    /// A stop sign: waits, unless it stands just behind the junction that it is meant for.
    Stop,
    /// A stop sign for the lesser roads of its junction.
    StopMinor,
}

/// Something on a node that a ride notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) effect: Effect,
    pub(crate) heading: Heading,
}

/// Milliseconds that a stop sign costs.
pub(crate) const STOP_MS: u32 = 2_000;

const SIGNALS_MS: u32 = 2_000;
const GIVE_WAY_MS: u32 = 1_000;
const GATE_MS: u32 = 60_000;

/// The lowest arch that the vehicle passes, in metres.
const HEIGHT_M: f64 = 2.0;

/// The obstacle that a node's tags describe.
pub(crate) fn obstacle(tags: &Tags<'_>) -> Option<Obstacle> {
    let both = |effect| Some(Obstacle { effect, heading: Heading::Both });
    match barrier(tags) {
        Some(Effect::Barrier) => return both(Effect::Barrier),
        Some(gate) => return both(gate),
        None => {}
    }
    let direction = tags.get("direction");
    let (effect, direction) = match tags.get("highway")? {
        "traffic_signals" => (Effect::Wait(SIGNALS_MS), tags.get("traffic_signals:direction").or(direction)),
        "stop" if tags.is("stop", "minor") => (Effect::StopMinor, direction),
        "stop" => (Effect::Stop, direction),
        "give_way" => (Effect::Wait(GIVE_WAY_MS), direction),
        "mini_roundabout" | "turning_loop" | "turning_circle" => (Effect::Turning, None),
        _ => return None,
    };
    let heading = match direction {
        Some("forward") => Heading::Forward,
        Some("backward") => Heading::Backward,
        _ => Heading::Both,
    };
    Some(Obstacle { effect, heading })
}

fn barrier(tags: &Tags<'_>) -> Option<Effect> {
    if let Some(stops) = stops(tags) {
        return stops.then_some(Effect::Barrier);
    }
    let barrier = tags.get("barrier")?;
    let too_low = barrier == "height_restrictor" && tags.get("maxheight").map(metres).is_some_and(|m| m < HEIGHT_M);
    if too_low {
        return Some(Effect::Barrier);
    }
    let flat = matches!(tags.get("kerb"), Some("lowered" | "flush"));
    let passable = match barrier {
        "gate" | "lift_gate" => return Some(Effect::Wait(GATE_MS)),
        "cattle_grid" | "border_control" | "toll_booth" | "sally_port" | "no" | "entrance" | "height_restrictor"
        | "arch" => true,
        "kerb" => flat || tags.is("highway", "crossing"),
        "fence" => matches!(tags.get("sensory"), Some("audible" | "audio")),
        _ => tags.is("bollard", "rising") || flat,
    };
    (!passable).then_some(Effect::Barrier)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(pairs: &[(&'static str, &'static str)]) -> Option<Effect> {
        obstacle(&Tags::new(pairs.to_vec())).map(|one| one.effect)
    }

    #[test]
    fn barriers_stop_unless_something_opens_them() {
        assert_eq!(effect(&[("barrier", "bollard")]), Some(Effect::Barrier));
        assert_eq!(effect(&[("barrier", "bollard"), ("bollard", "rising")]), None);
        assert_eq!(effect(&[("barrier", "bollard"), ("motor_vehicle", "yes")]), None);
        assert_eq!(effect(&[("barrier", "gate"), ("access", "private")]), None);
        assert_eq!(effect(&[("barrier", "gate"), ("access", "no")]), Some(Effect::Barrier));
        assert_eq!(effect(&[("barrier", "gate")]), Some(Effect::Wait(60_000)));
        assert_eq!(effect(&[("barrier", "toll_booth")]), None);
        assert_eq!(effect(&[("barrier", "height_restrictor"), ("maxheight", "1.9")]), Some(Effect::Barrier));
    }

    #[test]
    fn signals_may_face_one_way() {
        let signals = obstacle(&Tags::new(vec![("highway", "traffic_signals"), ("direction", "backward")]));
        assert_eq!(signals, Some(Obstacle { effect: Effect::Wait(2_000), heading: Heading::Backward }));
        assert_eq!(effect(&[("highway", "stop"), ("stop", "minor")]), Some(Effect::StopMinor));
        assert_eq!(effect(&[("highway", "crossing")]), None);
    }
}

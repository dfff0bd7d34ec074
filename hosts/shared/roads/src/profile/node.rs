//! Obstacles on nodes: barriers, signals, stop signs and turning circles.

use crate::pbf::Tags;

use super::{access::blocks_access, value::metres};

/// The direction in which an obstacle applies, relative to its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    Forward,
    Backward,
}

/// The effect of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Blocks the road.
    Barrier,
    /// Allows U-turns.
    Turning,
    /// Adds a delay in milliseconds.
    Wait(u32),
    /// A stop sign. It adds a delay, except directly after the junction that it belongs to.
    Stop,
    /// A stop sign that applies only to the minor roads of its junction.
    StopMinor,
}

/// An obstacle on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) effect: Effect,
    pub(crate) direction: Direction,
}

/// The delay of a stop sign in milliseconds.
pub(crate) const STOP_MS: u32 = 2_000;

const SIGNALS_MS: u32 = 2_000;
const GIVE_WAY_MS: u32 = 1_000;
const GATE_MS: u32 = 60_000;

/// The minimum clearance in metres.
const HEIGHT_M: f64 = 2.0;

/// Returns the obstacle described by a node's tags.
pub(crate) fn obstacle(tags: &Tags<'_>) -> Option<Obstacle> {
    let both = |effect| {
        Some(Obstacle {
            effect,
            direction: Direction::Both,
        })
    };
    match barrier(tags) {
        Some(Effect::Barrier) => return both(Effect::Barrier),
        Some(gate) => return both(gate),
        None => {}
    }
    let direction = tags.get("direction");
    let (effect, direction) = match tags.get("highway")? {
        "traffic_signals" => (
            Effect::Wait(SIGNALS_MS),
            tags.get("traffic_signals:direction").or(direction),
        ),
        "stop" if tags.is("stop", "minor") => (Effect::StopMinor, direction),
        "stop" => (Effect::Stop, direction),
        "give_way" => (Effect::Wait(GIVE_WAY_MS), direction),
        "mini_roundabout" | "turning_loop" | "turning_circle" => (Effect::Turning, None),
        _ => return None,
    };
    let direction = match direction {
        Some("forward") => Direction::Forward,
        Some("backward") => Direction::Backward,
        _ => Direction::Both,
    };
    Some(Obstacle { effect, direction })
}

fn barrier(tags: &Tags<'_>) -> Option<Effect> {
    if let Some(blocks) = blocks_access(tags) {
        return blocks.then_some(Effect::Barrier);
    }
    let barrier = tags.get("barrier")?;
    let too_low = barrier == "height_restrictor"
        && tags
            .get("maxheight")
            .map(metres)
            .is_some_and(|m| m < HEIGHT_M);
    if too_low {
        return Some(Effect::Barrier);
    }
    let flat = matches!(tags.get("kerb"), Some("lowered" | "flush"));
    let passable = match barrier {
        "gate" | "lift_gate" => return Some(Effect::Wait(GATE_MS)),
        "cattle_grid" | "border_control" | "toll_booth" | "sally_port" | "no" | "entrance"
        | "height_restrictor" | "arch" => true,
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
        obstacle(&Tags::new(pairs.to_vec())).map(|obstacle| obstacle.effect)
    }

    #[test]
    fn barrier_blocks_unless_passable() {
        assert_eq!(effect(&[("barrier", "bollard")]), Some(Effect::Barrier));
        assert_eq!(
            effect(&[("barrier", "bollard"), ("bollard", "rising")]),
            None
        );
        assert_eq!(
            effect(&[("barrier", "bollard"), ("motor_vehicle", "yes")]),
            None
        );
        assert_eq!(effect(&[("barrier", "gate"), ("access", "private")]), None);
        assert_eq!(
            effect(&[("barrier", "gate"), ("access", "no")]),
            Some(Effect::Barrier)
        );
        assert_eq!(effect(&[("barrier", "gate")]), Some(Effect::Wait(60_000)));
        assert_eq!(effect(&[("barrier", "toll_booth")]), None);
        assert_eq!(
            effect(&[("barrier", "height_restrictor"), ("maxheight", "1.9")]),
            Some(Effect::Barrier)
        );
    }

    #[test]
    fn signals_apply_in_tagged_direction() {
        let signals = obstacle(&Tags::new(vec![
            ("highway", "traffic_signals"),
            ("direction", "backward"),
        ]));
        assert_eq!(
            signals,
            Some(Obstacle {
                effect: Effect::Wait(2_000),
                direction: Direction::Backward
            })
        );
        assert_eq!(
            effect(&[("highway", "stop"), ("stop", "minor")]),
            Some(Effect::StopMinor)
        );
        assert_eq!(effect(&[("highway", "crossing")]), None);
    }
}

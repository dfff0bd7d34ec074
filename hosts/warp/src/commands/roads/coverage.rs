//! Which stores and cities have roads.

use despacho_core::model::{Point, store::Store as MerchantStore};
use despacho_roads::{ConnectedRoads, Roads, SNAP_LIMIT_M};

use super::super::missing::{Names, label};
use crate::geo::boxes::GeoBox;

/// Maximum number of networks with a line of their own.
const MAX_NETWORKS: usize = 20;

/// A store or a city around which roads are wanted.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) point: Point,
    /// The box in which a city needs any road. A store needs one near its location.
    pub(super) area: Option<GeoBox>,
}

impl Place {
    pub(super) fn of_store(store: &MerchantStore) -> Place {
        Place {
            name: label(store),
            point: store.located.point,
            area: None,
        }
    }

    fn has_roads(&self, roads: &Roads) -> bool {
        match self.area.and_then(|area| area.corners()) {
            Some(area) => roads.has_road_in(area),
            None => roads.has_road_near(self.point),
        }
    }
}

/// Returns lines about the networks that no road connects, and about the places with and without
/// roads.
pub(super) fn describe<'a>(roads: &Roads, places: impl IntoIterator<Item = &'a Place>) -> String {
    let mut lines = networks(roads);
    let (mut with, mut without) = (Names::default(), Names::default());
    for place in places {
        let names = if place.has_roads(roads) {
            &mut with
        } else {
            &mut without
        };
        names.add(|| place.name.clone());
    }
    if with.count > 0 {
        lines.push(format!("with roads: {with}"));
    }
    if without.count > 0 {
        lines.push(format!(
            "without roads, so their distances are estimated: {without}; the extract has no road for cars within {SNAP_LIMIT_M} m of a \
             store's location, or none around a city"
        ));
    }
    if roads.is_outdated() {
        lines.push(
            "this file has an earlier format with the largest network only; `despacho roads update` writes the installed files again, and \
             `despacho roads build` others"
                .to_owned(),
        );
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn networks(roads: &Roads) -> Vec<String> {
    let all: Vec<ConnectedRoads> = roads.components().collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "{} networks; no road connects them, so distances between them are estimated",
        all.len()
    )];
    for (number, one) in (1..).zip(all.iter().take(MAX_NETWORKS)) {
        lines.push(format!(
            "network {number}: {}",
            sizes(&[*one]) + &format!(", box {}", degrees(one.area))
        ));
    }
    if let Some(others @ [_, ..]) = all.get(MAX_NETWORKS..) {
        lines.push(format!(
            "{} smaller networks: {}",
            others.len(),
            sizes(others)
        ));
    }
    lines
}

fn sizes(networks: &[ConnectedRoads]) -> String {
    let metres: u64 = networks.iter().map(|one| u64::from(one.metres)).sum();
    let edges: u64 = networks.iter().map(|one| u64::from(one.edges)).sum();
    format!(
        "{}.{} km of roads, {edges} directed edges",
        metres / 1_000,
        metres % 1_000 / 100
    )
}

/// Returns the corners of a box in degrees.
pub(super) fn degrees((low, high): (Point, Point)) -> String {
    let of = |point: Point| format!("{:.4},{:.4}", point.latitude(), point.longitude());
    format!("{},{}", of(low), of(high))
}

//! Reads the features of an extract.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use super::kind::{KEYS, Kind};
use super::shape::{Area, MAX_ZOOM, Spot};
use crate::error::RoadsError;
use crate::extract::{for_each_block, read_nodes};
use crate::simplify::simplify;

/// The features of an extract.
pub(super) struct Features {
    pub(super) all: Vec<Feature>,
    names: Vec<String>,
}

/// A road, water or park.
pub(super) struct Feature {
    pub(super) kind: Kind,
    /// The index of its name.
    pub(super) name: Option<u32>,
    shape: Vec<Spot>,
}

impl Feature {
    /// Returns the feature's shape in the units of a zoom's tiles.
    pub(super) fn at_zoom(&self, zoom: u8) -> Vec<Spot> {
        let shift = u32::from(MAX_ZOOM.saturating_sub(zoom));
        // Tiles of the last zoom are enlarged.
        let tolerance = if shift == 0 { 2 } else { 4 << shift };
        let plane = |spot: Spot| (f64::from(spot.x), f64::from(spot.y));
        simplify(&self.shape, plane, f64::from(tolerance))
            .into_iter()
            .map(|spot| spot.shifted(shift))
            .collect()
    }
}

impl Features {
    pub(super) fn name(&self, feature: &Feature) -> Option<&str> {
        self.names
            .get(usize::try_from(feature.name?).ok()?)
            .map(String::as_str)
    }

    /// Returns the area of all features.
    pub(super) fn bounds(&self) -> Area {
        let mut area = Area {
            low: Spot {
                x: i32::MAX,
                y: i32::MAX,
            },
            high: Spot {
                x: i32::MIN,
                y: i32::MIN,
            },
        };
        for spot in self.all.iter().flat_map(|feature| &feature.shape) {
            area.low = Spot {
                x: area.low.x.min(spot.x),
                y: area.low.y.min(spot.y),
            };
            area.high = Spot {
                x: area.high.x.max(spot.x),
                y: area.high.y.max(spot.y),
            };
        }
        area
    }
}

/// A way of the first pass.
struct FoundWay {
    kind: Kind,
    name: Option<u32>,
    /// The index of its first node. Its nodes end where those of the next way begin.
    start: usize,
}

/// Reads the features in two passes, so only their nodes are held in memory.
pub(super) fn features<R: Read + Seek>(mut file: R) -> Result<Features, RoadsError> {
    let (mut ways, mut nodes, mut names) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut locations = Vec::new();
    let blocks = for_each_block(&mut file, |block| {
        block.ways(&KEYS, |way| {
            let start = nodes.len();
            for node in way.nodes() {
                nodes.push(node?);
            }
            let is_closed = nodes.len() - start > 3 && nodes.get(start) == nodes.last();
            let Some(kind) = Kind::of(&way.tags, is_closed).filter(|_| nodes.len() - start > 1)
            else {
                nodes.truncate(start);
                return Ok(());
            };
            locations.extend(way.locations()?);
            let name = way.tags.get("name").map(|name| {
                let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
                *names.entry(name.to_owned()).or_insert(next)
            });
            ways.push(FoundWay { kind, name, start });
            Ok(())
        })
    })?;
    if ways.is_empty() {
        return Err(RoadsError::NoRoads);
    }
    let mut ids: Vec<i64> = nodes.clone();
    ids.sort_unstable();
    ids.dedup();
    if nodes.len() > (u32::MAX / 16) as usize {
        return Err(RoadsError::TooLarge);
    }
    file.rewind()?;
    let (coords, _) = read_nodes(file, &ids, &blocks.with_nodes, locations)?;
    let spot = |id: &i64| Some(Spot::of((*coords.get(ids.binary_search(id).ok()?)?)?));
    let ends = ways
        .iter()
        .skip(1)
        .map(|way| way.start)
        .chain([nodes.len()]);
    let shapes = ways.iter().zip(ends).map(|(way, end)| {
        let nodes = nodes.get(way.start..end).unwrap_or_default();
        Feature {
            kind: way.kind,
            name: way.name,
            shape: nodes.iter().filter_map(spot).collect(),
        }
    });
    let all: Vec<Feature> = shapes.filter(|feature| feature.shape.len() > 1).collect();
    if all.is_empty() {
        return Err(RoadsError::NoRoads);
    }
    let mut sorted: Vec<(u32, String)> = names
        .into_iter()
        .map(|(name, number)| (number, name))
        .collect();
    sorted.sort_unstable();
    Ok(Features {
        all,
        names: sorted.into_iter().map(|(_, name)| name).collect(),
    })
}

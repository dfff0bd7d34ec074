//! The roads of an extract, before the network is built.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use crate::coord::Coord;
use crate::error::RoadsError;
use crate::pbf::{BlobKind, Blobs, Block, Bounds, DecodeError, header};
use crate::profile::{Obstacle, Road, obstacle, road};
use crate::restriction::{Restriction, Via, restrictions};

/// Roads with their nodes. Nodes and ways are renumbered from 0.
#[derive(Debug, Default)]
pub(crate) struct Extract {
    /// The coordinate of each node, or `None` if the node is outside the extract.
    pub(crate) coords: Vec<Option<Coord>>,
    pub(crate) obstacles: BTreeMap<u32, Obstacle>,
    pub(crate) ways: Vec<ExtractWay>,
    /// The nodes of all ways, concatenated.
    pub(crate) nodes: Vec<u32>,
    pub(crate) turns: Vec<ExtractTurn>,
    pub(crate) bounds: Option<Bounds>,
}

/// A way.
#[derive(Debug)]
pub(crate) struct ExtractWay {
    pub(crate) road: Road,
    /// The index of its first node. Its nodes end where those of the next way begin.
    pub(crate) start: usize,
}

/// A turn restriction between ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExtractTurn {
    pub(crate) from: u32,
    pub(crate) via: ExtractVia,
    pub(crate) to: u32,
    pub(crate) only: bool,
}

/// The node or way of a turn restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtractVia {
    Node(u32),
    Way(u32),
}

impl Extract {
    /// Returns the nodes of a way.
    pub(crate) fn nodes_of(&self, way: usize) -> &[u32] {
        let end = self
            .ways
            .get(way + 1)
            .map_or(self.nodes.len(), |next| next.start);
        self.ways
            .get(way)
            .and_then(|way| self.nodes.get(way.start..end))
            .unwrap_or_default()
    }
}

/// Reads an extract in two passes, so only the nodes of roads are held in memory.
pub(crate) fn read<R: Read + Seek>(mut file: R) -> Result<Extract, RoadsError> {
    let mut ways = FirstPass::read(&mut file)?;
    if ways.roads.is_empty() {
        return Err(RoadsError::NoRoads);
    }
    let mut ids = ways.nodes.clone();
    ids.sort_unstable();
    ids.dedup();
    // There are fewer than 16 segments, turns and coordinates per node.
    if ids.len().max(ways.nodes.len()) > (u32::MAX / 16) as usize {
        return Err(RoadsError::TooLarge);
    }
    file.rewind()?;
    let locations = std::mem::take(&mut ways.locations);
    let (coords, obstacles) = read_nodes(file, &ids, &ways.with_nodes, locations)?;
    let node = |id: i64| {
        ids.binary_search(&id)
            .ok()
            .and_then(|number| u32::try_from(number).ok())
    };
    let mut extract = Extract {
        coords,
        obstacles,
        bounds: ways.bounds,
        ..Extract::default()
    };
    extract.nodes = ways
        .nodes
        .iter()
        .map(|id| node(*id).unwrap_or(u32::MAX))
        .collect();
    let mut numbers: Vec<(i64, u32)> = ways.roads.iter().map(|road| road.0).zip(0..).collect();
    numbers.sort_unstable();
    let way = |id: i64| {
        let found = numbers.binary_search_by_key(&id, |entry| entry.0).ok()?;
        numbers.get(found).map(|entry| entry.1)
    };
    extract.turns = ways
        .restrictions
        .iter()
        .filter_map(|restriction| renumber(restriction, node, way))
        .collect();
    extract.ways = ways
        .roads
        .into_iter()
        .map(|(_, road, start)| ExtractWay { road, start })
        .collect();
    Ok(extract)
}

/// Renumbers a restriction. Returns `None` if a part of it is not a road of the extract.
fn renumber(
    restriction: &Restriction,
    node: impl Fn(i64) -> Option<u32>,
    way: impl Fn(i64) -> Option<u32>,
) -> Option<ExtractTurn> {
    let via = match restriction.via {
        Via::Node(id) => ExtractVia::Node(node(id)?),
        Via::Way(id) => ExtractVia::Way(way(id)?),
    };
    Some(ExtractTurn {
        from: way(restriction.from)?,
        via,
        to: way(restriction.to)?,
        only: restriction.only,
    })
}

/// The result of the first pass: roads, restrictions, and the blocks that contain nodes.
#[derive(Default)]
struct FirstPass {
    roads: Vec<(i64, Road, usize)>,
    nodes: Vec<i64>,
    /// The nodes whose locations are in ways.
    locations: Vec<(i64, Coord)>,
    restrictions: Vec<Restriction>,
    with_nodes: Vec<bool>,
    bounds: Option<Bounds>,
}

impl FirstPass {
    fn read(file: &mut impl Read) -> Result<FirstPass, RoadsError> {
        let mut found = FirstPass::default();
        let blocks = for_each_block(file, |block| found.add_block(block))?;
        Ok(FirstPass {
            with_nodes: blocks.with_nodes,
            bounds: blocks.bounds,
            ..found
        })
    }

    fn add_block(&mut self, block: &Block<'_>) -> Result<(), DecodeError> {
        block.ways(&["highway"], |way| {
            if let Some(road) = road(&way.tags) {
                self.roads.push((way.id, road, self.nodes.len()));
                for node in way.nodes() {
                    self.nodes.push(node?);
                }
                self.locations.extend(way.locations()?);
            }
            Ok(())
        })?;
        block.relations(|relation| self.restrictions.extend(restrictions(relation)))
    }
}

/// The blocks of a file: those with nodes, and the covered area.
pub(crate) struct Blocks {
    pub(crate) with_nodes: Vec<bool>,
    pub(crate) bounds: Option<Bounds>,
}

/// Reads a file and calls `each` for every block of elements.
pub(crate) fn for_each_block(
    file: &mut impl Read,
    mut each: impl FnMut(&Block<'_>) -> Result<(), DecodeError>,
) -> Result<Blocks, RoadsError> {
    let mut found = Blocks {
        with_nodes: Vec::new(),
        bounds: None,
    };
    let mut blobs = Blobs::new(file);
    while let Some((number, kind)) = blobs.read_next()? {
        if number == 0 && kind != BlobKind::Header {
            return Err(RoadsError::Damaged {
                block: 0,
                reason: "it is not the header of an extract",
            });
        }
        let mut with_nodes = false;
        match kind {
            BlobKind::Header => found.bounds = header(blobs.decompress()?, number)?.bounds,
            BlobKind::Data => {
                let error = RoadsError::in_block(number);
                let block = Block::new(blobs.decompress()?).map_err(&error)?;
                with_nodes = block.has_nodes();
                each(&block).map_err(&error)?;
            }
            BlobKind::Other => {}
        }
        found.with_nodes.push(with_nodes);
    }
    if found.with_nodes.is_empty() {
        return Err(RoadsError::Damaged {
            block: 0,
            reason: "the file is empty",
        });
    }
    Ok(found)
}

pub(crate) type Nodes = (Vec<Option<Coord>>, BTreeMap<u32, Obstacle>);

/// Performs the second pass: reads the coordinates and obstacles of the roads' nodes. `locations`
/// has nodes that ways contain themselves, which the file may lack otherwise.
pub(crate) fn read_nodes(
    file: impl Read,
    ids: &[i64],
    with_nodes: &[bool],
    locations: Vec<(i64, Coord)>,
) -> Result<Nodes, RoadsError> {
    let mut coords = vec![None; ids.len()];
    let mut obstacles = BTreeMap::new();
    let mut blobs = Blobs::new(file);
    let mut next = 0;
    while let Some((number, _)) = blobs.read_next()? {
        let has_nodes = usize::try_from(number)
            .ok()
            .and_then(|number| with_nodes.get(number));
        if !has_nodes.copied().unwrap_or(false) {
            continue;
        }
        let error = RoadsError::in_block(number);
        let block = Block::new(blobs.decompress()?).map_err(&error)?;
        block
            .nodes(
                |id| find_id(ids, &mut next, id),
                |known, coord, tags| {
                    coords[known] = Some(coord);
                    if let (Some(obstacle), Ok(known)) = (obstacle(tags), u32::try_from(known)) {
                        obstacles.insert(known, obstacle);
                    }
                },
            )
            .map_err(&error)?;
    }
    for (id, coord) in locations {
        if let Ok(index) = ids.binary_search(&id) {
            coords[index].get_or_insert(coord);
        }
    }
    Ok((coords, obstacles))
}

/// Finds an ID in a sorted list. Fast if IDs are looked up in ascending order, which is the order
/// of extracts.
pub(crate) fn find_id(ids: &[i64], next: &mut usize, id: i64) -> Option<usize> {
    if *next > 0 && ids.get(*next - 1).is_some_and(|last| *last >= id) {
        *next = ids.partition_point(|known| *known < id);
    }
    while ids.get(*next).is_some_and(|known| *known < id) {
        *next += 1;
    }
    ids.get(*next).filter(|known| **known == id).map(|_| *next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_id_finds_ids_in_any_order() {
        let (ids, mut next) = ([2, 5, 9], 0);
        let found: Vec<_> = [1, 2, 5, 6, 9, 10, 5, 5, 2, 9]
            .map(|id| find_id(&ids, &mut next, id))
            .into();
        let numbers = [
            None,
            Some(0),
            Some(1),
            None,
            Some(2),
            None,
            Some(1),
            Some(1),
            Some(0),
            Some(2),
        ];
        assert_eq!(found, numbers);
    }
}

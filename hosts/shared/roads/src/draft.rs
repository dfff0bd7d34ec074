//! What an extract says of roads, before it becomes a network.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use crate::error::RoadsError;
use crate::pbf::{Blobs, Block, Bounds, Kind, header};
use crate::place::Place;
use crate::profile::{Obstacle, Road, obstacle, road};
use crate::restriction::{Restriction, Via, restrictions};

/// Roads with their nodes; nodes and ways are numbered from 0 here.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// For each node its place, or `None` where the extract was cut.
    pub(crate) places: Vec<Option<Place>>,
    pub(crate) obstacles: BTreeMap<u32, Obstacle>,
    pub(crate) ways: Vec<DraftWay>,
    /// The nodes of all ways, end to end.
    pub(crate) nodes: Vec<u32>,
    pub(crate) turns: Vec<DraftTurn>,
    pub(crate) bounds: Option<Bounds>,
}

/// One way.
#[derive(Debug)]
pub(crate) struct DraftWay {
    pub(crate) road: Road,
    /// Where its nodes begin; they end where the next way's begin.
    pub(crate) start: usize,
}

/// A restricted turn between ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DraftTurn {
    pub(crate) from: u32,
    pub(crate) via: DraftVia,
    pub(crate) to: u32,
    pub(crate) only: bool,
}

/// Where it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftVia {
    Node(u32),
    Way(u32),
}

impl Draft {
    /// The nodes of a way.
    pub(crate) fn nodes_of(&self, way: usize) -> &[u32] {
        let end = self.ways.get(way + 1).map_or(self.nodes.len(), |next| next.start);
        self.ways.get(way).and_then(|way| self.nodes.get(way.start..end)).unwrap_or_default()
    }
}

/// Reads an extract in two passes, so that memory is needed for the nodes of roads alone.
pub(crate) fn read<R: Read + Seek>(mut file: R) -> Result<Draft, RoadsError> {
    let ways = Ways::read(&mut file)?;
    if ways.roads.is_empty() {
        return Err(RoadsError::NoRoads);
    }
    let mut ids = ways.nodes.clone();
    ids.sort_unstable();
    ids.dedup();
    // Stretches, turns and shapes stay well below 16 times the nodes.
    if ids.len().max(ways.nodes.len()) > (u32::MAX / 16) as usize {
        return Err(RoadsError::TooLarge);
    }
    file.rewind()?;
    let (places, obstacles) = read_nodes(file, &ids, &ways.with_nodes)?;
    let node = |id: i64| ids.binary_search(&id).ok().and_then(|number| u32::try_from(number).ok());
    let mut draft = Draft { places, obstacles, bounds: ways.bounds, ..Draft::default() };
    draft.nodes = ways.nodes.iter().map(|id| node(*id).unwrap_or(u32::MAX)).collect();
    let mut numbers: Vec<(i64, u32)> = ways.roads.iter().map(|road| road.0).zip(0..).collect();
    numbers.sort_unstable();
    let way = |id: i64| {
        let found = numbers.binary_search_by_key(&id, |entry| entry.0).ok()?;
        numbers.get(found).map(|entry| entry.1)
    };
    draft.turns = ways.restrictions.iter().filter_map(|one| turn(one, node, way)).collect();
    draft.ways = ways.roads.into_iter().map(|(_, road, start)| DraftWay { road, start }).collect();
    Ok(draft)
}

/// A restriction with numbers in place of ids; `None` where a part of it is no road of the extract.
fn turn(one: &Restriction, node: impl Fn(i64) -> Option<u32>, way: impl Fn(i64) -> Option<u32>) -> Option<DraftTurn> {
    let via = match one.via {
        Via::Node(id) => DraftVia::Node(node(id)?),
        Via::Way(id) => DraftVia::Way(way(id)?),
    };
    Some(DraftTurn { from: way(one.from)?, via, to: way(one.to)?, only: one.only })
}

/// The first pass: roads, restrictions, and which blocks hold nodes.
#[derive(Default)]
struct Ways {
    roads: Vec<(i64, Road, usize)>,
    nodes: Vec<i64>,
    restrictions: Vec<Restriction>,
    with_nodes: Vec<bool>,
    bounds: Option<Bounds>,
}

impl Ways {
    fn read(file: &mut impl Read) -> Result<Ways, RoadsError> {
        let mut found = Ways::default();
        let mut blobs = Blobs::new(file);
        while let Some((number, kind)) = blobs.advance()? {
            if number == 0 && kind != Kind::Header {
                return Err(RoadsError::Damaged { block: 0, what: "it is not the header of an extract" });
            }
            let mut with_nodes = false;
            match kind {
                Kind::Header => found.bounds = header(blobs.unpack()?, number)?,
                Kind::Data => {
                    let error = RoadsError::in_block(number);
                    let block = Block::new(blobs.unpack()?).map_err(&error)?;
                    with_nodes = block.has_nodes();
                    found.take(&block).map_err(&error)?;
                }
                Kind::Other => {}
            }
            found.with_nodes.push(with_nodes);
        }
        if found.with_nodes.is_empty() {
            return Err(RoadsError::Damaged { block: 0, what: "the file is empty" });
        }
        Ok(found)
    }

    fn take(&mut self, block: &Block<'_>) -> Result<(), crate::pbf::Malformed> {
        block.ways("highway", |way| {
            if let Some(road) = road(&way.tags) {
                self.roads.push((way.id, road, self.nodes.len()));
                for node in way.nodes() {
                    self.nodes.push(node?);
                }
            }
            Ok(())
        })?;
        block.relations(|relation| self.restrictions.extend(restrictions(relation)))
    }
}

type Nodes = (Vec<Option<Place>>, BTreeMap<u32, Obstacle>);

/// The second pass: where the roads' nodes are.
fn read_nodes(file: impl Read, ids: &[i64], with_nodes: &[bool]) -> Result<Nodes, RoadsError> {
    let mut places = vec![None; ids.len()];
    let mut obstacles = BTreeMap::new();
    let mut blobs = Blobs::new(file);
    let mut next = 0;
    while let Some((number, _)) = blobs.advance()? {
        let wanted = usize::try_from(number).ok().and_then(|number| with_nodes.get(number));
        if !wanted.copied().unwrap_or(false) {
            continue;
        }
        let error = RoadsError::in_block(number);
        let block = Block::new(blobs.unpack()?).map_err(&error)?;
        block
            .nodes(
                |id| find(ids, &mut next, id),
                |known, place, tags| {
                    places[known] = Some(place);
                    if let (Some(obstacle), Ok(known)) = (obstacle(tags), u32::try_from(known)) {
                        obstacles.insert(known, obstacle);
                    }
                },
            )
            .map_err(&error)?;
    }
    Ok((places, obstacles))
}

/// Looks an id up in a sorted list, quickly where ids are asked for in ascending order, as files are sorted.
fn find(ids: &[i64], next: &mut usize, id: i64) -> Option<usize> {
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
    fn ids_are_found_in_any_order() {
        let (ids, mut next) = ([2, 5, 9], 0);
        let found: Vec<_> = [1, 2, 5, 6, 9, 10, 5, 5, 2, 9].map(|id| find(&ids, &mut next, id)).into();
        let numbers = [None, Some(0), Some(1), None, Some(2), None, Some(1), Some(1), Some(0), Some(2)];
        assert_eq!(found, numbers);
    }
}

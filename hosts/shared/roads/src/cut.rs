//! Cuts an extract to the roads of an area: a smaller `.osm.pbf` file with which a server needs
//! less memory.
//!
//! The file contains every road for cars with a node in one of the boxes, complete with its nodes,
//! and the turn restrictions of these roads, with their tags. The memory of a cut is 8 bytes per
//! node of the extract in the boxes, 8 bytes per node of the written roads, and the compressed
//! ways; it does not depend on the size of the extract.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use despacho_core::model::Point;

use crate::coord::Coord;
use crate::error::RoadsError;
use crate::extract::find_id;
use crate::pbf::{
    BlobKind, Blobs, Block, Bounds, DecodeError, Group, Header, Relation, Tags, Way, header,
    write_header,
};
use crate::profile::road;

/// The number of times that the extract is read.
const PASSES: u64 = 3;

/// A box: its south-western and its north-eastern corner.
pub type Area = (Point, Point);

/// The contents of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutReport {
    /// Ways.
    pub ways: u64,
    /// Nodes of these ways.
    pub nodes: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
}

/// Writes the roads of the boxes to a new file. `on_progress` receives the bytes that were read and
/// their total.
///
/// # Errors
/// The extract cannot be used or has no roads in the boxes, or the file cannot be written; it is
/// then incomplete.
pub fn cut(
    extract: &Path,
    output: &Path,
    boxes: &[Area],
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<CutReport, RoadsError> {
    let file = File::open(extract)?;
    let total = file.metadata()?.len() * PASSES;
    let source = Counted {
        file,
        bytes: 0,
        total,
        on_progress,
    };
    let file = File::create(output).map_err(RoadsError::Write)?;
    let synced = file.try_clone().map_err(RoadsError::Write)?;
    let report = cut_from(
        BufReader::with_capacity(1 << 20, source),
        BufWriter::new(file),
        boxes,
    )?;
    synced.sync_all().map_err(RoadsError::Write)?;
    Ok(CutReport {
        bytes: synced.metadata().map_err(RoadsError::Write)?.len(),
        ..report
    })
}

/// A file that reports the bytes that were read.
struct Counted<'a> {
    file: File,
    bytes: u64,
    total: u64,
    on_progress: &'a mut dyn FnMut(u64, u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bytes += read as u64;
        (self.on_progress)(self.bytes, self.total);
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The kinds of elements in a block.
#[derive(Clone, Copy, Default)]
struct Kinds {
    nodes: bool,
    ways: bool,
    relations: bool,
}

fn cut_from(
    mut source: impl Read + Seek,
    mut output: impl Write,
    boxes: &[Area],
) -> Result<CutReport, RoadsError> {
    let boxes: Vec<Bounds> = boxes
        .iter()
        .map(|(low, high)| Bounds {
            low: Coord::from_point(*low),
            high: Coord::from_point(*high),
        })
        .collect();
    let (blocks, inside, stated) = nodes_inside(&mut source, &boxes)?;
    source.rewind()?;
    let roads = Ways::read(&mut source, &blocks, &inside)?;
    drop(inside);
    if roads.ids.is_empty() {
        return Err(RoadsError::NoRoads);
    }
    source.rewind()?;
    write_header(&mut output, hull(&boxes, stated)).map_err(RoadsError::Write)?;
    let (nodes, restrictions) = write_nodes(&mut source, &mut output, &blocks, &roads)?;
    for part in [&roads.blobs, &restrictions] {
        output.write_all(part).map_err(RoadsError::Write)?;
    }
    output.flush().map_err(RoadsError::Write)?;
    Ok(CutReport {
        ways: roads.ids.len() as u64,
        nodes,
        bytes: 0,
    })
}

/// Returns the smallest box around all boxes, within the area that the extract states.
fn hull(boxes: &[Bounds], stated: Option<Bounds>) -> Option<Bounds> {
    let around = boxes.iter().copied().reduce(|one, other| Bounds {
        low: Coord {
            lat: one.low.lat.min(other.low.lat),
            lon: one.low.lon.min(other.low.lon),
        },
        high: Coord {
            lat: one.high.lat.max(other.high.lat),
            lon: one.high.lon.max(other.high.lon),
        },
    })?;
    let Some(stated) = stated else {
        return Some(around);
    };
    Some(Bounds {
        low: Coord {
            lat: around.low.lat.max(stated.low.lat),
            lon: around.low.lon.max(stated.low.lon),
        },
        high: Coord {
            lat: around.high.lat.min(stated.high.lat),
            lon: around.high.lon.min(stated.high.lon),
        },
    })
}

/// The result of the first pass: the kinds of each block, the sorted nodes in the boxes, and the
/// area that the extract states.
type Inside = (Vec<Kinds>, Vec<i64>, Option<Bounds>);

fn nodes_inside(source: &mut impl Read, boxes: &[Bounds]) -> Result<Inside, RoadsError> {
    let (mut blocks, mut inside, mut stated) = (Vec::new(), Vec::new(), Header::default());
    let mut blobs = Blobs::new(source);
    while let Some((number, kind)) = blobs.read_next()? {
        if number == 0 && kind != BlobKind::Header {
            return Err(RoadsError::Damaged {
                block: 0,
                reason: "it is not the header of an extract",
            });
        }
        let mut kinds = Kinds::default();
        match kind {
            BlobKind::Header => stated = header(blobs.decompress()?, number)?,
            BlobKind::Data => {
                let error = RoadsError::in_block(number);
                let block = Block::new(blobs.decompress()?).map_err(&error)?;
                kinds = Kinds {
                    nodes: block.has_nodes(),
                    ways: block.has_ways(),
                    relations: block.has_relations(),
                };
                let last = Cell::new(0);
                let mut add = |coord| {
                    if boxes.iter().any(|one| one.contains(coord)) {
                        inside.push(last.get());
                    }
                };
                block
                    .nodes(
                        |id| {
                            last.set(id);
                            Some(0)
                        },
                        |_, coord, _| add(coord),
                    )
                    .map_err(&error)?;
                if stated.has_locations {
                    let add =
                        |(id, coord)| boxes.iter().any(|one| one.contains(coord)).then_some(id);
                    let each = |way: &Way<'_>| {
                        inside.extend(way.locations()?.into_iter().filter_map(add));
                        Ok(())
                    };
                    block.ways(&["highway"], each).map_err(&error)?;
                }
            }
            BlobKind::Other => {}
        }
        blocks.push(kinds);
    }
    if blocks.is_empty() {
        return Err(RoadsError::Damaged {
            block: 0,
            reason: "the file is empty",
        });
    }
    inside.sort_unstable();
    inside.dedup();
    Ok((blocks, inside, stated.bounds))
}

/// Calls `each` for the selected blocks.
fn for_each_selected(
    source: &mut impl Read,
    blocks: &[Kinds],
    is_selected: impl Fn(&Kinds) -> bool,
    mut each: impl FnMut(&Block<'_>) -> Result<(), CutError>,
) -> Result<(), RoadsError> {
    let mut blobs = Blobs::new(source);
    while let Some((number, _)) = blobs.read_next()? {
        let kinds = usize::try_from(number)
            .ok()
            .and_then(|number| blocks.get(number));
        if kinds.is_some_and(&is_selected) {
            let error = RoadsError::in_block(number);
            let block = Block::new(blobs.decompress()?).map_err(&error)?;
            each(&block).map_err(|failed| match failed {
                CutError::Decode(decode) => error(decode),
                CutError::Write(write) => RoadsError::Write(write),
            })?;
        }
    }
    Ok(())
}

/// The error of a block.
enum CutError {
    Decode(DecodeError),
    Write(io::Error),
}

impl From<DecodeError> for CutError {
    fn from(error: DecodeError) -> CutError {
        CutError::Decode(error)
    }
}

/// The result of the second pass: the roads of the boxes.
struct Ways {
    /// Sorted IDs of the ways.
    ids: Vec<i64>,
    /// Sorted IDs of their nodes.
    nodes: Vec<i64>,
    /// The nodes whose locations are in ways.
    locations: Vec<(i64, Coord)>,
    /// The encoded ways.
    blobs: Vec<u8>,
}

impl Ways {
    fn read(source: &mut impl Read, blocks: &[Kinds], inside: &[i64]) -> Result<Ways, RoadsError> {
        let (mut ids, mut nodes, mut group) = (Vec::new(), Vec::new(), Group::new(Vec::new()));
        let mut locations = Vec::new();
        for_each_selected(
            source,
            blocks,
            |kinds| kinds.ways,
            |block| {
                let mut written = Ok(());
                block.ways(&["highway"], |way| {
                    if written.is_err() || road(&way.tags).is_none() {
                        return Ok(());
                    }
                    let own = way.nodes().collect::<Result<Vec<i64>, DecodeError>>()?;
                    if own.iter().any(|node| inside.binary_search(node).is_ok()) {
                        ids.push(way.id);
                        nodes.extend_from_slice(&own);
                        locations.extend(way.locations()?);
                        written = group.way(way.id, &own, &way.tags);
                    }
                    Ok(())
                })?;
                written.map_err(CutError::Write)
            },
        )?;
        ids.sort_unstable();
        nodes.sort_unstable();
        nodes.dedup();
        locations.sort_unstable();
        locations.dedup_by_key(|location| location.0);
        Ok(Ways {
            ids,
            nodes,
            locations,
            blobs: group.finish().map_err(RoadsError::Write)?,
        })
    }

    /// Returns whether a relation is a turn restriction of one of the roads.
    fn has_restriction(&self, relation: &Relation<'_>) -> bool {
        let is_restriction = relation
            .tags
            .get("type")
            .is_some_and(|kind| kind.starts_with("restriction"));
        is_restriction
            && relation.members.iter().any(|(member, _)| match member {
                crate::pbf::Member::Way(id) => self.ids.binary_search(id).is_ok(),
                _ => false,
            })
    }
}

/// Performs the third pass: writes the nodes of the roads, and returns their number and the encoded
/// turn restrictions.
fn write_nodes(
    source: &mut impl Read,
    output: &mut impl Write,
    blocks: &[Kinds],
    roads: &Ways,
) -> Result<(u64, Vec<u8>), RoadsError> {
    let (mut nodes, mut relations) = (Group::new(output), Group::new(Vec::new()));
    let (mut next, mut count) = (0, 0);
    // Only locations in ways need to know which nodes the file has.
    let mut is_written = vec![
        false;
        if roads.locations.is_empty() {
            0
        } else {
            roads.nodes.len()
        }
    ];
    for_each_selected(
        source,
        blocks,
        |kinds| kinds.nodes || kinds.relations,
        |block| {
            let mut written = Ok(());
            block.nodes(
                |id| find_id(&roads.nodes, &mut next, id),
                |index, coord, tags| {
                    if let (Ok(()), Some(id)) = (&written, roads.nodes.get(index)) {
                        count += 1;
                        written = nodes.node(*id, coord, tags);
                        is_written
                            .get_mut(index)
                            .into_iter()
                            .for_each(|is_written| *is_written = true);
                    }
                },
            )?;
            block.relations(|relation| {
                if written.is_ok() && roads.has_restriction(relation) {
                    written = relations.relation(relation);
                }
            })?;
            written.map_err(CutError::Write)
        },
    )?;
    for (id, coord) in &roads.locations {
        if roads
            .nodes
            .binary_search(id)
            .is_ok_and(|index| !is_written[index])
        {
            count += 1;
            nodes
                .node(*id, *coord, &Tags::new(Vec::new()))
                .map_err(RoadsError::Write)?;
        }
    }
    nodes.finish().map_err(RoadsError::Write)?;
    Ok((count, relations.finish().map_err(RoadsError::Write)?))
}

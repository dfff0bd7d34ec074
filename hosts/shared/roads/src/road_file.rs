//! Road files: a contracted network that is written once, because reading and contracting the
//! extract of a state takes minutes.
//!
//! A file is a header and the parts of the network, in the order of [`PARTS`], as little-endian
//! words of 32 bits. The header is [`MAGIC`], the version of the format, the number of records and
//! the CRC-32 of each part, and the CRC-32 of all that.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISO_HDLC, Crc, Table};

use crate::component::Component;
use crate::coord::Coord;
use crate::cost::{Cost, NONE, SegmentGeometry, whole_number};
use crate::error::RoadsError;
use crate::grid::Grid;
use crate::hierarchy::{Arcs, Hierarchy, PackedArc};
use crate::network::{DirectedEdge, NextEdge, Roads};
use crate::pbf::Bounds;

/// The first bytes. An extract begins with a length below 2²⁴.
const MAGIC: [u8; 8] = *b"DSPROADS";
/// The version of the format.
const VERSION: u32 = 3;
/// The earlier version, which has all parts except the last two: it contains one component only.
const ONE_COMPONENT: u32 = 2;
/// The parts of a file, with the words of a record.
const PARTS: [(&str, usize); 19] = [
    ("summary", 1),
    ("edges", 4),
    ("turns", 2),
    ("ranks", 1),
    ("starts of forward arcs", 1),
    ("forward arcs", 3),
    ("large costs of forward arcs", 3),
    ("starts of backward arcs", 1),
    ("backward arcs", 3),
    ("large costs of backward arcs", 3),
    ("segments", 3),
    ("shapes", 2),
    ("cells", 1),
    ("segments of cells", 1),
    ("copies", 2),
    ("edges without points", 2),
    ("shapes without points", 2),
    ("components of edges", 1),
    ("components", 7),
];

/// Returns the parts of a version's files; `None` if it is unknown.
fn parts_of(version: u32) -> Option<&'static [(&'static str, usize)]> {
    match version {
        VERSION => Some(&PARTS),
        ONE_COMPONENT => PARTS.split_last_chunk::<2>().map(|(parts, _)| parts),
        _ => None,
    }
}

/// Returns the length of a header: magic, version, records and checksum of each part, checksum.
const fn header_length(parts: usize) -> usize {
    8 + 4 + parts * 12 + 4
}

/// The checksum, with the tables that make it the fastest.
static CHECKSUM: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
/// Records that are converted at once.
const CHUNK: usize = 1 << 14;

/// A part's record as words.
trait Record<const WORDS: usize>: Sized {
    fn words(&self) -> [u32; WORDS];
    fn of(words: [u32; WORDS]) -> Self;
}

impl Record<1> for u32 {
    fn words(&self) -> [u32; 1] {
        [*self]
    }

    fn of([word]: [u32; 1]) -> u32 {
        word
    }
}

impl Record<2> for (u32, u32) {
    fn words(&self) -> [u32; 2] {
        [self.0, self.1]
    }

    fn of([first, second]: [u32; 2]) -> (u32, u32) {
        (first, second)
    }
}

impl Record<2> for Coord {
    fn words(&self) -> [u32; 2] {
        [self.lat.cast_unsigned(), self.lon.cast_unsigned()]
    }

    fn of([lat, lon]: [u32; 2]) -> Coord {
        Coord {
            lat: lat.cast_signed(),
            lon: lon.cast_signed(),
        }
    }
}

impl Record<2> for NextEdge {
    fn words(&self) -> [u32; 2] {
        [self.to, self.cost]
    }

    fn of([to, cost]: [u32; 2]) -> NextEdge {
        NextEdge { to, cost }
    }
}

impl Record<3> for SegmentGeometry {
    fn words(&self) -> [u32; 3] {
        [self.shape, self.edges[0], self.edges[1]]
    }

    fn of([shape, forward, backward]: [u32; 3]) -> SegmentGeometry {
        SegmentGeometry {
            shape,
            edges: [forward, backward],
        }
    }
}

impl Record<4> for DirectedEdge {
    fn words(&self) -> [u32; 4] {
        [self.cost.weight, self.cost.ms, self.cost.cm, self.turns]
    }

    fn of([weight, ms, cm, turns]: [u32; 4]) -> DirectedEdge {
        DirectedEdge {
            cost: Cost { weight, ms, cm },
            turns,
        }
    }
}

impl Record<3> for PackedArc {
    fn words(&self) -> [u32; 3] {
        [self.to, self.first, self.second]
    }

    fn of([to, first, second]: [u32; 3]) -> PackedArc {
        PackedArc { to, first, second }
    }
}

impl Record<7> for Component {
    fn words(&self) -> [u32; 7] {
        let ([south, west], [north, east]) = (self.low.words(), self.high.words());
        [
            self.group,
            self.edges,
            self.metres,
            south,
            west,
            north,
            east,
        ]
    }

    fn of([group, edges, metres, south, west, north, east]: [u32; 7]) -> Component {
        Component {
            group,
            edges,
            metres,
            low: Coord::of([south, west]),
            high: Coord::of([north, east]),
        }
    }
}

impl Record<3> for Cost {
    fn words(&self) -> [u32; 3] {
        [self.weight, self.ms, self.cm]
    }

    fn of([weight, ms, cm]: [u32; 3]) -> Cost {
        Cost { weight, ms, cm }
    }
}

impl Roads {
    /// Writes a road file, which [`Roads::load`] reads many times faster than an extract. The file
    /// gets its name only when it is complete and on the disk.
    ///
    /// # Errors
    /// The file cannot be written. Nothing remains of it, and an existing file of that name is
    /// unchanged.
    pub fn save(&self, path: &Path) -> Result<(), RoadsError> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let written = self
            .write_to(&partial)
            .and_then(|()| fs::rename(&partial, path));
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let flushed = written.and_then(|()| File::open(folder)?.sync_all());
        flushed.map_err(|error| {
            // It does not exist if it could not be created, or was renamed.
            let _ = fs::remove_file(&partial);
            RoadsError::Write(error)
        })
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file = File::create(path)?;
        let mut writer = Writer {
            out: BufWriter::with_capacity(1 << 20, &mut file),
            records: Vec::new(),
        };
        writer.out.write_all(&[0; header_length(PARTS.len())])?;
        writer.part(&self.summary())?;
        writer.part(&self.edges)?;
        writer.part(&self.turns)?;
        writer.part(&self.hierarchy.ranks)?;
        for arcs in [&self.hierarchy.forward, &self.hierarchy.backward] {
            writer.part(&arcs.starts)?;
            writer.part(&arcs.arcs)?;
            writer.part(&arcs.large)?;
        }
        writer.part(&self.geometries)?;
        writer.part(&self.shapes)?;
        writer.part(&self.grid.starts)?;
        writer.part(&self.grid.segments)?;
        writer.part(&self.copies)?;
        writer.part(&self.unsnapped)?;
        writer.part(&self.unsnapped_shapes)?;
        writer.part(&self.component_of)?;
        writer.part(&self.components)?;
        let header = header(&writer.records);
        writer.out.flush()?;
        drop(writer);
        file.rewind()?;
        file.write_all(&header)?;
        file.sync_all()
    }

    /// Returns the area and the dimensions of the grid.
    fn summary(&self) -> Vec<u32> {
        let bounds = self
            .bounds
            .map_or([Coord::default(); 2], |bounds| [bounds.low, bounds.high]);
        let corners = [bounds[0], bounds[1], self.grid.low, self.grid.high];
        let halves = |number: i64| {
            let bytes = number.to_le_bytes();
            let (low, high) = bytes.split_at(4);
            [low, high].map(|half| {
                half.iter()
                    .rev()
                    .fold(0, |word, byte| word << 8 | u32::from(*byte))
            })
        };
        let dimensions = [self.grid.cell, self.grid.rows, self.grid.columns];
        std::iter::once(u32::from(self.bounds.is_some()))
            .chain(corners.iter().flat_map(Record::words))
            .chain(dimensions.into_iter().flat_map(halves))
            .collect()
    }
}

struct Writer<W> {
    out: W,
    /// The number of records and the checksum of each part.
    records: Vec<(u64, u32)>,
}

impl<W: Write> Writer<W> {
    fn part<const WORDS: usize, R: Record<WORDS>>(&mut self, records: &[R]) -> io::Result<()> {
        let (mut hasher, mut bytes) = (CHECKSUM.digest(), Vec::with_capacity(CHUNK * WORDS * 4));
        for chunk in records.chunks(CHUNK) {
            bytes.clear();
            chunk.iter().for_each(|record| {
                bytes.extend(record.words().iter().flat_map(|word| word.to_le_bytes()))
            });
            hasher.update(&bytes);
            self.out.write_all(&bytes)?;
        }
        self.records.push((records.len() as u64, hasher.finalize()));
        Ok(())
    }
}

fn header(parts: &[(u64, u32)]) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    for (records, checksum) in parts {
        header.extend(records.to_le_bytes());
        header.extend(checksum.to_le_bytes());
    }
    header.extend(CHECKSUM.checksum(&header).to_le_bytes());
    header
}

/// Returns whether the source is a road file, and leaves it at its start.
pub(crate) fn is_road_file(source: &mut (impl Read + Seek)) -> io::Result<bool> {
    let mut start = Vec::new();
    source
        .by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut start)?;
    source.rewind()?;
    Ok(start == MAGIC)
}

/// Reads a road file.
pub(crate) fn read(mut source: impl Read + Seek) -> Result<Roads, RoadsError> {
    let length = source.seek(SeekFrom::End(0))?;
    source.rewind()?;
    let (version, parts) = parts(&mut source, length)?;
    let is_outdated = version != VERSION;
    let mut reader = Reader {
        parts: parts.into_iter(),
        source,
    };
    let summary = reader.part::<1, u32>()?;
    let edges = reader.part()?;
    let turns = reader.part()?;
    let ranks = reader.part()?;
    let forward = Arcs {
        starts: reader.part()?,
        arcs: reader.part()?,
        large: reader.part()?,
    };
    let backward = Arcs {
        starts: reader.part()?,
        arcs: reader.part()?,
        large: reader.part()?,
    };
    let (geometries, shapes) = (reader.part()?, reader.part()?);
    let mut grid = Grid {
        starts: reader.part()?,
        segments: reader.part()?,
        ..Grid::default()
    };
    let (copies, unsnapped, unsnapped_shapes) = (reader.part()?, reader.part()?, reader.part()?);
    let bounds = read_summary(&summary, &mut grid)
        .ok_or_else(|| damaged("summary", "its length is invalid"))?;
    let (component_of, components) = (reader.part()?, reader.part()?);
    let hierarchy = Hierarchy {
        ranks,
        forward,
        backward,
    };
    let mut roads = Roads {
        edges,
        turns,
        hierarchy,
        geometries,
        shapes,
        grid,
        bounds,
        copies,
        unsnapped,
        unsnapped_shapes,
        component_of,
        components,
        is_outdated,
    };
    if is_outdated {
        roads.set_one_component();
    }
    roads.check()?;
    Ok(roads)
}

impl Roads {
    /// Makes all edges one component, as in files of the earlier format.
    fn set_one_component(&mut self) {
        let edges = self.edges.len().saturating_sub(1);
        let ends = self
            .geometries
            .iter()
            .skip(1)
            .map(|next| next.shape as usize)
            .chain([self.shapes.len()]);
        let lines = self.geometries.iter().zip(ends);
        let lines =
            lines.filter_map(|(geometry, end)| self.shapes.get(geometry.shape as usize..end));
        let metres = lines
            .flat_map(|line| line.windows(2))
            .map(|ends| ends[0].metres_to(ends[1]))
            .sum();
        let (low, high) = self.grid.corners();
        let edges_of_all = u32::try_from(edges).unwrap_or(NONE);
        self.components = vec![Component {
            group: 0,
            edges: edges_of_all,
            metres: whole_number(metres),
            low,
            high,
        }];
        self.component_of = vec![0; edges];
    }
}

/// The name, the records and the checksum of a part.
type Part = (&'static str, usize, u32);

/// Reads the header, and returns the version and the parts.
fn parts(source: &mut impl Read, length: u64) -> Result<(u32, Vec<Part>), RoadsError> {
    let mut start = Vec::new();
    source
        .by_ref()
        .take((MAGIC.len() + 4) as u64)
        .read_to_end(&mut start)?;
    let version = start
        .last_chunk()
        .filter(|_| start.len() == MAGIC.len() + 4)
        .copied()
        .map(u32::from_le_bytes);
    let version = version.ok_or_else(|| damaged("header", "it is truncated"))?;
    // An unknown version can have a header of another length.
    let names = parts_of(version).ok_or(RoadsError::RoadFileVersion {
        found: version,
        supported: VERSION,
    })?;
    let header = header_length(names.len());
    source
        .take((header - start.len()) as u64)
        .read_to_end(&mut start)?;
    let word = |at: usize| {
        start
            .get(at..at + 4)
            .and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)))
    };
    let checked = start
        .get(..header - 4)
        .map(|bytes| CHECKSUM.checksum(bytes));
    if checked.is_none() || checked != word(header - 4) {
        return Err(damaged("header", "it is truncated or was altered"));
    }
    let mut parts = Vec::with_capacity(names.len());
    let mut end = header as u64;
    for (index, (name, words)) in names.iter().enumerate() {
        let at = MAGIC.len() + 4 + index * 12;
        let (low, high, checksum) = (word(at), word(at + 4), word(at + 8));
        let count = u64::from(low.unwrap_or_default()) | u64::from(high.unwrap_or_default()) << 32;
        let bytes = count.checked_mul(*words as u64 * 4);
        end = bytes
            .and_then(|bytes| end.checked_add(bytes))
            .ok_or_else(|| damaged(name, "its length is invalid"))?;
        let records = usize::try_from(count).map_err(|_| RoadsError::TooLarge)?;
        parts.push((*name, records, checksum.unwrap_or_default()));
    }
    match length {
        _ if length < end => Err(damaged("file", "it is truncated")),
        _ if length > end => Err(damaged("file", "other bytes follow it")),
        _ => Ok((version, parts)),
    }
}

fn damaged(part: &'static str, reason: &'static str) -> RoadsError {
    RoadsError::DamagedRoadFile { part, reason }
}

struct Reader<R> {
    source: R,
    parts: std::vec::IntoIter<(&'static str, usize, u32)>,
}

impl<R: Read> Reader<R> {
    fn part<const WORDS: usize, T: Record<WORDS>>(&mut self) -> Result<Vec<T>, RoadsError> {
        let Some((name, count, checksum)) = self.parts.next() else {
            return Ok(Vec::new());
        };
        let mut records = Vec::new();
        records
            .try_reserve_exact(count)
            .map_err(|_| RoadsError::Memory {
                bytes: count.saturating_mul(size_of::<T>()),
            })?;
        let (mut hasher, mut bytes) = (CHECKSUM.digest(), vec![0; CHUNK.min(count) * WORDS * 4]);
        while records.len() < count {
            bytes.truncate((count - records.len()).min(CHUNK) * WORDS * 4);
            self.source.read_exact(&mut bytes)?;
            hasher.update(&bytes);
            let (words, _) = bytes.as_chunks::<4>();
            let (chunk, _) = words.as_chunks::<WORDS>();
            records.extend(
                chunk
                    .iter()
                    .map(|words| T::of(words.map(u32::from_le_bytes))),
            );
        }
        if hasher.finalize() == checksum {
            Ok(records)
        } else {
            Err(damaged(name, "it was altered"))
        }
    }
}

/// Sets the dimensions of the grid, and returns the bounds of the extract; `None` if the length is
/// invalid.
fn read_summary(words: &[u32], grid: &mut Grid) -> Option<Option<Bounds>> {
    let words: [u32; 15] = words.try_into().ok()?;
    let coord = |at: usize| Coord::of([words[at], words[at + 1]]);
    let number = |at: usize| (u64::from(words[at]) | u64::from(words[at + 1]) << 32).cast_signed();
    (grid.low, grid.high) = (coord(5), coord(7));
    (grid.cell, grid.rows, grid.columns) = (number(9), number(11), number(13));
    Some((words[0] == 1).then(|| Bounds {
        low: coord(1),
        high: coord(3),
    }))
}

impl Roads {
    /// Checks every index, because a search does not: a file can be complete and still come from a
    /// faulty program.
    fn check(&self) -> Result<(), RoadsError> {
        let edges = self.edges.len().saturating_sub(1);
        let is_edge = |edge: u32| (edge as usize) < edges;
        let require = |is_valid: bool, part: &'static str| {
            if is_valid {
                Ok(())
            } else {
                Err(damaged(part, "it does not fit the other parts"))
            }
        };
        require(
            edges > 0 && rises_to(self.edges.iter().map(|edge| edge.turns), self.turns.len()),
            "edges",
        )?;
        require(self.turns.iter().all(|turn| is_edge(turn.to)), "turns")?;
        let ranks = &self.hierarchy.ranks;
        require(
            ranks.len() == edges && ranks.iter().all(|rank| is_edge(*rank)),
            "ranks",
        )?;
        for (arcs, part) in [
            (&self.hierarchy.forward, "forward arcs"),
            (&self.hierarchy.backward, "backward arcs"),
        ] {
            let is_complete = arcs.starts.len() == edges + 1
                && rises_to(arcs.starts.iter().copied(), arcs.arcs.len());
            require(is_complete, part)?;
            // A search ends because all arcs lead upwards.
            let lists = (0u32..).zip(arcs.starts.windows(2));
            let mut lists =
                lists.map(|(rank, ends)| (rank, &arcs.arcs[ends[0] as usize..ends[1] as usize]));
            let are_upward =
                lists.all(|(rank, list)| list.iter().all(|arc| arc.to > rank && is_edge(arc.to)));
            let large = arcs.arcs.iter().filter_map(|arc| arc.large_index()).max();
            require(
                are_upward && large.is_none_or(|index| index < arcs.large.len()),
                part,
            )?;
        }
        let of_segments = self.geometries.iter().flat_map(|segment| segment.edges);
        let starts = self.geometries.iter().map(|segment| segment.shape);
        let are_known = of_segments
            .clone()
            .all(|edge| edge == NONE || is_edge(edge));
        require(
            are_known && starts.clone().is_sorted() && are_below(starts, self.shapes.len()),
            "segments",
        )?;
        let grid = &self.grid;
        let cells = grid
            .rows
            .checked_mul(grid.columns)
            .and_then(|cells| usize::try_from(cells).ok());
        let is_grid = grid.cell > 0 && cells.is_some_and(|cells| cells + 1 == grid.starts.len());
        let is_empty = grid.starts.is_empty() && grid.segments.is_empty() && cells == Some(0);
        require(
            is_empty || is_grid && rises_to(grid.starts.iter().copied(), grid.segments.len()),
            "cells",
        )?;
        require(
            are_below(grid.segments.iter().copied(), self.shapes.len()),
            "segments of cells",
        )?;
        let are_copies = self
            .copies
            .iter()
            .all(|(original, copy)| is_edge(*original) && is_edge(*copy));
        require(are_copies && self.copies.is_sorted(), "copies")?;
        let of_shapes = self.unsnapped.iter().map(|(_, start)| *start);
        let are_sorted = self.unsnapped.is_sorted() && of_shapes.clone().is_sorted();
        let are_edges = self.unsnapped.iter().all(|(edge, _)| is_edge(*edge));
        require(
            are_sorted && are_edges && are_below(of_shapes, self.unsnapped_shapes.len()),
            "edges without points",
        )?;
        let is_component = |number: u32| (number as usize) < self.components.len();
        let are_of_components = self
            .component_of
            .iter()
            .all(|number| *number == NONE || is_component(*number));
        require(
            self.component_of.len() == edges && are_of_components,
            "components of edges",
        )?;
        let are_grouped = self
            .components
            .iter()
            .all(|component| is_component(component.group));
        require(!self.components.is_empty() && are_grouped, "components")
    }
}

/// Returns whether starts are sorted and end with the total.
fn rises_to(starts: impl Iterator<Item = u32> + Clone, total: usize) -> bool {
    starts.clone().is_sorted() && starts.last().is_some_and(|last| last as usize == total)
}

fn are_below(mut starts: impl Iterator<Item = u32>, length: usize) -> bool {
    starts.all(|start| (start as usize) < length)
}

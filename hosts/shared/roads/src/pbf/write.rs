//! Writes blocks of elements. Each block has its own string table, as the format requires.

use std::collections::HashMap;
use std::io::{self, Write};

use super::encode::{blob, bytes, deltas, number, packed, zigzag};
use super::{Bounds, Member, Relation, Tags};
use crate::coord::Coord;

/// Maximum number of elements in a block, as in the common tools. Readers reject blocks of more
/// than 32 MiB.
const MAX_ELEMENTS: usize = 8_000;
/// Number of encoded bytes after which a block ends, because ways and relations have any number of
/// members.
const MAX_BYTES: usize = 4 << 20;

/// Writes the first blob of a file: required features and the covered area.
pub(crate) fn write_header(output: &mut impl Write, bounds: Option<Bounds>) -> io::Result<()> {
    let mut header = Vec::new();
    if let Some(Bounds { low, high }) = bounds {
        let mut area = Vec::new();
        for (field, side) in (1..).zip([low.lon, high.lon, high.lat, low.lat]) {
            number(&mut area, field, zigzag(i64::from(side) * 100));
        }
        bytes(&mut header, 1, &area);
    }
    for feature in ["OsmSchema-V0.6", "DenseNodes"] {
        bytes(&mut header, 4, feature.as_bytes());
    }
    bytes(&mut header, 16, b"despacho");
    output.write_all(&blob("OSMHeader", &header, true))
}

/// The elements of the next block, and the output of complete ones.
pub(crate) struct Group<W: Write> {
    output: W,
    strings: HashMap<String, u64>,
    table: Vec<u8>,
    /// Encoded ways or relations.
    messages: Vec<u8>,
    /// Nodes with their tags, which are encoded in columns.
    nodes: Vec<(i64, Coord)>,
    node_tags: Vec<u64>,
    elements: usize,
}

impl<W: Write> Group<W> {
    pub(crate) fn new(output: W) -> Group<W> {
        let mut group = Group {
            output,
            strings: HashMap::new(),
            table: Vec::new(),
            messages: Vec::new(),
            nodes: Vec::new(),
            node_tags: Vec::new(),
            elements: 0,
        };
        group.clear();
        group
    }

    pub(crate) fn node(&mut self, id: i64, coord: Coord, tags: &Tags<'_>) -> io::Result<()> {
        self.nodes.push((id, coord));
        for (key, value) in tags.pairs() {
            let pair = [self.string(key), self.string(value)];
            self.node_tags.extend(pair);
        }
        self.node_tags.push(0);
        self.end_element()
    }

    pub(crate) fn way(&mut self, id: i64, nodes: &[i64], tags: &Tags<'_>) -> io::Result<()> {
        let mut way = Vec::new();
        number(&mut way, 1, id.cast_unsigned());
        self.tags(&mut way, tags);
        bytes(&mut way, 8, &deltas(nodes.iter().copied()));
        bytes(&mut self.messages, 3, &way);
        self.end_element()
    }

    /// Appends a relation without members that are relations.
    pub(crate) fn relation(&mut self, relation: &Relation<'_>) -> io::Result<()> {
        let mut message = Vec::new();
        number(&mut message, 1, relation.id.cast_unsigned());
        self.tags(&mut message, &relation.tags);
        let (mut roles, mut ids, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for (member, role) in &relation.members {
            let (id, kind) = match member {
                Member::Node(id) => (*id, 0),
                Member::Way(id) => (*id, 1),
                Member::Relation => continue,
            };
            roles.push(self.string(role));
            ids.push(id);
            kinds.push(kind);
        }
        bytes(&mut message, 8, &packed(roles.into_iter()));
        bytes(&mut message, 9, &deltas(ids.into_iter()));
        bytes(&mut message, 10, &packed(kinds.into_iter()));
        bytes(&mut self.messages, 4, &message);
        self.end_element()
    }

    /// Writes the last block and returns the output.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.output)
    }

    fn tags(&mut self, message: &mut Vec<u8>, tags: &Tags<'_>) {
        let keys: Vec<u64> = tags
            .pairs()
            .iter()
            .map(|(key, _)| self.string(key))
            .collect();
        let values: Vec<u64> = tags
            .pairs()
            .iter()
            .map(|(_, value)| self.string(value))
            .collect();
        bytes(message, 2, &packed(keys.into_iter()));
        bytes(message, 3, &packed(values.into_iter()));
    }

    fn string(&mut self, text: &str) -> u64 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let number = self.strings.len() as u64;
        self.strings.insert(text.to_owned(), number);
        bytes(&mut self.table, 1, text.as_bytes());
        number
    }

    fn end_element(&mut self) -> io::Result<()> {
        self.elements += 1;
        let is_full =
            self.elements >= MAX_ELEMENTS || self.messages.len() + self.table.len() >= MAX_BYTES;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.elements == 0 {
            return Ok(());
        }
        let mut group = std::mem::take(&mut self.messages);
        if !self.nodes.is_empty() {
            let column = |pick: fn(&(i64, Coord)) -> i64| deltas(self.nodes.iter().map(pick));
            let mut dense = Vec::new();
            bytes(&mut dense, 1, &column(|node| node.0));
            bytes(&mut dense, 8, &column(|node| i64::from(node.1.lat)));
            bytes(&mut dense, 9, &column(|node| i64::from(node.1.lon)));
            bytes(&mut dense, 10, &packed(self.node_tags.iter().copied()));
            bytes(&mut group, 2, &dense);
        }
        let mut block = Vec::new();
        bytes(&mut block, 1, &self.table);
        bytes(&mut block, 2, &group);
        self.output.write_all(&blob("OSMData", &block, true))?;
        self.clear();
        Ok(())
    }

    /// Starts a block. The first string is empty, because the string 0 ends the tags of a node.
    fn clear(&mut self) {
        (self.elements, self.nodes) = (0, Vec::new());
        self.node_tags.clear();
        self.strings.clear();
        self.table.clear();
        self.string("");
    }
}

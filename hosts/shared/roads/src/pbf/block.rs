//! A block of nodes, ways or relations.

use super::blob::packed;
use super::protobuf::{DecodeError, Fields, Packed, Value, zigzag};
use super::tags::Tags;
use crate::coord::Coord;

/// A block: its string table and its groups of elements.
pub(crate) struct Block<'a> {
    strings: Vec<&'a str>,
    groups: Vec<&'a [u8]>,
    units: Units,
}

/// The units of a block's coordinates, in 10⁻⁹ degrees.
#[derive(Clone, Copy)]
struct Units {
    granularity: i64,
    offset: (i64, i64),
}

impl Units {
    /// Converts to 10⁻⁷ degrees. Returns `None` for a coordinate that is not on the planet.
    fn coord(self, raw: (i64, i64)) -> Option<Coord> {
        let degrees = |offset: i64, raw: i64, limit: i64| {
            let billionths = raw
                .checked_mul(self.granularity)
                .and_then(|scaled| scaled.checked_add(offset))?;
            let units = billionths.checked_add(50)?.div_euclid(100);
            i32::try_from(units).ok().filter(|_| units.abs() <= limit)
        };
        let (lat, lon) = (
            degrees(self.offset.0, raw.0, 900_000_000),
            degrees(self.offset.1, raw.1, 1_800_000_000),
        );
        lat.zip(lon).map(|(lat, lon)| Coord { lat, lon })
    }
}

/// A way: a sequence of nodes.
pub(crate) struct Way<'a> {
    pub(crate) id: i64,
    pub(crate) tags: Tags<'a>,
    nodes: Packed<'a>,
    lats: Packed<'a>,
    lons: Packed<'a>,
    units: Units,
}

impl Way<'_> {
    /// Returns the IDs of the nodes.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Result<i64, DecodeError>> {
        self.nodes.clone().deltas()
    }

    /// Returns the nodes with their coordinates if the way itself contains them
    /// (`LocationsOnWays`); otherwise nothing. A node outside the extract is omitted: its
    /// coordinate is the largest number.
    pub(crate) fn locations(&self) -> Result<Vec<(i64, Coord)>, DecodeError> {
        if self.lats.is_empty() && self.lons.is_empty() {
            return Ok(Vec::new());
        }
        let counts = [&self.nodes, &self.lats, &self.lons].map(|numbers| numbers.clone().count());
        if counts[0] != counts[1] || counts[0] != counts[2] {
            return Err(DecodeError(
                "a way has another number of locations than of nodes",
            ));
        }
        let mut located = Vec::with_capacity(counts[0]);
        let coords = self.lats.clone().deltas().zip(self.lons.clone().deltas());
        for (id, (lat, lon)) in self.nodes().zip(coords) {
            let (id, raw) = (id?, (lat?, lon?));
            if raw != (i64::from(i32::MAX), i64::from(i32::MAX)) {
                let coord = self
                    .units
                    .coord(raw)
                    .ok_or(DecodeError("a way's location is out of range"))?;
                located.push((id, coord));
            }
        }
        Ok(located)
    }
}

/// A member of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Node(i64),
    Way(i64),
    Relation,
}

/// A relation: members with their roles.
pub(crate) struct Relation<'a> {
    pub(crate) id: i64,
    pub(crate) tags: Tags<'a>,
    pub(crate) members: Vec<(Member, &'a str)>,
}

/// Returns the strings of a string table. A string that is not UTF-8 is empty.
fn read_strings(table: &[u8]) -> Result<Vec<&str>, DecodeError> {
    let mut strings = Vec::new();
    for field in Fields::new(table) {
        if let (1, Value::Bytes(text)) = field? {
            strings.push(std::str::from_utf8(text).unwrap_or_default());
        }
    }
    Ok(strings)
}

impl<'a> Block<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Block<'a>, DecodeError> {
        let units = Units {
            granularity: 100,
            offset: (0, 0),
        };
        let mut block = Block {
            strings: Vec::new(),
            groups: Vec::new(),
            units,
        };
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Bytes(table)) => block.strings.extend(read_strings(table)?),
                (2, Value::Bytes(group)) => block.groups.push(group),
                (17, Value::Number(number)) => block.units.granularity = number.cast_signed(),
                (19, Value::Number(number)) => block.units.offset.0 = number.cast_signed(),
                (20, Value::Number(number)) => block.units.offset.1 = number.cast_signed(),
                _ => {}
            }
        }
        Ok(block)
    }

    /// Returns whether the block contains nodes.
    pub(crate) fn has_nodes(&self) -> bool {
        self.has(&[1, 2])
    }

    /// Returns whether the block contains ways.
    pub(crate) fn has_ways(&self) -> bool {
        self.has(&[3])
    }

    /// Returns whether the block contains relations.
    pub(crate) fn has_relations(&self) -> bool {
        self.has(&[4])
    }

    /// Returns whether a group has elements of one of these kinds. The format permits one kind per
    /// group, but readers do not require it.
    fn has(&self, kinds: &[u64]) -> bool {
        self.groups.iter().any(|group| {
            Fields::new(group)
                .flatten()
                .any(|(kind, _)| kinds.contains(&kind))
        })
    }

    /// Calls `each` for every way that has one of the keys.
    pub(crate) fn ways(
        &self,
        keys_of_ways: &[&str],
        mut each: impl FnMut(&Way<'a>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.for_each_message(3, |message| {
            let (mut id, mut keys, mut values) = (0, Value::Fixed, Value::Fixed);
            let [mut nodes, mut lats, mut lons] = [const { Packed::new(&[]) }; 3];
            for field in Fields::new(message) {
                match field? {
                    (1, Value::Number(number)) => id = number.cast_signed(),
                    (2, value) => keys = value,
                    (3, value) => values = value,
                    (8, value) => nodes = packed(value),
                    (9, value) => lats = packed(value),
                    (10, value) => lons = packed(value),
                    _ => {}
                }
            }
            let tags = self.tags(packed(keys), packed(values))?;
            if keys_of_ways.iter().any(|key| tags.get(key).is_some()) {
                each(&Way {
                    id,
                    tags,
                    nodes,
                    lats,
                    lons,
                    units: self.units,
                })
            } else {
                Ok(())
            }
        })
    }

    /// Calls `each` for every relation.
    pub(crate) fn relations(&self, mut each: impl FnMut(&Relation<'a>)) -> Result<(), DecodeError> {
        self.for_each_message(4, |message| {
            let (mut id, mut parts) = (0, [Value::Fixed; 5]);
            for field in Fields::new(message) {
                match field? {
                    (1, Value::Number(number)) => id = number.cast_signed(),
                    (2, value) => parts[0] = value,
                    (3, value) => parts[1] = value,
                    (8, value) => parts[2] = value,
                    (9, value) => parts[3] = value,
                    (10, value) => parts[4] = value,
                    _ => {}
                }
            }
            let [keys, values, roles, ids, kinds] = parts.map(packed);
            let mut members = Vec::new();
            for ((role, id), kind) in roles.zip(ids.deltas()).zip(kinds) {
                let member = match kind? {
                    0 => Member::Node(id?),
                    1 => Member::Way(id?),
                    _ => Member::Relation,
                };
                members.push((member, self.string(role?)?));
            }
            each(&Relation {
                id,
                tags: self.tags(keys, values)?,
                members,
            });
            Ok(())
        })
    }

    /// Calls `each` for every node for which `number` returns an index.
    pub(crate) fn nodes(
        &self,
        mut index: impl FnMut(i64) -> Option<usize>,
        mut each: impl FnMut(usize, Coord, &Tags<'a>),
    ) -> Result<(), DecodeError> {
        self.for_each_message(2, |message| self.dense(message, &mut index, &mut each))?;
        self.for_each_message(1, |message| {
            let (mut id, mut raw, mut keys, mut values) = (0, (0, 0), Value::Fixed, Value::Fixed);
            for field in Fields::new(message) {
                match field? {
                    (1, Value::Number(value)) => id = zigzag(value),
                    (2, value) => keys = value,
                    (3, value) => values = value,
                    (8, Value::Number(value)) => raw.0 = zigzag(value),
                    (9, Value::Number(value)) => raw.1 = zigzag(value),
                    _ => {}
                }
            }
            if let Some(index_of_node) = index(id) {
                each(
                    index_of_node,
                    self.coord(raw)?,
                    &self.tags(packed(keys), packed(values))?,
                );
            }
            Ok(())
        })
    }

    fn dense(
        &self,
        message: &'a [u8],
        index: &mut impl FnMut(i64) -> Option<usize>,
        each: &mut impl FnMut(usize, Coord, &Tags<'a>),
    ) -> Result<(), DecodeError> {
        let mut parts = [Value::Fixed; 4];
        for field in Fields::new(message) {
            match field? {
                (1, value) => parts[0] = value,
                (8, value) => parts[1] = value,
                (9, value) => parts[2] = value,
                (10, value) => parts[3] = value,
                _ => {}
            }
        }
        let [ids, lats, lons, mut tag_strings] = parts.map(packed);
        for ((id, lat), lon) in ids.deltas().zip(lats.deltas()).zip(lons.deltas()) {
            let (id, raw) = (id?, (lat?, lon?));
            // Each node's tags end with a zero. A block without tags omits the list.
            let mut pairs = Vec::new();
            while let Some(key) = tag_strings.next() {
                let key = key?;
                if key == 0 {
                    break;
                }
                let value = tag_strings
                    .next()
                    .ok_or(DecodeError("a tag has no value"))??;
                pairs.push((self.string(key)?, self.string(value)?));
            }
            if let Some(index_of_node) = index(id) {
                each(index_of_node, self.coord(raw)?, &Tags::new(pairs));
            }
        }
        Ok(())
    }

    fn for_each_message(
        &self,
        kind: u64,
        mut each: impl FnMut(&'a [u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        for group in &self.groups {
            for field in Fields::new(group) {
                match field? {
                    (number, Value::Bytes(message)) if number == kind => each(message)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn string(&self, number: u64) -> Result<&'a str, DecodeError> {
        let string = usize::try_from(number)
            .ok()
            .and_then(|number| self.strings.get(number));
        string
            .copied()
            .ok_or(DecodeError("a string is not in the string table"))
    }

    fn tags(&self, keys: Packed<'a>, values: Packed<'a>) -> Result<Tags<'a>, DecodeError> {
        let mut pairs = Vec::new();
        for (key, value) in keys.zip(values) {
            pairs.push((self.string(key?)?, self.string(value?)?));
        }
        Ok(Tags::new(pairs))
    }

    fn coord(&self, raw: (i64, i64)) -> Result<Coord, DecodeError> {
        self.units
            .coord(raw)
            .ok_or(DecodeError("a node's coordinate is out of range"))
    }
}

//! One block of nodes, ways or relations.

use super::blob::packed;
use super::tags::Tags;
use super::wire::{Fields, Malformed, Packed, Value, signed};
use crate::place::Place;

/// A block: its texts and its groups of elements.
pub(crate) struct Block<'a> {
    texts: Vec<&'a str>,
    groups: Vec<&'a [u8]>,
    granularity: i64,
    offset: (i64, i64),
}

/// A way: nodes in a row.
pub(crate) struct Way<'a> {
    pub(crate) id: i64,
    pub(crate) tags: Tags<'a>,
    nodes: Packed<'a>,
}

impl Way<'_> {
    /// The nodes' ids.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Result<i64, Malformed>> {
        self.nodes.clone().deltas()
    }
}

/// What takes part in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    Node(i64),
    Way(i64),
    Relation,
}

/// A relation: members with their roles.
pub(crate) struct Relation<'a> {
    pub(crate) tags: Tags<'a>,
    pub(crate) members: Vec<(Member, &'a str)>,
}

/// Returns the strings of a string table; a string that is not UTF-8 is empty.
fn strings(table: &[u8]) -> Result<Vec<&str>, Malformed> {
    let mut strings = Vec::new();
    for field in Fields::new(table) {
        if let (1, Value::Bytes(text)) = field? {
            strings.push(std::str::from_utf8(text).unwrap_or_default());
        }
    }
    Ok(strings)
}

impl<'a> Block<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Block<'a>, Malformed> {
        let mut block = Block { texts: Vec::new(), groups: Vec::new(), granularity: 100, offset: (0, 0) };
        for field in Fields::new(bytes) {
            match field? {
                (1, Value::Bytes(table)) => block.texts.extend(strings(table)?),
                (2, Value::Bytes(group)) => block.groups.push(group),
                (17, Value::Number(number)) => block.granularity = number.cast_signed(),
                (19, Value::Number(number)) => block.offset.0 = number.cast_signed(),
                (20, Value::Number(number)) => block.offset.1 = number.cast_signed(),
                _ => {}
            }
        }
        Ok(block)
    }

    /// Whether there are nodes in it.
    pub(crate) fn has_nodes(&self) -> bool {
        self.groups.iter().any(|group| matches!(Fields::new(group).next(), Some(Ok((1 | 2, _)))))
    }

    /// Calls for each way that has a key.
    pub(crate) fn ways(
        &self,
        key: &str,
        mut each: impl FnMut(&Way<'a>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.each(3, |message| {
            let (mut id, mut keys, mut values, mut nodes) = (0, Value::Fixed, Value::Fixed, Packed::new(&[]));
            for field in Fields::new(message) {
                match field? {
                    (1, Value::Number(number)) => id = number.cast_signed(),
                    (2, value) => keys = value,
                    (3, value) => values = value,
                    (8, value) => nodes = packed(value),
                    _ => {}
                }
            }
            let tags = self.tags(packed(keys), packed(values))?;
            if tags.get(key).is_some() { each(&Way { id, tags, nodes }) } else { Ok(()) }
        })
    }

    /// Calls for each relation.
    pub(crate) fn relations(&self, mut each: impl FnMut(&Relation<'a>)) -> Result<(), Malformed> {
        self.each(4, |message| {
            let mut parts = [Value::Fixed; 5];
            for field in Fields::new(message) {
                match field? {
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
                members.push((member, self.text(role?)?));
            }
            each(&Relation { tags: self.tags(keys, values)?, members });
            Ok(())
        })
    }

    /// Calls for each node that has a number in the caller's list.
    pub(crate) fn nodes(
        &self,
        mut number: impl FnMut(i64) -> Option<usize>,
        mut each: impl FnMut(usize, Place, &Tags<'a>),
    ) -> Result<(), Malformed> {
        self.each(2, |message| self.dense(message, &mut number, &mut each))?;
        self.each(1, |message| {
            let (mut id, mut raw, mut keys, mut values) = (0, (0, 0), Value::Fixed, Value::Fixed);
            for field in Fields::new(message) {
                match field? {
                    (1, Value::Number(value)) => id = signed(value),
                    (2, value) => keys = value,
                    (3, value) => values = value,
                    (8, Value::Number(value)) => raw.0 = signed(value),
                    (9, Value::Number(value)) => raw.1 = signed(value),
                    _ => {}
                }
            }
            if let Some(known) = number(id) {
                each(known, self.place(raw)?, &self.tags(packed(keys), packed(values))?);
            }
            Ok(())
        })
    }

    fn dense(
        &self,
        message: &'a [u8],
        number: &mut impl FnMut(i64) -> Option<usize>,
        each: &mut impl FnMut(usize, Place, &Tags<'a>),
    ) -> Result<(), Malformed> {
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
        let [ids, lats, lons, mut texts] = parts.map(packed);
        for ((id, lat), lon) in ids.deltas().zip(lats.deltas()).zip(lons.deltas()) {
            let (id, raw) = (id?, (lat?, lon?));
            // Each node's tags end with a zero; a block without any tag leaves the whole list out.
            let mut pairs = Vec::new();
            while let Some(key) = texts.next() {
                let key = key?;
                if key == 0 {
                    break;
                }
                let value = texts.next().ok_or(Malformed("a tag has no value"))??;
                pairs.push((self.text(key)?, self.text(value)?));
            }
            if let Some(known) = number(id) {
                each(known, self.place(raw)?, &Tags::new(pairs));
            }
        }
        Ok(())
    }

    fn each(&self, kind: u64, mut each: impl FnMut(&'a [u8]) -> Result<(), Malformed>) -> Result<(), Malformed> {
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

    fn text(&self, number: u64) -> Result<&'a str, Malformed> {
        let text = usize::try_from(number).ok().and_then(|number| self.texts.get(number));
        text.copied().ok_or(Malformed("a text is not in its table"))
    }

    fn tags(&self, keys: Packed<'a>, values: Packed<'a>) -> Result<Tags<'a>, Malformed> {
        let mut pairs = Vec::new();
        for (key, value) in keys.zip(values) {
            pairs.push((self.text(key?)?, self.text(value?)?));
        }
        Ok(Tags::new(pairs))
    }

    /// From the block's own units to 10⁻⁷ degrees.
    fn place(&self, raw: (i64, i64)) -> Result<Place, Malformed> {
        let degrees = |offset: i64, raw: i64, limit: i64| {
            let billionths = raw.checked_mul(self.granularity).and_then(|scaled| scaled.checked_add(offset))?;
            let units = billionths.checked_add(50)?.div_euclid(100);
            i32::try_from(units).ok().filter(|_| units.abs() <= limit)
        };
        let (lat, lon) = (degrees(self.offset.0, raw.0, 900_000_000), degrees(self.offset.1, raw.1, 1_800_000_000));
        let place = lat.zip(lon).map(|(lat, lon)| Place { lat, lon });
        place.ok_or(Malformed("a node is not on the planet"))
    }
}

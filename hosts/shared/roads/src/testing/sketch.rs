//! Small hand-drawn road networks, written as a valid `.osm.pbf` file.

use crate::pbf::encode::{blob, bytes, deltas, number, packed, zigzag};
use crate::{Roads, RoadsError};
use despacho_core::model::Point;
use std::collections::BTreeMap;

/// The origin in degrees, in São Paulo.
const ORIGIN: (f64, f64) = (-23.55, -46.63);

/// Tags as keys and values.
pub type Pairs<'a> = [(&'a str, &'a str)];

/// The encoding of a file. Readers must support all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether nodes are dense, in columns.
    pub dense: bool,
    /// Whether blocks are compressed with zlib.
    pub packed: bool,
}

/// A node in the file's units. Tags are string indices, keys and values alternating.
#[derive(Clone, Debug)]
struct Node {
    id: i64,
    lat: i64,
    lon: i64,
    tags: Vec<u64>,
}

/// A relation. Each member is its role, ID and type.
#[derive(Clone, Debug)]
struct Relation {
    tags: Vec<u64>,
    members: [(u64, i64, u64); 3],
}

/// A builder of road networks.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    strings: Vec<String>,
    numbers: BTreeMap<String, u64>,
    nodes: Vec<Node>,
    ways: Vec<(i64, Vec<i64>, Vec<u64>)>,
    relations: Vec<Relation>,
    bounds: Option<[i64; 4]>,
    features: Vec<String>,
    optional: Vec<String>,
    has_locations: bool,
    is_unsorted: bool,
}

/// Returns the point at the given metres north and east of the origin.
///
/// # Panics
///
/// Panics if the point is not on the planet.
#[must_use]
pub fn at(north_m: f64, east_m: f64) -> Point {
    let (latitude, longitude) = degrees(north_m, east_m);
    Point::from_degrees(latitude, longitude).expect("a valid coordinate")
}

fn degrees(north_m: f64, east_m: f64) -> (f64, f64) {
    let degree = 6_371_008.8_f64.to_radians();
    let latitude = ORIGIN.0 + north_m / degree;
    (
        latitude,
        ORIGIN.1 + east_m / (degree * ORIGIN.0.to_radians().cos()),
    )
}

impl Sketch {
    /// Creates an empty network.
    #[must_use]
    pub fn new() -> Sketch {
        let mut sketch = Sketch::default();
        sketch.string("");
        sketch.features = vec!["OsmSchema-V0.6".to_owned(), "DenseNodes".to_owned()];
        sketch
    }

    /// Adds a node at the given metres north and east of the origin.
    pub fn node(&mut self, id: i64, north_m: f64, east_m: f64, tags: &Pairs<'_>) -> &mut Sketch {
        let point = at(north_m, east_m);
        let tags = self.pairs(tags);
        self.nodes.push(Node {
            id,
            lat: i64::from(point.lat_e7),
            lon: i64::from(point.lon_e7),
            tags,
        });
        self
    }

    /// Adds a way over nodes.
    pub fn way(&mut self, id: i64, nodes: &[i64], tags: &Pairs<'_>) -> &mut Sketch {
        let tags = self.pairs(tags);
        self.ways.push((id, nodes.to_vec(), tags));
        self
    }

    /// Adds a residential street in both directions.
    pub fn street(&mut self, id: i64, nodes: &[i64]) -> &mut Sketch {
        self.way(id, nodes, &[("highway", "residential")])
    }

    /// Adds a turn restriction via a node, or via a way if `over_way` is true.
    pub fn restriction(
        &mut self,
        kind: &str,
        from: i64,
        via: i64,
        to: i64,
        over_way: bool,
    ) -> &mut Sketch {
        let tags = self.pairs(&[("type", "restriction"), ("restriction", kind)]);
        let roles = ["from", "via", "to"].map(|role| self.string(role));
        let via_type = u64::from(over_way);
        let members = [
            (roles[0], from, 1),
            (roles[1], via, via_type),
            (roles[2], to, 1),
        ];
        self.relations.push(Relation { tags, members });
        self
    }

    /// Sets the covered area in metres: south, west, north, east.
    pub fn bounds(&mut self, south: f64, west: f64, north: f64, east: f64) -> &mut Sketch {
        let (low, high) = (at(south, west), at(north, east));
        let billionths = |units: i32| i64::from(units) * 100;
        self.bounds = Some([low.lon_e7, high.lon_e7, high.lat_e7, low.lat_e7].map(billionths));
        self
    }

    /// Adds a required feature.
    pub fn feature(&mut self, name: &str) -> &mut Sketch {
        self.features.push(name.to_owned());
        self
    }

    /// Adds an optional feature.
    pub fn optional(&mut self, name: &str) -> &mut Sketch {
        self.optional.push(name.to_owned());
        self
    }

    /// Writes the locations of nodes into the ways, and omits nodes without tags, as
    /// `osmium add-locations-to-ways` does.
    pub fn locations_on_ways(&mut self) -> &mut Sketch {
        self.has_locations = true;
        self.optional("LocationsOnWays")
    }

    /// Writes relations and ways before nodes, and all of them in descending order.
    pub fn unsorted(&mut self) -> &mut Sketch {
        self.is_unsorted = true;
        self.nodes.reverse();
        self.ways.reverse();
        self
    }

    /// Loads the network.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no roads.
    pub fn roads(&self) -> Result<Roads, RoadsError> {
        Roads::from_bytes(&self.bytes(Form {
            dense: true,
            packed: true,
        }))
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self, form: Form) -> Vec<u8> {
        let mut header = Vec::new();
        if let Some(bounds) = self.bounds {
            let mut area = Vec::new();
            (1..)
                .zip(bounds)
                .for_each(|(field, side)| number(&mut area, field, zigzag(side)));
            bytes(&mut header, 1, &area);
        }
        self.features
            .iter()
            .for_each(|feature| bytes(&mut header, 4, feature.as_bytes()));
        self.optional
            .iter()
            .for_each(|feature| bytes(&mut header, 5, feature.as_bytes()));
        let mut file = blob("OSMHeader", &header, form.packed);
        let nodes = if form.dense {
            self.dense_nodes()
        } else {
            self.single_nodes()
        };
        let mut groups = [nodes, self.way_group(), self.relation_group()];
        if self.is_unsorted {
            groups.reverse();
        }
        for group in groups {
            file.extend(blob("OSMData", &self.block(&group), form.packed));
        }
        file
    }

    fn string(&mut self, text: &str) -> u64 {
        let next = self.strings.len() as u64;
        let number = *self.numbers.entry(text.to_owned()).or_insert(next);
        if number == next {
            self.strings.push(text.to_owned());
        }
        number
    }

    fn pairs(&mut self, tags: &Pairs<'_>) -> Vec<u64> {
        tags.iter()
            .flat_map(|(key, value)| [*key, *value])
            .map(|text| self.string(text))
            .collect()
    }

    fn block(&self, group: &[u8]) -> Vec<u8> {
        let (mut table, mut block) = (Vec::new(), Vec::new());
        self.strings
            .iter()
            .for_each(|text| bytes(&mut table, 1, text.as_bytes()));
        bytes(&mut block, 1, &table);
        bytes(&mut block, 2, group);
        block
    }

    /// Returns the nodes that have blocks of their own.
    fn own_nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes
            .iter()
            .filter(|node| !self.has_locations || !node.tags.is_empty())
    }

    fn dense_nodes(&self) -> Vec<u8> {
        let column = |pick: fn(&Node) -> i64| deltas(self.own_nodes().map(pick));
        let mut dense = Vec::new();
        bytes(&mut dense, 1, &column(|node| node.id));
        bytes(&mut dense, 8, &column(|node| node.lat));
        bytes(&mut dense, 9, &column(|node| node.lon));
        let tags = self
            .own_nodes()
            .flat_map(|node| node.tags.iter().copied().chain([0]));
        bytes(&mut dense, 10, &packed(tags));
        let mut group = Vec::new();
        bytes(&mut group, 2, &dense);
        group
    }

    fn single_nodes(&self) -> Vec<u8> {
        let mut group = Vec::new();
        for Node { id, lat, lon, tags } in self.own_nodes() {
            let mut node = Vec::new();
            number(&mut node, 1, zigzag(*id));
            keys_and_values(&mut node, tags);
            number(&mut node, 8, zigzag(*lat));
            number(&mut node, 9, zigzag(*lon));
            bytes(&mut group, 1, &node);
        }
        group
    }

    fn way_group(&self) -> Vec<u8> {
        let mut group = Vec::new();
        for (id, nodes, tags) in &self.ways {
            let mut way = Vec::new();
            number(&mut way, 1, id.cast_unsigned());
            keys_and_values(&mut way, tags);
            bytes(&mut way, 8, &deltas(nodes.iter().copied()));
            if self.has_locations {
                // The largest number stands for a node outside the extract.
                let outside = i64::from(i32::MAX);
                let location = |id: &i64, pick: fn(&Node) -> i64| {
                    self.nodes
                        .iter()
                        .find(|node| node.id == *id)
                        .map_or(outside, pick)
                };
                bytes(
                    &mut way,
                    9,
                    &deltas(nodes.iter().map(|id| location(id, |node| node.lat))),
                );
                bytes(
                    &mut way,
                    10,
                    &deltas(nodes.iter().map(|id| location(id, |node| node.lon))),
                );
            }
            bytes(&mut group, 3, &way);
        }
        group
    }

    fn relation_group(&self) -> Vec<u8> {
        let mut group = Vec::new();
        for Relation { tags, members } in &self.relations {
            let mut relation = Vec::new();
            keys_and_values(&mut relation, tags);
            bytes(
                &mut relation,
                8,
                &packed(members.iter().map(|member| member.0)),
            );
            bytes(
                &mut relation,
                9,
                &deltas(members.iter().map(|member| member.1)),
            );
            bytes(
                &mut relation,
                10,
                &packed(members.iter().map(|member| member.2)),
            );
            bytes(&mut group, 4, &relation);
        }
        group
    }
}

fn keys_and_values(message: &mut Vec<u8>, tags: &[u64]) {
    bytes(message, 2, &packed(tags.iter().copied().step_by(2)));
    bytes(message, 3, &packed(tags.iter().copied().skip(1).step_by(2)));
}

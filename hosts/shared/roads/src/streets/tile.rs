//! Encodes vector tiles.

use std::collections::{BTreeMap, BTreeSet};

use mvt::{Error, GeomEncoder, GeomType, Tile};

use super::kind::Kind;
use super::read::{Feature, Features};
use super::shape::{EXTENT, MARGIN, Spot, clip_line, clip_ring, join};

/// Returns the tiles that a shape touches with its margin.
pub(super) fn tiles_of(shape: &[Spot], is_area: bool) -> BTreeSet<(u32, u32)> {
    let mut tiles = BTreeSet::new();
    // An area also covers the tiles between its sides.
    let width = if is_area { shape.len().max(1) } else { 2 };
    for part in shape.windows(width.min(shape.len().max(1))) {
        let range = |axis: fn(&Spot) -> i32| {
            let low = part.iter().map(axis).min().unwrap_or_default() - MARGIN;
            let high = part.iter().map(axis).max().unwrap_or_default() + MARGIN;
            low.div_euclid(EXTENT)..=high.div_euclid(EXTENT)
        };
        let (columns, rows) = (range(|spot| spot.x), range(|spot| spot.y));
        for (x, y) in columns.flat_map(|x| rows.clone().map(move |y| (x, y))) {
            tiles.extend(u32::try_from(x).ok().zip(u32::try_from(y).ok()));
        }
    }
    tiles
}

/// Lines of the same kind and name are one feature of a tile.
type Lines<'a> = BTreeMap<(Kind, Option<&'a str>), Vec<Vec<Spot>>>;
/// The rings of areas, each of which is a feature.
type Rings<'a> = Vec<(Kind, Option<&'a str>, Vec<Spot>)>;

/// Encodes a tile; `None` if it is empty.
pub(super) fn encode<'a>(
    found: impl Iterator<Item = &'a Feature>,
    features: &'a Features,
    zoom: u8,
    (x, y): (u32, u32),
) -> Result<Option<Vec<u8>>, Error> {
    let origin = |index: u32| i32::try_from(index).unwrap_or_default() * EXTENT;
    let (left, top) = (origin(x), origin(y));
    let (mut lines, mut rings) = (Lines::new(), Rings::new());
    for feature in found {
        let name = features.name(feature);
        let shape: Vec<Spot> = feature
            .at_zoom(zoom)
            .into_iter()
            .map(|spot| Spot {
                x: spot.x - left,
                y: spot.y - top,
            })
            .collect();
        if feature.kind.geometry() == GeomType::Polygon {
            rings.push((feature.kind, name, clip_ring(&shape)));
        } else {
            lines
                .entry((feature.kind, name))
                .or_default()
                .extend(clip_line(&shape));
        }
    }
    rings.retain(|(_, _, ring)| !ring.is_empty());
    rings.sort_unstable();
    let mut encoded = Vec::new();
    for (kind, name, ring) in rings {
        encoded.push((kind, name, geometry(GeomType::Polygon, &[ring])?));
    }
    for ((kind, name), parts) in lines.into_iter().filter(|(_, parts)| !parts.is_empty()) {
        encoded.push((kind, name, geometry(GeomType::Linestring, &join(parts))?));
    }
    if encoded.is_empty() {
        return Ok(None);
    }
    let mut tile = Tile::new(EXTENT.unsigned_abs());
    for layer_name in ["parks", "water", "roads"] {
        let mut layer = tile.create_layer(layer_name);
        for (kind, name, data) in encoded.extract_if(.., |(kind, ..)| kind.layer() == layer_name) {
            let mut feature = layer.into_feature(data);
            feature.add_tag_string("class", kind.class());
            if let Some(name) = name {
                feature.add_tag_string("name", name);
            }
            layer = feature.into_layer();
        }
        if layer.num_features() > 0 {
            tile.add_layer(layer)?;
        }
    }
    tile.to_bytes().map(Some)
}

fn geometry(kind: GeomType, parts: &[Vec<Spot>]) -> Result<mvt::GeomData, Error> {
    let mut encoder = GeomEncoder::<i32>::new(kind);
    for part in parts {
        for spot in part {
            encoder.add_point(spot.x, spot.y)?;
        }
        encoder.complete_geom()?;
    }
    encoder.encode()
}

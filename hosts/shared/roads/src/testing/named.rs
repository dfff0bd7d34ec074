//! The named roads of an extract, for samples of real street names.

use std::fs::File;
use std::io::Seek;
use std::path::Path;

use despacho_core::model::Point;

use crate::error::RoadsError;
use crate::extract::{for_each_block, read_nodes};

/// A way with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRoad {
    /// The name, as in the extract.
    pub name: String,
    /// The postal code of its addresses, if the extract has it.
    pub postcode: Option<String>,
    /// Its nodes inside the extract.
    pub line: Vec<Point>,
}

/// Returns the roads of an extract that have a name, in the order of the file.
///
/// # Errors
///
/// Returns an error if the file cannot be read or is not an extract.
pub fn named_roads(path: &Path) -> Result<Vec<NamedRoad>, RoadsError> {
    let mut file = File::open(path).map_err(RoadsError::Read)?;
    let (mut ways, mut locations) = (Vec::new(), Vec::new());
    let blocks = for_each_block(&mut file, |block| {
        block.ways(&["highway"], |way| {
            if let Some(name) = way.tags.get("name") {
                let postcode = way.tags.get("postal_code").map(str::to_owned);
                ways.push((
                    name.to_owned(),
                    postcode,
                    way.nodes().collect::<Result<Vec<i64>, _>>()?,
                ));
                locations.extend(way.locations()?);
            }
            Ok(())
        })
    })?;
    let mut ids: Vec<i64> = ways.iter().flat_map(|way| way.2.iter().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    file.rewind().map_err(RoadsError::Read)?;
    let (coords, _) = read_nodes(file, &ids, &blocks.with_nodes, locations)?;
    let point = |id: i64| {
        let coord = (*coords.get(ids.binary_search(&id).ok()?)?)?;
        Some(coord.point())
    };
    let roads = ways.into_iter().map(|(name, postcode, nodes)| {
        let line = nodes.into_iter().filter_map(point).collect();
        NamedRoad {
            name,
            postcode,
            line,
        }
    });
    Ok(roads.collect())
}

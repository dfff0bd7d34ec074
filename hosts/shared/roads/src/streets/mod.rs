//! Builds the street map of an extract: a PMTiles file of vector tiles with roads, water and parks,
//! which the merchant panel draws without a tile server.
//!
//! The file has the zooms 10 to 14; maps enlarge the last one. Water and parks that consist of
//! several ways (multipolygons) are omitted, because their assembly is not worth its code for a
//! background.

mod kind;
mod read;
mod shape;
mod tile;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use mvt::GeomType;
use pmtiles::{PmTilesWriter, TileCoord, TileType};

use self::read::Features;
use self::shape::MAX_ZOOM;
use crate::error::RoadsError;

/// The first zoom of the file.
const MIN_ZOOM: u8 = 10;

/// Metadata of the file. The layers are those of [`kind`].
const METADATA: &str = r#"{"name":"Streets","attribution":"© OpenStreetMap contributors","vector_layers":[
{"id":"parks","fields":{"class":"String","name":"String"}},{"id":"water","fields":{"class":"String","name":"String"}},
{"id":"roads","fields":{"class":"String","name":"String"}}]}"#;

/// The contents of a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreetReport {
    /// Roads, waters and parks.
    pub features: usize,
    /// Tiles.
    pub tiles: usize,
    /// Length of the file in bytes.
    pub bytes: u64,
}

/// An error of building a file. No file was written.
#[derive(Debug)]
pub enum StreetsError {
    /// The extract cannot be used.
    Extract(RoadsError),
    /// The file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A tile cannot be encoded.
    Encode(String),
}

impl fmt::Display for StreetsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreetsError::Extract(error) => error.fmt(f),
            StreetsError::Write { path, error } => {
                write!(f, "{} cannot be written: {error}", path.display())
            }
            StreetsError::Encode(detail) => write!(f, "a tile cannot be encoded: {detail}"),
        }
    }
}

impl std::error::Error for StreetsError {}

impl From<RoadsError> for StreetsError {
    fn from(error: RoadsError) -> StreetsError {
        StreetsError::Extract(error)
    }
}

/// Builds the street map of an extract. An existing file is replaced only by a complete one.
///
/// # Errors
/// The extract cannot be used, or the file cannot be written.
pub fn build(extract: &Path, output: &Path) -> Result<StreetReport, StreetsError> {
    let features = read::features(File::open(extract).map_err(RoadsError::Read)?)?;
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = output.with_file_name(name);
    let error = |error| StreetsError::Write {
        path: output.to_owned(),
        error,
    };
    let written = File::create(&part).map_err(error).and_then(|file| {
        let synced = file.try_clone().map_err(error)?;
        let report = write(&features, file)?;
        synced.sync_all().map_err(error)?;
        let bytes = synced.metadata().map_err(error)?.len();
        std::fs::rename(&part, output).map_err(error)?;
        Ok(StreetReport { bytes, ..report })
    });
    if written.is_err() {
        // The error of the build is returned; the part may not exist.
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn write(features: &Features, file: File) -> Result<StreetReport, StreetsError> {
    let encode = |error: pmtiles::PmtError| StreetsError::Encode(error.to_string());
    let [west, south, east, north] = features.bounds().degrees();
    let mut writer = PmTilesWriter::new(TileType::Mvt)
        .min_zoom(MIN_ZOOM)
        .max_zoom(MAX_ZOOM)
        .bounds(west, south, east, north)
        .center(f64::midpoint(west, east), f64::midpoint(south, north))
        .center_zoom(MAX_ZOOM)
        .metadata(METADATA)
        .create(file)
        .map_err(encode)?;
    let mut tiles = 0;
    for zoom in MIN_ZOOM..=MAX_ZOOM {
        let mut entries = Vec::new();
        for (number, feature) in features
            .all
            .iter()
            .enumerate()
            .filter(|(_, feature)| feature.kind.min_zoom() <= zoom)
        {
            let shape = feature.at_zoom(zoom);
            for (x, y) in tile::tiles_of(&shape, feature.kind.geometry() == GeomType::Polygon) {
                let coord = TileCoord::new(zoom, x, y).map_err(encode)?;
                entries.push((pmtiles::TileId::from(coord).value(), x, y, number));
            }
        }
        entries.sort_unstable();
        for chunk in entries.chunk_by(|one, other| one.0 == other.0) {
            let Some(&(_, x, y, _)) = chunk.first() else {
                continue;
            };
            let found = chunk.iter().filter_map(|entry| features.all.get(entry.3));
            let data = tile::encode(found, features, zoom, (x, y))
                .map_err(|e| StreetsError::Encode(e.to_string()))?;
            if let Some(data) = data {
                tiles += 1;
                writer
                    .add_tile(TileCoord::new(zoom, x, y).map_err(encode)?, &data)
                    .map_err(encode)?;
            }
        }
    }
    writer.finalize().map_err(encode)?;
    Ok(StreetReport {
        features: features.all.len(),
        tiles,
        bytes: 0,
    })
}

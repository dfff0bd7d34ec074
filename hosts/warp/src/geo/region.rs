//! Brazil's regions, whose OpenStreetMap extracts `despacho roads` installs in the data folder.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use despacho_core::model::Uf;
use serde::{Deserialize, Serialize};

use super::{boxes::GeoBox, installed::Area};
use crate::download::FileVersion;

/// A region with an extract of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Region {
    Norte,
    Nordeste,
    Sudeste,
    Sul,
    CentroOeste,
}

/// The places around which an installed extract has roads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Selection {
    /// All stores of the region.
    Stores,
    /// Cities, by their IBGE codes.
    Cities(Vec<u32>),
    /// A box.
    Box(GeoBox),
}

/// What is known about installed roads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InstalledRoads {
    /// The extract of the region.
    pub(crate) version: FileVersion,
    /// Time of the download.
    pub(crate) downloaded_at: String,
    pub(crate) selection: Selection,
    pub(crate) boxes: Vec<GeoBox>,
    /// Directed edges of the network.
    pub(crate) edges: usize,
    /// Memory of the network in bytes.
    pub(crate) memory: usize,
}

/// The files of installed roads.
pub(crate) struct RoadFiles {
    /// The road file of the extract, cut to its boxes.
    pub(crate) roads: PathBuf,
    /// An [`InstalledRoads`].
    pub(crate) info: PathBuf,
    /// The downloaded extract, until it is cut.
    pub(crate) download: PathBuf,
    /// The cut, then its road file until it replaces the installed one.
    pub(crate) unverified: PathBuf,
}

/// The suffix of a road file.
pub(crate) const SUFFIX: &str = ".roads";

impl Region {
    /// All regions, by the first digit of the IBGE codes of their states.
    pub(crate) const ALL: [Region; 5] = [
        Region::Norte,
        Region::Nordeste,
        Region::Sudeste,
        Region::Sul,
        Region::CentroOeste,
    ];

    /// Returns the name in the file names of the extracts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Region::Norte => "norte",
            Region::Nordeste => "nordeste",
            Region::Sudeste => "sudeste",
            Region::Sul => "sul",
            Region::CentroOeste => "centro-oeste",
        }
    }

    /// Returns the region of a state.
    pub(crate) fn of(uf: Uf) -> Region {
        let digit = usize::try_from(Area::State(uf).code() / 10).unwrap_or(0);
        // Every state's code begins with a digit from 1 to 5.
        digit
            .checked_sub(1)
            .and_then(|index| Region::ALL.get(index))
            .copied()
            .unwrap_or(Region::Sudeste)
    }

    /// Parses the name of a region or the two letters of a state.
    pub(crate) fn parse(text: &str) -> Result<Region, String> {
        let name = text.trim().to_lowercase().replace([' ', '_'], "-");
        if let Some(uf) = Uf::parse(text.trim()) {
            return Ok(Region::of(uf));
        }
        if let Some(found) = Region::ALL.into_iter().find(|region| region.name() == name) {
            return Ok(found);
        }
        let distance = |region: &Region| strsim::osa_distance(region.name(), &name);
        let near = Region::ALL
            .into_iter()
            .min_by_key(distance)
            .filter(|region| distance(region) < 3);
        let hint = near
            .map(|region| format!("did you mean {region}? "))
            .unwrap_or_default();
        Err(format!(
            "unknown region {text}; {hint}use norte, nordeste, centro-oeste, sudeste, sul or a state such as SP"
        ))
    }

    /// Returns the region's files.
    pub(crate) fn files(self, folder: &Path) -> RoadFiles {
        let file = |suffix: &str| folder.join(format!("{}{suffix}", self.name()));
        RoadFiles {
            roads: file(SUFFIX),
            info: file(".json"),
            download: file(".download"),
            unverified: file(".new"),
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the regions with installed roads, and the road file of each.
pub(crate) fn installed_roads(folder: &Path) -> io::Result<Vec<(Region, PathBuf)>> {
    let mut found = Vec::new();
    for region in Region::ALL {
        let path = region.files(folder).roads;
        match fs::metadata(&path) {
            Ok(_) => found.push((region, path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Returns the boxes of a region's installed roads; none if they are unknown.
pub(crate) fn installed_boxes(region: Region, folder: &Path) -> Vec<GeoBox> {
    let bytes = fs::read(region.files(folder).info).unwrap_or_default();
    serde_json::from_slice(&bytes)
        .map(|info: InstalledRoads| info.boxes)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use despacho_core::{
        geo::{Gazetteer, names::plain},
        model::Zone,
    };

    use super::*;

    #[test]
    fn every_state_has_its_region() {
        let of = |codes: &str| {
            let found = codes.split(' ').map(|code| Region::parse(code).unwrap());
            found
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .map(Region::name)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("AC AM AP PA RO RR TO"), ["norte"]);
        assert_eq!(of("AL BA CE MA PB PE PI RN SE"), ["nordeste"]);
        assert_eq!(of("ES MG RJ SP"), ["sudeste"]);
        assert_eq!(of("PR RS SC"), ["sul"]);
        assert_eq!(of("df GO MS MT"), ["centro-oeste"]);
        assert_eq!(Uf::all().count(), 27);
    }

    /// The panel shows times in the zones by which the service opens stores and prices orders.
    #[test]
    fn panel_knows_the_municipalities_with_another_zone_than_their_state() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../panel/src/brazil.ts");
        let source = fs::read_to_string(source).unwrap();
        let towns = Gazetteer::embedded()
            .all()
            .filter(|town| Zone::has_several(town.uf()));
        let (mut states, mut exceptions) = (0, 0);
        for town in towns {
            let is_exception = Zone::of(Some(town.ibge()), town.uf()) != Zone::of(None, town.uf());
            let is_listed = source.contains(&format!("\"{}\"", plain(&town.name())));
            assert_eq!(is_listed, is_exception, "{town:?}");
            *(if is_exception {
                &mut exceptions
            } else {
                &mut states
            }) += 1;
        }
        assert!(states > 200 && exceptions == 14, "{states} {exceptions}");
    }

    #[test]
    fn regions_are_parsed_by_name() {
        assert_eq!(Region::parse("Centro Oeste"), Ok(Region::CentroOeste));
        assert_eq!(Region::parse(" SUL "), Ok(Region::Sul));
        assert!(
            Region::parse("sudest")
                .unwrap_err()
                .contains("did you mean sudeste?")
        );
        let error = Region::parse("Atlantis").unwrap_err();
        assert!(
            error.contains("unknown region Atlantis") && !error.contains("did you mean"),
            "{error}"
        );
    }
}

//! The settings of locations and distances.

use super::{
    Host::Server,
    Kind::{List, Text},
    Setting, value,
};

/// The settings of locations and distances that are in no section.
pub(super) const GEOGRAPHY: &[Setting] = &[
    Setting::new(
        "gazetteer",
        List("FILE", value::path),
        "Gazetteer packs built by `despacho gazetteer build`, loaded into memory at start in addition to those that `despacho places \
         install` puts into the data folder; without packs, the built-in data and the geocoders locate addresses",
    )
    .on(Server),
    Setting::new(
        "register-url",
        Text("URL", value::base_url),
        "Base URL of the address register for `despacho places`; a mirror needs the same folders, and pages that list their files",
    )
    .on(Server)
    .default_to(
        "https://ftp.ibge.gov.br/Cadastro_Nacional_de_Enderecos_para_Fins_Estatisticos/Censo_Demografico_2022/Arquivos_CNEFE/CSV",
    ),
    Setting::new(
        "nominatim",
        Text("URL", value::base_url),
        "Base URL of a Nominatim geocoder for addresses whose street is in no gazetteer pack; it receives these addresses; if unset, no \
         Nominatim is called",
    ),
    Setting::new(
        "photon",
        Text("URL", value::base_url),
        "Base URL of a Photon geocoder, called after Nominatim; it receives addresses; if unset, no Photon is called",
    ),
    Setting::new(
        "roads",
        List("FILE", value::path),
        "road files (`despacho roads build`) or OpenStreetMap extracts (.osm.pbf) for road distances, loaded into memory at start in addition to those that `despacho roads \
         install` puts into the data folder; elsewhere, or without extracts, the road service or the estimate is used, and orders with \
         estimated distances are marked",
    )
    .on(Server),
    Setting::new(
        "roads-url",
        Text("URL", value::base_url),
        "Base URL of the OpenStreetMap extracts of Brazil's regions for `despacho roads`; a mirror needs the same file names, and a file \
         with the suffix .md5 for each",
    )
    .on(Server)
    .default_to("https://download.geofabrik.de/south-america/brazil"),
    Setting::new(
        "osrm",
        Text("URL", value::base_url),
        "Base URL of an OSRM road service; distances that it lacks are estimated and the order is marked as estimated; if unset, no OSRM is \
         called",
    ),
    Setting::new(
        "valhalla",
        Text("URL", value::base_url),
        "Base URL of a Valhalla road service, which replaces an OSRM; if unset, no Valhalla is called",
    ),
];

//! The settings without a section: addresses, files, services and the panel.

use crate::settings::{
    Host::{Component, Server},
    Kind::{List, Switch, Text},
    Setting,
    Unit::Count,
    value,
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "listen",
        Text("ADDRESS:PORT", value::address),
        "Address on which the server accepts connections; port 0 selects a free port",
    )
    .on(Server)
    .default_to("127.0.0.1:8080"),
    Setting::new(
        "data",
        Text("FOLDER", value::path),
        "Folder of the database and of the generated secret; `despacho init` creates it",
    )
    .on(Server)
    .default_to("data"),
    Setting::new(
        "database",
        Text("sqlite|postgres://...", value::any),
        "Database: sqlite is the file despacho.db in the data folder; \
         postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require is a PostgreSQL server, which \
         several instances can share if they have the same secret; add &pooler=transaction \
         behind a PgBouncer in transaction mode",
    )
    .on(Server)
    .default_to("sqlite"),
    Setting::new(
        "database-url",
        Text("postgres://...", value::postgres),
        "PostgreSQL database, as postgres://USER:PASSWORD@HOST:PORT/DATABASE; if unset, the \
         component uses Spin's SQLite database `default`",
    )
    .on(Component)
    .secret(),
    Setting::number(
        "database-connections",
        Count,
        2..=1_000,
        "Maximum number of connections to PostgreSQL; one more connection receives \
         notifications from other instances",
    )
    .on(Server)
    .default_to("16"),
    Setting::new(
        "secret",
        Text("HEX", value::secret),
        "256-bit secret as 64 hexadecimal digits, which signs quotes and derives keys; if \
         unset, the server uses the file `secret` in the data folder, created by `despacho \
         init`; the component requires it",
    )
    .secret(),
    Setting::new(
        "admin-token",
        Text("TOKEN", value::token),
        "Operator's token of 20 to 256 visible characters; if unset, the server's endpoints \
         under /admin are closed; the component requires it",
    )
    .secret(),
    Setting::new(
        "public-url",
        Text("URL", value::public_url),
        "Base URL under which clients reach the service, without a path, for example \
         https://entregas.example; links to recipients' pages, couriers' sign-in links and the \
         links that set up their phones contain it; if unset, there are no such links",
    ),
    Setting::new(
        "tariff",
        Text("FILE", value::path),
        "Tariff as a JSON file, validated at start; if unset, the built-in tariff applies",
    )
    .on(Server),
    Setting::new(
        "tariff",
        Text("JSON", value::tariff_json),
        "Tariff as JSON, as `despacho tariff check` prints it; if unset, the built-in tariff \
         applies",
    )
    .on(Component),
    Setting::new(
        "gazetteer",
        List("FILE", value::path),
        "Gazetteer packs built by `despacho gazetteer build`, loaded into memory at start in \
         addition to those that `despacho places install` puts into the data folder; without \
         packs, the built-in data and the geocoders locate addresses",
    )
    .on(Server),
    Setting::new(
        "register-url",
        Text("URL", value::base_url),
        "Base URL of the address register for `despacho places`; a mirror needs the same \
         folders, and pages that list their files",
    )
    .on(Server)
    .default_to(
        "https://ftp.ibge.gov.br/Cadastro_Nacional_de_Enderecos_para_Fins_Estatisticos/\
         Censo_Demografico_2022/Arquivos_CNEFE/CSV",
    ),
    Setting::new(
        "nominatim",
        Text("URL", value::base_url),
        "Base URL of a Nominatim geocoder for addresses whose street is in no gazetteer pack; \
         it receives these addresses; if unset, no Nominatim is called",
    ),
    Setting::new(
        "photon",
        Text("URL", value::base_url),
        "Base URL of a Photon geocoder, called after Nominatim; it receives addresses; if \
         unset, no Photon is called",
    ),
    Setting::new(
        "roads",
        List("FILE", value::path),
        "road files (`despacho roads build`) or OpenStreetMap extracts (.osm.pbf) for road \
         distances, loaded into memory at start in addition to those that `despacho roads \
         install` puts into the data folder; elsewhere, or without extracts, the road service \
         or the estimate is used, and orders with estimated distances are marked",
    )
    .on(Server),
    Setting::new(
        "roads-url",
        Text("URL", value::base_url),
        "Base URL of the OpenStreetMap extracts of Brazil's regions for `despacho roads`; a \
         mirror needs the same file names, and a file with the suffix .md5 for each",
    )
    .on(Server)
    .default_to("https://download.geofabrik.de/south-america/brazil"),
    Setting::new(
        "osrm",
        Text("URL", value::base_url),
        "Base URL of an OSRM road service; distances that it lacks are estimated and the order \
         is marked as estimated; if unset, no OSRM is called",
    ),
    Setting::new(
        "valhalla",
        Text("URL", value::base_url),
        "Base URL of a Valhalla road service, which replaces an OSRM; if unset, no Valhalla is \
         called",
    ),
    Setting::new(
        "panel",
        Text("FOLDER", value::path),
        "Folder of the merchant panel's built files, served at /; if unset, there is no panel",
    )
    .on(Server),
    Setting::new(
        "panel-tiles",
        Text("URL", value::tiles),
        "URL of the panel's map tiles, for example https://tiles.example/{z}/{x}/{y}.png; if \
         unset, the map has a plain background",
    ),
    Setting::new(
        "panel-tiles-attribution",
        Text("TEXT", value::any),
        "Attribution text for the map tiles; if unset, the map shows no attribution",
    ),
    Setting::new(
        "panel-streets",
        Text("FILE", value::path),
        "PMTiles file with the streets of the panel's map, made by `despacho streets build`; it \
         replaces map tiles; if unset, the map has no streets, except in the demo",
    )
    .on(Server),
    Setting::new(
        "panel-streets-attribution",
        Text("TEXT", value::any),
        "Attribution text for the streets of panel-streets",
    )
    .on(Server)
    .default_to("© OpenStreetMap contributors"),
    Setting::new(
        "demo",
        Switch,
        "Whether demo stores, couriers and orders with a public key are created",
    )
    .default_to("false"),
    Setting::new(
        "webhooks-after-responses",
        Switch,
        "Whether webhooks are also sent after every response whose request created events, not \
         only by POST /admin/dispatch",
    )
    .on(Component)
    .default_to("false"),
    Setting::new(
        "caller-address-header",
        Text("HEADER", value::header_name),
        "Header in which the platform sends the client's IP address, for \
         limits.logins-per-address, for example spin-client-addr; the platform must overwrite \
         it; if unset, there is no limit by address",
    )
    .on(Component),
    Setting::number(
        "max-connections",
        Count,
        1..=1_000_000,
        "Maximum number of connections; one more closes the connection that has been idle for \
         longest, or gets 503 if all are in use",
    )
    .on(Server)
    .default_to("10000"),
    Setting::number(
        "max-connections-per-address",
        Count,
        1..=1_000_000,
        "Maximum number of connections of one IPv4 address or IPv6 /64 network, enforced like \
         max-connections; trusted proxies have no such limit",
    )
    .on(Server)
    .default_to("1000"),
    Setting::new(
        "trusted-proxies",
        List("NETWORK", value::any),
        "Proxies, for example 10.0.0.0/8 or ::1, whose X-Forwarded-For header is used; if \
         unset, the client's address is that of the connection",
    )
    .on(Server),
];

//! Packs, geocoders and road networks, against services on loopback.

mod commands;
mod geocoders;
mod networks;

use std::{path::Path, time::Duration};

use despacho_core::domain::Address;
use despacho_warp::{
    config::{Config, Geography as Chosen},
    geo::Geography,
    overload::{Overload, OverloadTerms},
};

/// What a test chooses: the patience of a busy machine.
fn chosen() -> Chosen {
    let patience = Duration::from_secs(20);
    Chosen { geocoder_timeout: patience, routing_timeout: patience, geocoder_pace: 1_000, ..Chosen::default() }
}

/// The same with little patience, where somebody is slow.
fn impatient() -> Chosen {
    let patience = Duration::from_millis(400);
    Chosen { geocoder_timeout: patience, routing_timeout: patience, ..chosen() }
}

fn open(folder: &Path, geography: Chosen) -> Geography {
    Geography::open(&Config { data: folder.to_owned(), geography, ..Config::default() }).unwrap()
}

/// The metrics as a server would show them.
fn metrics(geography: &Geography) -> String {
    let server = despacho_warp::metrics::Metrics::new().with_geography(geography.figures());
    let (stats, pool) = Default::default();
    server.text(&stats, &pool, &Overload::new(OverloadTerms::default()), 0).unwrap()
}

fn address(street: &str, number: &str, zip_code: &str) -> Address {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Address {
        street: text(street),
        number: text(number),
        city: text("São Paulo"),
        state: text("SP"),
        zip_code: text(zip_code),
        ..Address::default()
    }
}

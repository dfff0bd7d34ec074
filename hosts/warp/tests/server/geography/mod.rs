//! Packs, geocoders and road networks, against services on loopback.

mod commands;
mod geocoders;
mod mirror;
mod missing;
mod networks;
mod paths;
mod places;
mod road_files;
mod roads;

use std::path::Path;

use despacho_core::model::Address;
use despacho_warp::{config::Config, geo::Geography, overload::Overload};

/// A configuration with timeouts for a busy machine.
fn test_config() -> Config {
    with_timeout(20_000)
}

/// A configuration with short timeouts, for slow services.
fn short_timeouts() -> Config {
    with_timeout(400)
}

fn with_timeout(timeout_ms: u64) -> Config {
    let mut config = Config::defaults().unwrap();
    config.shared.geocoder.timeout_ms = timeout_ms;
    config.shared.geocoder.per_second = 1_000;
    config.shared.routing.timeout_ms = timeout_ms;
    config
}

fn open(folder: &Path, config: Config) -> Geography {
    Geography::open(&Config {
        data: folder.to_owned(),
        ..config
    })
    .unwrap()
}

/// Returns the metrics in the server's format.
fn metrics(geography: &Geography) -> String {
    let server = despacho_warp::metrics::Metrics::new().with_geography(geography.metrics());
    let (stats, pool) = Default::default();
    server
        .text(&stats, &pool, &Overload::new(test_config().overload), 0)
        .unwrap()
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

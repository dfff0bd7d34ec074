//! What an operator decides, from the application's variables.
//!
//! Whatever is missing or wrong is told by the variable's name, all of it at once; never by its value, which may be a secret.

use std::{cell::RefCell, rc::Rc};

use despacho_core::{
    Settings,
    courier::Dispatch,
    json::{self, Tree},
    limits::Limits,
    order::{Cancellation, Timing},
    quote::Tariff,
    settings::{KeyTerms, PlaceTerms, RetentionConfig, Secret, operator_token},
    webhook::WebhookTerms,
};
use despacho_files::{Site, Tiles};
use despacho_geo::{GeocoderTerms, RoutingTerms, base_address, profile};
use http::HeaderName;
use serde::Deserialize;
use spin_sdk::variables;

use crate::geography::{Bases, Geography};

/// The names of the variables, as in spin.toml.
const NAMES: [&str; 14] = [
    "admin_token",
    "secret",
    "database_url",
    "demo",
    "webhooks_after_answers",
    "caller_address_header",
    "nominatim",
    "photon",
    "osrm",
    "valhalla",
    "panel_tiles",
    "panel_tiles_attribution",
    "tariff",
    "settings",
];

/// What the variables say.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// What the rules are given.
    pub(crate) settings: Settings,
    /// The PostgreSQL database; `None` for Spin's own SQLite.
    pub(crate) database_url: Option<String>,
    /// Whether the demonstration's data is put in on first use.
    pub(crate) demo: bool,
    /// Whether webhooks leave after every answer that has news, besides with each round of dispatch.
    pub(crate) webhooks_after_answers: bool,
    /// The header in which the platform tells a caller's address.
    pub(crate) caller_address: Option<HeaderName>,
    /// What places and roads are known from.
    pub(crate) geography: Rc<Geography>,
    /// What the merchant panel's files have in common.
    pub(crate) site: Site,
}

/// What is wrong with a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigError {
    /// Its name.
    pub(crate) variable: &'static str,
    /// What is wrong, without its value.
    pub(crate) detail: String,
}

/// The variable `settings`: the same sections and names as the server's configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Sections {
    limits: Limits,
    timing: Timing,
    dispatch: Dispatch,
    cancellation: Cancellation,
    keys: KeyTerms,
    places: PlaceTerms,
    webhooks: WebhookTerms,
    retention: RetentionConfig,
    geocoder: GeocoderTerms,
    routing: RoutingTerms,
}

/// What a number may be where the core itself does not say.
const RANGES: &[(&str, u64, u64)] = &[
    ("limits.deliveries", 1, 200),
    ("limits.body-bytes", 1_024, 16_777_216),
    ("limits.preparation-minutes", 0, 10_080),
    ("limits.previews-per-minute", 1, 1_000_000),
    ("limits.writes-per-minute", 1, 1_000_000),
    ("limits.reads-per-minute", 1, 1_000_000),
    ("limits.logins-per-15-minutes", 1, 10_000),
    ("limits.logins-per-address", 1, 100_000),
    ("limits.branches", 1, 100_000),
    ("limits.registrations-per-day", 1, 100_000),
    ("limits.idempotency-records", 1, 100_000_000),
    ("limits.idempotency-mib", 1, 1_000_000),
    ("limits.unknown-keys-per-minute", 1, 1_000_000),
    ("timing.search-minutes", 1, 1_440),
    ("dispatch.interval-seconds", 1, 60),
    ("dispatch.radius-km", 1, Dispatch::LARGEST_RADIUS_KM as u64),
    ("dispatch.max-position-age-minutes", 1, 60),
    ("dispatch.silence-timeout-minutes", 1, 120),
    ("dispatch.reoffer-after-minutes", 0, 60),
    ("dispatch.position-seconds", 0, 300),
    ("dispatch.orders-per-pass", 1, 5_000),
    ("cancellation.free-minutes", 0, 1_440),
    ("cancellation.fee-percent", 0, 100),
    ("keys.days", 1, 3_650),
    ("keys.session-hours", 1, 720),
    ("keys.per-store", 1, 10_000),
    ("keys.sessions-per-store", 1, 10_000),
    ("webhooks.first-retry-ms", 10, 3_600_000),
    ("webhooks.max-retry-minutes", 1, 1_440),
    ("webhooks.give-up-minutes", 1, 43_200),
    ("webhooks.disable-after", 1, 1_000_000),
    ("webhooks.timeout-seconds", 1, 30),
    ("webhooks.per-store", 1, 1_000),
    ("retention.recipients-days", 0, 3_650),
    ("retention.positions-days", 0, 3_650),
    ("webhooks.per-merchant", 1, 100_000),
    ("geocoder.timeout-ms", 50, 30_000),
    ("geocoder.per-second", 1, 1_000),
    ("geocoder.cache-days", 0, 3_650),
    ("geocoder.cache-entries", 1, 100_000_000),
    ("routing.timeout-ms", 50, 30_000),
    ("routing.snap-m", 10, 10_000),
    ("routing.duration-percent", 50, 500),
    ("routing.osrm-points", 2, 10_000),
    ("routing.valhalla-pairs", 1, 1_000_000),
];

thread_local! {
    /// Read once an instance; what is faulty is read again with the next request.
    static KEPT: RefCell<Option<Rc<Config>>> = const { RefCell::new(None) };
}

/// The configuration, or everything that is wrong with it.
pub(crate) async fn load() -> Result<Rc<Config>, Vec<ConfigError>> {
    if let Some(kept) = KEPT.with_borrow(Clone::clone) {
        return Ok(kept);
    }
    let mut found = Vec::with_capacity(NAMES.len());
    let mut errors = Vec::new();
    for variable in NAMES {
        match variables::get(variable).await {
            Ok(value) => found.push((variable, value)),
            Err(variables::Error::Undefined(_)) => {}
            // The provider's own words may quote the value.
            Err(_) => errors.push(ConfigError { variable, detail: "cannot be read from its provider".to_owned() }),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let value = |name: &str| found.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.as_str());
    let config = Rc::new(read(value)?);
    KEPT.set(Some(Rc::clone(&config)));
    Ok(config)
}

/// Reads the variables; an empty one is one that nobody set.
fn read<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<Config, Vec<ConfigError>> {
    let set = |name: &str| value(name).map(str::trim).filter(|text| !text.is_empty());
    let mut errors = Vec::new();
    let mut error = |variable, detail: String| errors.push(ConfigError { variable, detail });
    let missing = || "is missing".to_owned();
    let operator = set("admin_token").ok_or_else(missing).and_then(operator_token);
    let operator = operator.map_err(|detail| error("admin_token", detail)).ok();
    let secret = set("secret").ok_or_else(missing).and_then(Secret::parse);
    let secret = secret.map_err(|detail| error("secret", detail)).unwrap_or_default();
    let database_url = set("database_url").map(database_url).transpose();
    let database_url = database_url.map_err(|detail| error("database_url", detail)).unwrap_or_default();
    let demo = set("demo").map_or(Ok(false), switch).map_err(|detail| error("demo", detail)).unwrap_or_default();
    let after = set("webhooks_after_answers").map_or(Ok(false), switch);
    let webhooks_after_answers = after.map_err(|detail| error("webhooks_after_answers", detail)).unwrap_or_default();
    let caller_address = set("caller_address_header").map(header).transpose();
    let caller_address = caller_address.map_err(|detail| error("caller_address_header", detail)).unwrap_or_default();
    let [nominatim, photon, osrm, valhalla] = ["nominatim", "photon", "osrm", "valhalla"].map(|name| {
        let base = set(name).map(base_address).transpose();
        base.map_err(|detail| error(name, detail)).unwrap_or_default()
    });
    if osrm.is_some() && valhalla.is_some() {
        error("valhalla", "cannot stand beside osrm: choose one of them".to_owned());
    }
    let attribution = set("panel_tiles_attribution").unwrap_or_default();
    let site = Site::new(set("panel_tiles").map(|url| Tiles { url, attribution }), demo);
    let site = site.map_err(|detail| error("panel_tiles", detail)).ok();
    let tariff = set("tariff").map_or_else(|| Ok(Tariff::default()), tariff);
    let tariff = tariff.map_err(|detail| error("tariff", detail)).unwrap_or_default();
    let sections = set("settings").map_or_else(|| Ok(Sections::default()), sections);
    let sections = sections.map_err(|detail| error("settings", detail)).unwrap_or_default();
    let Sections { limits, timing, dispatch, cancellation, keys, places, webhooks, retention, geocoder, routing } =
        sections;
    let bases = Bases {
        nominatim: nominatim.as_deref(),
        photon: photon.as_deref(),
        osrm: osrm.as_deref(),
        valhalla: valhalla.as_deref(),
    };
    let geography = Rc::new(Geography::new(bases, geocoder, &routing, places.least_precision));
    let settings = Settings {
        limits,
        timing,
        dispatch,
        cancellation,
        tariff,
        keys,
        places,
        webhooks,
        retention,
        secret,
        operator,
    };
    match site {
        Some(site) if errors.is_empty() => {
            Ok(Config { settings, database_url, demo, webhooks_after_answers, caller_address, geography, site })
        }
        _ => Err(errors),
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

/// A header's name, of letters, digits and hyphens: what else HTTP allows, proxies drop.
fn header(text: &str) -> Result<HeaderName, String> {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let name = HeaderName::from_bytes(text.as_bytes()).ok().filter(|_| plain);
    name.ok_or_else(|| "must be a header's name, as spin-client-addr".to_owned())
}

fn database_url(text: &str) -> Result<String, String> {
    let sound = text.starts_with("postgres://") || text.starts_with("postgresql://");
    if sound { Ok(text.to_owned()) } else { Err("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE".to_owned()) }
}

fn tariff(text: &str) -> Result<Tariff, String> {
    let tariff: Tariff = json::from_str(text).map_err(|error| format!("is no tariff: {error}"))?;
    let errors: Vec<String> = tariff.errors().iter().map(ToString::to_string).collect();
    if errors.is_empty() { Ok(tariff) } else { Err(format!("is no tariff: {}", errors.join("; "))) }
}

fn sections(text: &str) -> Result<Sections, String> {
    let given = Tree::parse(text).map_err(|error| format!("cannot be read: {error}"))?;
    if !matches!(given, Tree::Object(_)) {
        return Err("must be a JSON object".to_owned());
    }
    let sections: Sections = given.read().map_err(|unread| format!("cannot be read: {unread}"))?;
    profile(&sections.routing.osrm_profile).map_err(|detail| format!("routing.osrm-profile {detail}"))?;
    let outside = RANGES.iter().filter_map(|(name, least, most)| {
        let (section, number) = name.split_once('.')?;
        let number = given.get(section)?.get(number)?.as_u64()?;
        (!(*least..=*most).contains(&number)).then(|| format!("{name} must be from {least} to {most}"))
    });
    let outside: Vec<String> = outside.collect();
    if outside.is_empty() { Ok(sections) } else { Err(outside.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "operator-token-0123456789";

    fn with(more: &[(&str, &str)]) -> Result<Config, Vec<ConfigError>> {
        let secret = "0f".repeat(32);
        let given = [("admin_token", TOKEN), ("secret", secret.as_str())];
        let all: Vec<_> = more.iter().chain(&given).copied().collect();
        read(|name| all.iter().find(|(variable, _)| *variable == name).map(|(_, value)| *value))
    }

    fn wrong(more: &[(&str, &str)]) -> Vec<&'static str> {
        with(more).expect_err("it is wrong").iter().map(|error| error.variable).collect()
    }

    #[test]
    fn token_and_secret_are_all_that_is_needed() {
        let config = with(&[("demo", ""), ("database_url", " ")]).expect("it is whole");
        assert_eq!((config.demo, config.database_url), (false, None));
        assert_eq!(config.settings.secret.0, [15; 32]);
        assert!(config.settings.operator.is_some());
    }

    #[test]
    fn everything_wrong_is_named_at_once_and_no_value_told() {
        let errors = read(|name| Some(name).filter(|name| *name != "admin_token").map(|_| "hunter2"));
        let errors = errors.expect_err("all of it is wrong");
        let names: Vec<_> = errors.iter().map(|error| error.variable).collect();
        // A source of pictures may have any name, and so may a header.
        let any = ["caller_address_header", "panel_tiles_attribution"];
        let all: Vec<_> = NAMES.into_iter().filter(|name| !any.contains(name)).collect();
        assert_eq!(names, all);
        assert!(errors.iter().all(|error| !error.detail.contains("hunter2")), "{errors:?}");
    }

    #[test]
    fn settings_and_tariff_are_checked() {
        let config = with(&[("settings", r#"{"limits": {"deliveries": 100}, "keys": {"days": 30}}"#)]).expect("sound");
        assert_eq!((config.settings.limits.deliveries, config.settings.keys.days), (100, 30));
        assert_eq!(config.settings.limits.body_bytes, Limits::default().body_bytes);
        for text in [r#"{"limits": {"deliveries": 0}}"#, r#"{"limit": {}}"#, "[]", r#"{"keys": {"days": -1}}"#] {
            assert_eq!(wrong(&[("settings", text)]), ["settings"], "{text}");
        }
        assert_eq!(wrong(&[("tariff", "{}")]), ["tariff"]);
        assert_eq!(wrong(&[("demo", "yes"), ("database_url", "mysql://x")]), ["database_url", "demo"]);
        assert_eq!(wrong(&[("caller_address_header", "true client ip")]), ["caller_address_header"]);
        assert_eq!(wrong(&[("settings", r#"{"routing": {"osrm-profile": "car/../x"}}"#)]), ["settings"]);
    }

    #[test]
    fn services_are_base_addresses_and_one_network_is_chosen() {
        assert!(with(&[]).expect("sound").geography.is_embedded());
        let bases = [("nominatim", "http://127.0.0.1:8081"), ("osrm", "https://osrm.example/br/")];
        assert!(!with(&bases).expect("sound").geography.is_embedded());
        assert_eq!(wrong(&[("photon", "photon:2322"), ("osrm", "http://a?key=1")]), ["photon", "osrm"]);
        assert_eq!(wrong(&[("osrm", "http://a"), ("valhalla", "http://b")]), ["valhalla"]);
    }

    #[test]
    fn every_number_of_the_core_has_a_range() {
        let Sections {
            limits,
            timing,
            dispatch,
            cancellation,
            keys,
            places: _,
            webhooks,
            retention,
            geocoder,
            routing,
        } = Sections::default();
        let all = serde_json::json!({
            "limits": limits,
            "timing": timing,
            "dispatch": dispatch,
            "cancellation": cancellation,
            "keys": keys,
            "webhooks": webhooks,
            "retention": retention,
            "geocoder": geocoder,
            "routing": routing,
        });
        let sections = all.as_object().expect("an object");
        for (section, values) in sections {
            let numbers = values.as_object().expect("a section").iter().filter(|(_, value)| value.is_number());
            for (key, _) in numbers {
                let name = format!("{section}.{key}");
                assert!(RANGES.iter().any(|(known, _, _)| *known == name), "{name} has no range");
            }
        }
    }
}

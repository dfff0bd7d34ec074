//! The component's configuration: the table of settings, read from the application's variables.

use std::{cell::RefCell, rc::Rc};

use despacho_core::{
    model::store::KeyHash,
    rules::{
        pricing::Tariff,
        settings::{Secret, Settings},
    },
};
use despacho_geo::{Geocoders, networks};
use despacho_shell::{
    panel::{Background, Site, Tiles},
    settings::{ConfigError, ConfigErrors, Host, Loaded, Reader, Setting, Source, fields},
};
use http::HeaderName;
use serde::Deserialize;
use serde_json::Value;
use spin_sdk::variables;

use crate::geography::Geography;

/// The variable with the settings that have a section.
const SETTINGS: &str = "settings";
/// The configuration of the component.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The settings of the core.
    pub(crate) settings: Settings,
    /// The settings that only the component has.
    pub(crate) own: OwnSettings,
    /// Geocoders and road services.
    pub(crate) geography: Rc<Geography>,
    /// The merchant panel.
    pub(crate) site: Site,
}

/// The settings that have their own variable. The table in despacho-shell describes them.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct OwnSettings {
    #[serde(default, deserialize_with = "fields::secret")]
    secret: Option<Secret>,
    #[serde(default, deserialize_with = "fields::token")]
    admin_token: Option<KeyHash>,
    #[serde(default, deserialize_with = "fields::tariff")]
    tariff: Option<Tariff>,
    /// The header with the client's address.
    #[serde(default, deserialize_with = "fields::optional")]
    pub(crate) caller_address_header: Option<HeaderName>,
    public_url: Option<String>,
    panel_tiles: Option<String>,
    panel_tiles_attribution: Option<String>,
    pub(crate) database_url: Option<String>,
    pub(crate) demo: bool,
    pub(crate) webhooks_after_responses: bool,
    pub(crate) nominatim: Option<String>,
    pub(crate) photon: Option<String>,
    pub(crate) osrm: Option<String>,
    pub(crate) valhalla: Option<String>,
}

thread_local! {
    /// The configuration, read once per instance; after an error the next request reads it again.
    static CONFIG: RefCell<Option<Rc<Config>>> = const { RefCell::new(None) };
}

/// Returns the configuration, or all its errors.
pub(crate) async fn load() -> Result<Rc<Config>, ConfigErrors> {
    if let Some(config) = CONFIG.with_borrow(Clone::clone) {
        return Ok(config);
    }
    let mut reader = Reader::new(Host::Component);
    let own = Setting::of(Host::Component).filter(|setting| setting.path().0.is_empty());
    for name in own.map(Setting::variable).chain([SETTINGS.to_owned()]) {
        match variables::get(&name).await {
            Ok(value) => set(&mut reader, &name, &value),
            Err(variables::Error::Undefined(_)) => {}
            // The provider's message may quote the value.
            Err(_) => reader.reject(&name, &Source::Default, "cannot be read from its provider"),
        }
    }
    let config = Rc::new(finish(reader)?);
    CONFIG.set(Some(Rc::clone(&config)));
    Ok(config)
}

/// Sets the value of a variable. An empty variable is unset: spin.toml has an empty default for
/// each.
fn set(reader: &mut Reader, name: &str, value: &str) {
    let value = value.trim();
    let source = Source::Variable(name.to_owned());
    if value.is_empty() {
        return;
    }
    if name != SETTINGS {
        if let Some(setting) =
            Setting::of(Host::Component).find(|setting| setting.variable() == name)
        {
            reader.set(setting, value, source);
        }
        return;
    }
    match serde_json::from_str(value) {
        Ok(Value::Object(object)) => reader.set_all(&object, &source),
        Ok(_) => reader.reject(name, &source, "must be a JSON object"),
        Err(error) => reader.reject(name, &source, format!("is not JSON: {error}")),
    }
}

/// Checks what only this host can check, and builds the configuration.
fn finish(mut reader: Reader) -> Result<Config, ConfigErrors> {
    for key in ["admin-token", "secret"] {
        reader.require(key, &Source::Default, "is missing");
    }
    let Loaded { own, shared, .. } = reader.finish::<OwnSettings>()?;
    let attribution = own.panel_tiles_attribution.as_deref().unwrap_or_default();
    let tiles = own
        .panel_tiles
        .as_deref()
        .map(|url| Tiles { url, attribution });
    let site = Site::new(
        Background {
            streets: None,
            tiles,
        },
        own.demo,
    );
    let site = site.map_err(|detail| ConfigErrors::one("panel-tiles", detail))?;
    let settings = shared.core(
        own.tariff.clone().unwrap_or_default(),
        own.secret.clone().unwrap_or_default(),
        own.admin_token.clone(),
        own.public_url.clone(),
    );
    let geocoders = Geocoders::at(
        own.nominatim.as_deref(),
        own.photon.as_deref(),
        &shared.geocoder,
    );
    let networks = networks(
        own.osrm.as_deref(),
        own.valhalla.as_deref(),
        &shared.routing,
    );
    let geography = Rc::new(Geography::new(geocoders, networks, &shared));
    Ok(Config {
        settings,
        own,
        geography,
        site,
    })
}

/// Describes an error by its variable.
pub(crate) fn describe(error: &ConfigError) -> String {
    let ConfigError {
        key,
        value,
        source,
        detail,
    } = error;
    let own = key.replace('-', "_");
    let variable = match source {
        Source::Variable(name) => name,
        _ if key.contains('.') => SETTINGS,
        _ => &own,
    };
    let key = if variable == own {
        String::new()
    } else {
        format!("{key} ")
    };
    let value = value
        .as_ref()
        .map(|value| format!("= {value} "))
        .unwrap_or_default();
    format!("`{variable}` {key}{value}{detail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "a-token-of-the-operator-012345";

    fn with(more: &[(&str, &str)]) -> Result<Config, Vec<String>> {
        let (secret, mut reader) = ("0f".repeat(32), Reader::new(Host::Component));
        for (name, value) in [("admin_token", TOKEN), ("secret", &secret)]
            .iter()
            .chain(more)
        {
            set(&mut reader, name, value);
        }
        finish(reader).map_err(|errors| errors.0.iter().map(describe).collect())
    }

    fn errors(more: &[(&str, &str)]) -> Vec<String> {
        with(more).expect_err("an error")
    }

    #[test]
    fn token_and_secret_are_the_only_required_variables() {
        let config = with(&[("demo", ""), ("database_url", " ")]).expect("a configuration");
        assert_eq!((config.own.demo, config.own.database_url), (false, None));
        assert_eq!(config.settings.secret.0, [15; 32]);
        assert!(config.settings.operator.is_some() && config.geography.is_embedded());
        let missing = finish(Reader::new(Host::Component))
            .expect_err("no variable is set")
            .0;
        assert_eq!(
            missing.iter().map(describe).collect::<Vec<_>>(),
            ["`admin_token` is missing", "`secret` is missing"]
        );
    }

    #[test]
    fn every_error_is_named_at_once_without_its_value() {
        let mut reader = Reader::new(Host::Component);
        let names: Vec<String> = Setting::of(Host::Component)
            .map(Setting::variable)
            .collect();
        for name in &names {
            set(&mut reader, name, "hunter 2");
        }
        let errors: Vec<String> = finish(reader)
            .expect_err("all are invalid")
            .0
            .iter()
            .map(describe)
            .collect();
        // An attribution can be any text.
        for name in names
            .iter()
            .filter(|name| *name != "panel_tiles_attribution")
        {
            assert!(
                errors
                    .iter()
                    .any(|error| error.starts_with(&format!("`{name}` "))),
                "{name} in {errors:?}"
            );
        }
        assert!(
            errors.iter().all(|error| !error.contains("hunter")),
            "{errors:?}"
        );
    }

    #[test]
    fn sections_are_checked_and_named_by_their_key() {
        let given = r#"{"limits": {"deliveries": 100}, "keys": {"days": 30}, "routing": {"osrm-profile": "bike"}}"#;
        let config = with(&[("settings", given), ("osrm", "https://osrm.example/br/")])
            .expect("a configuration");
        assert_eq!(
            (config.settings.limits.deliveries, config.settings.keys.days),
            (100, 30)
        );
        assert!(!config.geography.is_embedded());
        assert_eq!(
            errors(&[(
                "settings",
                r#"{"limits": {"deliveries": 0}, "limit": {}, "demo": true}"#
            )]),
            [
                "`settings` demo is not a setting",
                "`settings` limit is not a setting",
                "`settings` limits.deliveries = 0 must be a whole number from 1 to 200",
            ]
        );
        assert_eq!(
            errors(&[("settings", "[]")]),
            ["`settings` must be a JSON object"]
        );
        assert_eq!(
            errors(&[("settings", r#"{"routing": {"osrm-profile": "car/../x"}}"#)]).len(),
            1
        );
        assert_eq!(errors(&[("tariff", "{}")]).len(), 1);
    }
}

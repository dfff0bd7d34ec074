//! The settings that every host has: the core's rules, geocoders and road services.

use std::sync::LazyLock;

use despacho_core::{
    model::store::KeyHash,
    rules::{
        lifecycle::{Cancellation, Timing},
        limits::Limits,
        matching::Dispatch,
        pricing::Tariff,
        push::PushConfig,
        settings::{
            AccountConfig, CourierConfig, KeyConfig, PlaceConfig, PriceConfig, RetentionConfig,
            Secret, Settings,
        },
        top_ups::PixConfig,
        webhooks::WebhookConfig,
    },
};
use despacho_geo::{GeocoderConfig, RoutingConfig};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value::text;

/// The settings that every host has, by section.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct SharedSettings {
    /// Sizes and rates.
    pub limits: Limits,
    /// How long orders wait.
    pub timing: Timing,
    /// How couriers are searched for.
    pub dispatch: Dispatch,
    /// The price of a late cancellation.
    pub cancellation: Cancellation,
    /// API keys and logins.
    pub keys: KeyConfig,
    /// Links that set passwords.
    pub accounts: AccountConfig,
    /// Sign-in links and sessions of couriers.
    pub couriers: CourierConfig,
    /// The required precision of addresses.
    pub places: PlaceConfig,
    /// Uncertain prices.
    pub pricing: PriceConfig,
    /// How webhooks are sent.
    pub webhooks: WebhookConfig,
    /// How couriers are notified of orders.
    pub push: PushConfig,
    /// Payments by Pix to the operator.
    pub pix: PixConfig,
    /// How long personal data is stored.
    pub retention: RetentionConfig,
    /// How geocoders are called.
    pub geocoder: GeocoderConfig,
    /// How road services are called.
    pub routing: RoutingConfig,
}

impl SharedSettings {
    /// Returns the settings of the core.
    #[must_use]
    pub fn core(
        &self,
        tariff: Tariff,
        secret: Secret,
        operator: Option<KeyHash>,
        public_url: Option<String>,
    ) -> Settings {
        Settings {
            limits: self.limits.clone(),
            timing: self.timing.clone(),
            dispatch: self.dispatch.clone(),
            cancellation: self.cancellation.clone(),
            tariff,
            keys: self.keys.clone(),
            accounts: self.accounts.clone(),
            couriers: self.couriers.clone(),
            places: self.places,
            pricing: self.pricing,
            webhooks: self.webhooks.clone(),
            push: self.push.clone(),
            pix: self.pix.clone(),
            mail: false,
            retention: self.retention,
            secret,
            operator,
            public_url,
        }
    }

    /// Returns the key and the detail of a conflict between two settings.
    pub(super) fn conflict(&self) -> Option<(&'static str, String)> {
        if self.push.vapid_key.is_some() && self.push.contact.is_none() {
            return Some(("push.contact", "is required with push.vapid-key".to_owned()));
        }
        let pix = &self.pix;
        if pix.key.is_some() && pix.recipient().is_none() {
            let missing = if pix.name.is_none() {
                "pix.name"
            } else {
                "pix.city"
            };
            return Some((missing, "is required with pix.key".to_owned()));
        }
        let dispatch = &self.dispatch;
        let lost_minutes = dispatch
            .max_position_age_minutes
            .min(dispatch.silence_timeout_minutes);
        (dispatch.position_seconds * 2 > lost_minutes * 60).then(|| {
            let detail = "must be at most half of dispatch.max-position-age-minutes and of \
                          dispatch.silence-timeout-minutes: otherwise couriers who report their position are treated as lost";
            ("dispatch.position-seconds", detail.to_owned())
        })
    }
}

/// The defaults of [`SharedSettings`], by section and name.
static DEFAULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(SharedSettings::default()).unwrap_or_default());

/// Returns the default of a shared setting by its section and name; `None` for other settings.
pub(super) fn default((section, name): (&str, &str)) -> Option<String> {
    DEFAULTS.get(section)?.get(name).and_then(text)
}

/// Whether a section holds shared settings.
pub(super) fn is_shared(section: &str) -> bool {
    DEFAULTS.get(section).is_some()
}

#[cfg(test)]
mod tests {
    use super::{super::table, *};

    #[test]
    fn shared_settings_match_the_rows_of_the_table() {
        let defaults = serde_json::to_value(SharedSettings::default()).unwrap();
        let fields = defaults
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(section, values)| {
                values
                    .as_object()
                    .unwrap()
                    .keys()
                    .map(move |name| format!("{section}.{name}"))
            });
        let mut fields: Vec<String> = fields.collect();
        fields.sort();
        let shared = table().filter(|setting| is_shared(setting.path().0));
        let mut rows: Vec<&str> = shared.map(|setting| setting.key).collect();
        rows.sort_unstable();
        assert_eq!(fields, rows);
    }
}

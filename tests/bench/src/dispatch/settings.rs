//! The settings of the benchmark.

use despacho_bench::BoxError;
use despacho_core::{
    model::store::KeyHash,
    rules::{
        lifecycle::Timing, limits::Limits, matching::Dispatch, pricing::Tariff, settings::Settings,
    },
};
use serde_json::{Map, Value, json};

use super::{Options, instance::Instance};

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-of-the-benchmark";
/// Minutes of a search or a silence that no simulated day reaches.
const NEVER_MINUTES: u32 = 100_000;

/// Returns the settings for an instance.
pub(crate) fn settings(options: &Options, instance: &Instance) -> Result<Settings, BoxError> {
    let dispatch = Dispatch {
        radius_km: *Dispatch::RADIUS_KM.end(),
        max_position_age_minutes: NEVER_MINUTES,
        silence_timeout_minutes: NEVER_MINUTES,
        position_seconds: 0,
        interval_seconds: options.every,
        lead_minutes: options.lead,
        margin_seconds: options.margin,
        pickup_service_seconds: u32::try_from(instance.half_pickup * 2)?,
        delivery_service_seconds: u32::try_from(instance.half_delivery * 2)?,
        ..Dispatch::default()
    };
    let Value::Object(mut fields) = serde_json::to_value(dispatch)? else {
        return Err("the settings of dispatch are not an object".into());
    };
    for (name, value) in &options.set {
        set(&mut fields, name, value)?;
    }
    let dispatch: Dispatch = serde_json::from_value(Value::Object(fields))?;
    Ok(Settings {
        limits: Limits {
            writes_per_minute: u32::MAX,
            reads_per_minute: u32::MAX,
            ..Limits::default()
        },
        timing: Timing {
            search_minutes: NEVER_MINUTES,
        },
        dispatch,
        tariff: Tariff {
            max_distance_km: 5_000.into(),
            service_radius_km: 5_000.into(),
            ..Tariff::default()
        },
        operator: Some(KeyHash::of(OPERATOR)),
        ..Settings::default()
    })
}

/// Sets a setting of dispatch by its name. The value is JSON or a string.
fn set(fields: &mut Map<String, Value>, name: &str, value: &str) -> Result<(), BoxError> {
    let names: Vec<&String> = fields.keys().collect();
    if !fields.contains_key(name) {
        return Err(format!("dispatch has no setting `{name}`; its settings are {names:?}").into());
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    fields.insert(name.to_owned(), value);
    Ok(())
}

//! Tariffs in the operator's requests and responses.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::objects;
use crate::{model::read_decimal, rules::pricing::Tariff};

/// A decimal in a request: a number, or a string of its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecimalNumber(#[serde(deserialize_with = "read_decimal")] pub Decimal);

/// A tariff. Amounts are in BRL and distances in kilometres, as numbers or as decimal strings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TariffBody {
    /// Version in orders and quotes: 1 to 40 letters, digits, dots, underscores and hyphens.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, format = "tariff-version"))]
    pub version: Option<String>,
    /// Base fee of every order.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 10000))]
    pub base_fee: Option<DecimalNumber>,
    /// Kilometres covered by the base fee.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 1000))]
    pub base_km: Option<DecimalNumber>,
    /// Fee per kilometre beyond these, excluding the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 1000))]
    pub per_km: Option<DecimalNumber>,
    /// Fee per stop after the first.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 10000))]
    pub per_extra_stop: Option<DecimalNumber>,
    /// Fee for returning a payment, charged once.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 10000))]
    pub return_fee: Option<DecimalNumber>,
    /// Fee per kilometre of the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 1000))]
    pub return_per_km: Option<DecimalNumber>,
    /// Surcharges depending on the local time of the pickup, at most 50.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub windows: Option<Vec<WindowBody>>,
    /// Minimum fee.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = 0, maximum = 10000))]
    pub minimum_fee: Option<DecimalNumber>,
    /// Maximum length of the whole route in kilometres, including the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, exclusive_minimum = 0, maximum = 5000))]
    pub max_distance_km: Option<DecimalNumber>,
    /// Maximum straight-line distance from the pickup to a stop in kilometres.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, exclusive_minimum = 0, maximum = 5000))]
    pub service_radius_km: Option<DecimalNumber>,
    /// Expected minutes from the start of the search to the courier's arrival at the pickup.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = u32, minimum = 0, maximum = 240))]
    pub approach_minutes: Option<f64>,
    /// Expected minutes at each stop.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = u32, minimum = 0, maximum = 240))]
    pub handover_minutes: Option<f64>,
}

/// A surcharge for orders that are priced at certain local times.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WindowBody {
    /// Name, such as `evening`.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, max_length = 40))]
    pub name: Option<String>,
    /// Days of the week, such as `mon` or `monday`, in upper or lower case. Empty means every day.
    #[cfg_attr(feature = "openapi", schema(max_items = 7))]
    pub days: Option<Vec<String>>,
    /// Local time of the start, `HH:MM`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "local-time", example = "18:00")
    )]
    pub from: Option<String>,
    /// Local time of the end, exclusive. If it is not later than `from`, it is on the next day.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "local-time", example = "22:00")
    )]
    pub until: Option<String>,
    /// Surcharge in per cent of the fee so far.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64, minimum = -100, maximum = 500))]
    pub percent: Option<DecimalNumber>,
}

/// A tariff to store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateTariff {
    /// The tariff. Its version must be new.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = TariffBody))]
    pub tariff: Option<TariffBody>,
    /// Time from which prices use it, at most 366 days ahead. By default from now.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub effective_from: Option<String>,
}

/// A version of the tariff.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = TariffVersion))]
#[serde(rename_all = "camelCase")]
pub struct TariffVersionView {
    /// The ID. Null for the configured tariff.
    pub id: Option<u64>,
    /// `SCHEDULED`, `CURRENT` or `PAST`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^(SCHEDULED|CURRENT|PAST)$", example = "CURRENT"))]
    pub state: &'static str,
    /// Time from which prices use it. Null for the configured tariff.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub effective_from: Option<String>,
    /// Time of creation. Null for the configured tariff.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub created_at: Option<String>,
    /// The tariff.
    #[serde(serialize_with = "shared")]
    #[cfg_attr(feature = "openapi", schema(value_type = TariffDocument))]
    pub tariff: Arc<Tariff>,
}

fn shared<S: serde::Serializer>(tariff: &Arc<Tariff>, serializer: S) -> Result<S::Ok, S::Error> {
    Tariff::serialize(tariff, serializer)
}

/// A page of the versions of the tariff, latest time of effect first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TariffList {
    /// The versions. The configured tariff is the last one of the last page.
    pub tariffs: Vec<TariffVersionView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A tariff. Amounts are in BRL and distances in kilometres, as decimal strings.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = Tariff, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used: `Tariff` is written directly")]
struct TariffDocument {
    /// Version in orders and quotes.
    version: String,
    /// Base fee of every order.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    base_fee: String,
    /// Kilometres covered by the base fee.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    base_km: String,
    /// Fee per kilometre beyond these, excluding the way back.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    per_km: String,
    /// Fee per stop after the first.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    per_extra_stop: String,
    /// Fee for returning a payment, charged once.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    return_fee: String,
    /// Fee per kilometre of the way back.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    return_per_km: String,
    /// Surcharges depending on the local time of the pickup.
    windows: Vec<WindowDocument>,
    /// Minimum fee.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    minimum_fee: String,
    /// Maximum length of the whole route in kilometres, including the way back.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    max_distance_km: String,
    /// Maximum straight-line distance from the pickup to a stop in kilometres.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "7.90")]
    service_radius_km: String,
    /// Expected minutes from the start of the search to the courier's arrival at the pickup.
    approach_minutes: u32,
    /// Expected minutes at each stop.
    handover_minutes: u32,
}

/// A surcharge for orders that are priced at certain local times.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = TariffWindow, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used: `Tariff` is written directly")]
struct WindowDocument {
    /// Name, such as `evening`.
    name: String,
    /// Days of the week. Empty means every day.
    days: Vec<String>,
    /// Local time of the start, `HH:MM`.
    from: String,
    /// Local time of the end, exclusive. If it is not later than `from`, it is on the next day.
    until: String,
    /// Surcharge in per cent of the fee so far.
    #[schema(pattern = "^-?[0-9]+(\\.[0-9]+)?$", example = "20")]
    percent: String,
}

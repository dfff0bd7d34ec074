//! Tariffs in the operator's requests and responses.

use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Id, PriceLineView, Reais, objects};
#[cfg(feature = "openapi")]
use crate::model::Vehicle;
use crate::{model::Money, rules::pricing::Tariff};

/// A tariff. Amounts are in BRL and distances in kilometres, as numbers or as decimal strings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TariffBody {
    /// Version in orders and quotes: 1 to 40 letters, digits, dots, underscores and hyphens.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "tariff-version")
    )]
    pub version: Option<String>,
    /// Base fee of every order.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub base_fee: Option<Decimal>,
    /// Kilometres covered by the base fee.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub base_km: Option<Decimal>,
    /// Fee per kilometre beyond these, excluding the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub per_km: Option<Decimal>,
    /// Fee per stop after the first.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub per_extra_stop: Option<Decimal>,
    /// Fee for returning a payment, charged once.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub return_fee: Option<Decimal>,
    /// Fee per kilometre of the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub return_per_km: Option<Decimal>,
    /// Surcharges depending on the local time of the pickup.
    #[serde(deserialize_with = "objects")]
    pub windows: Option<Vec<WindowBody>>,
    /// Surcharges depending on the vehicle that the order's requirements need, at most one for each
    /// kind.
    #[serde(deserialize_with = "objects")]
    pub vehicles: Option<Vec<SurchargeBody>>,
    /// Minimum fee.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub minimum_fee: Option<Decimal>,
    /// Maximum length of the whole route in kilometres, including the way back.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub max_distance_km: Option<Decimal>,
    /// Maximum straight-line distance from the pickup to a stop in kilometres.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub service_radius_km: Option<Decimal>,
    /// Expected minutes from the start of the search to the courier's arrival at the pickup.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = u32))]
    pub approach_minutes: Option<f64>,
    /// Expected minutes at each stop.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = u32))]
    pub handover_minutes: Option<f64>,
}

/// A surcharge for orders that are priced at certain local times.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WindowBody {
    /// Name, such as `evening`.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub name: Option<String>,
    /// Days of the week, such as `mon` or `monday`, in upper or lower case. Empty means every day.
    pub days: Option<Vec<String>>,
    /// Local time of the start, `HH:MM`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "local-time",
            example = "18:00"
        )
    )]
    pub from: Option<String>,
    /// Local time of the end, exclusive. If it is not later than `from`, it is on the next day.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "local-time",
            example = "22:00"
        )
    )]
    pub until: Option<String>,
    /// Surcharge in per cent of the fee so far.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub percent: Option<Decimal>,
}

/// A surcharge for orders whose requirements need a kind of vehicle. It also applies to larger
/// kinds, up to the next kind in the list. `percent` or `fee` is above 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SurchargeBody {
    /// The smallest kind of vehicle.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = Vehicle))]
    pub vehicle: Option<String>,
    /// Surcharge in per cent of the fee before all surcharges. Defaults to 0.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub percent: Option<Decimal>,
    /// Fixed surcharge. Defaults to 0.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub fee: Option<Decimal>,
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

/// A draft of a tariff with routes to price.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PreviewTariff {
    /// The draft.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = TariffBody))]
    pub tariff: Option<TariffBody>,
    /// The routes.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub samples: Option<Vec<TariffSample>>,
}

/// A route to price.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TariffSample {
    /// Kilometres to the last stop.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = f64))]
    pub distance_km: Option<f64>,
    /// Kilometres back to the pickup, if a payment is returned.
    pub return_km: Option<f64>,
    /// Number of stops. By default 1.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub stops: Option<f64>,
    /// Time of the order. By default now.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub at: Option<String>,
    /// State of the pickup, which determines the local time. By default the time of Brasília.
    #[cfg_attr(feature = "openapi", schema(format = "uf", example = "SP"))]
    pub state: Option<String>,
    /// The smallest kind of vehicle that meets the order's requirements. By default the order has
    /// no requirements.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vehicle>))]
    pub vehicle: Option<String>,
}

/// A draft of a tariff to compare with the fees of recent orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CompareTariff {
    /// The draft.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = TariffBody))]
    pub tariff: Option<TariffBody>,
    /// The number of past days whose orders are compared.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = u32))]
    pub days: Option<f64>,
    /// Only orders of this store, without its branches. By default of all stores.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::schema::StoreNumber>))]
    pub store_id: Option<Id>,
    /// The `nextCursor` of the previous response, with the same other fields. Absent in the first
    /// request.
    pub cursor: Option<String>,
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

/// The prices of a draft.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TariffPreview {
    /// The prices, in the order of the request.
    pub samples: Vec<SamplePrice>,
}

/// The price of a route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SamplePrice {
    /// Delivery fee in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub delivery_fee: Reais,
    /// The price lines, whose sum is the fee.
    pub lines: Vec<PriceLineView>,
}

/// A portion of the comparison of a draft with the fees of recent orders, newest first. Its sums
/// are those of the portion.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TariffComparison {
    /// Time after which the orders were created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub from: String,
    /// Time of the first request.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub until: String,
    /// Time back to which orders have been compared: `until` at the beginning, `from` at the end.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub compared_from: String,
    /// The sums of all stores.
    #[serde(flatten)]
    pub total: FeeComparison,
    /// All stores with orders in this portion, largest difference first.
    pub stores: Vec<StoreComparison>,
    /// Cursor of the next portion: send it as `cursor`. Null if all orders have been compared.
    pub next_cursor: Option<String>,
}

/// The comparison of a store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreComparison {
    /// The store's ID.
    pub store_id: u64,
    /// The store's name.
    pub store_name: String,
    /// The sums.
    #[serde(flatten)]
    pub fees: FeeComparison,
}

/// Sums of fees by two tariffs.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeeComparison {
    /// Number of orders.
    pub orders: u32,
    /// Sum of the orders' fees in BRL, including cancelled orders.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub current_fee: Reais,
    /// Sum of the fees of the same orders by the draft.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub draft_fee: Reais,
    /// `draftFee` minus `currentFee`.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub difference: Reais,
    /// Orders that the draft would reject, because a stop is too far or the route is too long. They
    /// are in no sum of fees.
    pub out_of_range: u32,
}

impl FeeComparison {
    /// Builds the sums in the API.
    pub fn of(orders: u32, current: Money, draft: Money, out_of_range: u32) -> FeeComparison {
        let difference = draft.plus(current.negated());
        let (current_fee, draft_fee) = (Reais(current), Reais(draft));
        FeeComparison {
            orders,
            current_fee,
            draft_fee,
            difference: Reais(difference),
            out_of_range,
        }
    }
}

/// A tariff. Amounts are in BRL and distances in kilometres, as decimal strings.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = Tariff, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `Tariff` is written directly"
)]
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
    /// Surcharges depending on the vehicle that the order's requirements need. Absent without
    /// surcharges.
    #[schema(required = false)]
    vehicles: Vec<SurchargeDocument>,
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
#[expect(
    dead_code,
    reason = "only its schema is used: `Tariff` is written directly"
)]
pub(super) struct WindowDocument {
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

/// A surcharge for orders whose requirements need a kind of vehicle. It also applies to larger
/// kinds, up to the next kind in the list.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = VehicleSurcharge, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only its schema is used: `Tariff` is written directly"
)]
struct SurchargeDocument {
    /// The smallest kind of vehicle.
    vehicle: Vehicle,
    /// Surcharge in per cent of the fee before all surcharges.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "50")]
    percent: String,
    /// Fixed surcharge.
    #[schema(pattern = "^[0-9]+(\\.[0-9]+)?$", example = "10")]
    fee: String,
}

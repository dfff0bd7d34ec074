//! The data that a merchant's page needs to calculate previews locally.

use serde::{Deserialize, Serialize};

use super::{AddressBody, AreaGeometry, LocationView, StoreHoursBody};
use crate::{
    model::{Precision, price::EstimatePolicy, store::Settle},
    rules::pricing::Tariff,
};

/// All data that a preview depends on besides the request. A page that caches it can calculate
/// previews without calling the service.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreviewContext {
    /// Format version of this document: 1.
    pub format: u32,
    /// Time at which the document was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub issued_at: String,
    /// Time at which a scheduled tariff replaces this one. Request a new context then. Absent if
    /// none is scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = false, nullable = false, value_type = String, format = DateTime))]
    pub valid_until: Option<String>,
    /// Whether the service locates addresses and measures roads with the same embedded data as the
    /// page. If false, the service uses additional sources and its own preview may differ.
    pub exact: bool,
    /// The store for which previews are calculated.
    pub store: ContextStore,
    /// The tariff in the format of `despacho tariff check`: amounts in reais and kilometres, as
    /// decimal strings.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub tariff: Tariff,
    /// Limits on requests.
    pub limits: ContextLimits,
}

/// The store for which previews are calculated.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextStore {
    /// The store's ID.
    pub id: u64,
    /// The store's address, which is the pickup of requests without `pickupAddress`.
    pub address: AddressBody,
    /// The coordinates of the address.
    pub location: LocationView,
    /// Minutes before the ready time from which a courier is searched. Absent if it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub lead_minutes: u32,
    /// What the service does with prices that are estimates. Absent if it accepts them.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub estimates: EstimatePolicy,
    /// When couriers bring the store the cash. Absent if they bring it after each order.
    #[serde(default, skip_serializing_if = "Settle::is_default")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub settle: Settle,
    /// The opening hours. Absent if the store is always open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = false, nullable = false))]
    pub hours: Option<StoreHoursBody>,
    /// The area in which the store delivers. Absent if only the tariff's service radius applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = false, nullable = false))]
    pub service_area: Option<AreaGeometry>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde expects"
)]
fn is_default(value: &EstimatePolicy) -> bool {
    *value == EstimatePolicy::default()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde expects"
)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Limits on the size of requests and on the precision of their addresses.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextLimits {
    /// Maximum number of deliveries in an order.
    pub deliveries: u32,
    /// Maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// Maximum preparation time in minutes.
    pub preparation_minutes: u32,
    /// Minimum precision of an address. Less precise addresses are rejected.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub min_precision: Precision,
}

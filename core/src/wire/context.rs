//! What a merchant's page needs to preview alone.

use serde::{Deserialize, Serialize};

use super::{AddressBody, LocationView};
use crate::{model::Precision, rules::pricing::Tariff};

/// Everything that a preview rests on besides the request: kept by a page, it previews without asking the service again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreviewContext {
    /// The version of this document's shape, 1.
    pub format: u32,
    /// When it was written.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub issued_at: String,
    /// Whether the service locates addresses and measures roads by the same embedded data as a page does. Where it is false the
    /// service knows more, and its own preview may differ.
    pub exact: bool,
    /// The store that previews are for.
    pub store: ContextStore,
    /// The tariff, as `despacho tariff check` reads it: amounts in reais and kilometres, as decimal texts.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub tariff: Tariff,
    /// How large a request may be.
    pub limits: ContextLimits,
}

/// The store that previews are for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextStore {
    /// The store's number.
    pub id: u64,
    /// Its address, the pickup of a request that names none.
    pub address: AddressBody,
    /// Where that is.
    pub location: LocationView,
}

/// How large a request may be, and how well its places must be known.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextLimits {
    /// Deliveries in one order.
    pub deliveries: u32,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// Minutes of preparation.
    pub preparation_minutes: u32,
    /// The least precision that an address is accepted with.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub min_precision: Precision,
}

//! Couriers as the operator and as they themselves see them, their places, and a round of dispatch.

use serde::{Deserialize, Serialize};

use super::Id;
use crate::{
    model::{OrderId, Point, Timestamp, courier::Courier},
    rules::couriers::PositionUpdate,
};

/// A new courier.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RegisterCourier {
    /// Full name, 1 to 255 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, max_length = 255, example = "Ana Souza")
    )]
    pub name: Option<String>,
    /// Number in E.164.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "phone", max_length = 255, example = "+5511990000001")
    )]
    pub phone: Option<String>,
    /// Contact address, at most 400 characters.
    #[cfg_attr(feature = "openapi", schema(format = "email", max_length = 400, example = "ana@exemplo.com.br"))]
    pub email: Option<String>,
    /// CPF or another document, at most 64 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub document: Option<String>,
    /// The courier's profile in your own records; the courier's number where it is absent. Not unique.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>, minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub profile_id: Option<Id>,
    /// Whether the courier takes orders from the start; false where it is absent, until the courier says otherwise.
    pub available: Option<bool>,
    /// Whether the courier carries orders of sandbox stores, and only these. It never changes.
    pub sandbox: Option<bool>,
    /// Whole days that the key is valid, 1 to 3650.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1, maximum = 3650))]
    pub expires_in_days: Option<f64>,
}

/// What to change of a courier. What is absent or null stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AlterCourier {
    /// Full name, 1 to 255 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 255, example = "Ana Souza"))]
    pub name: Option<String>,
    /// Number in E.164.
    #[cfg_attr(feature = "openapi", schema(format = "phone", max_length = 255, example = "+5511990000001"))]
    pub phone: Option<String>,
    /// Contact address, at most 400 characters.
    #[cfg_attr(feature = "openapi", schema(format = "email", max_length = 400, example = "ana@exemplo.com.br"))]
    pub email: Option<String>,
    /// CPF or another document, at most 64 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub document: Option<String>,
    /// The courier's profile in your own records.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>, minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub profile_id: Option<Id>,
    /// Whether the courier takes orders. The courier may say otherwise at any time.
    pub available: Option<bool>,
    /// True issues a new key in place of the old one, which ends at once.
    pub new_key: Option<bool>,
    /// Whole days that the new key is valid, 1 to 3650.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1, maximum = 3650))]
    pub expires_in_days: Option<f64>,
    /// True removes the courier for good: no orders, no valid key. An order before its pickup goes to somebody else.
    pub removed: Option<bool>,
}

/// A courier as the operator sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierRecord {
    /// The courier's number.
    pub id: u64,
    /// The courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Where to call.
    pub phone: String,
    /// Contact address.
    pub email: Option<String>,
    /// CPF or another document.
    pub document: Option<String>,
    /// Whether the courier takes orders.
    pub available: bool,
    /// Whether the courier carries orders of sandbox stores, and only these.
    pub sandbox: bool,
    /// Last known place.
    pub latitude: Option<f64>,
    /// Last known place.
    pub longitude: Option<f64>,
    /// When the courier was there.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub position_at: Option<String>,
    /// The order that the courier has.
    pub order_id: Option<u64>,
    /// When the courier's key ends.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub key_expires_at: Option<String>,
    /// When the courier was removed.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub removed_at: Option<String>,
}

/// A courier with the key that was issued, which is told this once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierWithKey))]
#[serde(rename_all = "camelCase")]
pub struct CourierKeyView {
    /// The courier.
    #[serde(flatten)]
    pub courier: CourierRecord,
    /// The key: the courier sends it as `x-api-token`. Null where none was issued.
    pub value: Option<String>,
}

/// A page of couriers, by number.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierList {
    /// The couriers, removed ones too.
    pub couriers: Vec<CourierRecord>,
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// Where a courier is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ReportPosition {
    /// Degrees north, WGS 84.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, minimum = -90, maximum = 90, example = -23.5614)
    )]
    pub latitude: Option<f64>,
    /// Degrees east, WGS 84.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, minimum = -180, maximum = 180, example = -46.6559)
    )]
    pub longitude: Option<f64>,
    /// Metres that the place may be off, 0 to 10000. Not stored.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 10_000, example = 12))]
    pub accuracy: Option<f64>,
    /// When the courier was there, by RFC 3339; now where it is absent.
    #[cfg_attr(feature = "openapi", schema(max_length = 64, format = DateTime))]
    pub at: Option<String>,
}

/// What became of a courier's place.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PositionNoted {
    /// Whether it was stored: at most one in twenty seconds is, or in as many as the deployment says.
    pub stored: bool,
    /// Seconds until the next one is stored.
    pub next_in_seconds: u64,
}

/// Whether a courier takes orders.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SetAvailability {
    /// True for yes.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub available: Option<bool>,
}

/// A courier as the courier sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierSelf {
    /// The courier's number.
    pub id: u64,
    /// Full name.
    pub name: String,
    /// Where the operator calls.
    pub phone: String,
    /// Whether the courier takes orders.
    pub available: bool,
    /// Last known place.
    pub latitude: Option<f64>,
    /// Last known place.
    pub longitude: Option<f64>,
    /// When the courier was there.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub position_at: Option<String>,
    /// When the key ends.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub key_expires_at: Option<String>,
    /// The order that the courier has; null for none. `GET /courier/order` says where it goes.
    pub order_id: Option<u64>,
}

/// What a round of dispatch did.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DispatchRound {
    /// Orders that time moved on, those that expired among them.
    pub moved: u32,
    /// Orders that a courier was given.
    pub allocated: u32,
    /// Orders that were taken from couriers that are not heard of.
    pub released: u32,
    /// Orders that no courier was found for in time.
    pub expired: u32,
    /// Whether a limit ended the round before the work did: ask again at once.
    pub more: bool,
}

impl CourierRecord {
    /// The courier as the operator sees it.
    pub fn of(courier: &Courier) -> CourierRecord {
        CourierRecord {
            id: courier.id.get(),
            profile_id: courier.profile_id,
            name: courier.name.clone(),
            phone: courier.phone.as_str().to_owned(),
            email: courier.email.as_ref().map(|email| email.as_str().to_owned()),
            document: courier.document.clone(),
            available: courier.available,
            sandbox: courier.sandbox,
            latitude: courier.position.map(Point::latitude),
            longitude: courier.position.map(Point::longitude),
            position_at: courier.position_at.as_ref().map(Timestamp::to_string),
            order_id: courier.order.map(OrderId::get),
            key_expires_at: courier.key.as_ref().map(|key| key.expires_at.to_string()),
            removed_at: courier.removed_at.as_ref().map(Timestamp::to_string),
        }
    }
}

impl CourierKeyView {
    /// The courier with a new key's text.
    pub fn of(courier: &Courier, value: Option<String>) -> CourierKeyView {
        CourierKeyView { courier: CourierRecord::of(courier), value }
    }
}

impl PositionNoted {
    /// What became of a place.
    pub fn of(noted: &PositionUpdate) -> PositionNoted {
        PositionNoted { stored: noted.stored.is_some(), next_in_seconds: noted.next.seconds_ceil() }
    }
}

impl CourierSelf {
    /// The courier as the courier sees it.
    pub fn of(courier: &Courier) -> CourierSelf {
        CourierSelf {
            id: courier.id.get(),
            name: courier.name.clone(),
            phone: courier.phone.as_str().to_owned(),
            available: courier.available,
            latitude: courier.position.map(Point::latitude),
            longitude: courier.position.map(Point::longitude),
            position_at: courier.position_at.as_ref().map(Timestamp::to_string),
            key_expires_at: courier.key.as_ref().map(|key| key.expires_at.to_string()),
            order_id: courier.order.map(OrderId::get),
        }
    }
}

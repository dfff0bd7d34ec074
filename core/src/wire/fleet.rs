//! Couriers as shown to the operator and to themselves, their positions, and dispatch passes.

use serde::{Deserialize, Serialize};

use super::{DecisionView, Id, Reais};
#[cfg(feature = "openapi")]
use crate::model::Vehicle;
use crate::{
    model::{Point, Timestamp, courier::Courier},
    rules::couriers::{CourierState, CourierStatus, PositionUpdate},
};

/// A new courier.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RegisterCourier {
    /// Full name.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Ana Souza")
    )]
    pub name: Option<String>,
    /// Phone number in E.164 format.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "phone",
            example = "+5511990000001"
        )
    )]
    pub phone: Option<String>,
    /// Email address.
    #[cfg_attr(
        feature = "openapi",
        schema(format = "email", example = "ana@exemplo.com.br")
    )]
    pub email: Option<String>,
    /// CPF or another document.
    pub document: Option<String>,
    /// ID of the courier's profile in your own records. Defaults to the courier's ID. Need not be
    /// unique.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub profile_id: Option<Id>,
    /// Whether the courier is available for orders immediately. Defaults to false. The courier can
    /// change it at any time.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub available: Option<bool>,
    /// Whether the courier carries only orders of sandbox stores. It cannot be changed later.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub sandbox: Option<bool>,
    /// The vehicle. Defaults to `MOTORBIKE_BAG`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vehicle>))]
    pub vehicle: Option<String>,
    /// The courier's own maximum weight in grams. The limit of the vehicle applies if it is lower.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_weight_grams: Option<f64>,
    /// The courier's own maximum volume in millilitres. The limit of the vehicle applies if it is
    /// lower.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_volume_millilitres: Option<f64>,
    /// What the courier has: `THERMIC_CONTAINER`, `CARD_MACHINE`. Defaults to both.
    #[cfg_attr(feature = "openapi", schema(example = json!(["THERMIC_CONTAINER"])))]
    pub equipment: Option<Vec<String>>,
    /// The maximum of cash in hand in BRL, for all stores together. With more, the courier gets no
    /// orders that are paid in cash. No limit by default.
    #[cfg_attr(feature = "openapi", schema(example = 300))]
    pub cash_limit: Option<f64>,
    /// Validity of the key in whole days.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub expires_in_days: Option<f64>,
}

/// Changes to a courier. Absent and null fields keep their values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AlterCourier {
    /// Full name.
    #[cfg_attr(feature = "openapi", schema(example = "Ana Souza"))]
    pub name: Option<String>,
    /// Phone number in E.164 format.
    #[cfg_attr(
        feature = "openapi",
        schema(format = "phone", example = "+5511990000001")
    )]
    pub phone: Option<String>,
    /// Email address. An empty string changes nothing.
    #[cfg_attr(feature = "openapi", schema(example = "ana@exemplo.com.br"))]
    pub email: Option<String>,
    /// CPF or another document.
    pub document: Option<String>,
    /// ID of the courier's profile in your own records.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub profile_id: Option<Id>,
    /// Whether the courier is available for orders. The courier can change it at any time.
    pub available: Option<bool>,
    /// The vehicle. Another vehicle ends the courier's own maximum weight and volume.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vehicle>))]
    pub vehicle: Option<String>,
    /// The courier's own maximum weight in grams. The limit of the vehicle applies if it is lower.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_weight_grams: Option<f64>,
    /// The courier's own maximum volume in millilitres. The limit of the vehicle applies if it is
    /// lower.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_volume_millilitres: Option<f64>,
    /// What the courier has: `THERMIC_CONTAINER`, `CARD_MACHINE`.
    #[cfg_attr(feature = "openapi", schema(example = json!(["THERMIC_CONTAINER"])))]
    pub equipment: Option<Vec<String>>,
    /// The maximum of cash in hand in BRL, for all stores together. With more, the courier gets no
    /// orders that are paid in cash. 0 removes the limit.
    #[cfg_attr(feature = "openapi", schema(example = 300))]
    pub cash_limit: Option<f64>,
    /// True suspends the courier: no new orders until it is false again. The orders of the current
    /// trip remain.
    pub suspended: Option<bool>,
    /// True issues a new key and revokes the old one immediately.
    pub new_key: Option<bool>,
    /// Validity of the new key in whole days.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub expires_in_days: Option<f64>,
    /// True removes the courier permanently and revokes the key. An order that was not yet picked
    /// up is reassigned.
    pub removed: Option<bool>,
}

/// A courier as shown to the operator.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierRecord {
    /// The courier's ID.
    pub id: u64,
    /// ID of the courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Phone number in E.164 format.
    pub phone: String,
    /// Email address.
    pub email: Option<String>,
    /// CPF or another document.
    pub document: Option<String>,
    /// Whether the courier is available for orders.
    pub available: bool,
    /// What the courier does now, as dispatch and health count it: `AVAILABLE` without a trip;
    /// `ON_TRIP`; `STUCK` on a trip whose next step is overdue by more than
    /// `dispatch.stuck-after-minutes`; `UNRESPONSIVE` on duty or on a trip without a report or step
    /// for `dispatch.max-position-age-minutes`; `OFF` duty; `SUSPENDED`; `REMOVED`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^(AVAILABLE|ON_TRIP|STUCK|UNRESPONSIVE|OFF|SUSPENDED|REMOVED)$",
            example = "AVAILABLE"
        )
    )]
    pub state: &'static str,
    /// Time from which the step is expected for which a stuck courier waits. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub stuck_since: Option<String>,
    /// Whether the courier carries only orders of sandbox stores.
    pub sandbox: bool,
    /// The vehicle.
    #[cfg_attr(feature = "openapi", schema(value_type = Vehicle))]
    pub vehicle: &'static str,
    /// Maximum weight in grams.
    pub max_weight_grams: u32,
    /// Maximum volume in millilitres.
    pub max_volume_millilitres: u32,
    /// What the courier has: `THERMIC_CONTAINER`, `CARD_MACHINE`.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub equipment: Vec<&'static str>,
    /// The maximum of cash in hand in BRL. Null without a limit.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub cash_limit: Option<Reais>,
    /// Latitude of the last known position.
    pub latitude: Option<f64>,
    /// Longitude of the last known position.
    pub longitude: Option<f64>,
    /// Time of the position.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub position_at: Option<String>,
    /// ID of the courier's current order, the first of the trip.
    pub order_id: Option<u64>,
    /// IDs of the orders of the current trip, if there are several. Absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub order_ids: Vec<u64>,
    /// Start of the shift that the courier sent. Absent without a shift.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub available_from: Option<String>,
    /// End of the shift that the courier sent. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub available_until: Option<String>,
    /// Time at which the courier's key expires.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub key_expires_at: Option<String>,
    /// Time at which the courier was suspended, or null.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub suspended_at: Option<String>,
    /// Time at which the courier was removed.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub removed_at: Option<String>,
}

/// A courier with a newly issued key. The key is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierWithKey))]
#[serde(rename_all = "camelCase")]
pub struct CourierKeyView {
    /// The courier.
    #[serde(flatten)]
    pub courier: CourierRecord,
    /// The key, which the courier sends as `x-api-token`. Null if no key was issued.
    pub value: Option<String>,
}

/// A page of couriers, ordered by ID.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierList {
    /// The couriers, including removed ones.
    pub couriers: Vec<CourierRecord>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A courier's position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ReportPosition {
    /// Latitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, example = -23.5614))]
    pub latitude: Option<f64>,
    /// Longitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, example = -46.6559))]
    pub longitude: Option<f64>,
    /// Accuracy of the position in metres. Not stored.
    #[cfg_attr(feature = "openapi", schema(example = 12))]
    pub accuracy: Option<f64>,
    /// Time of the position in RFC 3339 format. Defaults to the current time.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub at: Option<String>,
}

/// Whether a courier's position was stored.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PositionResult {
    /// Whether the position was stored. At most one position is stored per interval: 20 seconds
    /// unless the deployment configures another.
    pub stored: bool,
    /// Seconds until the next position can be stored.
    pub next_in_seconds: u64,
}

/// Whether a courier takes orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetAvailability {
    /// Whether the courier is available for orders.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub available: Option<bool>,
    /// Start of a shift, in RFC 3339 format, at most 7 days ahead. Dispatch considers the courier
    /// shortly before it. Defaults to the current time if `availableUntil` is sent.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub available_from: Option<String>,
    /// End of the shift, at most 7 days ahead. The courier is sent to no pickup after it. If both
    /// times are absent, the courier is available until further notice.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub available_until: Option<String>,
}

/// A courier as shown to the courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierSelf {
    /// The courier's ID.
    pub id: u64,
    /// Full name.
    pub name: String,
    /// Phone number in E.164 format.
    pub phone: String,
    /// Whether the courier is available for orders.
    pub available: bool,
    /// Latitude of the last known position.
    pub latitude: Option<f64>,
    /// Longitude of the last known position.
    pub longitude: Option<f64>,
    /// Time of the position.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub position_at: Option<String>,
    /// Time at which the key expires.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub key_expires_at: Option<String>,
    /// Time at which the device key was issued, or null if there is none.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub device_key_created_at: Option<String>,
    /// ID of the courier's current order, the first of the trip, or null. `GET /courier/trip`
    /// returns the trip.
    pub order_id: Option<u64>,
    /// IDs of the orders of the current trip, if there are several. Absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub order_ids: Vec<u64>,
    /// Start of the shift that the courier sent. Absent without a shift.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub available_from: Option<String>,
    /// End of the shift that the courier sent. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub available_until: Option<String>,
}

/// The result of a dispatch pass.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DispatchPass))]
#[serde(rename_all = "camelCase")]
pub struct DispatchPassView {
    /// Orders whose status changed by a timeout, including expired orders.
    pub moved: u32,
    /// Orders to which a courier was assigned.
    pub allocated: u32,
    /// Orders that were taken from unresponsive couriers.
    pub released: u32,
    /// Orders for which no courier was found in time.
    pub expired: u32,
    /// Whether the pass stopped at a limit while more work was due. If true, start another pass
    /// immediately.
    pub more: bool,
    /// With `dryRun=true`, the decisions about all searching orders that the pass would match.
    /// Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub decisions: Option<Vec<DecisionView>>,
}

impl CourierRecord {
    /// Builds the representation for the operator.
    pub fn of(courier: &Courier, status: &CourierStatus) -> CourierRecord {
        let stuck = status.step.filter(|_| status.state == CourierState::Stuck);
        CourierRecord {
            id: courier.id.get(),
            profile_id: courier.profile_id,
            name: courier.name.clone(),
            phone: courier.phone.as_str().to_owned(),
            email: courier
                .email
                .as_ref()
                .map(|email| email.as_str().to_owned()),
            document: courier.document.clone(),
            available: courier.available,
            state: status.state.name(),
            stuck_since: stuck.map(|step| step.since.to_string()),
            sandbox: courier.sandbox,
            vehicle: courier.vehicle.name(),
            max_weight_grams: courier.capacity().max.weight_g,
            max_volume_millilitres: courier.capacity().max.volume_ml,
            equipment: courier.equipment.names(),
            cash_limit: courier.cash_limit.map(Reais),
            latitude: courier.position.map(Point::latitude),
            longitude: courier.position.map(Point::longitude),
            position_at: courier.position_at.as_ref().map(Timestamp::to_string),
            order_id: courier.trip.first().map(|one| one.id.get()),
            order_ids: order_ids(courier),
            available_from: courier.shift.as_ref().map(|shift| shift.from.to_string()),
            available_until: courier
                .shift
                .as_ref()
                .and_then(|shift| Some(shift.until.as_ref()?.to_string())),
            key_expires_at: courier.key.as_ref().map(|key| key.expires_at.to_string()),
            suspended_at: courier.suspended_at.as_ref().map(Timestamp::to_string),
            removed_at: courier.removed_at.as_ref().map(Timestamp::to_string),
        }
    }
}

/// Returns the IDs of a trip with several orders.
fn order_ids(courier: &Courier) -> Vec<u64> {
    let ids = courier.trip.iter().map(|one| one.id.get());
    if courier.trip.len() > 1 {
        ids.collect()
    } else {
        Vec::new()
    }
}

impl CourierKeyView {
    /// Combines a courier with the value of a new key.
    pub fn of(courier: &Courier, status: &CourierStatus, value: Option<String>) -> CourierKeyView {
        CourierKeyView {
            courier: CourierRecord::of(courier, status),
            value,
        }
    }
}

impl PositionResult {
    /// Converts the result of a position update.
    pub fn of(update: &PositionUpdate) -> PositionResult {
        PositionResult {
            stored: update.stored.is_some(),
            next_in_seconds: update.next.seconds_ceil(),
        }
    }
}

impl CourierSelf {
    /// Builds the representation for the courier.
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
            device_key_created_at: courier
                .device
                .as_ref()
                .map(|device| device.created_at.to_string()),
            order_id: courier.trip.first().map(|one| one.id.get()),
            order_ids: order_ids(courier),
            available_from: courier.shift.as_ref().map(|shift| shift.from.to_string()),
            available_until: courier
                .shift
                .as_ref()
                .and_then(|shift| Some(shift.until.as_ref()?.to_string())),
        }
    }
}

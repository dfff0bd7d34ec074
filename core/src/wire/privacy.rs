//! Data exports, erasures and their records, for the operator.

use serde::{Deserialize, Serialize};

use super::{DeliveryView, EventView, ProofView};
use crate::model::{
    Language,
    privacy::{ErasureSummary, RecipientData, RecipientOrder, StoredRecord},
};

/// A recipient, identified by the phone number in orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct NameRecipient {
    /// Phone number in E.164 format.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "phone",
            example = "+5511988887777"
        )
    )]
    pub phone: Option<String>,
    /// The `nextCursor` of the previous response. Absent in the first request.
    pub cursor: Option<String>,
}

/// The data that one request erased.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureResult {
    /// Keyed hash of the phone number, as stored in the record of the erasure.
    pub subject_id: String,
    /// Number of orders from which personal data was erased.
    pub orders: u32,
    /// Number of recipients in these orders.
    pub deliveries: u32,
    /// Number of webhook messages, attempts, notifications and stored responses that were changed
    /// or removed.
    pub entries: u32,
    /// Orders to this phone number that have not ended. Nothing was erased from them. Repeat the
    /// request after they have ended.
    pub open_orders: Vec<OpenOrder>,
    /// Cursor for continuing: send it as `cursor`. Null if all orders were searched.
    pub next_cursor: Option<String>,
}

/// An order that has not ended.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpenOrder {
    /// The order's ID.
    pub id: u64,
    /// ID of the order's store.
    pub store_id: u64,
}

/// The stored data of a recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecipientExport {
    /// The phone number of the request.
    pub phone: String,
    /// Orders with a delivery to the phone number, oldest first.
    pub orders: Vec<ExportedOrder>,
    /// Texts of notifications that contain the phone number, in English.
    pub notifications: Vec<String>,
    /// Number of responses with the phone number that are stored for repeated requests. Each is
    /// removed within a day.
    pub stored_responses: u32,
    /// Cursor for continuing: send it as `cursor`. Null if all orders were searched.
    pub next_cursor: Option<String>,
}

/// An exported order, reduced to the data of the recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedOrder {
    /// The order's ID.
    pub id: u64,
    /// ID of the order's store.
    pub store_id: u64,
    /// The merchant's code.
    pub code: String,
    /// Time at which the order was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// The deliveries to the recipient.
    pub deliveries: Vec<DeliveryView>,
    /// The events of these deliveries.
    pub events: Vec<ExportedEvent>,
    /// The proofs of these deliveries' steps. `GET /admin/photos/{photoId}` returns their photos.
    pub proofs: Vec<ProofView>,
}

/// An exported event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedEvent {
    /// Time of the event.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Description of the event.
    pub description: String,
    /// Latitude of the courier at the time of the event.
    pub latitude: Option<f64>,
    /// Longitude of the courier at the time of the event.
    pub longitude: Option<f64>,
    /// The reason, if one was given.
    pub reason: Option<String>,
}

/// The record of an erasure. It contains no personal data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureView {
    /// The record's ID.
    pub id: u64,
    /// `request` for a request of the operator. `retention` for the configured retention period,
    /// with one record per day.
    pub cause: &'static str,
    /// Keyed hash of the phone number. Null if the cause is `retention`.
    pub subject_id: Option<String>,
    /// Time of the last erasure that belongs to this record.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// Number of orders from which personal data was erased.
    pub orders: u32,
    /// Number of recipients in these orders.
    pub deliveries: u32,
    /// Number of webhook messages, attempts, notifications and stored responses that were changed
    /// or removed.
    pub entries: u32,
    /// Number of orders in archive files from which personal data was erased.
    pub archived_orders: u32,
}

/// A page of records, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureList {
    /// The records.
    pub erasures: Vec<ErasureView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

impl ErasureResult {
    /// Builds the response of one erasure request.
    pub fn of(
        subject_id: String,
        erased: ErasureSummary,
        next_cursor: Option<String>,
    ) -> ErasureResult {
        let ErasureSummary {
            orders,
            deliveries,
            entries,
            open,
            ..
        } = erased;
        let open_orders = open
            .into_iter()
            .map(|(id, store)| OpenOrder {
                id: id.get(),
                store_id: store.get(),
            })
            .collect();
        ErasureResult {
            subject_id,
            orders,
            deliveries,
            entries,
            open_orders,
            next_cursor,
        }
    }
}

impl RecipientExport {
    /// Builds the response of one export request.
    pub fn of(phone: &str, found: &RecipientData, next_cursor: Option<String>) -> RecipientExport {
        let reasons = found
            .notifications
            .iter()
            .filter_map(|notification| notification.reason.as_ref());
        let fields =
            reasons.flat_map(|reason| reason.fields.iter().map(|field| field.detail.en.clone()));
        RecipientExport {
            phone: phone.to_owned(),
            orders: found.orders.iter().map(ExportedOrder::of).collect(),
            notifications: fields.filter(|text| text.contains(phone)).collect(),
            stored_responses: found.responses,
            next_cursor,
        }
    }
}

impl ExportedOrder {
    /// Builds an exported order from an order and events that were already reduced to one
    /// recipient.
    pub fn of(RecipientOrder { order, events }: &RecipientOrder) -> ExportedOrder {
        let event = |view: EventView| ExportedEvent {
            created_at: view.created_at,
            description: view.description,
            latitude: view.latitude,
            longitude: view.longitude,
            reason: view.reason,
        };
        let views = events
            .iter()
            .map(|one| EventView::of(one.id.get(), &one.event, Language::default()));
        ExportedOrder {
            id: order.id.get(),
            store_id: order.store.get(),
            code: order.code.clone(),
            created_at: order.created_at.to_string(),
            deliveries: (1..)
                .zip(&order.deliveries)
                .map(|(at, one)| DeliveryView::of(at, one))
                .collect(),
            events: views.map(event).collect(),
            proofs: ProofView::all(&order.proof),
        }
    }
}

impl ErasureView {
    /// Builds the API representation of a record.
    pub fn of(stored: &StoredRecord) -> ErasureView {
        let record = &stored.record;
        ErasureView {
            id: stored.id,
            cause: record.cause.name(),
            subject_id: record.subject.clone(),
            at: record.at.to_string(),
            orders: record.orders,
            deliveries: record.deliveries,
            entries: record.entries,
            archived_orders: record.archived,
        }
    }
}

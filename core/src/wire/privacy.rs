//! Exports, erasures and their records, for the operator.

use serde::{Deserialize, Serialize};

use super::{DeliveryView, EventView};
use crate::model::{
    Language,
    privacy::{Erased, Found, FoundOrder, StoredRecord},
};

/// Whose data, by the phone that recipients have in orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct NameRecipient {
    /// Number in E.164.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "phone", max_length = 255, example = "+5511988887777")
    )]
    pub phone: Option<String>,
    /// The `nextCursor` of the previous response; absent in the first request.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub cursor: Option<String>,
}

/// What one request erased.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureResult {
    /// The keyed hash of the phone, as the record of the erasure has it.
    pub subject_id: String,
    /// Orders that lost personal data.
    pub orders: u32,
    /// Recipients in them.
    pub deliveries: u32,
    /// Webhook messages, attempts, notifications and stored responses that were changed or removed.
    pub entries: u32,
    /// Orders to this phone that have not ended. Nothing of them was erased: repeat the request after their end.
    pub open_orders: Vec<OpenOrder>,
    /// Send it as `cursor` to continue; null when all orders were searched.
    pub next_cursor: Option<String>,
}

/// An order that has not ended.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpenOrder {
    /// The order's ID.
    pub id: u64,
    /// The store that sent it.
    pub store_id: u64,
}

/// What is stored of a recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecipientExport {
    /// The phone that was searched for.
    pub phone: String,
    /// Orders with a delivery to it, oldest first.
    pub orders: Vec<ExportedOrder>,
    /// Texts of notifications that repeat the phone, in English.
    pub notifications: Vec<String>,
    /// Responses with the phone that are stored for repetitions of requests. Each is removed within a day.
    pub stored_responses: u32,
    /// Send it as `cursor` to continue; null when all orders were searched.
    pub next_cursor: Option<String>,
}

/// An order of an export: only what concerns the recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedOrder {
    /// The order's ID.
    pub id: u64,
    /// The store that sent it.
    pub store_id: u64,
    /// The merchant's code.
    pub code: String,
    /// When it was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Its deliveries to the recipient.
    pub deliveries: Vec<DeliveryView>,
    /// What happened to them.
    pub events: Vec<ExportedEvent>,
}

/// An event of an export.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedEvent {
    /// When it happened.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// What happened, for people.
    pub description: String,
    /// Where the courier was.
    pub latitude: Option<f64>,
    /// Where the courier was.
    pub longitude: Option<f64>,
    /// Why, where a reason was given.
    pub reason: Option<String>,
}

/// What an erasure did. It holds no personal data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureView {
    /// The record's number.
    pub id: u64,
    /// `request` for a request of the operator, `retention` for the configured retention, one record a day.
    pub cause: &'static str,
    /// The keyed hash of the phone; null for the retention.
    pub subject_id: Option<String>,
    /// When it last erased something.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// Orders that lost personal data.
    pub orders: u32,
    /// Recipients in them.
    pub deliveries: u32,
    /// Webhook messages, attempts, notifications and stored responses that were changed or removed.
    pub entries: u32,
    /// Orders in archive files that lost personal data.
    pub archived_orders: u32,
}

/// A page of records, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErasureList {
    /// The records.
    pub erasures: Vec<ErasureView>,
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl ErasureResult {
    /// The result of one request.
    pub fn of(subject_id: String, erased: Erased, next_cursor: Option<String>) -> ErasureResult {
        let Erased { orders, deliveries, entries, open, .. } = erased;
        let open_orders =
            open.into_iter().map(|(id, store)| OpenOrder { id: id.get(), store_id: store.get() }).collect();
        ErasureResult { subject_id, orders, deliveries, entries, open_orders, next_cursor }
    }
}

impl RecipientExport {
    /// What one request found.
    pub fn of(phone: &str, found: &Found, next_cursor: Option<String>) -> RecipientExport {
        let reasons = found.notifications.iter().filter_map(|notification| notification.reason.as_ref());
        let fields = reasons.flat_map(|reason| reason.fields.iter().map(|field| field.detail.en.clone()));
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
    /// An order with its events, both reduced to one recipient.
    pub fn of(FoundOrder { order, events }: &FoundOrder) -> ExportedOrder {
        let event = |view: EventView| ExportedEvent {
            created_at: view.created_at,
            description: view.description,
            latitude: view.latitude,
            longitude: view.longitude,
            reason: view.reason,
        };
        let views = events.iter().map(|one| EventView::of(one.id.get(), &one.event, Language::default()));
        ExportedOrder {
            id: order.id.get(),
            store_id: order.store.get(),
            code: order.code.clone(),
            created_at: order.created_at.to_string(),
            deliveries: (1..).zip(&order.deliveries).map(|(at, one)| DeliveryView::of(at, one)).collect(),
            events: views.map(event).collect(),
        }
    }
}

impl ErasureView {
    /// The record as the API shows it.
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

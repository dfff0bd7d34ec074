//! Responses of Open Delivery.

use serde::Serialize;

use super::{
    delivery_id,
    event::{
        ChosenVehicle, DeliveryEventView, DeliveryPerson, EventType, MerchantView, PricedView,
        ProblemView, TimesView,
    },
};
use crate::{
    model::{
        Timestamp, Vehicle,
        order::{Order, RecordedEvent},
    },
    wire::open_delivery::event_types,
};

/// An access token.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AccessToken {
    /// The token for the header `Authorization: Bearer …`.
    pub access_token: String,
    /// Always `bearer`.
    pub token_type: &'static str,
    /// Seconds until it expires.
    pub expires_in: u32,
}

/// The availability and the price of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AvailabilityView {
    /// The price.
    pub delivery_price: PricedView,
    /// The expected times.
    #[serde(rename = "ETAs")]
    pub times: TimesView,
}

/// A delivery that was created.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAccepted {
    /// ID of the delivery, a UUID.
    pub delivery_id: String,
    /// Always `PENDING`: the acceptance or rejection follows by webhook.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub event: EventType,
    /// When the acceptance or rejection follows.
    pub completion: CompletionView,
    /// URL of the details. Absent if the deployment has no public URL.
    #[serde(rename = "deliveryDetailsURL", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub details_url: Option<String>,
}

/// When the acceptance or rejection of a delivery follows.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompletionView {
    /// Time at which the search for a courier starts.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub estimate: String,
    /// Time at which the delivery is rejected if no courier was found.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub reject_after: String,
}

/// The result of a cancellation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelResponse {
    /// Whether the cancellation costs a fee.
    pub additional_charges: bool,
}

/// The code that a recipient gave to the courier, sent to the merchant's system.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationCode {
    /// ID of the order in the ordering application.
    pub order_id: String,
    /// The code.
    pub delivery_code: String,
}

/// A delivery with its history.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LogisticsDetails {
    /// ID of the delivery, a UUID.
    pub delivery_id: String,
    /// ID of the order in the ordering application.
    pub order_id: String,
    /// The order's code for the customer.
    pub order_display_id: String,
    /// The merchant.
    pub merchant: MerchantView,
    /// Name of the recipient.
    pub customer_name: String,
    /// The history, oldest event first.
    pub events: Vec<DeliveryEventView>,
    /// The problems, oldest first.
    pub problem: Vec<ResolvedProblem>,
    /// The vehicle. Absent until a courier is assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub vehicle: Option<ChosenVehicle>,
    /// The price.
    pub delivery_price: PricedView,
    /// The expected times. Absent if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub times: Option<DetailTimes>,
    /// The courier. Absent until one is assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub delivery_person: Option<DeliveryPerson>,
    /// URL of the recipient's page. Absent if there is no link.
    #[serde(
        rename = "externalTrackingURL",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub tracking_url: Option<String>,
}

/// A problem of a delivery and its resolution.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResolvedProblem {
    /// The reason.
    pub reason: &'static str,
    /// What the courier reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub message: Option<String>,
    /// Time of the report.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub datetime: String,
    /// Whether the goods are back or the delivery has ended otherwise.
    pub resolved: bool,
}

/// The expected times of a delivery, and its end.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DetailTimes {
    /// Expected time of the delivery.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub delivery_eta_date: String,
    /// Latest time of the delivery.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub max_delivery_time: String,
    /// Whether the delivery has ended.
    pub is_delivery_finished: bool,
    /// Time of the end. Absent until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub delivery_finish_date: Option<String>,
}

impl LogisticsDetails {
    /// Builds the details of an order with its history. `vehicle` is that of the courier, and
    /// `merchant` the merchant's ID. `None` if Open Delivery did not create the order.
    pub fn of(
        order: &Order,
        history: &[RecordedEvent],
        merchant: &str,
        vehicle: Option<Vehicle>,
        tracking_url: Option<String>,
    ) -> Option<LogisticsDetails> {
        let own = order.open_delivery.as_deref()?;
        let events = event_types(order, history);
        let finished = events
            .iter()
            .find(|(kind, ..)| *kind == EventType::DeliveryFinished)
            .map(|(_, at, _)| *at);
        let is_final = order.status.is_final();
        let problem = history
            .iter()
            .filter_map(|recorded| ProblemView::of(&recorded.event));
        let eta = order
            .eta
            .map(|eta| eta.delivery)
            .or(order.expected_delivery);
        let times = eta.map(|eta| DetailTimes {
            delivery_eta_date: eta.to_string(),
            max_delivery_time: own.deliver_until.unwrap_or(eta).to_string(),
            is_delivery_finished: finished.is_some(),
            delivery_finish_date: finished.as_ref().map(Timestamp::to_string),
        });
        Some(LogisticsDetails {
            delivery_id: delivery_id(order.id),
            order_id: order.code.clone(),
            order_display_id: own.display_id.clone(),
            merchant: MerchantView::of(own, merchant),
            customer_name: order
                .deliveries
                .iter()
                .find_map(|one| one.name.clone())
                .unwrap_or_default(),
            events: events
                .into_iter()
                .map(|(kind, at, message)| DeliveryEventView::of(kind, at, message))
                .collect(),
            problem: problem
                .map(|problem| ResolvedProblem {
                    reason: problem.reason,
                    message: problem.message,
                    datetime: problem.datetime,
                    resolved: is_final,
                })
                .collect(),
            vehicle: vehicle.map(|vehicle| ChosenVehicle::of(own, vehicle)),
            delivery_price: PricedView::of(order.fee),
            times,
            delivery_person: order.courier.as_ref().map(DeliveryPerson::of),
            tracking_url,
        })
    }
}

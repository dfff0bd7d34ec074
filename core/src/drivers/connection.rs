//! Messages to the connections of Open Delivery.

use bytes::Bytes;
use http::{Request, header};

use crate::{
    host::{Host, HostError},
    model::{
        Vehicle,
        order::{Event, Order, RecordedEvent},
        webhook::{FollowUp, Message, Subject, Webhook},
    },
    rules::{
        open_delivery::{app_id, signature},
        settings::Settings,
        tracking,
    },
    wire::open_delivery::{self, ConfirmationCode, LogisticEvent},
};

/// Returns what follows the message of an event, or `None` if the connection gets no message of it.
pub(super) fn follow_up(webhook: &Webhook, order: &Order, event: &Event) -> Option<FollowUp> {
    let is_own = order
        .open_delivery
        .as_deref()
        .is_some_and(|own| own.connection == webhook.id);
    open_delivery::follow_up(order, event).filter(|_| is_own)
}

/// The headers and the body of a request.
type Content = (Vec<(&'static str, String)>, Vec<u8>);

/// Returns the path of a connection's receiver for events.
pub(super) fn target(url: &str) -> String {
    format!("{}/v1/newLogisticEvent", url.trim_end_matches('/'))
}

/// Returns the vehicle of an order's courier.
///
/// # Errors
/// An error of the host.
pub async fn vehicle<H: Host>(host: &H, order: &Order) -> Result<Option<Vehicle>, HostError> {
    let Some(assigned) = &order.courier else {
        return Ok(None);
    };
    Ok(host
        .courier(assigned.id)
        .await?
        .map(|courier| courier.vehicle))
}

/// Builds the headers and the body of a message. `None` if the order is gone.
pub(super) async fn content<H: Host>(
    host: &H,
    settings: &Settings,
    webhook: &Webhook,
    message: &Message,
    order: Option<&(Order, Vec<RecordedEvent>)>,
) -> Result<Option<Content>, HostError> {
    let (Some((order, history)), Subject::Event(entry)) = (order, &message.subject) else {
        return Ok(None);
    };
    let Some(merchant) = webhook.open_delivery.as_deref() else {
        return Ok(None);
    };
    let vehicle = vehicle(host, order).await?;
    let url = order
        .deliveries
        .iter()
        .find_map(|delivery| tracking::url(settings, delivery));
    let event = &entry.recorded.event;
    let Some(body) = LogisticEvent::of(
        order,
        history,
        event,
        message.is_end(),
        merchant,
        vehicle,
        url,
    ) else {
        return Ok(None);
    };
    let body = serde_json::to_vec(&body).map_err(|error| HostError::Internal {
        detail: format!("cannot serialize a webhook body: {error}"),
    })?;
    let headers = headers(settings, webhook, &body).ok_or_else(|| HostError::Internal {
        detail: "the nonce of a connection is corrupt".to_owned(),
    })?;
    Ok(Some((headers, body)))
}

/// Returns the headers of a message, or `None` if its webhook is not a valid connection.
fn headers(
    settings: &Settings,
    webhook: &Webhook,
    body: &[u8],
) -> Option<Vec<(&'static str, String)>> {
    Some(vec![
        ("x-app-id", app_id(&settings.secret)),
        ("x-app-merchantid", webhook.open_delivery.clone()?),
        (
            "x-app-signature",
            signature(&settings.secret, webhook, body)?,
        ),
    ])
}

/// Builds the request that checks a recipient's code, or returns `None` if the webhook is not a
/// valid connection.
pub fn check_request(
    settings: &Settings,
    webhook: &Webhook,
    order_code: &str,
    code: &str,
) -> Option<Request<Bytes>> {
    let check = ConfirmationCode {
        order_id: order_code.to_owned(),
        delivery_code: code.trim().to_owned(),
    };
    let body = serde_json::to_vec(&check).ok()?;
    let url = format!("{}/v1/confirmationCode", webhook.url.trim_end_matches('/'));
    let request = Request::post(url).header(header::CONTENT_TYPE, "application/json");
    let headers = headers(settings, webhook, &body)?;
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, value)
    });
    request.body(Bytes::from(body)).ok()
}

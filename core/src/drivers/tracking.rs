//! Reads what a recipient may see, by the hash of the token.

use super::trips;
use crate::{
    host::{Host, HostError, StoreQuery},
    model::{
        Timestamp,
        order::{Order, TrackingLink},
        store::{KeyHash, Store},
    },
    rules::{
        recipient::{RecipientStatus, shows_position},
        settings::Settings,
        trips::StopKind,
    },
};

/// Looks up a valid link: one query for every token, known or not.
///
/// # Errors
/// An error of the host.
pub async fn find_link<H: Host>(
    host: &H,
    hash: &KeyHash,
    now: Timestamp,
) -> Result<Option<TrackingLink>, HostError> {
    Ok(host
        .tracking_link(hash)
        .await?
        .filter(|link| link.is_valid(now)))
}

/// Reads the order of a link and its store. `None` if the delivery has another link now, or the
/// store was removed.
///
/// # Errors
/// An error of the host.
pub async fn load_order<H: Host>(
    host: &H,
    link: &TrackingLink,
) -> Result<Option<(Order, Store)>, HostError> {
    let Some(order) = host.order(link.order).await? else {
        return Ok(None);
    };
    let delivery = order
        .deliveries
        .iter()
        .find(|delivery| delivery.id == link.delivery);
    let key = delivery.and_then(|delivery| delivery.tracking.as_ref()?.link.as_ref());
    if key.is_none_or(|key| key.hash != link.hash) {
        return Ok(None);
    }
    let store = host.find_stores(StoreQuery::Id(order.store)).await?.pop();
    Ok(store.map(|store| (order, store)))
}

/// Returns what the recipient of a link may see. The courier and the trip are read only while the
/// delivery is ahead.
///
/// # Errors
/// An error of the host.
pub async fn status<H: Host>(
    host: &H,
    settings: &Settings,
    link: &TrackingLink,
    (order, store): &(Order, Store),
    now: Timestamp,
) -> Result<Option<RecipientStatus>, HostError> {
    let Some(delivery) = order
        .deliveries
        .iter()
        .find(|delivery| delivery.id == link.delivery)
    else {
        return Ok(None);
    };
    let (mut estimate, mut position) = (None, None);
    let carrier = order
        .courier
        .as_ref()
        .filter(|_| !delivery.status.is_final());
    if let Some(assigned) = carrier
        && let Some(courier) = host.courier(assigned.id).await?
        && courier.carries(order.id)
    {
        let orders = trips::trip_orders(host, &courier).await?;
        let plan = trips::plan_trip(host, settings, &courier, &orders, now);
        let own = plan
            .stops
            .iter()
            .find(|stop| stop.kind == StopKind::Delivery(delivery.id));
        estimate = own.map(|stop| stop.at);
        position = courier.position.filter(|_| shows_position(delivery));
    }
    Ok(RecipientStatus::of(
        order,
        delivery.id,
        store,
        estimate,
        position,
        now,
    ))
}

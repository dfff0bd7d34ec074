//! The notification of a failed creation of an order.

use super::{
    call::{Call, HandlerError, too_few},
    problem::Problem,
    read::read,
};
use crate::{
    changes::Changes,
    host::Host,
    model::{
        NotificationId, OrderId, Timestamp,
        store::{Notification, NotificationKind},
    },
    wire::CreateOrder,
};

/// Returns the changes after a failed creation: a notification to the calling store.
pub(super) async fn failed_creation<H: Host>(
    call: &Call<'_, H>,
    problem: &Problem,
) -> Result<Changes, HandlerError> {
    let store = call.caller()?.store.id;
    let id = call
        .ids(1)
        .await?
        .take(NotificationId::new)
        .ok_or_else(too_few)?;
    let code = read::<CreateOrder>(call.body)
        .ok()
        .and_then(|body| body.value.code);
    let now: Timestamp = call.context.now;
    let notification = Notification {
        id,
        store,
        kind: NotificationKind::OrderCreationFailed,
        created_at: now,
        read_at: None,
        order: problem.existing_order.and_then(OrderId::new),
        order_code: code.map(|code| code.chars().filter(|c| !c.is_control()).take(64).collect()),
        reason: Some(problem.reason()),
    };
    Ok(Changes {
        at: now,
        notifications: vec![notification],
        ..Changes::default()
    })
}

//! One round of timed transitions, for whoever drives the clock.

use super::{Order, OrderSituation, expire};
use crate::{
    domain::Timestamp,
    host::{Changes, Fault, Host, Write},
    settings::Settings,
    store::{Notification, NotificationKind},
};

/// What time did to the orders that were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Orders that moved on.
    pub moved: u32,
    /// Those of them that expired.
    pub expired: u32,
    /// Whether the limit was reached, so that more may be due.
    pub more: bool,
}

/// Takes every order that is due at `now` through its timed transitions, at most `limit` of them, and says how many it moved.
/// An order that somebody else moved first is left to them. With `limit` moved, more may be due: run again.
pub async fn round<H: Host>(host: &H, settings: &Settings, now: Timestamp, limit: u32) -> Result<u32, Fault> {
    Ok(due(host, settings, now, limit).await?.moved)
}

/// The same, with what became of them.
pub async fn due<H: Host>(host: &H, settings: &Settings, now: Timestamp, limit: u32) -> Result<Moved, Fault> {
    let orders = host.due_orders(now, limit).await?;
    let mut done = Moved { more: u32::try_from(orders.len()).is_ok_and(|found| found >= limit), ..Moved::default() };
    let (mut ends, mut decided) = (Vec::new(), Vec::new());
    for order in orders {
        if let Some((order, changes)) = moved_on(host, settings, order, now).await? {
            ends.push(order.situation == OrderSituation::Expired);
            decided.push(changes);
        }
    }
    for (ends, decided) in ends.chunks(AT_ONCE).zip(decided.chunks(AT_ONCE)) {
        for (ended, result) in ends.iter().zip(host.commit_each(decided).await) {
            match result {
                Ok(()) => {
                    done.moved += 1;
                    done.expired += u32::from(*ended);
                }
                Err(Fault::Conflict) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(done)
}

/// Orders that a driver hands to its host at once.
pub const AT_ONCE: usize = 256;

/// Takes one order through the timed transitions that are due, commits them, and gives the order as it stands then.
pub async fn advance<H: Host>(host: &H, settings: &Settings, order: Order, now: Timestamp) -> Result<Order, Fault> {
    match moved_on(host, settings, order.clone(), now).await? {
        Some((order, changes)) => host.commit(&changes).await.map(|()| order),
        None => Ok(order),
    }
}

/// The order after the timed transitions that are due, and what is to be committed; `None` where none is.
async fn moved_on<H: Host>(
    host: &H,
    settings: &Settings,
    mut order: Order,
    now: Timestamp,
) -> Result<Option<(Order, Changes)>, Fault> {
    let expected = order.version;
    let (events, ledger) = expire(&mut order, &settings.timing, now);
    if events.is_empty() {
        return Ok(None);
    }
    order.version = expected + 1;
    let notifications =
        if order.situation == OrderSituation::Expired { vec![expired(host, &order, now).await?] } else { vec![] };
    let changes = Changes {
        at: now,
        orders: vec![Write { expected, value: order.clone() }],
        events,
        ledger,
        notifications,
        ..Changes::default()
    };
    Ok(Some((order, changes)))
}

async fn expired<H: Host>(host: &H, order: &Order, now: Timestamp) -> Result<Notification, Fault> {
    let id = host.ids(1).await?.take(crate::domain::NotificationId::new);
    Ok(Notification {
        id: id.ok_or_else(|| Fault::Internal { detail: "no identifier was reserved".to_owned() })?,
        store: order.store,
        kind: NotificationKind::OrderExpired,
        created_at: now,
        read_at: None,
        order: Some(order.id),
        order_code: Some(order.code.clone()),
        reason: None,
    })
}

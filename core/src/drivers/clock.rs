//! One round of timed transitions, for whoever drives the clock.

use crate::{
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery},
    model::{
        Timestamp,
        order::{Order, OrderStatus},
        store::{Notification, NotificationKind},
    },
    rules::{lifecycle::expire, settings::Settings},
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
/// An order that another instance moved first is left to it. With `limit` moved, more may be due: run again.
pub async fn round<H: Host>(host: &H, settings: &Settings, now: Timestamp, limit: u32) -> Result<u32, HostError> {
    Ok(due(host, settings, now, limit).await?.moved)
}

/// The same, with what became of them. An order that cannot be moved on delays no other.
pub async fn due<H: Host>(host: &H, settings: &Settings, now: Timestamp, limit: u32) -> Result<Moved, HostError> {
    let (mut committed, mut expired) = (Committed::default(), 0);
    // Orders that could not be moved stay due: the next page begins after them.
    let mut skipped = 0;
    while committed.count < limit {
        let orders = host.find_orders(OrderQuery::Due { now, skipped, limit }).await?;
        let found = u32::try_from(orders.len()).unwrap_or(u32::MAX);
        let (mut ends, mut decided) = (Vec::new(), Vec::new());
        for order in orders {
            if decided.len() >= (limit - committed.count) as usize {
                break;
            }
            match moved_on(host, settings, order, now).await {
                Ok(Some((order, changes))) => {
                    ends.push(order.status == OrderStatus::Expired);
                    decided.push(changes);
                }
                Ok(None) => {}
                Err(error) => committed.failed(error)?,
            }
        }
        let before = committed.count;
        let done = committed.commit(host, &decided).await?;
        expired += ends.iter().zip(done).filter(|(ended, done)| **ended && *done).count();
        skipped += found - (committed.count - before).min(found);
        if found < limit {
            break;
        }
    }
    let moved = committed.finish()?;
    Ok(Moved { moved, expired: u32::try_from(expired).unwrap_or(u32::MAX), more: moved >= limit })
}

/// What became of changes that are committed one by one.
#[derive(Debug, Default)]
pub struct Committed {
    /// How many were committed.
    pub count: u32,
    failure: Option<HostError>,
}

impl Committed {
    /// Commits each change by itself, and returns which ones were committed. After a conflict the other write stays, and one change that
    /// fails does not keep back the others.
    ///
    /// # Errors
    /// The fault where the host is unavailable: the next commit would fail too.
    pub async fn commit<H: Host>(&mut self, host: &H, decided: &[Changes]) -> Result<Vec<bool>, HostError> {
        let mut done = Vec::with_capacity(decided.len());
        for chunk in decided.chunks(AT_ONCE) {
            for result in host.commit_each(chunk).await {
                done.push(result.is_ok());
                match result {
                    Ok(()) => self.count += 1,
                    Err(HostError::Conflict) => {}
                    Err(error) => self.failed(error)?,
                }
            }
        }
        Ok(done)
    }

    /// Remembers an internal fault, which is of one change only; any other fault ends the work.
    fn failed(&mut self, error: HostError) -> Result<(), HostError> {
        if !matches!(error, HostError::Internal { .. }) {
            return Err(error);
        }
        self.failure.get_or_insert(error);
        Ok(())
    }

    /// How many were committed.
    ///
    /// # Errors
    /// The first fault of a single change.
    pub fn finish(self) -> Result<u32, HostError> {
        self.failure.map_or(Ok(self.count), Err)
    }
}

/// Orders that a driver hands to its host at once.
pub const AT_ONCE: usize = 256;

/// Takes one order through the timed transitions that are due, commits them, and gives the order as it stands then.
pub async fn advance<H: Host>(host: &H, settings: &Settings, order: Order, now: Timestamp) -> Result<Order, HostError> {
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
) -> Result<Option<(Order, Changes)>, HostError> {
    let expected = order.version;
    let (events, ledger) = expire(&mut order, &settings.timing, now);
    if events.is_empty() {
        return Ok(None);
    }
    order.version = expected + 1;
    let notifications =
        if order.status == OrderStatus::Expired { vec![expired(host, &order, now).await?] } else { vec![] };
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

async fn expired<H: Host>(host: &H, order: &Order, now: Timestamp) -> Result<Notification, HostError> {
    let id = host.ids(1).await?.take(crate::model::NotificationId::new);
    Ok(Notification {
        id: id.ok_or_else(|| HostError::Internal { detail: "no identifier was reserved".to_owned() })?,
        store: order.store,
        kind: NotificationKind::OrderExpired,
        created_at: now,
        read_at: None,
        order: Some(order.id),
        order_code: Some(order.code.clone()),
        reason: None,
    })
}

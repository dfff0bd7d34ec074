//! A pass over due timed transitions.

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

/// The result of a pass over due orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockPass {
    /// Orders whose status changed.
    pub moved: u32,
    /// Orders that expired, which are included in `moved`.
    pub expired: u32,
    /// Whether the limit was reached, so more orders can be due.
    pub more: bool,
}

/// Takes the due timed transitions of at most `limit` orders, and returns the number of changed
/// orders. An order that another instance changes at the same time is skipped. If `limit` orders
/// were changed, more can be due: run another pass.
pub async fn run_pass<H: Host>(
    host: &H,
    settings: &Settings,
    now: Timestamp,
    limit: u32,
) -> Result<u32, HostError> {
    Ok(due(host, settings, now, limit).await?.moved)
}

/// Runs the same pass and returns its full result. An order whose transition fails does not delay
/// others.
pub async fn due<H: Host>(
    host: &H,
    settings: &Settings,
    now: Timestamp,
    limit: u32,
) -> Result<ClockPass, HostError> {
    let (mut committed, mut expired) = (BatchCommit::default(), 0);
    // Orders whose transition failed stay due, so the next page begins after them.
    let mut skipped = 0;
    while committed.count < limit {
        let orders = host
            .find_orders(OrderQuery::Due {
                now,
                skipped,
                limit,
            })
            .await?;
        let found = u32::try_from(orders.len()).unwrap_or(u32::MAX);
        let (mut ends, mut decided) = (Vec::new(), Vec::new());
        for order in orders {
            if decided.len() >= (limit - committed.count) as usize {
                break;
            }
            match take_due_steps(host, settings, order, now).await {
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
        expired += ends
            .iter()
            .zip(done)
            .filter(|(ended, done)| **ended && *done)
            .count();
        skipped += found - (committed.count - before).min(found);
        if found < limit {
            break;
        }
    }
    let moved = committed.finish()?;
    Ok(ClockPass {
        moved,
        expired: u32::try_from(expired).unwrap_or(u32::MAX),
        more: moved >= limit,
    })
}

/// The result of several changes that are committed independently.
#[derive(Debug, Default)]
pub struct BatchCommit {
    /// Number of committed changes.
    pub count: u32,
    failure: Option<HostError>,
}

impl BatchCommit {
    /// Commits each change independently, and returns which ones were committed. After a conflict
    /// the other write is kept. A change that fails does not prevent the others.
    ///
    /// # Errors
    /// If the host is unavailable, because the next commit would fail too.
    pub async fn commit<H: Host>(
        &mut self,
        host: &H,
        decided: &[Changes],
    ) -> Result<Vec<bool>, HostError> {
        let mut done = Vec::with_capacity(decided.len());
        for chunk in decided.chunks(MAX_COMMITS_AT_ONCE) {
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

    /// Stores an internal error, which concerns only one change. Any other error is returned.
    fn failed(&mut self, error: HostError) -> Result<(), HostError> {
        if !matches!(error, HostError::Internal { .. }) {
            return Err(error);
        }
        self.failure.get_or_insert(error);
        Ok(())
    }

    /// Number of committed changes.
    ///
    /// # Errors
    /// The first error of a single change.
    pub fn finish(self) -> Result<u32, HostError> {
        self.failure.map_or(Ok(self.count), Err)
    }
}

/// Number of changes that a driver passes to the host at once.
pub const MAX_COMMITS_AT_ONCE: usize = 256;

/// Takes the due timed transitions of an order, commits them, and returns the changed order.
pub async fn advance<H: Host>(
    host: &H,
    settings: &Settings,
    order: Order,
    now: Timestamp,
) -> Result<Order, HostError> {
    match take_due_steps(host, settings, order.clone(), now).await? {
        Some((order, changes)) => host.commit(&changes).await.map(|()| order),
        None => Ok(order),
    }
}

/// Returns the order after its due timed transitions and the changes to commit, or `None` if none
/// is due.
async fn take_due_steps<H: Host>(
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
    let links = order.end_links(now);
    let notifications = if order.status == OrderStatus::Expired {
        vec![expiry_notification(host, &order, now).await?]
    } else {
        vec![]
    };
    let changes = Changes {
        at: now,
        orders: vec![Write {
            expected,
            value: order.clone(),
        }],
        events,
        links,
        ledger,
        notifications,
        ..Changes::default()
    };
    Ok(Some((order, changes)))
}

async fn expiry_notification<H: Host>(
    host: &H,
    order: &Order,
    now: Timestamp,
) -> Result<Notification, HostError> {
    let id = host.ids(1).await?.take(crate::model::NotificationId::new);
    Ok(Notification {
        id: id.ok_or_else(|| HostError::Internal {
            detail: "no identifier was reserved".to_owned(),
        })?,
        store: order.store,
        kind: NotificationKind::OrderExpired,
        created_at: now,
        read_at: None,
        order: Some(order.id),
        order_code: Some(order.code.clone()),
        reason: None,
    })
}

//! A pass of dispatch. It is run by a scheduler every few seconds, or by a request from a cron job.
//!
//! A pass commits each order independently, with the versions that were read. Concurrent passes of several instances
//! over one database therefore do everything only once: after a conflict, a pass skips that order and continues.

use std::collections::BTreeMap;

use super::clock;
use crate::{
    changes::Changes,
    host::{CourierQuery, Host, HostError, OrderQuery},
    model::{
        CourierId, ExecContext, OrderId, Point, Timestamp,
        courier::{Cell, Courier, FreeCourier, SearchingOrder},
        order::Order,
    },
    rules::{
        lifecycle::{allocate, platform, release},
        matching::{
            Dispatch,
            assign::assigned,
            nearby::{CourierIndex, cells_around},
        },
        settings::Settings,
    },
    wire::DispatchPassView,
};

/// The result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatchPass {
    /// Orders whose status changed by a timeout, including expired orders.
    pub moved: u32,
    /// Orders to which a courier was assigned.
    pub allocated: u32,
    /// Orders that were taken from unresponsive couriers.
    pub released: u32,
    /// Orders for which no courier was found in time.
    pub expired: u32,
    /// Whether the pass stopped at a limit while more work was due. If true, run another pass immediately.
    pub more: bool,
}

impl From<DispatchPass> for DispatchPassView {
    fn from(pass: DispatchPass) -> DispatchPassView {
        let DispatchPass { moved, allocated, released, expired, more } = pass;
        DispatchPassView { moved, allocated, released, expired, more }
    }
}

/// Maximum number of orders whose timed transitions a pass takes.
const MAX_MOVED: u32 = 1_000;
/// Maximum number of unresponsive couriers that a pass releases.
const MAX_RELEASED: u32 = 500;
/// Rows per read of positions.
const PAGE: u32 = 5_000;
/// Maximum number of reads of positions in a pass: 500,000 orders, and 500,000 couriers in each range of cells.
const MAX_PAGES: usize = 100;
/// Maximum number of ranges of cells that are read. If there are more, they are merged.
const MAX_RANGES: usize = 32;

/// Takes due timed transitions, releases unresponsive couriers, and assigns searching orders to free couriers.
///
/// # Errors
/// An error of the host. Earlier commits are kept, and the next pass continues. An error of one part does not prevent
/// the others.
pub async fn run_pass<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<DispatchPass, HostError> {
    let due = clock::due(host, settings, context.now, MAX_MOVED).await;
    let released = release_unresponsive(host, settings, context).await;
    let allocated = allocate_searching(host, settings, context).await;
    let (due, (released, more_released), (allocated, more_allocated)) = (due?, released?, allocated?);
    let more = due.more || more_released || more_allocated;
    Ok(DispatchPass { moved: due.moved, expired: due.expired, released, allocated, more })
}

/// Releases couriers before the pickup that have sent no position and taken no step for too long. Returns their number,
/// and whether there can be more.
async fn release_unresponsive<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<(u32, bool), HostError> {
    let silence = settings.dispatch.silence();
    let mut committed = clock::BatchCommit::default();
    // Couriers that keep their order stay in the list, so the next page begins after them.
    let mut skipped = 0;
    while committed.count < MAX_RELEASED {
        let seen_before = context.now.before(silence);
        let unresponsive = CourierQuery::Unresponsive { seen_before, skipped, limit: MAX_RELEASED };
        let couriers = host.find_couriers(unresponsive).await?;
        let ids: Vec<OrderId> = couriers.iter().filter_map(|courier| courier.order).collect();
        let orders = host.find_orders(OrderQuery::Ids(&ids)).await?;
        let orders: BTreeMap<OrderId, Order> = orders.into_iter().map(|order| (order.id, order)).collect();
        let found = count(couriers.len());
        let mut decided = Vec::new();
        for courier in couriers {
            let Some(order) = courier.order.and_then(|id| orders.get(&id)) else { continue };
            // The timeout starts at the last step, which includes the assignment.
            if context.now.since(order.status_since) < silence {
                continue;
            }
            decided.extend(release(order, &courier, platform(), context).map(|(_, changes)| changes));
        }
        decided.truncate((MAX_RELEASED - committed.count) as usize);
        let before = committed.count;
        committed.commit(host, &decided).await?;
        skipped += found - (committed.count - before).min(found);
        if found < MAX_RELEASED {
            break;
        }
    }
    let released = committed.finish()?;
    Ok((released, released >= MAX_RELEASED))
}

/// Assigns free couriers to searching orders. Returns the number of committed pairs, and whether another pass would
/// find more.
async fn allocate_searching<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<(u32, bool), HostError> {
    let (terms, now) = (&settings.dispatch, context.now);
    let searching = searching_orders(host).await?;
    let pickups: Vec<Option<Point>> = searching.iter().map(|order| order.pickup).collect();
    let couriers = couriers_around(host, &pickups, terms, now).await?;
    let index = CourierIndex::new(&couriers);
    let in_reach = |order: &SearchingOrder| {
        let fits = |courier: &FreeCourier| courier.sandbox == order.sandbox;
        order.pickup.is_none_or(|pickup| index.has_within(pickup, terms.radius_m(), fits))
    };
    let ids = searching.into_iter().filter(in_reach).map(|order| order.id).collect();
    let (ids, is_cut) = select_orders(ids, terms.orders(), context);
    let orders = in_order(&ids, host.find_orders(OrderQuery::Ids(&ids)).await?);
    let pairs = assigned(&orders, &couriers, &index, terms, &settings.timing, now);
    let ids: Vec<CourierId> = pairs.iter().filter_map(|(_, at)| couriers.get(*at)).map(|one| one.id).collect();
    let mut free: BTreeMap<CourierId, Courier> = BTreeMap::new();
    free.extend(host.find_couriers(CourierQuery::Ids(&ids)).await?.into_iter().map(|courier| (courier.id, courier)));
    let pair = |(order, courier): (&(usize, usize), &CourierId)| Some((orders.get(order.0)?, free.get(courier)?));
    let decide = |(order, courier): (&Order, &Courier)| allocate(order, courier, context).map(|(_, changes)| changes);
    let decided: Vec<Changes> = pairs.iter().zip(&ids).filter_map(pair).filter_map(decide).collect();
    let mut committed = clock::BatchCommit::default();
    committed.commit(host, &decided).await?;
    let allocated = committed.finish()?;
    Ok((allocated, is_cut && allocated > 0))
}

/// Returns the orders that no free courier within the radius can take now.
///
/// # Errors
/// An error of the host.
pub async fn out_of_reach<'a, H: Host>(
    host: &H,
    orders: &[&'a Order],
    settings: &Settings,
    now: Timestamp,
) -> Result<Vec<&'a Order>, HostError> {
    let pickups: Vec<Option<Point>> = orders.iter().map(|order| Some(order.pickup.located.point)).collect();
    let couriers = couriers_around(host, &pickups, &settings.dispatch, now).await?;
    let (index, radius_m) = (CourierIndex::new(&couriers), settings.dispatch.radius_m());
    let can_take = |order: &Order, courier: &FreeCourier| {
        courier.sandbox == order.sandbox && !order.released.contains(&courier.id)
    };
    let is_out =
        |order: &&&Order| !index.has_within(order.pickup.located.point, radius_m, |courier| can_take(order, courier));
    Ok(orders.iter().filter(is_out).copied().collect())
}

/// Returns all searching orders, longest search first.
async fn searching_orders<H: Host>(host: &H) -> Result<Vec<SearchingOrder>, HostError> {
    let mut orders: Vec<SearchingOrder> = Vec::new();
    for _ in 0..MAX_PAGES {
        let after = orders.last().map(|last| (last.until, last.id));
        let page = host.searching_orders(after, PAGE).await?;
        let is_last = count(page.len()) < PAGE;
        orders.extend(page);
        if is_last {
            break;
        }
    }
    Ok(orders)
}

/// Returns the free couriers of the cells around these pickups, sorted by ID.
async fn couriers_around<H: Host>(
    host: &H,
    pickups: &[Option<Point>],
    terms: &Dispatch,
    now: Timestamp,
) -> Result<Vec<FreeCourier>, HostError> {
    // The pickup of an order without an indexed pickup can be anywhere.
    let everywhere = pickups.iter().any(Option::is_none).then(Cell::all);
    let known = pickups.iter().flatten().copied();
    let ranges = everywhere.map_or_else(|| cells_around(known, terms.radius_m(), MAX_RANGES), |all| vec![all]);
    let mut couriers = Vec::new();
    for cells in ranges {
        let mut after = None;
        for _ in 0..MAX_PAGES {
            let page = host.free_couriers(cells.clone(), after, now.before(terms.seen()), PAGE).await?;
            after = page.last().map(|last| (Cell::of(last.point), last.id));
            let is_last = count(page.len()) < PAGE;
            couriers.extend(page);
            if is_last {
                break;
            }
        }
    }
    // A courier that moves between two reads can be in both results.
    couriers.sort_unstable_by_key(|courier| courier.id);
    couriers.dedup_by_key(|courier| courier.id);
    Ok(couriers)
}

/// Selects at most `max` of these orders. If there are more, one half is taken from the start of the list, and the
/// other half from a random offset. Passes on any number of instances therefore reach all orders without a shared
/// cursor.
fn select_orders(mut ids: Vec<OrderId>, max: usize, context: &mut ExecContext) -> (Vec<OrderId>, bool) {
    if ids.len() <= max {
        return (ids, false);
    }
    let mut rest = ids.split_off(max - max / 2);
    let from = u64::from_be_bytes(context.entropy.bytes()) % (rest.len() as u64);
    rest.rotate_left(usize::try_from(from).unwrap_or(0));
    ids.extend(rest.into_iter().take(max / 2));
    (ids, true)
}

/// Sorts orders by the sequence of these IDs.
fn in_order(ids: &[OrderId], orders: Vec<Order>) -> Vec<Order> {
    let mut orders: BTreeMap<OrderId, Order> = orders.into_iter().map(|order| (order.id, order)).collect();
    ids.iter().filter_map(|id| orders.remove(id)).collect()
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

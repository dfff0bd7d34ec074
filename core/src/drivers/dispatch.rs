//! One round of dispatch, for whoever drives it: a scheduler every few seconds, or a request by any cron.
//!
//! A round changes one order at a time, each in a commit of its own against the versions that were read, so that rounds that run
//! at once, on several instances over one database, do everything once: who comes second loses that one order and goes on.

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
    wire::DispatchRound,
};

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DispatchPass {
    /// Orders that time moved on, those that expired among them.
    pub moved: u32,
    /// Orders that a courier was given.
    pub allocated: u32,
    /// Orders that were taken from couriers that are not heard of.
    pub released: u32,
    /// Orders that no courier was found for in time.
    pub expired: u32,
    /// Whether a limit ended the round before the work did: run another one at once.
    pub more: bool,
}

impl From<DispatchPass> for DispatchRound {
    fn from(round: DispatchPass) -> DispatchRound {
        let DispatchPass { moved, allocated, released, expired, more } = round;
        DispatchRound { moved, allocated, released, expired, more }
    }
}

/// Orders that time moves on in one pass.
const MAX_MOVED: u32 = 1_000;
/// Unresponsive couriers that lose their order in one pass.
const MAX_RELEASED: u32 = 500;
/// Rows of one read of positions.
const PAGE: u32 = 5_000;
/// Reads of one kind of position in a pass: 500,000 orders, and as many couriers in each range of cells.
const MAX_PAGES: usize = 100;
/// Ranges of cells that are read one by one; more are merged.
const MAX_RANGES: usize = 32;

/// Moves on what is due, takes orders from unresponsive couriers, and gives searching orders to free couriers.
///
/// # Errors
/// A fault of the host. What was done before it stays, and the next pass continues from there. A fault of one part does not keep the
/// others from running.
pub async fn round<H: Host>(
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

/// Takes orders before pickup from couriers without a position or a step for too long; how many, and whether there may be more.
async fn release_unresponsive<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<(u32, bool), HostError> {
    let silence = settings.dispatch.silence();
    let mut committed = clock::Committed::default();
    // Couriers that keep their order stay in the list: the next page begins after them.
    let mut skipped = 0;
    while committed.count < MAX_RELEASED {
        let seen_before = context.now.before(silence);
        let silent = CourierQuery::Silent { seen_before, skipped, limit: MAX_RELEASED };
        let couriers = host.find_couriers(silent).await?;
        let ids: Vec<OrderId> = couriers.iter().filter_map(|courier| courier.order).collect();
        let orders = host.find_orders(OrderQuery::Ids(&ids)).await?;
        let orders: BTreeMap<OrderId, Order> = orders.into_iter().map(|order| (order.id, order)).collect();
        let found = count(couriers.len());
        let mut decided = Vec::new();
        for courier in couriers {
            let Some(order) = courier.order.and_then(|id| orders.get(&id)) else { continue };
            // A courier that got the order a moment ago has not been silent on it yet, and a step counts as a sign of life.
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

/// Matches searching orders with free couriers; how many pairs were committed, and whether another pass would find more.
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
    let (ids, is_cut) = rotated(ids, terms.orders(), context);
    let orders = in_order(&ids, host.find_orders(OrderQuery::Ids(&ids)).await?);
    let pairs = assigned(&orders, &couriers, &index, terms, &settings.timing, now);
    let ids: Vec<CourierId> = pairs.iter().filter_map(|(_, at)| couriers.get(*at)).map(|one| one.id).collect();
    let mut free: BTreeMap<CourierId, Courier> = BTreeMap::new();
    free.extend(host.find_couriers(CourierQuery::Ids(&ids)).await?.into_iter().map(|courier| (courier.id, courier)));
    let pair = |(order, courier): (&(usize, usize), &CourierId)| Some((orders.get(order.0)?, free.get(courier)?));
    let decide = |(order, courier): (&Order, &Courier)| allocate(order, courier, context).map(|(_, changes)| changes);
    let decided: Vec<Changes> = pairs.iter().zip(&ids).filter_map(pair).filter_map(decide).collect();
    let mut committed = clock::Committed::default();
    committed.commit(host, &decided).await?;
    let allocated = committed.finish()?;
    Ok((allocated, is_cut && allocated > 0))
}

/// The orders that no free courier can take now: all within the radius carry other orders, or are not for this order.
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

/// All searching orders, the longest search first.
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

/// The free couriers of the cells around these pickups, by ID.
async fn couriers_around<H: Host>(
    host: &H,
    pickups: &[Option<Point>],
    terms: &Dispatch,
    now: Timestamp,
) -> Result<Vec<FreeCourier>, HostError> {
    // An order without an indexed pickup may be anywhere.
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
    // A courier that moves between two reads can be in both.
    couriers.sort_unstable_by_key(|courier| courier.id);
    couriers.dedup_by_key(|courier| courier.id);
    Ok(couriers)
}

/// At most `max` of these orders: where there are more, one half are the first ones, and the other half begins at random, so that passes
/// on any number of instances come to all of them without a shared cursor.
fn rotated(mut ids: Vec<OrderId>, max: usize, context: &mut ExecContext) -> (Vec<OrderId>, bool) {
    if ids.len() <= max {
        return (ids, false);
    }
    let mut rest = ids.split_off(max - max / 2);
    let from = u64::from_be_bytes(context.entropy.bytes()) % (rest.len() as u64);
    rest.rotate_left(usize::try_from(from).unwrap_or(0));
    ids.extend(rest.into_iter().take(max / 2));
    (ids, true)
}

/// The orders in the order of these IDs.
fn in_order(ids: &[OrderId], orders: Vec<Order>) -> Vec<Order> {
    let mut orders: BTreeMap<OrderId, Order> = orders.into_iter().map(|order| (order.id, order)).collect();
    ids.iter().filter_map(|id| orders.remove(id)).collect()
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

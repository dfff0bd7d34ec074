//! A pass of dispatch. It is run by a scheduler every few seconds, or by a request from a cron job.
//!
//! A pass commits each order independently, with the versions that were read. Concurrent passes of
//! several instances over one database therefore do everything only once: after a conflict, a pass
//! skips that order and continues.

use std::collections::BTreeMap;

use super::{clock, trips};
use crate::{
    changes::Changes,
    host::{CashBalanceQuery, CourierQuery, Host, HostError, OrderQuery, PayPlanQuery},
    model::{
        CourierId, Duration, ExecContext, Load, Money, OrderId, Point, Timestamp,
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{Assignment, ConsideredCourier, Order},
        pay::StoredPayPlan,
    },
    rules::{
        cash,
        lifecycle::{allocate, platform, release},
        matching::{
            self, Assessed, Available, Decision, Dispatch, Pass,
            assign::{Couriers, PlannedAssignment, places},
            nearby::{CourierIndex, cells_around},
        },
        settings::Settings,
        trips::Durations,
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
    /// Whether the pass stopped at a limit while more work was due. If true, run another pass
    /// immediately.
    pub more: bool,
}

impl From<DispatchPass> for DispatchPassView {
    fn from(pass: DispatchPass) -> DispatchPassView {
        let DispatchPass {
            moved,
            allocated,
            released,
            expired,
            more,
        } = pass;
        DispatchPassView {
            moved,
            allocated,
            released,
            expired,
            more,
            decisions: None,
        }
    }
}

/// Maximum number of orders whose timed transitions a pass takes.
const MAX_MOVED: u32 = 1_000;
/// Maximum number of unresponsive couriers that a pass releases.
const MAX_RELEASED: u32 = 500;
/// Couriers or orders per read by ID.
const MAX_READ: usize = 2_000;
/// Rows per read of positions.
const PAGE: u32 = 5_000;
/// Maximum number of reads of positions in a pass: 500,000 orders, and 500,000 couriers in each
/// range of cells.
const MAX_PAGES: usize = 100;
/// Maximum number of ranges of cells that are read. If there are more, they are merged.
const MAX_RANGES: usize = 32;

/// Takes due timed transitions, releases unresponsive couriers, and assigns searching orders to
/// free couriers.
///
/// # Errors
/// An error of the host. Earlier commits are kept, and the next pass continues. An error of one
/// part does not prevent the others.
pub async fn run_pass<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<DispatchPass, HostError> {
    let due = clock::due(host, settings, context.now, MAX_MOVED).await;
    let released = release_unresponsive(host, settings, context).await;
    let allocated = assign_orders(host, settings, context).await;
    let (due, (released, more_released), (allocated, more_allocated)) =
        (due?, released?, allocated?);
    let more = due.more || more_released || more_allocated;
    Ok(DispatchPass {
        moved: due.moved,
        expired: due.expired,
        released,
        allocated,
        more,
    })
}

/// Releases couriers before the pickup that have sent no position and taken no step for too long,
/// and couriers whose positions show that they do not move to the pickup. Returns the number of
/// their orders, and whether there can be more.
async fn release_unresponsive<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<(u32, bool), HostError> {
    let mut committed = clock::BatchCommit::default();
    // Couriers that keep their order stay in the list, so the next page begins after them.
    let (mut skipped, mut released) = (0, 0);
    while committed.count < MAX_RELEASED {
        let before_pickup = CourierQuery::Unresponsive {
            // All couriers before the pickup: also one whose position is as new as this pass, or
            // was stored by an instance whose clock is ahead.
            seen_before: context.now.after(Duration::minutes(1)),
            skipped,
            limit: MAX_RELEASED,
        };
        let couriers = host.find_couriers(before_pickup).await?;
        let ids: Vec<OrderId> = couriers
            .iter()
            .flat_map(|courier| courier.trip.iter().map(|one| one.id))
            .collect();
        let orders = host.find_orders(OrderQuery::Ids(&ids)).await?;
        let mut orders = trips::orders_by_id(orders);
        let found = count(couriers.len());
        let mut decided = Vec::new();
        for courier in couriers {
            let trip = trips::take_trip(&courier, &mut orders);
            let (courier, lost) = lost_orders(host, settings, courier, trip, context.now);
            let mut draft = TripDraft::new(courier, Vec::new());
            for order in lost {
                if let Some((_, changes)) = release(&order, &draft.courier, platform(), context) {
                    draft.add(changes);
                }
            }
            decided.extend(draft.changes);
        }
        decided.truncate((MAX_RELEASED - committed.count) as usize);
        let before = committed.count;
        released += count_orders(&decided, &committed.commit(host, &decided).await?);
        skipped += found - (committed.count - before).min(found);
        if found < MAX_RELEASED {
            break;
        }
    }
    let more = committed.count >= MAX_RELEASED;
    committed.finish()?;
    Ok((released, more))
}

/// Returns the orders that a courier before the pickup loses now, and the courier. One who reports
/// positions and does not move takes no further orders until the courier becomes available again.
fn lost_orders<H: Host>(
    host: &H,
    settings: &Settings,
    courier: Courier,
    trip: Vec<Order>,
    now: Timestamp,
) -> (Courier, Vec<Order>) {
    let silence = settings.dispatch.silence();
    if courier
        .position_at
        .is_none_or(|at| at < now.before(silence))
    {
        // The timeout starts when the last step is received, which includes the assignment.
        let is_silent = |order: &Order| now.since(order.status_received()) >= silence;
        return (courier, trip.into_iter().filter(is_silent).collect());
    }
    let step = trips::plan_trip(host, settings, &courier, &trip, now).step;
    if step.is_none_or(|step| !step.is_motionless(&settings.dispatch)) {
        return (courier, Vec::new());
    }
    (
        Courier {
            available: false,
            shift: None,
            ..courier
        },
        trip,
    )
}

/// A courier with the orders of the trip, and what a pass changes about them.
struct TripDraft {
    courier: Courier,
    orders: Vec<Order>,
    /// One commit for all orders of the trip: in separate commits, the second one could follow a
    /// concurrent change of the courier instead of the first one, because both lead to the same
    /// version.
    changes: Option<Changes>,
}

impl TripDraft {
    fn new(courier: Courier, orders: Vec<Order>) -> TripDraft {
        TripDraft {
            courier,
            orders,
            changes: None,
        }
    }

    /// Adds the changes of an order. They follow the earlier ones.
    fn add(&mut self, changes: Changes) {
        if let Some(write) = changes.couriers.first() {
            self.courier = write.value.clone();
        }
        let Some(earlier) = &mut self.changes else {
            self.changes = Some(changes);
            return;
        };
        earlier.orders.extend(changes.orders);
        earlier.events.extend(changes.events);
        earlier.pay.extend(changes.pay);
        for (write, next) in earlier.couriers.iter_mut().zip(changes.couriers) {
            write.value = Courier {
                version: write.expected + 1,
                ..next.value
            };
        }
    }

    /// Returns the changes, with the estimates of the trip that they lead to. They come last,
    /// because a later order of the trip changes those of the earlier ones.
    fn into_changes<H: Host>(
        self,
        host: &H,
        settings: &Settings,
        now: Timestamp,
    ) -> Option<Changes> {
        let mut changes = self.changes?;
        let plan = trips::plan_trip(host, settings, &self.courier, &self.orders, now);
        for write in &mut changes.orders {
            if write.value.has_estimate() {
                write.value.eta = plan.eta(write.value.id, now);
            }
        }
        Some(changes)
    }
}

/// The orders and couriers of a pass.
struct Loaded {
    orders: Vec<Order>,
    couriers: Vec<Available>,
    stuck: Vec<Candidate>,
    /// The trips of the couriers with a shift, a trip, or a capacity or a limit of their own.
    trips: BTreeMap<CourierId, TripDraft>,
    /// The cash for which couriers with a limit have room.
    rooms: BTreeMap<CourierId, Money>,
    /// The usual durations of these couriers' waits.
    durations: Durations,
    /// Whether there are more orders than a pass matches.
    is_cut: bool,
}

/// Assigns searching orders to couriers, if they cannot wait for the next pass. Returns the number
/// of assigned orders, and whether another pass would find more.
async fn assign_orders<H: Host>(
    host: &H,
    settings: &Settings,
    context: &mut ExecContext,
) -> Result<(u32, bool), HostError> {
    let loaded = load(host, settings, None, context).await?;
    let decisions = decide(host, settings, &loaded, context.now, false);
    let mut assigned = Vec::new();
    for (order, decision) in loaded.orders.iter().zip(decisions) {
        if let Some(decision) = decision.filter(|decision| decision.open.is_none())
            && let Some(planned) = decision.assignment
        {
            assigned.push((order, planned, decision.considered));
        }
    }
    // The couriers without a trip were not read yet.
    let mut trips = loaded.trips;
    let unread: Vec<CourierId> = assigned
        .iter()
        .map(|(_, planned, _)| planned.courier)
        .filter(|courier| !trips.contains_key(courier))
        .collect();
    for courier in host.find_couriers(CourierQuery::Ids(&unread)).await? {
        trips.insert(courier.id, TripDraft::new(courier, Vec::new()));
    }
    let plans = pay_plans(
        host,
        trips.values().map(|draft| &draft.courier),
        context.now,
    )
    .await?;
    let decided = draft_trips(
        host,
        settings,
        assigned,
        (trips, loaded.rooms),
        &plans,
        context,
    );
    let mut committed = clock::BatchCommit::default();
    let count = count_orders(&decided, &committed.commit(host, &decided).await?);
    committed.finish()?;
    Ok((count, loaded.is_cut && count > 0))
}

/// Returns the decisions that a pass would take now about the orders it would match, with their
/// explanation. Nothing is changed. `about` is an order that is matched even if no courier is in
/// reach, or if there are more orders than a pass matches.
///
/// # Errors
/// An error of the host.
pub async fn decide_pass<H: Host>(
    host: &H,
    settings: &Settings,
    about: Option<OrderId>,
    context: &mut ExecContext,
) -> Result<Vec<(Order, Decision)>, HostError> {
    let loaded = load(host, settings, about, context).await?;
    let decisions = decide(host, settings, &loaded, context.now, true);
    Ok(loaded
        .orders
        .into_iter()
        .zip(decisions)
        .filter_map(|(order, decision)| Some((order, decision?)))
        .collect())
}

fn decide<H: Host>(
    host: &H,
    settings: &Settings,
    loaded: &Loaded,
    now: Timestamp,
    explain: bool,
) -> Vec<Option<Decision>> {
    let travel = |from, to| host.travel_time(from, to);
    let (config, timing, durations) = (&settings.dispatch, &settings.timing, &loaded.durations);
    let pass = Pass {
        config,
        timing,
        durations,
        travel: &travel,
        now,
    };
    let stuck = explain.then_some(loaded.stuck.as_slice());
    matching::decide(&loaded.orders, &loaded.couriers, &pass, stuck)
}

/// Returns the plans of pay in force, if any of the couriers has terms, so that without terms
/// nothing is read.
///
/// # Errors
/// An error of the host.
pub(crate) async fn pay_plans<'a, H: Host>(
    host: &H,
    mut couriers: impl Iterator<Item = &'a Courier>,
    now: Timestamp,
) -> Result<Vec<StoredPayPlan>, HostError> {
    if couriers.all(|courier| courier.pay.is_empty()) {
        return Ok(Vec::new());
    }
    host.find_pay_plans(PayPlanQuery::InForce(now)).await
}

/// Adds assigned orders to the trips of their couriers. Returns the changes of each courier, in the
/// sequence of their first orders.
fn draft_trips<H: Host>(
    host: &H,
    settings: &Settings,
    assigned: Vec<(&Order, PlannedAssignment, Vec<ConsideredCourier>)>,
    (mut trips, mut rooms): (BTreeMap<CourierId, TripDraft>, BTreeMap<CourierId, Money>),
    plans: &[StoredPayPlan],
    context: &ExecContext,
) -> Vec<Changes> {
    let (mut changed, now) = (Vec::new(), context.now);
    for (order, planned, considered) in assigned {
        let Some(draft) = trips.get_mut(&planned.courier) else {
            continue;
        };
        // The orders of a pass together can exceed a limit that each of them keeps.
        let room = rooms.get_mut(&planned.courier);
        if cash::exceeds(order, room.as_deref().copied()) {
            continue;
        }
        let reasons = Assignment {
            at: now,
            courier: planned.courier,
            cost: planned.cost,
            orders: planned.orders,
            considered,
        };
        let trip: Vec<&Order> = draft.orders.iter().collect();
        let max_orders = settings.dispatch.orders_per_trip;
        let taken = allocate(
            order,
            &draft.courier,
            &trip,
            max_orders,
            reasons,
            plans,
            context,
        );
        let Some((order, changes)) = taken else {
            continue;
        };
        if let Some(room) = room {
            *room = room.plus(order.cash_due().negated());
        }
        if draft.changes.is_none() {
            changed.push(planned.courier);
        }
        draft.orders.push(order);
        draft.add(changes);
    }
    changed
        .iter()
        .filter_map(|courier| trips.remove(courier)?.into_changes(host, settings, now))
        .collect()
}

/// Returns the number of orders in the changes that were committed.
fn count_orders(decided: &[Changes], done: &[bool]) -> u32 {
    decided
        .iter()
        .zip(done)
        .filter(|(_, done)| **done)
        .map(|(changes, _)| count(changes.orders.len()))
        .sum()
}

/// Loads the searching orders with a courier in reach, and the couriers around them. `about` is an
/// order that is loaded in any case.
async fn load<H: Host>(
    host: &H,
    settings: &Settings,
    about: Option<OrderId>,
    context: &mut ExecContext,
) -> Result<Loaded, HostError> {
    let (config, now) = (&settings.dispatch, context.now);
    let searching = searching_orders(host).await?;
    let pickups: Vec<Option<Point>> = searching.iter().map(|order| order.pickup).collect();
    let candidates = couriers_around(host, &pickups, config, now).await?;
    let trips = trips_of(host, &candidates).await?;
    let rooms = cash_rooms(host, &trips).await?;
    let durations = Durations::of(trips.values().map(|trip| &trip.courier));
    let travel = |from, to| host.travel_time(from, to);
    let pass = Pass {
        config,
        timing: &settings.timing,
        durations: &durations,
        travel: &travel,
        now,
    };
    let (mut couriers, mut stuck) = (Vec::new(), Vec::new());
    for candidate in candidates {
        if candidate.is_free {
            couriers.push(Available::free(candidate, now));
        } else if let Some(trip) = trips.get(&candidate.id) {
            let cash_room = rooms.get(&candidate.id).copied();
            let candidate = Candidate {
                cash_room,
                ..candidate
            };
            match Available::of(candidate, &trip.courier, &trip.orders, &pass) {
                Assessed::Available(available) => couriers.push(available),
                Assessed::Stuck(candidate) => stuck.push(candidate),
                Assessed::NotSoon => {}
            }
        }
    }
    let places = places(&couriers);
    let index = Couriers::new(&couriers, &places);
    let in_reach = |order: &SearchingOrder| {
        order
            .pickup
            .is_none_or(|pickup| index.reaches(pickup, order.sandbox, config))
    };
    let ids = searching
        .into_iter()
        .filter(in_reach)
        .map(|order| order.id)
        .collect();
    let (mut ids, is_cut) = select_orders(ids, config.orders(), context);
    ids.extend(about.filter(|about| !ids.contains(about)));
    let orders = in_order(&ids, host.find_orders(OrderQuery::Ids(&ids)).await?);
    Ok(Loaded {
        orders,
        couriers,
        stuck,
        trips,
        rooms,
        durations,
        is_cut,
    })
}

/// Returns the trips of the couriers with a shift, a trip, or a capacity or a limit of their own.
async fn trips_of<H: Host>(
    host: &H,
    candidates: &[Candidate],
) -> Result<BTreeMap<CourierId, TripDraft>, HostError> {
    let ids: Vec<CourierId> = candidates
        .iter()
        .filter(|one| !one.is_free)
        .map(|one| one.id)
        .collect();
    let (mut couriers, mut orders) = (Vec::new(), Vec::new());
    for ids in ids.chunks(MAX_READ) {
        couriers.extend(host.find_couriers(CourierQuery::Ids(ids)).await?);
    }
    let carried: Vec<OrderId> = couriers
        .iter()
        .flat_map(|courier| courier.trip.iter().map(|one| one.id))
        .collect();
    for ids in carried.chunks(MAX_READ) {
        orders.extend(host.find_orders(OrderQuery::Ids(ids)).await?);
    }
    let mut orders = trips::orders_by_id(orders);
    let with_trip = |courier: Courier| {
        let trip = trips::take_trip(&courier, &mut orders);
        (courier.id, TripDraft::new(courier, trip))
    };
    Ok(couriers.into_iter().map(with_trip).collect())
}

/// Returns the cash for which the couriers with a limit have room. Without a cash ledger, nothing is
/// in hand.
async fn cash_rooms<H: Host>(
    host: &H,
    trips: &BTreeMap<CourierId, TripDraft>,
) -> Result<BTreeMap<CourierId, Money>, HostError> {
    let limited = || {
        trips
            .values()
            .filter(|trip| trip.courier.cash_limit.is_some())
    };
    let ids: Vec<CourierId> = limited().map(|trip| trip.courier.id).collect();
    let mut in_hand: BTreeMap<CourierId, Money> = BTreeMap::new();
    for ids in ids.chunks(MAX_READ) {
        let balances = match host.cash_balances(CashBalanceQuery::Couriers(ids)).await {
            Err(HostError::Unsupported { .. }) => Vec::new(),
            balances => balances?,
        };
        for balance in balances {
            // Too much at one store is no room at another.
            let amount = balance.in_hand().max(Money::ZERO);
            let sum = in_hand.entry(balance.courier).or_default();
            *sum = sum.plus(amount);
        }
    }
    let room = |trip: &TripDraft| {
        let courier = &trip.courier;
        let in_hand = in_hand.get(&courier.id).copied().unwrap_or_default();
        Some((courier.id, cash::room(courier, &trip.orders, in_hand)?))
    };
    Ok(limited().filter_map(room).collect())
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
    let pickups: Vec<Option<Point>> = orders
        .iter()
        .map(|order| Some(order.pickup.located.point))
        .collect();
    let couriers = couriers_around(host, &pickups, &settings.dispatch, now).await?;
    let (index, radius_m) = (CourierIndex::new(&couriers), settings.dispatch.radius_m());
    let can_take = |order: &Order, courier: &Candidate| {
        let carries = courier
            .capacity
            .misfit(&order.requirements, Load::default())
            .is_none();
        courier.is_free
            && courier.sandbox == order.sandbox
            && carries
            && !order.released.contains(&courier.id)
    };
    let is_out = |order: &&&Order| {
        !index.has_within(order.pickup.located.point, radius_m, |courier| {
            can_take(order, courier)
        })
    };
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
) -> Result<Vec<Candidate>, HostError> {
    // The pickup of an order without an indexed pickup can be anywhere.
    let everywhere = pickups.iter().any(Option::is_none).then(Cell::all);
    let known = pickups.iter().flatten().copied();
    let ranges = everywhere.map_or_else(
        || cells_around(known, terms.radius_m(), MAX_RANGES),
        |all| vec![all],
    );
    let mut couriers = Vec::new();
    for cells in ranges {
        let mut after = None;
        for _ in 0..MAX_PAGES {
            let page = host
                .candidates(cells.clone(), after, now.before(terms.seen()), PAGE)
                .await?;
            after = page.last().map(|last| (Cell::of(last.point), last.id));
            let is_last = count(page.len()) < PAGE;
            couriers.extend(page);
            if is_last {
                break;
            }
        }
    }
    // A courier that moves between two reads can be in both results.
    couriers.sort_by_key(|courier| courier.id);
    couriers.dedup_by_key(|courier| courier.id);
    Ok(couriers)
}

/// Selects at most `max` of these orders. If there are more, one half is taken from the start of
/// the list, and the other half from a random offset. Passes on any number of instances therefore
/// reach all orders without a shared cursor.
fn select_orders(
    mut ids: Vec<OrderId>,
    max: usize,
    context: &mut ExecContext,
) -> (Vec<OrderId>, bool) {
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
    let mut orders = trips::orders_by_id(orders);
    ids.iter().filter_map(|id| orders.remove(id)).collect()
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

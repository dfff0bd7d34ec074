//! Simulated couriers that deliver the orders of sandbox stores, for testing an integration without
//! people.
//!
//! A host calls [`run_pass`] about once per second. A pass reads the open orders of sandbox stores,
//! determines the next action of each simulated courier, and commits each change against the
//! version that it read, as a dispatch pass does. The only state is each courier's position and its
//! time. A pass therefore continues after any pause, and concurrent passes of several instances do
//! not duplicate actions.
//!
//! A simulated courier is a sandbox courier without a valid key. Sandbox couriers with a valid key
//! are not simulated.

mod courier;
pub mod demo;
mod fleet;
mod proof;
mod simulation;

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    changes::Changes,
    drivers::{clock::BatchCommit, trips},
    host::{CourierQuery, Host, HostError, OrderQuery},
    model::{
        CourierId, ExecContext, IdBlock, OrderId, Timestamp,
        courier::{Courier, Position},
        order::{Order, OrderStatus},
    },
    rules::{
        lifecycle::{self, Carry, CodeCheck, CourierStep, Receipt, StepOutcome},
        settings::Settings,
        trips::TripContext,
    },
};

pub use simulation::Simulation;

use crate::courier::{Action, next_action, position_time};

/// The result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Number of open orders read.
    pub orders: u32,
    /// Number of committed changes: steps, couriers sent to a pickup, and one for the new positions
    /// of all other couriers.
    pub committed: u32,
    /// Last order that was read, from which the next pass continues, or `None` if this pass read
    /// all open orders.
    pub next: Option<OrderId>,
}

/// Maximum number of orders that one pass reads.
const MAX_ORDERS: u32 = 500;

/// Advances the simulated couriers of at most 500 open orders with an ID above `after`, and sends
/// couriers to orders that need one.
///
/// # Errors
/// Returns the host's error. Committed changes remain, and the next pass continues from them.
pub async fn run_pass<H: Host>(
    host: &H,
    settings: &Settings,
    simulation: Simulation,
    after: Option<OrderId>,
) -> Result<Pass, HostError> {
    let orders = host
        .find_orders(OrderQuery::Sandbox {
            after,
            limit: MAX_ORDERS,
        })
        .await?;
    let count = u32::try_from(orders.len()).unwrap_or(u32::MAX);
    let next = orders
        .last()
        .filter(|_| count >= MAX_ORDERS)
        .map(|last| last.id);
    if orders.is_empty() {
        return Ok(Pass::default());
    }
    let mut context = host.exec_context();
    let is_searching = |order: &&Order| order.status == OrderStatus::Searching;
    let (searching, carried): (Vec<&Order>, Vec<&Order>) = orders.iter().partition(is_searching);
    let mut decided = advance(host, settings, &carried, simulation, &mut context).await?;
    decided
        .extend(fleet::send_couriers(host, settings, &searching, simulation, context.now).await?);
    let mut committed = BatchCommit::default();
    committed.commit(host, &decided).await?;
    Ok(Pass {
        orders: count,
        committed: committed.finish()?,
        next,
    })
}

/// The next action of a simulated courier.
struct Turn<'a> {
    courier: &'a Courier,
    /// The order of the action.
    order: Order,
    /// The other orders of the courier's trip.
    others: Vec<Order>,
    action: Action,
}

/// Returns the changes of the next actions of these orders' couriers.
async fn advance<H: Host>(
    host: &H,
    settings: &Settings,
    orders: &[&Order],
    simulation: Simulation,
    context: &mut ExecContext,
) -> Result<Vec<Changes>, HostError> {
    let ids: Vec<CourierId> = orders
        .iter()
        .filter_map(|order| Some(order.courier.as_ref()?.id))
        .collect();
    // Collecting into the map would sort first, which is larger.
    let mut couriers: BTreeMap<CourierId, Courier> = BTreeMap::new();
    couriers.extend(
        host.find_couriers(CourierQuery::Ids(&ids))
            .await?
            .into_iter()
            .map(|courier| (courier.id, courier)),
    );
    let now = context.now;
    let simulated = |order: &Order| {
        let courier = couriers
            .get(&order.courier.as_ref()?.id)
            .filter(|courier| courier.carries(order.id))?;
        Some(courier).filter(|courier| courier.key.as_ref().is_none_or(|key| key.expires_at <= now))
    };
    let (mut turns, mut moved) = (Vec::new(), BTreeSet::new());
    for order in orders {
        let Some(courier) = simulated(order).filter(|courier| moved.insert(courier.id)) else {
            continue;
        };
        let (order, others) = next_order(host, settings, courier, order, now).await?;
        if let Some(action) = next_action(&order, courier, now, simulation.speed) {
            turns.push(Turn {
                courier,
                order,
                others,
                action,
            });
        }
    }
    let needed: usize = turns.iter().map(|turn| turn.action.ids(&turn.order)).sum();
    let mut ids = match u32::try_from(needed) {
        Ok(0) | Err(_) => IdBlock::new(0, 0),
        Ok(count) => host.ids(count).await?,
    };
    let (mut decided, mut positions) = (Vec::new(), Vec::new());
    for turn in turns {
        let (id, last) = (turn.courier.id, turn.courier.position_at);
        let position = Position {
            courier: id,
            point: turn.action.point(),
            at: position_time(last, now),
        };
        match changes(turn, position, &mut ids, context) {
            Some(changes) => decided.push(Changes {
                positions: vec![position],
                ..changes
            }),
            None => positions.push(position),
        }
    }
    if !positions.is_empty() {
        decided.push(Changes {
            at: now,
            positions,
            ..Changes::default()
        });
    }
    Ok(decided)
}

/// Returns the order of the next stop in a courier's trip, and the trip's other orders. `known` is
/// one of its orders.
async fn next_order<H: Host>(
    host: &H,
    settings: &Settings,
    courier: &Courier,
    known: &Order,
    now: Timestamp,
) -> Result<(Order, Vec<Order>), HostError> {
    if courier.trip.len() < 2 {
        return Ok((known.clone(), Vec::new()));
    }
    let mut orders = trips::trip_orders(host, courier).await?;
    let next = trips::plan_trip(host, settings, courier, &orders, now).next_order();
    let at = orders.iter().position(|order| Some(order.id) == next);
    Ok(at.map_or_else(
        || (known.clone(), Vec::new()),
        |at| (orders.remove(at), orders),
    ))
}

/// Returns the changes of an action except the position, or `None` if there are none.
fn changes(
    turn: Turn<'_>,
    position: Position,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Option<Changes> {
    let Turn {
        courier,
        order,
        others,
        action,
    } = turn;
    let courier = Courier {
        position: Some(position.point),
        position_at: Some(position.at),
        ..courier.clone()
    };
    match action {
        Action::Travel { .. } => None,
        Action::Decline { reason, .. } => {
            Some(lifecycle::decline(&order, &courier, reason.to_owned(), None, context)?.1)
        }
        Action::Step { carry, .. } => {
            let trip = TripContext {
                others: &others,
                next: Some(order.id),
            };
            let (order, proof, photos) =
                proof::proven(&order, &courier, (&carry, position.point), ids, context.now)?;
            let receipt = collected(&order, &carry);
            let step = CourierStep {
                act: &carry,
                proof: &proof,
                at: None,
                check: CodeCheck::Own,
                receipt: receipt.as_ref(),
            };
            match lifecycle::carry(&order, &courier, trip, step, ids, context) {
                Ok(StepOutcome::Now(taken)) => Some(Changes {
                    blobs: photos.blobs,
                    ..taken.1
                }),
                // A concurrent write changed the order. The next pass reads it again.
                Ok(StepOutcome::Already) | Err(_) => None,
            }
        }
    }
}

/// Returns the payment that a recipient hands over with a delivery, if it has one method.
fn collected(order: &Order, carry: &Carry) -> Option<Receipt> {
    let Carry::Deliver { stop, .. } = carry else {
        return None;
    };
    let delivery = order.deliveries.iter().find(|one| one.id == *stop)?;
    let payment = delivery
        .payment
        .as_ref()
        .filter(|_| delivery.received.is_empty())?;
    Some(Receipt {
        method: payment.split.is_empty().then_some(payment.method),
        amount: delivery.product_value?,
        reference: None,
    })
    .filter(|receipt| receipt.method.is_some())
}

impl Action {
    /// Returns the number of IDs that the step needs: for a notification to the store, and for the
    /// photo of its proof.
    fn ids(&self, order: &Order) -> usize {
        let Action::Step { carry, .. } = self else {
            return 0;
        };
        let notifies = matches!(carry, Carry::Fail { .. } | Carry::ReachReturn);
        usize::from(notifies) + usize::from(proof::has_photo(order, carry))
    }
}

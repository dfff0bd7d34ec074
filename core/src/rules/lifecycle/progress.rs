//! Statuses of an order and its deliveries, and the application of steps and events to them.

use super::table::{Actor, Move, Step, TABLE};
use crate::model::{
    DeliveryId,
    order::{DeliveryStatus, Event, EventKind, Order, OrderStatus},
};

/// The statuses of an order and its deliveries, to which the table applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Status of the order.
    pub status: OrderStatus,
    /// The deliveries, in route order.
    pub stops: Vec<StopProgress>,
    /// The sequence of the last event.
    pub sequence: u32,
}

/// The status of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopProgress {
    /// The delivery.
    pub id: DeliveryId,
    /// Whether the courier brings something back after the delivery.
    pub returns: bool,
    /// The status.
    pub status: DeliveryStatus,
}

/// The parts of an event that determine the transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitionEvent {
    /// Position in the order's history.
    pub sequence: u32,
    /// The kind of the event.
    pub kind: EventKind,
    /// Status of the delivery after the event, or of the order if `delivery` is `None`.
    pub status: u16,
    /// The affected delivery.
    pub delivery: Option<DeliveryId>,
}

/// The reason an event cannot be applied to the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Events before it are missing. Read the order instead.
    #[error("events before it are missing: expected sequence {expected}")]
    Gap {
        /// The expected sequence.
        expected: u32,
    },
    /// The table has no such step for the current status, or the step leads to another status.
    #[error("the table has no such step for the current status")]
    NotInTable,
}

impl From<&Event> for TransitionEvent {
    fn from(event: &Event) -> TransitionEvent {
        let Event {
            sequence,
            kind,
            status,
            delivery,
            ..
        } = event;
        TransitionEvent {
            sequence: *sequence,
            kind: *kind,
            status: *status,
            delivery: *delivery,
        }
    }
}

/// The progress of the way back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    Ahead,
    There,
    Settled,
}

impl Progress {
    /// Returns the statuses of an order.
    pub fn of(order: &Order) -> Progress {
        let stop = |delivery: &crate::model::order::Delivery| StopProgress {
            id: delivery.id,
            returns: delivery.returns(),
            status: delivery.status,
        };
        Progress {
            status: order.status,
            stops: order.deliveries.iter().map(stop).collect(),
            sequence: order.last_sequence,
        }
    }

    /// Returns the statuses after a step, or `None` if the table does not allow the step. Codes,
    /// times and money are checked elsewhere; this function applies only the table.
    pub fn take(&self, step: Step, stop: Option<DeliveryId>) -> Option<Progress> {
        if self.status.is_final() && !step.follows_end() {
            return None;
        }
        let mut next = Progress {
            sequence: self.sequence + 1,
            ..self.clone()
        };
        match step.row().moves {
            Move::Order { from, to, each } => {
                if !from.contains(&self.status) {
                    return None;
                }
                for stop in &mut next.stops {
                    if let Some((_, then)) = each.filter(|(each, _)| each.contains(&stop.status)) {
                        stop.status = then;
                    }
                }
                next.status = to.unwrap_or_else(|| derived(&next.stops, Back::Settled));
            }
            Move::Unchanged { during } => {
                if !during.contains(&self.status) {
                    return None;
                }
            }
            Move::DeliveryUnchanged { during } => {
                let known = self.stops.iter().find(|known| Some(known.id) == stop)?;
                if !during.contains(&known.status) {
                    return None;
                }
            }
            Move::Delivery { from, to } => {
                let at = self.stops.iter().position(|known| Some(known.id) == stop)?;
                let moved = next
                    .stops
                    .get_mut(at)
                    .filter(|known| from.contains(&known.status))?;
                moved.status = to;
                if !self.allows(step, at) {
                    return None;
                }
                if self.status.number() >= OrderStatus::OutForDelivery.number() {
                    let there = self.status == OrderStatus::CourierAtReturn;
                    next.status =
                        derived(&next.stops, if there { Back::There } else { Back::Ahead });
                }
            }
        }
        Some(next)
    }

    /// Returns whether the other deliveries allow a step of one delivery.
    fn allows(&self, step: Step, at: usize) -> bool {
        let others = || {
            self.stops
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, stop)| stop.status)
        };
        match step {
            Step::SetOut => !others().any(is_current),
            Step::CancelStop => others().any(|status| status == DeliveryStatus::AwaitingPickup),
            _ => true,
        }
    }

    /// Returns the stop that the courier is at or on the way to.
    pub fn current(&self) -> Option<DeliveryId> {
        self.stops
            .iter()
            .find(|stop| is_current(stop.status))
            .map(|stop| stop.id)
    }

    /// Returns the steps that an actor can take, of the whole order or of any delivery.
    pub fn possible(&self, actor: Actor) -> Vec<Step> {
        let steps = TABLE
            .iter()
            .filter(|row| row.actor.contains(&actor))
            .map(|row| row.step);
        let stops = || self.stops.iter().map(|stop| Some(stop.id));
        steps
            .filter(|step| stops().any(|stop| self.take(*step, stop).is_some()))
            .collect()
    }

    /// Returns the statuses after an event. Clients that follow the events use it as a reducer.
    /// Events that were already applied and events after the end change nothing.
    ///
    /// # Errors
    /// [`ReplayError`] if the event cannot be applied.
    pub fn apply(&self, event: TransitionEvent) -> Result<Progress, ReplayError> {
        if event.sequence <= self.sequence || self.status.is_final() {
            return Ok(self.clone());
        }
        if event.sequence != self.sequence + 1 {
            return Err(ReplayError::Gap {
                expected: self.sequence + 1,
            });
        }
        let steps = TABLE
            .iter()
            .filter(|row| row.event == event.kind)
            .map(|row| row.step);
        let nexts = steps.filter_map(|step| self.take(step, event.delivery));
        let fits = |next: &Progress| next.status_of(event.delivery) == Some(event.status);
        nexts.into_iter().find(fits).ok_or(ReplayError::NotInTable)
    }

    /// Returns the status of a delivery, or of the order.
    fn status_of(&self, delivery: Option<DeliveryId>) -> Option<u16> {
        match delivery {
            None => Some(self.status.number()),
            Some(id) => self
                .stops
                .iter()
                .find(|stop| stop.id == id)
                .map(|stop| stop.status.number()),
        }
    }
}

fn is_current(status: DeliveryStatus) -> bool {
    matches!(status, DeliveryStatus::EnRoute | DeliveryStatus::Arrived)
}

/// Derives the order's status from its deliveries. This applies from the pickup on.
fn derived(stops: &[StopProgress], back: Back) -> OrderStatus {
    use DeliveryStatus as D;
    let any = |statuses: &[D]| stops.iter().any(|stop| statuses.contains(&stop.status));
    if any(&[D::OnBoard, D::EnRoute, D::Arrived]) {
        return OrderStatus::OutForDelivery;
    }
    let payment = stops
        .iter()
        .any(|stop| stop.status == D::Delivered && stop.returns);
    if back != Back::Settled && (payment || any(&[D::Returning, D::AtReturn])) {
        return if back == Back::There {
            OrderStatus::CourierAtReturn
        } else {
            OrderStatus::Returning
        };
    }
    let mut visited = stops.iter().filter(|stop| stop.status != D::Cancelled);
    match (
        any(&[D::Delivered]),
        visited.all(|stop| stop.status == D::Delivered),
    ) {
        (true, true) => OrderStatus::Completed,
        (true, false) => OrderStatus::Partial,
        (false, _) => OrderStatus::NotDelivered,
    }
}

//! Where an order and its deliveries stand, and how the table moves them: the decisions' way and the reducer's.

use super::table::{Actor, Move, Step, TABLE};
use crate::model::{
    DeliveryId,
    order::{DeliveryStatus, Event, EventKind, Order, OrderStatus},
};

/// The situations of an order and its deliveries: all that the table knows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Where the order stands.
    pub status: OrderStatus,
    /// Its deliveries, in route order.
    pub stops: Vec<StopProgress>,
    /// The sequence of the last event.
    pub sequence: u32,
}

/// Where a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopProgress {
    /// The delivery.
    pub id: DeliveryId,
    /// Whether it is paid already; where not, the payment comes back once it is delivered.
    pub online_payment: bool,
    /// Where it stands.
    pub status: DeliveryStatus,
}

/// What of an event moves an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitionEvent {
    /// Its place in the order's history.
    pub sequence: u32,
    /// What happened.
    pub kind: EventKind,
    /// Where the delivery stood afterwards where it names one, else the order.
    pub status: u16,
    /// The delivery that it is about.
    pub delivery: Option<DeliveryId>,
}

/// Why an event does not follow on what is known of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// Events are missing in between: look the order up.
    Gap {
        /// The sequence that would follow.
        expected: u32,
    },
    /// The table has no such step from there, or it leads elsewhere.
    NotInTable,
}

impl From<&Event> for TransitionEvent {
    fn from(event: &Event) -> TransitionEvent {
        let Event { sequence, kind, status, delivery, .. } = event;
        TransitionEvent { sequence: *sequence, kind: *kind, status: *status, delivery: *delivery }
    }
}

/// How far the way back is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Back {
    Ahead,
    There,
    Settled,
}

impl Progress {
    /// Where an order stands.
    pub fn of(order: &Order) -> Progress {
        let stop = |delivery: &crate::model::order::Delivery| StopProgress {
            id: delivery.id,
            online_payment: delivery.online_payment,
            status: delivery.status,
        };
        Progress {
            status: order.status,
            stops: order.deliveries.iter().map(stop).collect(),
            sequence: order.last_sequence,
        }
    }

    /// Where it stands after a step; `None` where the table does not have the step from here. Codes, times and money are the
    /// decisions' own; this is the whole of the table.
    pub fn take(&self, step: Step, stop: Option<DeliveryId>) -> Option<Progress> {
        if self.status.is_final() {
            return None;
        }
        let mut next = Progress { sequence: self.sequence + 1, ..self.clone() };
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
            Move::Delivery { from, to } => {
                let at = self.stops.iter().position(|known| Some(known.id) == stop)?;
                let moved = next.stops.get_mut(at).filter(|known| from.contains(&known.status))?;
                moved.status = to;
                if !self.allows(step, at) {
                    return None;
                }
                if self.status.number() >= OrderStatus::OutForDelivery.number() {
                    let there = self.status == OrderStatus::CourierAtReturn;
                    next.status = derived(&next.stops, if there { Back::There } else { Back::Ahead });
                }
            }
        }
        Some(next)
    }

    /// What a step of one delivery asks of the others.
    fn allows(&self, step: Step, at: usize) -> bool {
        let others = || self.stops.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, stop)| stop.status);
        match step {
            Step::SetOut => !others().any(is_current),
            Step::CancelStop => others().any(|status| status == DeliveryStatus::AwaitingPickup),
            _ => true,
        }
    }

    /// The stop that the courier is on the way to, or at.
    pub fn current(&self) -> Option<DeliveryId> {
        self.stops.iter().find(|stop| is_current(stop.status)).map(|stop| stop.id)
    }

    /// The steps that somebody could take from here, of the whole order or of any delivery.
    pub fn possible(&self, actor: Actor) -> Vec<Step> {
        let steps = TABLE.iter().filter(|row| row.actor.contains(&actor)).map(|row| row.step);
        let stops = || self.stops.iter().map(|stop| Some(stop.id));
        steps.filter(|step| stops().any(|stop| self.take(*step, stop).is_some())).collect()
    }

    /// Where the order stands after an event of its history: the reducer of whoever follows along. An event that is known already
    /// changes nothing, and neither does one that comes after the end.
    ///
    /// # Errors
    /// [`ReplayError`] where the event does not follow on what is known.
    pub fn apply(&self, event: TransitionEvent) -> Result<Progress, ReplayError> {
        if event.sequence <= self.sequence || self.status.is_final() {
            return Ok(self.clone());
        }
        if event.sequence != self.sequence + 1 {
            return Err(ReplayError::Gap { expected: self.sequence + 1 });
        }
        let steps = TABLE.iter().filter(|row| row.event == event.kind).map(|row| row.step);
        let nexts = steps.filter_map(|step| self.take(step, event.delivery));
        let fits = |next: &Progress| next.status_of(event.delivery) == Some(event.status);
        nexts.into_iter().find(fits).ok_or(ReplayError::NotInTable)
    }

    /// The situation of a delivery, or of the order.
    fn status_of(&self, delivery: Option<DeliveryId>) -> Option<u16> {
        match delivery {
            None => Some(self.status.number()),
            Some(id) => self.stops.iter().find(|stop| stop.id == id).map(|stop| stop.status.number()),
        }
    }
}

fn is_current(status: DeliveryStatus) -> bool {
    matches!(status, DeliveryStatus::EnRoute | DeliveryStatus::Arrived)
}

/// The order's situation as it follows from its deliveries, from pickup on.
fn derived(stops: &[StopProgress], back: Back) -> OrderStatus {
    use DeliveryStatus as D;
    let any = |wanted: &[D]| stops.iter().any(|stop| wanted.contains(&stop.status));
    if any(&[D::OnBoard, D::EnRoute, D::Arrived]) {
        return OrderStatus::OutForDelivery;
    }
    let payment = stops.iter().any(|stop| stop.status == D::Delivered && !stop.online_payment);
    if back != Back::Settled && (payment || any(&[D::Returning, D::AtReturn])) {
        return if back == Back::There { OrderStatus::CourierAtReturn } else { OrderStatus::Returning };
    }
    let mut visited = stops.iter().filter(|stop| stop.status != D::Cancelled);
    match (any(&[D::Delivered]), visited.all(|stop| stop.status == D::Delivered)) {
        (true, true) => OrderStatus::Completed,
        (true, false) => OrderStatus::Partial,
        (false, _) => OrderStatus::NotDelivered,
    }
}

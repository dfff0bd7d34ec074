//! The table of an order's life: every step that there is, from where to where, and who may take it.
//!
//! There is one table. Decisions move orders through [`crate::rules::lifecycle::Progress::take`] alone, which looks a step up here; the page
//! `README.md` beside this file is [`render`]ed from it, and a test sees to it that the two are the same.

use crate::model::order::DeliveryStatus as D;
use crate::model::order::EventKind;
use crate::model::order::OrderStatus as O;

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// The store, or its matrix.
    Merchant,
    /// The courier who has the order.
    Courier,
    /// The operator, or the service by itself.
    Platform,
    /// Whoever looks for couriers.
    Dispatcher,
    /// Time.
    Clock,
}

/// What a step moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The whole order.
    Order {
        /// Where it may stand; empty for its creation.
        from: &'static [O],
        /// Where it stands then; `None` where that follows from its deliveries.
        to: Option<O>,
        /// What happens to every delivery that stands in one of these.
        each: Option<(&'static [D], D)>,
    },
    /// One delivery. From pickup on, the order's situation follows from its deliveries.
    Delivery {
        /// Where it may stand.
        from: &'static [D],
        /// Where it stands then.
        to: D,
    },
}

/// When a repeated call of a step changes nothing and succeeds, because the step was taken before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Never: a repetition is a step of its own, or is not in the table.
    Never,
    /// While the order, or the delivery, has the situation that the step leads to.
    AtTarget,
    /// While the order has one of these situations.
    While(&'static [O]),
    /// While the order has one of these situations and has a return code, so that its courier had to come back.
    AfterReturn(&'static [O]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The step.
    pub step: Step,
    /// What it moves.
    pub moves: Move,
    /// Who may take it.
    pub actor: &'static [Actor],
    /// What the order's history says.
    pub event: EventKind,
    /// When a repeated call counts as taken.
    pub repeat: Repeat,
}

macro_rules! steps {
    ($($(#[doc = $doc:literal])* $step:ident $moves:expr, $actor:expr, $event:ident, $repeat:expr, $effect:literal;)*) => {
        /// A step in the life of an order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Step { $($(#[doc = $doc])* $step,)* }

        /// Every step there is.
        pub static TABLE: &[Row] = &[$(Row {
            step: Step::$step,
            moves: $moves,
            actor: $actor,
            event: EventKind::$event,
            repeat: $repeat,
        },)*];

        impl Step {
            /// What must hold, and what comes of it: for the page alone, so that it stands apart from the rows.
            pub fn effect(self) -> &'static str {
                match self { $(Step::$step => $effect,)* }
            }
        }
    };
}

const fn order(from: &'static [O], to: O) -> Move {
    Move::Order { from, to: Some(to), each: None }
}

const fn whole(from: &'static [O], to: Option<O>, each: &'static [D], then: D) -> Move {
    Move::Order { from, to, each: Some((each, then)) }
}

const fn delivery(from: &'static [D], to: D) -> Move {
    Move::Delivery { from, to }
}

/// Everywhere before pickup.
const WAITING: &[O] = &[O::Scheduled, O::Preparing, O::Ready, O::Searching, O::Allocated, O::CourierAtPickup];
const STILL_THERE: &[D] = &[D::AwaitingPickup];
/// The search may have begun since the goods became ready.
const READY: Repeat = Repeat::While(&[O::Ready, O::Searching, O::Allocated, O::CourierAtPickup]);
/// The time of a cancellation decides which of these it leads to.
const CANCELLED: Repeat = Repeat::While(&[O::Cancelled, O::CancelledWithFee]);
const RETURNED: Repeat = Repeat::AfterReturn(&[O::Completed, O::Partial, O::NotDelivered]);

steps! {
    /// A new order that is prepared first.
    Prepare order(&[], O::Preparing), &[Actor::Merchant], Created, Repeat::Never, "preparationTime above 0; the fee is debited";
    /// A new order that is ready.
    PlaceReady order(&[], O::Ready), &[Actor::Merchant], Created, Repeat::Never, "preparationTime 0; the fee is debited";
    /// Its goods will be ready later.
    Delay order(&[O::Preparing], O::Preparing), &[Actor::Merchant], Delayed, Repeat::Never, "a new ready time";
    /// Its goods are ready.
    MakeReady order(&[O::Preparing], O::Ready), &[Actor::Clock, Actor::Merchant], Ready, READY, "preparation over, or the merchant says so early";
    /// A courier is looked for.
    Search order(&[O::Ready], O::Searching), &[Actor::Dispatcher], Searching, Repeat::Never, "the search begins";
    /// A courier is assigned.
    Allocate order(&[O::Searching], O::Allocated), &[Actor::Dispatcher], Allocated, Repeat::Never, "a free courier; attempt n";
    /// The courier is at the pickup.
    ReachPickup order(&[O::Allocated], O::CourierAtPickup), &[Actor::Courier], CourierArrived, Repeat::AtTarget, "";
    /// The courier lets the order go.
    Release order(&[O::Allocated, O::CourierAtPickup], O::Searching), &[Actor::Courier, Actor::Platform], CourierReleased, Repeat::Never,
        "reason; a new attempt, a new pickupCode unless the merchant set it, and the courier is free";
    /// The courier has the goods.
    PickUp whole(&[O::CourierAtPickup], Some(O::OutForDelivery), STILL_THERE, D::OnBoard), &[Actor::Courier], PickedUp, Repeat::AtTarget,
        "pickupCode right";
    /// The courier sets out for a stop.
    SetOut delivery(&[D::OnBoard], D::EnRoute), &[Actor::Courier], EnRoute, Repeat::AtTarget, "no other stop is current";
    /// Another stop comes first.
    Resequence delivery(&[D::EnRoute, D::Arrived], D::OnBoard), &[Actor::Courier], Resequenced, Repeat::AtTarget, "another stop first";
    /// The courier is at the door.
    ReachDoor delivery(&[D::EnRoute], D::Arrived), &[Actor::Courier], Arrived, Repeat::AtTarget, "";
    /// The goods are handed over.
    Deliver delivery(&[D::Arrived], D::Delivered), &[Actor::Courier], Delivered, Repeat::AtTarget,
        "deliveryCode right where confirmation.platform is true";
    /// The merchant does not want the goods back.
    Discard delivery(&[D::Arrived], D::Discarded), &[Actor::Merchant], Discarded, Repeat::AtTarget, "the goods are not wanted back";
    /// The goods go back.
    TurnBack delivery(&[D::OnBoard, D::EnRoute, D::Arrived], D::Returning), &[Actor::Courier, Actor::Merchant], ReturnStarted, Repeat::AtTarget,
        "reason; a returnCode where there is none yet";
    /// The courier is back.
    ReachReturn whole(&[O::Returning], Some(O::CourierAtReturn), &[D::Returning], D::AtReturn), &[Actor::Courier], CourierAtReturn, Repeat::AtTarget, "";
    /// Goods and payments are handed back.
    HandBack whole(&[O::CourierAtReturn], None, &[D::AtReturn], D::Returned), &[Actor::Courier], Returned, RETURNED, "returnCode right";
    /// The merchant does without them.
    Waive whole(&[O::Returning, O::CourierAtReturn], None, &[D::Returning, D::AtReturn], D::Discarded), &[Actor::Merchant],
        ReturnWaived, RETURNED, "what was to come back is not wanted; the way back ends";
    /// A delivery is lost.
    Lose delivery(&[D::OnBoard, D::EnRoute, D::Arrived, D::Returning, D::AtReturn], D::Lost), &[Actor::Platform], Lost, Repeat::AtTarget,
        "reason: theft, accident";
    /// One stop is cancelled.
    CancelStop delivery(STILL_THERE, D::Cancelled), &[Actor::Merchant], DeliveryCancelled, Repeat::AtTarget, "other stops remain; priced again, and late with a share of what the fee falls by";
    /// The order is cancelled free of charge.
    Cancel whole(WAITING, Some(O::Cancelled), STILL_THERE, D::Cancelled), &[Actor::Merchant], Cancelled, CANCELLED,
        "until 2 minutes after the first courier; the fee comes back";
    /// The order is cancelled with a fee.
    CancelLate whole(WAITING, Some(O::CancelledWithFee), STILL_THERE, D::Cancelled), &[Actor::Merchant], Cancelled, CANCELLED,
        "after that; the fee is refunded less a share";
    /// The platform cancels the order.
    CancelByPlatform whole(WAITING, Some(O::CancelledByPlatform), STILL_THERE, D::Cancelled), &[Actor::Platform], Cancelled, Repeat::AtTarget,
        "reason; all that was charged is refunded";
    /// Nobody was found.
    Expire whole(&[O::Searching], Some(O::Expired), STILL_THERE, D::Cancelled), &[Actor::Clock], Expired, Repeat::Never,
        "no courier in 20 minutes (configurable); all that was charged is refunded";
}

impl Step {
    /// Its row. The table has one for each step, in their order.
    pub fn row(self) -> &'static Row {
        // A step's place among the variants is its row's place: both come from one list.
        &TABLE[self as usize]
    }
}

impl Actor {
    /// The name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Actor::Merchant => "merchant",
            Actor::Courier => "courier",
            Actor::Platform => "platform",
            Actor::Dispatcher => "dispatcher",
            Actor::Clock => "clock",
        }
    }
}

/// The page of the documentation, in Markdown.
pub fn render() -> String {
    let mut page = String::from(ABOUT);
    for (title, lines) in [("Orders", orders()), ("Deliveries", deliveries())] {
        page.push_str(&format!("\n## Situations: {title}\n| number | name | meaning |\n|---|---|---|\n{lines}"));
    }
    page.push_str(
        "\n## Steps\n| what | from → to | who | guard and effect | event | repeated at |\n|---|---|---|---|---|---|\n",
    );
    page.extend(TABLE.iter().map(line));
    page.push_str(RULES);
    page
}

fn orders() -> String {
    let line = |one: &O| format!("| {} | {} | {} |\n", one.number(), one.name(), one.meaning());
    O::ALL.iter().map(line).collect()
}

fn deliveries() -> String {
    let line = |one: &D| format!("| {} | {} | {} |\n", one.number(), one.name(), one.meaning());
    D::ALL.iter().map(line).collect()
}

fn list(numbers: Vec<u16>) -> String {
    numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the situations in which a repeated call changes nothing.
fn repeat(row: &Row) -> String {
    let orders = |situations: &[O]| list(situations.iter().map(|one| one.number()).collect());
    match (row.repeat, row.moves) {
        (Repeat::Never, _) => String::new(),
        (Repeat::AtTarget, Move::Order { to, .. }) => list(to.iter().map(|to| to.number()).collect()),
        (Repeat::AtTarget, Move::Delivery { to, .. }) => to.number().to_string(),
        (Repeat::While(situations), _) => orders(situations),
        (Repeat::AfterReturn(situations), _) => format!("{}, with a returnCode", orders(situations)),
    }
}

fn line(row: &Row) -> String {
    let (what, path) = match row.moves {
        Move::Order { from, to, each } => {
            let to = to.map_or_else(|| "by its deliveries".to_owned(), |to| to.number().to_string());
            let mut path = format!("{} → {to}", list(from.iter().map(|one| one.number()).collect()));
            if let Some((each, then)) = each {
                let each = list(each.iter().map(|one| one.number()).collect());
                path.push_str(&format!("; each delivery {each} → {}", then.number()));
            }
            ("order", path)
        }
        Move::Delivery { from, to } => {
            ("delivery", format!("{} → {}", list(from.iter().map(|one| one.number()).collect()), to.number()))
        }
    };
    let actor = row.actor.iter().map(|actor| actor.name()).collect::<Vec<_>>().join(", ");
    let (path, effect, event, repeat) = (path.trim_start(), row.step.effect(), row.event.name(), repeat(row));
    format!("| {what} | {path} | {actor} | {effect} | {event} | {repeat} |\n")
}

const ABOUT: &str = "# The life of an order

This page is made from `core/src/rules/lifecycle/table.rs`, the one table that every decision looks its steps up in. To write it anew:
`DESPACHO_WRITE_LIFE=1 cargo test -p despacho-core --features testing --test life`.
";

const RULES: &str = "
## Rules
- The hundreds of a situation are its phase; 500 and above is final, and nothing follows it.
- From pickup on, the order's situation follows from its deliveries: 300 while one is 310, 320 or 330; then 400, and 410 once the courier is
  back, while goods or a payment are to be handed back; then 500 where all were delivered, 510 where some were, 520 where none was.
  Cancelled stops do not count.
- A payment is to be handed back where a delivery with `onlinePayment` false was delivered.
- Every step is one event of the order's history; `sequence` counts them from 1 without a gap. `situation` in an event is the delivery's where
  `deliveryId` names one, else the order's.
- A repeated step returns 200 and changes nothing while the order, or the delivery, has a situation listed under *repeated at*. Any other step
  that the table does not allow is 409 `invalid_transition`, and `possible` lists the events that could come next by the same caller.
- A late cancellation costs a share of what the order's fee falls by, of one stop as of the whole order, so that cancelling stop by stop is never
  cheaper; `cancellationFee` is what late cancellations have cost. What the platform cancels, or time ends, costs nothing.
- When an order ends, or is let go before pickup, its courier is free in the same commit.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_finds_its_own_row_and_every_event_has_one() {
        assert!(TABLE.iter().all(|row| row.step.row() == row));
        for kind in EventKind::ALL {
            assert!(TABLE.iter().any(|row| row.event == *kind), "{}", kind.name());
        }
    }

    #[test]
    fn nothing_follows_a_final_situation() {
        for row in TABLE {
            match row.moves {
                Move::Order { from, each, .. } => {
                    assert!(!from.iter().any(|one| one.is_final()), "{:?}", row.step);
                    assert!(!each.is_some_and(|(each, _)| each.iter().any(|one| one.is_final())), "{:?}", row.step);
                }
                Move::Delivery { from, .. } => assert!(!from.iter().any(|one| one.is_final()), "{:?}", row.step),
            }
        }
    }
}

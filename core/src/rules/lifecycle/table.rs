//! The table of the order lifecycle: all steps with their transitions and actors.
//!
//! Statuses change only through [`crate::rules::lifecycle::Progress::take`], which uses this table.
//! The page `README.md` in this directory is [`render`]ed from it, and `transitions.json` contains
//! its [`transitions`] for programs. A test compares them.

use serde_json::json;

use crate::model::order::DeliveryStatus as D;
use crate::model::order::EventKind;
use crate::model::order::OrderStatus as O;

/// The actor of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// The store or its parent store.
    Merchant,
    /// The order's courier.
    Courier,
    /// The operator or the service.
    Platform,
    /// The dispatcher, which searches for couriers.
    Dispatcher,
    /// A timeout.
    Clock,
    /// The recipient of a delivery, with its link.
    Recipient,
}

/// The status transition of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A transition of the whole order.
    Order {
        /// Statuses from which it is valid. Empty for the creation.
        from: &'static [O],
        /// The new status. `None` if it is derived from the deliveries.
        to: Option<O>,
        /// The transition of all deliveries with one of these statuses.
        each: Option<(&'static [D], D)>,
    },
    /// A transition of one delivery. From the pickup on, the order's status is derived from its
    /// deliveries.
    Delivery {
        /// Statuses from which it is valid.
        from: &'static [D],
        /// The new status.
        to: D,
    },
    /// No transition: the step concerns one delivery.
    DeliveryUnchanged {
        /// Statuses of the delivery in which it is valid.
        during: &'static [D],
    },
    /// No transition: the step changes a time of the order.
    Unchanged {
        /// Statuses in which it is valid.
        during: &'static [O],
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
    /// While the order has one of these situations and has a return code, so that its courier had
    /// to come back.
    AfterReturn(&'static [O]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The step.
    pub step: Step,
    /// The status transition.
    pub moves: Move,
    /// The actors that may take the step.
    pub actor: &'static [Actor],
    /// The event in the order's history.
    pub event: EventKind,
    /// When a repeated call counts as taken.
    pub repeat: Repeat,
    /// The conditions and effects, for the documentation.
    pub effect: &'static str,
}

macro_rules! steps {
    ($($(#[doc = $doc:literal])* $step:ident $moves:expr, $actor:expr, $event:ident, $repeat:expr, $effect:literal;)*) => {
        /// A step of the order lifecycle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Step { $($(#[doc = $doc])* $step,)* }

        /// All steps.
        pub static TABLE: &[Row] = &[$(Row {
            step: Step::$step,
            moves: $moves,
            actor: $actor,
            event: EventKind::$event,
            repeat: $repeat,
            effect: $effect,
        },)*];
    };
}

const fn order(from: &'static [O], to: O) -> Move {
    Move::Order {
        from,
        to: Some(to),
        each: None,
    }
}

const fn whole(from: &'static [O], to: Option<O>, each: &'static [D], then: D) -> Move {
    Move::Order {
        from,
        to,
        each: Some((each, then)),
    }
}

const fn delivery(from: &'static [D], to: D) -> Move {
    Move::Delivery { from, to }
}

/// All statuses before the pickup.
const BEFORE_PICKUP: &[O] = &[
    O::Scheduled,
    O::Preparing,
    O::Ready,
    O::Searching,
    O::Allocated,
    O::CourierAtPickup,
];
/// The statuses from the search to the pickup. With a lead time the goods can still be in
/// preparation.
const BEFORE_GOODS: &[O] = &[O::Searching, O::Allocated, O::CourierAtPickup];
/// The statuses with a courier before the last delivery.
const ON_THE_WAY: &[O] = &[O::Allocated, O::CourierAtPickup, O::OutForDelivery];
const AT_PICKUP: &[D] = &[D::AwaitingPickup];
/// The search may have begun since the goods became ready.
const READY: Repeat = Repeat::While(&[O::Ready, O::Searching, O::Allocated, O::CourierAtPickup]);
/// The time of a cancellation decides which of these it leads to.
const CANCELLED: Repeat = Repeat::While(&[O::Cancelled, O::CancelledWithFee]);
/// The statuses of a delivery that the courier has not handed over yet.
const AHEAD: &[D] = &[D::AwaitingPickup, D::OnBoard, D::EnRoute];
/// The statuses of a delivery that the courier has ended.
const ENDED: &[D] = &[D::Delivered, D::Returned, D::Discarded, D::Lost];
/// The statuses of a delivery whose payment can be recorded.
const PAYABLE: &[D] = &[
    D::AwaitingPickup,
    D::OnBoard,
    D::EnRoute,
    D::Arrived,
    D::Delivered,
];
const RETURNED: Repeat = Repeat::AfterReturn(&[O::Completed, O::Partial, O::NotDelivered]);

steps! {
    /// A new order that is prepared first.
    Prepare order(&[], O::Preparing), &[Actor::Merchant], Created, Repeat::Never, "preparationTime above 0; the fee is debited";
    /// A new order that is ready.
    PlaceReady order(&[], O::Ready), &[Actor::Merchant], Created, Repeat::Never, "preparationTime 0; the fee is debited";
    /// A new order for a later time.
    Schedule order(&[], O::Scheduled), &[Actor::Merchant], Created, Repeat::Never, "deliverAt, or a window, for later; the fee is debited";
    /// The preparation of a scheduled order starts.
    StartPreparation order(&[O::Scheduled], O::Preparing), &[Actor::Clock], Preparing, Repeat::Never,
    "the preparation time, or the lead time if it is longer, before the ready time";
    /// The goods will be ready later.
    Delay order(&[O::Preparing], O::Preparing), &[Actor::Merchant], Delayed, Repeat::Never, "a new ready time";
    /// The goods are ready.
    MakeReady order(&[O::Preparing], O::Ready), &[Actor::Clock, Actor::Merchant], Ready, READY, "preparation over, or the merchant sets it early";
    /// The goods will be ready later, although the search has started.
    Postpone Move::Unchanged { during: BEFORE_GOODS }, &[Actor::Merchant], Delayed, Repeat::Never,
    "requires a lead time; a new ready time; an order that would delay the others leaves its trip";
    /// The goods are ready early, although the search has started.
    FinishEarly Move::Unchanged { during: BEFORE_GOODS }, &[Actor::Merchant], Ready, Repeat::Never, "before the ready time";
    /// The search for a courier starts.
    Search order(&[O::Preparing, O::Ready], O::Searching), &[Actor::Dispatcher], Searching, Repeat::Never,
    "the lead time before the ready time, or the goods are ready";
    /// A courier is assigned.
    Allocate order(&[O::Searching], O::Allocated), &[Actor::Dispatcher, Actor::Platform], Allocated, Repeat::Never,
    "a courier who is free, or whose trip can take the order; attempt n";
    /// The estimated times moved.
    Estimate Move::Unchanged { during: ON_THE_WAY }, &[Actor::Platform], EtaChanged, Repeat::Never,
    "an estimate moved by 60 seconds or more; at most once a minute";
    /// The courier is at the pickup.
    ReachPickup order(&[O::Allocated], O::CourierAtPickup), &[Actor::Courier], CourierArrived, Repeat::AtTarget, "";
    /// The courier is released.
    Release order(&[O::Allocated, O::CourierAtPickup], O::Searching), &[Actor::Courier, Actor::Platform], CourierReleased, Repeat::Never,
    "requires a reason if the courier declines; the search starts again, the pickupCode is replaced unless the merchant set it, and the courier is free";
    /// The operator takes the order from its courier.
    Withdraw order(&[O::Allocated, O::CourierAtPickup], O::Searching), &[Actor::Platform], CourierReleased, Repeat::Never,
    "requires a reason; as if the courier had declined; the operator can assign another courier in the same request";
    /// The courier picks up the goods.
    PickUp whole(&[O::CourierAtPickup], Some(O::OutForDelivery), AT_PICKUP, D::OnBoard), &[Actor::Courier], PickedUp, Repeat::AtTarget,
    "requires the pickupCode";
    /// The courier sets out for a stop.
    SetOut delivery(&[D::OnBoard], D::EnRoute), &[Actor::Courier], EnRoute, Repeat::AtTarget, "no other stop is current";
    /// The courier visits another stop first.
    Resequence delivery(&[D::EnRoute, D::Arrived], D::OnBoard), &[Actor::Courier], Resequenced, Repeat::AtTarget, "another stop first";
    /// The courier is at the door.
    ReachDoor delivery(&[D::EnRoute], D::Arrived), &[Actor::Courier], Arrived, Repeat::AtTarget, "";
    /// The goods are handed over.
    Deliver delivery(&[D::Arrived], D::Delivered), &[Actor::Courier], Delivered, Repeat::AtTarget,
    "requires the deliveryCode if confirmation.platform is true";
    /// The merchant does not want the goods back.
    Discard delivery(&[D::Arrived], D::Discarded), &[Actor::Merchant], Discarded, Repeat::AtTarget, "the goods are not wanted back";
    /// The goods are returned.
    TurnBack delivery(&[D::OnBoard, D::EnRoute, D::Arrived], D::Returning), &[Actor::Courier, Actor::Merchant], ReturnStarted, Repeat::AtTarget,
    "requires a reason; a returnCode is created unless the order has one";
    /// The courier is back at the pickup.
    ReachReturn whole(&[O::Returning], Some(O::CourierAtReturn), &[D::Returning], D::AtReturn), &[Actor::Courier], CourierAtReturn, Repeat::AtTarget, "";
    /// Goods and payments are handed back.
    HandBack whole(&[O::CourierAtReturn], None, &[D::AtReturn], D::Returned), &[Actor::Courier], Returned, RETURNED, "returnCode right";
    /// The merchant waives the return.
    Waive whole(&[O::Returning, O::CourierAtReturn], None, &[D::Returning, D::AtReturn], D::Discarded), &[Actor::Merchant],
    ReturnWaived, RETURNED, "what was to come back is not wanted; the way back ends";
    /// A delivery is lost.
    Lose delivery(&[D::OnBoard, D::EnRoute, D::Arrived, D::Returning, D::AtReturn], D::Lost), &[Actor::Platform], Lost, Repeat::AtTarget,
    "requires a reason, such as theft or an accident";
    /// One stop is cancelled.
    CancelStop delivery(AT_PICKUP, D::Cancelled), &[Actor::Merchant], DeliveryCancelled, Repeat::AtTarget, "other stops remain; priced again, and late with a share of what the fee falls by";
    /// The order is cancelled free of charge.
    Cancel whole(BEFORE_PICKUP, Some(O::Cancelled), AT_PICKUP, D::Cancelled), &[Actor::Merchant], Cancelled, CANCELLED,
    "until 2 minutes (configurable) after the first courier was assigned; the fee is refunded";
    /// The order is cancelled with a fee.
    CancelLate whole(BEFORE_PICKUP, Some(O::CancelledWithFee), AT_PICKUP, D::Cancelled), &[Actor::Merchant], Cancelled, CANCELLED,
    "after that time; the fee is refunded except for a share";
    /// The platform cancels the order.
    CancelByPlatform whole(BEFORE_PICKUP, Some(O::CancelledByPlatform), AT_PICKUP, D::Cancelled), &[Actor::Platform], Cancelled, Repeat::AtTarget,
    "requires a reason; all charges are refunded";
    /// No courier was found in time.
    Expire whole(&[O::Searching], Some(O::Expired), AT_PICKUP, D::Cancelled), &[Actor::Clock], Expired, Repeat::Never,
    "no courier was found in 20 minutes (configurable) from the search or the ready time on; all charges are refunded";
    /// The recipient chooses what the courier does if the recipient is not at home.
    Choose Move::DeliveryUnchanged { during: AHEAD }, &[Actor::Recipient], RecipientChoice, Repeat::Never, "a choice that the store allows; it replaces an earlier one";
    /// The courier or the counter records a payment at the door.
    RecordPayment Move::DeliveryUnchanged { during: PAYABLE }, &[Actor::Merchant, Actor::Courier], PaymentRecorded, Repeat::Never,
    "not for a delivery that was paid online, and not above the amount due; it replaces an earlier record of the method; also after the order's end";
    /// The recipient rates the delivery.
    Rate Move::DeliveryUnchanged { during: ENDED }, &[Actor::Recipient], Rated, Repeat::Never,
    "once, until the link ends; also after the order's end";
    /// A message to the recipient is due.
    Notify Move::DeliveryUnchanged { during: AHEAD }, &[Actor::Platform], RecipientNotify, Repeat::Never,
    "at the creation, the pickup or the departure, as the store sets; the recipient has a link and a phone or an email";
}

impl Step {
    /// Returns whether the step is possible after the order's end.
    pub fn follows_end(self) -> bool {
        matches!(self, Step::RecordPayment | Step::Rate)
    }

    /// Returns the step's row.
    pub fn row(self) -> &'static Row {
        // The variants and the rows are generated from one list, so their indices are equal.
        &TABLE[self as usize]
    }
}

impl Actor {
    /// Returns the name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Actor::Merchant => "merchant",
            Actor::Courier => "courier",
            Actor::Platform => "platform",
            Actor::Dispatcher => "dispatcher",
            Actor::Clock => "clock",
            Actor::Recipient => "recipient",
        }
    }
}

/// Renders the documentation page in Markdown.
pub fn render() -> String {
    let mut page = String::from(ABOUT);
    for (title, lines) in [("Orders", orders()), ("Deliveries", deliveries())] {
        page.push_str(&format!(
            "\n## Statuses: {title}\n| number | name | meaning |\n|---|---|---|\n{lines}"
        ));
    }
    page.push_str(
        "\n## Steps\n| subject | from → to | actors | conditions and effects | event |\n|---|---|---|---|---|\n",
    );
    page.extend(TABLE.iter().map(line));
    page.push_str(RULES);
    page
}

/// Returns the transitions as JSON, one row per line: what each step concerns, the statuses from
/// which it leads, and the status after it, which is null if it is unchanged or derived from the
/// deliveries. `each` is what happens to the deliveries together with their order.
pub fn transitions() -> String {
    let rows: Vec<String> = TABLE
        .iter()
        .map(|row| transition(row).to_string())
        .collect();
    format!("[\n  {}\n]\n", rows.join(",\n  "))
}

fn transition(row: &Row) -> serde_json::Value {
    let orders = |all: &[O]| all.iter().map(|one| one.number()).collect::<Vec<_>>();
    let deliveries = |all: &[D]| all.iter().map(|one| one.number()).collect::<Vec<_>>();
    let each = |(from, to): (&[D], D)| json!({ "from": deliveries(from), "to": to.number() });
    let (subject, from, to, each) = match row.moves {
        Move::Order {
            from,
            to,
            each: all,
        } => {
            let to = to.map(|to| to.number());
            ("order", orders(from), to, all.map(each))
        }
        Move::Delivery { from, to } => ("delivery", deliveries(from), Some(to.number()), None),
        Move::DeliveryUnchanged { during } => ("delivery", deliveries(during), None, None),
        Move::Unchanged { during } => ("order", orders(during), None, None),
    };
    let actors: Vec<&str> = row.actor.iter().map(|actor| actor.name()).collect();
    json!({
        "event": row.event.name(), "actors": actors, "subject": subject, "from": from, "to": to,
        "each": each,
    })
}

fn orders() -> String {
    let line = |one: &O| {
        format!(
            "| {} | {} | {} |\n",
            one.number(),
            one.name(),
            one.meaning()
        )
    };
    O::ALL.iter().map(line).collect()
}

fn deliveries() -> String {
    let line = |one: &D| {
        format!(
            "| {} | {} | {} |\n",
            one.number(),
            one.name(),
            one.meaning()
        )
    };
    D::ALL.iter().map(line).collect()
}

fn list(numbers: Vec<u16>) -> String {
    numbers
        .iter()
        .map(u16::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the situations in which a repeated call changes nothing.
fn repeat(row: &Row) -> String {
    let orders = |situations: &[O]| list(situations.iter().map(|one| one.number()).collect());
    match (row.repeat, row.moves) {
        (Repeat::Never, _) => String::new(),
        (Repeat::AtTarget, Move::Order { to, .. }) => {
            list(to.iter().map(|to| to.number()).collect())
        }
        (Repeat::AtTarget, Move::Delivery { to, .. }) => to.number().to_string(),
        (Repeat::AtTarget, Move::Unchanged { .. } | Move::DeliveryUnchanged { .. }) => {
            String::new()
        }
        (Repeat::While(situations), _) => orders(situations),
        (Repeat::AfterReturn(situations), _) => {
            format!("{}, with a returnCode", orders(situations))
        }
    }
}

fn line(row: &Row) -> String {
    let (subject, path) = match row.moves {
        Move::Order { from, to, each } => {
            let to = to.map_or_else(
                || "derived from its deliveries".to_owned(),
                |to| to.number().to_string(),
            );
            let mut path = format!(
                "{} → {to}",
                list(from.iter().map(|one| one.number()).collect())
            );
            if let Some((each, then)) = each {
                let each = list(each.iter().map(|one| one.number()).collect());
                path.push_str(&format!("; each delivery {each} → {}", then.number()));
            }
            ("order", path)
        }
        Move::Delivery { from, to } => (
            "delivery",
            format!(
                "{} → {}",
                list(from.iter().map(|one| one.number()).collect()),
                to.number()
            ),
        ),
        Move::DeliveryUnchanged { during } => (
            "delivery",
            format!(
                "{} → unchanged",
                list(during.iter().map(|one| one.number()).collect())
            ),
        ),
        Move::Unchanged { during } => (
            "order",
            format!(
                "{} → unchanged",
                list(during.iter().map(|one| one.number()).collect())
            ),
        ),
    };
    let actor = row
        .actor
        .iter()
        .map(|actor| actor.name())
        .collect::<Vec<_>>()
        .join(", ");
    let (path, effect, event, repeat) =
        (path.trim_start(), row.effect, row.event.name(), repeat(row));
    format!("| {subject} | {path} | {actor} | {effect} | {event} | {repeat} |\n")
}

const ABOUT: &str = "# The order lifecycle

This page is generated from `core/src/rules/lifecycle/table.rs`, the table that determines all status changes. To regenerate it, run
`DESPACHO_WRITE_LIFE=1 cargo test -p despacho-core --test lifecycle`.
";

const RULES: &str = "
## Rules
- The hundreds of a status are its phase. Statuses from 500 on are final: no step follows, except a rating by the
  recipient and the record of a payment.
- From the pickup on, the order's status is derived from its deliveries. It is 300 while a delivery is 310, 320 or 330. Then, if goods or a
  payment must be returned, it is 400, and 410 when the courier is back. At the end it is 500 if all deliveries were delivered, 510 if some
  were, and 520 if none was. Cancelled stops do not count.
- A payment must be returned if a delivery with `onlinePayment` false was delivered, unless its `payment.returns` is false: by default if it
  is paid by Pix, or in cash to a store that settles at the end of the shift.
- Every step creates one event in the order's history. `sequence` numbers the events from 1 without gaps. The `situation` of an event is the
  status of the delivery if `deliveryId` is not null, otherwise the status of the order.
- Repeating a step that was already taken returns 200 and changes nothing. A step that the table does not allow for the current status returns
  409 `invalid_transition`; `possible` lists the events that the same client can cause next.
- A late cancellation, of a stop or of the whole order, costs a share of the reduction of the fee. Cancelling stop by stop is therefore never
  cheaper. `cancellationFee` is the cost of all late cancellations. Cancellation by the platform and expiry cost nothing.
- A courier can carry several orders of one store in a trip. Each order has its own steps, codes and price. The courier sets out when all
  orders of the trip are picked up, and visits one stop of the trip at a time.
- When an order ends, or its courier is released before the pickup, the order leaves the courier's trip in the same commit.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_match_their_rows_and_events_have_a_step() {
        assert!(TABLE.iter().all(|row| row.step.row() == row));
        for kind in EventKind::ALL {
            assert!(
                TABLE.iter().any(|row| row.event == *kind),
                "{}",
                kind.name()
            );
        }
    }

    #[test]
    fn final_statuses_have_no_steps() {
        for row in TABLE {
            match row.moves {
                Move::Order { from, each, .. } => {
                    assert!(!from.iter().any(|one| one.is_final()), "{:?}", row.step);
                    assert!(
                        !each.is_some_and(|(each, _)| each.iter().any(|one| one.is_final())),
                        "{:?}",
                        row.step
                    );
                }
                Move::Delivery { from, .. } => {
                    assert!(!from.iter().any(|one| one.is_final()), "{:?}", row.step)
                }
                Move::Unchanged { during } => {
                    assert!(!during.iter().any(|one| one.is_final()), "{:?}", row.step)
                }
                Move::DeliveryUnchanged { during } => {
                    assert_eq!(
                        during.iter().any(|one| one.is_final()),
                        row.step.follows_end(),
                        "{:?}",
                        row.step
                    );
                }
            }
        }
    }
}

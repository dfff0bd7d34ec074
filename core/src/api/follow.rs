//! Applies an event to the public state of an order, by the service's own transition table.
//!
//! A page or an integration that receives events from a webhook, the stream or the journal can
//! update its copy of an order without another request.

use super::{
    problem::{FieldError, Problem, ProblemCode},
    read::malformed,
};
use crate::{
    json::Tree,
    model::{
        DeliveryId, Text,
        order::{DeliveryStatus, EventKind, OrderStatus},
    },
    rules::lifecycle::{Progress, ReplayError, StopProgress, TransitionEvent},
};

/// Returns the order's JSON after an event. It updates `situation` of the order and of each
/// delivery, and appends the event to `events` if the order has that field, or else sets
/// `sequence`. An event that was already applied, or that follows the order's end, changes nothing.
///
/// ```
/// let order = br#"{"sequence": 2, "situation": 200, "deliveries": [{"id": 1043, "situation": 150}]}"#;
/// let event = br#"{"sequence": 3, "situation": 210, "type": "order.allocated"}"#;
/// let order = despacho_core::apply_event(order, event).expect("the next event of the order");
/// assert!(order.ends_with(r#""sequence":3,"situation":210}"#), "{order}");
/// ```
///
/// # Errors
/// [`ProblemCode::MalformedRequest`] if the order or the event is invalid.
/// [`ProblemCode::InvalidTransition`] if events in between are missing or the event is not valid
/// for the order's status; the caller must then read the order again.
pub fn apply_event(order: &[u8], event: &[u8]) -> Result<String, Problem> {
    let mut order = object(order, "order")?;
    let event = object(event, "event")?;
    let before = progress(&order)?;
    let transition = transition(&event)?;
    let after = before.apply(transition).map_err(replay_problem)?;
    if after.sequence == before.sequence {
        return Ok(order.to_json());
    }
    order.set("situation", Tree::Whole(after.status.number().into()));
    let deliveries = order.get_mut("deliveries").and_then(Tree::items_mut);
    for (delivery, stop) in deliveries.into_iter().flatten().zip(&after.stops) {
        delivery.set("situation", Tree::Whole(stop.status.number().into()));
    }
    match order.get_mut("events").and_then(Tree::items_mut) {
        Some(events) => events.push(event),
        None => order.set("sequence", Tree::Whole(after.sequence.into())),
    }
    Ok(order.sorted().to_json())
}

fn object<'t>(bytes: &'t [u8], name: &str) -> Result<Tree<'t>, Problem> {
    let text = std::str::from_utf8(bytes).ok();
    let tree = text
        .and_then(|text| Tree::parse(text).ok())
        .filter(|tree| matches!(tree, Tree::Object(_)));
    tree.map(Tree::sorted)
        .ok_or_else(|| wrong_type("", format!("an {name}"), format!("um objeto: {name}")))
}

fn progress(order: &Tree<'_>) -> Result<Progress, Problem> {
    let known = |value: Option<&Tree<'_>>| u16::try_from(value?.as_u64()?).ok();
    let status = known(order.get("situation")).and_then(OrderStatus::from_number);
    let status = status.ok_or_else(|| {
        wrong_type(
            "/situation",
            "an order's situation",
            "a situação de um pedido",
        )
    })?;
    let stop = |(at, delivery): (usize, &Tree<'_>)| {
        let id = delivery
            .get("id")
            .and_then(Tree::as_u64)
            .and_then(DeliveryId::new);
        let status = known(delivery.get("situation")).and_then(DeliveryStatus::from_number);
        let online_payment = delivery
            .get("onlinePayment")
            .and_then(Tree::as_bool)
            .unwrap_or(true);
        // Orders of earlier versions have no `returns`.
        let returns = delivery
            .get("payment")
            .and_then(|payment| payment.get("returns")?.as_bool())
            .unwrap_or(!online_payment);
        match id.zip(status) {
            Some((id, status)) => Ok(StopProgress {
                id,
                returns,
                status,
            }),
            None => Err(wrong_type(
                &format!("/deliveries/{at}"),
                "a delivery",
                "uma entrega",
            )),
        }
    };
    let deliveries = order.get("deliveries").and_then(Tree::items);
    let deliveries = deliveries.ok_or_else(|| wrong_type("/deliveries", "a list", "uma lista"))?;
    let stops = deliveries
        .iter()
        .enumerate()
        .map(stop)
        .collect::<Result<Vec<_>, Problem>>()?;
    Ok(Progress {
        status,
        stops,
        sequence: sequence(order, status)?,
    })
}

/// Returns the sequence number of the last event that was applied to the order. The response to a
/// creation has neither `events` nor `sequence`; it reflects the first event.
fn sequence(order: &Tree<'_>, status: OrderStatus) -> Result<u32, Problem> {
    let number = |value: &Tree<'_>| u32::try_from(value.get("sequence")?.as_u64()?).ok();
    if let Some(events) = order.get("events").and_then(Tree::items) {
        return Ok(events.iter().filter_map(number).max().unwrap_or(0));
    }
    let created = (status <= OrderStatus::Ready).then_some(1);
    number(order)
        .or(created)
        .ok_or_else(|| wrong_type("/events", "the order's events", "os eventos do pedido"))
}

fn transition(event: &Tree<'_>) -> Result<TransitionEvent, Problem> {
    let number = |name: &str| event.get(name).and_then(Tree::as_u64);
    let whole = |name: &str| wrong_type(&format!("/{name}"), "an integer", "um número inteiro");
    let kind = event
        .get("type")
        .and_then(Tree::as_str)
        .and_then(EventKind::from_name);
    Ok(TransitionEvent {
        sequence: number("sequence")
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(|| whole("sequence"))?,
        kind: kind
            .ok_or_else(|| wrong_type("/type", "the type of an event", "o tipo de um evento"))?,
        status: number("situation")
            .and_then(|n| u16::try_from(n).ok())
            .ok_or_else(|| whole("situation"))?,
        delivery: number("deliveryId").and_then(DeliveryId::new),
    })
}

fn wrong_type(pointer: &str, en: impl std::fmt::Display, pt: impl std::fmt::Display) -> Problem {
    let detail = Text::new(format!("Expected {en}."), format!("Esperado: {pt}."));
    malformed(vec![FieldError {
        pointer: pointer.to_owned(),
        code: "wrong_type",
        detail,
    }])
}

fn replay_problem(error: ReplayError) -> Problem {
    match error {
        ReplayError::Gap { expected } => Problem::new(
            ProblemCode::InvalidTransition,
            format!("Event {expected} is missing. Read the order again."),
            format!("Falta o evento {expected}. Consulte o pedido novamente."),
        ),
        ReplayError::NotInTable => Problem::new(
            ProblemCode::InvalidTransition,
            "The event is not valid for the order's current status. Read the order again.",
            "O evento não é válido para a situação atual do pedido. Consulte o pedido novamente.",
        ),
    }
}

//! Following an order from outside: its public state and an event in, the next state out, by the table that the service goes by.
//!
//! A page or an integrator that gets events by webhook, by stream or by the journal keeps its copy of an order right with it, without asking
//! for the order again.

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

/// The order's JSON after an event: `status`, each delivery's `status`, and `events` with the event, where the order has them, or else
/// `sequence`. Everything else stays as it was. An event that the order knows already, or that comes after its end, changes nothing.
///
/// # Errors
/// [`Code::MalformedRequest`] where one of the two is none, [`Code::InvalidTransition`] where events are missing in between, or the table has
/// no such step: then the order is to be looked up.
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

fn object<'t>(bytes: &'t [u8], what: &str) -> Result<Tree<'t>, Problem> {
    let text = std::str::from_utf8(bytes).ok();
    let tree = text.and_then(|text| Tree::parse(text).ok()).filter(|tree| matches!(tree, Tree::Object(_)));
    tree.map(Tree::sorted).ok_or_else(|| wrong("", format!("an {what}"), format!("um objeto: {what}")))
}

fn progress(order: &Tree<'_>) -> Result<Progress, Problem> {
    let known = |value: Option<&Tree<'_>>| u16::try_from(value?.as_u64()?).ok();
    let status = known(order.get("situation")).and_then(OrderStatus::from_number);
    let status = status.ok_or_else(|| wrong("/situation", "an order's situation", "a situação de um pedido"))?;
    let stop = |(at, delivery): (usize, &Tree<'_>)| {
        let id = delivery.get("id").and_then(Tree::as_u64).and_then(DeliveryId::new);
        let status = known(delivery.get("situation")).and_then(DeliveryStatus::from_number);
        let online_payment = delivery.get("onlinePayment").and_then(Tree::as_bool).unwrap_or(true);
        match id.zip(status) {
            Some((id, status)) => Ok(StopProgress { id, online_payment, status }),
            None => Err(wrong(&format!("/deliveries/{at}"), "a delivery", "uma entrega")),
        }
    };
    let deliveries = order.get("deliveries").and_then(Tree::items);
    let deliveries = deliveries.ok_or_else(|| wrong("/deliveries", "a list", "uma lista"))?;
    let stops = deliveries.iter().enumerate().map(stop).collect::<Result<Vec<_>, Problem>>()?;
    Ok(Progress { status, stops, sequence: sequence(order, status)? })
}

/// The last event that the order knows of. The answer to a creation has neither events nor a sequence, and comes with the first.
fn sequence(order: &Tree<'_>, status: OrderStatus) -> Result<u32, Problem> {
    let number = |value: &Tree<'_>| u32::try_from(value.get("sequence")?.as_u64()?).ok();
    if let Some(events) = order.get("events").and_then(Tree::items) {
        return Ok(events.iter().filter_map(number).max().unwrap_or(0));
    }
    let created = (status <= OrderStatus::Ready).then_some(1);
    number(order).or(created).ok_or_else(|| wrong("/events", "the order's events", "os eventos do pedido"))
}

fn transition(event: &Tree<'_>) -> Result<TransitionEvent, Problem> {
    let number = |name: &str| event.get(name).and_then(Tree::as_u64);
    let whole = |name: &str| wrong(&format!("/{name}"), "a whole number", "um número inteiro");
    let kind = event.get("type").and_then(Tree::as_str).and_then(EventKind::from_name);
    Ok(TransitionEvent {
        sequence: number("sequence").and_then(|n| u32::try_from(n).ok()).ok_or_else(|| whole("sequence"))?,
        kind: kind.ok_or_else(|| wrong("/type", "the type of an event", "o tipo de um evento"))?,
        status: number("situation").and_then(|n| u16::try_from(n).ok()).ok_or_else(|| whole("situation"))?,
        delivery: number("deliveryId").and_then(DeliveryId::new),
    })
}

fn wrong(pointer: &str, en: impl std::fmt::Display, pt: impl std::fmt::Display) -> Problem {
    let detail = Text::new(format!("Expected {en}."), format!("Esperado: {pt}."));
    malformed(vec![FieldError { pointer: pointer.to_owned(), code: "wrong_type", detail }])
}

fn replay_problem(replay_problem: ReplayError) -> Problem {
    match replay_problem {
        ReplayError::Gap { expected } => Problem::new(
            ProblemCode::InvalidTransition,
            format!("Event {expected} is missing. Look the order up."),
            format!("Falta o evento {expected}. Consulte o pedido."),
        ),
        ReplayError::NotInTable => Problem::new(
            ProblemCode::InvalidTransition,
            "No such step leads on from where the order stands. Look the order up.",
            "Nenhuma etapa assim parte de onde o pedido está. Consulte o pedido.",
        ),
    }
}

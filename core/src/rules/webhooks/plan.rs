//! What a subscription sends next.

use std::collections::BTreeMap;

use crate::model::{
    OrderId, Timestamp,
    order::JournalEntry,
    webhook::{Message, Webhook},
};

/// Events that one round reads of the journal.
pub const PAGE: u32 = 50;
/// Messages of one order that one round sends.
const LANE: usize = 10;

/// One round of a subscription.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// What to send now: the messages of a lane one after the other, each once the one before was taken; lanes at once.
    pub lanes: Vec<Vec<Message>>,
    /// New messages that wait behind a failed one of their order.
    pub held: Vec<Message>,
    /// How far the journal has been read.
    pub position: u64,
}

impl Round {
    /// Whether it changes anything.
    pub fn is_empty(&self, webhook: &Webhook) -> bool {
        self.lanes.is_empty() && self.held.is_empty() && self.position == webhook.position
    }
}

/// Plans a round: `waiting` are the messages that wait, by their place in the journal; `entries` the journal's next page.
pub fn plan(webhook: &Webhook, waiting: &[Message], entries: &[JournalEntry], now: Timestamp) -> Round {
    let mut round = Round { position: webhook.position, ..Round::default() };
    let mut orders: BTreeMap<OrderId, Vec<Message>> = BTreeMap::new();
    for message in waiting {
        match message.order() {
            Some(order) => orders.entry(order).or_default().push(message.clone()),
            None if message.due_at <= now => round.lanes.push(vec![message.clone()]),
            None => {}
        }
    }
    let mut fresh: BTreeMap<OrderId, Vec<Message>> = BTreeMap::new();
    for entry in entries {
        round.position = round.position.max(entry.place);
        let event = &entry.recorded.event;
        if webhook.is_subscribed_to(event.kind) {
            fresh.entry(event.order).or_default().push(webhook.message(entry, now));
        }
    }
    let mut later = Vec::new();
    for (order, mut messages) in orders {
        let due = messages.first().is_some_and(|head| head.due_at <= now);
        let behind = fresh.remove(&order).unwrap_or_default();
        if due {
            messages.extend(behind.iter().cloned());
            later.extend(messages.split_off(messages.len().min(LANE)));
            round.lanes.push(messages);
        } else {
            round.held.extend(behind);
        }
    }
    for (_, mut messages) in fresh {
        later.extend(messages.split_off(messages.len().min(LANE)));
        round.lanes.push(messages);
    }
    // What does not fit into its lane waits like what is held; what waited before does so already.
    let existing = |message: &Message| waiting.iter().any(|other| other.name == message.name);
    round.held.extend(later.into_iter().filter(|message| !existing(message)));
    round
}

//! Planning of a pass: the messages that a subscription sends next.

use std::collections::BTreeMap;

use crate::model::{
    OrderId, Timestamp,
    order::JournalEntry,
    webhook::{FollowUp, Message, Webhook},
};

/// Maximum number of journal events that a pass reads.
pub const PAGE: u32 = 50;
/// Maximum number of messages of one order that a pass sends.
const LANE: usize = 10;

/// A pass over a subscription.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WebhookPass {
    /// The messages to send now. Lanes are sent concurrently. The messages of a lane are sent one
    /// after the other, each after the previous one was accepted.
    pub lanes: Vec<Vec<Message>>,
    /// New messages that wait for a failed message of their order.
    pub held: Vec<Message>,
    /// The journal position after the pass.
    pub position: u64,
}

impl WebhookPass {
    /// Returns whether the pass changes nothing.
    pub fn is_empty(&self, webhook: &Webhook) -> bool {
        self.lanes.is_empty() && self.held.is_empty() && self.position == webhook.position
    }
}

/// Plans a pass. `queued` contains the queued messages, sorted by journal position. `entries` is
/// the next page of the journal. `follow_up` returns what follows an entry's message, or `None` if
/// the entry is not sent.
pub fn plan(
    webhook: &Webhook,
    queued: &[Message],
    entries: &[JournalEntry],
    follow_up: &dyn Fn(&JournalEntry) -> Option<FollowUp>,
    now: Timestamp,
) -> WebhookPass {
    let mut pass = WebhookPass {
        position: webhook.position,
        ..WebhookPass::default()
    };
    pass.position = entries
        .iter()
        .map(|entry| entry.position)
        .fold(pass.position, u64::max);
    let mut orders: BTreeMap<OrderId, Vec<Message>> = BTreeMap::new();
    for message in queued {
        match message.order() {
            // It follows an event that was not read yet.
            Some(_) if message.is_end() && message.position() > pass.position => {}
            Some(order) => orders.entry(order).or_default().push(message.clone()),
            None if message.due_at <= now => pass.lanes.push(vec![message.clone()]),
            None => {}
        }
    }
    let mut fresh: BTreeMap<OrderId, Vec<Message>> = BTreeMap::new();
    for entry in entries {
        let event = &entry.recorded.event;
        let Some(follow_up) = follow_up(entry).filter(|_| webhook.is_subscribed_to(event.kind))
        else {
            continue;
        };
        let messages = fresh.entry(event.order).or_default();
        messages.push(webhook.message(entry, now));
        if follow_up == FollowUp::End {
            messages.push(webhook.end_message(entry, now));
        }
    }
    let mut later = Vec::new();
    for (order, mut messages) in orders {
        let due = messages.first().is_some_and(|head| head.due_at <= now);
        let behind = fresh.remove(&order).unwrap_or_default();
        if due {
            messages.extend(behind.iter().cloned());
            messages.sort_by_key(|message| (message.position(), message.is_end()));
            later.extend(messages.split_off(messages.len().min(LANE)));
            pass.lanes.push(messages);
        } else {
            pass.held.extend(behind);
        }
    }
    for (_, mut messages) in fresh {
        later.extend(messages.split_off(messages.len().min(LANE)));
        pass.lanes.push(messages);
    }
    // Messages that do not fit into their lane are queued, unless they already are.
    let existing = |message: &Message| queued.iter().any(|other| other.name == message.name);
    pass.held
        .extend(later.into_iter().filter(|message| !existing(message)));
    pass
}

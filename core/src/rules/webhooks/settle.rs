//! What comes of a round: the subscription as it stands afterwards, its messages and its log.

use std::collections::BTreeMap;

use super::{Round, WebhookTerms};
use crate::model::{
    Entropy, Timestamp,
    webhook::{Attempt, AttemptResult, Message, MessageChange, Webhook, WebhookState},
};

/// A message of a round and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The message.
    pub message: Message,
    /// When it was sent, how many milliseconds that took, and the answer; `None` where its turn did not come.
    pub sent: Option<(Timestamp, u64, AttemptResult)>,
}

/// What a round changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The subscription afterwards, without a lease.
    pub webhook: Webhook,
    /// What happens to its messages.
    pub messages: Vec<MessageChange>,
    /// What goes into its log.
    pub attempts: Vec<Attempt>,
    /// Whether the subscription stopped by itself, which its store is told.
    pub stopped: bool,
}

/// Settles a round. `webhook` and `waiting` are as they stand now, which may be later than when the round was planned: a store
/// may have asked for a test or a replay meanwhile.
pub fn settle(
    webhook: &Webhook,
    waiting: &[Message],
    round: &Round,
    mut tried: Vec<Tried>,
    terms: &WebhookTerms,
    entropy: &mut Entropy,
    now: Timestamp,
) -> Settled {
    let mut after =
        Webhook { position: round.position.max(webhook.position), seen_at: now, lease: None, ..webhook.clone() };
    let mut left: BTreeMap<String, Message> = BTreeMap::new();
    left.extend(waiting.iter().chain(&round.held).map(|message| (message.name.clone(), message.clone())));
    let (mut attempts, mut gone) = (Vec::new(), false);
    // Failures in a row are counted in the order of time, which differs from that of the lanes.
    let ended = |one: &Tried| one.sent.map(|(at, took, _)| at.millis().saturating_add_unsigned(took));
    tried.sort_by_key(ended);
    for Tried { message, sent } in tried {
        let Some((at, took_ms, result)) = sent else {
            left.insert(message.name.clone(), message);
            continue;
        };
        let number = message.tries.saturating_add(1);
        let next_at = if result.is_success() || result.is_gone() {
            None
        } else {
            let next = now.after(terms.wait(number, entropy));
            (next <= message.since.after(terms.give_up())).then_some(next)
        };
        after.failures = if result.is_success() { 0 } else { after.failures.saturating_add(1) };
        gone |= result.is_gone();
        let Message { name, subject, .. } = message.clone();
        attempts.push(Attempt { webhook: webhook.id, name, subject, number, at, took_ms, result, next_at });
        match next_at {
            Some(due_at) => left.insert(message.name.clone(), Message { tries: number, due_at, ..message }),
            None => left.remove(&message.name),
        };
    }
    if after.is_active() && gone {
        after.state = WebhookState::Ended { at: now };
    } else if after.is_active() && after.failures >= terms.disable_after {
        after.state = WebhookState::Disabled { at: now };
    }
    let stopped = webhook.is_active() && !after.is_active();
    if matches!(after.state, WebhookState::Ended { .. } | WebhookState::Removed { .. }) {
        after.due_at = None;
        return Settled { messages: vec![MessageChange::Clear(after.id)], webhook: after, attempts, stopped };
    }
    after.due_at = first_due(left.values());
    Settled { messages: changes(waiting, left), webhook: after, attempts, stopped }
}

/// When the first message is due that waits behind no other of its order.
pub(super) fn first_due<'a>(messages: impl Iterator<Item = &'a Message>) -> Option<Timestamp> {
    let mut heads: BTreeMap<_, &Message> = BTreeMap::new();
    let mut due: Option<Timestamp> = None;
    for message in messages {
        match message.order() {
            None => due = Some(due.map_or(message.due_at, |due| due.min(message.due_at))),
            Some(order) => {
                let head = heads.entry(order).or_insert(message);
                if message.place() < head.place() {
                    *head = message;
                }
            }
        }
    }
    heads.values().map(|head| head.due_at).chain(due).min()
}

fn changes(before: &[Message], after: BTreeMap<String, Message>) -> Vec<MessageChange> {
    let removed = before.iter().filter(|message| !after.contains_key(&message.name));
    let removed = removed.map(|message| MessageChange::Remove { webhook: message.webhook, name: message.name.clone() });
    let mut changes: Vec<MessageChange> = removed.collect();
    let new = after.into_values().filter(|message| !before.contains(message));
    changes.extend(new.map(MessageChange::Put));
    changes
}

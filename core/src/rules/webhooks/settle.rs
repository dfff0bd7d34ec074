//! Settlement of a pass: the changes to the subscription, its queue and its log.

use std::collections::BTreeMap;

use super::{WebhookConfig, WebhookPass};
use crate::model::{
    Entropy, Timestamp,
    webhook::{Attempt, AttemptResult, Message, MessageChange, Webhook, WebhookState},
};

/// A message of a pass and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageResult {
    /// The message.
    pub message: Message,
    /// Time of sending, duration in milliseconds, and result. `None` if the message was not sent.
    pub sent: Option<(Timestamp, u64, AttemptResult)>,
}

/// The changes of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The subscription after the pass, without a lease.
    pub webhook: Webhook,
    /// Changes to the queued messages.
    pub messages: Vec<MessageChange>,
    /// Attempts to append to the log.
    pub attempts: Vec<Attempt>,
    /// Whether the subscription was disabled or has ended, so the store must be notified.
    pub stopped: bool,
}

/// Settles a pass. `webhook` and `queued` are the current versions, which can be newer than those
/// of the plan, because the store may have requested a test or a replay since.
pub fn settle(
    webhook: &Webhook,
    queued: &[Message],
    pass: &WebhookPass,
    mut results: Vec<MessageResult>,
    config: &WebhookConfig,
    entropy: &mut Entropy,
    now: Timestamp,
) -> Settlement {
    let mut after = Webhook {
        position: pass.position.max(webhook.position),
        seen_at: now,
        lease: None,
        ..webhook.clone()
    };
    let mut left: BTreeMap<String, Message> = BTreeMap::new();
    left.extend(
        queued
            .iter()
            .chain(&pass.held)
            .map(|message| (message.name.clone(), message.clone())),
    );
    let (mut attempts, mut gone) = (Vec::new(), false);
    // Consecutive failures are counted in chronological order, which differs from the order of the
    // lanes.
    let ended = |one: &MessageResult| {
        one.sent
            .map(|(at, took, _)| at.millis().saturating_add_unsigned(took))
    };
    results.sort_by_key(ended);
    for MessageResult { message, sent } in results {
        let Some((at, took_ms, result)) = sent else {
            left.insert(message.name.clone(), message);
            continue;
        };
        let number = message.tries.saturating_add(1);
        // A mail server rejects a message with 500 to 599 for good, for example because the mailbox
        // does not exist.
        let is_rejected = webhook.is_mail() && matches!(result.status(), Some(500..=599));
        let next_at =
            if result.is_success() || result.is_gone() || is_rejected || result.is_withheld() {
                None
            } else {
                let next = now.after(config.wait(number, entropy));
                (next <= message.since.after(config.give_up())).then_some(next)
            };
        after.failures = match result {
            _ if result.is_success() => 0,
            _ if result.is_withheld() => after.failures,
            _ => after.failures.saturating_add(1),
        };
        gone |= result.is_gone();
        let Message { name, subject, .. } = message.clone();
        attempts.push(Attempt {
            webhook: webhook.id,
            name,
            subject,
            number,
            at,
            took_ms,
            result,
            next_at,
        });
        match next_at {
            Some(due_at) => left.insert(
                message.name.clone(),
                Message {
                    tries: number,
                    due_at,
                    ..message
                },
            ),
            None => left.remove(&message.name),
        };
    }
    if after.is_active() && gone {
        after.state = WebhookState::Ended { at: now };
    } else if after.is_active() && after.failures >= config.disable_after {
        after.state = WebhookState::Disabled { at: now };
    }
    let stopped = webhook.is_active() && !after.is_active();
    if matches!(
        after.state,
        WebhookState::Ended { .. } | WebhookState::Removed { .. }
    ) {
        after.due_at = None;
        return Settlement {
            messages: vec![MessageChange::Clear(after.id)],
            webhook: after,
            attempts,
            stopped,
        };
    }
    after.due_at = first_due(left.values());
    Settlement {
        messages: changes(queued, left),
        webhook: after,
        attempts,
        stopped,
    }
}

/// Returns the earliest due time of the messages that are the first of their order.
pub(super) fn first_due<'a>(messages: impl Iterator<Item = &'a Message>) -> Option<Timestamp> {
    let mut heads: BTreeMap<_, &Message> = BTreeMap::new();
    let mut due: Option<Timestamp> = None;
    for message in messages {
        match message.order() {
            None => due = Some(due.map_or(message.due_at, |due| due.min(message.due_at))),
            Some(order) => {
                let head = heads.entry(order).or_insert(message);
                if message.position() < head.position() {
                    *head = message;
                }
            }
        }
    }
    heads.values().map(|head| head.due_at).chain(due).min()
}

fn changes(before: &[Message], after: BTreeMap<String, Message>) -> Vec<MessageChange> {
    let removed = before
        .iter()
        .filter(|message| !after.contains_key(&message.name));
    let removed = removed.map(|message| MessageChange::Remove {
        webhook: message.webhook,
        name: message.name.clone(),
    });
    let mut changes: Vec<MessageChange> = removed.collect();
    let new = after
        .into_values()
        .filter(|message| !before.contains(message));
    changes.extend(new.map(MessageChange::Put));
    changes
}

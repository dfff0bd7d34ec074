//! Webhook receivers, which fail according to the fault rates, verify every signature, and record
//! the received events.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use despacho_core::{
    drivers::outbox::Job,
    model::webhook::{AttemptResult, SendError},
};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::rng::Rng;

/// A received message.
#[derive(Clone, Debug)]
struct ReceivedMessage {
    name: String,
    timestamp: String,
    signature: String,
    body: Vec<u8>,
}

/// The receiver of one URL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    /// Messages with unverified signatures. The client can learn the secret after the first message
    /// arrives.
    unverified: Vec<ReceivedMessage>,
    /// The received events: the order's ID and the sequence number.
    pub(crate) events: BTreeSet<(u64, u64)>,
    /// The highest sequence number of each order so far.
    newest: BTreeMap<u64, u64>,
    /// Whether it returned 410.
    pub(crate) has_unsubscribed: bool,
}

/// All receivers.
#[derive(Debug, Default)]
pub(crate) struct Receivers {
    pub(crate) by_url: BTreeMap<String, Receiver>,
    /// A violation by a received message.
    pub(crate) violation: Option<String>,
}

impl Receivers {
    /// Receives a request and returns the result for the sender. `failing` is the failure rate per
    /// thousand.
    pub(crate) fn receive(
        &mut self,
        url: &str,
        job: &Job,
        failing: u32,
        rng: &mut Rng,
    ) -> AttemptResult {
        if rng.often(failing) {
            return match rng.below(4) {
                0 => AttemptResult::Status(500),
                1 => AttemptResult::Failed(SendError::Connect),
                2 => AttemptResult::Status(302),
                // The message was received, but the response is lost.
                _ => {
                    self.record(url, job);
                    AttemptResult::Failed(SendError::Timeout)
                }
            };
        }
        if failing > 0 && rng.often(2) {
            self.by_url
                .entry(url.to_owned())
                .or_default()
                .has_unsubscribed = true;
            return AttemptResult::Status(410);
        }
        self.record(url, job);
        AttemptResult::Status(204)
    }

    fn record(&mut self, url: &str, job: &Job) {
        let receiver = self.by_url.entry(url.to_owned()).or_default();
        let header = |name: &str| {
            let found = job.headers.iter().find(|(other, _)| *other == name);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        receiver.unverified.push(ReceivedMessage {
            name: job.message.name.clone(),
            timestamp: header("webhook-timestamp"),
            signature: header("webhook-signature"),
            body: job.body.clone(),
        });
        let body: Value = serde_json::from_slice(&job.body).unwrap_or_default();
        let number = |name: &str| {
            body.pointer(&format!("/data/event/{name}"))
                .and_then(Value::as_u64)
        };
        let (Some(order), Some(sequence)) = (number("orderId"), number("sequence")) else {
            if body["type"] != "webhook.test" {
                self.violation = Some(format!(
                    "{url} got a message that is neither an event nor a test: {body}"
                ));
            }
            return;
        };
        if !receiver.events.insert((order, sequence)) {
            return;
        }
        let newest = receiver.newest.entry(order).or_default();
        if *newest > sequence {
            self.violation = Some(format!(
                "{url} got event {sequence} of order {order} for the first time after event {newest}"
            ));
        }
        *newest = sequence.max(*newest);
    }
}

impl Receiver {
    /// Verifies the signatures of the messages since the last call, by the Standard Webhooks
    /// specification.
    pub(crate) fn verify(&mut self, secrets: &[String]) -> Result<(), String> {
        for message in std::mem::take(&mut self.unverified) {
            let is_valid = secrets
                .iter()
                .any(|secret| message.is_signed(secret) == Some(true));
            if !is_valid {
                return Err(format!(
                    "message {} is not signed with any of the known secrets",
                    message.name
                ));
            }
        }
        Ok(())
    }
}

impl ReceivedMessage {
    fn is_signed(&self, secret: &str) -> Option<bool> {
        let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(format!("{}.{}.", self.name, self.timestamp).as_bytes());
        mac.update(&self.body);
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        Some(
            self.signature
                .split(' ')
                .any(|signature| signature == expected),
        )
    }
}

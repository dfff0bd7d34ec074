//! The receivers of webhooks: they fail as the weather has it, check every signature, and remember what reached them.

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

/// A message that arrived.
#[derive(Clone, Debug)]
struct Arrived {
    name: String,
    timestamp: String,
    signature: String,
    body: Vec<u8>,
}

/// One receiver, by its address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    /// Messages whose signatures are to be looked at: the secret may be told after the first message comes.
    unverified: Vec<Arrived>,
    /// The events that arrived: order and sequence.
    pub(crate) events: BTreeSet<(u64, u64)>,
    /// The greatest sequence of each order so far.
    newest: BTreeMap<u64, u64>,
    /// Whether it said that it wants no more.
    pub(crate) gone: bool,
}

/// All receivers.
#[derive(Debug, Default)]
pub(crate) struct Receivers {
    pub(crate) by_url: BTreeMap<String, Receiver>,
    /// What was wrong with something that came.
    pub(crate) wrong: Option<String>,
}

impl Receivers {
    /// Takes a request, and says what the sender gets to know.
    pub(crate) fn take(&mut self, url: &str, job: &Job, deaf: u32, rng: &mut Rng) -> AttemptResult {
        if rng.often(deaf) {
            return match rng.below(4) {
                0 => AttemptResult::Status(500),
                1 => AttemptResult::Failed(SendError::Connect),
                2 => AttemptResult::Status(302),
                // It was taken, and nobody is told.
                _ => {
                    self.arrived(url, job);
                    AttemptResult::Failed(SendError::Timeout)
                }
            };
        }
        if deaf > 0 && rng.often(2) {
            self.by_url.entry(url.to_owned()).or_default().gone = true;
            return AttemptResult::Status(410);
        }
        self.arrived(url, job);
        AttemptResult::Status(204)
    }

    fn arrived(&mut self, url: &str, job: &Job) {
        let receiver = self.by_url.entry(url.to_owned()).or_default();
        receiver.unverified.push(Arrived {
            name: job.message.name.clone(),
            timestamp: job.timestamp.clone(),
            signature: job.signature.clone(),
            body: job.body.clone(),
        });
        let body: Value = serde_json::from_slice(&job.body).unwrap_or_default();
        let number = |name: &str| body.pointer(&format!("/data/event/{name}")).and_then(Value::as_u64);
        let (Some(order), Some(sequence)) = (number("orderId"), number("sequence")) else {
            if body["type"] != "webhook.test" {
                self.wrong = Some(format!("{url} got neither an event nor a test: {body}"));
            }
            return;
        };
        if !receiver.events.insert((order, sequence)) {
            return;
        }
        let newest = receiver.newest.entry(order).or_default();
        if *newest > sequence {
            self.wrong = Some(format!("{url} got event {sequence} of order {order} first after event {newest}"));
        }
        *newest = sequence.max(*newest);
    }
}

impl Receiver {
    /// Looks at the signatures of what came since, by the Standard Webhooks specification.
    pub(crate) fn verify(&mut self, secrets: &[String]) -> Result<(), String> {
        for arrived in std::mem::take(&mut self.unverified) {
            let good = secrets.iter().any(|secret| arrived.is_signed(secret) == Some(true));
            if !good {
                return Err(format!("message {} is signed by none of the secrets that were told", arrived.name));
            }
        }
        Ok(())
    }
}

impl Arrived {
    fn is_signed(&self, secret: &str) -> Option<bool> {
        let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(format!("{}.{}.", self.name, self.timestamp).as_bytes());
        mac.update(&self.body);
        let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        Some(self.signature.split(' ').any(|signature| signature == wanted))
    }
}

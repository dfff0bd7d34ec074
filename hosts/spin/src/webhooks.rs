//! Sends webhooks while a request is answered, or after it: a component has nothing that runs beside its requests.
//!
//! The rounds, their leases and what comes of them are the core's, so that instances that send at once never send one message twice.
//! A call's work is bounded: it starts requests for ten seconds, and the last of them may then take as long as a receiver may.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use despacho_core::{
    drivers::outbox::{self, Job, RunningPasses},
    host::{Host, HostError, WebhookQuery},
    model::{
        WebhookId,
        webhook::{AttemptResult, SendError, Webhook},
    },
    rules::{
        settings::Settings,
        webhooks::{WebhookConfig, check},
    },
};
use despacho_shell::webhooks::{self, MAX_RESPONSE_BYTES, RESPONSE_TIMEOUT, Sent, pass_duration};
use futures_util::{future::join_all, lock::Mutex};

use crate::{
    database::Database,
    outbound::{AttemptError, begin, collect, in_time},
};

/// Subscriptions that are looked at together, and those that are sent for at once.
const LOOKED_AT: u32 = 32;
const AT_ONCE: usize = 8;

/// Sends what is due until nothing is, or the time is over; what is left is sent by the next call.
pub(crate) async fn deliver<H: Host>(host: &H, database: &Database, settings: &Settings) -> Result<(), HostError> {
    let until = Instant::now() + pass_duration();
    // The request has one connection for its transactions, which they take in turns.
    let call = Call { host, database, settings, until, turn: Mutex::new(()) };
    // Subscriptions that had nothing to send, by the version that was looked at: as such they are not looked at again.
    let mut idle: BTreeMap<WebhookId, u32> = BTreeMap::new();
    while Instant::now() < until {
        let due = host.find_webhooks(WebhookQuery::Due { now: host.exec_context().now, limit: LOOKED_AT }).await?;
        let is_new = |webhook: &Webhook| idle.get(&webhook.id) != Some(&webhook.version);
        let mut rounds = RunningPasses::new(AT_ONCE);
        let chosen: Vec<Webhook> = due.into_iter().filter(is_new).filter(|webhook| rounds.begin(webhook)).collect();
        if chosen.is_empty() {
            break;
        }
        let rounds = join_all(chosen.iter().map(|webhook| call.round(webhook))).await;
        for (webhook, sent) in chosen.iter().zip(rounds) {
            if !sent? {
                idle.insert(webhook.id, webhook.version);
            }
        }
    }
    Ok(())
}

/// One call's means.
struct Call<'a, H> {
    host: &'a H,
    /// Its connection is for other requests while receivers respond.
    database: &'a Database,
    settings: &'a Settings,
    until: Instant,
    turn: Mutex<()>,
}

impl<H: Host> Call<'_, H> {
    /// Takes, sends and settles a round of a subscription; false where there was none to be had.
    async fn round(&self, webhook: &Webhook) -> Result<bool, HostError> {
        let taken = {
            let _turn = self.turn.lock().await;
            let taken = outbox::take(self.host, self.settings, webhook).await?;
            self.database.release();
            taken
        };
        let Some(batch) = taken else { return Ok(false) };
        let post = |job| self.post(&batch.url, job);
        let tried = webhooks::send(batch.lanes.clone(), || Instant::now() < self.until, post).await;
        let _turn = self.turn.lock().await;
        outbox::finish(self.host, self.settings, &batch, tried).await?;
        self.database.release();
        Ok(true)
    }

    async fn post(&self, url: &str, job: Job) -> Sent {
        let (at, began) = (self.host.exec_context().now, Instant::now());
        let response = post(url, &job, &self.settings.webhooks).await;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Sent { job, at, took_ms, response }
    }
}

/// Sends one message and says what came of it.
async fn post(url: &str, job: &Job, terms: &WebhookConfig) -> AttemptResult {
    // It was checked when it was taken, perhaps under other terms.
    if check(url, terms.loopback).is_err() {
        return AttemptResult::Failed(SendError::Address);
    }
    let Ok(request) = job.request(url) else { return AttemptResult::Failed(SendError::Broken) };
    match in_time(Duration::from_secs(terms.timeout_seconds.into()), begin(request)).await {
        Ok(response) => {
            let status = response.status().as_u16();
            // What it says beyond its status is nobody's concern.
            let _ = in_time(RESPONSE_TIMEOUT, collect(response.into_body(), MAX_RESPONSE_BYTES)).await;
            AttemptResult::Status(status)
        }
        Err(missed) => AttemptResult::Failed(error(missed)),
    }
}

fn error(missed: AttemptError) -> SendError {
    match missed {
        AttemptError::Late => SendError::Timeout,
        AttemptError::Denied | AttemptError::Blocked => SendError::Address,
        AttemptError::Name => SendError::Name,
        AttemptError::Connect => SendError::Connect,
        AttemptError::Tls => SendError::Tls,
        AttemptError::Broken => SendError::Broken,
    }
}

//! Sends webhooks during a request or after its response, because a component has no background
//! tasks.
//!
//! The core selects messages, leases them and records the results: concurrent instances never send
//! a message twice. A pass is bounded: it starts requests for ten seconds, and the last one may
//! then take as long as the receiver's timeout.

use std::{collections::BTreeSet, rc::Rc, time::Instant};

use bytes::Bytes;
use despacho_core::{
    api::Outcome,
    drivers::outbox::{self, Job, RunningPasses},
    host::{Host, HostError, WebhookQuery},
    model::{
        WebhookId,
        webhook::{AttemptResult, SendError, Webhook},
    },
    rules::{settings::Settings, webhooks::WebhookConfig},
};
use despacho_shell::webhooks::{self, Sent, pass_duration};
use despacho_sql::SqlHost;
use futures_util::{future::join_all, lock::Mutex};
use http::Response;

use crate::{
    background, config::Config, database::Database, log, outbound::call, platform::Machine,
};

/// Subscriptions read per query, and the maximum processed at the same time.
const MAX_CANDIDATES: u32 = 32;
const MAX_CONCURRENT: usize = 8;

/// The endpoint that a cron job calls.
const DISPATCH: &str = "POST /admin/dispatch";

/// Sends webhooks before the response to a dispatch pass and, if configured, after every response
/// that wrote events or messages.
pub(crate) async fn after_response(
    response: &Response<Bytes>,
    host: SqlHost<Database, Machine>,
    config: Rc<Config>,
) {
    let outcome = response.extensions().get::<Outcome>();
    let dispatched =
        outcome.is_some_and(|outcome| outcome.route == DISPATCH) && response.status().is_success();
    if dispatched {
        background::after_dispatch(&host, &config).await;
    }
    let is_wanted = config.own.webhooks_after_responses && host.platform().has_updates();
    let sending = async move {
        if let Err(error) = deliver(&host, host.driver(), &config.settings).await {
            log::line(format_args!(
                "webhooks not sent; retrying in the next pass: {error}"
            ));
        }
    };
    if dispatched {
        sending.await;
    } else if is_wanted {
        spin_sdk::wasip3::spawn(sending);
    }
}

/// Sends due messages until none is left or the time is over. The next pass sends the rest.
async fn deliver<H: Host>(
    host: &H,
    database: &Database,
    settings: &Settings,
) -> Result<(), HostError> {
    let until = Instant::now() + pass_duration();
    // The request has one connection, so its transactions run one after the other.
    let pass = Pass {
        host,
        database,
        settings,
        until,
        connection_lock: Mutex::new(()),
    };
    // Subscriptions without messages, by version; the same version is not processed again.
    let mut idle: BTreeSet<(WebhookId, u32)> = BTreeSet::new();
    while Instant::now() < until {
        let due = host
            .find_webhooks(WebhookQuery::Due {
                now: host.exec_context().now,
                limit: MAX_CANDIDATES,
            })
            .await?;
        let is_new = |webhook: &Webhook| !idle.contains(&(webhook.id, webhook.version));
        let mut running = RunningPasses::new(MAX_CONCURRENT);
        let chosen: Vec<Webhook> = due
            .into_iter()
            .filter(is_new)
            .filter(|webhook| running.begin(webhook))
            .collect();
        if chosen.is_empty() {
            break;
        }
        let results = join_all(chosen.iter().map(|webhook| pass.run_subscription(webhook))).await;
        for (webhook, sent) in chosen.iter().zip(results) {
            if !sent? {
                idle.insert((webhook.id, webhook.version));
            }
        }
    }
    Ok(())
}

/// The state of one pass.
struct Pass<'a, H> {
    host: &'a H,
    /// The database, whose connection is released while receivers respond.
    database: &'a Database,
    settings: &'a Settings,
    until: Instant,
    connection_lock: Mutex<()>,
}

impl<H: Host> Pass<'_, H> {
    /// Claims, sends and completes a batch of a subscription; false if there is none.
    async fn run_subscription(&self, webhook: &Webhook) -> Result<bool, HostError> {
        let batch = {
            let _guard = self.connection_lock.lock().await;
            let batch = outbox::take(self.host, self.settings, webhook).await?;
            self.database.release();
            batch
        };
        let Some(batch) = batch else { return Ok(false) };
        let post = |job| self.post(&batch.url, job);
        let tried = webhooks::send(batch.lanes.clone(), || Instant::now() < self.until, post).await;
        let _guard = self.connection_lock.lock().await;
        outbox::finish(self.host, self.settings, &batch, tried).await?;
        self.database.release();
        Ok(true)
    }

    async fn post(&self, url: &str, job: Job) -> Sent {
        let (at, started) = (self.host.exec_context().now, Instant::now());
        let response = post(url, &job, &self.settings.webhooks).await;
        let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Sent {
            job,
            at,
            took_ms,
            response,
        }
    }
}

/// Sends one message and returns the result.
async fn post(url: &str, job: &Job, config: &WebhookConfig) -> AttemptResult {
    match job.request(url) {
        Ok(request) => call(url, request, config).await,
        Err(_) => AttemptResult::Failed(SendError::Broken),
    }
}

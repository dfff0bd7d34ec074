//! Sends webhooks in the background: the rounds are the core's, the requests this module's.

mod client;
mod connect;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use despacho_core::{
    drivers::outbox::{Job, RunningPasses},
    host::HostError,
    model::{
        WebhookId,
        webhook::{AttemptResult, Webhook},
    },
};
use despacho_shell::webhooks::{self, Sent, pass_duration};
use http::HeaderMap;
use tokio::{task::JoinSet, time::MissedTickBehavior};

use crate::{app::App, telemetry::SpanKind};
use client::Client;

/// How often it is looked what is due: events of other instances, and messages to be tried again.
const TICK: Duration = Duration::from_millis(500);
/// How long commits are gathered before it is looked: many come together under load.
const GATHER: Duration = Duration::from_millis(3);
/// How long a subscription rests that had nothing to send: others have it, or too much of it waits already.
const REST: Duration = Duration::from_millis(50);
/// Subscriptions that are sent for at once.
const AT_ONCE: u32 = 64;

/// What every round needs.
struct Sender {
    app: Arc<App>,
    client: Client,
}

/// Runs until the server shuts down, then waits at most `timeout` for open requests. Messages that are cut off are sent again after the
/// next start.
pub async fn run(app: Arc<App>, timeout: Duration) {
    let client = match Client::new(&app.settings.webhooks) {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, "no webhooks are sent");
            return;
        }
    };
    let (mut updates, shutdown) = (app.store.updates(), app.shutdown.clone());
    let sender = Arc::new(Sender { app, client });
    let mut rounds: JoinSet<WebhookId> = JoinSet::new();
    let mut running = RunningPasses::new(AT_ONCE as usize);
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = ticks.tick() => {}
            changed = updates.changed() => {
                if changed.is_err() {
                    break;
                }
                tokio::time::sleep(GATHER).await;
                updates.borrow_and_update();
            }
            Some(ended) = rounds.join_next(), if !rounds.is_empty() => match ended {
                Ok(id) => running.end(id),
                // Which one panicked is not told: all are looked at again, and leases keep them apart.
                Err(_) => running = RunningPasses::new(AT_ONCE as usize),
            },
        }
        if rounds.len() >= AT_ONCE as usize {
            continue;
        }
        match sender.app.store.due_webhooks(2 * AT_ONCE).await {
            Ok(due) => {
                for webhook in due {
                    if running.begin(&webhook) {
                        rounds.spawn(round(sender.clone(), webhook));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "webhooks are looked at again later"),
        }
    }
    let ending = async { while rounds.join_next().await.is_some() {} };
    if tokio::time::timeout(timeout, ending).await.is_err() {
        tracing::warn!("webhooks that are still being sent are cut off; they will be sent again");
    }
}

/// One round of a subscription.
async fn round(sender: Arc<Sender>, webhook: Webhook) -> WebhookId {
    let id = webhook.id;
    match send_round(&sender, &webhook).await {
        Ok(true) => {}
        Ok(false) => tokio::time::sleep(REST).await,
        Err(error) => {
            tracing::warn!(%error, webhook = id.get(), "a round of a webhook is done again later");
            // Not at once: the database may need a moment.
            tokio::time::sleep(TICK).await;
        }
    }
    id
}

/// Takes, sends and settles a round; false where there was none to be had.
async fn send_round(sender: &Arc<Sender>, webhook: &Webhook) -> Result<bool, HostError> {
    let app = &sender.app;
    let Some(batch) = app.store.take(&app.settings, webhook).await? else { return Ok(false) };
    let (started, url) = (Instant::now(), Arc::<str>::from(batch.url.as_str()));
    let can_start = || started.elapsed() <= pass_duration() && !sender.app.shutdown.is_cancelled();
    let post = |job| send_job(sender.clone(), url.clone(), job);
    let tried = webhooks::send(batch.lanes.clone(), can_start, post).await;
    for (_, _, response) in tried.iter().filter_map(|tried| tried.sent) {
        let counter = if response.is_success() { &app.metrics.delivered } else { &app.metrics.undelivered };
        counter.inc();
    }
    app.store.finish(&app.settings, &batch, tried).await.map(|()| true)
}

/// One message, with a trace of its own: the request that it comes from was answered long ago.
async fn post(sender: &Sender, url: &str, job: &Job) -> AttemptResult {
    let tracer = sender.app.tracer.as_ref();
    let Some(mut span) = tracer.and_then(|tracer| tracer.root(&HeaderMap::new(), "webhook", SpanKind::Client)) else {
        return sender.client.post(url, job, None).await;
    };
    span.set_attribute("despacho.webhook", i64::try_from(job.message.webhook.get()).unwrap_or(i64::MAX));
    let response = sender.client.post(url, job, span.context().header()).await;
    if let AttemptResult::Status(status) = response {
        span.set_attribute("http.response.status_code", i64::from(status));
    }
    span.end(!response.is_success());
    response
}

/// Sends one message and measures the request.
async fn send_job(sender: Arc<Sender>, url: Arc<str>, job: Job) -> Sent {
    let (at, began) = (sender.app.store.now(), Instant::now());
    let response = post(&sender, &url, &job).await;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Sent { job, at, took_ms, response }
}

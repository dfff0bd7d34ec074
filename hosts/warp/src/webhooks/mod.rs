//! Sends webhooks in the background. The core selects the messages; this module sends the requests.

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
        webhook::{AttemptResult, MAIL_URL, Webhook},
    },
};
use despacho_shell::webhooks::{self, Sent, pass_duration};
use http::{HeaderMap, HeaderValue};
use tokio::{
    sync::watch,
    task::{JoinError, JoinSet},
    time::MissedTickBehavior,
};

use crate::{app::App, mail::Mailer, telemetry::SpanKind};
pub(crate) use client::Client;

/// Time between two searches for due webhooks: events of other instances, and messages to retry.
const TICK: Duration = Duration::from_millis(500);
/// Delay between a commit and the search for due webhooks: under load it combines many commits.
const COMMIT_DELAY: Duration = Duration::from_millis(3);
/// Delay after a pass without messages: another instance holds the subscription, or too many of its
/// messages are in progress.
const IDLE_DELAY: Duration = Duration::from_millis(50);
/// Maximum number of subscriptions processed at the same time.
const MAX_CONCURRENT_PASSES: u32 = 64;

/// The state that all passes share.
struct Sender {
    app: Arc<App>,
    client: Client,
    mailer: Option<Arc<Mailer>>,
}

/// Runs until the server shuts down, then waits at most `timeout` for open requests. Interrupted
/// messages are sent again after the next start.
pub async fn run(app: Arc<App>, timeout: Duration) {
    let client = match Client::new(&app.settings.webhooks) {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, "webhook client failed to start; no webhooks are sent");
            return;
        }
    };
    let (mut updates, shutdown) = (app.store.updates(), app.shutdown.clone());
    let mailer = app.store.mailer();
    let sender = Arc::new(Sender {
        app,
        client,
        mailer,
    });
    let mut passes: JoinSet<WebhookId> = JoinSet::new();
    let mut running = RunningPasses::new(MAX_CONCURRENT_PASSES as usize);
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = ticks.tick() => {}
            changed = updates.changed() => match changed {
                Ok(()) => combine_commits(&mut updates).await,
                Err(_) => break,
            },
            Some(ended) = passes.join_next(), if !passes.is_empty() => end_pass(&mut running, ended),
        }
        if passes.len() >= MAX_CONCURRENT_PASSES as usize {
            continue;
        }
        match sender
            .app
            .store
            .due_webhooks(2 * MAX_CONCURRENT_PASSES)
            .await
        {
            Ok(due) => {
                for webhook in due {
                    if running.begin(&webhook) {
                        passes.spawn(run_pass(sender.clone(), webhook));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "search for due webhooks failed; retrying"),
        }
    }
    let ending = async { while passes.join_next().await.is_some() {} };
    if tokio::time::timeout(timeout, ending).await.is_err() {
        tracing::warn!("shutdown timeout exceeded; interrupted webhooks will be sent again");
    }
}

/// Waits for the commits that follow another one at once.
async fn combine_commits(updates: &mut watch::Receiver<u64>) {
    tokio::time::sleep(COMMIT_DELAY).await;
    updates.borrow_and_update();
}

fn end_pass(running: &mut RunningPasses, ended: Result<WebhookId, JoinError>) {
    match ended {
        Ok(id) => running.end(id),
        // The panicked pass is unknown, so all are started again; leases prevent concurrent passes.
        Err(_) => *running = RunningPasses::new(MAX_CONCURRENT_PASSES as usize),
    }
}

/// Runs one pass of a subscription.
async fn run_pass(sender: Arc<Sender>, webhook: Webhook) -> WebhookId {
    let id = webhook.id;
    match send_batch(&sender, &webhook).await {
        Ok(true) => {}
        Ok(false) => tokio::time::sleep(IDLE_DELAY).await,
        Err(error) => {
            tracing::warn!(%error, webhook = id.get(), "webhook pass failed; retrying");
            // Delayed, because the database may be overloaded.
            tokio::time::sleep(TICK).await;
        }
    }
    id
}

/// Claims a batch, sends it and stores the results; false if there is no batch.
async fn send_batch(sender: &Arc<Sender>, webhook: &Webhook) -> Result<bool, HostError> {
    let app = &sender.app;
    let Some(batch) = app.store.take(&app.settings, webhook).await? else {
        return Ok(false);
    };
    let (started, url) = (Instant::now(), Arc::<str>::from(batch.url.as_str()));
    let can_start = || started.elapsed() <= pass_duration() && !sender.app.shutdown.is_cancelled();
    let post = |job| send_job(sender.clone(), url.clone(), job);
    let tried = webhooks::send(batch.lanes.clone(), can_start, post).await;
    for (_, _, response) in tried.iter().filter_map(|tried| tried.sent) {
        let counter = if response.is_success() {
            &app.metrics.delivered
        } else {
            &app.metrics.undelivered
        };
        counter.inc();
    }
    app.store
        .finish(&app.settings, &batch, tried)
        .await
        .map(|()| true)
}

/// Sends one message in a separate trace, because the request that caused it has ended.
async fn post(sender: &Sender, url: &str, job: &Job) -> AttemptResult {
    let tracer = sender.app.tracer.as_ref();
    let Some(mut span) =
        tracer.and_then(|tracer| tracer.root(&HeaderMap::new(), "webhook", SpanKind::Client))
    else {
        return send(sender, url, job, None).await;
    };
    span.set_attribute(
        "despacho.webhook",
        i64::try_from(job.message.webhook.get()).unwrap_or(i64::MAX),
    );
    let response = send(sender, url, job, span.context().header()).await;
    if let AttemptResult::Status(status) = response {
        span.set_attribute("http.response.status_code", i64::from(status));
    }
    span.end(!response.is_success());
    response
}

/// Sends one message by HTTP or as mail.
async fn send(
    sender: &Sender,
    url: &str,
    job: &Job,
    trace: Option<(&'static str, HeaderValue)>,
) -> AttemptResult {
    match &sender.mailer {
        Some(mailer) if url == MAIL_URL => mailer.send(job).await,
        _ => sender.client.post(url, job, trace).await,
    }
}

/// Sends one message and measures the request.
async fn send_job(sender: Arc<Sender>, url: Arc<str>, job: Job) -> Sent {
    let (at, started) = (sender.app.store.now(), Instant::now());
    let response = post(&sender, &url, &job).await;
    let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Sent {
        job,
        at,
        took_ms,
        response,
    }
}

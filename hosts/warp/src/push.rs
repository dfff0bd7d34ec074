//! Sends Web Push to couriers in the background. The core selects the pushes; this module sends the
//! requests.

use std::{sync::Arc, time::Duration};

use despacho_core::{
    drivers::push::{PushBatch, PushJob},
    model::webhook::{AttemptResult, SendError},
};
use futures_util::future::join_all;
use tokio::{task::JoinSet, time::MissedTickBehavior};

use crate::{app::App, webhooks::Client};

/// Time between two searches for due pushes. Assignments follow passes of dispatch, which are
/// seconds apart, so a search after each commit would be no faster.
const TICK: Duration = Duration::from_millis(500);
/// Maximum number of couriers whose pushes are sent at the same time. Each has at most 5 browsers.
const MAX_COURIERS: usize = 64;

/// Runs until the server shuts down, then waits at most `timeout` for open requests. Interrupted
/// pushes are sent again.
pub(crate) async fn run(app: Arc<App>, timeout: Duration) {
    if app.settings.push.sender().is_none() {
        return;
    }
    let client = match Client::new(&app.settings.webhooks) {
        Ok(client) => Arc::new(client),
        Err(error) => {
            tracing::error!(%error, "push client failed to start; couriers get no pushes");
            return;
        }
    };
    let shutdown = app.shutdown.clone();
    let mut sending: JoinSet<()> = JoinSet::new();
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = ticks.tick() => {}
            Some(_) = sending.join_next(), if !sending.is_empty() => {}
        }
        let free = u32::try_from(MAX_COURIERS.saturating_sub(sending.len())).unwrap_or(0);
        if free == 0 {
            continue;
        }
        match app.store.take_pushes(&app.settings, free).await {
            Ok((_, batches)) => {
                for batch in batches {
                    sending.spawn(send_batch(app.clone(), client.clone(), batch));
                }
            }
            Err(error) => tracing::warn!(%error, "search for due pushes failed; retrying"),
        }
    }
    let ending = async { while sending.join_next().await.is_some() {} };
    if tokio::time::timeout(timeout, ending).await.is_err() {
        tracing::warn!("shutdown timeout exceeded; interrupted pushes will be sent again");
    }
}

/// Sends a courier's pushes and stores the results.
async fn send_batch(app: Arc<App>, client: Arc<Client>, batch: PushBatch) {
    let results = join_all(batch.jobs.iter().map(|job| post(&client, job))).await;
    for result in &results {
        let counter = if result.is_success() {
            &app.metrics.pushed
        } else {
            &app.metrics.unpushed
        };
        counter.inc();
        if !result.is_success() {
            // Without the URL, which is a secret of the browser.
            tracing::debug!(
                status = result.status(),
                error = result.error(),
                "push was not accepted"
            );
        }
    }
    if let Err(error) = app.store.finish_pushes(&batch, &results).await {
        tracing::warn!(%error, "results of pushes not stored; they will be sent again");
    }
}

async fn post(client: &Client, job: &PushJob) -> AttemptResult {
    match job.request() {
        Ok(request) => client.send(request).await,
        Err(_) => AttemptResult::Failed(SendError::Broken),
    }
}

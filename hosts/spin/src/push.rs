//! Sends Web Push to couriers during a dispatch request, because a component has no background
//! tasks.

use std::time::Instant;

use despacho_core::{
    drivers::push::{self, PushJob},
    host::{Host, HostError},
    model::webhook::{AttemptResult, SendError},
    rules::{settings::Settings, webhooks::WebhookConfig},
};
use despacho_shell::webhooks::pass_duration;
use futures_util::future::join_all;

use crate::{database::Database, outbound::call};

/// Couriers whose pushes are sent at the same time. Each has at most 5 browsers.
const MAX_COURIERS: u32 = 16;

/// Sends due pushes until none is left or the time is over. The next request sends the rest.
pub(crate) async fn deliver<H: Host>(
    host: &H,
    database: &Database,
    settings: &Settings,
) -> Result<(), HostError> {
    let until = Instant::now() + pass_duration();
    while Instant::now() < until {
        let (found, batches) = push::take(host, settings, MAX_COURIERS).await?;
        // The request has one connection, which others can use while push services respond.
        database.release();
        let post = |job: &PushJob| post(job.clone(), settings.webhooks.clone());
        let results = join_all(
            batches
                .iter()
                .map(|batch| join_all(batch.jobs.iter().map(post))),
        )
        .await;
        for (batch, results) in batches.iter().zip(&results) {
            push::finish(host, batch, results).await?;
        }
        database.release();
        if found < MAX_COURIERS as usize {
            break;
        }
    }
    Ok(())
}

/// Sends one push and returns the result.
async fn post(job: PushJob, config: WebhookConfig) -> AttemptResult {
    match job.request() {
        Ok(request) => call(&job.endpoint, request, &config).await,
        Err(_) => AttemptResult::Failed(SendError::Broken),
    }
}

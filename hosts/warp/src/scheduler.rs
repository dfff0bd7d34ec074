//! The task that runs timed transitions and dispatch.
//!
//! Both start from stored data, so after a crash, a pause or a clock step the next pass only has
//! more work. Every instance on a shared database runs them: a transition is committed against the
//! version that was read, so it happens once.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use despacho_core::host::HostError;
use futures_util::FutureExt;
use tokio::time::{Instant, MissedTickBehavior};

use crate::app::App;

/// Time between two searches for due orders: the maximum delay of a timed transition.
const TICK: Duration = Duration::from_millis(500);
/// Maximum number of orders per batch. The next batch follows immediately.
const BATCH: u32 = 200;
/// Maximum number of batches per tick: orders that fail to change must not block dispatch.
const MAX_BATCHES: u32 = 50;
/// Time between two runs of the retention.
const RETENTION_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum number of passes per run; each processes up to 300 orders.
const MAX_RETENTION_PASSES: u32 = 50;
/// Maximum number of consecutive dispatch passes while orders remain.
const MAX_DISPATCH_PASSES: u32 = 10;

/// Runs until the server shuts down. After an error the next tick tries again.
pub async fn run(app: Arc<App>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let interval = Duration::from_secs(app.settings.dispatch.interval_seconds.max(1).into());
    let mut next_dispatch = Instant::now();
    let mut failed = false;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.shutdown.cancelled() => return,
        }
        // Uses the monotonic clock: a step of the system clock neither stops dispatch nor makes it
        // run continuously.
        let is_dispatch_due = Instant::now() >= next_dispatch;
        if is_dispatch_due {
            next_dispatch = Instant::now() + interval;
        }
        // A panic is a bug in the transition of one order; it must not stop the scheduler for all
        // others.
        let pass = AssertUnwindSafe(work(&app, is_dispatch_due))
            .catch_unwind()
            .await;
        failed = record_result(
            &app,
            pass.unwrap_or_else(|_| {
                Err(HostError::Internal {
                    detail: "the scheduler panicked".to_owned(),
                })
            }),
            failed,
        );
    }
}

/// Applies the retention of personal data until the server shuts down. It runs in a separate task
/// because orders must not wait for it.
pub async fn run_retention(app: Arc<App>) {
    loop {
        let passes = async {
            let mut erased = 0;
            for _ in 0..MAX_RETENTION_PASSES {
                let pass = app.store.retain(&app.settings).await?;
                erased += pass.orders;
                if !pass.more || app.shutdown.is_cancelled() {
                    break;
                }
            }
            Ok::<u32, HostError>(erased)
        };
        match AssertUnwindSafe(passes).catch_unwind().await {
            Ok(Ok(0)) => {}
            Ok(Ok(orders)) => tracing::info!(orders, "personal data erased by retention"),
            Ok(Err(error)) => {
                tracing::error!(%error, "retention of personal data failed; retried in a minute")
            }
            Err(_) => tracing::error!("retention of personal data panicked; retried in a minute"),
        }
        tokio::select! {
            () = tokio::time::sleep(RETENTION_INTERVAL) => {}
            () = app.shutdown.cancelled() => return,
        }
    }
}

/// Counts and logs the result of a tick, and returns whether it failed. Of consecutive failures
/// only the first is logged, and then the recovery.
fn record_result(app: &App, result: Result<(), HostError>, failed_before: bool) -> bool {
    match result {
        Ok(()) if failed_before => tracing::info!("timed transitions and dispatch recovered"),
        Ok(()) => {}
        Err(error) => {
            app.metrics.failed_passes.inc();
            if !failed_before {
                tracing::error!(%error, "timed transitions or dispatch failed; retrying");
            }
            return true;
        }
    }
    false
}

/// Runs the due transitions and then, if dispatch is due, allocates searching orders to free
/// couriers, even if a transition failed.
async fn work(app: &Arc<App>, is_dispatch_due: bool) -> Result<(), HostError> {
    let moved = move_due(app).await;
    if is_dispatch_due {
        dispatch(app).await?;
    }
    moved
}

async fn move_due(app: &Arc<App>) -> Result<(), HostError> {
    let mut total = 0;
    for _ in 0..MAX_BATCHES {
        if app.shutdown.is_cancelled() {
            return Ok(());
        }
        let moved = app.store.round(&app.settings, BATCH).await?;
        total += moved;
        app.metrics.moved.inc_by(u64::from(moved));
        if moved < BATCH {
            break;
        }
    }
    if total > 0 {
        tracing::debug!(moved = total, "timed transitions applied");
    }
    Ok(())
}

async fn dispatch(app: &Arc<App>) -> Result<(), HostError> {
    for _ in 0..MAX_DISPATCH_PASSES {
        if app.shutdown.is_cancelled() {
            return Ok(());
        }
        let pass = app.store.dispatch(&app.settings).await?;
        app.metrics.moved.inc_by(u64::from(pass.moved));
        app.metrics.allocated.inc_by(u64::from(pass.allocated));
        app.metrics.released.inc_by(u64::from(pass.released));
        if pass.allocated + pass.released > 0 {
            tracing::debug!(
                allocated = pass.allocated,
                released = pass.released,
                "dispatch pass completed"
            );
        }
        if !pass.more {
            break;
        }
    }
    Ok(())
}

//! The clock that drives timed transitions and dispatch.
//!
//! Both start from what is on disk, so that a crash, a pause or a step of the clock only makes the next round find more to do. Every
//! instance over one database runs them: a transition is committed against the version that was read, so that it happens once.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use despacho_core::host::HostError;
use futures_util::FutureExt;
use tokio::time::{Instant, MissedTickBehavior};

use crate::app::App;

/// How often it is asked what is due: orders move at most so much late.
const TICK: Duration = Duration::from_millis(500);
/// How many orders one round moves. What is left is moved by the next, at once.
const BATCH: u32 = 200;
/// How many rounds one tick runs at most, so that even orders that do not move as they should leave time for others.
const BATCHES: u32 = 50;
/// Time between two runs of the retention.
const RETENTION_INTERVAL: Duration = Duration::from_secs(60);
/// Passes of one run at most; each takes up to 300 orders.
const RETENTION_PASSES: u32 = 50;
/// How many rounds of dispatch follow each other at most where each leaves more to do.
const ROUNDS: u32 = 10;

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
        // The clock that cannot be set decides when: a step of the other one neither stops dispatch nor makes it run wild.
        let dispatches = Instant::now() >= next_dispatch;
        if dispatches {
            next_dispatch = Instant::now() + interval;
        }
        // A panic is a bug of one order's transition; it must not stop the clock for all others for good.
        let round = AssertUnwindSafe(work(&app, dispatches)).catch_unwind().await;
        failed = noted(
            &app,
            round.unwrap_or_else(|_| Err(HostError::Internal { detail: "it panicked".to_owned() })),
            failed,
        );
    }
}

/// Applies the retention of personal data until the server shuts down. It has a task of its own, so that no order waits for it.
pub async fn run_retention(app: Arc<App>) {
    loop {
        let passes = async {
            let mut erased = 0;
            for _ in 0..RETENTION_PASSES {
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
            Ok(Err(error)) => tracing::error!(%error, "retention of personal data failed; retried in a minute"),
            Err(_) => tracing::error!("retention of personal data panicked; retried in a minute"),
        }
        tokio::select! {
            () = tokio::time::sleep(RETENTION_INTERVAL) => {}
            () = app.shutdown.cancelled() => return,
        }
    }
}

/// Counts and logs how a tick ended, and says whether it failed. The first fault of a row is logged, and the recovery.
fn noted(app: &App, round: Result<(), HostError>, failed_before: bool) -> bool {
    match round {
        Ok(()) if failed_before => tracing::info!("timed transitions and dispatch work again"),
        Ok(()) => {}
        Err(error) => {
            app.metrics.failed_rounds.inc();
            if !failed_before {
                tracing::error!(%error, "timed transitions or dispatch failed and are tried again");
            }
            return true;
        }
    }
    false
}

/// Moves everything that is due and, where it is time for it, gives searching orders to free couriers, even if an order could not be
/// moved on.
async fn work(app: &Arc<App>, dispatches: bool) -> Result<(), HostError> {
    let moved = move_due(app).await;
    if dispatches {
        dispatch(app).await?;
    }
    moved
}

async fn move_due(app: &Arc<App>) -> Result<(), HostError> {
    let mut total = 0;
    for _ in 0..BATCHES {
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
        tracing::debug!(moved = total, "timed transitions");
    }
    Ok(())
}

async fn dispatch(app: &Arc<App>) -> Result<(), HostError> {
    for _ in 0..ROUNDS {
        if app.shutdown.is_cancelled() {
            return Ok(());
        }
        let round = app.store.dispatch(&app.settings).await?;
        app.metrics.moved.inc_by(u64::from(round.moved));
        app.metrics.allocated.inc_by(u64::from(round.allocated));
        app.metrics.released.inc_by(u64::from(round.released));
        if round.allocated + round.released > 0 {
            tracing::debug!(allocated = round.allocated, released = round.released, "dispatch");
        }
        if !round.more {
            break;
        }
    }
    Ok(())
}

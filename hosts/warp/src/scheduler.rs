//! The clock that drives timed transitions.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::{sync::watch, time::MissedTickBehavior};

use crate::app::App;

/// How often it is asked what is due: orders move at most so much late.
const TICK: Duration = Duration::from_millis(500);
/// How many orders one round moves. What is left is moved by the next, at once.
const BATCH: u32 = 200;
/// How many rounds one tick runs at most, so that even orders that do not move as they should leave time for others.
const BATCHES: u32 = 50;

/// Runs until `stop` says true. A fault is logged and the next tick tries again.
pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut failed = false;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        // A panic is a bug of one order's transition; it must not stop the clock for all others for good.
        failed = AssertUnwindSafe(catch_up(&app, &stop, failed)).catch_unwind().await.unwrap_or_else(|_| {
            app.metrics.failed_rounds.inc();
            true
        });
    }
}

/// Moves everything that is due, and says whether that failed. The first fault of a row is logged, and the recovery.
async fn catch_up(app: &Arc<App>, stop: &watch::Receiver<bool>, failed: bool) -> bool {
    let mut total = 0;
    for _ in 0..BATCHES {
        if *stop.borrow() {
            break;
        }
        match app.store.round(&app.settings, BATCH).await {
            Ok(moved) => {
                total += moved;
                app.metrics.moved.inc_by(u64::from(moved));
                if moved < BATCH {
                    break;
                }
            }
            Err(fault) => {
                app.metrics.failed_rounds.inc();
                if !failed {
                    tracing::error!(%fault, "timed transitions failed and are tried again");
                }
                return true;
            }
        }
    }
    if failed {
        tracing::info!("timed transitions work again");
    }
    if total > 0 {
        tracing::debug!(moved = total, "timed transitions");
    }
    false
}

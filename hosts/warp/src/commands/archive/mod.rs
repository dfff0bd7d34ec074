//! `despacho archive`: histories of orders that ended long ago, from the database to files.
//!
//! A file is whole, flushed and in its folder before the first row of it goes. What is interrupted in between is written again by the next
//! run, to another file: a record may stand in two files, and none in neither.

mod file;

use std::{
    path::Path,
    time::{Duration as Span, Instant, SystemTime, UNIX_EPOCH},
};

use despacho_core::{
    host::HostError,
    model::{Duration, Timestamp},
};
use despacho_postgres::Postgres;
use despacho_sql::{Driver, EndedOrder, OrderHistory, Readers, delete_archived, ended_orders};

use self::file::Draft;
use super::{failure::Failure, load::load_service};
use crate::{cli::ArchiveRun, config::Database, server::print, store};

pub(super) use self::file::show;

/// Orders in one file, which bounds the memory; the last window may exceed it.
const ORDERS_IN_A_FILE: usize = 100_000;
/// Orders that one transaction removes.
const AT_ONCE: usize = 50;
/// Attempts while the database is busy, and the pause between two.
const MAX_ATTEMPTS: u32 = 5;
const WAIT: Span = Span::from_millis(500);
/// Days that must have passed since an order's last event: webhooks are tried again for three, idempotency keys hold for one.
const FEWEST_DAYS: i64 = 7;

/// What a run has found and done.
#[derive(Default)]
struct Tally {
    orders: u64,
    events: u64,
    bytes: u64,
    changed: u64,
    awaited: u64,
    awaited_by: Option<u64>,
    files: u32,
}

/// Archives, or counts what would be.
pub(super) async fn archive(run: &ArchiveRun) -> Result<(), Failure> {
    let config = load_service(&run.given)?.config;
    let now = now();
    let before = limit(run, now)?;
    let folder = match (&run.to, run.dry_run) {
        (_, true) => None,
        (Some(folder), false) if folder.is_dir() => Some(folder.as_path()),
        (Some(folder), false) => return Err(Failure::Usage(format!("--to: there is no folder {}", folder.display()))),
        (None, false) => return Err(Failure::Usage("--to must name a folder, or --dry-run be given".to_owned())),
    };
    let tally = match &config.database {
        Database::Sqlite => {
            let database = store::open_file(&config, false).await?;
            let done = archive_from(&database, before, now, folder).await;
            database.close().await.map_err(|error| error.to_string())?;
            done?
        }
        Database::Postgres(address) => {
            let options = despacho_postgres::Options { connections: 2, migrate: false, ..Default::default() };
            let opened = Postgres::open(address, &options).await;
            let database = opened.map_err(|error| format!("the database cannot be opened: {error}"))?;
            let done = archive_from(&database, before, now, folder).await;
            database.close().await.map_err(|error| error.to_string())?;
            done?
        }
    };
    Ok(print(&summary(&tally, before, folder))?)
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Since when an order must rest.
fn limit(run: &ArchiveRun, now: Timestamp) -> Result<Timestamp, Failure> {
    let days = |days: i64| now.before(Duration::minutes(days.saturating_mul(24 * 60)));
    let before = match (run.before, run.older_than) {
        (Some(before), _) => before,
        (None, Some(older)) => days(older.into()),
        (None, None) => return Err(Failure::Usage("--before or --older-than must say what is old".to_owned())),
    };
    if before > days(FEWEST_DAYS) {
        let text = format!("what happened in the last {FEWEST_DAYS} days stays: webhooks may still be sent");
        return Err(Failure::Usage(text));
    }
    Ok(before)
}

/// Reads every window of ended orders, and writes and removes their histories file by file.
async fn archive_from<D: Driver>(
    driver: &D,
    before: Timestamp,
    now: Timestamp,
    folder: Option<&Path>,
) -> Result<Tally, Failure> {
    let (mut tally, mut next) = (Tally::default(), Some(0));
    let readers = retry_if_busy(async || Readers::of(driver).await).await?;
    let mut batch = Batch::default();
    while let Some(after) = next {
        let found = retry_if_busy(async || ended_orders(driver, &readers, after, before).await).await?;
        next = found.next;
        for order in &found.orders {
            let is_ready = tally.count(order);
            if let Some(folder) = folder.filter(|_| is_ready) {
                batch.add(order, folder, now)?;
            }
        }
        if next.is_none() || batch.leaves.len() >= ORDERS_IN_A_FILE {
            std::mem::take(&mut batch).finish(driver, &mut tally).await?;
        }
    }
    Ok(tally)
}

/// The orders of one file, with the file once there is an order.
#[derive(Default)]
struct Batch {
    draft: Option<Draft>,
    leaves: Vec<OrderHistory>,
}

impl Batch {
    fn add(&mut self, order: &EndedOrder, folder: &Path, now: Timestamp) -> Result<(), Failure> {
        let draft = match &mut self.draft {
            Some(draft) => draft,
            none => none.insert(Draft::begin(folder, now)?),
        };
        draft.add(&order.record)?;
        self.leaves.push(order.history);
        Ok(())
    }

    /// Flushes the file, and only then removes its orders' histories from the database.
    async fn finish<D: Driver>(self, driver: &D, tally: &mut Tally) -> Result<(), Failure> {
        let Some(draft) = self.draft else { return Ok(()) };
        let (path, bytes) = draft.seal()?;
        tally.files += 1;
        print(&format!("{}: {} orders, {bytes} bytes, written and flushed", path.display(), self.leaves.len()))?;
        remove(driver, &self.leaves, tally).await
    }
}

impl Tally {
    /// Counts an order, and returns whether it can be archived: every webhook has received its events.
    fn count(&mut self, order: &EndedOrder) -> bool {
        if order.awaited_by.is_some() {
            self.awaited += 1;
            self.awaited_by = self.awaited_by.or(order.awaited_by);
            return false;
        }
        self.orders += 1;
        self.events += u64::try_from(order.history.events).unwrap_or(0);
        self.bytes += order.record.len() as u64;
        true
    }
}

/// Removes histories in small transactions, and pauses after each for as long as it took: half of the writer's time is left to requests.
async fn remove<D: Driver>(driver: &D, leaves: &[OrderHistory], tally: &mut Tally) -> Result<(), Failure> {
    for leaves in leaves.chunks(AT_ONCE) {
        let begun = Instant::now();
        if !transact(driver, leaves).await? {
            for leaf in leaves {
                if !transact(driver, std::slice::from_ref(leaf)).await? {
                    tally.changed += 1;
                }
            }
        }
        tokio::time::sleep(begun.elapsed().clamp(Span::from_millis(1), WAIT)).await;
    }
    Ok(())
}

/// Returns whether the histories were removed; false if an order has changed.
async fn transact<D: Driver>(driver: &D, leaves: &[OrderHistory]) -> Result<bool, Failure> {
    retry_if_busy(async || match driver.transact(delete_archived(leaves)).await {
        Err(HostError::Conflict) => Ok(false),
        done => done.map(|()| true),
    })
    .await
}

/// Repeats an operation while the database is busy.
async fn retry_if_busy<T>(mut run: impl AsyncFnMut() -> Result<T, HostError>) -> Result<T, Failure> {
    let mut attempt = 1;
    loop {
        match run().await {
            Err(HostError::Unavailable { .. } | HostError::Timeout { .. }) if attempt < MAX_ATTEMPTS => attempt += 1,
            result => return result.map_err(|error| Failure::Failed(error.to_string())),
        }
        tokio::time::sleep(WAIT).await;
    }
}

fn summary(tally: &Tally, before: Timestamp, folder: Option<&Path>) -> String {
    let Tally { orders, events, bytes, changed, awaited, awaited_by, files } = tally;
    let what = format!("{orders} orders that rest since {before} with {events} events ({bytes} bytes of records)");
    let mut lines = vec![match folder {
        None => format!("{what} would be archived; nothing was changed"),
        Some(_) if *files == 0 => "nothing is old enough; no file was written".to_owned(),
        Some(folder) => format!("{what} are in {files} files in {} and no longer in the database", folder.display()),
    }];
    if *changed > 0 {
        lines.push(format!("{changed} of them changed meanwhile and stay in the database"));
    }
    if let Some(webhook) = awaited_by {
        lines.push(format!(
            "{awaited} orders stay: events of them are still to be sent, by webhook {webhook} among others"
        ));
    }
    lines.join("\n")
}

//! `despacho archive`: moves the histories of old ended orders from the database to files.
//!
//! A file is complete, flushed and in its folder before its first row is deleted. After an
//! interruption the next run writes the remaining orders to another file: a record may be in two
//! files, but never in none.

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
use super::{error::CommandError, load::load_service};
use crate::{cli::ArchiveRun, config::Database, server::print, store};

pub(super) use self::file::show;

/// Orders per file, which bounds the memory. The last window may exceed it.
const MAX_FILE_ORDERS: usize = 100_000;
/// Orders per deleting transaction.
const MAX_TRANSACTION_ORDERS: usize = 50;
/// Attempts while the database is busy, and the pause between two.
const MAX_ATTEMPTS: u32 = 5;
const RETRY_DELAY: Span = Span::from_millis(500);
/// Minimum age of an order's last event, in days: webhooks are retried for three days, idempotency
/// keys are valid for one.
const MIN_AGE_DAYS: i64 = 7;

/// The counts of a run.
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

/// Archives orders, or only counts them.
pub(super) async fn archive(run: &ArchiveRun) -> Result<(), CommandError> {
    let config = load_service(&run.overrides)?.config;
    let now = now();
    let before = limit(run, now)?;
    let folder = match (&run.to, run.dry_run) {
        (_, true) => None,
        (Some(folder), false) if folder.is_dir() => Some(folder.as_path()),
        (Some(folder), false) => {
            return Err(CommandError::Usage(format!(
                "--to: folder not found: {}",
                folder.display()
            )));
        }
        (None, false) => {
            return Err(CommandError::Usage(
                "--to must name a folder unless --dry-run is given".to_owned(),
            ));
        }
    };
    let tally = match &config.database {
        Database::Sqlite => {
            let database = store::open_file(&config, false).await?;
            let done = archive_from(&database, before, now, folder).await;
            database.close().await.map_err(|error| error.to_string())?;
            done?
        }
        Database::Postgres(address) => {
            let options = despacho_postgres::Options {
                connections: 2,
                migrate: false,
                ..Default::default()
            };
            let opened = Postgres::open(address, &options).await;
            let database = opened.map_err(|error| format!("cannot open the database: {error}"))?;
            let done = archive_from(&database, before, now, folder).await;
            database.close().await.map_err(|error| error.to_string())?;
            done?
        }
    };
    Ok(print(&summary(&tally, before, folder))?)
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Returns the time before which the last event of an order must be.
fn limit(run: &ArchiveRun, now: Timestamp) -> Result<Timestamp, CommandError> {
    let days = |days: i64| now.before(Duration::minutes(days.saturating_mul(24 * 60)));
    let before = match (run.before, run.older_than) {
        (Some(before), _) => before,
        (None, Some(older)) => days(older.into()),
        (None, None) => {
            return Err(CommandError::Usage(
                "give --before or --older-than".to_owned(),
            ));
        }
    };
    if before > days(MIN_AGE_DAYS) {
        let text = format!(
            "orders of the last {MIN_AGE_DAYS} days cannot be archived: webhooks may still be sent"
        );
        return Err(CommandError::Usage(text));
    }
    Ok(before)
}

/// Reads every window of ended orders, and writes and removes their histories file by file.
async fn archive_from<D: Driver>(
    driver: &D,
    before: Timestamp,
    now: Timestamp,
    folder: Option<&Path>,
) -> Result<Tally, CommandError> {
    let (mut tally, mut next) = (Tally::default(), Some(0));
    let readers = retry_if_busy(async || Readers::of(driver).await).await?;
    let mut batch = Batch::default();
    while let Some(after) = next {
        let found =
            retry_if_busy(async || ended_orders(driver, &readers, after, before).await).await?;
        next = found.next;
        for order in &found.orders {
            let is_ready = tally.count(order);
            if let Some(folder) = folder.filter(|_| is_ready) {
                batch.add(order, folder, now)?;
            }
        }
        if next.is_none() || batch.histories.len() >= MAX_FILE_ORDERS {
            std::mem::take(&mut batch)
                .finish(driver, &mut tally)
                .await?;
        }
    }
    Ok(tally)
}

/// The orders of one file. The file is created with the first order.
#[derive(Default)]
struct Batch {
    draft: Option<Draft>,
    histories: Vec<OrderHistory>,
}

impl Batch {
    fn add(
        &mut self,
        order: &EndedOrder,
        folder: &Path,
        now: Timestamp,
    ) -> Result<(), CommandError> {
        let draft = match &mut self.draft {
            Some(draft) => draft,
            none => none.insert(Draft::begin(folder, now)?),
        };
        draft.add(&order.record)?;
        self.histories.push(order.history);
        Ok(())
    }

    /// Flushes the file, and only then removes its orders' histories from the database.
    async fn finish<D: Driver>(self, driver: &D, tally: &mut Tally) -> Result<(), CommandError> {
        let Some(draft) = self.draft else {
            return Ok(());
        };
        let (path, bytes) = draft.seal()?;
        tally.files += 1;
        print(&format!(
            "{}: {} orders, {bytes} bytes, written and flushed",
            path.display(),
            self.histories.len()
        ))?;
        remove(driver, &self.histories, tally).await
    }
}

impl Tally {
    /// Counts an order, and returns whether it can be archived: every webhook has received its
    /// events.
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

/// Deletes histories in small transactions, and pauses after each for as long as it took. This
/// leaves half of the writer's time to requests.
async fn remove<D: Driver>(
    driver: &D,
    histories: &[OrderHistory],
    tally: &mut Tally,
) -> Result<(), CommandError> {
    for histories in histories.chunks(MAX_TRANSACTION_ORDERS) {
        let begun = Instant::now();
        if !transact(driver, histories).await? {
            for history in histories {
                if !transact(driver, std::slice::from_ref(history)).await? {
                    tally.changed += 1;
                }
            }
        }
        tokio::time::sleep(begun.elapsed().clamp(Span::from_millis(1), RETRY_DELAY)).await;
    }
    Ok(())
}

/// Deletes histories in one transaction. Returns false if an order has changed.
async fn transact<D: Driver>(driver: &D, histories: &[OrderHistory]) -> Result<bool, CommandError> {
    retry_if_busy(
        async || match driver.transact(delete_archived(histories)).await {
            Err(HostError::Conflict) => Ok(false),
            done => done.map(|()| true),
        },
    )
    .await
}

/// Repeats an operation while the database is busy.
async fn retry_if_busy<T>(
    mut run: impl AsyncFnMut() -> Result<T, HostError>,
) -> Result<T, CommandError> {
    let mut attempt = 1;
    loop {
        match run().await {
            Err(HostError::Unavailable { .. } | HostError::Timeout { .. })
                if attempt < MAX_ATTEMPTS =>
            {
                attempt += 1
            }
            result => return result.map_err(|error| CommandError::Failed(error.to_string())),
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

fn summary(tally: &Tally, before: Timestamp, folder: Option<&Path>) -> String {
    let Tally {
        orders,
        events,
        bytes,
        changed,
        awaited,
        awaited_by,
        files,
    } = tally;
    let summary = format!(
        "{orders} orders without events since {before}, with {events} events ({bytes} bytes of records)"
    );
    let mut lines = vec![match folder {
        None => format!("{summary} would be archived; nothing was changed"),
        Some(_) if *files == 0 => "no order is old enough; no file was written".to_owned(),
        Some(folder) => format!(
            "moved {summary} from the database to {files} files in {}",
            folder.display()
        ),
    }];
    if *changed > 0 {
        lines.push(format!(
            "{changed} of them changed during the run and remain in the database"
        ));
    }
    if let Some(webhook) = awaited_by {
        lines.push(format!(
            "{awaited} orders remain: some of their events are not sent yet, among others by webhook {webhook}"
        ));
    }
    lines.join("\n")
}

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
    domain::{Duration, Timestamp},
    host::HostError,
};
use despacho_postgres::Postgres;
use despacho_sql::{Driver, EndedOrder, Leaf, Readers, ended_orders, take_out};

use self::file::Draft;
use super::{Failure, load_service};
use crate::{cli::ArchiveRun, config::Database, server::print, store};

pub(super) use self::file::show;

/// Orders in one file at most: what is remembered of each until it is taken out bounds the memory.
const ORDERS_IN_A_FILE: usize = 100_000;
/// Orders that one transaction takes out.
const AT_ONCE: usize = 50;
/// How often a database that is busy is asked again, and after how long.
const TRIES: u32 = 5;
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
    Ok(print(&told(&tally, before, folder))?)
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

async fn archive_from<D: Driver>(
    driver: &D,
    before: Timestamp,
    now: Timestamp,
    folder: Option<&Path>,
) -> Result<Tally, Failure> {
    let (mut tally, mut next) = (Tally::default(), Some(0));
    let readers = patiently(async || Readers::of(driver).await).await?;
    while next.is_some() {
        let (mut draft, mut leaves) = (None, Vec::new());
        while let Some(after) = next.filter(|_| leaves.len() < ORDERS_IN_A_FILE) {
            let found = patiently(async || ended_orders(driver, &readers, after, before).await).await?;
            next = found.next;
            for order in &found.orders {
                if order.awaited_by.is_some() {
                    tally.awaited += 1;
                    tally.awaited_by = tally.awaited_by.or(order.awaited_by);
                    continue;
                }
                tally.count(order);
                if let Some(folder) = folder {
                    let draft = match &mut draft {
                        Some(draft) => draft,
                        none => none.insert(Draft::begin(folder, now)?),
                    };
                    draft.add(&order.record)?;
                    leaves.push(order.leaf);
                }
            }
        }
        if let Some(draft) = draft {
            let (path, bytes) = draft.seal()?;
            tally.files += 1;
            print(&format!("{}: {} orders, {bytes} bytes, written and flushed", path.display(), leaves.len()))?;
            remove(driver, &leaves, &mut tally).await?;
        }
    }
    Ok(tally)
}

impl Tally {
    fn count(&mut self, order: &EndedOrder) {
        self.orders += 1;
        self.events += u64::try_from(order.leaf.events).unwrap_or(0);
        self.bytes += order.record.len() as u64;
    }
}

/// Takes histories out, a few at once, and rests after each transaction as long as it took: half of the writer's time is for those who
/// serve.
async fn remove<D: Driver>(driver: &D, leaves: &[Leaf], tally: &mut Tally) -> Result<(), Failure> {
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

/// Whether it was done; not where an order has changed since.
async fn transact<D: Driver>(driver: &D, leaves: &[Leaf]) -> Result<bool, Failure> {
    patiently(async || match driver.transact(take_out(leaves)).await {
        Err(HostError::Conflict) => Ok(false),
        done => done.map(|()| true),
    })
    .await
}

/// Asks again where the database is too busy.
async fn patiently<T>(mut ask: impl AsyncFnMut() -> Result<T, HostError>) -> Result<T, Failure> {
    let mut asked = 1;
    loop {
        match ask().await {
            Err(HostError::Unavailable { .. } | HostError::Timeout { .. }) if asked < TRIES => asked += 1,
            answer => return answer.map_err(|error| Failure::Failed(error.to_string())),
        }
        tokio::time::sleep(WAIT).await;
    }
}

fn told(tally: &Tally, before: Timestamp, folder: Option<&Path>) -> String {
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

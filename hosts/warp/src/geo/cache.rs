//! Geocoders' answers, kept over restarts in a file of their own: losing it costs questions, nothing else.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use despacho_core::model::{Located, Point, Precision};
use despacho_geo::CachedResult;
use rusqlite::{Connection, OptionalExtension, params};

use crate::private;

/// Layout of the table; a file of another one is emptied.
const VERSION: i64 = 1;
/// How long it is kept that nothing was found: streets get built and mapped.
const NOTHING: Duration = Duration::from_secs(24 * 3_600);
/// Answers between two rounds of cleaning.
const ROUND: u32 = 256;
/// For a lock that another process holds.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The file. Addresses are in it as hashes alone.
pub(super) struct Cache {
    connection: Mutex<Connection>,
    keep: Duration,
    max: u32,
    /// Answers since the last cleaning.
    fresh: Mutex<u32>,
}

impl Cache {
    /// Opens the file, made where it is missing and made anew where it is damaged.
    ///
    /// # Errors
    /// That it can neither be opened nor made.
    pub(super) fn open(file: &Path, keep: Duration, max: u32) -> Result<Cache, String> {
        let opened = connect(file).or_else(|error| {
            tracing::warn!(file = %file.display(), %error, "the geocoders' answers cannot be read and are asked for again");
            for ending in ["", "-wal", "-shm"] {
                let mut name = file.as_os_str().to_owned();
                name.push(ending);
                // What is not there need not go.
                let _ = std::fs::remove_file(name);
            }
            connect(file)
        });
        let connection = opened.map_err(|error| format!("{} cannot be opened: {error}", file.display()))?;
        Ok(Cache { connection: Mutex::new(connection), keep, max, fresh: Mutex::new(0) })
    }

    /// What is kept for a question, unless its time is over.
    pub(super) fn get(&self, request: &str) -> rusqlite::Result<Option<CachedResult>> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT precision, lat_e7, lon_e7, radius_m FROM answers WHERE question = ?1 AND until > ?2",
        )?;
        let row = statement.query_row(params![request, now()], |row| {
            let level: Option<String> = row.get(0)?;
            let point = Point { lat_e7: row.get(1)?, lon_e7: row.get(2)? };
            let (precision, radius_m) = (level.as_deref().and_then(Precision::parse), row.get(3)?);
            Ok(precision.map(|precision| Located { point, precision, radius_m }))
        });
        row.optional()
    }

    /// Keeps an answer, and from time to time drops what is old, or too much.
    pub(super) fn put(&self, request: &str, kept: &CachedResult) -> rusqlite::Result<()> {
        let keep = if kept.is_some() { self.keep } else { NOTHING.min(self.keep) };
        let until = now().saturating_add(i64::try_from(keep.as_secs()).unwrap_or(i64::MAX));
        let connection = self.lock();
        let point = kept.map_or(Point { lat_e7: 0, lon_e7: 0 }, |located| located.point);
        connection.prepare_cached("INSERT OR REPLACE INTO answers VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(
            params![
                request,
                kept.map(|located| located.precision.name()),
                point.lat_e7,
                point.lon_e7,
                kept.map_or(0, |located| located.radius_m),
                until,
            ],
        )?;
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        *fresh += 1;
        if *fresh >= ROUND.min(self.max) {
            *fresh = 0;
            clean(&connection, self.max)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    private::create(file).map_err(|_| rusqlite::Error::InvalidPath(file.to_owned()))?;
    let connection = Connection::open(file)?;
    connection.busy_timeout(TIMEOUT)?;
    // A crash may lose the last answers, never the file.
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != VERSION {
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             DROP TABLE IF EXISTS answers;
             CREATE TABLE answers (question TEXT PRIMARY KEY, precision TEXT, lat_e7 INTEGER NOT NULL, lon_e7 INTEGER NOT NULL,
                 radius_m INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;
             CREATE INDEX answers_until ON answers (until);
             PRAGMA user_version = {VERSION};
             COMMIT;"
        ))?;
    }
    connection.query_row("SELECT count(*) FROM (SELECT 1 FROM answers LIMIT 1)", [], |_| Ok(()))?;
    Ok(connection)
}

/// Drops answers whose time is over, then those that end first, down to nine tenths of the limit.
fn clean(connection: &Connection, max: u32) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM answers WHERE until <= ?1")?.execute([now()])?;
    let there: i64 = connection.prepare_cached("SELECT count(*) FROM answers")?.query_row([], |row| row.get(0))?;
    if there > i64::from(max) {
        let surplus = there - i64::from(max) * 9 / 10;
        connection
            .prepare_cached(
                "DELETE FROM answers WHERE question IN (SELECT question FROM answers ORDER BY until LIMIT ?1)",
            )?
            .execute([surplus])?;
    }
    Ok(())
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3_600);

    fn place() -> Located {
        Located {
            point: Point { lat_e7: -235_625_917, lon_e7: -466_420_750 },
            precision: Precision::Number,
            radius_m: 20,
        }
    }

    #[test]
    fn answers_outlive_the_process_until_their_time_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("geocoder.db");
        let cache = Cache::open(&file, DAY, 1_000).unwrap();
        cache.put("found", &Some(place())).unwrap();
        cache.put("nothing", &None).unwrap();
        drop(cache);
        let cache = Cache::open(&file, Duration::ZERO, 1_000).unwrap();
        assert_eq!(cache.get("found").unwrap(), Some(Some(place())));
        assert_eq!(cache.get("nothing").unwrap(), Some(None));
        assert_eq!(cache.get("never asked").unwrap(), None);
        cache.put("found", &Some(place())).unwrap();
        assert_eq!(cache.get("found").unwrap(), None, "kept for no time at all");
    }

    #[test]
    fn it_stays_within_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("geocoder.db"), DAY, 20).unwrap();
        for number in 0..100 {
            cache.put(&number.to_string(), &Some(place())).unwrap();
        }
        let there: i64 = cache.lock().query_row("SELECT count(*) FROM answers", [], |row| row.get(0)).unwrap();
        assert!((1..=40).contains(&there), "{there}");
    }

    #[test]
    fn a_damaged_file_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("geocoder.db");
        std::fs::write(&file, "this is no database, and long enough that SQLite looks at it. ".repeat(40)).unwrap();
        let cache = Cache::open(&file, DAY, 20).unwrap();
        cache.put("a", &None).unwrap();
        assert_eq!(cache.get("a").unwrap(), Some(None));
    }
}

//! The cache of geocoder results, in a separate file that survives restarts. If it is lost,
//! geocoders are queried again.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use despacho_core::model::{Located, Point, Precision};
use despacho_geo::CachedResult;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{error::StartError, private};

/// Version of the table's layout. A file with another version is emptied.
const VERSION: i64 = 1;
/// How long an empty result is cached: new streets are built and mapped.
const NOT_FOUND_TTL: Duration = Duration::from_secs(24 * 3_600);
/// Insertions between two cleanups.
const CLEANUP_INTERVAL: u32 = 256;
/// Timeout for a lock that another process holds.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The cache file. It contains addresses only as hashes.
pub(super) struct Cache {
    connection: Mutex<Connection>,
    ttl: Duration,
    max: u32,
    /// Insertions since the last cleanup.
    added: Mutex<u32>,
}

impl Cache {
    /// Opens the file. A missing file is created, a damaged one is replaced.
    ///
    /// # Errors
    /// The file can be neither opened nor created.
    pub(super) fn open(file: &Path, ttl: Duration, max: u32) -> Result<Cache, StartError> {
        let opened = connect(file).or_else(|error| {
            tracing::warn!(file = %file.display(), %error, "geocoder cache is damaged; replacing it");
            for ending in ["", "-wal", "-shm"] {
                let mut name = file.as_os_str().to_owned();
                name.push(ending);
                // Some of these files may not exist.
                let _ = std::fs::remove_file(name);
            }
            connect(file)
        });
        let connection = opened.map_err(|error| StartError::GeocoderCache {
            file: file.to_owned(),
            error,
        })?;
        Ok(Cache {
            connection: Mutex::new(connection),
            ttl,
            max,
            added: Mutex::new(0),
        })
    }

    /// Returns the cached result of a request unless it has expired.
    pub(super) fn get(&self, request: &str) -> rusqlite::Result<Option<CachedResult>> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT precision, lat_e7, lon_e7, radius_m FROM results WHERE request = ?1 AND until > ?2",
        )?;
        let row = statement.query_row(params![request, now()], |row| {
            let level: Option<String> = row.get(0)?;
            let point = Point {
                lat_e7: row.get(1)?,
                lon_e7: row.get(2)?,
            };
            let (precision, radius_m) = (level.as_deref().and_then(Precision::parse), row.get(3)?);
            Ok(precision.map(|precision| Located {
                point,
                precision,
                radius_m,
            }))
        });
        row.optional()
    }

    /// Stores a result, and periodically deletes expired and surplus ones.
    pub(super) fn put(&self, request: &str, kept: &CachedResult) -> rusqlite::Result<()> {
        let ttl = if kept.is_some() {
            self.ttl
        } else {
            NOT_FOUND_TTL.min(self.ttl)
        };
        let until = now().saturating_add(i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX));
        let connection = self.lock();
        let point = kept.map_or(
            Point {
                lat_e7: 0,
                lon_e7: 0,
            },
            |located| located.point,
        );
        connection
            .prepare_cached("INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                request,
                kept.map(|located| located.precision.name()),
                point.lat_e7,
                point.lon_e7,
                kept.map_or(0, |located| located.radius_m),
                until,
            ])?;
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        *added += 1;
        if *added >= CLEANUP_INTERVAL.min(self.max) {
            *added = 0;
            clean(&connection, self.max)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    private::create(file).map_err(|_| rusqlite::Error::InvalidPath(file.to_owned()))?;
    let connection = Connection::open(file)?;
    connection.busy_timeout(TIMEOUT)?;
    // A crash may lose the last results but does not damage the file.
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != VERSION {
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             DROP TABLE IF EXISTS results;
             CREATE TABLE results (request TEXT PRIMARY KEY, precision TEXT, lat_e7 INTEGER NOT NULL, lon_e7 INTEGER NOT NULL,
                 radius_m INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;
             CREATE INDEX results_until ON results (until);
             PRAGMA user_version = {VERSION};
             COMMIT;"
            ))?;
    }
    connection.query_row(
        "SELECT count(*) FROM (SELECT 1 FROM results LIMIT 1)",
        [],
        |_| Ok(()),
    )?;
    Ok(connection)
}

/// Deletes expired results. Above the limit, also deletes those that expire first, down to nine
/// tenths of the limit.
fn clean(connection: &Connection, max: u32) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM results WHERE until <= ?1")?
        .execute([now()])?;
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM results")?
        .query_row([], |row| row.get(0))?;
    if count > i64::from(max) {
        let surplus = count - i64::from(max) * 9 / 10;
        connection
            .prepare_cached(
                "DELETE FROM results WHERE request IN (SELECT request FROM results ORDER BY until LIMIT ?1)",
            )?
            .execute([surplus])?;
    }
    Ok(())
}

/// Returns the Unix time in seconds.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3_600);

    fn location() -> Located {
        Located {
            point: Point {
                lat_e7: -235_625_917,
                lon_e7: -466_420_750,
            },
            precision: Precision::Number,
            radius_m: 20,
        }
    }

    #[test]
    fn results_survive_a_restart_until_they_expire() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("geocoder.db");
        let cache = Cache::open(&file, DAY, 1_000).unwrap();
        cache.put("found", &Some(location())).unwrap();
        cache.put("nothing", &None).unwrap();
        drop(cache);
        let cache = Cache::open(&file, Duration::ZERO, 1_000).unwrap();
        assert_eq!(cache.get("found").unwrap(), Some(Some(location())));
        assert_eq!(cache.get("nothing").unwrap(), Some(None));
        assert_eq!(cache.get("never requested").unwrap(), None);
        cache.put("found", &Some(location())).unwrap();
        assert_eq!(
            cache.get("found").unwrap(),
            None,
            "a TTL of zero expires at once"
        );
    }

    #[test]
    fn cache_size_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("geocoder.db"), DAY, 20).unwrap();
        for number in 0..100 {
            cache.put(&number.to_string(), &Some(location())).unwrap();
        }
        let count: i64 = cache
            .lock()
            .query_row("SELECT count(*) FROM results", [], |row| row.get(0))
            .unwrap();
        assert!((1..=40).contains(&count), "{count}");
    }

    #[test]
    fn damaged_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("geocoder.db");
        std::fs::write(
            &file,
            "this text is long enough to be read as a database header. ".repeat(40),
        )
        .unwrap();
        let cache = Cache::open(&file, DAY, 20).unwrap();
        cache.put("a", &None).unwrap();
        assert_eq!(cache.get("a").unwrap(), Some(None));
    }
}

//! Tests for SQLite only: its files, backups and write queue.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery, Storage},
    model::order::{Order, OrderStatus},
    rules::lifecycle::Timing,
};
use despacho_sql::{Driver, Expect, Query, Statement, Value};
use despacho_sqlite::{BackupError, LocalPlatform, OpenError, Options, Sqlite, SqliteHost, backup};
use futures_util::future::{join, join_all};
use rusqlite::Connection;

use crate::{
    backend::OnSqlite,
    suite::{
        Backend,
        fixtures::{at, changes, entry, event, order, order_id, store, store_id},
    },
};

fn create(number: u64) -> Changes {
    let order = order(number, 1, &number.to_string());
    let event = event(&order, 1);
    Changes {
        orders: vec![Write::insert(order)],
        events: vec![event],
        ledger: vec![entry(1, -100, None)],
        ..changes()
    }
}

async fn with_store() -> OnSqlite {
    let backend = OnSqlite::start().await;
    backend
        .host()
        .commit(&Changes {
            stores: vec![Write::insert(store(1))],
            ..changes()
        })
        .await
        .unwrap();
    backend
}

#[tokio::test]
async fn long_read_yields_to_other_tasks() {
    let backend = OnSqlite::start().await;
    let other = tokio::spawn(async {});
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT MAX(i) FROM n";
    backend
        .host()
        .driver()
        .read(Query {
            sql: sql.into(),
            params: Vec::new(),
        })
        .await
        .unwrap();
    assert!(other.is_finished(), "it runs on the same thread");
}

#[tokio::test]
async fn newer_incompatible_schema_is_rejected() {
    let backend = OnSqlite::start().await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    let known: i64 = connection
        .query_row("SELECT MAX(version) FROM schema_version", [], |row| {
            row.get(0)
        })
        .unwrap();
    connection
        .execute(
            "INSERT INTO schema_version (version) VALUES (?1)",
            [known + 41],
        )
        .unwrap();
    connection
        .execute(
            "UPDATE settings SET value = CAST(?1 AS TEXT) WHERE name = 'schema_floor'",
            [known + 2],
        )
        .unwrap();
    let rejected = Sqlite::open(&backend.path(), &Options::default()).unwrap_err();
    assert!(matches!(rejected, OpenError::Schema(_)), "{rejected:?}");
    let message = rejected.to_string();
    let named = [known, known + 41].map(|version| message.contains(&version.to_string()));
    assert_eq!(named, [true, true], "{message}");
    connection
        .execute(
            "DELETE FROM schema_version WHERE version = ?1",
            [known + 41],
        )
        .unwrap();
    assert!(
        Sqlite::open(&backend.path(), &Options::default()).is_ok(),
        "the rejected open changed nothing else"
    );
}

#[tokio::test]
async fn newer_compatible_schema_is_accepted() {
    let backend = with_store().await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    let known: i64 = connection
        .query_row("SELECT MAX(version) FROM schema_version", [], |row| {
            row.get(0)
        })
        .unwrap();
    // A newer version adds columns and a table.
    let grown = format!(
        "ALTER TABLE orders ADD COLUMN note TEXT; ALTER TABLE events ADD COLUMN weight INTEGER NOT NULL DEFAULT 0; \
         CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT; INSERT INTO schema_version (version) VALUES ({})",
        known + 1
    );
    connection.execute_batch(&grown).unwrap();
    let backend = backend.restart().await;
    backend.host().commit(&create(1)).await.unwrap();
    assert!(backend.host().order(order_id(1)).await.unwrap().is_some());
    assert_eq!(backend.host().events(order_id(1)).await.unwrap().len(), 1);
    // A later migration that is not compatible raises the minimum version.
    let floor = "UPDATE settings SET value = CAST(?1 AS TEXT) WHERE name = 'schema_floor'";
    assert_eq!(connection.execute(floor, [known + 1]).unwrap(), 1);
    let rejected = Sqlite::open(&backend.path(), &Options::default()).unwrap_err();
    assert!(matches!(rejected, OpenError::Schema(_)), "{rejected:?}");
}

#[tokio::test]
async fn file_that_is_not_a_database_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(
        &path,
        "not a database, but a text that is long enough for the header of a file ".repeat(20),
    )
    .unwrap();
    assert!(matches!(
        Sqlite::open(&path, &Options::default()),
        Err(OpenError::Damaged(_))
    ));
    assert!(matches!(
        Sqlite::open(
            &folder.path().join("no/such/folder.db"),
            &Options::default()
        ),
        Err(OpenError::Database(_))
    ));
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_accessible_only_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let backend = with_store().await;
    for name in ["despacho.db", "despacho.db-wal"] {
        let mode = std::fs::metadata(backend.sibling(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
    }
}

#[tokio::test]
async fn every_acknowledged_write_is_on_disk_at_once() {
    let backend = with_store().await;
    // A separate connection reads the file and its log, as a restart after a crash does.
    let other = Connection::open(backend.path()).unwrap();
    let settings: (String, i64) = (
        other
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .unwrap(),
        other
            .query_row("SELECT COUNT(*) FROM stores", [], |row| row.get(0))
            .unwrap(),
    );
    assert_eq!(settings, ("wal".to_owned(), 1));
    let creates: Vec<Changes> = (1..=300).map(create).collect();
    let results = join_all(creates.iter().map(|changes| backend.host().commit(changes))).await;
    assert!(results.iter().all(Result::is_ok));
    let count: i64 = other
        .query_row("SELECT COUNT(*) FROM orders", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 300);
    let stats = backend.host().driver().stats();
    assert_eq!(
        (
            stats.commits,
            stats.conflicts,
            stats.failures,
            stats.queued_writes
        ),
        (301, 0, 0, 0)
    );
    assert!(
        stats.groups < stats.commits / 2 && stats.largest_group > 1,
        "queued writes share a flush: {stats:?}"
    );
}

#[tokio::test]
async fn conflict_does_not_undo_others_of_its_group() {
    let backend = with_store().await;
    let mut writes: Vec<Changes> = (1..=100).map(create).collect();
    for index in (0..100).step_by(3) {
        // Only the last statement of these fails.
        writes[index].ledger.push(entry(99, 1, None));
    }
    let results = join_all(writes.iter().map(|changes| backend.host().commit(changes))).await;
    for (index, result) in results.iter().enumerate() {
        let expected = if index % 3 == 0 {
            Err(HostError::Conflict)
        } else {
            Ok(())
        };
        assert_eq!(result, &expected, "{index}");
        let stored = backend
            .host()
            .order(order_id(index as u64 + 1))
            .await
            .unwrap();
        assert_eq!(stored.is_some(), result.is_ok(), "{index}");
    }
    let stats = backend.host().driver().stats();
    assert_eq!((stats.commits, stats.conflicts), (67, 34));
    let balance = backend
        .host()
        .store(store_id(1))
        .await
        .unwrap()
        .unwrap()
        .balance;
    assert_eq!(balance.centavos(), -100 * 66);
}

#[tokio::test]
async fn full_queue_returns_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("despacho.db");
    let options = Options {
        queue: 4,
        timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let database = Sqlite::open(&path, &options).unwrap();
    let host = SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default());
    // Another process, such as an operator's command, locks the database for longer than the
    // timeout.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writes: Vec<Changes> = (1..=20).map(create).collect();
    let release = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        other.execute_batch("ROLLBACK").unwrap();
    };
    let (results, ()) = join(
        join_all(writes.iter().map(|changes| host.commit(changes))),
        release,
    )
    .await;
    let rejected = results.iter().filter(|result| {
        matches!(
            result,
            Err(HostError::Unavailable {
                what: "database",
                ..
            })
        )
    });
    assert!(rejected.count() >= 15, "{results:?}");
    assert_eq!(
        host.driver().ready().await,
        Ok(()),
        "the host is ready after the lock is released"
    );
    for (number, result) in (1..).zip(&results) {
        assert!(
            result.is_err(),
            "the store of the ledger entry does not exist"
        );
        assert_eq!(
            host.order(order_id(number)).await,
            Ok(None),
            "a rejected write stores nothing"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn endless_read_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        readers: 1,
        read_timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let database = Arc::new(Sqlite::open(&folder.path().join("despacho.db"), &options).unwrap());
    let endless = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT COUNT(*) FROM numbers";
    // The first one runs in place, the second one in the queue's thread.
    let reads = [endless, endless].map(|sql| {
        let database = Arc::clone(&database);
        tokio::spawn(async move {
            database
                .read(Query {
                    sql: sql.into(),
                    params: Vec::new(),
                })
                .await
        })
    });
    for read in join_all(reads).await {
        assert!(matches!(
            read.unwrap(),
            Err(HostError::Timeout { what: "database" })
        ));
    }
    let read = database
        .read(Query {
            sql: "SELECT 1".into(),
            params: Vec::new(),
        })
        .await;
    assert_eq!(read.unwrap().len(), 1, "the connection can be used again");
}

#[tokio::test]
async fn close_commits_queued_writes() {
    let backend = with_store().await;
    let writes: Vec<Changes> = (1..=200).map(create).collect();
    let commits = join_all(writes.iter().map(|changes| backend.host().commit(changes)));
    let (results, closed) = join(commits, backend.host().driver().close()).await;
    closed.unwrap();
    assert!(
        results.iter().all(Result::is_ok),
        "all were queued before the close"
    );
    let backend = backend.restart().await;
    assert_eq!(
        backend
            .host()
            .find_orders(OrderQuery::Due {
                now: at(99),
                skipped: 0,
                limit: 1_000
            })
            .await
            .unwrap()
            .len(),
        200
    );
}

#[tokio::test]
async fn backup_during_writes_is_a_consistent_snapshot() {
    let backend = with_store().await;
    let host = backend.host();
    let copies: Vec<_> = (1..=4)
        .map(|number| backend.sibling(&format!("copy {number}.db")))
        .collect();
    let writing = async {
        for hundred in 0..30 {
            let writes: Vec<Changes> = (1..=50)
                .map(|number| create(hundred * 50 + number))
                .collect();
            let results = join_all(writes.iter().map(|changes| host.commit(changes))).await;
            assert!(results.iter().all(Result::is_ok));
        }
    };
    let copying = async {
        let mut reports = Vec::new();
        for copy in &copies {
            reports.push(host.driver().backup_to(copy).await.unwrap());
        }
        reports
    };
    let ((), reports) = join(writing, copying).await;
    assert!(
        reports.is_sorted_by_key(|report| report.orders),
        "{reports:?}"
    );
    for (copy, report) in copies.iter().zip(&reports) {
        let connection = Connection::open(copy).unwrap();
        let count = |sql: &str| {
            connection
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        assert_eq!(count("SELECT COUNT(*) FROM orders"), report.orders);
        assert_eq!(
            count("SELECT COUNT(*) FROM events"),
            report.orders,
            "events match the orders"
        );
        assert_eq!(
            count("SELECT amount FROM balances WHERE store = 1"),
            -100 * report.orders,
            "the balance matches the orders"
        );
        drop(connection);
        assert!(
            !backend.sibling("copy 1.db-wal").exists(),
            "a backup is one file"
        );
        let restored = Sqlite::open(copy, &Options::default()).unwrap();
        let restored = SqliteHost::new(restored, LocalPlatform::new().unwrap(), Timing::default());
        assert!(restored.store(store_id(1)).await.unwrap().is_some());
        restored.driver().close().await.unwrap();
    }
    let report = backup(&backend.path(), &backend.sibling("command.db")).unwrap();
    assert_eq!(report.orders, 1_500);
    let again = host.driver().backup_to(&copies[0]).await;
    assert_eq!(
        again,
        Err(BackupError::Exists(copies[0].clone())),
        "a backup does not overwrite a file"
    );
    assert!(
        backup(
            &backend.sibling("missing.db"),
            &backend.sibling("missing copy.db")
        )
        .is_err()
    );
    assert!(
        !backend.sibling("missing copy.db").exists()
            && !backend.sibling("missing copy.db.partial").exists()
    );
}

/// Compares the size of the log, in bytes, before, during and after a long read transaction.
#[tokio::test]
async fn log_shrinks_after_a_long_reader_has_ended() {
    let backend = with_store().await;
    let log = backend.sibling("despacho.db-wal");
    let size = || std::fs::metadata(&log).map_or(0, |found| found.len());
    let reader = Connection::open(backend.path()).unwrap();
    reader
        .execute_batch("BEGIN; SELECT COUNT(*) FROM stores")
        .unwrap();
    let before = size();
    for number in 0..48_u32 {
        let sql = "INSERT INTO settings (name, value) VALUES ('long', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        // The value changes each time, because SQLite does not write unchanged pages.
        let params = vec![Value::Text(format!("{number:08}").repeat(1 << 17))];
        let write = Statement {
            sql,
            params,
            expect: Expect::Any,
        };
        backend.host().driver().transact(vec![write]).await.unwrap();
    }
    let while_read = size();
    assert!(
        while_read >= 40 << 20,
        "the log has only {while_read} bytes during the read"
    );
    // From here on the host is idle, so it truncates the log.
    reader.execute_batch("COMMIT").unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while size() > 0 {
        assert!(
            Instant::now() < deadline,
            "the log still has {} bytes",
            size()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    eprintln!("log: {before} bytes before, {while_read} bytes during the read");
}

#[tokio::test]
async fn deadlines_follow_the_configuration() {
    let backend = with_store().await;
    let searching = |number: u64| Order {
        status: OrderStatus::Searching,
        status_since: at(0),
        ready_at: at(0),
        ..order(number, 1, &number.to_string())
    };
    let orders = (1..=1_100)
        .map(|number| Write::insert(searching(number)))
        .collect();
    backend
        .host()
        .commit(&Changes {
            orders,
            ..changes()
        })
        .await
        .unwrap();
    assert_eq!(
        backend.host().align_deadlines().await,
        Ok(1_100),
        "the first call computes every deadline"
    );
    assert_eq!(backend.host().align_deadlines().await, Ok(0));
    assert_eq!(
        backend
            .host()
            .find_orders(OrderQuery::Due {
                now: at(20),
                skipped: 0,
                limit: 2_000
            })
            .await
            .unwrap()
            .len(),
        1_100
    );
    let backend = backend.restart_with(Timing { search_minutes: 45 }).await;
    assert_eq!(backend.host().align_deadlines().await, Ok(1_100));
    assert_eq!(
        backend
            .host()
            .find_orders(OrderQuery::Due {
                now: at(44),
                skipped: 0,
                limit: 2_000
            })
            .await,
        Ok(vec![])
    );
    assert_eq!(
        backend
            .host()
            .find_orders(OrderQuery::Due {
                now: at(45),
                skipped: 0,
                limit: 2_000
            })
            .await
            .unwrap()
            .len(),
        1_100
    );
}

#[tokio::test]
async fn no_statement_scans_a_table() {
    let backend = with_store().await;
    let connection = Connection::open(backend.path()).unwrap();
    let searches = [
        "SELECT body FROM orders WHERE store = 1 AND code = 'a' AND holds_code = 1",
        "SELECT body FROM events WHERE order_id = 5 ORDER BY sequence",
        "SELECT body FROM stores WHERE email = 'a' AND deleted_at IS NULL",
        "SELECT body FROM keys WHERE store = 1 ORDER BY created_at DESC, id DESC",
        "SELECT body FROM notifications WHERE store = 1 AND id < 9 ORDER BY id DESC LIMIT 5",
        "SELECT body FROM events WHERE matrix = 1 AND place > 5 ORDER BY place LIMIT 5",
        "SELECT body FROM events WHERE store = 1 AND place > 5 ORDER BY place LIMIT 5",
        "SELECT id FROM ledger WHERE store = 1 AND id > 5 AND at >= 1 AND at < 9 ORDER BY id LIMIT 5",
        "SELECT id FROM ledger WHERE branch = 1 AND id > 5 AND at >= 1 AND at < 9 ORDER BY id LIMIT 5",
        "SELECT id FROM ledger WHERE store = 1 AND reference = 'a'",
        "SELECT body FROM webhooks WHERE store = 1 AND removed = 0 ORDER BY id",
        "SELECT body FROM webhook_attempts WHERE webhook = 1 AND id < 9 ORDER BY id DESC LIMIT 5",
        "DELETE FROM claims WHERE (scope, idempotency_key) IN \
         (SELECT scope, idempotency_key FROM claims WHERE expires_at <= 5 ORDER BY expires_at LIMIT 200)",
    ];
    for sql in searches {
        let mut statement = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap();
        let steps: Vec<String> = statement
            .query_map([], |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let plan = steps.join("; ");
        assert!(
            !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
            "{sql}: {plan}"
        );
    }
}

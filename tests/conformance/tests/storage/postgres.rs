//! Tests for PostgreSQL only: broken connections, concurrent transactions, several instances on one
//! database.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, Storage},
    model::{
        Timestamp,
        order::Journal,
        store::{Claim, ClaimChange},
    },
    rules::limits::{Bucket, Usage},
};
use despacho_postgres::{Address, OpenError, Options, Postgres};
use despacho_sql::{CopyError, Dialect, Leases, STORAGE, TABLES, Table, copy};
use despacho_xtask::run::Failure;
use futures_util::future::{join, join_all};
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    backend::{OnPostgres, OnSqlite, PostgresHost},
    suite::{
        Backend,
        fixtures::{at, changes, claim, entry, event, order, order_id, position, store, store_id},
    },
};

/// Ends all other connections to the database.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// The sessions that hold a lock for [`hold`].
pub(crate) const SLEEPING: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

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

async fn put_stores(host: &PostgresHost, count: u64) {
    let stores = (1..=count)
        .map(|number| Write::insert(store(number)))
        .collect();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn newer_incompatible_schema_is_rejected() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let known: i64 = backend
        .query("SELECT MAX(version) FROM schema_version")
        .parse()
        .unwrap();
    backend.query(&format!(
        "INSERT INTO schema_version (version) VALUES ({})",
        known + 41
    ));
    backend.query(&format!(
        "UPDATE settings SET value = '{}' WHERE name = 'schema_floor'",
        known + 2
    ));
    let address = Address::parse(&backend.address).unwrap();
    let rejected = Postgres::open(&address, &Options::default())
        .await
        .unwrap_err();
    assert!(matches!(rejected, OpenError::Schema(_)), "{rejected:?}");
    let message = rejected.to_string();
    assert!(
        [known, known + 41]
            .iter()
            .all(|version| message.contains(&version.to_string())),
        "{message}"
    );
}

#[tokio::test]
async fn newer_compatible_schema_is_accepted() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_stores(backend.host(), 1).await;
    let known: i64 = backend
        .query("SELECT MAX(version) FROM schema_version")
        .parse()
        .unwrap();
    // A newer version adds columns and a table while an older instance runs.
    backend.query("ALTER TABLE orders ADD COLUMN note TEXT");
    backend.query("ALTER TABLE events ADD COLUMN weight BIGINT NOT NULL DEFAULT 0");
    backend.query("CREATE TABLE notes (id BIGINT PRIMARY KEY)");
    backend.query(&format!(
        "INSERT INTO schema_version (version) VALUES ({})",
        known + 1
    ));
    backend.host().commit(&create(1)).await.unwrap();
    let restarted = backend.sibling().await;
    restarted.commit(&create(2)).await.unwrap();
    assert_eq!(restarted.events(order_id(1)).await.unwrap().len(), 1);
    let address = Address::parse(&backend.address).unwrap();
    let exact = Options {
        migrate: false,
        ..Options::default()
    };
    assert!(
        matches!(
            Postgres::open(&address, &exact).await,
            Err(OpenError::Database(_))
        ),
        "a copy requires the exact schema version"
    );
    // A later migration that is not compatible raises the minimum version.
    backend.query(&format!(
        "UPDATE settings SET value = '{}' WHERE name = 'schema_floor'",
        known + 1
    ));
    let rejected = Postgres::open(&address, &Options::default())
        .await
        .unwrap_err();
    assert!(matches!(rejected, OpenError::Schema(_)), "{rejected:?}");
}

#[tokio::test]
async fn six_concurrent_starts_migrate_once() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let empty = backend.cluster.fresh().unwrap();
    let address = Address::parse(&empty).unwrap();
    let options = Options::default();
    let opened = join_all((0..6).map(|_| Postgres::open(&address, &options))).await;
    assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    let duplicates = "SELECT COUNT(*) - COUNT(DISTINCT version) FROM schema_version";
    assert_eq!(
        backend.cluster.query(&empty, duplicates),
        Ok("0".to_owned())
    );
}

#[tokio::test]
async fn connection_error_does_not_contain_the_password() {
    let address =
        Address::parse("postgres://ana:secret-password@nowhere.invalid/despacho?sslmode=disable")
            .unwrap();
    let opened = tokio::time::timeout(
        Duration::from_millis(500),
        Postgres::open(&address, &Options::default()),
    )
    .await;
    let message = opened
        .map(|rejected| rejected.unwrap_err().to_string())
        .unwrap_or_default();
    assert!(!message.contains("secret-password"), "{message}");
}

/// Takes claims and creates orders from eight tasks while `disturb` runs. Every write must succeed
/// and be stored once.
async fn check_writes_stored_once(
    backend: &OnPostgres,
    orders: u64,
    disturb: impl AsyncFn(&AtomicBool),
) {
    let (next, over) = (AtomicU64::new(1), AtomicBool::new(false));
    put_stores(backend.host(), 1).await;
    // Retries like a client, and returns whether an outcome was unknown. In that case, a conflict
    // means that the write was committed.
    let commit = async |changes: &Changes| {
        let mut was_unknown = false;
        while let Err(error) = backend.host().commit(changes).await {
            match error {
                HostError::Unavailable { .. } | HostError::Timeout { .. } => was_unknown = true,
                HostError::Conflict if was_unknown => break,
                other => panic!("{other}: {changes:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        was_unknown
    };
    let client = || async {
        let mut unknown = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number > orders {
                return unknown;
            }
            let take = ClaimChange::Take(claim(&number.to_string(), "first"));
            if commit(&Changes {
                claim: Some(take),
                ..changes()
            })
            .await
                | commit(&create(number)).await
            {
                unknown.push(number);
            }
        }
    };
    let clients = async {
        let unknown = join_all((0..8).map(|_| client())).await.concat();
        over.store(true, Relaxed);
        unknown
    };
    let (unknown, ()) = join(clients, disturb(&over)).await;
    let stats = backend.host().driver().stats();
    eprintln!("{} writes had an unknown outcome, {stats:?}", unknown.len());
    let expected = orders.to_string();
    assert_eq!(backend.query("SELECT COUNT(*) FROM claims"), expected);
    assert_eq!(backend.query("SELECT COUNT(*) FROM orders"), expected);
    assert_eq!(backend.query("SELECT COUNT(*) FROM events"), expected);
    assert_eq!(
        backend.query("SELECT MIN(place), MAX(place), COUNT(*) FROM events"),
        format!("1|{expected}|{expected}")
    );
    assert_eq!(backend.query("SELECT last FROM journals"), expected);
    assert_eq!(
        backend.query("SELECT amount FROM balances WHERE store = 1"),
        format!("-{expected}00")
    );
    assert_eq!(
        backend.query("SELECT SUM(amount) FROM ledger"),
        format!("-{expected}00")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_store_every_write_once() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let cuts = AtomicU64::new(0);
    check_writes_stored_once(&backend, 750, async |over: &AtomicBool| {
        while !over.load(Relaxed) {
            tokio::task::block_in_place(|| backend.query(CUT));
            cuts.fetch_add(1, Relaxed);
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    })
    .await;
    let stats = backend.host().driver().stats();
    assert!(cuts.load(Relaxed) > 3 && stats.repeats > 3, "{stats:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crashed_server_stores_every_write_once_and_recovers() {
    let Some(backend) = OnPostgres::exclusive().await else {
        return;
    };
    check_writes_stored_once(&backend, 1_000, async |over: &AtomicBool| {
        for _ in 0..3 {
            if over.load(Relaxed) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(150)).await;
            tokio::task::block_in_place(|| backend.cluster.crash()).unwrap();
            let down = backend.host().driver().ready().await;
            assert!(
                matches!(
                    down,
                    Err(HostError::Unavailable {
                        what: "database",
                        ..
                    })
                ),
                "{down:?}"
            );
            tokio::task::block_in_place(|| backend.cluster.run()).unwrap();
            assert_eq!(backend.host().driver().ready().await, Ok(()));
        }
    })
    .await;
}

#[tokio::test]
async fn deadlocked_transactions_both_commit() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_stores(backend.host(), 2).await;
    let crossed = |number: u64| {
        let (first, second) = if number.is_multiple_of(2) {
            (1, 2)
        } else {
            (2, 1)
        };
        Changes {
            ledger: vec![entry(first, 1, None), entry(second, 1, None)],
            ..changes()
        }
    };
    // Each instance joins its own writes, so that these deadlock with those of the other.
    let other = backend.sibling().await;
    let writes: Vec<Changes> = (0..6).map(crossed).collect();
    let write = |(index, changes)| {
        if index < 3 {
            backend.host().commit(changes)
        } else {
            other.commit(changes)
        }
    };
    let results = join_all(writes.iter().enumerate().map(write)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(
        backend.query("SELECT MIN(amount), MAX(amount) FROM balances"),
        "6|6"
    );
}

/// Runs a statement in another session, which commits after some seconds. Returns as soon as the
/// statement has locked its rows.
pub(crate) async fn hold(
    backend: &OnPostgres,
    statement: &str,
    seconds: f32,
) -> JoinHandle<Result<String, Failure>> {
    let hold = format!("BEGIN; {statement}; SELECT pg_sleep({seconds}); COMMIT");
    let (cluster, address) = (backend.cluster.clone(), backend.address.clone());
    let held = tokio::task::spawn_blocking(move || cluster.query(&address, &hold));
    while backend.query(SLEEPING) == "0" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    held
}

#[tokio::test]
async fn connection_pool_timeout_returns_unavailable() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_stores(backend.host(), 1).await;
    let options = Options {
        connections: 2,
        wait: Duration::from_millis(500),
        ..Options::default()
    };
    let host = OnPostgres::open(&backend.address, options).await;
    let writes: Vec<Changes> = (1..=8).map(create).collect();
    // Open both connections first, because opening them can take longer than the timeout.
    assert_eq!(
        join(host.order(order_id(1)), host.order(order_id(1))).await,
        (Ok(None), Ok(None))
    );
    // Every commit needs this row.
    let held = hold(
        &backend,
        "SELECT amount FROM balances WHERE store = 1 FOR UPDATE",
        3.0,
    )
    .await;
    let results = join_all(writes.iter().map(|changes| host.commit(changes))).await;
    held.await.unwrap().unwrap();
    let rejected = results.iter().filter(|result| {
        matches!(
            result,
            Err(HostError::Unavailable {
                what: "database",
                ..
            })
        )
    });
    assert_eq!(
        (
            rejected.count(),
            results.iter().filter(|result| result.is_ok()).count()
        ),
        (6, 2),
        "{results:?}"
    );
    assert_eq!(host.driver().ready().await, Ok(()));
}

#[tokio::test]
async fn read_only_database_is_not_ready() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let name = backend.query("SELECT current_database()");
    backend.query(&format!(
        "ALTER DATABASE {name} SET default_transaction_read_only = on"
    ));
    let host = backend.sibling().await;
    assert!(matches!(
        host.driver().ready().await,
        Err(HostError::Unavailable { .. })
    ));
    assert!(matches!(
        host.commit(&create(1)).await,
        Err(HostError::Unavailable { .. })
    ));
    assert_eq!(host.order(order_id(1)).await, Ok(None));
}

#[tokio::test]
async fn pipeline_keeps_order_and_undoes_only_conflicts() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_stores(backend.host(), 1).await;
    let mut writes: Vec<Changes> = (1..=100).map(create).collect();
    for index in (0..100).step_by(3) {
        // Only the last statement of these fails.
        writes[index].ledger.push(entry(99, 1, None));
    }
    let results = backend.host().commit_each(&writes).await;
    let expected: Vec<_> = (0..100)
        .map(|index| {
            if index % 3 == 0 {
                Err(HostError::Conflict)
            } else {
                Ok(())
            }
        })
        .collect();
    assert_eq!(results, expected);
    let stats = backend.host().driver().stats();
    assert_eq!(
        (stats.commits, stats.conflicts, stats.pipelines),
        (67, 34, 5),
        "{stats:?}"
    );
    let journal = backend
        .host()
        .journal(
            Journal {
                merchant: store_id(1),
                branch: None,
            },
            0,
            200,
        )
        .await
        .unwrap();
    let orders: Vec<u64> = journal
        .iter()
        .map(|entry| entry.recorded.event.order.get())
        .collect();
    assert_eq!(
        orders,
        (1..=100)
            .filter(|number| number % 3 != 1)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        backend.query("SELECT amount FROM balances WHERE store = 1"),
        "-6600"
    );
}

#[tokio::test]
async fn conflict_in_single_statement_logs_no_database_error() {
    let Some(backend) = OnPostgres::exclusive().await else {
        return;
    };
    put_stores(backend.host(), 1).await;
    let errors = || backend.cluster.log().unwrap().matches("ERROR:").count();
    let before = errors();
    let take = Changes {
        claim: Some(ClaimChange::Take(claim("a", "first"))),
        ..changes()
    };
    let results = join_all((0..32).map(|_| backend.host().commit(&take))).await;
    assert_eq!(
        results.iter().filter(|result| **result == Ok(())).count(),
        1,
        "{results:?}"
    );
    assert_eq!(
        results
            .iter()
            .filter(|result| **result == Err(HostError::Conflict))
            .count(),
        31,
        "{results:?}"
    );
    assert_eq!(errors() - before, 0, "{}", backend.cluster.log().unwrap());
    assert_eq!(backend.query("SELECT COUNT(*) FROM claims"), "1");
    // A longer transaction is aborted by an error whose statement explains it. The next statement
    // fails with a second error.
    let unknown_account = Changes {
        ledger: vec![entry(99, 1, None)],
        ..create(1)
    };
    assert_eq!(
        backend.host().commit(&unknown_account).await,
        Err(HostError::Conflict)
    );
    assert_eq!(errors() - before, 2);
    assert!(
        backend
            .cluster
            .log()
            .unwrap()
            .contains("Despacho rolls back and handles it")
    );
}

#[tokio::test]
async fn quota_is_shared_by_all_instances() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let other = backend.sibling().await;
    let window = despacho_core::model::Duration::minutes(1);
    let bucket = Bucket {
        name: "key/7".to_owned(),
        usage: Usage::Read,
        quota: 20,
        window,
    };
    let now = Timestamp::from_millis(1_795_262_400_000);
    let leases = [Leases::new(), Leases::new()];
    let requested = (0..60).map(|number: u64| match number % 2 {
        0 => despacho_sql::admit(backend.host().driver(), &leases[0], &bucket, now),
        _ => despacho_sql::admit(other.driver(), &leases[1], &bucket, now),
    });
    let admitted = join_all(requested)
        .await
        .into_iter()
        .filter(|response| response.as_ref().unwrap().admitted)
        .count();
    assert_eq!(admitted, 20);
}

fn report(courier: u64, minutes: i64) -> Changes {
    Changes {
        positions: vec![position(courier, minutes)],
        ..changes()
    }
}

#[tokio::test]
async fn concurrent_positions_share_transactions() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    // Two instances store the same couriers' positions, each in another order.
    let other = backend.sibling().await;
    let reports: Vec<Changes> = (1..=100).map(|courier| report(courier, 1)).collect();
    let newer: Vec<Changes> = (1..=100).rev().map(|courier| report(courier, 2)).collect();
    let stored = join(
        join_all(reports.iter().map(|changes| backend.host().commit(changes))),
        join_all(newer.iter().map(|changes| other.commit(changes))),
    );
    let (first, second) = stored.await;
    assert!(
        first.iter().chain(&second).all(Result::is_ok),
        "{first:?}, {second:?}"
    );
    // A row names the transaction that wrote it.
    let rows = "SELECT COUNT(*), COUNT(DISTINCT at), MAX(at), COUNT(DISTINCT xmin::text) < 20 FROM positions";
    assert_eq!(backend.query(rows), format!("100|1|{}|t", at(2).millis()));
}

#[tokio::test]
async fn locked_row_delays_only_its_own_position() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    backend.host().commit(&report(1, 1)).await.unwrap();
    let held = hold(
        &backend,
        "SELECT at FROM positions WHERE courier = 1 FOR UPDATE",
        3.0,
    )
    .await;
    let reports: Vec<Changes> = (1..=20).map(|courier| report(courier, 2)).collect();
    let (locked, others) = reports.split_first().unwrap();
    let stored_others = async {
        let results = join_all(others.iter().map(|changes| backend.host().commit(changes))).await;
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        backend.query(SLEEPING)
    };
    let (stored, sleeping) = join(backend.host().commit(locked), stored_others).await;
    assert_eq!(
        (stored, &*sleeping),
        (Ok(()), "1"),
        "the lock ended before the others were stored"
    );
    held.await.unwrap().unwrap();
    assert_eq!(
        backend.query("SELECT COUNT(*), COUNT(DISTINCT at) FROM positions"),
        "20|1"
    );
}

#[tokio::test]
async fn notifications_reach_other_instances_but_not_the_sender() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let other = backend.sibling().await;
    let (events, event_changes) = watch::channel(0_u64);
    let (own, incoming) = (watch::Sender::new(0_u64), watch::Sender::new(0_u64));
    let (own_count, incoming_count) = (own.clone(), incoming.clone());
    let (access, access_changes) = watch::channel(0_u64);
    backend
        .host()
        .driver()
        .run_listener(event_changes, access_changes, move |_| {
            own_count.send_modify(|count| *count += 1)
        });
    let (_unused, no_changes) = watch::channel(0_u64);
    let (access_received, is_access_received) = watch::channel(false);
    other
        .driver()
        .run_listener(no_changes.clone(), no_changes, move |is_access| {
            access_received.send_modify(|received| *received |= is_access);
            incoming_count.send_modify(|count| *count += 1);
        });
    let mut receiver = incoming.subscribe();
    let start = Instant::now();
    while tokio::time::timeout(Duration::from_millis(50), receiver.changed())
        .await
        .is_err()
    {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "no notification was received"
        );
        events.send_modify(|count| *count += 1);
    }
    assert!(!*is_access_received.borrow(), "no key or store was written");
    let mut receiver = is_access_received.clone();
    access.send_modify(|count| *count += 1);
    tokio::time::timeout(
        Duration::from_secs(20),
        receiver.wait_for(|received| *received),
    )
    .await
    .unwrap()
    .unwrap();
    assert_eq!(
        *own.borrow(),
        0,
        "the sender does not receive its own notifications"
    );
    // After a lost connection, the listener reconnects and reports one change, because it may have
    // missed notifications.
    let before = *incoming.borrow();
    let mut receiver = incoming.subscribe();
    backend.query(CUT);
    tokio::time::timeout(
        Duration::from_secs(60),
        receiver.wait_for(|count| *count > before),
    )
    .await
    .unwrap()
    .unwrap();
}

#[tokio::test]
async fn renewed_claim_is_not_removed_as_expired() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let old = Claim {
        expires_at: at(1),
        ..claim("a", "first")
    };
    backend
        .host()
        .commit(&Changes {
            claim: Some(ClaimChange::Take(old)),
            ..changes()
        })
        .await
        .unwrap();
    // Another session takes the expired claim, and commits only after the search for expired claims
    // has started.
    let taking = hold(
        &backend,
        "UPDATE claims SET expires_at = 9000000000000, holder = 'new'",
        0.5,
    )
    .await;
    // The bytes of this holder add up to a multiple of 32: such commits remove expired claims.
    let sweeper = Claim {
        expires_at: at(100),
        ..claim("b", "`")
    };
    backend
        .host()
        .commit(&Changes {
            at: at(50),
            claim: Some(ClaimChange::Take(sweeper)),
            ..changes()
        })
        .await
        .unwrap();
    taking.await.unwrap().unwrap();
    assert_eq!(
        backend.query("SELECT holder FROM claims ORDER BY holder"),
        "`\nnew"
    );
}

#[tokio::test]
async fn every_table_and_column_is_copied() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let listed = backend.query(
        "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public' \
         AND table_name NOT IN ('schema_version', 'commit_marks')",
    );
    let mut existing: Vec<&str> = listed.lines().collect();
    existing.sort_unstable();
    let named = |table: &Table| -> Vec<String> {
        [table.key, table.rest]
            .concat()
            .iter()
            .map(|column| format!("{}.{column}", table.name))
            .collect()
    };
    let mut copied: Vec<String> = TABLES.iter().flat_map(named).collect();
    copied.sort_unstable();
    assert_eq!(
        copied, existing,
        "hosts/shared/sql/src/tables.rs names every table with all its columns"
    );
}

#[tokio::test]
async fn copy_is_complete_and_requires_an_empty_target() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let source = OnSqlite::start().await;
    source
        .host()
        .commit(&Changes {
            stores: vec![Write::insert(store(1))],
            ..changes()
        })
        .await
        .unwrap();
    let writes: Vec<Changes> = (1..=600).map(create).collect();
    assert!(
        source
            .host()
            .commit_each(&writes)
            .await
            .iter()
            .all(Result::is_ok)
    );
    // Keys whose order depends on the collation.
    for (number, key) in (0..).zip(["b", "B", "a-1", "A1", "ã", "z", "_", "-"]) {
        let claim = Claim {
            expires_at: at(60),
            ..claim(key, &format!("holder {number}"))
        };
        source
            .host()
            .commit(&Changes {
                claim: Some(ClaimChange::Take(claim)),
                ..changes()
            })
            .await
            .unwrap();
    }
    let (file, server) = (source.host().driver(), backend.host().driver());
    let copied = copy((file, Dialect::Sqlite), (server, Dialect::Postgres))
        .await
        .unwrap();
    for (table, rows) in [
        ("stores", 1),
        ("orders", 600),
        ("events", 600),
        ("ledger", 600),
        ("claims", 8),
    ] {
        assert!(copied.contains(&(table, rows)), "{copied:?}");
    }
    let again = copy((file, Dialect::Sqlite), (server, Dialect::Postgres)).await;
    assert_eq!(again, Err(CopyError::NotEmpty("stores")));
    // Writes continue after the copy: sequences and journal positions follow those of the copy.
    backend.host().commit(&create(601)).await.unwrap();
    assert_eq!(
        backend.query("SELECT MIN(place), MAX(place), COUNT(DISTINCT id) FROM events"),
        "1|601|601"
    );
    let back = OnSqlite::start().await;
    let returned = copy(
        (server, Dialect::Postgres),
        (back.host().driver(), Dialect::Sqlite),
    )
    .await
    .unwrap();
    assert!(returned.contains(&("orders", 601)), "{returned:?}");
    back.host().commit(&create(602)).await.unwrap();
    assert_eq!(
        back.host().order(order_id(601)).await,
        backend.host().order(order_id(601)).await
    );
}

/// Triggers raise the server's error for a full disk, because filling a real disk requires
/// privileges on the machine.
#[tokio::test]
async fn full_disk_is_not_ready_until_writes_succeed_again() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_stores(backend.host(), 1).await;
    let driver = backend.host().driver();
    assert_eq!(driver.ready().await, Ok(()));
    backend.query(
        "CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$",
    );
    for table in ["orders", "settings"] {
        backend.query(&format!(
            "CREATE TRIGGER full_{table} BEFORE INSERT ON {table} EXECUTE FUNCTION disk_full()"
        ));
    }
    let is_storage = |result: &Result<(), HostError>| {
        matches!(result, Err(HostError::Unavailable { what: STORAGE, .. }))
    };
    let failed = backend.host().commit(&create(1)).await;
    assert!(is_storage(&failed), "{failed:?}");
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let ready = driver.ready().await;
        assert!(
            is_storage(&ready),
            "the probe writes fail as well: {ready:?}"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    backend.query("DROP FUNCTION disk_full() CASCADE");
    let deadline = Instant::now() + Duration::from_secs(30);
    while driver.ready().await != Ok(()) {
        assert!(
            Instant::now() < deadline,
            "the database does not become ready again"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(backend.host().commit(&create(1)).await, Ok(()));
}

#[tokio::test]
async fn database_of_another_application_is_rejected() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let other = backend.cluster.fresh().unwrap();
    backend
        .cluster
        .query(&other, "CREATE TABLE recipes (name TEXT)")
        .unwrap();
    let opened = Postgres::open(&Address::parse(&other).unwrap(), &Options::default()).await;
    assert_eq!(opened.err(), Some(OpenError::Foreign("recipes".to_owned())));
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(
        backend.cluster.query(&other, tables),
        Ok("1".to_owned()),
        "nothing was created"
    );
}

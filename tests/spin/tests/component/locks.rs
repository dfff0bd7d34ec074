//! SQLite's write lock: many writers, and another process that holds it.

use std::time::{Duration, Instant};

use despacho_bench::orders::order;

use crate::support::{TestDatabase, create, get, post, serve};

/// Concurrent clients.
const CLIENTS: usize = 64;

#[test]
fn concurrent_creations_are_all_stored() {
    let database = TestDatabase::new();
    let served = serve(
        &database
            .demo()
            .variable("settings", r#"{"limits": {"writes-per-minute": 1000000}}"#),
    );
    assert_eq!(get(&served.base, "/readyz").status, 200);
    let started = Instant::now();
    let one = |client: usize| -> Vec<Duration> {
        let timed = |number: usize| {
            let started = Instant::now();
            let response =
                create(&served.base, &format!("FAIR-{client}-{number}")).expect("a response");
            assert_eq!(response.status, 201, "{response:?}");
            started.elapsed()
        };
        (0..12).map(timed).collect()
    };
    let mut spans: Vec<Duration> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(move || one(client)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a client"))
            .collect()
    });
    spans.sort();
    let count = spans.len();
    eprintln!(
        "{count} creations by {CLIENTS} clients in {:?}: median {:?}, 99 % {:?}, longest {:?}; {} instances",
        started.elapsed(),
        spans[count / 2],
        spans[count * 99 / 100],
        spans[count - 1],
        served.stats().instances()
    );
    assert_eq!(
        database.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'FAIR-%'"),
        count as i64
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn previews_and_reads_need_no_lock() {
    let database = TestDatabase::new();
    let served = serve(&database.demo());
    assert_eq!(
        create(&served.base, "BEFORE").map(|response| response.status),
        Ok(201)
    );
    let other = rusqlite::Connection::open(database.file()).expect("the database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    for number in 0..40 {
        let preview = post(
            &served.base,
            "/delivery/orders/preview",
            &order(&format!("P-{number}"), 2, false),
        );
        assert_eq!(preview.status, 200, "{preview:?}");
        assert!(preview.headers.contains_key("ratelimit"), "{preview:?}");
    }
    assert_eq!(get(&served.base, "/delivery/orders").status, 200);
    let rejected = create(&served.base, "LOCKED").expect("a response");
    assert_eq!(
        (rejected.status, &rejected.body["code"]),
        (503, &"unavailable".into()),
        "{rejected:?}"
    );
    assert!(rejected.headers.contains_key("retry-after"));
    other
        .execute_batch("ROLLBACK")
        .expect("the lock is released");
    assert_eq!(
        create(&served.base, "LOCKED").map(|response| response.status),
        Ok(201)
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn rate_limit_applies_while_the_lock_is_held() {
    let database = TestDatabase::new();
    let served = serve(
        &database
            .demo()
            .variable("settings", r#"{"limits": {"previews-per-minute": 5}}"#),
    );
    assert_eq!(get(&served.base, "/readyz").status, 200);
    let other = rusqlite::Connection::open(database.file()).expect("the database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let statuses: Vec<u16> = (0..8)
        .map(|_| {
            post(
                &served.base,
                "/delivery/orders/preview",
                &order("R", 2, false),
            )
            .status
        })
        .collect();
    assert_eq!(statuses[..5], [200; 5], "{statuses:?}");
    assert!(statuses[5..].contains(&429), "{statuses:?}");
}

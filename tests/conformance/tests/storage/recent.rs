//! What an instance knows without asking: keys as they were a moment ago, and places of quotas that it took before.

use std::sync::Arc;

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, KeyQuery, RECENT, Storage},
    model::{
        Duration, Timestamp,
        store::{Key, KeyHolder, Store},
    },
    rules::{
        lifecycle::Timing,
        limits::{Bucket, Lease, Usage},
    },
};
use despacho_sql::{Leases, RecentKeys};
use despacho_sqlite::{LocalPlatform, Options, Sqlite, SqliteHost};
use futures_util::future::join_all;

use crate::{
    backend::{Backend, OnPostgres, OnSqlite},
    fixtures::{at, changes, key, store},
};

fn now() -> Timestamp {
    at(5)
}

/// A host as another process has it.
fn second_instance(backend: &OnSqlite) -> SqliteHost {
    let database = Sqlite::open(&backend.path(), &Options::default()).unwrap();
    SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default())
}

async fn with_key() -> OnSqlite {
    let backend = OnSqlite::start().await;
    let (stores, keys) = (vec![Write::insert(store(1))], vec![Write::insert(key(5, 1))]);
    backend.host().commit(&Changes { stores, keys, ..changes() }).await.unwrap();
    backend
}

async fn recent(host: &SqliteHost, at: Timestamp) -> Arc<KeyHolder> {
    host.find_keys(KeyQuery::Recent(&key(5, 1).hash, at)).await.unwrap().pop().unwrap()
}

fn revoked() -> Changes {
    let revoked = Key { deleted_at: Some(at(5)), version: 2, ..key(5, 1) };
    Changes { keys: vec![Write { expected: 1, value: revoked }], ..changes() }
}

#[tokio::test]
async fn a_key_is_remembered_for_a_second_and_what_this_host_revokes_is_revoked_at_once() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    let first = recent(host, now()).await;
    assert!(Arc::ptr_eq(&first, &recent(host, now().after(RECENT)).await), "nobody was asked");
    assert_eq!(recent(&other, now()).await, first);

    host.commit(&revoked()).await.unwrap();
    assert!(recent(host, now()).await.key.deleted_at.is_some(), "at once where it was revoked");
    assert!(host.key(&key(5, 1).hash).await.unwrap().unwrap().key.deleted_at.is_some());
    assert!(other.key(&key(5, 1).hash).await.unwrap().unwrap().key.deleted_at.is_some(), "who writes asks");
    let late = now().after(RECENT).after(Duration::millis(1));
    assert!(recent(&other, late).await.key.deleted_at.is_some(), "a moment later on every other");
    assert_eq!(host.find_keys(KeyQuery::Recent(&key(6, 1).hash, now())).await, Ok(vec![]));
}

#[tokio::test]
async fn a_clock_that_steps_back_makes_nothing_young_again() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    recent(host, now()).await;
    other.commit(&revoked()).await.unwrap();
    assert!(recent(host, now().before(Duration::millis(1))).await.key.deleted_at.is_some());
}

#[tokio::test]
async fn a_commit_that_touches_stores_forgets_and_one_that_fails_too() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    recent(host, now()).await;
    let renamed = |name: &str| Store { name: name.to_owned(), version: 2, ..store(1) };
    let write = |value: Store| Changes { stores: vec![Write { expected: 1, value }], ..changes() };
    other.commit(&write(renamed("Outra Padaria"))).await.unwrap();
    assert!(host.commit(&write(renamed("Terceira Padaria"))).await.is_err(), "the other was first");
    assert_eq!(recent(host, now()).await.store.name, "Outra Padaria");
}

#[tokio::test]
async fn what_lives_for_one_request_remembers_with_others_and_never_too_much() {
    let backend = OnSqlite::start().await;
    let numbers = 0..600;
    let keys = numbers.clone().map(|number| Write::insert(key(1_000 + number, 1))).collect();
    backend.host().commit(&Changes { stores: vec![Write::insert(store(1))], keys, ..changes() }).await.unwrap();
    let shared = Arc::<RecentKeys>::default();
    let open = || second_instance(&backend).with_recent_keys(Arc::clone(&shared));
    let (one, two) = (open(), open());
    for number in numbers {
        let hash = key(1_000 + number, 1).hash;
        let holder = one.find_keys(KeyQuery::Recent(&hash, now())).await.unwrap().pop().unwrap();
        assert!(
            Arc::ptr_eq(&holder, &two.find_keys(KeyQuery::Recent(&hash, now())).await.unwrap().pop().unwrap()),
            "{number}"
        );
    }
    let text = format!("{shared:?}");
    assert!((1..=256).contains(&text.matches("KeyHolder").count()), "{}", text.matches("KeyHolder").count());
}

fn bucket(name: &str, quota: u32) -> Bucket {
    Bucket { name: name.to_owned(), usage: Usage::Preview, quota, window: Duration::minutes(1) }
}

#[tokio::test]
async fn one_instance_gives_out_a_quota_to_the_last_place_and_asks_seldom() {
    let backend = OnSqlite::start().await;
    let (driver, leases) = (backend.host().driver(), Leases::new());
    let bucket = bucket("preview/1", 640);
    for left in (0..640).rev() {
        let admission = despacho_sql::admit(driver, &leases, &bucket, now()).await.unwrap();
        assert_eq!((admission.admitted, admission.remaining), (true, left));
    }
    let rejected = despacho_sql::admit(driver, &leases, &bucket, now()).await.unwrap();
    assert_eq!((rejected.admitted, rejected.remaining), (false, 0));
    let again = despacho_sql::admit(driver, &leases, &bucket, now().after(rejected.reset)).await.unwrap();
    assert!(again.admitted);
    // Half of the quota in leases that double up to 32, and the other half one by one.
    let writes = backend.host().driver().stats().commits;
    assert!(writes < 320 + 20, "{writes} writes");
}

#[tokio::test]
async fn instances_that_lease_never_give_out_more_than_the_quota() {
    let Some(backend) = OnPostgres::find().await else { return };
    let other = backend.sibling().await;
    let (bucket, leases) = (bucket("preview/2", 640), [Leases::new(), Leases::new()]);
    let mut admitted = 0;
    for _ in 0..40 {
        // At once on both instances, and many of each.
        let requested = (0..40).map(|number: u64| match number % 2 {
            0 => despacho_sql::admit(backend.host().driver(), &leases[0], &bucket, now()),
            _ => despacho_sql::admit(other.driver(), &leases[1], &bucket, now()),
        });
        admitted += join_all(requested).await.iter().filter(|response| response.as_ref().unwrap().admitted).count();
    }
    // One of them may hold a last lease that the other's requests would have liked; it gives it out itself.
    assert_eq!(admitted, 640);
    let later = now().after(Lease::LIFE).after(Duration::millis(1));
    let late = despacho_sql::admit(other.driver(), &leases[1], &bucket, later).await.unwrap();
    assert!(late.admitted, "a second gives ten places");
}

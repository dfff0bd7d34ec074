//! Data that an instance caches: recently read keys, and leased tokens of quotas.

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
    backend::{OnPostgres, OnSqlite},
    suite::{
        Backend,
        fixtures::{at, changes, key, store},
        tariffs::{insert, tariff},
    },
};

fn now() -> Timestamp {
    at(5)
}

/// Opens a second host on the same database, as another process would.
fn second_instance(backend: &OnSqlite) -> SqliteHost {
    let database = Sqlite::open(&backend.path(), &Options::default()).unwrap();
    SqliteHost::new(database, LocalPlatform::new().unwrap(), Timing::default())
}

async fn with_key() -> OnSqlite {
    let backend = OnSqlite::start().await;
    let (stores, keys) = (
        vec![Write::insert(store(1))],
        vec![Write::insert(key(5, 1))],
    );
    backend
        .host()
        .commit(&Changes {
            stores,
            keys,
            ..changes()
        })
        .await
        .unwrap();
    backend
}

async fn recent(host: &SqliteHost, at: Timestamp) -> Arc<KeyHolder> {
    host.find_keys(KeyQuery::Recent(&key(5, 1).hash, at))
        .await
        .unwrap()
        .pop()
        .unwrap()
}

fn revoked() -> Changes {
    let revoked = Key {
        deleted_at: Some(at(5)),
        version: 2,
        ..key(5, 1)
    };
    Changes {
        keys: vec![Write {
            expected: 1,
            value: revoked,
        }],
        ..changes()
    }
}

#[tokio::test]
async fn key_is_cached_for_1s_unless_this_host_revokes_it() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    let first = recent(host, now()).await;
    assert!(
        Arc::ptr_eq(&first, &recent(host, now().after(RECENT)).await),
        "the key was cached"
    );
    assert_eq!(recent(&other, now()).await, first);

    host.commit(&revoked()).await.unwrap();
    assert!(
        recent(host, now()).await.key.deleted_at.is_some(),
        "the revoking host rejects the key at once"
    );
    assert!(
        host.key(&key(5, 1).hash)
            .await
            .unwrap()
            .unwrap()
            .key
            .deleted_at
            .is_some()
    );
    assert!(
        other
            .key(&key(5, 1).hash)
            .await
            .unwrap()
            .unwrap()
            .key
            .deleted_at
            .is_some(),
        "a read for a write is not cached"
    );
    let late = now().after(RECENT).after(Duration::millis(1));
    assert!(
        recent(&other, late).await.key.deleted_at.is_some(),
        "other hosts reject the key after one second"
    );
    assert_eq!(
        host.find_keys(KeyQuery::Recent(&key(6, 1).hash, now()))
            .await,
        Ok(vec![])
    );
}

#[tokio::test]
async fn clock_step_back_does_not_extend_the_cache() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    recent(host, now()).await;
    other.commit(&revoked()).await.unwrap();
    assert!(
        recent(host, now().before(Duration::millis(1)))
            .await
            .key
            .deleted_at
            .is_some()
    );
}

#[tokio::test]
async fn store_commit_clears_the_cache_even_after_conflict() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    recent(host, now()).await;
    let renamed = |name: &str| Store {
        name: name.to_owned(),
        version: 2,
        ..store(1)
    };
    let write = |value: Store| Changes {
        stores: vec![Write { expected: 1, value }],
        ..changes()
    };
    other
        .commit(&write(renamed("Outra Padaria")))
        .await
        .unwrap();
    assert!(
        host.commit(&write(renamed("Terceira Padaria")))
            .await
            .is_err(),
        "the other host committed first"
    );
    assert_eq!(recent(host, now()).await.store.name, "Outra Padaria");
}

#[tokio::test]
async fn schedule_is_read_again_only_for_a_newer_revision() {
    let backend = with_key().await;
    let (host, other) = (backend.host(), second_instance(&backend));
    host.commit(&insert(0, tariff(5, 10))).await.unwrap();
    let first = other.tariff_schedule(Some(1)).await.unwrap();
    assert_eq!(recent(&other, now()).await.tariff_revision, 1);
    host.commit(&insert(1, tariff(6, 20))).await.unwrap();
    assert_eq!(
        recent(host, now()).await.tariff_revision,
        2,
        "the committing host reads the revision at once"
    );
    assert_eq!(
        recent(&other, now()).await.tariff_revision,
        1,
        "another host has cached the key"
    );
    assert!(
        Arc::ptr_eq(&first, &other.tariff_schedule(Some(1)).await.unwrap()),
        "the schedule was cached"
    );
    let late = now().after(RECENT).after(Duration::millis(1));
    assert_eq!(
        recent(&other, late).await.tariff_revision,
        2,
        "other hosts see the change after one second"
    );
    assert_eq!(
        other.tariff_schedule(Some(2)).await.unwrap().tariffs.len(),
        2
    );
    assert_eq!(
        other.tariff_schedule(Some(1)).await.unwrap().revision,
        2,
        "a newer schedule replaces the older one"
    );
}

#[tokio::test]
async fn transient_hosts_share_a_bounded_cache() {
    let backend = OnSqlite::start().await;
    let numbers = 0..600;
    let keys = numbers
        .clone()
        .map(|number| Write::insert(key(1_000 + number, 1)))
        .collect();
    backend
        .host()
        .commit(&Changes {
            stores: vec![Write::insert(store(1))],
            keys,
            ..changes()
        })
        .await
        .unwrap();
    let shared = Arc::<RecentKeys>::default();
    let open = || second_instance(&backend).with_recent_keys(Arc::clone(&shared));
    let (one, two) = (open(), open());
    for number in numbers {
        let hash = key(1_000 + number, 1).hash;
        let holder = one
            .find_keys(KeyQuery::Recent(&hash, now()))
            .await
            .unwrap()
            .pop()
            .unwrap();
        assert!(
            Arc::ptr_eq(
                &holder,
                &two.find_keys(KeyQuery::Recent(&hash, now()))
                    .await
                    .unwrap()
                    .pop()
                    .unwrap()
            ),
            "{number}"
        );
    }
    let text = format!("{shared:?}");
    assert!(
        (1..=256).contains(&text.matches("KeyHolder").count()),
        "{}",
        text.matches("KeyHolder").count()
    );
}

fn bucket(name: &str, quota: u32) -> Bucket {
    Bucket {
        name: name.to_owned(),
        usage: Usage::Preview,
        quota,
        window: Duration::minutes(1),
    }
}

#[tokio::test]
async fn single_instance_admits_the_full_quota_with_few_writes() {
    let backend = OnSqlite::start().await;
    let (driver, leases) = (backend.host().driver(), Leases::new());
    let bucket = bucket("preview/1", 640);
    for left in (0..640).rev() {
        let admission = despacho_sql::admit(driver, &leases, &bucket, now())
            .await
            .unwrap();
        assert_eq!((admission.admitted, admission.remaining), (true, left));
    }
    let rejected = despacho_sql::admit(driver, &leases, &bucket, now())
        .await
        .unwrap();
    assert_eq!((rejected.admitted, rejected.remaining), (false, 0));
    let again = despacho_sql::admit(driver, &leases, &bucket, now().after(rejected.reset))
        .await
        .unwrap();
    assert!(again.admitted);
    // Leases of up to 40 tokens cover half of the quota; the tokens of the other half are taken
    // individually.
    let writes = backend.host().driver().stats().commits;
    assert!(writes < 320 + 20, "{writes} writes");
}

#[tokio::test]
async fn leasing_instances_never_exceed_the_quota() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let other = backend.sibling().await;
    let (bucket, leases) = (bucket("preview/2", 640), [Leases::new(), Leases::new()]);
    let mut admitted = 0;
    for _ in 0..40 {
        // Many concurrent requests on both instances.
        let requested = (0..40).map(|number: u64| match number % 2 {
            0 => despacho_sql::admit(backend.host().driver(), &leases[0], &bucket, now()),
            _ => despacho_sql::admit(other.driver(), &leases[1], &bucket, now()),
        });
        admitted += join_all(requested)
            .await
            .iter()
            .filter(|response| response.as_ref().unwrap().admitted)
            .count();
    }
    // If an instance holds the last tokens while the other rejects requests, it admits its own next
    // requests with them.
    assert_eq!(admitted, 640);
    let later = now().after(Lease::TTL).after(Duration::millis(1));
    let late = despacho_sql::admit(other.driver(), &leases[1], &bucket, later)
        .await
        .unwrap();
    assert!(late.admitted, "ten tokens are available after one second");
}

//! Connection poolers in front of PostgreSQL, and hosts that do not respond.

use despacho_core::{
    changes::{Changes, Write},
    host::Storage,
};
use despacho_postgres::{Address, OpenError, Options, Postgres};
use despacho_process::cluster::Pooler;
use futures_util::future::join_all;

use crate::{
    backend::{OnPgBouncer, PostgresHost},
    suite::{
        Backend,
        fixtures::{changes, entry, event, order, store},
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

/// Ends all other sessions on the database, including those of the pooler.
const CUT: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test]
async fn shared_sessions_without_setting_are_rejected_with_remedy() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    let address = Address::parse(&backend.pooler.through(&backend.direct.address)).unwrap();
    let error = Postgres::open(&address, &Options::default())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, OpenError::Database(detail) if detail.contains("pooler=transaction")),
        "{error}"
    );
}

#[tokio::test]
async fn session_pooling_needs_no_setting() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    let pooler = Pooler::start(&backend.direct.cluster, "session").unwrap();
    let address = Address::parse(&pooler.through(&backend.direct.address)).unwrap();
    let database = Postgres::open(
        &address,
        &Options {
            connections: 4,
            ..Options::default()
        },
    )
    .await
    .unwrap();
    assert_eq!(database.ready().await, Ok(()));
}

#[tokio::test]
async fn statement_pooling_is_rejected_with_remedy() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    let pooler = Pooler::start(&backend.direct.cluster, "statement").unwrap();
    let address = format!(
        "{}?pooler=transaction",
        pooler.through(&backend.direct.address)
    );
    let error = Postgres::open(&Address::parse(&address).unwrap(), &Options::default())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("pool_mode = transaction"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pooled_instances_store_every_write_once_despite_cuts() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    let other = backend.second_instance().await;
    backend
        .host()
        .commit(&Changes {
            stores: vec![Write::insert(store(1))],
            ..changes()
        })
        .await
        .unwrap();
    let hosts: [&PostgresHost; 2] = [backend.host(), &other];
    let writes: Vec<Changes> = (1..=600).map(create).collect();
    let write = async |number: usize| {
        // A cut connection returns an error if the pooler has no other connection yet. The client
        // repeats the write.
        for attempt in 0..50 {
            match hosts[(number + attempt) % 2].commit(&writes[number]).await {
                Ok(()) => return,
                // An earlier attempt with an unknown outcome was committed.
                Err(despacho_core::host::HostError::Conflict) if attempt > 0 => return,
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            }
        }
        panic!("write {number} was not committed in 50 attempts");
    };
    let cuts = async {
        for _ in 0..5 {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            tokio::task::block_in_place(|| backend.direct.query(CUT));
        }
    };
    tokio::join!(join_all((0..600).map(write)), cuts);
    let counts = "SELECT (SELECT COUNT(*) FROM orders), (SELECT MAX(place) FROM events), \
        (SELECT COUNT(*) FROM events), (SELECT amount FROM balances WHERE store = 1), (SELECT SUM(amount) FROM ledger)";
    assert_eq!(backend.direct.query(counts), "600|600|600|-60000|-60000");
}

#[tokio::test]
async fn pooled_transactions_set_timeouts_only_for_themselves() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    let name = backend.direct.query("SELECT current_database()");
    backend.direct.query(&format!(
        "ALTER DATABASE {name} SET statement_timeout = '77s'"
    ));
    backend.direct.query(CUT);
    let write = Changes {
        stores: vec![Write::insert(store(1))],
        ..changes()
    };
    backend.host().commit(&write).await.unwrap();
    // The pooler keeps the session open. The transaction must not have changed its settings.
    let through = backend.pooler.through(&backend.direct.address);
    let shown = backend
        .direct
        .cluster
        .query(&through, "SHOW statement_timeout")
        .unwrap();
    assert_eq!(shown, "77s");
}

#[tokio::test]
async fn host_that_does_not_respond_is_skipped() {
    let Some(backend) = OnPgBouncer::find().await else {
        return;
    };
    // Accepts connections, as a frozen server's kernel does, and sends nothing.
    let frozen = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (_, rest) = backend.direct.address.split_once('@').unwrap();
    let hosts = format!("127.0.0.1:{},{rest}", frozen.local_addr().unwrap().port());
    let address =
        Address::parse(&format!("postgres://despacho@{hosts}?connect_timeout=1")).unwrap();
    let options = Options::default();
    let opening = Postgres::open(&address, &options);
    let database = tokio::time::timeout(std::time::Duration::from_secs(60), opening)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(database.ready().await, Ok(()));
}

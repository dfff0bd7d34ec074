//! Tests of transactions of several requests that PostgreSQL runs as one.

use despacho_core::{
    changes::{Changes, Write},
    host::{HostError, Storage},
    model::store::Store,
};
use futures_util::future::{join, join_all};

use crate::{
    backend::{OnPostgres, PostgresHost},
    postgres::{SLEEPING, hold},
    suite::{
        Backend,
        fixtures::{changes, entry, event, order, store},
    },
};

const MERCHANTS: u64 = 8;

/// Stores independent merchants.
async fn put_merchants(host: &PostgresHost) {
    let merchant = |number| {
        Write::insert(Store {
            parent: None,
            ..store(number)
        })
    };
    host.commit(&Changes {
        stores: (1..=MERCHANTS).map(merchant).collect(),
        ..changes()
    })
    .await
    .unwrap();
}

/// Returns the changes of a new order. Successive numbers are of different merchants.
fn create(number: u64) -> Changes {
    let merchant = number % MERCHANTS + 1;
    let order = order(number, merchant, &number.to_string());
    let (events, ledger) = (vec![event(&order, 1)], vec![entry(merchant, -100, None)]);
    Changes {
        orders: vec![Write::insert(order)],
        events,
        ledger,
        ..changes()
    }
}

async fn commit_all(host: &PostgresHost, writes: &[Changes]) -> Vec<Result<(), HostError>> {
    join_all(writes.iter().map(|changes| host.commit(changes))).await
}

#[tokio::test]
async fn new_orders_of_different_merchants_share_transactions() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_merchants(backend.host()).await;
    // The first order of a merchant creates its journal, which is not locked in order.
    for number in 1..=MERCHANTS {
        backend.host().commit(&create(number)).await.unwrap();
    }
    // Two instances lock the same merchants' rows, in opposite orders of their requests.
    let other = backend.sibling().await;
    let ascending: Vec<Changes> = (101..=260).map(create).collect();
    let descending: Vec<Changes> = (261..=420).rev().map(create).collect();
    let (first, second) = join(
        commit_all(backend.host(), &ascending),
        commit_all(&other, &descending),
    )
    .await;
    assert!(
        first.iter().chain(&second).all(Result::is_ok),
        "{first:?}, {second:?}"
    );
    // A row names the transaction that wrote it. On a slow machine some are rolled back, and their
    // orders are written singly.
    assert_eq!(
        backend
            .query("SELECT COUNT(*), COUNT(DISTINCT xmin::text) < 250 FROM orders WHERE id > 100"),
        "320|t"
    );
    assert_eq!(
        backend.query("SELECT MIN(amount), MAX(amount) FROM balances"),
        "-4100|-4100"
    );
    let places =
        "SELECT DISTINCT MIN(place), MAX(place), COUNT(DISTINCT place) FROM events GROUP BY matrix";
    assert_eq!(backend.query(places), "1|41|41");
}

#[tokio::test]
async fn conflict_fails_only_its_own_request() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_merchants(backend.host()).await;
    let is_wrong = |index: usize| index.is_multiple_of(11);
    let mut writes: Vec<Changes> = (1..=100).map(create).collect();
    for (_, changes) in writes
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| is_wrong(*index))
    {
        // The last statement fails: there is no such account.
        changes.ledger.push(entry(99, 1, None));
    }
    let results = commit_all(backend.host(), &writes).await;
    let expected: Vec<_> = (0..100)
        .map(|index| {
            if is_wrong(index) {
                Err(HostError::Conflict)
            } else {
                Ok(())
            }
        })
        .collect();
    assert_eq!(results, expected);
    let stored = "SELECT COUNT(*), (SELECT COUNT(*) FROM events), (SELECT SUM(amount) FROM balances) FROM orders";
    assert_eq!(backend.query(stored), "90|90|-9000");
    let stats = backend.host().driver().stats();
    assert_eq!((stats.commits, stats.conflicts), (91, 10), "{stats:?}");
}

#[tokio::test]
async fn locked_merchant_delays_only_its_own_orders() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_merchants(backend.host()).await;
    backend.host().commit(&create(MERCHANTS)).await.unwrap();
    let held = hold(
        &backend,
        "SELECT last FROM journals WHERE matrix = 1 FOR UPDATE",
        4.0,
    )
    .await;
    let (locked, others): (Vec<u64>, Vec<u64>) =
        (101..=160).partition(|number| number % MERCHANTS == 0);
    let [locked, others] =
        [locked, others].map(|numbers| numbers.into_iter().map(create).collect::<Vec<_>>());
    let stored_others = async {
        let results = commit_all(backend.host(), &others).await;
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        backend.query(SLEEPING)
    };
    let (results, sleeping) = join(commit_all(backend.host(), &locked), stored_others).await;
    assert_eq!(
        sleeping, "1",
        "the lock ended before the others were stored"
    );
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    held.await.unwrap().unwrap();
    assert_eq!(backend.query("SELECT COUNT(*) FROM orders"), "61");
}

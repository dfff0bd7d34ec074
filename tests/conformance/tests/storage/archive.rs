//! Removal of archived histories on every database. tests/process tests the archive files and the
//! command.

use despacho_core::{
    api,
    changes::{Changes, Write},
    drivers::stream::{self, JournalSubscription},
    host::{Host, HostError, Storage},
    model::{
        Language,
        order::{Journal, Order, OrderStatus},
        store::{Key, KeyHash},
        webhook::{Webhook, WebhookState},
    },
    rules::settings::Settings,
};
use despacho_sql::{
    Driver, Histories, Machine, OrderHistory, Readers, SqlHost, delete_archived, ended_orders,
};

use crate::{
    backend::{OnPostgres, OnSqlite},
    suite::{
        Backend,
        fixtures::{at, changes, entry, event, key, order, order_id, store, store_id, webhook},
    },
};

/// Minutes after noon. All events happen earlier.
const LATER: i64 = 60;

fn ended(number: u64, of: u64) -> Order {
    Order {
        status: OrderStatus::Completed,
        ..order(number, of, &format!("P-{number}"))
    }
}

async fn start(host: &impl Storage, journal: Journal) -> Result<u64, HostError> {
    Ok(host.journal_span(journal).await?.start)
}

/// Stores a merchant, a branch, three ended orders and one open order. Each order has two events,
/// interleaved with the others.
async fn fill<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    let stores = [1, 2].map(|number| Write::insert(store(number))).to_vec();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
    let orders = [
        ended(50, 1),
        order(51, 1, "P-51"),
        ended(52, 2),
        ended(53, 1),
    ];
    for sequence in 1..=2 {
        for order in &orders {
            let first = sequence == 1;
            let written = first
                .then(|| Write::insert(order.clone()))
                .into_iter()
                .collect();
            let ledger = first.then(|| entry(1, -100, None)).into_iter().collect();
            let events = vec![event(order, sequence)];
            host.commit(&Changes {
                orders: written,
                events,
                ledger,
                ..changes()
            })
            .await
            .unwrap();
        }
    }
}

async fn find_ended<D: Driver, P: Machine>(host: &SqlHost<D, P>, minutes: i64) -> Histories {
    let readers = Readers::of(host.driver()).await.unwrap();
    ended_orders(host.driver(), &readers, 0, at(minutes))
        .await
        .unwrap()
}

fn histories(found: &Histories) -> Vec<OrderHistory> {
    found.orders.iter().map(|order| order.history).collect()
}

fn journals() -> [Journal; 2] {
    let matrix = Journal {
        merchant: store_id(1),
        branch: None,
    };
    [
        matrix,
        Journal {
            branch: Some(store_id(2)),
            ..matrix
        },
    ]
}

async fn positions<H: Host>(host: &H, of: Journal) -> Vec<u64> {
    host.journal(of, 0, 100)
        .await
        .unwrap()
        .iter()
        .map(|entry| entry.position)
        .collect()
}

async fn archived_histories_are_removed_and_orders_remain<D: Driver, P: Machine>(
    host: &SqlHost<D, P>,
) {
    fill(host).await;
    let balance = async || host.store(store_id(1)).await.unwrap().unwrap().balance;
    let before = (balance().await, host.order(order_id(50)).await.unwrap());
    assert_eq!(
        find_ended(host, 2).await.orders,
        vec![],
        "the age of an order is that of its last event"
    );
    let old = find_ended(host, LATER).await;
    assert_eq!(
        old.orders.iter().map(|order| order.id).collect::<Vec<_>>(),
        [50, 52, 53]
    );
    let record: serde_json::Value = serde_json::from_str(&old.orders[0].record).unwrap();
    assert_eq!(
        (&record["orderId"], &record["events"][1]["sequence"]),
        (&50.into(), &2.into())
    );
    let stored: Order = serde_json::from_value(record["order"].clone()).unwrap();
    assert_eq!(
        Some(stored),
        before.1,
        "the record contains the stored order"
    );
    // An interrupted run finds the same orders again.
    assert_eq!(find_ended(host, LATER).await, old);
    let branch: Vec<OrderHistory> = histories(&old)
        .into_iter()
        .filter(|leaf| leaf.order == 52)
        .collect();
    host.driver()
        .transact(delete_archived(&branch))
        .await
        .unwrap();
    let starts = async || {
        [
            start(host, journals()[0]).await,
            start(host, journals()[1]).await,
        ]
    };
    assert_eq!(starts().await, [Ok(7), Ok(7)]);
    host.driver()
        .transact(delete_archived(&histories(&old)))
        .await
        .unwrap();
    assert_eq!(
        starts().await,
        [Ok(8), Ok(7)],
        "the start of a branch's journal depends only on its own events"
    );
    assert_eq!(
        (
            positions(host, journals()[0]).await,
            positions(host, journals()[1]).await
        ),
        (vec![2, 6], vec![])
    );
    // A second run that found the same orders changes nothing.
    host.driver()
        .transact(delete_archived(&histories(&old)))
        .await
        .unwrap();
    assert_eq!(starts().await, [Ok(8), Ok(7)]);
    assert_eq!(find_ended(host, LATER).await.orders, vec![]);
    assert_eq!(
        (balance().await, host.order(order_id(50)).await.unwrap()),
        before
    );
    assert_eq!(host.events(order_id(50)).await, Ok(vec![]));
    assert_eq!(host.events(order_id(51)).await.unwrap().len(), 2);
    let again = Changes {
        orders: vec![Write::insert(order(60, 1, "P-50"))],
        ..changes()
    };
    assert_eq!(
        host.commit(&again).await,
        Err(HostError::Conflict),
        "the code is still in use"
    );
}

async fn changed_or_undelivered_histories_remain<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    fill(host).await;
    let mut stale = histories(&find_ended(host, LATER).await);
    stale[0].version += 1;
    assert_eq!(
        host.driver().transact(delete_archived(&stale)).await,
        Err(HostError::Conflict)
    );
    assert_eq!(
        host.events(order_id(50)).await.unwrap().len(),
        2,
        "a conflict removes nothing"
    );
    assert_eq!(start(host, journals()[0]).await, Ok(0));
    // The merchant's webhook is at position 5; the branch's webhook is past all of its events.
    let put = async |webhook: Webhook| {
        host.commit(&Changes {
            webhooks: vec![Write::insert(webhook)],
            ..changes()
        })
        .await
        .unwrap();
    };
    put(Webhook {
        position: 5,
        state: WebhookState::Disabled { at: at(1) },
        ..webhook(70, 1)
    })
    .await;
    put(Webhook {
        position: 7,
        ..webhook(71, 2)
    })
    .await;
    put(Webhook {
        position: 0,
        state: WebhookState::Ended { at: at(1) },
        ..webhook(72, 1)
    })
    .await;
    let awaited: Vec<_> = find_ended(host, LATER)
        .await
        .orders
        .iter()
        .map(|order| (order.id, order.awaited_by))
        .collect();
    assert_eq!(
        awaited,
        [(50, None), (52, Some(70)), (53, Some(70))],
        "the last event of order 50 is at position 5"
    );
}

async fn cursor_before_archived_events_returns_410<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    fill(host).await;
    let text = "dsp_archive";
    let reader = Key {
        hash: KeyHash::of(text),
        expires_at: at(1_000_000_000),
        connection: None,
        ..key(9, 1)
    };
    host.commit(&Changes {
        keys: vec![Write::insert(reader.clone())],
        ..changes()
    })
    .await
    .unwrap();
    let settings = Settings::default();
    let query = async |path: &str| {
        let request = http::Request::get(path)
            .header("x-api-token", text)
            .body(bytes::Bytes::new())
            .unwrap();
        let response = api::handle(host, &settings, request).await;
        (
            response.status().as_u16(),
            String::from_utf8_lossy(response.body()).into_owned(),
        )
    };
    assert_eq!(query("/delivery/events?after=3-1").await.0, 200);
    let mut open = JournalSubscription {
        journal: journals()[0],
        position: 3,
        language: Language::English,
        key: reader.id,
        hash: reader.hash.clone(),
    };
    host.driver()
        .transact(delete_archived(&histories(&find_ended(host, LATER).await)))
        .await
        .unwrap();
    for path in [
        "/delivery/events?after=3-1",
        "/delivery/events?after=0-1",
        "/delivery/events/stream?after=3-1",
    ] {
        let (status, body) = query(path).await;
        assert!(
            status == 410 && body.contains("events_archived"),
            "{path}: {body}"
        );
    }
    let streamed = stream::next(host, &mut open, 10).await;
    assert!(
        matches!(
            streamed,
            Err(HostError::Unavailable {
                what: "journal",
                ..
            })
        ),
        "{streamed:?}"
    );
    for path in [
        "/delivery/events",
        "/delivery/events?after=0",
        "/delivery/events?after=8-1",
    ] {
        let (status, body) = query(path).await;
        assert!(
            status == 200 && body.contains("\"events\":[]") && body.contains("\"next\":\"8-1\""),
            "{path}: {body}"
        );
    }
    assert!(
        query("/delivery/events?after=9-1")
            .await
            .1
            .contains("cursor_invalid")
    );
}

macro_rules! on_both {
    ($($case:ident),*) => {
        mod on_sqlite {$(
            #[tokio::test]
            async fn $case() {
                let backend = <super::OnSqlite as super::Backend>::start().await;
                super::$case(super::Backend::host(&backend)).await;
            }
            )*}
        mod on_postgres {$(
            #[tokio::test]
            async fn $case() {
                let Some(backend) = <super::OnPostgres as super::Backend>::find().await else { return };
                super::$case(super::Backend::host(&backend)).await;
            }
            )*}
    };
}

on_both! {
    archived_histories_are_removed_and_orders_remain, changed_or_undelivered_histories_remain,
    cursor_before_archived_events_returns_410
}

//! Taking old histories out, on every database; the files and the command are tested in tests/process.

use despacho_core::{
    api,
    changes::{Changes, Write},
    drivers::stream::{self, Subscription},
    host::{Host, HostError, Storage},
    model::{
        Language,
        order::{Journal, Order, OrderStatus},
        store::{Key, KeyHash},
        webhook::{Webhook, WebhookState},
    },
    rules::settings::Settings,
};
use despacho_sql::{Driver, Histories, Machine, OrderHistory, Readers, SqlHost, delete_archived, ended_orders};

use crate::{
    backend::{Backend, OnPostgres, OnSqlite},
    fixtures::{at, changes, entry, event, key, order, order_id, store, store_id, webhook},
};

/// Everything happens within the first minutes after noon, and this is later.
const LATER: i64 = 60;

fn ended(number: u64, of: u64) -> Order {
    Order { status: OrderStatus::Completed, ..order(number, of, &format!("P-{number}")) }
}

async fn start(host: &impl Storage, journal: Journal) -> Result<u64, HostError> {
    Ok(host.journal_span(journal).await?.start)
}

/// A merchant with a branch, and of each ended orders and one that has not; two events each, in turns.
async fn fill<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    let stores = [1, 2].map(|number| Write::insert(store(number))).to_vec();
    host.commit(&Changes { stores, ..changes() }).await.unwrap();
    let orders = [ended(50, 1), order(51, 1, "P-51"), ended(52, 2), ended(53, 1)];
    for sequence in 1..=2 {
        for order in &orders {
            let first = sequence == 1;
            let written = first.then(|| Write::insert(order.clone())).into_iter().collect();
            let ledger = first.then(|| entry(1, -100, None)).into_iter().collect();
            let events = vec![event(order, sequence)];
            host.commit(&Changes { orders: written, events, ledger, ..changes() }).await.unwrap();
        }
    }
}

async fn found<D: Driver, P: Machine>(host: &SqlHost<D, P>, minutes: i64) -> Histories {
    let readers = Readers::of(host.driver()).await.unwrap();
    ended_orders(host.driver(), &readers, 0, at(minutes)).await.unwrap()
}

fn leaves(found: &Histories) -> Vec<OrderHistory> {
    found.orders.iter().map(|order| order.history).collect()
}

fn journals() -> [Journal; 2] {
    let matrix = Journal { matrix: store_id(1), branch: None };
    [matrix, Journal { branch: Some(store_id(2)), ..matrix }]
}

async fn places<H: Host>(host: &H, of: Journal) -> Vec<u64> {
    host.journal(of, 0, 100).await.unwrap().iter().map(|entry| entry.place).collect()
}

async fn whole_histories_leave_and_the_orders_stay<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    fill(host).await;
    let balance = async || host.store(store_id(1)).await.unwrap().unwrap().balance;
    let before = (balance().await, host.order(order_id(50)).await.unwrap());
    assert_eq!(found(host, 2).await.orders, vec![], "an order's last event counts, not its first");
    let old = found(host, LATER).await;
    assert_eq!(old.orders.iter().map(|order| order.id).collect::<Vec<_>>(), [50, 52, 53]);
    let record: serde_json::Value = serde_json::from_str(&old.orders[0].record).unwrap();
    assert_eq!((&record["orderId"], &record["events"][1]["sequence"]), (&50.into(), &2.into()));
    let stored: Order = serde_json::from_value(record["order"].clone()).unwrap();
    assert_eq!(Some(stored), before.1, "the record holds the order as it is");
    // Whoever is interrupted here finds the same again.
    assert_eq!(found(host, LATER).await, old);
    let branch: Vec<OrderHistory> = leaves(&old).into_iter().filter(|leaf| leaf.order == 52).collect();
    host.driver().transact(delete_archived(&branch)).await.unwrap();
    let starts = async || [start(host, journals()[0]).await, start(host, journals()[1]).await];
    assert_eq!(starts().await, [Ok(7), Ok(7)]);
    host.driver().transact(delete_archived(&leaves(&old))).await.unwrap();
    assert_eq!(starts().await, [Ok(8), Ok(7)], "a branch's journal begins by its own events");
    assert_eq!((places(host, journals()[0]).await, places(host, journals()[1]).await), (vec![2, 6], vec![]));
    // Another run that had found the same does nothing twice.
    host.driver().transact(delete_archived(&leaves(&old))).await.unwrap();
    assert_eq!(starts().await, [Ok(8), Ok(7)]);
    assert_eq!(found(host, LATER).await.orders, vec![]);
    assert_eq!((balance().await, host.order(order_id(50)).await.unwrap()), before);
    assert_eq!(host.events(order_id(50)).await, Ok(vec![]));
    assert_eq!(host.events(order_id(51)).await.unwrap().len(), 2);
    let again = Changes { orders: vec![Write::insert(order(60, 1, "P-50"))], ..changes() };
    assert_eq!(host.commit(&again).await, Err(HostError::Conflict), "its code is still taken");
}

async fn what_changed_or_is_awaited_stays<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    fill(host).await;
    let mut stale = leaves(&found(host, LATER).await);
    stale[0].version += 1;
    assert_eq!(host.driver().transact(delete_archived(&stale)).await, Err(HostError::Conflict));
    assert_eq!(host.events(order_id(50)).await.unwrap().len(), 2, "all of a transaction or nothing");
    assert_eq!(start(host, journals()[0]).await, Ok(0));
    // The merchant has come to place 5, its branch past everything of its own.
    let put = async |webhook: Webhook| {
        host.commit(&Changes { webhooks: vec![Write::insert(webhook)], ..changes() }).await.unwrap();
    };
    put(Webhook { position: 5, state: WebhookState::Disabled { at: at(1) }, ..webhook(70, 1) }).await;
    put(Webhook { position: 7, ..webhook(71, 2) }).await;
    put(Webhook { position: 0, state: WebhookState::Ended { at: at(1) }, ..webhook(72, 1) }).await;
    let awaited: Vec<_> = found(host, LATER).await.orders.iter().map(|order| (order.id, order.awaited_by)).collect();
    assert_eq!(awaited, [(50, None), (52, Some(70)), (53, Some(70))], "the last events of 50 are at place 5");
}

async fn nobody_reads_on_over_a_gap<D: Driver, P: Machine>(host: &SqlHost<D, P>) {
    fill(host).await;
    let text = "dsp_archive";
    let reader = Key { hash: KeyHash::of(text), expires_at: at(1_000_000_000), ..key(9, 1) };
    host.commit(&Changes { keys: vec![Write::insert(reader.clone())], ..changes() }).await.unwrap();
    let settings = Settings::default();
    let query = async |path: &str| {
        let request = http::Request::get(path).header("x-api-token", text).body(bytes::Bytes::new()).unwrap();
        let response = api::handle(host, &settings, request).await;
        (response.status().as_u16(), String::from_utf8_lossy(response.body()).into_owned())
    };
    assert_eq!(query("/delivery/events?after=3-1").await.0, 200);
    let mut open = Subscription {
        journal: journals()[0],
        place: 3,
        language: Language::English,
        key: reader.id,
        hash: reader.hash.clone(),
    };
    host.driver().transact(delete_archived(&leaves(&found(host, LATER).await))).await.unwrap();
    for path in ["/delivery/events?after=3-1", "/delivery/events?after=0-1", "/delivery/events/stream?after=3-1"] {
        let (status, body) = query(path).await;
        assert!(status == 410 && body.contains("events_archived"), "{path}: {body}");
    }
    let streamed = stream::next(host, &mut open, 10).await;
    assert!(matches!(streamed, Err(HostError::Unavailable { what: "journal", .. })), "{streamed:?}");
    for path in ["/delivery/events", "/delivery/events?after=0", "/delivery/events?after=8-1"] {
        let (status, body) = query(path).await;
        assert!(status == 200 && body.contains("\"events\":[]") && body.contains("\"next\":\"8-1\""), "{path}: {body}");
    }
    assert!(query("/delivery/events?after=9-1").await.1.contains("cursor_invalid"));
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

on_both! { whole_histories_leave_and_the_orders_stay, what_changed_or_is_awaited_stays, nobody_reads_on_over_a_gap }

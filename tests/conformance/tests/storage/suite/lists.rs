//! Lists of orders and stores, and the removal of a store.

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery, Storage, StoreQuery},
    model::{
        order::{Order, OrderFilter, OrderStatus},
        store::Store,
    },
};

use super::{
    Backend,
    fixtures::{at, changes, entry, order, order_id, store, store_id, update},
};

async fn put<H: Host>(host: &H, stores: &[u64], orders: Vec<Order>) {
    let stores = stores.iter().map(|number| Write::insert(store(*number))).collect();
    let orders = orders.into_iter().map(Write::insert).collect();
    host.commit(&Changes { stores, orders, ..changes() }).await.unwrap();
}

async fn find_ids<H: Host>(host: &H, filter: &OrderFilter, limit: u32) -> Vec<u64> {
    host.find_orders(OrderQuery::Matching(filter, limit)).await.unwrap().iter().map(|order| order.id.get()).collect()
}

pub(crate) async fn orders_are_listed_newest_first(backend: impl Backend) {
    let host = backend.host();
    let mut orders: Vec<Order> = (1..=8).map(|number| order(number, 1 + number % 2, &format!("P-{number}"))).collect();
    orders[3].status = OrderStatus::Cancelled;
    orders[5].created_at = at(30);
    put(host, &[1, 2, 3], orders).await;
    let parent = OrderFilter::of(&store(1));
    assert_eq!(find_ids(host, &parent, 50).await, [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(find_ids(host, &parent, 3).await, [8, 7, 6]);
    let page = OrderFilter { before: Some(order_id(6)), ..parent.clone() };
    assert_eq!(find_ids(host, &page, 3).await, [5, 4, 3]);
    assert_eq!(find_ids(host, &OrderFilter::of(&store(2)), 50).await, [7, 5, 3, 1]);
    assert_eq!(find_ids(host, &OrderFilter::of(&store(3)), 50).await, [0_u64; 0]);
    let coded = OrderFilter { code: Some("P-5".to_owned()), ..parent.clone() };
    assert_eq!(find_ids(host, &coded, 50).await, [5]);
    assert_eq!(
        find_ids(host, &OrderFilter { store: Some(store_id(2)), branches: false, ..coded.clone() }, 50).await,
        [5]
    );
    assert_eq!(
        find_ids(host, &OrderFilter { store: Some(store_id(1)), branches: false, ..coded }, 50).await,
        [0_u64; 0]
    );
    let cancelled = OrderStatus::Cancelled.number();
    assert_eq!(find_ids(host, &OrderFilter { statuses: (cancelled, cancelled), ..parent.clone() }, 50).await, [4]);
    assert_eq!(find_ids(host, &OrderFilter { from: at(30), ..parent.clone() }, 50).await, [6]);
    assert_eq!(find_ids(host, &OrderFilter { until: at(30), ..parent.clone() }, 2).await, [8, 7]);
    assert_eq!(find_ids(host, &OrderFilter::open(store_id(1)), 50).await, [8, 6, 2]);
    let first = host.find_orders(OrderQuery::Matching(&parent, 1)).await.unwrap();
    assert_eq!(first, [host.order(order_id(8)).await.unwrap().unwrap()]);
}

/// Reads all parts of a list, each from the last order of the previous one. Returns the IDs and the largest number of orders in a part.
async fn in_parts<H: Host>(host: &H, filter: &OrderFilter) -> (Vec<u64>, usize) {
    let (mut ids, mut largest, mut rest) = (Vec::new(), 0, filter.clone());
    loop {
        let part = host.find_orders(OrderQuery::Matching(&rest, 50)).await.unwrap();
        let Some(last) = part.last() else { return (ids, largest) };
        rest.before = Some(last.id);
        largest = largest.max(part.len());
        ids.extend(part.iter().map(|order| order.id.get()));
    }
}

pub(crate) async fn large_orders_are_read_in_parts(backend: impl Backend) {
    let host = backend.host();
    let large = |number| Order { full_code: Some("x".repeat(100_000)), ..order(number, 1, &format!("P-{number}")) };
    let mut orders: Vec<Order> = (1..=7).map(large).collect();
    orders[3].full_code = Some("y".repeat(400_000));
    put(host, &[1], orders).await;
    for branches in [true, false] {
        let filter = OrderFilter { branches, ..OrderFilter::of(&store(1)) };
        let (ids, _) = in_parts(host, &filter).await;
        assert_eq!(ids, [7, 6, 5, 4, 3, 2, 1]);
        let coded = OrderFilter { code: Some("P-4".to_owned()), ..filter };
        assert_eq!(in_parts(host, &coded).await, (vec![4], 1), "an order larger than a part is returned");
    }
}

pub(crate) async fn parent_store_is_listed_with_its_branches(backend: impl Backend) {
    let host = backend.host();
    put(host, &[1, 2, 3, 4], vec![]).await;
    host.commit(&Changes { ledger: vec![entry(3, 700, None)], ..changes() }).await.unwrap();
    let numbers = |stores: &[Store]| stores.iter().map(|store| store.id.get()).collect::<Vec<_>>();
    let ids: Vec<_> = (2..=60).map(store_id).collect();
    let mut some = numbers(&host.find_stores(StoreQuery::Ids(&ids)).await.unwrap());
    some.sort_unstable();
    assert_eq!(some, [2, 3, 4]);
    let all = host.find_stores(StoreQuery::WithBranches { store: store_id(1), after: None, limit: 50 }).await.unwrap();
    assert_eq!(numbers(&all), [1, 2, 3, 4]);
    assert_eq!(Some(&all[2]), host.store(store_id(3)).await.unwrap().as_ref());
    assert_eq!(
        numbers(
            &host
                .find_stores(StoreQuery::WithBranches { store: store_id(1), after: Some(store_id(2)), limit: 1 })
                .await
                .unwrap()
        ),
        [3]
    );
    assert_eq!(
        numbers(
            &host.find_stores(StoreQuery::WithBranches { store: store_id(2), after: None, limit: 50 }).await.unwrap()
        ),
        [2]
    );
    let removed = Store { deleted_at: Some(at(1)), ..store(2) };
    host.commit(&Changes { stores: vec![update(1, removed)], ..changes() }).await.unwrap();
    assert_eq!(
        numbers(
            &host.find_stores(StoreQuery::WithBranches { store: store_id(1), after: None, limit: 50 }).await.unwrap()
        ),
        [1, 3, 4]
    );
    let others = host.find_stores(StoreQuery::All { after: None, limit: 2 }).await.unwrap();
    assert_eq!(numbers(&others), [1, 3]);
    let others = host.find_stores(StoreQuery::All { after: Some(store_id(1)), limit: 9 }).await.unwrap();
    assert_eq!(numbers(&others), [3, 4]);
    let disabled = Store { disabled_at: Some(at(2)), parent_disabled: true, ..store(4) };
    host.commit(&Changes { stores: vec![update(1, disabled)], ..changes() }).await.unwrap();
    let read = host.store(store_id(4)).await.unwrap().unwrap();
    assert_eq!((read.disabled_at, read.parent_disabled, read.is_disabled()), (Some(at(2)), true, true));
    let with_removed = host.find_stores(StoreQuery::Ids(&[store_id(2)])).await.unwrap();
    assert_eq!(numbers(&with_removed), [2]);
}

pub(crate) async fn store_with_open_orders_is_not_removed(backend: impl Backend) {
    let host = backend.host();
    put(host, &[1, 2], vec![order(5, 2, "P")]).await;
    let removal = Changes { stores: vec![update(1, Store { deleted_at: Some(at(1)), ..store(2) })], ..changes() };
    assert_eq!(host.commit(&removal).await, Err(HostError::Conflict));
    assert!(host.store(store_id(2)).await.unwrap().is_some());
    // The rejected removal has not closed the account.
    host.commit(&Changes { ledger: vec![entry(2, -5, None)], ..changes() }).await.unwrap();
    let ended = Order { status: OrderStatus::Completed, ..order(5, 2, "P") };
    let settled = vec![entry(2, 5, None)];
    host.commit(&Changes { orders: vec![update(1, ended)], ledger: settled, ..changes() }).await.unwrap();
    host.commit(&removal).await.unwrap();
    // An order decided before the removal is rejected, because the account of its fee is closed.
    let late = Changes { orders: vec![Write::insert(order(6, 2, "Q"))], ledger: vec![entry(2, -5, None)], ..changes() };
    assert_eq!(host.commit(&late).await, Err(HostError::Conflict));
    assert_eq!(host.order(order_id(6)).await, Ok(None));
}

//! Lists of orders and stores, and the removal of a store.

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, OrderQuery, Storage, StoreQuery},
    model::{
        order::{Order, OrderFilter, OrderStatus, ReportedOrder},
        store::Store,
    },
};

use super::{
    Backend,
    fixtures::{at, changes, entry, order, order_id, store, store_id, update},
};

async fn put<H: Host>(host: &H, stores: &[u64], orders: Vec<Order>) {
    let stores = stores
        .iter()
        .map(|number| Write::insert(store(*number)))
        .collect();
    let orders = orders.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        stores,
        orders,
        ..changes()
    })
    .await
    .unwrap();
}

async fn find_ids<H: Host>(host: &H, filter: &OrderFilter, limit: u32) -> Vec<u64> {
    host.find_orders(OrderQuery::Matching(filter, limit))
        .await
        .unwrap()
        .iter()
        .map(|order| order.id.get())
        .collect()
}

pub(crate) async fn orders_are_listed_newest_first(backend: impl Backend) {
    let host = backend.host();
    let mut orders: Vec<Order> = (1..=8)
        .map(|number| order(number, 1 + number % 2, &format!("P-{number}")))
        .collect();
    orders[3].status = OrderStatus::Cancelled;
    orders[5].created_at = at(30);
    put(host, &[1, 2, 3], orders).await;
    let parent = OrderFilter::of(&store(1));
    assert_eq!(find_ids(host, &parent, 50).await, [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(find_ids(host, &parent, 3).await, [8, 7, 6]);
    let page = OrderFilter {
        before: Some(order_id(6)),
        ..parent.clone()
    };
    assert_eq!(find_ids(host, &page, 3).await, [5, 4, 3]);
    assert_eq!(
        find_ids(host, &OrderFilter::of(&store(2)), 50).await,
        [7, 5, 3, 1]
    );
    assert_eq!(
        find_ids(host, &OrderFilter::of(&store(3)), 50).await,
        [0_u64; 0]
    );
    let coded = OrderFilter {
        code: Some("P-5".to_owned()),
        ..parent.clone()
    };
    assert_eq!(find_ids(host, &coded, 50).await, [5]);
    assert_eq!(
        find_ids(
            host,
            &OrderFilter {
                store: Some(store_id(2)),
                branches: false,
                ..coded.clone()
            },
            50
        )
        .await,
        [5]
    );
    assert_eq!(
        find_ids(
            host,
            &OrderFilter {
                store: Some(store_id(1)),
                branches: false,
                ..coded
            },
            50
        )
        .await,
        [0_u64; 0]
    );
    let cancelled = OrderStatus::Cancelled.number();
    assert_eq!(
        find_ids(
            host,
            &OrderFilter {
                statuses: (cancelled, cancelled),
                ..parent.clone()
            },
            50
        )
        .await,
        [4]
    );
    assert_eq!(
        find_ids(
            host,
            &OrderFilter {
                from: at(30),
                ..parent.clone()
            },
            50
        )
        .await,
        [6]
    );
    assert_eq!(
        find_ids(
            host,
            &OrderFilter {
                until: at(30),
                ..parent.clone()
            },
            2
        )
        .await,
        [8, 7]
    );
    assert_eq!(
        find_ids(host, &OrderFilter::open(store_id(1)), 50).await,
        [8, 6, 2]
    );
    let first = host
        .find_orders(OrderQuery::Matching(&parent, 1))
        .await
        .unwrap();
    assert_eq!(first, [host.order(order_id(8)).await.unwrap().unwrap()]);
}

/// Reads all parts of a list, each from the last order of the previous one. Returns the IDs and the
/// largest number of orders in a part.
async fn in_parts<H: Host>(host: &H, filter: &OrderFilter) -> (Vec<u64>, usize) {
    let (mut ids, mut largest, mut rest) = (Vec::new(), 0, filter.clone());
    loop {
        let part = host
            .find_orders(OrderQuery::Matching(&rest, 50))
            .await
            .unwrap();
        let Some(last) = part.last() else {
            return (ids, largest);
        };
        rest.before = Some(last.id);
        largest = largest.max(part.len());
        ids.extend(part.iter().map(|order| order.id.get()));
    }
}

pub(crate) async fn large_orders_are_read_in_parts(backend: impl Backend) {
    let host = backend.host();
    let large = |number| Order {
        full_code: Some("x".repeat(100_000)),
        ..order(number, 1, &format!("P-{number}"))
    };
    let mut orders: Vec<Order> = (1..=7).map(large).collect();
    orders[3].full_code = Some("y".repeat(400_000));
    put(host, &[1], orders).await;
    for branches in [true, false] {
        let filter = OrderFilter {
            branches,
            ..OrderFilter::of(&store(1))
        };
        let (ids, _) = in_parts(host, &filter).await;
        assert_eq!(ids, [7, 6, 5, 4, 3, 2, 1]);
        let coded = OrderFilter {
            code: Some("P-4".to_owned()),
            ..filter
        };
        assert_eq!(
            in_parts(host, &coded).await,
            (vec![4], 1),
            "an order larger than a part is returned"
        );
    }
}

pub(crate) async fn parent_store_is_listed_with_its_branches(backend: impl Backend) {
    let host = backend.host();
    put(host, &[1, 2, 3, 4], vec![]).await;
    host.commit(&Changes {
        ledger: vec![entry(3, 700, None)],
        ..changes()
    })
    .await
    .unwrap();
    let numbers = |stores: &[Store]| {
        stores
            .iter()
            .map(|store| store.id.get())
            .collect::<Vec<_>>()
    };
    let ids: Vec<_> = (2..=60).map(store_id).collect();
    let mut some = numbers(&host.find_stores(StoreQuery::Ids(&ids)).await.unwrap());
    some.sort_unstable();
    assert_eq!(some, [2, 3, 4]);
    let all = host
        .find_stores(StoreQuery::WithBranches {
            store: store_id(1),
            after: None,
            limit: 50,
        })
        .await
        .unwrap();
    assert_eq!(numbers(&all), [1, 2, 3, 4]);
    assert_eq!(
        Some(&all[2]),
        host.store(store_id(3)).await.unwrap().as_ref()
    );
    assert_eq!(
        numbers(
            &host
                .find_stores(StoreQuery::WithBranches {
                    store: store_id(1),
                    after: Some(store_id(2)),
                    limit: 1
                })
                .await
                .unwrap()
        ),
        [3]
    );
    assert_eq!(
        numbers(
            &host
                .find_stores(StoreQuery::WithBranches {
                    store: store_id(2),
                    after: None,
                    limit: 50
                })
                .await
                .unwrap()
        ),
        [2]
    );
    let removed = Store {
        deleted_at: Some(at(1)),
        ..store(2)
    };
    host.commit(&Changes {
        stores: vec![update(1, removed)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        numbers(
            &host
                .find_stores(StoreQuery::WithBranches {
                    store: store_id(1),
                    after: None,
                    limit: 50
                })
                .await
                .unwrap()
        ),
        [1, 3, 4]
    );
    let others = host
        .find_stores(StoreQuery::All {
            after: None,
            limit: 2,
        })
        .await
        .unwrap();
    assert_eq!(numbers(&others), [1, 3]);
    let others = host
        .find_stores(StoreQuery::All {
            after: Some(store_id(1)),
            limit: 9,
        })
        .await
        .unwrap();
    assert_eq!(numbers(&others), [3, 4]);
    let disabled = Store {
        disabled_at: Some(at(2)),
        parent_disabled: true,
        ..store(4)
    };
    host.commit(&Changes {
        stores: vec![update(1, disabled)],
        ..changes()
    })
    .await
    .unwrap();
    let read = host.store(store_id(4)).await.unwrap().unwrap();
    assert_eq!(
        (read.disabled_at, read.parent_disabled, read.is_disabled()),
        (Some(at(2)), true, true)
    );
    let with_removed = host
        .find_stores(StoreQuery::Ids(&[store_id(2)]))
        .await
        .unwrap();
    assert_eq!(numbers(&with_removed), [2]);
}

pub(crate) async fn store_with_open_orders_is_not_removed(backend: impl Backend) {
    let host = backend.host();
    put(host, &[1, 2], vec![order(5, 2, "P")]).await;
    let removal = Changes {
        stores: vec![update(
            1,
            Store {
                deleted_at: Some(at(1)),
                ..store(2)
            },
        )],
        ..changes()
    };
    assert_eq!(host.commit(&removal).await, Err(HostError::Conflict));
    assert!(host.store(store_id(2)).await.unwrap().is_some());
    // The rejected removal has not closed the account.
    host.commit(&Changes {
        ledger: vec![entry(2, -5, None)],
        ..changes()
    })
    .await
    .unwrap();
    let ended = Order {
        status: OrderStatus::Completed,
        ..order(5, 2, "P")
    };
    let settled = vec![entry(2, 5, None)];
    host.commit(&Changes {
        orders: vec![update(1, ended)],
        ledger: settled,
        ..changes()
    })
    .await
    .unwrap();
    host.commit(&removal).await.unwrap();
    // An order decided before the removal is rejected, because the account of its fee is closed.
    let late = Changes {
        orders: vec![Write::insert(order(6, 2, "Q"))],
        ledger: vec![entry(2, -5, None)],
        ..changes()
    };
    assert_eq!(host.commit(&late).await, Err(HostError::Conflict));
    assert_eq!(host.order(order_id(6)).await, Ok(None));
}

/// Returns orders of different stores, statuses and times. The time of creation does not ascend
/// with the ID.
fn varied_orders() -> Vec<Order> {
    let statuses = [
        OrderStatus::Searching,
        OrderStatus::Completed,
        OrderStatus::Cancelled,
        OrderStatus::OutForDelivery,
    ];
    let vary = |number: u64| {
        let minutes = i64::try_from(number * 37 % 60).unwrap();
        let status = statuses[usize::try_from(number * 7 % 4).unwrap()];
        Order {
            status,
            created_at: at(minutes),
            ..order(number, 1 + number % 3, &format!("V-{number}"))
        }
    };
    (1..=60).map(vary).collect()
}

/// Returns the IDs of all pages. A page is limited in bytes too.
async fn find_all(host: &impl Host, filter: &OrderFilter) -> Vec<u64> {
    let (mut filter, mut all) = (filter.clone(), Vec::new());
    loop {
        let page = find_ids(host, &filter, 100).await;
        let Some(last) = page.last() else { return all };
        filter.before = Some(order_id(*last));
        all.extend(page);
    }
}

pub(crate) async fn every_filter_selects_the_orders_that_match(backend: impl Backend) {
    let host = backend.host();
    let orders = varied_orders();
    put(host, &[1, 2, 3], orders.clone()).await;
    let all = OrderFilter::all();
    let statuses = [
        all.statuses,
        (0, OrderFilter::LAST_OPEN),
        (200, 200),
        (500, 500),
        (640, 640),
        (500, 499),
    ];
    let periods = [
        (all.from, all.until),
        (at(10), all.until),
        (all.from, at(20)),
        (at(10), at(20)),
        (at(59), at(10)),
    ];
    let before = [None, Some(order_id(31))];
    let codes = [None, Some("V-9".to_owned())];
    for scope in [
        OrderFilter::of(&store(1)),
        OrderFilter::of(&store(2)),
        OrderFilter::of(&store(3)),
    ] {
        for (statuses, (from, until)) in statuses
            .iter()
            .flat_map(|one| periods.iter().map(move |other| (*one, *other)))
        {
            for (before, code) in before
                .iter()
                .flat_map(|one| codes.iter().map(move |other| (*one, other.clone())))
            {
                let filter = OrderFilter {
                    statuses,
                    from,
                    until,
                    before,
                    code,
                    ..scope.clone()
                };
                let is_own = |order: &&Order| Some(order.store) == filter.store || filter.branches;
                let matching = orders
                    .iter()
                    .rev()
                    .filter(is_own)
                    .filter(|order| filter.matches(order));
                let expected: Vec<u64> = matching.map(|order| order.id.get()).collect();
                assert_eq!(find_all(host, &filter).await, expected, "{filter:?}");
                let first: Vec<u64> = expected.into_iter().take(3).collect();
                assert_eq!(find_ids(host, &filter, 3).await, first, "{filter:?}");
            }
        }
    }
}

pub(crate) async fn reports_count_the_orders_of_a_period(backend: impl Backend) {
    let host = backend.host();
    let mut orders = varied_orders();
    orders[4] = Order {
        expected_delivery: Some(at(90)),
        delivered_at: Some(at(80)),
        ..orders[4].clone()
    };
    put(host, &[1, 2, 3], orders.clone()).await;
    let sorted = |mut reported: Vec<ReportedOrder>| {
        reported.sort_by_key(|order| (order.created_at, order.store, order.status));
        reported
    };
    for scope in [
        OrderFilter::of(&store(1)),
        OrderFilter::of(&store(2)),
        OrderFilter::all(),
    ] {
        for (from, until) in [(at(0), at(100)), (at(10), at(20)), (at(20), at(10))] {
            // The other conditions do not apply.
            let filter = OrderFilter {
                from,
                until,
                statuses: (200, 200),
                ..scope.clone()
            };
            let is_own =
                |order: &&Order| filter.store.is_none_or(|id| order.store == id) || filter.branches;
            let is_within = |order: &&Order| order.created_at >= from && order.created_at < until;
            let expected = orders
                .iter()
                .filter(is_own)
                .filter(is_within)
                .map(ReportedOrder::from)
                .collect();
            let reported = host.reported_orders(&filter, 100).await.unwrap();
            assert_eq!(sorted(reported), sorted(expected), "{filter:?}");
        }
    }
    assert_eq!(
        host.reported_orders(&OrderFilter::all(), 7)
            .await
            .unwrap()
            .len(),
        7
    );
    let changed = Order {
        status: OrderStatus::Completed,
        status_since: at(95),
        ..orders[0].clone()
    };
    host.commit(&Changes {
        orders: vec![update(1, changed.clone())],
        ..changes()
    })
    .await
    .unwrap();
    let reported = host
        .reported_orders(&OrderFilter::of(&store(2)), 100)
        .await
        .unwrap();
    assert!(
        reported.contains(&ReportedOrder::from(&changed)),
        "a write of the order changes what is counted"
    );
}

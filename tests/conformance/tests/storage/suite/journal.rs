//! Events, and orders with deadlines.

use despacho_core::{
    changes::{Changes, Write},
    drivers::clock,
    host::{Host, HostError, OrderQuery, Storage},
    model::{
        EventId,
        order::{EventKind, Order, OrderStatus},
    },
    rules::settings::Settings,
};

use super::{
    Backend,
    fixtures::{at, changes, entry, event, order, order_id, store, update},
};

pub(crate) async fn events_keep_their_order(backend: impl Backend) {
    let host = backend.host();
    let (one, two) = (order(50, 1, "P-1"), order(51, 1, "P-2"));
    let write = |events| Changes {
        events,
        ..changes()
    };
    host.commit(&write(vec![event(&one, 1), event(&two, 1), event(&one, 2)]))
        .await
        .unwrap();
    host.commit(&write(vec![event(&one, 3)])).await.unwrap();
    assert_eq!(
        host.commit(&write(vec![event(&two, 2), event(&one, 3)]))
            .await,
        Err(HostError::Conflict),
        "event 3 exists"
    );
    host.commit(&write(vec![event(&two, 2)])).await.unwrap();

    let history = host.events(one.id).await.unwrap();
    let wanted: Vec<_> = (1..=3).map(|sequence| event(&one, sequence)).collect();
    assert_eq!(
        history
            .iter()
            .map(|recorded| recorded.event.clone())
            .collect::<Vec<_>>(),
        wanted
    );
    let other = host.events(two.id).await.unwrap();
    assert_eq!(
        other
            .iter()
            .map(|recorded| recorded.event.sequence)
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(host.events(order_id(52)).await, Ok(vec![]));
    let id = |index: usize| history.get(index).map(|recorded| recorded.id);
    let other_id = |index: usize| other.get(index).map(|recorded| recorded.id);
    let journal = [id(0), other_id(0), id(1), id(2), other_id(1)];
    assert!(
        journal.is_sorted() && journal.iter().all(Option::is_some),
        "{journal:?}"
    );
    let distinct: std::collections::BTreeSet<Option<EventId>> = journal.into_iter().collect();
    assert_eq!(distinct.len(), 5);
}

pub(crate) async fn due_orders_come_longest_due_first(backend: impl Backend) {
    let host = backend.host();
    let ready_at = |number: u64, minutes| Order {
        ready_at: at(minutes),
        ..order(number, 1, &number.to_string())
    };
    let searching = Order {
        status: OrderStatus::Searching,
        status_since: at(-15),
        ..ready_at(54, -15)
    };
    let cancelled = Order {
        status: OrderStatus::Cancelled,
        ..ready_at(55, 0)
    };
    let allocated = Order {
        status: OrderStatus::Allocated,
        ..ready_at(56, 0)
    };
    let orders = vec![
        ready_at(50, 3),
        ready_at(51, 1),
        ready_at(53, 2),
        ready_at(52, 2),
        searching,
        cancelled,
        allocated,
    ];
    host.commit(&Changes {
        orders: orders.into_iter().map(Write::insert).collect(),
        ..changes()
    })
    .await
    .unwrap();
    let due = async |minutes, limit| -> Vec<u64> {
        host.find_orders(OrderQuery::Due {
            now: at(minutes),
            skipped: 0,
            limit,
        })
        .await
        .unwrap()
        .iter()
        .map(|order| order.id.get())
        .collect()
    };
    assert_eq!(due(0, 10).await, [0_u64; 0]);
    assert_eq!(due(1, 10).await, [51]);
    assert_eq!(
        due(5, 10).await,
        [51, 52, 53, 50, 54],
        "the search ends after 20 minutes; equal deadlines are ordered by ID"
    );
    assert_eq!(due(5, 2).await, [51, 52]);
    assert_eq!(due(5, 0).await, [0_u64; 0]);
    let later = Order {
        ready_at: at(30),
        version: 2,
        ..ready_at(51, 1)
    };
    host.commit(&Changes {
        orders: vec![update(1, later.clone())],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(5, 2).await, [52, 53]);
    assert_eq!(
        host.find_orders(OrderQuery::Due {
            now: at(30),
            skipped: 0,
            limit: 10
        })
        .await
        .unwrap()
        .last(),
        Some(&later),
        "complete orders, as stored"
    );
}

pub(crate) async fn scheduled_order_starts_after_a_restart(backend: impl Backend) {
    let scheduled = Order {
        status: OrderStatus::Scheduled,
        ready_at: at(300),
        ..order(50, 1, "P-1")
    };
    backend
        .host()
        .commit(&Changes {
            orders: vec![Write::insert(scheduled)],
            ..changes()
        })
        .await
        .unwrap();
    let settings = Settings::default();
    // The preparation takes ten minutes.
    assert_eq!(
        clock::run_pass(backend.host(), &settings, at(289), 100).await,
        Ok(0)
    );
    let backend = backend.restart().await;
    for (minutes, moved, status) in [
        (290, 1, OrderStatus::Preparing),
        (299, 0, OrderStatus::Preparing),
        // The clock was set back.
        (0, 0, OrderStatus::Preparing),
        (300, 1, OrderStatus::Searching),
    ] {
        assert_eq!(
            clock::run_pass(backend.host(), &settings, at(minutes), 100).await,
            Ok(moved),
            "{minutes}"
        );
        assert_eq!(
            backend
                .host()
                .order(order_id(50))
                .await
                .unwrap()
                .unwrap()
                .status,
            status,
            "{minutes}"
        );
    }
}

pub(crate) async fn concurrent_passes_move_each_order_once(backend: impl Backend) {
    let host = backend.host();
    let changes = Changes {
        stores: vec![Write::insert(store(1))],
        orders: (50..55)
            .map(|number| Write::insert(order(number, 1, &number.to_string())))
            .collect(),
        events: (50..55)
            .map(|number| event(&order(number, 1, ""), 1))
            .collect(),
        // The fee and the cancellation fee of the order in the fixture.
        ledger: (50..55).map(|_| entry(1, -1_890 - 450, None)).collect(),
        ..changes()
    };
    host.commit(&changes).await.unwrap();
    let settings = Settings::default();
    assert_eq!(clock::run_pass(host, &settings, at(9), 100).await, Ok(0));
    assert_eq!(clock::run_pass(host, &settings, at(10), 2).await, Ok(2));
    assert_eq!(clock::run_pass(host, &settings, at(10), 100).await, Ok(3));
    let (one, two) = tokio::join!(
        clock::run_pass(host, &settings, at(31), 100),
        clock::run_pass(host, &settings, at(31), 100)
    );
    assert_eq!(
        one.unwrap() + two.unwrap(),
        5,
        "concurrent passes move each order once"
    );
    for number in 50..55 {
        let kinds: Vec<EventKind> = host
            .events(order_id(number))
            .await
            .unwrap()
            .iter()
            .map(|recorded| recorded.event.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                EventKind::Created,
                EventKind::Ready,
                EventKind::Searching,
                EventKind::Expired
            ]
        );
    }
    let store = host.store(store(1).id).await.unwrap().unwrap();
    assert_eq!(store.balance.centavos(), 0, "every charge is refunded once");
    assert_eq!(
        host.notifications(store.id, None, 10).await.unwrap().len(),
        5
    );
}

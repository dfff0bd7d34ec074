//! Search of orders by text, and lists of late orders and of all stores' orders.

use despacho_core::{
    changes::{Changes, Write},
    geo::Gazetteer,
    host::{Host, OrderQuery, Storage},
    model::{
        Phone, SearchWords,
        order::{Order, OrderFilter, OrderStatus},
        store::Store,
    },
    rules::{
        erasure::{self, ErasureBasis},
        settings::Secret,
    },
};

use super::{
    Backend,
    fixtures::{at, changes, order, order_id, store, update},
};

/// Returns an order with one delivery to this recipient.
pub(crate) fn order_to(number: u64, store: u64, name: &str, phone: &str) -> Order {
    let mut order = order(number, store, &format!("P-{number}"));
    order.deliveries.truncate(1);
    order.deliveries[0].name = Some(name.to_owned());
    order.deliveries[0].phone = Some(Phone::parse(phone).unwrap());
    order.deliveries[0].code = Some(format!("Ç{number}"));
    order
}

/// Stores orders of a parent store, its branch, and another merchant.
pub(crate) async fn put_orders(host: &impl Host) {
    let other = Store {
        parent: None,
        ..store(8)
    };
    let orders = vec![
        order_to(20, 1, "João d'Água", "+5592991000000"),
        order_to(21, 2, "MARIA DA CONCEIÇÃO", "+5511987654321"),
        order_to(22, 8, "Joa\u{303}o Souza", "+5511987650000"),
        Order {
            status: OrderStatus::Completed,
            ..order_to(23, 1, "Ana\\_%", "+12025550123")
        },
    ];
    let stores = [store(1), store(2), other].map(Write::insert).to_vec();
    let orders = orders.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        stores,
        orders,
        ..changes()
    })
    .await
    .unwrap();
}

pub(crate) async fn found(host: &impl Host, filter: &OrderFilter, text: &str) -> Vec<u64> {
    let filter = OrderFilter {
        search: Some(SearchWords::parse(text).unwrap()),
        ..filter.clone()
    };
    listed(host, &filter, 50).await
}

async fn listed(host: &impl Host, filter: &OrderFilter, limit: u32) -> Vec<u64> {
    let orders = host
        .find_orders(OrderQuery::Matching(filter, limit))
        .await
        .unwrap();
    orders.iter().map(|order| order.id.get()).collect()
}

/// Checks searches of the orders of [`put_orders`].
pub(crate) async fn check_searches(host: &impl Host) {
    let merchant = OrderFilter::of(&store(1));
    let expected: [(&str, &[u64]); 14] = [
        ("joao", &[20]),
        ("agua JOÃO", &[20]),
        ("joao maria", &[]),
        ("conceicao", &[21]),
        ("21", &[21]),
        ("p-2", &[23, 21, 20]),
        ("ç20", &[20]),
        ("991000000", &[20]),
        ("92991000000", &[20]),
        ("+55 92 99100-0000", &[20]),
        ("+1 (202) 555-0123", &[23]),
        ("a%", &[23, 21, 20]),
        ("x_", &[]),
        ("souza", &[]),
    ];
    for (text, orders) in expected {
        assert_eq!(found(host, &merchant, text).await, orders, "{text}");
    }
}

pub(crate) async fn orders_are_found_by_words(backend: impl Backend) {
    let host = backend.host();
    put_orders(host).await;
    check_searches(host).await;
    let branch = OrderFilter::of(&store(2));
    assert_eq!(found(host, &branch, "conceição").await, [21]);
    assert_eq!(found(host, &branch, "joão").await, [0_u64; 0]);
    assert_eq!(
        found(
            host,
            &OrderFilter {
                branches: false,
                ..OrderFilter::of(&store(1))
            },
            "maria"
        )
        .await,
        [0_u64; 0]
    );
    let all = OrderFilter::all();
    assert_eq!(found(host, &all, "joao").await, [22, 20]);
    let parent = OrderFilter::of(&store(1));
    assert_eq!(
        found(
            host,
            &OrderFilter {
                before: Some(order_id(21)),
                ..parent.clone()
            },
            "p2"
        )
        .await,
        [20]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                code: Some("P-23".into()),
                ..parent.clone()
            },
            "p2"
        )
        .await,
        [23]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                from: at(1),
                ..parent.clone()
            },
            "p2"
        )
        .await,
        [0_u64; 0]
    );
    let number = OrderStatus::Completed.number();
    assert_eq!(
        found(
            host,
            &OrderFilter {
                statuses: (number, number),
                ..parent
            },
            "p2"
        )
        .await,
        [23]
    );
}

pub(crate) async fn all_stores_orders_are_listed(backend: impl Backend) {
    let host = backend.host();
    put_orders(host).await;
    let all = OrderFilter::all();
    assert_eq!(listed(host, &all, 50).await, [23, 22, 21, 20]);
    assert_eq!(
        listed(
            host,
            &OrderFilter {
                before: Some(order_id(23)),
                ..all.clone()
            },
            2
        )
        .await,
        [22, 21]
    );
    let ended = Order {
        status: OrderStatus::Completed,
        ..order_to(22, 8, "Zoé", "+5511987650000")
    };
    host.commit(&Changes {
        orders: vec![update(1, ended)],
        ..changes()
    })
    .await
    .unwrap();
    let removed = Store {
        deleted_at: Some(at(1)),
        parent: None,
        ..store(8)
    };
    host.commit(&Changes {
        stores: vec![update(1, removed)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        listed(host, &OrderFilter::of(&store(8)), 50).await,
        [0_u64; 0]
    );
    assert_eq!(
        listed(host, &all, 50).await,
        [23, 22, 21, 20],
        "with orders of removed stores"
    );
    assert_eq!(
        found(host, &all, "zoe").await,
        [22],
        "the terms follow the order"
    );
    assert_eq!(found(host, &all, "souza").await, [0_u64; 0]);
}

pub(crate) async fn open_orders_are_late_after_their_expected_delivery(backend: impl Backend) {
    let host = backend.host();
    put_orders(host).await;
    let late = |filter: OrderFilter, minutes| OrderFilter {
        late_at: Some(at(minutes)),
        ..filter
    };
    let (parent, all) = (OrderFilter::of(&store(1)), OrderFilter::all());
    assert_eq!(
        listed(host, &late(parent.clone(), 40), 50).await,
        [0_u64; 0],
        "expected at this time"
    );
    assert_eq!(
        listed(host, &late(parent.clone(), 41), 50).await,
        [21, 20],
        "without the completed order"
    );
    assert_eq!(listed(host, &late(all.clone(), 41), 50).await, [22, 21, 20]);
    assert_eq!(
        listed(host, &late(OrderFilter::of(&store(2)), 41), 50).await,
        [21]
    );
    assert_eq!(found(host, &late(all.clone(), 41), "joao").await, [22, 20]);
    let delayed = Order {
        expected_delivery: Some(at(60)),
        ..order_to(22, 8, "João", "+5511987650000")
    };
    let unknown = Order {
        expected_delivery: None,
        ..order_to(21, 2, "Maria", "+5511987654321")
    };
    host.commit(&Changes {
        orders: vec![update(1, delayed), update(1, unknown)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(listed(host, &late(all.clone(), 41), 50).await, [20]);
    assert_eq!(listed(host, &late(all, 61), 50).await, [22, 20]);
}

pub(crate) async fn erased_recipients_are_not_found(backend: impl Backend) {
    let host = backend.host();
    put_orders(host).await;
    let mut order = host.order(order_id(23)).await.unwrap().unwrap();
    let basis = ErasureBasis {
        secret: &Secret([7; 32]),
        gazetteer: Gazetteer::embedded(),
        now: at(50),
    };
    erasure::erase_recipients(&mut order, basis, |_| true);
    host.commit(&Changes {
        orders: vec![update(1, order)],
        ..changes()
    })
    .await
    .unwrap();
    let parent = OrderFilter::of(&store(1));
    assert_eq!(found(host, &parent, "ana").await, [0_u64; 0]);
    assert_eq!(found(host, &parent, "2025550123").await, [0_u64; 0]);
    assert_eq!(
        found(host, &parent, "p-23").await,
        [23],
        "the merchant's code remains"
    );
    let words = backend.dump().await;
    assert!(words.contains("11987654321") && !words.contains("2025550123"));
}

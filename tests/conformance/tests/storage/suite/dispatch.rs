//! Searching orders, free couriers, and unresponsive couriers.

use std::collections::BTreeSet;

use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch::{DispatchPass, run_pass},
    host::{CourierQuery, Host, OrderQuery, Storage},
    model::{
        CourierId, Entropy, ExecContext, Figures, Located, OrderId, Point, Precision,
        courier::{Courier, Position},
        order::{EventKind, Order, OrderStatus},
        store::Store,
        webhook::{MessageChange, Webhook, WebhookState},
    },
    rules::settings::Settings,
};

use super::{
    Backend,
    fixtures::{
        at, changes, courier, message, on_trip, order, order_id, point, position, store, update,
        webhook,
    },
};

/// Returns the context of a pass this many minutes after noon.
pub(crate) fn at_minute(minutes: i64) -> ExecContext {
    ExecContext {
        now: at(minutes),
        entropy: Entropy::new([7; 32]),
    }
}

/// Returns an order without a courier, whose search began this many minutes after noon.
pub(crate) fn searching_order(number: u64, since: i64) -> Order {
    Order {
        status: OrderStatus::Searching,
        status_since: at(since),
        ready_at: at(since),
        courier: None,
        attempt: 0,
        released: Vec::new(),
        first_allocated_at: None,
        ..order(number, 1, &format!("P-{number}"))
    }
}

/// Returns a free courier.
pub(crate) fn free_courier(number: u64) -> Courier {
    courier(number)
}

/// Stores orders and couriers; each courier has a position at `minutes`.
pub(crate) async fn put(
    host: &impl Host,
    orders: Vec<Order>,
    couriers: Vec<Courier>,
    minutes: i64,
) {
    put_store_and(host, vec![store(1)], orders, couriers, minutes).await;
}

/// Stores these stores, orders and couriers; each courier has a position at `minutes`.
pub(crate) async fn put_store_and(
    host: &impl Host,
    stores: Vec<Store>,
    orders: Vec<Order>,
    couriers: Vec<Courier>,
    minutes: i64,
) {
    let positions = couriers
        .iter()
        .map(|courier| position(courier.id.get(), minutes))
        .collect();
    let orders = orders.into_iter().map(Write::insert).collect();
    let couriers = couriers.into_iter().map(Write::insert).collect();
    let stores = stores.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        stores,
        orders,
        couriers,
        positions,
        ..changes()
    })
    .await
    .unwrap();
}

/// Returns the orders that have a courier, with the courier. Checks that order and courier refer to
/// each other, and that no courier has two orders.
pub(crate) async fn pairs(
    host: &impl Host,
    orders: impl Iterator<Item = u64>,
) -> BTreeSet<(OrderId, CourierId)> {
    let mut pairs = BTreeSet::new();
    for number in orders {
        let order = host.order(order_id(number)).await.unwrap().unwrap();
        let Some(assigned) = order.courier else {
            continue;
        };
        let courier = host.courier(assigned.id).await.unwrap().unwrap();
        let carried: Vec<OrderId> = courier.trip.iter().map(|one| one.id).collect();
        assert_eq!(
            carried,
            [order.id],
            "courier {} has another order than {number}",
            courier.id
        );
        assert!(pairs.insert((order.id, courier.id)));
    }
    assert_eq!(
        pairs
            .iter()
            .map(|(_, courier)| *courier)
            .collect::<BTreeSet<_>>()
            .len(),
        pairs.len()
    );
    pairs
}

pub(crate) async fn pass_assigns_each_courier_once(backend: impl Backend) {
    let host = backend.host();
    let sandbox_courier = Courier {
        sandbox: true,
        ..free_courier(24)
    };
    let sandbox_order = Order {
        sandbox: true,
        ..searching_order(55, 0)
    };
    let orders = vec![
        searching_order(50, 2),
        searching_order(51, 1),
        searching_order(52, 3),
        order(54, 1, "P-54"),
        sandbox_order,
    ];
    put(
        host,
        orders,
        vec![
            free_courier(20),
            free_courier(21),
            Courier {
                available: false,
                ..free_courier(22)
            },
            sandbox_courier,
        ],
        4,
    )
    .await;
    let settings = Settings::default();
    let done = run_pass(host, &settings, &mut at_minute(5)).await.unwrap();
    assert_eq!(
        done,
        DispatchPass {
            allocated: 3,
            ..DispatchPass::default()
        }
    );
    let given = pairs(host, [50, 51, 52, 55].into_iter()).await;
    let orders: Vec<u64> = given.iter().map(|(order, _)| order.get()).collect();
    assert_eq!(
        orders,
        [50, 51, 55],
        "the longest searches, and the sandbox order"
    );
    let sandbox = given
        .iter()
        .filter(|(order, courier)| order.get() == 55 || courier.get() == 24);
    assert_eq!(sandbox.count(), 1, "{given:?}");
    let kinds: Vec<EventKind> = host
        .events(order_id(51))
        .await
        .unwrap()
        .iter()
        .map(|recorded| recorded.event.kind)
        .collect();
    assert_eq!(kinds, [EventKind::Allocated]);
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(5)).await,
        Ok(DispatchPass::default()),
        "no courier is free"
    );
    // A position older than five minutes does not qualify, and an order expires after 20 minutes of
    // searching.
    put_courier(host, free_courier(30), 5).await;
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(11)).await,
        Ok(DispatchPass {
            moved: 1,
            ..DispatchPass::default()
        })
    );
    let ended = run_pass(host, &settings, &mut at_minute(23)).await.unwrap();
    assert_eq!((ended.expired, ended.allocated), (1, 0));
}

pub(crate) async fn sandbox_orders_get_only_sandbox_couriers(backend: impl Backend) {
    let host = backend.host();
    let sandbox = |number, since| Order {
        sandbox: true,
        ..searching_order(number, since)
    };
    let carried = |number, status| Order {
        status,
        sandbox: true,
        ..order(number, 1, &format!("P-{number}"))
    };
    let orders = vec![
        sandbox(50, 1),
        searching_order(51, 1),
        carried(52, OrderStatus::OutForDelivery),
        carried(53, OrderStatus::Completed),
        carried(54, OrderStatus::Preparing),
        order(55, 1, "P-55"),
        sandbox(56, 2),
    ];
    put(host, orders, vec![free_courier(20), free_courier(21)], 4).await;
    let found = |orders: Vec<Order>| {
        orders
            .into_iter()
            .map(|order| order.id.get())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(
            host.find_orders(OrderQuery::Sandbox {
                after: None,
                limit: 9
            })
            .await
            .unwrap()
        ),
        [50, 52, 56]
    );
    assert_eq!(
        found(
            host.find_orders(OrderQuery::Sandbox {
                after: None,
                limit: 2
            })
            .await
            .unwrap()
        ),
        [50, 52]
    );
    assert_eq!(
        found(
            host.find_orders(OrderQuery::Sandbox {
                after: Some(order_id(50)),
                limit: 9
            })
            .await
            .unwrap()
        ),
        [52, 56]
    );
    let indexed = host.searching_orders(None, 9).await.unwrap();
    assert_eq!(
        indexed
            .iter()
            .map(|order| order.sandbox)
            .collect::<Vec<_>>(),
        [true, false, true]
    );
    // One of the two real couriers remains free and gets none of the sandbox orders.
    let settings = Settings::default();
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(5))
            .await
            .unwrap()
            .allocated,
        1
    );
    assert_eq!(pairs(host, [50, 56].into_iter()).await, BTreeSet::new());
    // Sandbox couriers get both sandbox orders and no real order.
    for number in [30, 31, 32] {
        put_courier(
            host,
            Courier {
                sandbox: true,
                ..free_courier(number)
            },
            5,
        )
        .await;
    }
    host.commit(&Changes {
        orders: vec![Write::insert(searching_order(57, 1))],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(6))
            .await
            .unwrap()
            .allocated,
        3
    );
    let real = |courier: CourierId| courier.get() < 30;
    assert!(
        pairs(host, [51, 57].into_iter())
            .await
            .iter()
            .all(|(_, courier)| real(*courier))
    );
    assert!(
        !pairs(host, [50, 56].into_iter())
            .await
            .iter()
            .any(|(_, courier)| real(*courier))
    );
}

async fn put_courier(host: &impl Host, courier: Courier, minutes: i64) {
    let positions = vec![position(courier.id.get(), minutes)];
    host.commit(&Changes {
        couriers: vec![Write::insert(courier)],
        positions,
        ..changes()
    })
    .await
    .unwrap();
}

pub(crate) async fn unresponsive_courier_loses_the_order(backend: impl Backend) {
    let host = backend.host();
    put(
        host,
        vec![searching_order(50, 0)],
        vec![free_courier(20)],
        0,
    )
    .await;
    let settings = Settings::default();
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(1))
            .await
            .unwrap()
            .allocated,
        1
    );
    let incoming = |minutes| Changes {
        positions: vec![position(20, minutes)],
        ..changes()
    };
    host.commit(&incoming(5)).await.unwrap();
    assert_eq!(
        host.find_couriers(CourierQuery::Unresponsive {
            seen_before: at(5),
            skipped: 0,
            limit: 9
        })
        .await,
        Ok(vec![]),
        "the courier has a current position"
    );
    let silent = host
        .find_couriers(CourierQuery::Unresponsive {
            seen_before: at(6),
            skipped: 0,
            limit: 9,
        })
        .await
        .unwrap();
    assert_eq!(
        silent
            .iter()
            .map(|courier| courier.id.get())
            .collect::<Vec<_>>(),
        [20]
    );
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(14)).await,
        Ok(DispatchPass::default())
    );
    let done = run_pass(host, &settings, &mut at_minute(16)).await.unwrap();
    assert_eq!((done.released, done.allocated), (1, 0));
    let order = host.order(order_id(50)).await.unwrap().unwrap();
    assert_eq!(
        (order.status, order.courier.as_ref(), order.attempt),
        (OrderStatus::Searching, None, 1)
    );
    assert_eq!(host.courier(silent[0].id).await.unwrap().unwrap().trip, []);
    // The same courier gets the order again only after a delay, and only if no other courier is
    // free.
    host.commit(&incoming(17)).await.unwrap();
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(18))
            .await
            .unwrap()
            .allocated,
        0
    );
    host.commit(&incoming(19)).await.unwrap();
    assert_eq!(
        run_pass(host, &settings, &mut at_minute(19))
            .await
            .unwrap()
            .allocated,
        1
    );
    assert_eq!(pairs(host, 50..51).await.len(), 1);
}

pub(crate) async fn order_in_transit_keeps_its_courier(backend: impl Backend) {
    let host = backend.host();
    let carried = |status| Order {
        status,
        ..order(50, 1, "P-50")
    };
    let carrier = on_trip(courier(20), &[50]);
    put(
        host,
        vec![carried(OrderStatus::OutForDelivery)],
        vec![carrier],
        0,
    )
    .await;
    assert_eq!(
        host.find_couriers(CourierQuery::Unresponsive {
            seen_before: at(60),
            skipped: 0,
            limit: 9
        })
        .await,
        Ok(vec![])
    );
    let order = carried(OrderStatus::CourierAtPickup);
    host.commit(&Changes {
        orders: vec![update(1, order)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.find_couriers(CourierQuery::Unresponsive {
            seen_before: at(60),
            skipped: 0,
            limit: 9
        })
        .await
        .unwrap()
        .len(),
        1
    );
}

pub(crate) async fn pass_optimises_all_assignments_together(backend: impl Backend) {
    let host = backend.host();
    // On a line from south to north, in kilometres: courier 21 at 0, order 50 at 3, courier 20 at
    // 5, order 51 at 13, courier 22 at 40.
    let point_at = |kilometres: i32| Point {
        lat_e7: -235_505_201 + kilometres * 90_000,
        lon_e7: -466_333_089,
    };
    let order_at = |number, kilometres| {
        let mut order = searching_order(number, 0);
        order.pickup.located.point = point_at(kilometres);
        order
    };
    put(
        host,
        vec![order_at(50, 3), order_at(51, 13)],
        vec![free_courier(20), free_courier(21), free_courier(22)],
        0,
    )
    .await;
    let seen = |number, kilometres| Position {
        point: point_at(kilometres),
        ..position(number, 1)
    };
    // Courier 20 is nearest to order 50, but is the only one within ten kilometres of order 51.
    let positions = vec![seen(20, 5), seen(21, 0), seen(22, 40)];
    host.commit(&Changes {
        positions,
        ..changes()
    })
    .await
    .unwrap();
    assert_ne!(point(20), point_at(5));
    assert_eq!(
        run_pass(host, &Settings::default(), &mut at_minute(2))
            .await
            .unwrap()
            .allocated,
        2
    );
    let given = pairs(host, 50..52).await;
    let given: Vec<(u64, u64)> = given
        .iter()
        .map(|(order, courier)| (order.get(), courier.get()))
        .collect();
    assert_eq!(given, [(50, 21), (51, 20)]);
}

pub(crate) async fn figures_count_stored_work(backend: impl Backend) {
    let host = backend.host();
    assert_eq!(
        host.figures(at(0), at(0)).await.unwrap(),
        Figures::default()
    );
    let open = |number, delivery| Order {
        expected_delivery: Some(at(delivery)),
        ..searching_order(number, 0)
    };
    let ended = Order {
        status: OrderStatus::Completed,
        ..open(53, 1)
    };
    let waiting = Order {
        status: OrderStatus::Preparing,
        ready_at: at(10),
        ..open(52, 60)
    };
    let couriers = vec![
        free_courier(20),
        on_trip(
            Courier {
                push: Vec::new(),
                ..free_courier(21)
            },
            &[50],
        ),
        Courier {
            available: false,
            ..free_courier(22)
        },
        Courier {
            removed_at: Some(at(0)),
            push: Vec::new(),
            ..free_courier(23)
        },
    ];
    put(
        host,
        vec![open(50, 20), open(51, 21), waiting, ended],
        couriers,
        0,
    )
    .await;
    let stopped = |number, state| {
        Write::insert(Webhook {
            state,
            ..webhook(number, 1)
        })
    };
    let (active, disabled) = (WebhookState::Active, WebhookState::Disabled { at: at(1) });
    let webhooks = vec![
        stopped(1, active),
        stopped(2, disabled),
        stopped(3, WebhookState::Ended { at: at(1) }),
        stopped(4, WebhookState::Removed { at: at(1) }),
    ];
    let messages = vec![
        MessageChange::Put(message(1, 4, 1)),
        MessageChange::Put(message(2, 5, 1)),
    ];
    let roughly = |number: u64, sandbox| Store {
        located: Located {
            precision: Precision::Municipality,
            ..store(number).located
        },
        sandbox,
        ..store(number)
    };
    let stores = [roughly(91, false), roughly(92, true), store(93)]
        .map(Write::insert)
        .to_vec();
    host.commit(&Changes {
        webhooks,
        messages,
        stores,
        ..changes()
    })
    .await
    .unwrap();
    let expected = Figures {
        open_orders: 3,
        late_orders: 1,
        searching_orders: 2,
        overdue_orders: 1,
        overdue_pushes: 2,
        queued_messages: 2,
        inactive_webhooks: 2,
        rough_stores: 1,
    };
    // The goods of the order that is not searching are ready after ten minutes.
    assert_eq!(host.figures(at(21), at(10)).await.unwrap(), expected);
    let earlier = Figures {
        late_orders: 0,
        overdue_orders: 0,
        overdue_pushes: 0,
        ..expected
    };
    assert_eq!(host.figures(at(20), at(2)).await.unwrap(), earlier);
    // At work are those whom dispatch considers, and those who still have a trip.
    let stopped = on_trip(
        Courier {
            available: false,
            push: Vec::new(),
            ..free_courier(24)
        },
        &[51],
    );
    host.commit(&Changes {
        couriers: vec![Write::insert(stopped)],
        ..changes()
    })
    .await
    .unwrap();
    let at_work = async |after: Option<u64>, limit| {
        let query = CourierQuery::Working {
            after: after.and_then(CourierId::new),
            limit,
        };
        let found = host.find_couriers(query).await.unwrap();
        found
            .iter()
            .map(|courier| courier.id.get())
            .collect::<Vec<u64>>()
    };
    assert_eq!(at_work(None, 9).await, [20, 21, 24]);
    assert_eq!(at_work(None, 2).await, [20, 21]);
    assert_eq!(at_work(Some(21), 9).await, [24]);
}

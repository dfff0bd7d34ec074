//! Stores, keys, orders and couriers: stored completely, with unique values and versions.

use std::sync::Arc;

use despacho_core::{
    changes::{Changes, Write},
    host::{CourierQuery, Host, HostError, KeyQuery, OrderQuery, Storage, StoreQuery},
    model::{
        Capacity, CourierId, Duration, Email, Point, Timestamp,
        courier::{Candidate, Cell, Courier, Position, SearchingOrder},
        order::{Order, OrderStatus},
        store::{Key, KeyHash, KeyHolder, Store},
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{
        at, changes, cnpj, courier, email, key, order, order_id, position, store, store_id, update,
    },
};

async fn put_stores<H: Host>(host: &H, numbers: &[u64]) {
    let stores = numbers
        .iter()
        .map(|number| Write::insert(store(*number)))
        .collect();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
}

fn write_store(expected: u32, store: Store) -> Changes {
    Changes {
        stores: vec![update(expected, store)],
        ..changes()
    }
}

fn write_order(expected: u32, order: Order) -> Changes {
    Changes {
        orders: vec![update(expected, order)],
        ..changes()
    }
}

fn write_key(expected: u32, key: Key) -> Changes {
    Changes {
        keys: vec![update(expected, key)],
        ..changes()
    }
}

pub(crate) async fn store_is_read_as_written(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2]).await;
    assert_eq!(host.store(store_id(2)).await, Ok(Some(store(2))));
    let expected = Ok(vec![store(2)]);
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(2))).await,
        expected
    );
    assert_eq!(
        host.find_stores(StoreQuery::Email(
            &Email::parse("LOJA2@EXAMPLE.COM").unwrap()
        ))
        .await,
        expected,
        "emails ignore case"
    );
    assert_eq!(
        host.find_stores(StoreQuery::Cnpj(cnpj(2).as_str())).await,
        expected
    );
    assert_eq!(host.store(store_id(3)).await, Ok(None));
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(3))).await,
        Ok(vec![])
    );
    assert_eq!(host.find_stores(StoreQuery::Cnpj("")).await, Ok(vec![]));

    let renamed = Store {
        name: "Outra Padaria".to_owned(),
        version: 2,
        email: email(7),
        ..store(2)
    };
    host.commit(&write_store(1, renamed.clone())).await.unwrap();
    assert_eq!(host.store(store_id(2)).await, Ok(Some(renamed.clone())));
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(2))).await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(7))).await,
        Ok(vec![renamed])
    );
}

pub(crate) async fn removed_store_frees_its_cnpj_and_email(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2]).await;
    host.commit(&Changes {
        keys: vec![Write::insert(key(5, 2))],
        ..changes()
    })
    .await
    .unwrap();
    let removed = Store {
        deleted_at: Some(at(1)),
        version: 2,
        ..store(2)
    };
    host.commit(&write_store(1, removed.clone())).await.unwrap();
    assert_eq!(host.store(store_id(2)).await, Ok(None));
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(2))).await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_stores(StoreQuery::Cnpj(cnpj(2).as_str())).await,
        Ok(vec![])
    );
    let holder = host.key(&key(5, 2).hash).await.unwrap().unwrap();
    assert_eq!(holder.store, removed, "a key must find its removed store");

    let successor = Store {
        cnpj: cnpj(2),
        email: email(2),
        ..store(3)
    };
    host.commit(&write_store(0, successor.clone()))
        .await
        .unwrap();
    assert_eq!(
        host.find_stores(StoreQuery::Cnpj(cnpj(2).as_str())).await,
        Ok(vec![successor])
    );
    let back = Store {
        deleted_at: None,
        version: 3,
        ..removed
    };
    assert_eq!(
        host.commit(&write_store(2, back)).await,
        Err(HostError::Conflict),
        "the successor has these values"
    );
}

pub(crate) async fn duplicate_cnpj_or_email_conflicts(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2]).await;
    let same_cnpj = Store {
        cnpj: cnpj(1),
        ..store(3)
    };
    let same_email = Store {
        email: Email::parse("loja1@Example.com").unwrap(),
        ..store(3)
    };
    for taken in [same_cnpj, same_email] {
        assert_eq!(
            host.commit(&write_store(0, taken.clone())).await,
            Err(HostError::Conflict)
        );
        let moved = Store {
            id: store_id(2),
            ..taken
        };
        assert_eq!(
            host.commit(&write_store(1, moved)).await,
            Err(HostError::Conflict)
        );
    }
    assert_eq!(host.store(store_id(3)).await, Ok(None));
    assert_eq!(host.store(store_id(2)).await, Ok(Some(store(2))));
    let swapped = [
        Store {
            email: email(8),
            ..store(1)
        },
        Store {
            email: email(1),
            ..store(2)
        },
    ];
    let stores = swapped.into_iter().map(|store| update(1, store)).collect();
    assert_eq!(
        host.commit(&Changes {
            stores,
            ..changes()
        })
        .await,
        Ok(()),
        "the writes apply in order"
    );
}

pub(crate) async fn keys_are_found_by_hash_and_listed_newest_first(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2]).await;
    let older = Key {
        created_at: at(-5),
        ..key(12, 2)
    };
    let keys = [key(10, 2), key(11, 2), older.clone(), key(13, 1)];
    host.commit(&Changes {
        keys: keys.map(Write::insert).into(),
        ..changes()
    })
    .await
    .unwrap();
    let held = |key: Key, of| {
        Arc::new(KeyHolder {
            key,
            store: store(of),
            tariff_revision: 0,
        })
    };
    assert_eq!(
        host.key(&key(11, 2).hash).await,
        Ok(Some(held(key(11, 2), 2)))
    );
    assert_eq!(host.key(&KeyHash::of("another")).await, Ok(None));
    assert_eq!(
        host.find_keys(KeyQuery::Id(key(13, 1).id)).await,
        Ok(vec![held(key(13, 1), 1)])
    );
    assert_eq!(
        host.find_keys(KeyQuery::Id(key(14, 1).id)).await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_keys(KeyQuery::Store(store_id(2))).await,
        Ok([key(11, 2), key(10, 2), older]
            .map(|key| held(key, 2))
            .into())
    );

    let same_hash = Key {
        hash: key(10, 2).hash,
        ..key(14, 1)
    };
    assert_eq!(
        host.commit(&write_key(0, same_hash)).await,
        Err(HostError::Conflict)
    );
    let same_hash = Key {
        hash: key(10, 2).hash,
        ..key(13, 1)
    };
    assert_eq!(
        host.commit(&write_key(1, same_hash)).await,
        Err(HostError::Conflict)
    );
    let revoked = Key {
        deleted_at: Some(at(1)),
        version: 2,
        ..key(10, 2)
    };
    host.commit(&write_key(1, revoked.clone())).await.unwrap();
    assert_eq!(
        host.key(&revoked.hash)
            .await
            .unwrap()
            .map(|holder| holder.key.clone()),
        Some(revoked.clone())
    );
    assert_eq!(
        host.commit(&write_key(1, revoked)).await,
        Err(HostError::Conflict)
    );
}

pub(crate) async fn order_is_read_as_written(backend: impl Backend) {
    let host = backend.host();
    host.commit(&write_order(0, order(50, 1, "P-1")))
        .await
        .unwrap();
    assert_eq!(
        host.order(order_id(50)).await,
        Ok(Some(order(50, 1, "P-1")))
    );
    assert_eq!(
        host.find_orders(OrderQuery::Code(store_id(1), "P-1")).await,
        Ok(vec![order(50, 1, "P-1")])
    );
    assert_eq!(
        host.find_orders(OrderQuery::Code(store_id(1), "p-1")).await,
        Ok(vec![]),
        "codes are case-sensitive"
    );
    assert_eq!(
        host.find_orders(OrderQuery::Code(store_id(2), "P-1")).await,
        Ok(vec![])
    );
    assert_eq!(host.order(order_id(51)).await, Ok(None));
    let moved = Order {
        status: OrderStatus::Searching,
        version: 2,
        courier: None,
        ..order(50, 1, "P-1")
    };
    host.commit(&write_order(1, moved.clone())).await.unwrap();
    assert_eq!(host.order(order_id(50)).await, Ok(Some(moved)));
}

pub(crate) async fn order_code_is_held_until_cancellation(backend: impl Backend) {
    let host = backend.host();
    host.commit(&write_order(0, order(50, 1, "P-1")))
        .await
        .unwrap();
    assert_eq!(
        host.commit(&write_order(0, order(51, 1, "P-1"))).await,
        Err(HostError::Conflict)
    );
    assert_eq!(
        host.commit(&write_order(0, order(52, 2, "P-1"))).await,
        Ok(()),
        "codes are unique per store"
    );
    for (version, status) in (1..).zip([OrderStatus::Searching, OrderStatus::Completed]) {
        let holds = Order {
            status,
            version: version + 1,
            ..order(50, 1, "P-1")
        };
        host.commit(&write_order(version, holds)).await.unwrap();
        assert_eq!(
            host.commit(&write_order(0, order(51, 1, "P-1"))).await,
            Err(HostError::Conflict),
            "{status:?}"
        );
    }
    let cancelled = Order {
        status: OrderStatus::Cancelled,
        version: 4,
        ..order(50, 1, "P-1")
    };
    host.commit(&write_order(3, cancelled.clone()))
        .await
        .unwrap();
    assert_eq!(
        host.find_orders(OrderQuery::Code(store_id(1), "P-1")).await,
        Ok(vec![])
    );
    host.commit(&write_order(0, order(51, 1, "P-1")))
        .await
        .unwrap();
    assert_eq!(
        host.find_orders(OrderQuery::Code(store_id(1), "P-1")).await,
        Ok(vec![order(51, 1, "P-1")])
    );
    assert_eq!(
        host.order(order_id(50)).await,
        Ok(Some(cancelled)),
        "the earlier order is still stored"
    );
    let revived = order(50, 1, "P-1");
    assert_eq!(
        host.commit(&write_order(4, revived)).await,
        Err(HostError::Conflict),
        "another order has the code"
    );
}

pub(crate) async fn couriers_are_listed_by_id(backend: impl Backend) {
    let host = backend.host();
    let couriers = [courier(30), courier(10), courier(20)]
        .map(Write::insert)
        .into();
    host.commit(&Changes {
        couriers,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.find_couriers(CourierQuery::All {
            after: None,
            limit: 9
        })
        .await,
        Ok(vec![courier(10), courier(20), courier(30)])
    );
    assert_eq!(
        host.find_couriers(CourierQuery::All {
            after: Some(courier(10).id),
            limit: 1
        })
        .await,
        Ok(vec![courier(20)])
    );
    let mut away = courier(20);
    (away.available, away.version) = (false, 2);
    let write = Changes {
        couriers: vec![update(1, away.clone())],
        ..changes()
    };
    assert_eq!(host.commit(&write).await, Ok(()));
    assert_eq!(host.commit(&write).await, Err(HostError::Conflict));
    assert_eq!(
        host.find_couriers(CourierQuery::All {
            after: None,
            limit: 9
        })
        .await,
        Ok(vec![courier(10), away.clone(), courier(30)])
    );
    assert_eq!(host.courier(away.id).await, Ok(Some(away)));
}

pub(crate) async fn courier_is_found_by_key(backend: impl Backend) {
    let host = backend.host();
    let hash = |number: u64| courier(number).key.unwrap().hash;
    host.commit(&Changes {
        couriers: vec![Write::insert(courier(10))],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.find_couriers(CourierQuery::Key(&hash(10))).await,
        Ok(vec![courier(10)])
    );
    assert_eq!(
        host.find_couriers(CourierQuery::Key(&hash(11))).await,
        Ok(vec![])
    );
    let same_key = Courier {
        key: courier(10).key,
        ..courier(11)
    };
    let taken = Changes {
        couriers: vec![Write::insert(same_key)],
        ..changes()
    };
    assert_eq!(
        host.commit(&taken).await,
        Err(HostError::Conflict),
        "a key belongs to one courier"
    );
    let moved = Courier {
        key: courier(11).key,
        version: 2,
        ..courier(10)
    };
    host.commit(&Changes {
        couriers: vec![update(1, moved.clone())],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.find_couriers(CourierQuery::Key(&hash(10))).await,
        Ok(vec![]),
        "the old key is removed"
    );
    assert_eq!(
        host.find_couriers(CourierQuery::Key(&hash(11))).await,
        Ok(vec![moved])
    );
}

pub(crate) async fn free_couriers_have_a_recent_position(backend: impl Backend) {
    let host = backend.host();
    let away = Courier {
        available: false,
        ..courier(30)
    };
    let couriers = [courier(10), away, courier(40), courier(50)]
        .map(Write::insert)
        .into();
    let positions = vec![position(10, 5), position(30, 5), position(40, 1)];
    host.commit(&Changes {
        couriers,
        positions,
        ..changes()
    })
    .await
    .unwrap();
    let capacity = Capacity::default();
    let free = |at: Position| Candidate {
        id: at.courier,
        point: at.point,
        sandbox: false,
        is_free: true,
        capacity,
        cash_room: None,
    };
    let index_key = |at: &Candidate| (Cell::of(at.point), at.id);
    let everywhere = Cell::of(Point {
        lat_e7: -900_000_000,
        lon_e7: -1_800_000_000,
    })..=Cell::of(Point {
        lat_e7: 900_000_000,
        lon_e7: 1_800_000_000,
    });
    let find = async |after, since, limit| {
        host.candidates(everywhere.clone(), after, at(since), limit)
            .await
    };
    let (first, fourth) = (free(position(10, 5)), free(position(40, 1)));
    assert_eq!(find(None, 2, 9).await, Ok(vec![first]));
    let mut both = [first, fourth];
    both.sort_by_key(index_key);
    assert_eq!(find(None, 0, 9).await, Ok(both.to_vec()));
    assert_eq!(find(None, 0, 1).await, Ok(vec![both[0]]));
    assert_eq!(
        find(Some(index_key(&both[0])), 0, 9).await,
        Ok(vec![both[1]]),
        "the next page"
    );
    assert_eq!(find(Some(index_key(&both[1])), 0, 9).await, Ok(vec![]));
    let (west, east) = (Cell::of(both[0].point), Cell::of(both[1].point));
    assert_eq!(
        host.candidates(west..=west, None, at(0), 9)
            .await
            .map(|found| found[0]),
        Ok(both[0])
    );
    assert_eq!(
        host.candidates(east..=east, None, at(0), 9)
            .await
            .map(|found| found.contains(&both[1])),
        Ok(true)
    );
    let seen = |courier: Courier, at: Position| Courier {
        position: Some(at.point),
        position_at: Some(at.at),
        ..courier
    };
    let mut found = host
        .find_couriers(CourierQuery::Ids(&[
            first.id,
            CourierId::new(99).unwrap(),
            fourth.id,
        ]))
        .await
        .unwrap();
    found.sort_by_key(|courier| courier.id);
    assert_eq!(
        found,
        [
            seen(courier(10), position(10, 5)),
            seen(courier(40), position(40, 1))
        ]
    );
    // An older position is ignored. A newer one moves the courier to another cell.
    let late = Position {
        point: position(7, 0).point,
        ..position(10, 4)
    };
    let gone = Position {
        point: Point {
            lat_e7: 0,
            lon_e7: -600_000_000,
        },
        ..position(40, 6)
    };
    host.commit(&Changes {
        positions: vec![late, gone],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(find(None, 2, 9).await, Ok(vec![first, free(gone)]));
    let cell = Cell::of(gone.point);
    assert_eq!(
        host.candidates(cell..=cell, None, at(2), 9).await,
        Ok(vec![free(gone)])
    );
}

pub(crate) async fn longest_search_comes_first(backend: impl Backend) {
    let host = backend.host();
    let searching = |number: u64, since: i64| Order {
        status: OrderStatus::Searching,
        status_since: at(since),
        ready_at: at(since),
        ..order(number, 1, &format!("P-{number}"))
    };
    let orders = [
        searching(50, 9),
        searching(51, 3),
        order(52, 1, "P-52"),
        searching(53, 5),
    ];
    host.commit(&Changes {
        orders: orders.map(Write::insert).into(),
        ..changes()
    })
    .await
    .unwrap();
    let indexed = |order: Order| SearchingOrder {
        id: order.id,
        until: order.status_since.after(Duration::minutes(20)),
        pickup: Some(order.pickup.located.point),
        sandbox: false,
    };
    let expected = [searching(51, 3), searching(53, 5), searching(50, 9)].map(indexed);
    assert_eq!(host.searching_orders(None, 9).await, Ok(expected.to_vec()));
    assert_eq!(
        host.searching_orders(None, 1).await,
        Ok(expected[..1].to_vec())
    );
    assert_eq!(
        host.searching_orders(Some((expected[0].until, expected[0].id)), 9)
            .await,
        Ok(expected[1..].to_vec())
    );
    let mut found = host
        .find_orders(OrderQuery::Ids(&[order_id(53), order_id(99), order_id(52)]))
        .await
        .unwrap();
    found.sort_by_key(|order| order.id);
    assert_eq!(found, [order(52, 1, "P-52"), searching(53, 5)]);
}

pub(crate) async fn version_is_written_once(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1]).await;
    let order_of = |version| Order {
        version,
        ..order(50, 1, "P-1")
    };
    assert_eq!(
        host.commit(&write_order(1, order_of(2))).await,
        Err(HostError::Conflict),
        "no version is stored"
    );
    host.commit(&write_order(0, order_of(1))).await.unwrap();
    assert_eq!(
        host.commit(&write_order(0, order_of(1))).await,
        Err(HostError::Conflict),
        "version 1 is stored"
    );
    assert_eq!(
        host.commit(&write_order(2, order_of(3))).await,
        Err(HostError::Conflict),
        "version 2 is not stored"
    );
    // The new version is the expected one plus 1; the version in the value is ignored.
    host.commit(&write_order(1, order_of(77))).await.unwrap();
    assert_eq!(
        host.order(order_id(50))
            .await
            .unwrap()
            .map(|order| order.version),
        Some(2)
    );
    assert_eq!(
        host.commit(&write_order(1, order_of(2))).await,
        Err(HostError::Conflict)
    );
    assert_eq!(
        host.commit(&write_store(0, store(1))).await,
        Err(HostError::Conflict)
    );
    assert_eq!(host.commit(&write_store(1, store(1))).await, Ok(()));
    assert_eq!(
        host.store(store_id(1))
            .await
            .unwrap()
            .map(|store| store.version),
        Some(2)
    );
    assert_eq!(
        host.commit(&write_key(1, key(5, 1))).await,
        Err(HostError::Conflict)
    );
}

pub(crate) async fn racing_writes_commit_once(backend: impl Backend) {
    let host = backend.host();
    host.commit(&write_order(0, order(50, 1, "P-1")))
        .await
        .unwrap();
    let racers: Vec<Changes> = (0..40)
        .map(|racer| {
            write_order(
                1,
                Order {
                    attempt: racer,
                    ready_at: Timestamp::from_millis(1),
                    ..order(50, 1, "P-1")
                },
            )
        })
        .collect();
    let results = join_all(racers.iter().map(|racer| host.commit(racer))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Ok(()) | Err(HostError::Conflict))),
        "{results:?}"
    );
    let winner = results.iter().position(Result::is_ok).unwrap();
    let stored = host.order(order_id(50)).await.unwrap().unwrap();
    assert_eq!((stored.attempt as usize, stored.version), (winner, 2));

    let creators: Vec<Changes> = (60..100)
        .map(|number| write_order(0, order(number, 1, "P-2")))
        .collect();
    let results = join_all(creators.iter().map(|creator| host.commit(creator))).await;
    assert_eq!(
        results.iter().filter(|result| result.is_ok()).count(),
        1,
        "only one order gets the code"
    );
}

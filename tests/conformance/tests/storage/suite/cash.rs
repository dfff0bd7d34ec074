//! The cash ledger.

use despacho_core::{
    changes::Changes,
    host::{CashBalanceQuery, CashEntryQuery, CashFilter, Host, HostError, Storage},
    model::{
        CourierId, DeliveryId, EntryId, StoreId, Timestamp,
        audit::{Actor, ActorKind},
        cash::{CardSlip, CashBalance, CashClosing, CashEntry, CashKind},
        order::PaymentMethod,
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{at, changes, money, order_id, store_id},
};

fn courier_id(number: u64) -> CourierId {
    CourierId::new(number).unwrap()
}

/// Returns an entry of courier 9 and store 1.
pub(crate) fn cash(kind: CashKind, centavos: i64) -> CashEntry {
    CashEntry {
        courier: courier_id(9),
        store: store_id(1),
        kind,
        amount: money(centavos),
        method: PaymentMethod::Cash,
        at: at(0),
        by: Actor {
            kind: ActorKind::User,
            id: Some(6),
            name: Some("Rita".to_owned()),
        },
        order: None,
        delivery: None,
        evidence: Some("Recibo 12".to_owned()),
        reason: None,
        about: None,
        closing: None,
    }
}

/// Returns the entry of a delivery's payment.
pub(crate) fn collected(delivery: u64, centavos: i64) -> CashEntry {
    CashEntry {
        order: Some(order_id(50)),
        delivery: DeliveryId::new(delivery),
        evidence: None,
        ..cash(CashKind::Collected, centavos)
    }
}

/// Returns the entries that close a balance with a counted amount.
pub(crate) fn closing(balance: &CashBalance, counted: i64) -> Vec<CashEntry> {
    let closing = CashClosing {
        period: balance.period,
        float: balance.float,
        collected: balance.collected,
        handed_over: balance.handed_over,
        to_store_directly: balance.to_store_directly,
        counted: money(counted),
        slips: vec![CardSlip {
            amount: money(3_000),
            brand: Some("Visa".to_owned()),
            authorisation: Some("A1".to_owned()),
        }],
    };
    vec![
        cash(CashKind::HandedOver, counted),
        CashEntry {
            amount: closing.difference(),
            reason: Some("Troco errado".to_owned()),
            closing: Some(Box::new(closing)),
            ..cash(CashKind::Difference, 0)
        },
    ]
}

fn book(entries: Vec<CashEntry>) -> Changes {
    Changes {
        cash: entries,
        ..changes()
    }
}

/// Returns the balance of courier 9 and store 1.
pub(crate) async fn balance(host: &impl Host) -> CashBalance {
    // Unknown couriers and those of other stores have none.
    let couriers: Vec<_> = (9..50).map(courier_id).collect();
    let query = CashBalanceQuery::Of(&couriers, store_id(1));
    let mut found = host.cash_balances(query).await.unwrap();
    found.retain(|one| one.courier == courier_id(9));
    assert!(found.len() <= 1);
    found
        .pop()
        .unwrap_or_else(|| CashBalance::new(courier_id(9), store_id(1)))
}

async fn entries(host: &impl Host, filter: CashFilter, limit: u32) -> Vec<(EntryId, CashEntry)> {
    let query = CashEntryQuery::Matching(&filter, limit);
    let found = host.cash_entries(query).await.unwrap();
    found.into_iter().map(|one| (one.id, one.entry)).collect()
}

pub(crate) async fn cash_is_read_as_written(backend: impl Backend) {
    let host = backend.host();
    assert_eq!(balance(host).await.entries, 0);
    let other_store = CashEntry {
        store: store_id(2),
        at: at(5),
        ..cash(CashKind::Float, 100)
    };
    let other_courier = CashEntry {
        courier: courier_id(10),
        ..cash(CashKind::Float, 200)
    };
    let booked = vec![
        cash(CashKind::Float, 5_000),
        collected(61, 5_790),
        CashEntry {
            kind: CashKind::Correction,
            ..collected(61, -100)
        },
        CashEntry {
            kind: CashKind::ToStoreDirectly,
            ..collected(62, 700)
        },
        CashEntry {
            method: PaymentMethod::Pix,
            ..cash(CashKind::HandedOver, 2_000)
        },
        other_store.clone(),
        other_courier.clone(),
    ];
    host.commit(&book(booked.clone())).await.unwrap();
    let backend = backend.restart().await;
    let host = backend.host();
    let own = balance(host).await;
    assert_eq!(
        own,
        CashBalance {
            entries: 5,
            float: money(5_000),
            collected: money(5_690),
            handed_over: money(2_000),
            to_store_directly: money(700),
            changed_at: at(0),
            ..CashBalance::new(courier_id(9), store_id(1))
        }
    );
    assert_eq!(own.in_hand(), money(8_690));
    let of_store = |after, limit| CashBalanceQuery::Store {
        store: store_id(1),
        after,
        limit,
    };
    let of_courier = |after, limit| CashBalanceQuery::Courier {
        courier: courier_id(9),
        after,
        limit,
    };
    for (query, expected) in [
        (of_store(None, 10), vec![(9, 1), (10, 1)]),
        (of_store(None, 1), vec![(9, 1)]),
        (of_store(Some(courier_id(9)), 10), vec![(10, 1)]),
        (of_courier(None, 10), vec![(9, 1), (9, 2)]),
        (of_courier(Some(store_id(1)), 10), vec![(9, 2)]),
    ] {
        let found = host.cash_balances(query).await.unwrap();
        let keys: Vec<(u64, u64)> = found
            .iter()
            .map(|one| (one.courier.get(), one.store.get()))
            .collect();
        assert_eq!(keys, expected, "{query:?}");
    }
    let couriers: Vec<CourierId> = (9..60).map(courier_id).collect();
    let query = CashBalanceQuery::Couriers(&couriers);
    assert_eq!(host.cash_balances(query).await.unwrap().len(), 3);
    // Newest first, and in pages.
    let all = entries(host, CashFilter::default(), 100).await;
    let newest: Vec<CashEntry> = all.iter().map(|(_, entry)| entry.clone()).collect();
    let expected: Vec<CashEntry> = booked.into_iter().rev().collect();
    assert_eq!(newest, expected);
    let rest = CashFilter {
        before: Some(all[1].0),
        ..CashFilter::default()
    };
    assert_eq!(entries(host, rest, 2).await, all[2..4]);
}

pub(crate) async fn cash_is_found_by_every_filter(backend: impl Backend) {
    let host = backend.host();
    let mut all = Vec::new();
    for number in 0..24_u64 {
        let kind = CashKind::ALL[(number % 5) as usize];
        all.push(CashEntry {
            courier: courier_id(9 + number % 2),
            store: store_id(1 + number % 3),
            at: at(number.cast_signed()),
            ..match kind {
                CashKind::Collected => collected(100 + number, 10),
                kind => cash(kind, 10),
            }
        });
    }
    host.commit(&book(all)).await.unwrap();
    host.commit(&book(closing(&balance(host).await, 1)))
        .await
        .unwrap();
    let recorded = host
        .cash_entries(CashEntryQuery::Matching(&CashFilter::default(), 100))
        .await
        .unwrap();
    let (store, courier) = (store_id(1), 9);
    let base = CashFilter::default();
    let of = |store: Option<StoreId>, courier: Option<u64>| CashFilter {
        store,
        courier: courier.and_then(CourierId::new),
        ..base
    };
    let filters = [
        base,
        of(Some(store), None),
        of(None, Some(courier)),
        of(Some(store), Some(courier)),
        CashFilter {
            period: Some(1),
            ..of(Some(store), Some(courier))
        },
        CashFilter {
            period: Some(2),
            ..of(Some(store), Some(courier))
        },
        CashFilter {
            kind: Some(CashKind::Float),
            ..of(Some(store), None)
        },
        CashFilter {
            differs: true,
            ..base
        },
        CashFilter {
            differs: true,
            ..of(Some(store_id(2)), None)
        },
        CashFilter {
            from: at(3),
            until: at(9),
            ..base
        },
        CashFilter {
            before: recorded.get(4).map(|one| one.id),
            ..of(Some(store), None)
        },
    ];
    for filter in filters {
        let found = host
            .cash_entries(CashEntryQuery::Matching(&filter, 100))
            .await
            .unwrap();
        let expected: Vec<_> = recorded
            .iter()
            .filter(|one| filter.matches(one))
            .cloned()
            .collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

pub(crate) async fn delivery_is_collected_once(backend: impl Backend) {
    let host = backend.host();
    let same: Vec<Changes> = (0..10).map(|_| book(vec![collected(61, 500)])).collect();
    let results = join_all(same.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let other = CashEntry {
        courier: courier_id(10),
        ..collected(61, 500)
    };
    assert_eq!(
        host.commit(&book(vec![cash(CashKind::Float, 1), other]))
            .await,
        Err(HostError::Conflict),
        "also by another courier, and the float is not kept"
    );
    assert_eq!(balance(host).await.in_hand(), money(500));
    let concurrent: Vec<Changes> = (100..140)
        .map(|number| book(vec![collected(number, 100)]))
        .collect();
    for result in join_all(concurrent.iter().map(|changes| host.commit(changes))).await {
        result.unwrap();
    }
    assert_eq!(balance(host).await.in_hand(), money(4_500));
    assert_eq!(balance(host).await.entries, 41);
}

pub(crate) async fn racing_closings_commit_once(backend: impl Backend) {
    let host = backend.host();
    host.commit(&book(vec![
        cash(CashKind::Float, 5_000),
        collected(61, 5_790),
    ]))
    .await
    .unwrap();
    let stale = balance(host).await;
    host.commit(&book(vec![collected(62, 100)])).await.unwrap();
    assert_eq!(
        host.commit(&book(closing(&stale, 10_500))).await,
        Err(HostError::Conflict),
        "an amount was collected meanwhile"
    );
    let open = balance(host).await;
    assert_eq!(open.in_hand(), money(10_890));
    let racing: Vec<Changes> = (0..8).map(|_| book(closing(&open, 10_600))).collect();
    let results = join_all(racing.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let closed = balance(host).await;
    assert_eq!(
        closed,
        CashBalance {
            period: 2,
            changed_at: at(0),
            last_difference: Some(money(-290)),
            closed_at: Some(at(0)),
            ..CashBalance::new(courier_id(9), store_id(1))
        }
    );
    // An empty balance can be closed only as the period that it is.
    assert_eq!(
        host.commit(&book(closing(&open, 10_600))).await,
        Err(HostError::Conflict)
    );
    let differing = CashFilter {
        differs: true,
        ..CashFilter::default()
    };
    let (id, _) = entries(host, differing, 9).await.pop().unwrap();
    let note = CashEntry {
        about: Some(id),
        at: Timestamp::from_millis(at(9).millis()),
        reason: Some("Vale".to_owned()),
        ..cash(CashKind::Note, 0)
    };
    host.commit(&book(vec![note.clone()])).await.unwrap();
    assert_eq!(balance(host).await, closed, "a note changes no balance");
    let notes = host
        .cash_entries(CashEntryQuery::Notes(&[id]))
        .await
        .unwrap();
    assert_eq!(
        notes.into_iter().map(|one| one.entry).collect::<Vec<_>>(),
        [note]
    );
    let query = CashEntryQuery::Matching(&differing, 9);
    let found = host.cash_entries(query).await.unwrap();
    assert_eq!((found.len(), found[0].period), (1, 1));
    // The next period starts at zero.
    host.commit(&book(vec![cash(CashKind::Float, 300)]))
        .await
        .unwrap();
    assert_eq!(balance(host).await.in_hand(), money(300));
}

//! Stored tariffs, and the schedule by which they take effect.

use std::sync::Arc;

use despacho_core::{
    changes::{Changes, TariffChange, TariffWrite, Write},
    host::{Host, HostError, KeyQuery, PricePage, PriceQuery, Storage, TariffQuery},
    model::{
        TariffId,
        order::{Delivery, DeliveryStatus, Order, PricedOrder},
        store::{EntryKind, LedgerEntry},
        tariff::{StoredTariff, Tariff, TariffSchedule},
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{at, changes, entry, key, money, order, order_id, store, store_id},
};

fn id(number: u64) -> TariffId {
    TariffId::new(number).unwrap()
}

/// Returns a tariff that takes effect at a minute.
pub(crate) fn tariff(number: u64, minute: i64) -> StoredTariff {
    let (version, per_km) = (format!("2026.{number}"), "1.2345".parse().unwrap());
    let tariff = Arc::new(Tariff {
        version,
        per_km,
        ..Tariff::default()
    });
    StoredTariff {
        id: id(number),
        effective_from: at(minute),
        created_at: at(-1),
        tariff,
    }
}

pub(crate) fn insert(revision: u64, tariff: StoredTariff) -> Changes {
    Changes {
        tariffs: Some(TariffWrite {
            revision,
            change: TariffChange::Insert(tariff),
        }),
        ..changes()
    }
}

fn remove(revision: u64, number: u64) -> Changes {
    Changes {
        tariffs: Some(TariffWrite {
            revision,
            change: TariffChange::Remove(id(number)),
        }),
        ..changes()
    }
}

async fn stored<H: Host>(host: &H, query: TariffQuery<'_>) -> Vec<u64> {
    host.find_tariffs(query)
        .await
        .unwrap()
        .iter()
        .map(|tariff| tariff.id.get())
        .collect()
}

async fn schedule<H: Host>(host: &H) -> TariffSchedule {
    TariffSchedule::clone(&*host.tariff_schedule(None).await.unwrap())
}

pub(crate) async fn tariffs_are_read_as_written_latest_first(backend: impl Backend) {
    let host = backend.host();
    assert_eq!(schedule(host).await, TariffSchedule::default());
    let all = [tariff(7, 10), tariff(9, 5), tariff(8, 10), tariff(6, -20)];
    for (revision, tariff) in (0..).zip(&all) {
        host.commit(&insert(revision, tariff.clone()))
            .await
            .unwrap();
    }
    let [first, third, second, last] = all;
    let sorted = vec![second.clone(), first.clone(), third, last.clone()];
    assert_eq!(
        schedule(host).await,
        TariffSchedule {
            revision: 4,
            tariffs: sorted.clone()
        }
    );
    assert_eq!(
        host.find_tariffs(TariffQuery::Before {
            before: None,
            limit: 10
        })
        .await,
        Ok(sorted)
    );
    assert_eq!(
        host.find_tariffs(TariffQuery::Id(id(7))).await,
        Ok(vec![first.clone()])
    );
    assert_eq!(
        host.find_tariffs(TariffQuery::Version("2026.6")).await,
        Ok(vec![last])
    );
    assert_eq!(
        host.find_tariffs(TariffQuery::Version("2026")).await,
        Ok(vec![])
    );
    let page = |before: Option<&StoredTariff>| TariffQuery::Before {
        before: before.map(StoredTariff::order),
        limit: 2,
    };
    assert_eq!(stored(host, page(None)).await, [8, 7]);
    assert_eq!(stored(host, page(Some(&second))).await, [7, 9]);
    assert_eq!(stored(host, page(Some(&first))).await, [9, 6]);
}

pub(crate) async fn schedule_has_the_last_rows_only(backend: impl Backend) {
    let host = backend.host();
    let rows = u64::from(TariffSchedule::MAX_ROWS) + 2;
    for number in 0..rows {
        host.commit(&insert(
            number,
            tariff(number + 1, i64::try_from(number).unwrap()),
        ))
        .await
        .unwrap();
    }
    let schedule = schedule(host).await;
    assert_eq!(schedule.tariffs.len(), TariffSchedule::MAX_ROWS as usize);
    assert_eq!(schedule.tariffs.first().map(|one| one.id.get()), Some(rows));
    assert_eq!(schedule.tariffs.last().map(|one| one.id.get()), Some(3));
}

pub(crate) async fn tariff_change_requires_its_revision(backend: impl Backend) {
    let host = backend.host();
    host.commit(&insert(0, tariff(5, 10))).await.unwrap();
    let conflict = Err(HostError::Conflict);
    assert_eq!(
        host.commit(&insert(0, tariff(6, 10))).await,
        conflict,
        "another change was committed"
    );
    assert_eq!(host.commit(&remove(0, 5)).await, conflict);
    let same_version = StoredTariff {
        tariff: tariff(5, 10).tariff,
        ..tariff(6, 11)
    };
    assert_eq!(
        host.commit(&insert(1, same_version)).await,
        conflict,
        "the version exists"
    );
    assert_eq!(
        host.commit(&insert(
            1,
            StoredTariff {
                id: id(5),
                ..tariff(6, 10)
            }
        ))
        .await,
        conflict,
        "the ID exists"
    );
    assert_eq!(
        host.commit(&remove(1, 6)).await,
        conflict,
        "the tariff does not exist"
    );
    let late = Changes {
        at: at(10),
        ..remove(1, 5)
    };
    assert_eq!(
        host.commit(&late).await,
        conflict,
        "the tariff has taken effect"
    );
    assert_eq!(
        schedule(host).await,
        TariffSchedule {
            revision: 1,
            tariffs: vec![tariff(5, 10)]
        }
    );
    host.commit(&Changes {
        at: at(9),
        ..remove(1, 5)
    })
    .await
    .unwrap();
    assert_eq!(
        schedule(host).await,
        TariffSchedule {
            revision: 2,
            tariffs: vec![]
        }
    );
    host.commit(&insert(2, tariff(5, 10))).await.unwrap();
}

pub(crate) async fn racing_tariff_changes_commit_once(backend: impl Backend) {
    let host = backend.host();
    let changes: Vec<Changes> = (1..=8)
        .map(|number| insert(0, tariff(number, 10)))
        .collect();
    let results = join_all(changes.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(
        results.iter().filter(|result| result.is_ok()).count(),
        1,
        "{results:?}"
    );
    assert_eq!(schedule(host).await.tariffs.len(), 1);
}

pub(crate) async fn key_lookup_returns_the_tariff_revision(backend: impl Backend) {
    let host = backend.host();
    let (stores, keys) = (
        vec![Write::insert(store(1))],
        vec![Write::insert(key(5, 1))],
    );
    host.commit(&Changes {
        stores,
        keys,
        ..changes()
    })
    .await
    .unwrap();
    let hash = key(5, 1).hash;
    for revision in 0..3 {
        for query in [
            KeyQuery::Hash(&hash),
            KeyQuery::Recent(&hash, at(0)),
            KeyQuery::Recent(&hash, at(0)),
        ] {
            let holder = host.find_keys(query).await.unwrap().pop().unwrap();
            assert_eq!(holder.tariff_revision, revision, "{query:?}");
            let cached = host.tariff_schedule(Some(revision)).await.unwrap();
            assert_eq!(
                (cached.revision, cached.tariffs.len() as u64),
                (revision, revision)
            );
        }
        host.commit(&insert(revision, tariff(revision + 1, 10)))
            .await
            .unwrap();
    }
}

/// Returns an order without a state, with a cancelled and an erased stop.
fn unusual(number: u64, of: u64) -> Order {
    let mut order = order(number, of, &format!("P-{number}"));
    order.pickup.address.state = None;
    order.return_leg = None;
    let cancelled = Delivery {
        status: DeliveryStatus::Cancelled,
        ..order.deliveries[0].clone()
    };
    let erased = Delivery {
        erased: true,
        ..order.deliveries[1].clone()
    };
    let visible = Delivery {
        erased: false,
        ..order.deliveries[1].clone()
    };
    order.deliveries = vec![cancelled, erased, visible];
    order
}

pub(crate) async fn order_prices_are_read_newest_first(backend: impl Backend) {
    let host = backend.host();
    let branch = despacho_core::model::store::Store {
        parent: Some(store_id(1)),
        ..store(3)
    };
    let stores = [store(1), store(2), branch].map(Write::insert).into();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.order_prices(PriceQuery::default()).await,
        Ok(PricePage::default())
    );
    // The third entry is not a fee, so its order is not read again.
    let entries = [
        (50, 1, EntryKind::Fee),
        (51, 2, EntryKind::Fee),
        (50, 1, EntryKind::Refund),
        (52, 3, EntryKind::Fee),
    ];
    for (minute, (number, of, kind)) in (0..).zip(entries) {
        let fee = LedgerEntry {
            order: Some(order_id(number)),
            kind,
            at: at(minute),
            ..entry(of, 100, None)
        };
        let is_new = kind == EntryKind::Fee;
        let orders = if is_new {
            vec![Write::insert(unusual(number, of))]
        } else {
            Vec::new()
        };
        host.commit(&Changes {
            orders,
            ledger: vec![fee],
            ..changes()
        })
        .await
        .unwrap();
    }
    let ids = |page: &PricePage| {
        page.orders
            .iter()
            .map(|order| order.store.get())
            .collect::<Vec<_>>()
    };
    let all = host.order_prices(PriceQuery::default()).await.unwrap();
    assert_eq!(
        (ids(&all), all.next.map(|(_, at)| at)),
        (vec![3, 2, 1], Some(at(0)))
    );
    let read = all.orders.last().unwrap();
    assert_eq!(
        *read,
        PricedOrder::from(&unusual(50, 1)),
        "the narrow read equals the order"
    );
    assert_eq!(
        (
            read.locality.uf(),
            read.stops.len(),
            read.stops[0],
            read.fee
        ),
        (None, 2, None, money(1_890))
    );
    assert!(read.stops[1].is_some() && read.back.is_none());
    let own = host
        .order_prices(PriceQuery {
            store: Some(store_id(1)),
            before: None,
        })
        .await
        .unwrap();
    assert_eq!(
        (ids(&own), own.next),
        (vec![1], all.next),
        "a branch is not its parent store"
    );
    let rest = host
        .order_prices(PriceQuery {
            store: None,
            before: all.next.map(|(id, _)| id),
        })
        .await;
    assert_eq!(rest, Ok(PricePage::default()), "the ledger has ended");
}

pub(crate) async fn order_prices_continue_after_each_page(backend: impl Backend) {
    let host = backend.host();
    host.commit(&Changes {
        stores: vec![Write::insert(store(1))],
        ..changes()
    })
    .await
    .unwrap();
    let count = u64::from(PricePage::MAX_ENTRIES) + 20;
    let creation = |number: u64| Changes {
        orders: vec![Write::insert(order(number, 1, &format!("P-{number}")))],
        ledger: vec![LedgerEntry {
            order: Some(order_id(number)),
            ..entry(1, 100, None)
        }],
        ..changes()
    };
    let creations: Vec<Changes> = (1..=count).map(creation).collect();
    assert!(host.commit_each(&creations).await.iter().all(Result::is_ok));
    let (mut query, mut found, mut pages) = (PriceQuery::default(), 0, 0);
    loop {
        let page = host.order_prices(query).await.unwrap();
        found += page.orders.len() as u64;
        let Some((before, _)) = page.next else { break };
        (query.before, pages) = (Some(before), pages + 1);
    }
    assert!(
        found == count && pages >= 2,
        "{found} orders in {pages} pages"
    );
}

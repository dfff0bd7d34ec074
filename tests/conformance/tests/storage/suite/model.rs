//! Random commits on the reference host and the tested host: both must return the same results and
//! store the same data.

use std::sync::Arc;

use despacho_core::{
    changes::{Changes, Write},
    host::{
        CashEntryQuery, CashFilter, CourierQuery, Host, KeyQuery, OrderQuery, Storage, StoreQuery,
    },
    memory::MemoryHost,
    model::{
        Email, Figures, Timestamp,
        cash::{CashBalance, CashEntry, CashKind},
        courier::Courier,
        order::{Event, Order, OrderStatus},
        store::{Claim, ClaimChange, Key, KeyHash, KeyHolder, Notification, Store},
    },
};

use super::{
    cash::{balance as cash_balance, cash, closing, collected},
    fixtures::{
        Rng, at, claim, cnpj, courier, email, entry, event, key, money, notification, order,
        order_id, store, store_id, update, with_response,
    },
};

/// Small numbers of IDs and codes, so commits conflict often.
const STORES: u64 = 4;
const ORDERS: u64 = 8;
const CODES: [&str; 3] = ["a", "b", "c"];

/// Commits `steps` random changes to both hosts and compares all data after each.
pub(crate) async fn compare<H: Host>(host: &H, steps: i64) {
    let (model, mut rng) = (MemoryHost::seeded(2), Rng::new(7));
    let (mut committed, mut rejected) = (0, 0);
    for step in 0..steps {
        let changes = random(&model, &mut rng, step).await;
        let expected_result = model.commit(&changes).await;
        assert_eq!(
            host.commit(&changes).await,
            expected_result,
            "step {step}: {changes:?}"
        );
        if expected_result.is_ok() {
            committed += 1;
        } else {
            rejected += 1;
        }
        assert_eq!(
            dump(host, changes.at).await,
            dump(&model, changes.at).await,
            "step {step}: {changes:?}"
        );
    }
    // A run in which almost all commits succeed, or almost all conflict, tests little.
    assert!(
        committed > steps / 5 && rejected > steps / 5,
        "{committed} committed, {rejected} rejected"
    );
}

/// Returns one to three random changes. Three quarters of them expect the stored version.
async fn random(model: &MemoryHost, rng: &mut Rng, step: i64) -> Changes {
    let mut changes = Changes {
        at: at(step),
        ..Changes::default()
    };
    for _ in 0..=rng.below(3) {
        match rng.below(9) {
            0 => changes.stores.push(random_store(model, rng).await),
            1 => changes.keys.push(random_key(model, rng).await),
            2 | 3 => changes.orders.push(random_order(model, rng).await),
            4 => {
                let couriers = model
                    .find_couriers(CourierQuery::All {
                        after: None,
                        limit: 1000,
                    })
                    .await
                    .unwrap();
                let value = courier(1 + rng.below(3));
                let version = couriers
                    .iter()
                    .find(|courier| courier.id == value.id)
                    .map(|courier| courier.version);
                changes.couriers.push(update(expected(rng, version), value));
            }
            5 => {
                let order = order(1 + rng.below(ORDERS), 1, "");
                let last =
                    model.events(order.id).await.unwrap().len() + usize::from(!rng.once_in(5));
                changes
                    .events
                    .push(event(&order, u32::try_from(last).unwrap()));
            }
            6 => {
                let amount = i64::try_from(rng.below(2_000)).unwrap() - 1_000;
                changes.ledger.push(entry(
                    1 + rng.below(STORES),
                    amount,
                    (!rng.once_in(3)).then_some(-500),
                ));
            }
            7 => changes.cash.extend(random_cash(model, rng).await),
            _ if rng.once_in(2) => {
                let read_at = rng.once_in(2).then(|| at(step));
                let received = notification(1 + rng.below(12), 1 + rng.below(2));
                // The ID determines the store.
                let received = Notification {
                    store: store_id(1 + received.id.get() % 2),
                    read_at,
                    ..received
                };
                changes.notifications.push(received);
            }
            _ => changes.claim = Some(random_claim(rng, step)),
        }
    }
    changes
}

/// Returns an entry of the cash ledger, or a closing that does not always know the last one.
async fn random_cash(model: &MemoryHost, rng: &mut Rng) -> Vec<CashEntry> {
    let amount = i64::try_from(rng.below(2_000)).unwrap();
    match rng.below(4) {
        0 => vec![cash(CashKind::Float, amount)],
        1 => vec![collected(1 + rng.below(20), amount)],
        2 => vec![cash(CashKind::HandedOver, amount)],
        _ => {
            let open = cash_balance(model).await;
            let period = open.period - u32::from(open.period > 1 && rng.once_in(4));
            let lost = if rng.once_in(4) { 1 } else { 0 };
            let known = CashBalance {
                period,
                float: open.float.plus(money(lost)),
                ..open
            };
            closing(&known, amount)
        }
    }
}

fn expected(rng: &mut Rng, version: Option<u32>) -> u32 {
    let version = version.unwrap_or(0);
    match rng.below(8) {
        0 => version + 1,
        1 => version.saturating_sub(1),
        _ => version,
    }
}

async fn random_store(model: &MemoryHost, rng: &mut Rng) -> Write<Store> {
    let (number, document, address) = (1 + rng.below(STORES), 1 + rng.below(5), 1 + rng.below(5));
    let deleted_at = rng.once_in(6).then(|| at(0));
    let value = Store {
        cnpj: cnpj(document),
        email: email(address),
        deleted_at,
        ..store(number)
    };
    // The version of a removed store is guessed, because it cannot be read. Both hosts reject most
    // such writes.
    let version = model
        .store(value.id)
        .await
        .unwrap()
        .map(|store| store.version);
    let version = version.or_else(|| rng.once_in(2).then(|| u32::try_from(rng.below(6)).unwrap()));
    update(expected(rng, version), value)
}

async fn random_key(model: &MemoryHost, rng: &mut Rng) -> Write<Key> {
    let value = key(1 + rng.below(4), 1 + rng.below(STORES));
    let created_at = at(i64::try_from(rng.below(4)).unwrap());
    let hash = KeyHash::of(&rng.below(5).to_string());
    let version = model
        .find_keys(KeyQuery::Id(value.id))
        .await
        .unwrap()
        .pop()
        .map(|held| held.key.version);
    update(
        expected(rng, version),
        Key {
            hash,
            created_at,
            ..value
        },
    )
}

async fn random_order(model: &MemoryHost, rng: &mut Rng) -> Write<Order> {
    let (number, owner, code) = (1 + rng.below(ORDERS), 1 + rng.below(2), rng.below(3));
    let status = OrderStatus::ALL[usize::try_from(rng.below(17)).unwrap()];
    let value = Order {
        status,
        status_since: at(i64::try_from(rng.below(30)).unwrap()),
        ready_at: at(i64::try_from(rng.below(60)).unwrap()),
        ..order(number, owner, CODES[usize::try_from(code).unwrap()])
    };
    let version = model
        .order(value.id)
        .await
        .unwrap()
        .map(|order| order.version);
    update(expected(rng, version), value)
}

/// Returns a change of a claim whose holder removes no expired claims, because the model keeps them
/// forever.
fn random_claim(rng: &mut Rng, step: i64) -> ClaimChange {
    let (name, holder) = (
        CODES[usize::try_from(rng.below(2)).unwrap()],
        CODES[usize::try_from(rng.below(3)).unwrap()],
    );
    let claim = Claim {
        expires_at: at(step + i64::try_from(rng.below(40)).unwrap()),
        ..claim(name, holder)
    };
    match rng.below(5) {
        0..=2 => ClaimChange::Take(claim),
        3 => ClaimChange::Finish(Claim {
            expires_at: claim.expires_at,
            ..with_response(claim)
        }),
        _ => ClaimChange::Release {
            scope: claim.scope,
            key: claim.key,
            holder: claim.holder,
            until: claim.expires_at,
        },
    }
}

/// All data that queries can read.
#[derive(Debug, Default, PartialEq)]
struct Dump {
    stores: Vec<Option<Store>>,
    holders: Vec<Option<Arc<KeyHolder>>>,
    keys: Vec<Vec<Arc<KeyHolder>>>,
    orders: Vec<Option<Order>>,
    /// Without their IDs, in which a database may leave gaps.
    events: Vec<Vec<Event>>,
    due: Vec<Vec<Order>>,
    couriers: Vec<Courier>,
    notifications: Vec<Vec<Notification>>,
    claims: Vec<Option<Claim>>,
    cash: Vec<CashBalance>,
    /// Without their IDs.
    cash_entries: Vec<(u32, CashEntry)>,
    figures: Figures,
}

async fn dump<H: Host>(host: &H, now: Timestamp) -> Dump {
    let mut dump = Dump::default();
    for number in 1..=STORES {
        dump.stores
            .push(host.store(store_id(number)).await.unwrap());
        dump.keys.push(
            host.find_keys(KeyQuery::Store(store_id(number)))
                .await
                .unwrap(),
        );
        dump.keys.push(
            host.find_keys(KeyQuery::Id(key(number, 1).id))
                .await
                .unwrap(),
        );
        dump.notifications.push(
            host.notifications(store_id(number), None, 50)
                .await
                .unwrap(),
        );
        for code in CODES {
            dump.orders.push(
                host.find_orders(OrderQuery::Code(store_id(number), code))
                    .await
                    .unwrap()
                    .pop(),
            );
        }
    }
    for number in 0..=5 {
        dump.holders
            .push(host.key(&KeyHash::of(&number.to_string())).await.unwrap());
        let upper = Email::parse(&email(number).as_str().to_uppercase()).unwrap();
        dump.stores.push(
            host.find_stores(StoreQuery::Email(&upper))
                .await
                .unwrap()
                .pop(),
        );
        dump.stores.push(
            host.find_stores(StoreQuery::Cnpj(cnpj(number).as_str()))
                .await
                .unwrap()
                .pop(),
        );
    }
    for number in 1..=ORDERS {
        dump.orders
            .push(host.order(order_id(number)).await.unwrap());
        let history = host.events(order_id(number)).await.unwrap();
        dump.events
            .push(history.into_iter().map(|recorded| recorded.event).collect());
    }
    dump.due.push(
        host.find_orders(OrderQuery::Due {
            now,
            skipped: 0,
            limit: 5,
        })
        .await
        .unwrap(),
    );
    dump.due.push(
        host.find_orders(OrderQuery::Due {
            now: at(1_000_000),
            skipped: 0,
            limit: 50,
        })
        .await
        .unwrap(),
    );
    dump.couriers = host
        .find_couriers(CourierQuery::All {
            after: None,
            limit: 1000,
        })
        .await
        .unwrap();
    dump.cash.push(cash_balance(host).await);
    let filter = CashFilter::default();
    let entries = host.cash_entries(CashEntryQuery::Matching(&filter, 1_000));
    let entries = entries.await.unwrap().into_iter();
    dump.cash_entries = entries.map(|one| (one.period, one.entry)).collect();
    dump.figures = host.figures(now, at(20)).await.unwrap();
    for code in CODES {
        dump.claims.push(host.claim("store/1", code).await.unwrap());
    }
    dump
}

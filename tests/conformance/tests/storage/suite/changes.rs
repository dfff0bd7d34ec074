//! Properties of entire commits.

use std::collections::BTreeSet;

use despacho_core::{
    changes::{Changes, PayPlanChange, Write},
    host::{
        AttemptQuery, AuditQuery, CashEntryQuery, CashFilter, CourierQuery, Host, HostError,
        OrderQuery, PayPlanQuery, StatementQuery, Storage, StoreQuery, TariffQuery, UserQuery,
        WebhookQuery,
    },
    model::{
        OrderId,
        order::{Event, EventKind, Order},
        privacy::{PersonalQuery, Redaction},
        store::{ClaimChange, KeyHash},
        webhook::MessageChange,
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    accounts::{entry as audit_entry, user},
    blobs::blob,
    cash::collected,
    fixtures::{
        at, attempt, changes, claim, courier, email, entry, erasure_record, event, key, message,
        notification, order, order_id, photo_id, position, store, store_id, top_up, update,
        webhook, webhook_id,
    },
    outward::journal_last_position,
    pay::{entries as pay_entries, entry as pay_entry, plan as pay_plan},
    tariffs::{insert as insert_tariff, tariff},
};

/// Returns changes with one row of each kind.
fn everything() -> Changes {
    let order = order(50, 1, "P-1");
    Changes {
        at: at(0),
        stores: vec![Write::insert(store(1))],
        keys: vec![Write::insert(key(5, 1))],
        users: vec![Write::insert(user(6, 1))],
        couriers: vec![Write::insert(courier(9))],
        positions: vec![position(9, 1)],
        events: vec![event(&order, 1)],
        links: order.tracking_links(),
        ledger: vec![entry(1, 1_900, None)],
        top_ups: vec![top_up(1, 100, "PIX-1")],
        cash: vec![collected(61, 5_790)],
        webhooks: vec![Write::insert(webhook(7, 1))],
        messages: vec![MessageChange::Put(message(7, 3, 1))],
        attempts: vec![attempt(7, 1)],
        notifications: vec![notification(70, 1)],
        audit: vec![audit_entry(0, Some(1), 5)],
        claim: Some(ClaimChange::Take(claim("k", "a"))),
        orders: vec![Write::insert(order)],
        blobs: vec![blob(80, 50, b"photo")],
        removed_blobs: vec![photo_id(81)],
        tariffs: insert_tariff(0, tariff(90, 1)).tariffs,
        pay: vec![pay_entry(9, 0, Some(0))],
        pay_plans: vec![PayPlanChange::Insert(pay_plan("moto", 91, 1))],
        redactions: vec![Redaction::Record(erasure_record())],
    }
}

/// Returns what queries read of [`everything`].
async fn visible<H: Host>(host: &H) -> Vec<String> {
    let store = host.store(store_id(1)).await.unwrap();
    let mut seen = vec![format!("{store:?}")];
    seen.push(format!("{:?}", host.key(&key(5, 1).hash).await.unwrap()));
    seen.push(format!(
        "{:?}",
        host.find_users(UserQuery::Store(store_id(1)))
            .await
            .unwrap()
    ));
    let log = AuditQuery {
        limit: 10,
        ..AuditQuery::default()
    };
    let log = host
        .audit(log)
        .await
        .unwrap()
        .into_iter()
        .map(|record| record.entry);
    seen.push(format!("{:?}", log.collect::<Vec<_>>()));
    seen.push(format!("{:?}", host.order(order_id(50)).await.unwrap()));
    seen.push(format!(
        "{:?}",
        host.find_orders(OrderQuery::Code(store_id(1), "P-1"))
            .await
            .unwrap()
            .pop()
    ));
    let events: Vec<Event> = host
        .events(order_id(50))
        .await
        .unwrap()
        .into_iter()
        .map(|recorded| recorded.event)
        .collect();
    seen.push(format!("{events:?}"));
    seen.push(format!(
        "{:?}",
        host.find_couriers(CourierQuery::All {
            after: None,
            limit: 10
        })
        .await
        .unwrap()
    ));
    seen.push(format!(
        "{:?}",
        host.notifications(store_id(1), None, 10).await.unwrap()
    ));
    for link in order(50, 1, "P-1").tracking_links() {
        seen.push(format!(
            "{:?}",
            host.tracking_link(&link.hash).await.unwrap()
        ));
    }
    seen.push(format!("{:?}", host.claim("store/1", "k").await.unwrap()));
    seen.push(format!(
        "{:?}",
        host.statement(store_id(1), StatementQuery::TopUp("PIX-1"))
            .await
            .unwrap()
            .pop()
    ));
    seen.push(format!(
        "{:?}",
        host.find_webhooks(WebhookQuery::Store(store_id(1)))
            .await
            .unwrap()
    ));
    seen.push(format!("{:?}", host.messages(webhook_id(7)).await.unwrap()));
    seen.push(format!(
        "{:?}",
        host.find_attempts(AttemptQuery::Webhook {
            webhook: webhook_id(7),
            before: None,
            limit: 10
        })
        .await
        .unwrap()
    ));
    let filter = CashFilter::default();
    seen.push(format!(
        "{:?}",
        host.cash_entries(CashEntryQuery::Matching(&filter, 10))
            .await
            .unwrap()
    ));
    let tariffs = TariffQuery::Before {
        before: None,
        limit: 10,
    };
    seen.push(format!("{:?}", host.find_tariffs(tariffs).await.unwrap()));
    let plans = PayPlanQuery::Version("2026.91");
    seen.push(format!("{:?}", host.find_pay_plans(plans).await.unwrap()));
    let pay: Vec<_> = pay_entries(host, 9).await;
    seen.push(format!("{pay:?}"));
    seen.push(format!("{:?}", host.blob(photo_id(80)).await.unwrap()));
    seen.push(format!("{}", journal_last_position(host, 1).await.unwrap()));
    let records = PersonalQuery::Records {
        before: None,
        limit: 10,
    };
    seen.push(format!(
        "{:?}",
        host.personal_data(&records).await.unwrap().records
    ));
    seen.push(format!(
        "{:?}",
        host.find_orders(OrderQuery::Due {
            now: at(1_000),
            skipped: 0,
            limit: 10
        })
        .await
        .unwrap()
    ));
    seen
}

pub(crate) async fn conflict_undoes_the_entire_commit(backend: impl Backend) {
    let host = backend.host();
    let before = visible(host).await;
    let poison: [fn(&mut Changes); 14] = [
        |changes| changes.stores.push(update(3, store(2))),
        |changes| changes.keys.push(update(1, key(6, 1))),
        |changes| changes.users.push(update(1, user(16, 1))),
        |changes| changes.couriers.push(Write::insert(courier(9))),
        |changes| changes.events.push(event(&order(50, 1, "P-1"), 1)),
        |changes| changes.ledger.push(entry(1, -2_001, Some(0))),
        |changes| changes.orders.push(Write::insert(order(51, 1, "P-1"))),
        |changes| changes.top_ups.push(top_up(1, 1, "PIX-1")),
        |changes| changes.cash.push(collected(61, 1)),
        |changes| changes.webhooks.push(update(2, webhook(8, 1))),
        |changes| changes.blobs.push(blob(80, 50, b"other")),
        |changes| changes.pay.push(pay_entry(9, 0, Some(0))),
        |changes| {
            let plan = pay_plan("other", 91, 2);
            changes.pay_plans.push(PayPlanChange::Insert(plan));
        },
        |changes| changes.tariffs = insert_tariff(3, tariff(90, 1)).tariffs,
    ];
    for poison in poison {
        let mut poisoned = everything();
        poison(&mut poisoned);
        assert_eq!(
            host.commit(&poisoned).await,
            Err(HostError::Conflict),
            "{poisoned:?}"
        );
        assert_eq!(visible(host).await, before);
    }
    host.commit(&everything()).await.unwrap();
    let after = visible(host).await;
    assert!(
        after
            .iter()
            .zip(&before)
            .all(|(after, before)| after != before)
    );
    // The claim is applied last, so its conflict must undo everything before it.
    let late = Changes {
        orders: vec![Write::insert(order(52, 1, "P-2"))],
        claim: Some(ClaimChange::Take(claim("k", "b"))),
        ..changes()
    };
    assert_eq!(host.commit(&late).await, Err(HostError::Conflict));
    assert_eq!(host.order(order_id(52)).await, Ok(None));
    assert_eq!(
        host.commit(&changes()).await,
        Ok(()),
        "an empty commit succeeds"
    );
    assert_eq!(visible(host).await, after);
}

pub(crate) async fn ids_are_never_repeated(backend: impl Backend) {
    let mut seen = BTreeSet::new();
    let mut backend = backend;
    for count in [1_u32, 3, 511, 2, 600, 1, 0, 50] {
        let mut block = backend.host().ids(count).await.unwrap();
        let numbers: Vec<u64> = std::iter::from_fn(|| block.take(OrderId::new))
            .map(OrderId::get)
            .collect();
        assert_eq!(numbers.len(), count as usize);
        assert!(
            numbers.windows(2).all(|pair| pair[1] == pair[0] + 1),
            "consecutive"
        );
        assert!(
            numbers.iter().all(|number| *number >= 1_000),
            "fixtures use the IDs below 1,000"
        );
        assert!(numbers.into_iter().all(|number| seen.insert(number)));
        if count == 511 {
            backend = backend.restart().await;
        }
    }
    let host = backend.host();
    let blocks = join_all((0..100).map(|_| host.ids(7))).await;
    for mut block in blocks.into_iter().map(Result::unwrap) {
        for _ in 0..7 {
            assert!(seen.insert(block.take(OrderId::new).unwrap().get()));
        }
    }
}

pub(crate) async fn hostile_text_is_stored_unchanged(backend: impl Backend) {
    let host = backend.host();
    let texts = [
        "'; DROP TABLE orders; --",
        "\"quoted\"",
        "$1",
        "?1",
        ":name",
        "%_\\",
        "<script>alert(1)</script>",
        "\u{202e}abc",
        "🛵 entrega já",
        "a\u{301}",
        "\u{1}\u{7f}",
        " ",
        "NULL",
        "0042",
        "1e309",
        "-0",
    ];
    for (number, text) in (100..).zip(texts) {
        let mut hostile = order(number, 1, text);
        hostile.pickup.address.street = Some(text.to_owned());
        hostile.deliveries[0].observation = Some(format!("{text}\u{0}{text}"));
        let mut held = claim(text, text);
        text.clone_into(&mut held.scope);
        let change = Changes {
            orders: vec![Write::insert(hostile.clone())],
            claim: Some(ClaimChange::Take(held.clone())),
            ..changes()
        };
        host.commit(&change).await.unwrap();
        assert_eq!(
            host.find_orders(OrderQuery::Code(store_id(1), text)).await,
            Ok(vec![hostile]),
            "{text:?}"
        );
        assert_eq!(host.claim(text, text).await, Ok(Some(held)), "{text:?}");
        assert_eq!(host.key(&KeyHash::of(text)).await, Ok(None));
        assert_eq!(host.find_stores(StoreQuery::Cnpj(text)).await, Ok(vec![]));
    }
    assert_eq!(
        host.find_orders(OrderQuery::Due {
            now: at(1_000),
            skipped: 0,
            limit: 1_000
        })
        .await
        .unwrap()
        .len(),
        texts.len()
    );
}

pub(crate) async fn restart_keeps_all_data(backend: impl Backend) {
    backend.host().commit(&everything()).await.unwrap();
    let moved = Order {
        version: 2,
        ready_at: at(3),
        ..order(50, 1, "P-1")
    };
    let second = Changes {
        orders: vec![update(1, moved.clone())],
        events: vec![event(&moved, 2)],
        ..changes()
    };
    backend.host().commit(&second).await.unwrap();
    let before = visible(backend.host()).await;
    let first_id = backend
        .host()
        .events(order_id(50))
        .await
        .unwrap()
        .first()
        .map(|event| event.id);

    let backend = backend.restart().await.restart().await;
    let host = backend.host();
    assert_eq!(visible(host).await, before);
    assert_eq!(
        host.find_stores(StoreQuery::Email(&email(1)))
            .await
            .unwrap()
            .pop()
            .map(|store| store.balance.centavos()),
        Some(2_000)
    );
    assert_eq!(
        host.commit(&second).await,
        Err(HostError::Conflict),
        "versions survive the restart"
    );
    let third = Event {
        kind: EventKind::Ready,
        ..event(&moved, 3)
    };
    host.commit(&Changes {
        events: vec![third],
        ..changes()
    })
    .await
    .unwrap();
    let history = host.events(order_id(50)).await.unwrap();
    assert_eq!(history.first().map(|event| event.id), first_id);
    assert!(
        history.is_sorted_by_key(|event| event.id),
        "the journal continues after its last event"
    );
}

pub(crate) async fn random_commits_match_the_reference_host(backend: impl Backend) {
    super::model::compare(backend.host(), 400).await;
}

//! The cash ledger: its invariants after any sequence of requests, and how records of the counter
//! and late handovers agree.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    api,
    host::{CashBalanceQuery, HostError, Platform, Storage},
    memory::MemoryHost,
    model::{
        CourierId, DeliveryId, Money,
        cash::{CashEntry, CashKind},
        order::{DeliveryStatus, Order},
    },
    rules::lifecycle::allocate,
};
use despacho_simulator::demo::KEY;
use http::Request;
use serde_json::{Value, json};

use crate::{
    follow::Rng,
    support::{
        COURIER, OPERATOR, OTHER, Response, block_on, courier, host, order, reasons, send, settings,
    },
};

const PHONE: &str = "+5511999990000";
const NAME: &str = "Maria das Dores";

/// Sends a request with an idempotency key.
fn send_once(host: &MemoryHost, key: &str, line: &str, idempotency_key: &str, body: &Value) -> u16 {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key)
        .header("content-type", "application/json")
        .header("idempotency-key", idempotency_key)
        .body(body.to_string().into())
        .unwrap();
    block_on(api::handle(host, &settings(), request))
        .status()
        .as_u16()
}

/// Creates an order with one delivery that pays 57.90 by these fields, and allocates it to a
/// courier.
fn allocated(host: &MemoryHost, key: &str, code: &str, to: u64, payment: &Value) -> Order {
    let body = json!({
        "code": code,
        "preparationTime": 0,
        "deliveries": [{
            "name": NAME, "phone": PHONE, "onlinePayment": false, "productValue": 57.9,
            "payment": payment,
            "address": {
                "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
                "latitude": -23.5530, "longitude": -46.6560,
            },
        }],
    });
    let created = send(host, key, "POST /delivery/orders", &body);
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.body["id"].as_u64().unwrap();
    send(
        host,
        key,
        &format!("GET /delivery/orders/{id}"),
        &Value::Null,
    );
    let searching = Order {
        sandbox: true,
        ..order(host, id)
    };
    let courier = courier(host, to);
    let context = host.exec_context();
    let reasons = reasons(courier.id, context.now);
    let (order, changes) = allocate(&searching, &courier, &[], 3, reasons, &[], &context).unwrap();
    block_on(host.commit(&changes)).unwrap();
    order
}

/// Takes the next step of an order until the courier is at the door or at the return.
fn advance(host: &MemoryHost, key: &str, id: u64) -> Option<Response> {
    let current = order(host, id);
    let stop = current.deliveries[0].id;
    let (step, body) = match current.status.number() {
        210 => ("arrive", json!({})),
        220 => ("pickup", json!({ "code": current.pickup_code })),
        300 => match current.deliveries[0].status {
            DeliveryStatus::OnBoard => ("en-route", json!({ "deliveryId": stop })),
            DeliveryStatus::EnRoute => ("at-door", json!({ "deliveryId": stop })),
            _ => return None,
        },
        400 => ("at-return", json!({})),
        410 => ("hand-back", json!({ "code": current.return_code })),
        _ => return None,
    };
    let line = format!("POST /courier/orders/{id}/{step}");
    Some(send(host, key, &line, &body))
}

fn at_door(host: &MemoryHost, key: &str, code: &str, to: u64, payment: &Value) -> Order {
    let created = allocated(host, KEY, code, to, payment);
    let id = created.id.get();
    while let Some(response) = advance(host, key, id) {
        assert_eq!(response.status, 200, "{}", response.body);
    }
    order(host, id)
}

fn deliver(host: &MemoryHost, key: &str, order: &Order, payment: &Value) -> Response {
    let stop = order.deliveries[0].id;
    let line = format!("POST /courier/orders/{}/deliver", order.id);
    let body = if payment.is_null() {
        json!({ "deliveryId": stop })
    } else {
        json!({ "deliveryId": stop, "payment": payment })
    };
    send(host, key, &line, &body)
}

fn record(host: &MemoryHost, order: &Order, method: &str, received: f64) -> Response {
    let stop = order.deliveries[0].id;
    let line = format!("POST /delivery/orders/{}/payment", order.id);
    let body = json!({ "deliveryId": stop, "method": method, "received": received });
    send(host, KEY, &line, &body)
}

/// Returns the kinds and amounts in centavos of a delivery's entries, oldest first.
fn entries_of(host: &MemoryHost, delivery: DeliveryId) -> Vec<(CashKind, i64)> {
    let entries = host.cash().into_iter();
    let own = entries.filter(|entry| entry.delivery == Some(delivery));
    own.map(|entry| (entry.kind, entry.amount.centavos()))
        .collect()
}

/// Returns what couriers carry by the entries of the ledger, by courier and store.
fn in_hand(entries: &[CashEntry]) -> BTreeMap<(u64, u64), i64> {
    let mut sums = BTreeMap::new();
    for entry in entries {
        let sum: &mut i64 = sums
            .entry((entry.courier.get(), entry.store.get()))
            .or_default();
        match entry.kind {
            CashKind::Float | CashKind::Collected | CashKind::Correction | CashKind::Difference => {
                *sum += entry.amount.centavos()
            }
            CashKind::HandedOver => *sum -= entry.amount.centavos(),
            CashKind::ToStoreDirectly | CashKind::Note => {}
        }
    }
    sums
}

/// Checks the ledger against the balances and the orders.
fn check(host: &MemoryHost, seed: u64) {
    let entries = host.cash();
    let sums = in_hand(&entries);
    let couriers: Vec<CourierId> = [7, 8].into_iter().filter_map(CourierId::new).collect();
    let open = block_on(host.cash_balances(CashBalanceQuery::Couriers(&couriers))).unwrap();
    for (key, sum) in &sums {
        let balance = open
            .iter()
            .find(|one| (one.courier.get(), one.store.get()) == *key);
        let held = balance.map_or(0, |balance| balance.in_hand().centavos());
        assert_eq!(*sum, held, "seed {seed}: {key:?}");
    }
    let collected: Vec<DeliveryId> = entries
        .iter()
        .filter(|entry| entry.kind == CashKind::Collected)
        .filter_map(|entry| entry.delivery)
        .collect();
    let once: BTreeSet<&DeliveryId> = collected.iter().collect();
    assert_eq!(once.len(), collected.len(), "seed {seed}: collected twice");
    for order in host.orders() {
        let delivery = &order.deliveries[0];
        let own = entries_of(host, delivery.id);
        let is_cash = delivery.payment.as_ref().is_some_and(|payment| {
            payment.includes(despacho_core::model::order::PaymentMethod::Cash)
        });
        if delivery.status == DeliveryStatus::Delivered && is_cash {
            assert!(collected.contains(&delivery.id), "seed {seed}: {own:?}");
        }
        let sum = |kinds: &[CashKind]| -> i64 {
            let counted = own.iter().filter(|(kind, _)| kinds.contains(kind));
            counted.map(|(_, amount)| amount).sum()
        };
        let carried = sum(&[CashKind::Collected, CashKind::Correction]);
        let direct = sum(&[CashKind::ToStoreDirectly]);
        assert!(
            (0..=5_790).contains(&carried) && (0..=5_790).contains(&(carried + direct)),
            "seed {seed}: {own:?}"
        );
        let known = delivery.cash.map_or((0, 0), |cash| {
            (cash.collected.centavos(), cash.direct.centavos())
        });
        assert_eq!((carried, direct), known, "seed {seed}: {own:?}");
        let received: Money = delivery.received.iter().map(|one| one.amount).sum();
        assert!(received.centavos() <= 5_790, "seed {seed}");
    }
}

/// What a run knows of a courier's current order.
struct Carried {
    key: &'static str,
    id: u64,
    current: Option<u64>,
}

/// Sends a random request, at first with its repetition, and checks that the repetition changes
/// nothing.
fn request(host: &MemoryHost, key: &str, line: &str, body: &Value, number: usize) {
    let name = format!("run-{number}");
    let first = send_once(host, key, line, &name, body);
    let (entries, orders) = (host.cash(), host.orders());
    let again = send_once(host, key, line, &name, body);
    assert_eq!(first, again, "{line} {body}");
    assert_eq!(host.cash(), entries, "{line} {body}");
    assert_eq!(host.orders(), orders, "{line} {body}");
}

#[test]
fn number_of_a_payment_is_not_stored_after_an_erasure() {
    let host = host();
    let handed_over = at_door(&host, COURIER, "E-1", 7, &json!({ "method": "PIX" }));
    let body = json!({ "method": "PIX", "received": 57.9 });
    assert_eq!(deliver(&host, COURIER, &handed_over, &body).status, 200);
    let erased = send(
        &host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({ "phone": PHONE }),
    );
    assert_eq!(erased.body["orders"], 1, "{}", erased.body);
    let id = handed_over.id.get();
    let number = "E60746948202611301530A1B2C3D4E5F6";
    let record = json!({
        "deliveryId": handed_over.deliveries[0].id, "method": "PIX", "received": 50, "reference": number,
    });
    let line = format!("POST /delivery/orders/{id}/payment");
    for _ in 0..2 {
        let recorded = send(&host, KEY, &line, &record);
        assert_eq!(recorded.status, 200, "{}", recorded.body);
        assert!(!recorded.body.to_string().contains(number));
    }
    let stored = order(&host, id);
    let [received] = stored.deliveries[0].received.as_slice() else {
        panic!("{:?}", stored.deliveries[0].received);
    };
    assert_eq!(
        (received.amount.centavos(), &received.reference),
        (5_000, &None)
    );
}

#[test]
fn ledger_adds_up_after_every_request() {
    for seed in 0..12 {
        let (host, mut rng) = (host(), Rng(seed));
        let branch = json!({
            "name": "Filial de teste", "cnpj": "11.444.777/0001-61", "email": "filial@caixa.example",
            "password": "uma senha bem longa",
            "marketplaceBranchId": 1, "responsible": { "name": "Lia", "phone": "+5511988887777" },
            "address": {
                "street": "Rua Augusta", "number": "1", "city": "São Paulo", "state": "SP",
                "latitude": -23.5530, "longitude": -46.6560,
            },
        });
        let branch = send(&host, KEY, "POST /delivery/stores", &branch);
        assert_eq!(branch.status, 201, "{}", branch.body);
        let branch_key = branch.body["value"].as_str().unwrap().to_owned();
        let keys = [KEY.to_owned(), branch_key];
        let mut couriers = [(COURIER, 7), (OTHER, 8)].map(|(key, id)| Carried {
            key,
            id,
            current: None,
        });
        let mut known: Vec<u64> = Vec::new();
        for number in 0..60 {
            let carried = &mut couriers[rng.below(2)];
            let key = &keys[usize::from(rng.below(3) == 0)];
            let amount = f64::from(u32::try_from(rng.below(8_000)).unwrap()) / 100.0;
            let method = ["CASH", "CASH", "PIX", "CARD_MACHINE"][rng.below(4)];
            match rng.below(12) {
                0 => {
                    let line = format!("POST /delivery/couriers/{}/float", carried.id);
                    request(&host, key, &line, &json!({ "amount": amount }), number);
                }
                1 => {
                    let line = format!("POST /delivery/couriers/{}/handovers", carried.id);
                    request(&host, key, &line, &json!({ "amount": amount }), number);
                }
                2 => {
                    let body = json!({ "courierId": carried.id, "counted": amount });
                    request(&host, key, "POST /delivery/cash/close", &body, number);
                }
                3 | 4 if !known.is_empty() => {
                    let order = order(&host, known[rng.below(known.len())]);
                    let body = json!({
                        "deliveryId": order.deliveries[0].id, "method": method, "received": amount,
                    });
                    let line = format!("POST /delivery/orders/{}/payment", order.id);
                    // The store of the order is the parent store or its branch.
                    request(&host, KEY, &line, &body, number);
                }
                5 if !known.is_empty() && rng.below(4) == 0 => {
                    let before = in_hand(&host.cash());
                    let body = json!({ "phone": PHONE });
                    send(&host, OPERATOR, "POST /admin/privacy/erase", &body);
                    assert_eq!(in_hand(&host.cash()), before, "seed {seed}");
                }
                6 if carried.current.is_some() && rng.below(3) == 0 => {
                    let body = json!({ "orderId": carried.current, "reason": "teste" });
                    request(&host, KEY, "POST /delivery/orders/cancel", &body, number);
                }
                _ => step(&host, &mut rng, carried, key, number, &mut known),
            }
            check(&host, seed);
        }
        let ledger = format!("{:?}", host.cash());
        for personal in [PHONE, NAME, "Augusta"] {
            assert!(!ledger.contains(personal), "seed {seed}: {personal}");
        }
    }
}

/// Creates the courier's next order, takes its next step, or hands it over.
fn step(
    host: &MemoryHost,
    rng: &mut Rng,
    carried: &mut Carried,
    key: &str,
    number: usize,
    known: &mut Vec<u64>,
) {
    let current = carried.current.map(|id| order(host, id));
    let Some(current) = current.filter(|order| !order.status.is_final()) else {
        let payments = [
            json!({ "method": "CASH", "changeFor": 100 }),
            json!({ "method": "CASH", "returns": false }),
            json!({ "method": "PIX" }),
            json!({ "parts": [{ "method": "CASH", "amount": 30 }, { "method": "PIX", "amount": 27.9 }] }),
        ];
        let payment = &payments[rng.below(payments.len())];
        let created = allocated(host, key, &format!("R-{number}"), carried.id, payment);
        carried.current = Some(created.id.get());
        known.push(created.id.get());
        return;
    };
    let id = current.id.get();
    if advance(host, carried.key, id).is_some() {
        return;
    }
    let stop = current.deliveries[0].id;
    if rng.below(6) == 0 {
        let body = json!({ "deliveryId": stop, "reason": "ausente" });
        let line = format!("POST /courier/orders/{id}/fail");
        request(host, carried.key, &line, &body, number);
        return;
    }
    let amount = [57.9, 57.9, 30.0, 0.0, 60.0][rng.below(5)];
    let method = ["CASH", "CASH", "PIX", "CARD_MACHINE"][rng.below(4)];
    let mut body = json!({ "deliveryId": stop });
    if rng.below(3) > 0 {
        body["payment"] = json!({ "method": method, "received": amount, "reference": "A1" });
    }
    let line = format!("POST /courier/orders/{id}/deliver");
    request(host, carried.key, &line, &body, number);
}

#[test]
fn handover_writes_one_entry_of_what_was_collected() {
    use CashKind::{Collected, HandedOver};
    let cash = json!({ "method": "CASH", "changeFor": 100 });
    let kept = json!({ "method": "CASH", "returns": false });
    let split = json!({ "parts": [{ "method": "CASH", "amount": 30 }, { "method": "PIX", "amount": 27.9 }] });
    let pix = json!({ "method": "PIX" });
    let by = |method: &str, received: f64| json!({ "method": method, "received": received });
    let none = Value::Null;
    for (about, payment, stated, expected) in [
        ("as due", &kept, by("CASH", 57.9), vec![(Collected, 5_790)]),
        ("a part", &kept, by("CASH", 50.0), vec![(Collected, 5_000)]),
        ("nothing", &kept, by("CASH", 0.0), vec![(Collected, 0)]),
        ("not stated", &kept, none.clone(), vec![(Collected, 5_790)]),
        (
            "by Pix instead",
            &kept,
            by("PIX", 57.9),
            vec![(Collected, 0)],
        ),
        (
            "by card instead",
            &kept,
            by("CARD_MACHINE", 57.9),
            vec![(Collected, 0)],
        ),
        (
            "split, not stated",
            &split,
            none.clone(),
            vec![(Collected, 3_000)],
        ),
        (
            "split, Pix stated",
            &split,
            by("PIX", 27.9),
            vec![(Collected, 3_000)],
        ),
        (
            "split, cash stated",
            &split,
            by("CASH", 20.0),
            vec![(Collected, 2_000)],
        ),
        ("Pix", &pix, by("PIX", 57.9), vec![]),
        ("Pix, not stated", &pix, none.clone(), vec![]),
        (
            "cash instead of Pix",
            &pix,
            by("CASH", 57.9),
            vec![(Collected, 5_790)],
        ),
        (
            "brought back",
            &cash,
            by("CASH", 57.9),
            vec![(Collected, 5_790), (HandedOver, 5_790)],
        ),
    ] {
        let host = host();
        let order = at_door(&host, COURIER, "H-1", 7, payment);
        let response = deliver(&host, COURIER, &order, &stated);
        assert_eq!(response.status, 200, "{about}: {}", response.body);
        // A repetition changes nothing.
        assert_eq!(
            deliver(&host, COURIER, &order, &stated).status,
            200,
            "{about}"
        );
        while advance(&host, COURIER, order.id.get()).is_some() {}
        let mut own = entries_of(&host, order.deliveries[0].id);
        if payment != &cash {
            own.retain(|(kind, _)| *kind != HandedOver);
        }
        assert_eq!(own, expected, "{about}");
        check(&host, 0);
    }
}

#[test]
fn late_handover_agrees_with_what_the_counter_recorded() {
    use CashKind::{Collected, ToStoreDirectly};
    let kept = json!({ "method": "CASH", "returns": false });
    for (about, counter, stated, received, expected) in [
        (
            "the counter saw a Pix",
            ("PIX", 57.9),
            ("CASH", 57.9),
            vec![("PIX", 57.9)],
            vec![(Collected, 0)],
        ),
        (
            "the counter has a part by Pix",
            ("PIX", 20.0),
            ("CASH", 57.9),
            vec![("PIX", 20.0), ("CASH", 37.9)],
            vec![(Collected, 3_790)],
        ),
        (
            "the recipient paid cash at the counter",
            ("CASH", 57.9),
            ("CASH", 57.9),
            vec![("CASH", 57.9)],
            vec![(Collected, 0), (ToStoreDirectly, 5_790)],
        ),
        (
            "a part in cash at the counter",
            ("CASH", 20.0),
            ("CASH", 57.9),
            vec![("CASH", 57.9)],
            vec![(Collected, 3_790), (ToStoreDirectly, 2_000)],
        ),
        (
            "both saw the same Pix",
            ("PIX", 57.9),
            ("PIX", 57.9),
            vec![("PIX", 57.9)],
            vec![(Collected, 0)],
        ),
    ] {
        let host = host();
        let order = at_door(&host, COURIER, "L-1", 7, &kept);
        assert_eq!(record(&host, &order, counter.0, counter.1).status, 200);
        let stated = json!({ "method": stated.0, "received": stated.1 });
        let response = deliver(&host, COURIER, &order, &stated);
        assert_eq!(response.status, 200, "{about}: {}", response.body);
        let records = self::order(&host, order.id.get()).deliveries[0]
            .received
            .clone();
        let records: Vec<(&str, i64)> = records
            .iter()
            .map(|one| (one.method.name(), one.amount.centavos()))
            .collect();
        let received: Vec<(&str, i64)> = received
            .into_iter()
            .map(|(method, reais)| (method, Money::from_number(reais).unwrap().centavos()))
            .collect();
        assert_eq!(records, received, "{about}");
        assert_eq!(
            entries_of(&host, order.deliveries[0].id),
            expected,
            "{about}"
        );
        check(&host, 0);
    }
}

#[test]
fn counter_corrects_what_was_collected() {
    use CashKind::{Collected, Correction, HandedOver, ToStoreDirectly};
    let kept = json!({ "method": "CASH", "returns": false });
    let host = host();
    let order = at_door(&host, COURIER, "K-1", 7, &kept);
    deliver(
        &host,
        COURIER,
        &order,
        &json!({ "method": "CASH", "received": 50 }),
    );
    // The courier mistyped the amount, and then it was a card.
    assert_eq!(record(&host, &order, "CASH", 57.9).status, 200);
    assert_eq!(
        record(&host, &order, "CARD_MACHINE", 57.9).outcome(),
        (422, Some("validation_failed")),
        "both exceed the amount due"
    );
    assert_eq!(record(&host, &order, "CASH", 0.0).status, 200);
    assert_eq!(record(&host, &order, "CARD_MACHINE", 57.9).status, 200);
    let first = order.deliveries[0].id;
    assert_eq!(
        entries_of(&host, first),
        [(Collected, 5_000), (Correction, 790), (Correction, -5_790)]
    );
    check(&host, 0);

    // Nobody stated the cash, and the counter sees a Pix.
    let order = at_door(&host, COURIER, "K-2", 7, &kept);
    deliver(&host, COURIER, &order, &Value::Null);
    assert_eq!(record(&host, &order, "PIX", 57.9).status, 200);
    assert_eq!(
        entries_of(&host, order.deliveries[0].id),
        [(Collected, 5_790), (Correction, -5_790)]
    );

    // The recipient did not pay, and brings the cash to the counter later.
    let order = at_door(&host, COURIER, "K-3", 7, &kept);
    deliver(
        &host,
        COURIER,
        &order,
        &json!({ "method": "CASH", "received": 0 }),
    );
    assert_eq!(record(&host, &order, "CASH", 57.9).status, 200);
    assert_eq!(
        entries_of(&host, order.deliveries[0].id),
        [(Collected, 0), (ToStoreDirectly, 5_790)]
    );

    // After the courier came back with it, a correction also changes what was handed over.
    let order = at_door(&host, COURIER, "K-4", 7, &json!({ "method": "CASH" }));
    deliver(
        &host,
        COURIER,
        &order,
        &json!({ "method": "CASH", "received": 57.9 }),
    );
    while advance(&host, COURIER, order.id.get()).is_some() {}
    assert_eq!(record(&host, &order, "CASH", 57.0).status, 200);
    assert_eq!(
        entries_of(&host, order.deliveries[0].id),
        [
            (Collected, 5_790),
            (HandedOver, 5_790),
            (Correction, -90),
            (HandedOver, -90)
        ]
    );
    check(&host, 0);
    assert!(in_hand(&host.cash()).values().all(|sum| *sum == 0));
}

#[test]
fn amount_above_what_is_due_is_rejected() {
    let host = host();
    let order = at_door(&host, COURIER, "A-1", 7, &json!({ "method": "CASH" }));
    let above = deliver(
        &host,
        COURIER,
        &order,
        &json!({ "method": "CASH", "received": 57.91 }),
    );
    assert_eq!(above.outcome(), (422, Some("validation_failed")));
    assert_eq!(above.body["errors"][0]["pointer"], "/payment/received");
    assert_eq!(host.cash(), []);
}

#[test]
fn lost_response_of_a_closing_is_repeated() {
    let host = host();
    let order = at_door(
        &host,
        COURIER,
        "C-1",
        7,
        &json!({ "method": "CASH", "returns": false }),
    );
    deliver(&host, COURIER, &order, &Value::Null);
    let body = json!({ "courierId": 7, "counted": 55 });
    let close = |key: &str| send_once(&host, KEY, "POST /delivery/cash/close", key, &body);
    // The commit fails, and nothing is stored.
    let before = host.cash();
    host.fail_next_commit(HostError::Internal {
        detail: "disk full".to_owned(),
    });
    assert_eq!(close("k-1"), 500);
    assert_eq!(host.cash(), before);
    assert_eq!(close("k-2"), 201);
    assert_eq!(close("k-2"), 201, "the stored response is returned again");
    assert_eq!(close("k-3"), 409, "another request has nothing to close");
    let differences = host.cash().into_iter();
    let differences = differences.filter(|entry| entry.kind == CashKind::Difference);
    let amounts: Vec<i64> = differences.map(|entry| entry.amount.centavos()).collect();
    assert_eq!(amounts, [-290]);
}

//! Concurrent requests with interleavings that a seed determines.

use bytes::Bytes;
use despacho_core::{
    api,
    changes::Changes,
    host::Storage,
    memory::MemoryHost,
    model::{
        CourierId, Duration, StoreId,
        audit::{Actor, ActorKind},
        cash::CashKind,
        order::PaymentMethod,
    },
    rules::cash::{self, CashMove},
};
use http::Request;
use serde_json::json;

use crate::{
    faulty_host::{FaultyHost, Rng, interleave},
    support::{
        OPERATOR, Reply, block_on, demo_host, get, order, parent_store, post, request, send,
        settings,
    },
};

/// Processes all requests concurrently, interleaved as the seed determines.
pub(crate) fn race(host: &MemoryHost, seed: u64, requests: Vec<Request<Bytes>>) -> Vec<Reply> {
    let (faulty_host, settings, mut rng) = (FaultyHost::yielding(host), settings(), Rng(seed));
    let futures: Vec<_> = requests
        .into_iter()
        .map(|request| api::handle(&faulty_host, &settings, request))
        .collect();
    interleave(futures, |running| rng.below(running))
        .into_iter()
        .map(Reply::from)
        .collect()
}

#[test]
fn concurrent_requests_with_the_same_key_create_a_single_order() {
    let host = demo_host();
    let mut in_progress = 0;
    for seed in 0..150 {
        let (code, key) = (format!("I-{seed}"), format!("key-{seed}"));
        let before = host.orders().len();
        let one = || {
            let headers = [("idempotency-key", key.as_str())];
            request(
                "POST",
                "/delivery/orders",
                &headers,
                order(&code).to_string(),
            )
        };
        let responses = race(&host, seed, vec![one(), one(), one(), one()]);
        assert_eq!(host.orders().len(), before + 1, "seed {seed}");
        let fresh = |response: &&Reply| {
            response.status == 201 && response.header("idempotent-replayed").is_none()
        };
        assert_eq!(responses.iter().filter(fresh).count(), 1, "seed {seed}");
        let made = &responses.iter().find(fresh).unwrap().body;
        for response in &responses {
            match response.outcome() {
                (201, None) => assert_eq!(&response.body, made, "seed {seed}"),
                (409, Some("request_in_progress")) => {
                    assert_eq!(response.header("retry-after"), Some("1"));
                    in_progress += 1;
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        // A later retry gets the stored response.
        let again = send(&host, &settings(), one());
        assert_eq!(
            (
                again.status,
                again.header("idempotent-replayed"),
                &again.body
            ),
            (201, Some("true"), made)
        );
        host.advance(Duration::minutes(1));
    }
    assert!(
        in_progress > 100,
        "too few distinct interleavings: {in_progress}"
    );
}

#[test]
fn concurrent_orders_with_the_same_code_create_a_single_order() {
    let host = demo_host();
    for seed in 0..150 {
        let code = format!("C-{seed}");
        let before = host.orders().len();
        let with = |minutes: u32| {
            let mut body = order(&code);
            body["preparationTime"] = json!(minutes);
            request("POST", "/delivery/orders", &[], body.to_string())
        };
        // Two requests have the same content, the third one different content with the same code.
        let responses = race(&host, seed, vec![with(20), with(20), with(25)]);
        assert_eq!(host.orders().len(), before + 1, "seed {seed}");
        let mut statuses: Vec<_> = responses.iter().map(Reply::outcome).collect();
        statuses.sort_unstable();
        let same_first = [(200, None), (201, None), (409, Some("order_code_conflict"))];
        let other_first = [
            (201, None),
            (409, Some("order_code_conflict")),
            (409, Some("order_code_conflict")),
        ];
        assert!(
            statuses == same_first || statuses == other_first,
            "seed {seed}: {statuses:?}"
        );
        host.advance(Duration::minutes(1));
    }
}

#[test]
fn prepaid_balance_never_falls_below_its_floor() {
    let host = demo_host();
    let cnpjs = [
        "12ABC34501DE35",
        "11444777000161",
        "00000000000191",
        "60746948000112",
        "33000167000101",
    ];
    for (seed, cnpj) in (0..).zip(cnpjs) {
        // A fee is 10 to 15 reais: the balance covers two orders but not three.
        let (key, id) = parent_store(
            &host,
            cnpj,
            &format!("pre{seed}@exemplo.com.br"),
            Some(-30.0),
        );
        let headers = [("x-api-token", key.as_str())];
        let requests = (0..6).map(|at| {
            request(
                "POST",
                "/delivery/orders",
                &headers,
                order(&format!("P-{seed}-{at}")).to_string(),
            )
        });
        let responses = race(&host, seed, requests.collect());
        let made: Vec<_> = responses
            .iter()
            .filter(|response| response.status == 201)
            .collect();
        let fee = made[0].body["deliveryFee"].as_f64().unwrap();
        assert!(fee * 2.0 <= 30.0 && fee * 3.0 > 30.0, "the fee is {fee}");
        let outcomes: Vec<_> = responses.iter().map(Reply::outcome).collect();
        assert_eq!(made.len(), 2, "seed {seed}: {outcomes:?}");
        let rejected = responses
            .iter()
            .filter(|response| response.outcome() == (402, Some("insufficient_balance")));
        assert_eq!(rejected.count(), 4, "seed {seed}: {outcomes:?}");
        let balance = get(&host, &format!("/delivery/stores/{id}"), &headers).body["balance"]
            .as_f64()
            .unwrap();
        assert!(
            (balance + 2.0 * fee).abs() < 1e-9 && balance >= -30.0,
            "{balance}"
        );
    }
}

#[test]
fn prepaid_parent_and_branches_share_the_floor() {
    let host = demo_host();
    let (key, id) = parent_store(&host, "12ABC34501DE35", "pre@exemplo.com.br", Some(-30.0));
    let branch = |cnpj: &str, email: &str| {
        let made = post(
            &host,
            "/delivery/stores",
            &[("x-api-token", &key)],
            &crate::support::store(cnpj, email, None),
        );
        assert_eq!(made.status, 201, "{}", made.body);
        made.body["value"].as_str().unwrap().to_owned()
    };
    let keys = [
        branch("11444777000161", "a@exemplo.com.br"),
        branch("00000000000191", "b@exemplo.com.br"),
        key.clone(),
    ];
    // 16 concurrent orders of the parent store and its branches: the balance covers two.
    let requests = (0..16).map(|at| {
        let headers = [("x-api-token", keys[at % 3].as_str())];
        request(
            "POST",
            "/delivery/orders",
            &headers,
            order(&format!("S-{at}")).to_string(),
        )
    });
    let responses = race(&host, 7, requests.collect());
    let outcomes: Vec<_> = responses.iter().map(Reply::outcome).collect();
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        2,
        "{outcomes:?}"
    );
    let rejected = responses
        .iter()
        .filter(|response| response.outcome() == (402, Some("insufficient_balance")));
    assert_eq!(rejected.count(), 14, "{outcomes:?}");
    for key in &keys {
        let stores = get(&host, "/delivery/stores", &[("x-api-token", key)]).body;
        let shown = stores["stores"].as_array().unwrap();
        assert!(
            shown
                .iter()
                .all(|store| (-30.0..=-20.0).contains(&store["balance"].as_f64().unwrap())),
            "{shown:?}"
        );
        assert!(
            shown.iter().all(|store| store["balanceStoreId"] == id),
            "{shown:?}"
        );
    }
}

#[test]
fn concurrent_stores_with_the_same_cnpj_create_a_single_branch() {
    let host = demo_host();
    let branch = |email: &str| crate::support::store("12ABC34501DE35", email, None).to_string();
    let requests = vec![
        request("POST", "/delivery/stores", &[], branch("um@exemplo.com.br")),
        request("POST", "/delivery/stores", &[], branch("UM@exemplo.com.br")),
        request(
            "POST",
            "/delivery/stores",
            &[],
            branch("dois@exemplo.com.br"),
        ),
    ];
    let responses = race(&host, 3, requests);
    let mut outcomes: Vec<_> = responses.iter().map(Reply::outcome).collect();
    outcomes.sort_unstable();
    assert_eq!(
        outcomes,
        [
            (201, None),
            (409, Some("cnpj_taken")),
            (409, Some("cnpj_taken"))
        ]
    );
}

#[test]
fn concurrent_updates_are_not_mixed() {
    let host = demo_host();
    for seed in 0..40 {
        let update = |name: &str, number: &str| {
            let mut body = crate::support::store("", &format!("{number}@exemplo.com.br"), None);
            body["name"] = json!(name);
            body["address"]["number"] = json!(number);
            request("PUT", "/delivery/stores", &[], body.to_string())
        };
        let responses = race(
            &host,
            seed,
            vec![update("Loja Um", "1"), update("Loja Dois", "2")],
        );
        assert!(responses.iter().all(|response| response.status == 200));
        let id = &responses[0].body["id"];
        let stored = get(&host, &format!("/delivery/stores/{id}"), &[]).body;
        let expected = responses.iter().any(|response| {
            ["name", "email", "address"]
                .iter()
                .all(|field| response.body[*field] == stored[*field])
        });
        assert!(expected, "{stored}");
        host.advance(Duration::minutes(1));
    }
}

#[test]
fn concurrent_reads_expire_an_order_once() {
    let host = demo_host();
    let made = post(&host, "/delivery/orders", &[], &order("D-1"));
    let path = format!("/delivery/orders/{}", made.body["id"]);
    host.advance(Duration::minutes(20));
    assert_eq!(get(&host, &path, &[]).body["situation"], 200);
    host.advance(Duration::minutes(20));
    let responses = race(
        &host,
        5,
        (0..5).map(|_| request("GET", &path, &[], "")).collect(),
    );
    assert!(
        responses
            .iter()
            .all(|response| response.status == 200 && response.body["situation"] == 630)
    );
    assert!(
        responses
            .iter()
            .all(|response| response.body["events"].as_array().unwrap().len() == 4)
    );
    // The fee was refunded once.
    let id = despacho_core::model::StoreId::new(made.body["storeId"].as_u64().unwrap()).unwrap();
    let of_order = |entry: &&despacho_core::model::store::LedgerEntry| {
        entry
            .order
            .is_some_and(|order| Some(order.get()) == made.body["id"].as_u64())
    };
    assert_eq!(host.ledger(id).iter().filter(of_order).count(), 2);
    let store = block_on(despacho_core::host::Host::store(&host, id))
        .unwrap()
        .unwrap();
    let sum: despacho_core::model::Money = host.ledger(id).iter().map(|entry| entry.amount).sum();
    assert_eq!(store.balance, sum);
}

#[test]
fn concurrent_exchanges_of_a_code_start_a_single_session() {
    let host = demo_host();
    let operator = [("x-api-token", OPERATOR)];
    let courier = json!({ "name": "Ana Souza", "phone": "+5511990000011" });
    let registered = post(&host, "/admin/couriers", &operator, &courier);
    let path = format!("/admin/couriers/{}/sign-in", registered.body["id"]);
    for seed in 0..50 {
        let code = post(&host, &path, &operator, &json!({})).body["value"].clone();
        let exchange = || {
            request(
                "POST",
                "/courier/session",
                &[],
                json!({ "code": code }).to_string(),
            )
        };
        let responses = race(&host, seed, vec![exchange(), exchange(), exchange()]);
        let mut outcomes: Vec<_> = responses.iter().map(Reply::outcome).collect();
        outcomes.sort_unstable();
        assert_eq!(
            outcomes,
            [
                (201, None),
                (401, Some("api_key_invalid")),
                (401, Some("api_key_invalid"))
            ],
            "seed {seed}"
        );
        assert_eq!(
            responses
                .iter()
                .filter(|response| response.header("set-cookie").is_some())
                .count(),
            1
        );
    }
}

/// Gives a courier change of a store, as one that the store knows.
fn give_float(host: &MemoryHost, courier: CourierId, store: StoreId, reais: f64) {
    let moved = CashMove {
        amount: despacho_core::model::Money::from_number(reais).unwrap(),
        method: PaymentMethod::Cash,
        evidence: None,
    };
    let by = Actor {
        kind: ActorKind::Operator,
        id: None,
        name: None,
    };
    let changes: Changes = cash::book(CashKind::Float, (courier, store), &moved, by, host.now());
    block_on(host.commit(&changes)).unwrap();
}

#[test]
fn of_concurrent_closings_of_a_period_one_succeeds() {
    let host = demo_host();
    let operator = [("x-api-token", OPERATOR)];
    let new = json!({ "name": "Ana", "phone": "+5511988887777", "sandbox": true });
    let registered = post(&host, "/admin/couriers", &operator, &new);
    let courier = CourierId::new(registered.body["id"].as_u64().unwrap()).unwrap();
    let keys = get(&host, "/delivery/keys", &[]).body;
    let store = keys["keys"][0]["storeId"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let mut rejected = 0;
    for seed in 0..60 {
        give_float(&host, courier, StoreId::new(store).unwrap(), 50.0);
        let float = json!({ "amount": 1 });
        let close = |counted: u32| {
            let body = json!({ "courierId": courier.get(), "counted": counted });
            request("POST", "/delivery/cash/close", &[], body.to_string())
        };
        let path = format!("/delivery/couriers/{courier}/float");
        let requests = vec![
            close(50),
            request("POST", &path, &[], float.to_string()),
            close(49),
            close(48),
        ];
        let replies = race(&host, seed, requests);
        let closed: Vec<_> = [0, 2, 3]
            .into_iter()
            .map(|at| replies[at].outcome())
            .collect();
        // The float can start the next period, which a slow closing can then close.
        let succeeded = closed.iter().filter(|one| one.0 == 201).count();
        assert!((1..=2).contains(&succeeded), "seed {seed}: {closed:?}");
        assert_eq!(replies[1].status, 201, "seed {seed}");
        for outcome in closed.iter().filter(|one| one.0 != 201) {
            assert_eq!(*outcome, (409, Some("cash_closed")), "seed {seed}");
            rejected += 1;
        }
        let rest = json!({ "courierId": courier.get(), "counted": 0 });
        post(&host, "/delivery/cash/close", &[], &rest);
        let sum: i64 = host
            .cash()
            .iter()
            .map(|entry| match entry.kind {
                CashKind::HandedOver => -entry.amount.centavos(),
                _ => entry.amount.centavos(),
            })
            .sum();
        assert_eq!(
            sum, 0,
            "seed {seed}: everything was handed over or is a difference"
        );
    }
    assert!(rejected > 60, "too few distinct interleavings: {rejected}");
}

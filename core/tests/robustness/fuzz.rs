//! Sends 20,000 mutated bodies. Each must get a complete success response or a complete problem,
//! never a server error.

use despacho_core::{
    host::Host,
    memory::MemoryHost,
    model::{Duration, Money, StoreId},
};
use serde_json::{Value, json};

use crate::{
    faulty_host::Rng,
    mutate::mutate,
    shape::{CREATED, DETAILS, ORDER, PREVIEW, STORE, assert_problem, assert_shape},
    support::{OPERATOR, Reply, block_on, demo_host, get, order, request, send, settings, store},
};

const REQUESTS: u32 = 20_000;

/// An endpoint with a valid body, its share of the requests in percent, and the shape of its
/// success response.
struct Target {
    method: &'static str,
    path: &'static str,
    body: Value,
    share: usize,
    shape: &'static [(&'static str, crate::shape::Kind)],
}

fn targets() -> Vec<Target> {
    let mut update = store("", "matriz@demo.despacho.example", None);
    update
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !matches!(name.as_str(), "cnpj" | "password"));
    let branch = store("12ABC34501DE35", "nova@exemplo.com.br", None);
    let parent = store("11444777000161", "outra@exemplo.com.br", Some(-100.0));
    let key = json!({ "storeId": 1000, "name": "caixa", "expiresInDays": 30 });
    let target = |method, path, body, share, shape| Target {
        method,
        path,
        body,
        share,
        shape,
    };
    vec![
        target("POST", "/delivery/orders", order("F"), 48, ORDER),
        target("POST", "/delivery/orders/preview", order("F"), 25, PREVIEW),
        target("PUT", "/delivery/stores", update, 10, STORE),
        target("POST", "/delivery/stores", branch, 7, CREATED),
        target("POST", "/delivery/keys", key, 6, CREATED),
        target("POST", "/admin/matrices", parent, 2, CREATED),
        target(
            "POST",
            "/admin/keys",
            json!({ "storeId": "1000", "expiresInDays": 1 }),
            2,
            CREATED,
        ),
    ]
}

#[test]
fn mutated_bodies_never_cause_a_server_error() {
    let host = demo_host();
    let (targets, mut rng) = (targets(), Rng(20_261_121));
    let (mut created, mut responses) = (Vec::new(), [0u32; 6]);
    let before = host.orders().len();
    for number in 0..REQUESTS {
        let mut share = rng.below(100);
        let target = targets.iter().find(|target| {
            let found = share < target.share;
            share = share.saturating_sub(target.share);
            found
        });
        let target = target.unwrap();
        let mut body = target.body.clone();
        if target.shape.len() == ORDER.len() {
            body["code"] = json!(format!("F-{number}"));
        }
        let response = check(&host, target, &mutate(&body, &mut rng), number);
        responses[usize::from(response.status / 100)] += 1;
        if response.status == 201 && target.path == "/delivery/orders" {
            created.push(response.body["id"].clone());
        }
        host.advance(Duration::millis(50));
    }
    assert_eq!(host.orders().len(), before + created.len());
    assert!(
        responses[2] > REQUESTS / 10 && responses[4] > REQUESTS / 3,
        "too few successes or too few errors: {responses:?}"
    );
    for id in created.iter().step_by(7) {
        let found = get(&host, &format!("/delivery/orders/{id}"), &[]);
        assert_eq!(found.status, 200, "{}", found.body);
        assert_shape(DETAILS, &found.body, "lookup");
    }
    assert_balances(&host);
}

fn check(host: &MemoryHost, target: &Target, body: &[u8], number: u32) -> Reply {
    let token = [("x-api-token", OPERATOR)];
    let headers: &[_] = if target.path.starts_with("/admin") {
        &token
    } else {
        &[]
    };
    let request = request(target.method, target.path, headers, body.to_vec());
    let response = send(host, &settings(), request);
    let context = || {
        format!(
            "request {number}, {} {}: {}",
            target.method,
            target.path,
            String::from_utf8_lossy(body)
        )
    };
    match response.status {
        200 | 201 => {
            assert_shape(target.shape, &response.body, &context());
            assert_price(&response.body, &context());
        }
        400..500 => assert_problem(response.status, &response.body, &context()),
        status => panic!("{status} for {}: {}", context(), response.body),
    }
    assert!(
        response
            .header("x-request-id")
            .is_some_and(|id| id.len() == 32),
        "{}",
        context()
    );
    response
}

/// Checks that the price lines add up to the fee exactly, and the distances of the stops to the
/// total distance.
fn assert_price(body: &Value, context: &str) {
    let Some(lines) = body["priceBreakdown"].as_array() else {
        return;
    };
    let thousandths = |value: &Value| (value.as_f64().unwrap() * 1_000.0).round();
    let sum: f64 = lines.iter().map(|line| thousandths(&line["amount"])).sum();
    assert!(
        (sum - thousandths(&body["deliveryFee"])).abs() < 0.5,
        "{context}: {body}"
    );
    let legs: f64 = body["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stop| thousandths(&stop["distance"]))
        .sum();
    let paid = body["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .all(|stop| stop["onlinePayment"] == true);
    let total = thousandths(&body["totalDistance"]);
    assert!(
        if paid {
            (legs - total).abs() < 0.5
        } else {
            legs <= total
        },
        "{context}: {body}"
    );
}

#[test]
fn amounts_are_returned_exactly_as_sent() {
    let (host, mut rng) = (demo_host(), Rng(7));
    for number in 0..200 {
        let mut body = order(&format!("X-{number}"));
        let stop = body["deliveries"][0].clone();
        let centavos: Vec<usize> = (0..50).map(|_| rng.below(100_000_001)).collect();
        let text = |centavos: &usize| format!("{}.{:02}", centavos / 100, centavos % 100);
        let stops = centavos.iter().map(|amount| {
            let mut stop = stop.clone();
            stop["productValue"] = serde_json::from_str(&text(amount)).unwrap();
            stop
        });
        body["deliveries"] = stops.collect();
        body["sortByBestRoute"] = json!(false);
        let made = crate::support::post(&host, "/delivery/orders", &[], &body);
        let found = get(&host, &format!("/delivery/orders/{}", made.body["id"]), &[]);
        for (amount, stop) in centavos
            .iter()
            .zip(found.body["deliveries"].as_array().unwrap())
        {
            let shortest = text(amount)
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned();
            assert_eq!(stop["productValue"].to_string(), shortest);
        }
    }
}

/// Checks that every store's balance equals the sum of its ledger.
fn assert_balances(host: &MemoryHost) {
    let mut stores: Vec<StoreId> = host.orders().iter().map(|order| order.store).collect();
    stores.dedup();
    for id in stores {
        let sum: Money = host.ledger(id).iter().map(|entry| entry.amount).sum();
        assert_eq!(
            block_on(host.store(id)).unwrap().unwrap().balance,
            sum,
            "store {id}"
        );
    }
}

//! Limits per merchant, which apply to a parent store and all its branches together.

use despacho_core::{
    host::{Storage, StoreQuery, UsageQuery},
    memory::MemoryHost,
    model::{Duration, Timestamp},
    rules::{limits::Limits, settings::Settings},
};
use serde_json::{Value, json};

use crate::{
    faulty_host::FaultyHost,
    support::{
        OPERATOR, block_on, demo_host, order, parent_store, post, request, send, settings, store,
    },
};

fn with_limits(limits: Limits) -> Settings {
    Settings {
        limits,
        ..settings()
    }
}

fn issue_key(host: &MemoryHost, key: &str, body: &Value) -> String {
    let issued = post(host, "/delivery/keys", &[("x-api-token", key)], body);
    assert_eq!(issued.status, 201, "{}", issued.body);
    issued.body["value"].as_str().unwrap().to_owned()
}

fn create_branch(host: &MemoryHost, key: &str, cnpj: &str, email: &str) -> String {
    let made = post(
        host,
        "/delivery/stores",
        &[("x-api-token", key)],
        &store(cnpj, email, None),
    );
    assert_eq!(made.status, 201, "{}", made.body);
    made.body["value"].as_str().unwrap().to_owned()
}

#[test]
fn more_keys_and_branches_give_no_more_quota() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    let branch = create_branch(
        &host,
        &parent,
        "11.444.777/0001-61",
        "filial@exemplo.com.br",
    );
    let second = issue_key(&host, &parent, &json!({}));
    let (other, _) = parent_store(&host, "33.000.167/0001-01", "outra@exemplo.com.br", None);
    host.advance(Duration::minutes(2));
    let settings = with_limits(Limits {
        writes_per_minute: 3,
        ..Limits::default()
    });
    let create = |key: &str, code: &str| {
        let response = send(
            &host,
            &settings,
            request(
                "POST",
                "/delivery/orders",
                &[("x-api-token", key)],
                order(code).to_string(),
            ),
        );
        response.status
    };
    let statuses =
        [&parent, &second, &branch, &parent, &second, &branch].map(|key| create(key, &key[4..20]));
    assert_eq!(statuses, [201, 201, 201, 429, 429, 429]);
    assert_eq!(
        create(&other, "other"),
        201,
        "another merchant is not affected"
    );
}

#[test]
fn expensive_requests_count_as_many() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    host.advance(Duration::minutes(2));
    let settings = with_limits(Limits {
        reads_per_minute: 180,
        ..Limits::default()
    });
    let read = |path: &str, accept: &str| {
        let headers = [("x-api-token", parent.as_str()), ("accept", accept)];
        send(&host, &settings, request("GET", path, &headers, ""))
    };
    let report = read("/delivery/reports/days", "text/csv");
    assert_eq!(
        (
            report.status,
            report.headers["ratelimit-policy"].to_str().unwrap()
        ),
        (200, "\"read\";q=3;w=60")
    );
    assert_eq!(
        read("/delivery/statement", "text/csv").status,
        200,
        "another one of 60"
    );
    assert_eq!(
        read("/delivery/orders?q=Maria", "application/json").status,
        200,
        "one of 10"
    );
    let third = read("/delivery/reports/days", "text/csv");
    assert_eq!(
        third.outcome(),
        (429, Some("rate_limited")),
        "130 of 180 are used: {}",
        third.body
    );
    assert_eq!(
        read("/delivery/orders?limit=1", "application/json").status,
        200,
        "one of 1"
    );
    let (other, _) = parent_store(&host, "33.000.167/0001-01", "outra@exemplo.com.br", None);
    let headers = [("x-api-token", other.as_str())];
    assert_eq!(
        send(
            &host,
            &settings,
            request("GET", "/delivery/orders", &headers, "")
        )
        .status,
        200
    );
    host.advance(Duration::minutes(2));
    assert_eq!(read("/delivery/reports/days", "text/csv").status, 200);
}

#[test]
fn anonymous_availability_calls_no_service() {
    let host = demo_host();
    let counted = FaultyHost::failing(&host, []);
    let address = |street: &str, number: &str| {
        json!({ "country": "BR", "state": "SP", "city": "São Paulo", "district": "Bela Vista", "street": street,
            "number": number, "postalCode": "01310-200", "complement": "" })
    };
    let body = json!({
        "merchant": { "id": "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10", "name": "Pizzaria" },
        "pickupAddress": address("Rua Augusta", "1500"), "deliveryAddress": address("Avenida Paulista", "1578"),
        "returnToMerchant": false, "canCombine": true, "vehicle": { "type": ["MOTORBIKE_BAG"], "container": "THERMIC" },
        "limitTimes": { "pickupLimit": 600, "deliveryLimit": 1200 }, "totalOrderPrice": { "value": 57.9, "currency": "BRL" },
        "totalWeight": 2500, "packageVolume": 0.02, "packageQuantity": 1, "specialInstructions": "",
    });
    let response = post(&counted, "/v1/logistics/availability", &[], &body);
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(
        counted.slow_calls(),
        [0, 0, 0],
        "neither the geocoder nor the road service"
    );
    let preview = post(&counted, "/delivery/orders/preview", &[], &order("P-1"));
    assert_eq!(
        (preview.status, counted.slow_calls()),
        (200, [1, 1, 0]),
        "a merchant's request uses both"
    );
}

#[test]
fn leaked_key_can_be_revoked_while_it_uses_up_the_quota() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    let issued = post(
        &host,
        "/delivery/keys",
        &[("x-api-token", &parent)],
        &json!({}),
    );
    let (leaked, id) = (
        issued.body["value"].as_str().unwrap(),
        issued.body["id"].as_str().unwrap(),
    );
    host.advance(Duration::minutes(2));
    let settings = with_limits(Limits {
        writes_per_minute: 2,
        ..Limits::default()
    });
    let flood = |code: &str| {
        let body = order(code).to_string();
        send(
            &host,
            &settings,
            request("POST", "/delivery/orders", &[("x-api-token", leaked)], body),
        )
        .status
    };
    assert_eq!([flood("a"), flood("b"), flood("c")], [201, 201, 429]);
    let path = format!("/delivery/keys/{id}");
    assert_eq!(
        send(
            &host,
            &settings,
            request("DELETE", &path, &[("x-api-token", &parent)], "")
        )
        .status,
        204
    );
    assert_eq!(flood("d"), 401);
}

#[test]
fn stored_responses_are_bounded_per_merchant() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    let branch = create_branch(
        &host,
        &parent,
        "11.444.777/0001-61",
        "filial@exemplo.com.br",
    );
    let settings = with_limits(Limits {
        idempotency_records: 3,
        ..Limits::default()
    });
    let create = |key: &str, code: &str, headers: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .copied()
            .chain([("x-api-token", key)])
            .collect();
        send(
            &host,
            &settings,
            request(
                "POST",
                "/delivery/orders",
                &headers,
                order(code).to_string(),
            ),
        )
    };
    for code in ["a", "b", "c"] {
        let key = if code == "b" { &branch } else { &parent };
        assert_eq!(create(key, code, &[("idempotency-key", code)]).status, 201);
    }
    for key in [&parent, &branch] {
        let rejected = create(key, "d", &[("idempotency-key", "d")]);
        assert_eq!(
            rejected.outcome(),
            (429, Some("idempotency_limit")),
            "{}",
            rejected.body
        );
        assert!(rejected.header("retry-after").is_some());
    }
    let replayed = create(&parent, "a", &[("idempotency-key", "a")]);
    assert_eq!(
        (replayed.status, replayed.header("idempotent-replayed")),
        (201, Some("true")),
        "a replay stores nothing"
    );
    assert_eq!(
        create(&parent, "d", &[]).status,
        201,
        "without a key the request is processed"
    );
    host.advance(Duration::minutes(25 * 60));
    assert_eq!(
        create(&parent, "e", &[("idempotency-key", "e")]).status,
        201,
        "records expire after a day"
    );

    let megabyte = with_limits(Limits {
        idempotency_mib: 1,
        ..Limits::default()
    });
    let mut stored = 0;
    let outcome = loop {
        let (code, body) = (
            format!("m{stored}"),
            order(&format!("m{stored}")).to_string(),
        );
        let headers = [("x-api-token", parent.as_str()), ("idempotency-key", &code)];
        let response = send(
            &host,
            &megabyte,
            request("POST", "/delivery/orders", &headers, body),
        );
        if response.status != 201 || stored > 2_000 {
            break response.status;
        }
        stored += 1;
        host.advance(Duration::seconds(1));
    };
    assert_eq!(outcome, 429, "after {stored}");
    assert!(
        (200..1_000).contains(&stored),
        "{stored} responses in a megabyte"
    );
}

#[test]
fn preview_is_stored_as_its_digest_and_replayed_to_the_byte() {
    let host = demo_host();
    let usage = || {
        block_on(host.usage(UsageQuery::Claims(
            &format!("merchant/{}", demo_merchant(&host)),
            host.now(),
        )))
        .unwrap()
    };
    let before = usage();
    let headers = [("idempotency-key", "p")];
    let query = |settings: &Settings| {
        send(
            &host,
            settings,
            request(
                "POST",
                "/delivery/orders/preview",
                &headers,
                order("P-1").to_string(),
            ),
        )
    };
    let first = query(&settings());
    assert_eq!(
        (first.status, first.header("idempotent-replayed")),
        (200, None)
    );
    let stored = usage();
    assert_eq!(stored.records, before.records + 1);
    assert!(
        stored.bytes - before.bytes < 600,
        "{}",
        stored.bytes - before.bytes
    );
    assert!(first.body.to_string().len() > 1_000);
    host.advance(Duration::minutes(50));
    let again = query(&settings());
    assert_eq!(
        (&again.body, again.header("idempotent-replayed")),
        (&first.body, Some("true"))
    );
    let other = request(
        "POST",
        "/delivery/orders/preview",
        &headers,
        order("P-2").to_string(),
    );
    assert_eq!(
        send(&host, &settings(), other).outcome(),
        (422, Some("idempotency_key_reused"))
    );

    // The tariff has changed since: the response is computed again and not marked as a replay.
    let mut changed = settings();
    changed.tariff.version = "changed".to_owned();
    let fresh = query(&changed);
    assert_eq!(
        (fresh.status, fresh.header("idempotent-replayed")),
        (200, None)
    );
    assert_eq!(fresh.body["quote"]["tariffVersion"], "changed");
    assert_ne!(
        fresh.body["quote"]["expiresAt"], first.body["quote"]["expiresAt"],
        "the new quote starts now"
    );
    assert_eq!(
        usage().records,
        stored.records,
        "no response is stored again"
    );
}

fn demo_merchant(host: &MemoryHost) -> u64 {
    let email = despacho_core::model::Email::parse(despacho_simulator::demo::EMAIL).unwrap();
    block_on(host.find_stores(StoreQuery::Email(&email))).unwrap()[0]
        .merchant()
        .get()
}

#[test]
fn login_is_not_stored_and_passwords_use_a_slow_hash() {
    let host = demo_host();
    let login = json!({ "email": despacho_simulator::demo::EMAIL, "password": despacho_simulator::demo::PASSWORD });
    let at: Timestamp = host.now();
    assert_eq!(
        post(
            &host,
            "/delivery/sessions",
            &[("idempotency-key", "s")],
            &login
        )
        .status,
        201
    );
    assert!(
        !format!("{host:?}").contains(r#"key: "s""#),
        "no claim is stored"
    );
    let new = store("12ABC34501DE35", "segredo@exemplo.com.br", None);
    let operator = [("x-api-token", OPERATOR), ("idempotency-key", "m")];
    let made = post(&host, "/admin/matrices", &operator, &new);
    let claim = block_on(host.claim("operator", "m")).unwrap().unwrap();
    assert!(
        claim.fingerprint.starts_with("$argon2id$"),
        "{}",
        claim.fingerprint
    );
    assert!(claim.expires_at > at);
    assert_eq!(
        post(&host, "/admin/matrices", &operator, &new).body,
        made.body,
        "the same request is recognised"
    );
    let mut other = new;
    other["password"] = json!("outra senha bem longa");
    assert_eq!(
        post(&host, "/admin/matrices", &operator, &other).outcome(),
        (422, Some("idempotency_key_reused"))
    );
}

#[test]
fn branches_and_registration_attempts_are_bounded() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    let create = |settings: &Settings, cnpj: &str, email: &str| {
        let body = store(cnpj, email, None).to_string();
        send(
            &host,
            settings,
            request(
                "POST",
                "/delivery/stores",
                &[("x-api-token", &parent)],
                body,
            ),
        )
    };
    let one = with_limits(Limits {
        branches: 1,
        ..Limits::default()
    });
    assert_eq!(
        create(&one, "11.444.777/0001-61", "a@exemplo.com.br").status,
        201
    );
    let rejected = create(&one, "33.000.167/0001-01", "b@exemplo.com.br");
    assert_eq!(
        rejected.outcome(),
        (409, Some("too_many_branches")),
        "{}",
        rejected.body
    );

    host.advance(Duration::minutes(48 * 60));
    let few = with_limits(Limits {
        registrations_per_day: 2,
        ..Limits::default()
    });
    let demo = despacho_simulator::demo::EMAIL;
    assert_eq!(
        create(&few, "33.000.167/0001-01", demo).outcome(),
        (409, Some("store_conflict"))
    );
    assert_eq!(
        create(&few, "33.000.167/0001-01", demo).outcome(),
        (409, Some("store_conflict"))
    );
    // Free and used emails now get the same response.
    for email in [demo, "free@exemplo.com.br"] {
        let rejected = create(&few, "33.000.167/0001-01", email);
        assert_eq!(
            rejected.outcome(),
            (429, Some("rate_limited")),
            "{}",
            rejected.body
        );
    }
    let body = json!({
        "name": "Loja de Teste", "responsible": { "name": "Rui Costa", "phone": "+5511999990002" }, "email": demo,
        "address": crate::support::address("1500", -23.5558, -46.6582),
    });
    let update = |body: &Value| {
        let request = request(
            "PUT",
            "/delivery/stores",
            &[("x-api-token", &parent)],
            body.to_string(),
        );
        send(&host, &few, request).status
    };
    assert_eq!(update(&body), 429, "changing the email counts too");
    let mut same = body;
    same["email"] = json!("matriz@exemplo.com.br");
    assert_eq!(
        update(&same),
        200,
        "a change that keeps the email does not count"
    );
}

#[test]
fn webhook_above_the_merchants_limit_is_rejected() {
    let host = demo_host();
    let (parent, _) = parent_store(&host, "12ABC34501DE35", "matriz@exemplo.com.br", None);
    let branch = create_branch(
        &host,
        &parent,
        "11.444.777/0001-61",
        "filial@exemplo.com.br",
    );
    let (other, _) = parent_store(&host, "33.000.167/0001-01", "outra@exemplo.com.br", None);
    let mut settings = settings();
    settings.webhooks.per_merchant = 3;
    let create = |key: &str| {
        let body = json!({ "url": "https://loja.example/despacho", "events": ["order.created"] })
            .to_string();
        send(
            &host,
            &settings,
            request("POST", "/delivery/webhooks", &[("x-api-token", key)], body),
        )
    };
    let made = [&parent, &branch, &branch].map(|key| create(key));
    assert!(
        made.iter().all(|response| response.status == 201),
        "{made:?}"
    );
    for key in [&parent, &branch] {
        assert_eq!(create(key).outcome(), (409, Some("too_many_webhooks")));
    }
    assert_eq!(
        create(&other).status,
        201,
        "another merchant is not affected"
    );
    let path = format!("/delivery/webhooks/{}", made[2].body["id"]);
    assert_eq!(
        send(
            &host,
            &settings,
            request("DELETE", &path, &[("x-api-token", &branch)], "")
        )
        .status,
        204
    );
    assert_eq!(
        create(&parent).status,
        201,
        "a deleted webhook no longer counts"
    );
}

//! Host errors, expiry, exhausted quotas, and secrets that must never be stored.

use despacho_core::{
    api::{
        CallerAddress,
        endpoints::ROUTES,
        route::{Access, Lasting},
    },
    drivers::dispatch,
    host::{HostError, OrderQuery, Platform, Storage},
    model::Duration,
    rules::{
        limits::Limits,
        settings::{KeyConfig, Settings},
    },
};
use http::Method;
use serde_json::{Value, json};

use crate::{
    faulty_host::FaultyHost,
    support::{
        OPERATOR, block_on, demo_host, get, notifications, order, parent_store, post, request,
        send, settings, store,
    },
};

fn unavailable() -> HostError {
    HostError::Unavailable {
        what: "database",
        detail: "disk 7 of rack 3".to_owned(),
    }
}

#[test]
fn conflicting_request_is_retried_and_applied_once() {
    let host = demo_host();
    let before = host.orders().len();
    let faulty_host = FaultyHost::failing(
        &host,
        [
            (1, HostError::Conflict),
            (2, HostError::Conflict),
            (3, HostError::Conflict),
        ],
    );
    let made = send(
        &faulty_host,
        &settings(),
        request("POST", "/delivery/orders", &[], order("R-1").to_string()),
    );
    assert_eq!(
        (made.status, faulty_host.commits(), host.orders().len()),
        (201, 4, before + 1)
    );
}

#[test]
fn slow_calls_are_not_repeated_after_conflicts() {
    let host = demo_host();
    let existing = post(&host, "/delivery/orders", &[], &order("R-8")).body;
    let cancelled =
        json!({ "orderId": existing["id"], "deliveryId": existing["deliveries"][0]["id"] });
    let login = json!({ "email": "nova@exemplo.com.br", "password": "uma senha bem longa" });
    // Expected calls: `locate`, `parent_store`, and `hash_password` or `verify_password`. Reading
    // and validation precede these calls and cannot be counted here.
    for (method, path, body, status, calls) in [
        ("POST", "/delivery/orders", order("R-9"), 201, [1, 1, 0]),
        ("POST", "/delivery/orders/cancel", cancelled, 200, [0, 1, 0]),
        (
            "POST",
            "/delivery/stores",
            store("12ABC34501DE35", "nova@exemplo.com.br", None),
            201,
            [1, 0, 1],
        ),
        (
            "PUT",
            "/delivery/stores",
            store("", "outra@exemplo.com.br", None),
            200,
            [1, 0, 0],
        ),
        ("POST", "/delivery/sessions", login, 201, [0, 0, 1]),
    ] {
        let faulty_host = FaultyHost::failing(&host, [1, 2, 3].map(|at| (at, HostError::Conflict)));
        let response = send(
            &faulty_host,
            &settings(),
            request(method, path, &[], body.to_string()),
        );
        assert_eq!(
            (
                response.status,
                faulty_host.commits(),
                faulty_host.slow_calls()
            ),
            (status, 4, calls),
            "{method} {path}"
        );
    }
}

#[test]
fn registration_is_counted_once_despite_conflicts() {
    let host = demo_host();
    let (key, _) = parent_store(&host, "12ABC34501DE35", "nova@exemplo.com.br", None);
    let limits = Limits {
        registrations_per_day: 2,
        ..settings().limits
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    // Three commits of each registration conflict, and the fourth is made. The limit rejects the
    // last registration before its first commit.
    let conflicts = [1, 2, 3].map(|commit| (commit, HostError::Conflict));
    for (email, status, commits) in [
        ("a@exemplo.com.br", 200, 4),
        ("b@exemplo.com.br", 200, 4),
        ("c@exemplo.com.br", 429, 0),
    ] {
        let faulty_host = FaultyHost::failing(&host, conflicts.clone());
        let update = request(
            "PUT",
            "/delivery/stores",
            &[("x-api-token", &key)],
            store("", email, None).to_string(),
        );
        let response = send(&faulty_host, &settings, update);
        assert_eq!(
            (response.status, faulty_host.commits()),
            (status, commits),
            "{email}"
        );
    }
}

#[test]
fn endless_conflicts_return_503() {
    let host = demo_host();
    let before = host.orders().len();
    let faulty_host = FaultyHost::failing(
        &host,
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|at| (at, HostError::Conflict)),
    );
    let response = send(
        &faulty_host,
        &settings(),
        request("POST", "/delivery/orders", &[], order("R-2").to_string()),
    );
    assert_eq!(response.outcome(), (503, Some("unavailable")));
    assert_eq!(response.header("retry-after"), Some("1"));
    assert!(faulty_host.commits() <= 8, "{}", faulty_host.commits());
    assert_eq!(host.orders().len(), before);
}

#[test]
fn outage_rolls_back_and_releases_idempotency_key() {
    let host = demo_host();
    let before = host.orders().len();
    let one = || {
        request(
            "POST",
            "/delivery/orders",
            &[("idempotency-key", "k")],
            order("R-3").to_string(),
        )
    };
    // The first commit stores the claim, the second would create the order, the third releases the
    // claim.
    let faulty_host = FaultyHost::failing(&host, [(2, unavailable())]);
    let response = send(&faulty_host, &settings(), one());
    assert_eq!(response.outcome(), (503, Some("unavailable")));
    assert_eq!(response.header("retry-after"), Some("2"));
    assert!(
        !response.body.to_string().contains("rack 3"),
        "{}",
        response.body
    );
    assert_eq!(host.orders().len(), before);
    let again = send(&host, &settings(), one());
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, None)
    );
    // An outage at the first commit has the same effect.
    let faulty_host = FaultyHost::failing(&host, [(1, unavailable())]);
    let response = send(
        &faulty_host,
        &settings(),
        request(
            "POST",
            "/delivery/orders",
            &[("idempotency-key", "l")],
            order("R-4").to_string(),
        ),
    );
    assert_eq!(
        (response.outcome(), host.orders().len()),
        ((503, Some("unavailable")), before + 1)
    );
}

#[test]
fn commit_with_lost_confirmation_is_not_applied_twice() {
    let host = demo_host();
    let before = host.orders().len();
    let one = || {
        request(
            "POST",
            "/delivery/orders",
            &[("idempotency-key", "k")],
            order("R-6").to_string(),
        )
    };
    // The second commit creates the order and stores the response. Its confirmation is lost, so the
    // request fails and releases its claim.
    let faulty_host = FaultyHost::unconfirmed(&host, [(2, unavailable())]);
    assert_eq!(
        send(&faulty_host, &settings(), one()).outcome(),
        (503, Some("unavailable"))
    );
    let again = send(&host, &settings(), one());
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, Some("true"))
    );
    assert_eq!(host.orders().len(), before + 1);
    // Couriers have no unique code: without the stored response, the retry would create a second
    // courier.
    let body = json!({ "name": "Ana Souza", "phone": "+5511990000001" }).to_string();
    let register = || {
        request(
            "POST",
            "/admin/couriers",
            &[("x-api-token", OPERATOR), ("idempotency-key", "r")],
            body.clone(),
        )
    };
    let faulty_host = FaultyHost::unconfirmed(&host, [(2, unavailable())]);
    assert_eq!(send(&faulty_host, &settings(), register()).status, 503);
    let again = send(&host, &settings(), register());
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, Some("true"))
    );
}

#[test]
fn unreleased_claim_expires() {
    let host = demo_host();
    let one = || {
        request(
            "POST",
            "/delivery/orders",
            &[("idempotency-key", "k")],
            order("R-5").to_string(),
        )
    };
    let faulty_host = FaultyHost::failing(&host, [(2, unavailable()), (3, unavailable())]);
    assert_eq!(send(&faulty_host, &settings(), one()).status, 503);
    assert_eq!(
        send(&host, &settings(), one()).outcome(),
        (409, Some("request_in_progress"))
    );
    host.advance(Duration::seconds(90));
    assert_eq!(send(&host, &settings(), one()).status, 201);
}

#[test]
fn host_errors_map_to_status_and_hide_their_detail() {
    let host = demo_host();
    let cases = [
        (unavailable(), 503, "unavailable"),
        (
            HostError::Timeout { what: "database" },
            504,
            "upstream_timeout",
        ),
        (
            HostError::Internal {
                detail: "row 7 is torn".to_owned(),
            },
            500,
            "internal_error",
        ),
    ];
    for (fault, status, code) in cases {
        let faulty_host = FaultyHost::failing(&host, [(1, fault)]);
        let response = send(
            &faulty_host,
            &settings(),
            request("POST", "/delivery/orders", &[], order("R-6").to_string()),
        );
        assert_eq!(response.outcome(), (status, Some(code)));
        assert!(
            !response.body.to_string().contains("row 7")
                && response.header("x-request-id").is_some()
        );
        assert_eq!(
            notifications(&host, &[]).len(),
            0,
            "a server error creates no notification"
        );
    }
}

#[test]
fn expired_key_returns_401() {
    let host = demo_host();
    let issued = post(&host, "/delivery/keys", &[], &json!({ "expiresInDays": 2 }));
    let headers = [("x-api-token", issued.body["value"].as_str().unwrap())];
    let path = format!(
        "/delivery/stores/{}",
        issued.body["storeId"].as_str().unwrap()
    );
    host.advance(Duration::millis(2 * 24 * 60 * 60_000 - 1));
    assert_eq!(get(&host, &path, &headers).status, 200);
    host.advance(Duration::millis(1));
    let ended = get(&host, &path, &headers);
    assert_eq!(ended.outcome(), (401, Some("api_key_expired")));
    assert!(
        ended
            .header("www-authenticate")
            .is_some_and(|value| value.contains("x-api-token"))
    );
}

#[test]
fn quota_counts_by_merchant_and_request_kind() {
    let host = demo_host();
    // Let the quota that seeding used become free again.
    host.advance(Duration::minutes(1));
    let limits = Limits {
        writes_per_minute: 2,
        previews_per_minute: 1,
        reads_per_minute: 3,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let create = |code: &str| {
        send(
            &host,
            &settings,
            request("POST", "/delivery/orders", &[], order(code).to_string()),
        )
    };
    let first = create("Q-1");
    assert_eq!(
        (
            first.status,
            first.header("ratelimit"),
            first.header("ratelimit-policy")
        ),
        (
            201,
            Some("\"create\";r=1;t=30"),
            Some("\"create\";q=2;w=60")
        )
    );
    assert_eq!(create("Q-2").status, 201);
    let (orders, notified) = (host.orders().len(), notifications(&host, &[]).len());
    let rejected = create("Q-3");
    assert_eq!(rejected.outcome(), (429, Some("rate_limited")));
    assert_eq!(
        (rejected.header("retry-after"), rejected.header("ratelimit")),
        (Some("30"), Some("\"create\";r=0;t=30"))
    );
    assert_eq!(
        (host.orders().len(), notifications(&host, &[]).len()),
        (orders, notified)
    );
    // Other kinds of requests and other merchants are not affected.
    let preview = request(
        "POST",
        "/delivery/orders/preview",
        &[],
        order("Q-4").to_string(),
    );
    assert_eq!(send(&host, &settings, preview).status, 200);
    let (key, _) = parent_store(&host, "12ABC34501DE35", "quota@exemplo.com.br", None);
    let other = request(
        "POST",
        "/delivery/orders",
        &[("x-api-token", &key)],
        order("Q-5").to_string(),
    );
    assert_eq!(send(&host, &settings, other).status, 201);
    host.advance(Duration::seconds(30));
    assert_eq!(create("Q-6").status, 201);
    assert_eq!(create("Q-7").status, 429);
}

#[test]
fn logins_are_rate_limited_by_email() {
    let host = demo_host();
    let limits = Limits {
        logins_per_15_minutes: 3,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let log_in = |email: &str, password: &str| {
        let body = json!({ "email": email, "password": password }).to_string();
        send(
            &host,
            &settings,
            request("POST", "/delivery/sessions", &[], body),
        )
    };
    let email = despacho_simulator::demo::EMAIL;
    for _ in 0..3 {
        assert_eq!(
            log_in(email, "senha errada").outcome(),
            (401, Some("credentials_invalid"))
        );
    }
    let right = despacho_simulator::demo::PASSWORD;
    let rejected = log_in(&email.to_uppercase(), right);
    assert_eq!(
        (rejected.outcome(), rejected.header("retry-after")),
        ((429, Some("rate_limited")), Some("300"))
    );
    assert_eq!(log_in("outra@exemplo.com.br", right).status, 401);
    host.advance(Duration::minutes(5));
    assert_eq!(log_in(email, right).status, 201);
}

/// Sets the client address of a request, as a host does.
fn from(address: &str, mut request: http::Request<bytes::Bytes>) -> http::Request<bytes::Bytes> {
    request
        .extensions_mut()
        .insert(CallerAddress(address.parse().unwrap()));
    request
}

#[test]
fn logins_are_rate_limited_by_address() {
    let host = demo_host();
    let limits = Limits {
        logins_per_address: 3,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let log_in = |address: &str, email: &str| {
        let body = json!({ "email": email, "password": "senha errada" }).to_string();
        send(
            &host,
            &settings,
            from(address, request("POST", "/delivery/sessions", &[], body)),
        )
    };
    for email in ["a@exemplo.com.br", "b@exemplo.com.br", "c@exemplo.com.br"] {
        assert_eq!(log_in("2001:db8::1", email).status, 401);
    }
    assert_eq!(
        log_in("2001:db8::2", "d@exemplo.com.br").outcome(),
        (429, Some("rate_limited")),
        "same IPv6 /64 prefix"
    );
    assert_eq!(log_in("2001:db8:0:1::1", "d@exemplo.com.br").status, 401);
    assert_eq!(log_in("::ffff:192.0.2.1", "d@exemplo.com.br").status, 401);
}

#[test]
fn unknown_keys_are_rate_limited_by_address() {
    let host = demo_host();
    let limits = Limits {
        unknown_keys_per_minute: 2,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let query = |address: &str, path: &str, key: &str| {
        let headers = [("x-api-token", key)];
        send(
            &host,
            &settings,
            from(address, request("GET", path, &headers, "")),
        )
    };
    for path in ["/delivery/orders", "/courier/me"] {
        assert_eq!(
            query("192.0.2.1", path, "dsp_wrong").outcome(),
            (401, Some("api_key_invalid")),
            "{path}"
        );
    }
    let rejected = query("192.0.2.1", "/admin/couriers", "not-the-operators-token");
    assert_eq!(
        (rejected.outcome(), rejected.header("retry-after")),
        ((429, Some("rate_limited")), Some("30"))
    );
    assert_eq!(
        query("192.0.2.2", "/delivery/orders", "dsp_wrong").status,
        401
    );
    // A valid key from the same address is not affected.
    assert_eq!(
        query(
            "192.0.2.1",
            "/delivery/orders",
            despacho_simulator::demo::KEY
        )
        .status,
        200
    );
}

#[test]
fn strangers_do_not_lock_the_owner_out() {
    let host = demo_host();
    let limits = Limits {
        logins_per_15_minutes: 3,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let log_in = |address: &str, password: &str| {
        let body =
            json!({ "email": despacho_simulator::demo::EMAIL, "password": password }).to_string();
        send(
            &host,
            &settings,
            from(address, request("POST", "/delivery/sessions", &[], body)),
        )
        .status
    };
    let right = despacho_simulator::demo::PASSWORD;
    assert_eq!(log_in("192.0.2.1", right), 201);
    let strangers = [
        "198.51.100.1",
        "198.51.100.2",
        "198.51.100.3",
        "198.51.100.4",
    ];
    assert_eq!(
        strangers.map(|address| log_in(address, "senha errada")),
        [401, 401, 429, 429]
    );
    assert_eq!(log_in("198.51.100.5", right), 429, "a new address");
    assert_eq!(
        [right, right, right].map(|password| log_in("192.0.2.1", password)),
        [201, 201, 429],
        "the usual address"
    );
}

#[test]
fn right_client_secret_passes_while_others_guess() {
    let host = demo_host();
    let limits = Limits {
        unknown_keys_per_minute: 2,
        logins_per_address: 2,
        logins_per_15_minutes: 2,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..settings()
    };
    let connection =
        json!({ "url": "https://pdv.example", "openDelivery": { "merchantId": "1".repeat(40) } });
    let created = post(&host, "/delivery/webhooks", &[], &connection).body;
    let id = created["openDelivery"]["clientId"]
        .as_str()
        .unwrap()
        .to_owned();
    let token = |address: &str, secret: &str| {
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        let request = http::Request::post("/oauth/token")
            .header("content-type", "application/x-www-form-urlencoded");
        send(
            &host,
            &settings,
            from(address, request.body(form.into()).unwrap()),
        )
        .status
    };
    let guesses = ["dsp_a", "dsp_b", "dsp_c", "dsp_d"];
    assert_eq!(
        guesses.map(|guess| token("198.51.100.1", guess)),
        [401, 401, 429, 429]
    );
    let right = created["secret"].as_str().unwrap();
    let addresses = ["192.0.2.1", "198.51.100.1", "198.51.100.1", "198.51.100.1"];
    assert_eq!(
        addresses.map(|address| token(address, right)),
        [200; 4],
        "also from the address of the guesses"
    );
}

#[test]
fn every_endpoint_that_leaves_access_asks_for_the_password() {
    let host = demo_host();
    let login = json!({ "email": despacho_simulator::demo::EMAIL, "password": despacho_simulator::demo::PASSWORD });
    let session = post(&host, "/delivery/sessions", &[], &login).body["value"]
        .as_str()
        .unwrap()
        .to_owned();
    let signed_in = post(&host, "/admin/session", &[], &json!({ "token": OPERATOR }));
    let cookie = signed_in
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    host.advance(Duration::minutes(6));
    let courier = json!({ "name": "Ana Souza", "phone": "+5511990000011" });
    let user = json!({ "name": "Bia", "email": "bia@exemplo.com.br", "role": "CLERK" });
    let send_as = |method: &Method, path: &str, access: Access, body: &str| {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json");
        let request = match access {
            Access::Store => request.header("x-api-token", &session),
            _ => request.header("cookie", &cookie),
        };
        send(
            &host,
            &settings(),
            request.body(body.to_owned().into()).unwrap(),
        )
    };
    let id = |reply: &Value| reply["id"].to_string().trim_matches('"').to_owned();
    let webhook = json!({ "url": "https://loja.example/despacho" });
    let webhook_id = id(&post(&host, "/delivery/webhooks", &[], &webhook).body);
    let user_id = id(&post(&host, "/delivery/users", &[], &user).body["user"]);
    let courier_id = id(&post(
        &host,
        "/admin/couriers",
        &[("x-api-token", OPERATOR)],
        &courier,
    )
    .body);
    let (_, store_id) = parent_store(&host, "11444777000161", "outra@exemplo.com.br", None);
    let store_id = store_id.to_string();
    let branch = store("12ABC34501DE35", "nova@exemplo.com.br", None);
    let other_user = json!({ "name": "Eva", "email": "eva@exemplo.com.br", "role": "OWNER" });
    let expected = [
        ("POST /delivery/stores", "", branch.clone()),
        ("POST /delivery/users", "", other_user),
        (
            "POST /delivery/users/{userId}/password-link",
            user_id.as_str(),
            json!({}),
        ),
        (
            "POST /admin/stores/{storeId}/password-link",
            store_id.as_str(),
            json!({}),
        ),
        ("POST /delivery/keys", "", json!({})),
        ("POST /delivery/webhooks", "", webhook),
        (
            "POST /delivery/webhooks/{webhookId}/rotate",
            webhook_id.as_str(),
            json!({}),
        ),
        ("POST /admin/matrices", "", branch),
        ("POST /admin/keys", "", json!({ "storeId": store_id })),
        ("POST /admin/couriers", "", courier),
        (
            "POST /admin/couriers/{courierId}/sign-in",
            courier_id.as_str(),
            json!({}),
        ),
    ];
    let dump = format!("{host:?}");
    let mut asked = Vec::new();
    for route in ROUTES
        .iter()
        .filter(|route| matches!(route.access, Access::Store | Access::Operator))
    {
        let case = expected
            .iter()
            .find(|(template, ..)| *template == route.template);
        let (id, body) = case.map_or(("1", "{}".to_owned()), |(_, id, body)| {
            (*id, body.to_string())
        });
        let part = |part: &str| {
            if part.starts_with('{') {
                id.to_owned()
            } else {
                part.to_owned()
            }
        };
        let path = route
            .path
            .split('/')
            .map(part)
            .collect::<Vec<_>>()
            .join("/");
        if route.lasting() == Lasting::Access {
            let reply = send_as(route.method, &path, route.access, &body);
            assert_eq!(
                reply.outcome(),
                (403, Some("password_required")),
                "{}: {}",
                route.template,
                reply.body
            );
            asked.push(route.template);
        }
    }
    assert_eq!(
        asked,
        expected.each_ref().map(|(template, ..)| *template),
        "each endpoint of the table has a request here"
    );
    let count = |text: &str, name: &str| text.matches(name).count();
    let after = format!("{host:?}");
    assert_eq!(
        count(&after, "KeyHash"),
        count(&dump, "KeyHash"),
        "no key or link was issued"
    );
    for route in ROUTES
        .iter()
        .filter(|route| matches!(route.access, Access::Store | Access::Operator))
    {
        let path = route
            .path
            .split('/')
            .map(|part| if part.starts_with('{') { "1" } else { part })
            .collect::<Vec<_>>();
        if route.lasting() != Lasting::Access && !route.method.is_safe() {
            let reply = send_as(route.method, &path.join("/"), route.access, "{}");
            assert_ne!(
                reply.outcome(),
                (403, Some("password_required")),
                "{}",
                route.template
            );
        }
    }
}

#[test]
fn link_is_mailed_without_the_links_in_names_and_within_the_quota() {
    let inner = demo_host();
    let host = FaultyHost::failing(&inner, []);
    let limits = Limits {
        mails_per_day: 2,
        ..settings().limits
    };
    let public_url = Some("https://entregas.example".to_owned());
    let settings = Settings {
        limits,
        mail: true,
        public_url,
        ..settings()
    };
    let (key, _) = parent_store(&inner, "12ABC34501DE35", "mails@exemplo.com.br", None);
    let create = |key: &str, number: u32| {
        let name = "Ganhe em https://evil.example/premio";
        let user =
            json!({ "name": name, "email": format!("{number}@exemplo.com.br"), "role": "CLERK" })
                .to_string();
        let reply = send(
            &host,
            &settings,
            request("POST", "/delivery/users", &[("x-api-token", key)], user),
        );
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.body["link"]["mailed"].clone()
    };
    assert_eq!(
        create(despacho_simulator::demo::KEY, 1),
        json!(null),
        "a sandbox store sends none"
    );
    assert_eq!(
        [2, 3, 4].map(|number| create(&key, number)),
        [json!(true), json!(true), json!(false)]
    );
    let mails = host.mails.borrow();
    assert_eq!(
        mails
            .iter()
            .map(|mail| mail.to.as_str())
            .collect::<Vec<_>>(),
        ["2@exemplo.com.br", "3@exemplo.com.br"]
    );
    for mail in mails.iter() {
        assert_eq!(mail.name.as_deref(), Some("Ganhe em evil example"));
        assert!(
            mail.text.contains("https://entregas.example/#/password/")
                && !mail.text.contains("evil.example")
        );
    }
}

#[test]
fn login_above_the_limit_ends_the_oldest_session() {
    let host = demo_host();
    let keys = KeyConfig {
        sessions_per_store: 2,
        ..KeyConfig::default()
    };
    let settings = Settings { keys, ..settings() };
    let log_in = || {
        host.advance(Duration::seconds(1));
        let body = json!({ "email": despacho_simulator::demo::EMAIL, "password": despacho_simulator::demo::PASSWORD })
            .to_string();
        let response = send(
            &host,
            &settings,
            request("POST", "/delivery/sessions", &[], body),
        );
        assert_eq!(response.status, 201, "{}", response.body);
        response.body["value"].as_str().unwrap().to_owned()
    };
    let sessions = [log_in(), log_in(), log_in()];
    let statuses = sessions.map(|key| {
        send(
            &host,
            &settings,
            request("GET", "/delivery/orders", &[("x-api-token", &key)], ""),
        )
        .status
    });
    assert_eq!(statuses, [401, 200, 200]);
}

#[test]
fn keys_and_passwords_are_never_stored() {
    let host = demo_host();
    let operator = [("x-api-token", OPERATOR), ("idempotency-key", "m")];
    let new = store("12ABC34501DE35", "segredo@exemplo.com.br", None);
    let created = post(&host, "/admin/matrices", &operator, &new).body;
    let own = [
        ("x-api-token", created["value"].as_str().unwrap()),
        ("idempotency-key", "n"),
    ];
    let issued = post(&host, "/delivery/keys", &own, &json!({ "name": "caixa" })).body;
    let login = json!({ "email": "segredo@exemplo.com.br", "password": new["password"] });
    let session = post(
        &host,
        "/delivery/sessions",
        &[("idempotency-key", "o")],
        &login,
    )
    .body;
    // Failed logins and invalid bodies must not store the password either.
    let wrong = json!({ "email": "segredo@exemplo.com.br", "password": "quase a senha certa" });
    assert_eq!(
        post(
            &host,
            "/delivery/sessions",
            &[("idempotency-key", "p")],
            &wrong
        )
        .status,
        401
    );
    let mut invalid = new.clone();
    invalid["cnpj"] = json!("1");
    assert_eq!(
        post(
            &host,
            "/admin/matrices",
            &[("x-api-token", OPERATOR)],
            &invalid
        )
        .status,
        422
    );
    let dump = format!("{host:?}");
    assert!(
        dump.contains("segredo@exemplo.com.br") && dump.contains("$argon2id$"),
        "the dump contains stored data"
    );
    for secret in [
        &created["value"],
        &issued["value"],
        &session["value"],
        &new["password"],
        &wrong["password"],
    ] {
        let secret = secret.as_str().unwrap();
        assert!(
            secret.len() >= 10 && !dump.contains(secret),
            "{secret} is stored"
        );
    }
    assert!(!dump.contains(OPERATOR));
}

#[test]
fn code_of_an_expired_order_can_be_reused() {
    let host = demo_host();
    let first = post(&host, "/delivery/orders", &[], &order("E-1"));
    host.advance(Duration::minutes(20));
    let again = post(&host, "/delivery/orders", &[], &order("E-1"));
    assert_eq!(
        (again.status, &again.body["situation"]),
        (200, &json!(200)),
        "the courier search has started"
    );
    // No request reads the order between the end of its search and the next creation.
    host.advance(Duration::minutes(20));
    let second = post(&host, "/delivery/orders", &[], &order("E-1"));
    assert_eq!(second.status, 201, "{}", second.body);
    assert_ne!(first.body["id"], second.body["id"]);
    let ended = get(
        &host,
        &format!("/delivery/orders/{}", first.body["id"]),
        &[],
    );
    assert_eq!(ended.body["situation"], 630);
}

#[test]
fn every_failed_creation_creates_a_notification() {
    let host = demo_host();
    let failing = [
        (
            request("POST", "/delivery/orders", &[], "{"),
            "malformed_request",
        ),
        (
            request("POST", "/delivery/orders", &[("accept", "text/html")], "{}"),
            "not_acceptable",
        ),
        (
            request("POST", "/delivery/orders", &[], "x".repeat(300_000)),
            "body_too_large",
        ),
        (
            request("POST", "/delivery/orders", &[("idempotency-key", "")], "{}"),
            "malformed_request",
        ),
    ];
    for (notified, (request, code)) in (1..).zip(failing) {
        assert_eq!(send(&host, &settings(), request).body["code"], code);
        let notifications = notifications(&host, &[]);
        assert_eq!(
            (notifications.len(), &notifications[0]["code"]),
            (notified, &json!(code))
        );
    }
}

#[test]
fn order_with_failing_commit_does_not_delay_others() {
    let host = demo_host();
    host.advance(Duration::minutes(30));
    let due = block_on(host.find_orders(OrderQuery::Due {
        now: host.now(),
        skipped: 0,
        limit: 9,
    }))
    .unwrap()
    .len();
    assert_eq!(due, 3);
    let broken = HostError::Internal {
        detail: "a row cannot be written".to_owned(),
    };
    let faulty_host = FaultyHost::failing(&host, [(1, broken.clone())]);
    let pass = block_on(dispatch::run_pass(
        &faulty_host,
        &settings(),
        &mut host.exec_context(),
    ));
    assert_eq!(pass, Err(broken), "the error is reported");
    let left = block_on(host.find_orders(OrderQuery::Due {
        now: host.now(),
        skipped: 0,
        limit: 9,
    }))
    .unwrap();
    assert_eq!(left.len(), 1, "the other two are searching for a courier");
    // If the database is unavailable, the pass stops at once.
    let faulty_host = FaultyHost::failing(&host, [(1, unavailable())]);
    assert_eq!(
        block_on(dispatch::run_pass(
            &faulty_host,
            &settings(),
            &mut host.exec_context()
        )),
        Err(unavailable())
    );
}

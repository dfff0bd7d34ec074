//! Memory limits, and rate limits across instances.

use despacho_bench::orders::order;
use despacho_spin_tests::{Options, Reuse, TestServer};

use crate::support::{TestDatabase, get, post, serve};

#[test]
fn order_of_fifty_stops_fits_in_sixteen_megabytes() {
    let database = TestDatabase::new();
    // Hashing each password of the demo data takes 19 MiB, so another host creates the data.
    let setup = serve(&database.demo());
    get(&setup.base, "/readyz");
    drop(setup);
    let served = serve(&database.demo());
    for (path, status) in [("/delivery/orders/preview", 200), ("/delivery/orders", 201)] {
        let response = post(&served.base, path, &order("FIFTY", 50, true));
        assert_eq!(response.status, status, "{}", response.body);
    }
    let peak = served.stats().peak_bytes();
    eprintln!(
        "memory of an instance, 50 stops in the best order: {} kB",
        peak / 1_000
    );
    assert!(peak < 16_000_000, "{peak} bytes");
}

#[test]
fn concurrent_logins_use_bounded_memory() {
    let database = TestDatabase::new();
    // Another host hashes the passwords of the demo data.
    let setup = serve(&database.demo());
    assert_eq!(get(&setup.base, "/readyz").status, 200);
    drop(setup);
    let served = serve(&database.demo());
    let login = |number: usize| {
        let body = serde_json::json!({ "email": format!("unknown-{number}@shop.example"), "password": "wrong horse battery" });
        post(&served.base, "/delivery/sessions", &body)
    };
    let responses = std::thread::scope(|scope| {
        let login = &login;
        let threads: Vec<_> = (0..64)
            .map(|number| scope.spawn(move || login(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a response"))
            .collect::<Vec<_>>()
    });
    let hashed = responses
        .iter()
        .filter(|response| response.status == 401)
        .count();
    let total = served.stats().peak_total_bytes() / 1_000_000;
    let instances = served.stats().instances();
    eprintln!("64 logins at once: {hashed} hashed, {total} MB for {instances} instances");
    for rejected in responses.iter().filter(|response| response.status != 401) {
        let detail = rejected.body["detail"].as_str().unwrap_or_default();
        assert!(
            rejected.status == 503 && detail.contains("Password verification"),
            "{rejected:?}"
        );
        assert!(rejected.headers.contains_key("retry-after"), "{rejected:?}");
    }
    assert!(hashed > 0, "some logins are always served");
    // At most five instances have hashed, 20 MB each, and each takes up to 3 MB for its requests.
    // Without a limit each would take 20 MB more.
    assert!(
        total < 100 + 3 * instances,
        "{total} MB for {instances} instances"
    );
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    // Each attempt has its own address: one address may log in only a few times per minute.
    let mut numbers = 64..;
    while numbers
        .next()
        .map(login)
        .is_none_or(|response| response.status != 401)
    {
        assert!(std::time::Instant::now() < deadline, "slots must expire");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn logins_are_limited_by_the_configured_address_header() {
    let database = TestDatabase::new();
    let settings = r#"{"limits": {"logins-per-address": 2}}"#;
    let attempts = |served: &TestServer| -> Vec<u16> {
        let login = |number| serde_json::json!({ "email": format!("user-{number}@shop.example"), "password": "wrong horse battery" });
        (0..4)
            .map(|number| post(&served.base, "/delivery/sessions", &login(number)).status)
            .collect()
    };
    let with_header = serve(
        &database
            .demo()
            .variable("settings", settings)
            .variable("caller_address_header", "spin-client-addr"),
    );
    assert_eq!(attempts(&with_header), [401, 401, 429, 429]);
    // Without the configured header logins are limited only by email address.
    let without_header = serve(&database.demo().variable("settings", settings));
    assert_eq!(attempts(&without_header), [401; 4]);
}

#[test]
fn rate_limit_applies_across_instances() {
    let database = TestDatabase::new();
    let settings = r#"{"limits": {"previews-per-minute": 5}}"#;
    let served = serve(&Options {
        reuse: Reuse::NEVER,
        ..database.demo().variable("settings", settings)
    });
    get(&served.base, "/readyz");
    let statuses: Vec<u16> = (0..7)
        .map(|_| {
            post(
                &served.base,
                "/delivery/orders/preview",
                &order("R", 2, false),
            )
            .status
        })
        .collect();
    assert_eq!(statuses[..5], [200; 5], "{statuses:?}");
    assert!(statuses[5..].contains(&429), "{statuses:?}");
    assert!(
        served.stats().instances() >= 8,
        "{} instances",
        served.stats().instances()
    );
}

//! Memory, and rates across instances.

use despacho_bench::orders::order;
use despacho_spin_tests::{Options, Reuse, Served};

use crate::support::{Place, get, post, serve};

#[test]
fn an_order_of_fifty_stops_fits_in_sixteen_megabytes() {
    let place = Place::new();
    // The demonstration's passwords take 19 MiB each to hash, so that they are made by another host.
    let making = serve(&place.demo());
    get(&making.base, "/readyz");
    drop(making);
    let served = serve(&place.demo());
    for (path, status) in [("/delivery/orders/preview", 200), ("/delivery/orders", 201)] {
        let response = post(&served.base, path, &order("FIFTY", 50, true));
        assert_eq!(response.status, status, "{}", response.body);
    }
    let peak = served.stats().peak_bytes();
    eprintln!("memory of an instance, 50 stops in the best order: {} kB", peak / 1_000);
    assert!(peak < 16_000_000, "{peak} bytes");
}

#[test]
fn logins_at_once_take_a_limited_amount_of_memory() {
    let place = Place::new();
    // The demonstration's passwords are hashed by another host.
    let making = serve(&place.demo());
    assert_eq!(get(&making.base, "/readyz").status, 200);
    drop(making);
    let served = serve(&place.demo());
    let login = |number: usize| {
        let body =
            serde_json::json!({ "email": format!("unknown-{number}@shop.example"), "password": "wrong horse battery" });
        post(&served.base, "/delivery/sessions", &body)
    };
    let responses = std::thread::scope(|scope| {
        let login = &login;
        let threads: Vec<_> = (0..64).map(|number| scope.spawn(move || login(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a response")).collect::<Vec<_>>()
    });
    let hashed = responses.iter().filter(|response| response.status == 401).count();
    let total = served.stats().peak_total_bytes() / 1_000_000;
    let instances = served.stats().instances();
    eprintln!("64 logins at once: {hashed} hashed, {total} MB for {instances} instances");
    for rejected in responses.iter().filter(|response| response.status != 401) {
        let detail = rejected.body["detail"].as_str().unwrap_or_default();
        assert!(rejected.status == 503 && detail.contains("Password verification"), "{rejected:?}");
        assert!(rejected.headers.contains_key("retry-after"), "{rejected:?}");
    }
    assert!(hashed > 0, "some logins are always served");
    // At most five instances have hashed, 20 MB each, and every other request takes up to 3 MB. Without a limit it is 20 MB for each login.
    assert!(total < 300, "{total} MB for {instances} instances");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while login(99).status != 401 {
        assert!(std::time::Instant::now() < deadline, "slots end by themselves");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn logins_are_limited_by_address_where_a_header_tells_it() {
    let place = Place::new();
    let settings = r#"{"limits": {"logins-per-address": 2}}"#;
    let attempts = |served: &Served| -> Vec<u16> {
        let login = |number| serde_json::json!({ "email": format!("nobody-{number}@shop.example"), "password": "wrong horse battery" });
        (0..4).map(|number| post(&served.base, "/delivery/sessions", &login(number)).status).collect()
    };
    let received =
        serve(&place.demo().variable("settings", settings).variable("caller_address_header", "spin-client-addr"));
    assert_eq!(attempts(&received), [401, 401, 429, 429]);
    // Whoever does not say which header may be believed has logins limited by name alone.
    let untold = serve(&place.demo().variable("settings", settings));
    assert_eq!(attempts(&untold), [401; 4]);
}

#[test]
fn a_rate_holds_across_instances() {
    let place = Place::new();
    let settings = r#"{"limits": {"previews-per-minute": 5}}"#;
    let served = serve(&Options { reuse: Reuse::NEVER, ..place.demo().variable("settings", settings) });
    get(&served.base, "/readyz");
    let statuses: Vec<u16> =
        (0..7).map(|_| post(&served.base, "/delivery/orders/preview", &order("R", 2, false)).status).collect();
    assert_eq!(statuses[..5], [200; 5], "{statuses:?}");
    assert!(statuses[5..].contains(&429), "{statuses:?}");
    assert!(served.stats().instances() >= 8, "{} instances", served.stats().instances());
}

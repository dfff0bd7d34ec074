//! Memory, and rates across instances.

use despacho_load::orders::order;
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
        let answer = post(&served.base, path, &order("FIFTY", 50, true));
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    let peak = served.stats().peak_bytes();
    eprintln!("memory of an instance, 50 stops in the best order: {} kB", peak / 1_000);
    assert!(peak < 16_000_000, "{peak} bytes");
}

#[test]
fn logins_are_limited_by_address_where_a_header_tells_it() {
    let place = Place::new();
    let settings = r#"{"limits": {"logins-per-address": 2}}"#;
    let attempts = |served: &Served| -> Vec<u16> {
        let login = |number| serde_json::json!({ "email": format!("nobody-{number}@shop.example"), "password": "wrong horse battery" });
        (0..4).map(|number| post(&served.base, "/delivery/sessions", &login(number)).status).collect()
    };
    let told =
        serve(&place.demo().variable("settings", settings).variable("caller_address_header", "spin-client-addr"));
    assert_eq!(attempts(&told), [401, 401, 429, 429]);
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

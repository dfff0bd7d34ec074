//! Tests on PostgreSQL.

use despacho_process::cluster::Cluster;
use despacho_spin_tests::{Options, Reuse};

use crate::{
    concurrency::{each_is_stored_once, one_code_is_one_order, spread},
    geography,
    support::{TestDatabase, create, get, serve, serve_ready},
    upstream::Upstream,
    webhooks,
};

/// Starts a cluster with a database. Returns `None` to ignore the test if PostgreSQL is not
/// installed.
fn start_cluster() -> Option<(Cluster, String)> {
    if !despacho_process::cluster::is_installed() {
        return None;
    }
    let cluster = Cluster::start().unwrap_or_else(|error| panic!("{error}"));
    let address = cluster
        .database("despacho")
        .unwrap_or_else(|error| panic!("{error}"));
    Some((cluster, address))
}

pub(crate) fn on(address: &str) -> Options {
    // Without SQLite: the component must not use it.
    Options {
        database: None,
        ..TestDatabase::new().demo().variable("database_url", address)
    }
}

#[test]
fn creates_on_sixteen_instances_are_each_stored_once() {
    let Some((cluster, address)) = start_cluster() else {
        return;
    };
    let served = serve(&spread(on(&address)));
    assert_eq!(get(&served.base, "/readyz").status, 200);
    each_is_stored_once(&served);
    one_code_is_one_order(&served);
    let count = |code: &str| {
        cluster.query(
            &address,
            &format!("SELECT COUNT(*) FROM orders WHERE code LIKE '{code}'"),
        )
    };
    assert_eq!(
        (count("SIDE-%"), count("THE-SAME")),
        (Ok("64".to_owned()), Ok("1".to_owned()))
    );
}

#[test]
fn concurrent_first_requests_prepare_the_database_once() {
    let Some((cluster, address)) = start_cluster() else {
        return;
    };
    let served = serve(&spread(on(&address)));
    let responses =
        crate::concurrency::create_concurrently(&served, |number| format!("FIRST-{number}"));
    let wrong = responses.iter().find(|response| response.status != 201);
    assert!(wrong.is_none(), "{wrong:?}");
    assert_eq!(
        cluster.query(&address, "SELECT COUNT(*) FROM stores"),
        Ok("3".to_owned())
    );
}

#[test]
fn results_are_cached_and_webhooks_sent_once() {
    let Some((cluster, address)) = start_cluster() else {
        return;
    };
    let (geocoder, receiver) = (
        Upstream::fixed(200, &geography::house()),
        Upstream::fixed(200, ""),
    );
    let outbound = vec![geocoder.address, receiver.address];
    let options = Options {
        outbound,
        reuse: Reuse::NEVER,
        ..on(&address)
    };
    let options = options.variable("nominatim", &geocoder.base());
    let served = serve_ready(&options.variable("settings", r#"{"webhooks": {"loopback": true}}"#));
    for _ in 0..2 {
        let found = geography::preview(&served.base, geography::street());
        assert_eq!(
            found.body["deliveries"][0]["precision"], "number",
            "{found:?}"
        );
    }
    assert_eq!(geocoder.requests().len(), 1);
    for write in geography::fill_and_forget() {
        cluster
            .query(&address, &write)
            .unwrap_or_else(|error| panic!("{write}: {error}"));
    }
    // The result of the preview expires last.
    assert_eq!(
        cluster.query(&address, "SELECT COUNT(*) FROM geocoded"),
        Ok("3".to_owned())
    );
    webhooks::subscribe(&served, &receiver.base());
    for number in 0..10 {
        assert_eq!(
            create(&served.base, &format!("PG-{number}")).map(|response| response.status),
            Ok(201)
        );
    }
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(webhooks::dispatch(&served).status, 200));
        }
    });
    webhooks::dispatch(&served);
    assert_eq!(receiver.requests().len(), 10);
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn trap_leaves_no_partial_order_and_no_open_transaction() {
    const BROKEN: &str = "SELECT (SELECT COUNT(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders)) \
         + (SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM events))";
    let Some((cluster, address)) = start_cluster() else {
        return;
    };
    assert_eq!(
        create(&serve(&on(&address)).base, "CALM").map(|response| response.status),
        Ok(201)
    );
    let mut at = 0;
    loop {
        at += 1;
        let code = format!("TRAP-{at}");
        let served = serve(&Options {
            trap_at: Some(at),
            ..on(&address)
        });
        let response = create(&served.base, &code);
        if served.stats().statements() < at {
            assert!(
                response
                    .as_ref()
                    .is_ok_and(|response| response.status == 201),
                "{at}: {response:?}"
            );
            break;
        }
        assert_eq!(
            cluster.query(&address, BROKEN),
            Ok("0".to_owned()),
            "after a trap at statement {at}"
        );
        // The same host: the connection comes from the pool in the state in which the trap left it.
        let again = create(&served.base, &code).expect("a response");
        assert!(matches!(again.status, 200 | 201), "{at}: {again:?}");
        let count = cluster.query(
            &address,
            &format!("SELECT COUNT(*) FROM orders WHERE code = '{code}'"),
        );
        assert_eq!(count, Ok("1".to_owned()), "{at}");
    }
    assert!(at > 8, "a create sends more than {at} statements");
}

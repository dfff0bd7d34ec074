//! Concurrent requests on many instances.

use std::collections::BTreeSet;

use despacho_spin_tests::{Options, Reuse, TestServer};

use crate::support::{Response, TestDatabase, create, get, serve};

/// Concurrent requests.
const CREATES: usize = 64;

/// Limits instances to four concurrent requests, so 64 requests need sixteen instances, and raises
/// the rate limit.
pub(crate) fn spread(options: Options) -> Options {
    let options = options.variable("settings", r#"{"limits": {"writes-per-minute": 1000000}}"#);
    Options {
        reuse: Reuse {
            max_concurrent: 4,
            ..Reuse::SPIN
        },
        ..options
    }
}

/// Creates orders concurrently, each with its code.
pub(crate) fn create_concurrently(
    served: &TestServer,
    code: impl Fn(usize) -> String + Sync,
) -> Vec<Response> {
    std::thread::scope(|scope| {
        let one = |number| {
            create(&served.base, &code(number)).unwrap_or_else(|error| panic!("{number}: {error}"))
        };
        let threads: Vec<_> = (0..CREATES)
            .map(|number| scope.spawn(move || one(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a response"))
            .collect()
    })
}

/// Asserts that all orders are created with different IDs.
pub(crate) fn each_is_stored_once(served: &TestServer) {
    let responses = create_concurrently(served, |number| format!("SIDE-{number}"));
    let statuses: Vec<u16> = responses
        .iter()
        .map(|response| response.status)
        .filter(|status| *status != 201)
        .collect();
    assert_eq!(
        statuses,
        Vec::<u16>::new(),
        "{:?}",
        responses.iter().find(|response| response.status != 201)
    );
    let ids: BTreeSet<u64> = responses
        .iter()
        .filter_map(|response| response.body["id"].as_u64())
        .collect();
    assert_eq!(ids.len(), CREATES);
    for id in ids {
        assert_eq!(
            get(&served.base, &format!("/delivery/orders/{id}")).status,
            200,
            "{id}"
        );
    }
    assert_eq!(served.stats().traps(), 0);
}

/// Asserts that of requests with the same code one creates the order and the others return it.
pub(crate) fn one_code_is_one_order(served: &TestServer) {
    let responses = create_concurrently(served, |_| "THE-SAME".to_owned());
    let created = responses
        .iter()
        .filter(|response| response.status == 201)
        .count();
    let again = responses
        .iter()
        .filter(|response| response.status == 200)
        .count();
    assert_eq!(
        (created, again),
        (1, CREATES - 1),
        "{:?}",
        responses
            .iter()
            .map(|response| response.status)
            .collect::<Vec<_>>()
    );
    let ids: BTreeSet<u64> = responses
        .iter()
        .filter_map(|response| response.body["id"].as_u64())
        .collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn creates_on_sixteen_instances_are_each_stored_once() {
    let database = TestDatabase::new();
    let served = serve(&spread(database.demo()));
    get(&served.base, "/readyz");
    each_is_stored_once(&served);
    assert!(
        served.stats().instances() >= 8,
        "{} instances",
        served.stats().instances()
    );
    assert_eq!(
        database.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'SIDE-%'"),
        CREATES as i64
    );
    assert_eq!(
        database.count("SELECT COUNT(DISTINCT code) FROM orders WHERE code LIKE 'SIDE-%'"),
        CREATES as i64
    );
    one_code_is_one_order(&served);
    assert_eq!(
        database.count("SELECT COUNT(*) FROM orders WHERE code = 'THE-SAME'"),
        1
    );
}

#[test]
fn concurrent_first_requests_prepare_the_database_once() {
    let database = TestDatabase::new();
    let served = serve(&spread(database.demo()));
    let responses = create_concurrently(&served, |number| format!("FIRST-{number}"));
    let wrong = responses.iter().find(|response| response.status != 201);
    assert!(wrong.is_none(), "{wrong:?}");
    assert_eq!(
        database.count("SELECT COUNT(*) FROM stores WHERE matrix IS NULL"),
        1
    );
    assert_eq!(
        database.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'FIRST-%'"),
        CREATES as i64
    );
}

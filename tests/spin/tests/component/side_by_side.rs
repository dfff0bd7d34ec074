//! Many requests at once, on many instances.

use std::collections::BTreeSet;

use despacho_spin_tests::{Options, Reuse, Served};

use crate::support::{Place, Response, create, get, serve};

/// Requests at once.
const CREATES: usize = 64;

/// Four requests an instance, so that 64 at once need sixteen, and no quota that both rounds together would pass.
pub(crate) fn spread(options: Options) -> Options {
    let options = options.variable("settings", r#"{"limits": {"writes-per-minute": 1000000}}"#);
    Options { reuse: Reuse { at_once: 4, ..Reuse::SPIN }, ..options }
}

/// So many creates at once, each with the code that it is given.
pub(crate) fn at_once(served: &Served, code: impl Fn(usize) -> String + Sync) -> Vec<Response> {
    std::thread::scope(|scope| {
        let one = |number| create(&served.base, &code(number)).unwrap_or_else(|error| panic!("{number}: {error}"));
        let threads: Vec<_> = (0..CREATES).map(|number| scope.spawn(move || one(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    })
}

/// All of them are answered and created, no two with one identifier.
pub(crate) fn each_is_stored_once(served: &Served) {
    let responses = at_once(served, |number| format!("SIDE-{number}"));
    let statuses: Vec<u16> = responses.iter().map(|response| response.status).filter(|status| *status != 201).collect();
    assert_eq!(statuses, Vec::<u16>::new(), "{:?}", responses.iter().find(|response| response.status != 201));
    let ids: BTreeSet<u64> = responses.iter().filter_map(|response| response.body["id"].as_u64()).collect();
    assert_eq!(ids.len(), CREATES);
    for id in ids {
        assert_eq!(get(&served.base, &format!("/delivery/orders/{id}")).status, 200, "{id}");
    }
    assert_eq!(served.stats().traps(), 0);
}

/// One creates, the others are given the same order.
pub(crate) fn one_code_is_one_order(served: &Served) {
    let responses = at_once(served, |_| "THE-SAME".to_owned());
    let created = responses.iter().filter(|response| response.status == 201).count();
    let again = responses.iter().filter(|response| response.status == 200).count();
    assert_eq!(
        (created, again),
        (1, CREATES - 1),
        "{:?}",
        responses.iter().map(|response| response.status).collect::<Vec<_>>()
    );
    let ids: BTreeSet<u64> = responses.iter().filter_map(|response| response.body["id"].as_u64()).collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn creates_on_sixteen_instances_are_each_stored_once() {
    let place = Place::new();
    let served = serve(&spread(place.demo()));
    get(&served.base, "/readyz");
    each_is_stored_once(&served);
    assert!(served.stats().instances() >= 8, "{} instances", served.stats().instances());
    assert_eq!(place.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'SIDE-%'"), CREATES as i64);
    assert_eq!(place.count("SELECT COUNT(DISTINCT code) FROM orders WHERE code LIKE 'SIDE-%'"), CREATES as i64);
    one_code_is_one_order(&served);
    assert_eq!(place.count("SELECT COUNT(*) FROM orders WHERE code = 'THE-SAME'"), 1);
}

#[test]
fn the_first_requests_of_all_find_one_schema_and_one_demonstration() {
    let place = Place::new();
    let served = serve(&spread(place.demo()));
    let responses = at_once(&served, |number| format!("FIRST-{number}"));
    let wrong = responses.iter().find(|response| response.status != 201);
    assert!(wrong.is_none(), "{wrong:?}");
    assert_eq!(place.count("SELECT COUNT(*) FROM stores WHERE matrix IS NULL"), 1);
    assert_eq!(place.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'FIRST-%'"), CREATES as i64);
}

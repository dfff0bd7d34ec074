//! An instance or the whole process ends in the middle: what was answered stands, what was not is whole or not there.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use despacho_spin_tests::Options;

use crate::support::{Place, create, get, serve};

/// Rows that belong to an order which is not there, or lack one that is.
const BROKEN: &str = "SELECT (SELECT COUNT(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders)) \
     + (SELECT COUNT(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)) \
     + (SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM events)) \
     + (SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM ledger WHERE order_id IS NOT NULL))";

#[test]
fn a_trap_at_any_statement_leaves_nothing_half_done() {
    let place = Place::new();
    let calm = serve(&place.demo());
    assert_eq!(create(&calm.base, "CALM").map(|response| response.status), Ok(201));
    drop(calm);
    let (mut at, mut trapped) = (0, true);
    while trapped {
        at += 1;
        let code = format!("TRAP-{at}");
        let served = serve(&Options { trap_at: Some(at), ..place.demo() });
        let response = create(&served.base, &code);
        trapped = served.stats().statements() >= at;
        assert!(trapped || response.as_ref().is_ok_and(|response| response.status == 201), "{at}: {response:?}");
        drop(served);
        assert_eq!(place.count(BROKEN), 0, "after a trap at statement {at}");
        let again = create(&serve(&place.demo()).base, &code).expect("an answer");
        assert!(matches!(again.status, 200 | 201), "{at}: {again:?}");
        assert_eq!(place.count(&format!("SELECT COUNT(*) FROM orders WHERE code = '{code}'")), 1, "{at}");
    }
    assert!(at > 8, "a create sends more than {at} statements");
}

#[test]
fn a_trap_while_the_database_is_made_ready_is_made_good_by_the_next_instance() {
    for at in [3, 5, 12, 40, 48, 60, 90] {
        let place = Place::new();
        let served = serve(&Options { trap_at: Some(at), ..place.demo() });
        let _ = create(&served.base, "EARLY");
        drop(served);
        let served = serve(&place.demo());
        let response = create(&served.base, "LATER").expect("an answer");
        assert_eq!(response.status, 201, "after a trap at statement {at}: {response:?}");
        assert_eq!(place.count(BROKEN), 0, "after a trap at statement {at}");
        assert_eq!(place.count("SELECT COUNT(*) FROM stores"), 3, "after a trap at statement {at}");
    }
}

#[test]
fn a_kill_loses_nothing_that_was_answered() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_despacho-spin-tests"))
        .args(["serve", "--variable", "demo=true", "--database"])
        .arg(place.file())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts");
    let mut lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
    let ready = lines.find_map(|line| line.ok()?.strip_prefix("ready ").map(str::to_owned)).expect("it is ready");
    get(&ready, "/readyz");
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let until_it_breaks = |client: usize| {
            let codes = (0..).map(move |number| format!("KILL-{client}-{number}"));
            let responded = |code: &String| create(&ready, code).is_ok_and(|response| response.status == 201);
            codes.take(100).take_while(responded).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8).map(|client| scope.spawn(move || until_it_breaks(client))).collect();
        while place.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'KILL-%'") < 40 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().expect("it can be killed");
        threads.into_iter().flat_map(|thread| thread.join().expect("a list")).collect()
    });
    let _ = child.wait();
    assert!(!acknowledged.is_empty());
    for code in &acknowledged {
        assert_eq!(place.count(&format!("SELECT COUNT(*) FROM orders WHERE code = '{code}'")), 1, "{code}");
    }
    assert_eq!(place.count(BROKEN), 0);
    assert_eq!(create(&serve(&place.demo()).base, "AFTER").map(|response| response.status), Ok(201));
}

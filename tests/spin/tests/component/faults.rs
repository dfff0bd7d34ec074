//! Traps and kills: acknowledged orders persist, and other orders are complete or absent.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use despacho_spin_tests::Options;

use crate::support::{TestDatabase, create, get, serve};

/// Counts rows of missing orders, and orders without their rows.
const BROKEN: &str = "SELECT (SELECT COUNT(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders)) \
     + (SELECT COUNT(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)) \
     + (SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM events)) \
     + (SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM ledger WHERE order_id IS NOT NULL))";

#[test]
fn trap_at_any_statement_leaves_no_partial_order() {
    let database = TestDatabase::new();
    let calm = serve(&database.demo());
    assert_eq!(
        create(&calm.base, "CALM").map(|response| response.status),
        Ok(201)
    );
    drop(calm);
    let (mut at, mut trapped) = (0, true);
    while trapped {
        at += 1;
        let code = format!("TRAP-{at}");
        let served = serve(&Options {
            trap_at: Some(at),
            ..database.demo()
        });
        let response = create(&served.base, &code);
        trapped = served.stats().statements() >= at;
        assert!(
            trapped
                || response
                    .as_ref()
                    .is_ok_and(|response| response.status == 201),
            "{at}: {response:?}"
        );
        drop(served);
        assert_eq!(database.count(BROKEN), 0, "after a trap at statement {at}");
        let again = create(&serve(&database.demo()).base, &code).expect("a response");
        assert!(matches!(again.status, 200 | 201), "{at}: {again:?}");
        assert_eq!(
            database.count(&format!(
                "SELECT COUNT(*) FROM orders WHERE code = '{code}'"
            )),
            1,
            "{at}"
        );
    }
    assert!(at > 8, "a create sends more than {at} statements");
}

#[test]
fn next_instance_completes_an_interrupted_preparation() {
    for at in [3, 5, 12, 40, 48, 60, 90] {
        let database = TestDatabase::new();
        let served = serve(&Options {
            trap_at: Some(at),
            ..database.demo()
        });
        let _ = create(&served.base, "EARLY");
        drop(served);
        let served = serve(&database.demo());
        let response = create(&served.base, "LATER").expect("a response");
        assert_eq!(
            response.status, 201,
            "after a trap at statement {at}: {response:?}"
        );
        assert_eq!(database.count(BROKEN), 0, "after a trap at statement {at}");
        assert_eq!(
            database.count("SELECT COUNT(*) FROM stores"),
            3,
            "after a trap at statement {at}"
        );
    }
}

#[test]
fn kill_loses_no_acknowledged_order() {
    let database = TestDatabase::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_despacho-spin-tests"))
        .args(["serve", "--variable", "demo=true", "--database"])
        .arg(database.file())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts");
    let mut lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
    let ready = lines
        .find_map(|line| line.ok()?.strip_prefix("ready ").map(str::to_owned))
        .expect("the ready line");
    get(&ready, "/readyz");
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let until_failure = |client: usize| {
            let codes = (0..).map(move |number| format!("KILL-{client}-{number}"));
            let responded =
                |code: &String| create(&ready, code).is_ok_and(|response| response.status == 201);
            codes.take(100).take_while(responded).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8)
            .map(|client| scope.spawn(move || until_failure(client)))
            .collect();
        while database.count("SELECT COUNT(*) FROM orders WHERE code LIKE 'KILL-%'") < 40 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().expect("the process is killed");
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a list"))
            .collect()
    });
    let _ = child.wait();
    assert!(!acknowledged.is_empty());
    for code in &acknowledged {
        assert_eq!(
            database.count(&format!(
                "SELECT COUNT(*) FROM orders WHERE code = '{code}'"
            )),
            1,
            "{code}"
        );
    }
    assert_eq!(database.count(BROKEN), 0);
    assert_eq!(
        create(&serve(&database.demo()).base, "AFTER").map(|response| response.status),
        Ok(201)
    );
}

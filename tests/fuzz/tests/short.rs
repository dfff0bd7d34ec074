//! The short form: each target for ten seconds on its corpus, on stable.

#![expect(clippy::print_stdout, reason = "figures are for people: run with --no-capture")]

use std::{fs, path::Path, time::Duration};

use despacho_fuzz::{drive, target};

/// How long each target is driven.
const SPAN: Duration = Duration::from_secs(10);

fn driven(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let corpus: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let target = target(name).expect("a target");
    let done = drive(target, &corpus, 7, SPAN).unwrap_or_else(|finding| panic!("{name}: {finding}"));
    println!("{name}: {} runs, {} kinds of outcomes", done.runs, done.kinds);
    assert!(done.kinds > 2, "{name} sees {} kinds of outcomes: the corpus reaches nothing", done.kinds);
}

#[test]
fn any_request_is_answered() {
    driven("api");
}

#[test]
fn any_pack_is_opened_or_refused() {
    driven("pack");
}

#[test]
fn what_is_read_comes_back() {
    driven("wire");
}

#[test]
fn tokens_are_read_as_they_are_written() {
    driven("tokens");
}

#[test]
fn any_event_follows_or_does_not() {
    driven("follow");
}

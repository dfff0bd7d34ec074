//! The same questions natively and on wasm: the answers must be equal byte for byte.

#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]

use despacho_bench::parity::guest::Guest;
use despacho_bench::parity::{answer_natively, deck};

/// Random questions of every kind.
const CASES: u64 = 2_000;

#[test]
fn native_and_wasm_answer_alike() {
    let guest = Guest::build().unwrap();
    for kind in deck::ALL {
        let mut questions = Vec::new();
        for seed in 0..CASES {
            // Small ones are proven by the table; every hundredth is large enough for the search and the proof.
            let stops = usize::try_from(if seed % 100 == 0 { 13 + seed / 40 } else { seed % 11 }).unwrap();
            questions.push(deck::route_question(kind, stops, seed, Some(150_000)));
        }
        compare(&guest, &questions);
    }
    let mut questions = Vec::new();
    for seed in 0..CASES {
        let (rows, columns) = (usize::try_from(seed % 17).unwrap(), usize::try_from(seed % 13).unwrap());
        questions.push(deck::assign_question(rows, columns, (seed % 2 == 0).then_some(6_000), seed));
    }
    questions.push(deck::assign_question(150, 200, Some(3_000), 1));
    questions.push("route {".to_owned());
    questions.push("route {\"matrix\":[[0,1],[-1,0]]}".to_owned());
    compare(&guest, &questions);
}

fn compare(guest: &Guest, questions: &[String]) {
    let answers = guest.answer(questions).unwrap();
    assert_eq!(answers.len(), questions.len());
    for (question, answer) in questions.iter().zip(answers) {
        assert_eq!(answer.text, answer_natively(question), "{question}");
    }
}

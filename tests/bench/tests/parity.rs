//! The results natively and on wasm must be equal byte for byte.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use despacho_bench::parity::guest::Guest;
use despacho_bench::parity::{problems, solve_natively};

/// The number of random problems of each kind.
const CASES: u64 = 2_000;

#[test]
fn native_and_wasm_results_are_identical() {
    let guest = Guest::build().unwrap();
    for kind in problems::ALL {
        let mut requests = Vec::new();
        for seed in 0..CASES {
            // Small ones are solved by dynamic programming; every hundredth is large enough for
            // search and proof.
            let stops = usize::try_from(if seed % 100 == 0 {
                13 + seed / 40
            } else {
                seed % 11
            })
            .unwrap();
            requests.push(problems::route_problem(kind, stops, seed, Some(150_000)));
        }
        compare(&guest, &requests);
    }
    let mut requests = Vec::new();
    for seed in 0..CASES {
        let (rows, columns) = (
            usize::try_from(seed % 17).unwrap(),
            usize::try_from(seed % 13).unwrap(),
        );
        requests.push(problems::assign_problem(
            rows,
            columns,
            (seed % 2 == 0).then_some(6_000),
            seed,
        ));
    }
    requests.push(problems::assign_problem(150, 200, Some(3_000), 1));
    requests.push("route {".to_owned());
    requests.push("route {\"matrix\":[[0,1],[-1,0]]}".to_owned());
    compare(&guest, &requests);
}

fn compare(guest: &Guest, requests: &[String]) {
    let responses = guest.run(requests).unwrap();
    assert_eq!(responses.len(), requests.len());
    for (problem, response) in requests.iter().zip(responses) {
        assert_eq!(response.text, solve_natively(problem), "{problem}");
    }
}

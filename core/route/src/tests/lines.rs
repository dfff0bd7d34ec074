//! JSON requests, valid and invalid.

use crate::line::{assign_line, route_line};

#[test]
fn route_line_returns_order() {
    let line = r#"{"matrix": [[0, 5, 1], [5, 0, 2], [1, 2, 0]], "closed": false, "start": 0}"#;
    let response = serde_json::to_string(&route_line(line).unwrap()).unwrap();
    assert_eq!(
        response,
        r#"{"order":[2,1],"cost":3,"proven":true,"bound":3}"#
    );
    let pinned =
        r#"{"matrix": [[0, 5, 1], [5, 0, 2], [1, 2, 0]], "pins": [{"stop": 1, "pin": "first"}]}"#;
    assert_eq!(route_line(pinned).unwrap().order, [1, 2]);
    let missing = r#"{"matrix": [[0, null, 1], [5, 0, null], [1, 2, 0]], "closed": true}"#;
    assert_eq!(route_line(missing).unwrap().order, [2, 1]);
}

#[test]
fn invalid_route_line_returns_code() {
    let cases = [
        ("", "malformed"),
        ("[]", "malformed"),
        (r#"{"matrix": [["a"]]}"#, "malformed"),
        (r#"{"matrix": [[1e999]]}"#, "malformed"),
        (r#"{"matrix": []}"#, "empty"),
        (r#"{"matrix": [[0, 1], [1]]}"#, "not_square"),
        (r#"{"matrix": [[0, 1]]}"#, "not_square"),
        (r#"{"matrix": [[0, -1], [1, 0]]}"#, "negative"),
        (r#"{"matrix": [[0, 1.5], [1, 0]]}"#, "not_whole"),
        (r#"{"matrix": [[0, 4294967295], [1, 0]]}"#, "overflow"),
        (r#"{"matrix": [[0, 1e300], [1, 0]]}"#, "overflow"),
        (r#"{"matrix": [[0, null], [1, 0]]}"#, "infeasible"),
        (r#"{"matrix": [[0, 1], [1, 0]], "start": 2}"#, "bad_start"),
        (r#"{"matrix": [[0, 1], [1, 0]], "start": -1}"#, "malformed"),
        (
            r#"{"matrix": [[0, 1], [1, 0]], "pins": [{"stop": 0, "pin": "last"}]}"#,
            "bad_pin",
        ),
        (
            r#"{"matrix": [[0, 1], [1, 0]], "pins": [{"stop": 1, "pin": "middle"}]}"#,
            "malformed",
        ),
    ];
    for (line, code) in cases {
        let error = route_line(line).unwrap_err();
        assert_eq!(error.code(), code, "{line}");
        assert!(
            error.to_json().starts_with(r#"{"detail":"#),
            "{}",
            error.to_json()
        );
    }
}

#[test]
fn assign_line_returns_assignment() {
    let response = |line: &str| serde_json::to_string(&assign_line(line).unwrap()).unwrap();
    assert_eq!(
        response(r#"{"costs": [[4, 1, 3], [2, 0, 5]]}"#),
        r#"{"assign":[1,0],"cost":3}"#
    );
    assert_eq!(
        response(r#"{"costs": [[4], [2]]}"#),
        r#"{"assign":[-1,0],"cost":2}"#
    );
    assert_eq!(
        response(r#"{"costs": [[4, null], [2, null]], "unassigned": 1}"#),
        r#"{"assign":[-1,-1],"cost":2}"#
    );
    assert_eq!(
        response(r#"{"costs": [[0.25, 0.5]]}"#),
        r#"{"assign":[0],"cost":0.25}"#
    );
    assert_eq!(response(r#"{"costs": []}"#), r#"{"assign":[],"cost":0}"#);
}

#[test]
fn invalid_assign_line_returns_code() {
    let cases = [
        ("{}", "malformed"),
        (r#"{"costs": [[1], [1, 2]]}"#, "not_square"),
        (r#"{"costs": [[-1]]}"#, "negative"),
        (r#"{"costs": [[1e30]]}"#, "overflow"),
        (r#"{"costs": [[1]], "unassigned": -2}"#, "bad_price"),
    ];
    for (line, code) in cases {
        assert_eq!(assign_line(line).unwrap_err().code(), code, "{line}");
    }
}

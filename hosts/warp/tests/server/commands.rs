//! The operator's commands while a server runs.

use std::{io::Write, path::Path, process::Stdio};

use serde_json::Value;

use crate::harness::{Server, create_store, despacho, init, run, stdout};

fn line(text: &str, name: &str) -> String {
    text.lines()
        .find_map(|line| line.strip_prefix(&format!("{name}: ")))
        .unwrap_or_else(|| panic!("{name} in {text}"))
        .to_owned()
}

#[test]
fn keys_are_issued_listed_and_revoked_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let first = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let status = |key: &str| server.send(&format!("GET /delivery/keys\nx-api-token: {key}"), b"");
    let keys = status(&first).json();
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(1), "{keys}");
    let store = keys["keys"][0]["storeId"].to_string().replace('"', "");
    let folder = &server.folder;
    let issued = stdout(&run(
        folder,
        &[
            "key",
            "issue",
            "--store",
            &store,
            "--name",
            "till 2",
            "--expires-in-days",
            "3",
        ],
    ));
    let (id, key) = (line(&issued, "key"), line(&issued, "x-api-token"));
    assert_eq!(status(&key).status, 200);
    let listed: Value =
        serde_json::from_str(&stdout(&run(folder, &["key", "list", "--store", &store]))).unwrap();
    assert!(
        listed.to_string().contains("till 2") && !listed.to_string().contains(&key),
        "{listed}"
    );
    assert_eq!(
        stdout(&run(folder, &["key", "revoke", &id])),
        format!("key {id} is revoked\n")
    );
    status(&key).is_problem(401, "api_key_revoked");
    let unknown = run(folder, &["key", "issue", "--store", "999999"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("store_not_found")
    );
}

#[test]
fn invalid_store_returns_every_error() {
    let folder = tempfile::tempdir().unwrap();
    init(&folder);
    let output = run(
        &folder,
        &[
            "store",
            "create",
            "--cnpj",
            "12ABC34501DE34",
            "--name",
            "x",
            "--responsible",
            "A",
            "--phone",
            "92991",
            "--email",
            "nowhere",
            "--street",
            "R",
            "--number",
            "1",
            "--city",
            "Manaus",
            "--state",
            "XX",
        ],
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for pointer in [
        "/cnpj",
        "/name",
        "/responsible/phone",
        "/email",
        "/address/state",
    ] {
        assert!(
            errors.contains(&format!("  {pointer}: ")),
            "{pointer} in {errors}"
        );
    }
}

#[test]
fn backup_of_running_server_can_be_served() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let copy = server.folder.path().join("copy.db");
    let made = stdout(&run(&server.folder, &["backup", "copy.db"]));
    assert!(
        made.starts_with("copied ") && made.contains(" to copy.db: ") && made.contains("checked"),
        "{made}"
    );
    let again = run(&server.folder, &["backup", "copy.db"]);
    assert_eq!(again.status.code(), Some(1), "a copy is never overwritten");
    let other = tempfile::tempdir().unwrap();
    std::fs::copy(&copy, other.path().join("despacho.db")).unwrap();
    std::fs::copy(
        server.folder.path().join("secret"),
        other.path().join("secret"),
    )
    .unwrap();
    let restored = Server::start_in(other, &[]);
    assert_eq!(
        restored
            .send(&format!("GET /delivery/keys\nx-api-token: {key}"), b"")
            .status,
        200
    );
    let nothing = tempfile::tempdir().unwrap();
    assert_eq!(run(&nothing, &["backup", "copy.db"]).status.code(), Some(2));
    assert!(
        !nothing.path().join("despacho.db").exists(),
        "a backup creates no database"
    );
}

#[test]
fn tariff_check_accepts_default_and_reports_errors() {
    let folder = tempfile::tempdir().unwrap();
    let built_in = stdout(&run(&folder, &["tariff", "check"]));
    let write = |text: &str| std::fs::write(folder.path().join("tariff.json"), text).unwrap();
    write(&built_in);
    assert!(stdout(&run(&folder, &["tariff", "check", "tariff.json"])).contains("valid"));
    let mut invalid: Value = serde_json::from_str(&built_in).unwrap();
    invalid["perKm"] = (-1).into();
    invalid["handoverMinutes"] = 999.into();
    write(&invalid.to_string());
    let output = run(&folder, &["tariff", "check", "tariff.json"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(1)
            && errors.contains("perKm")
            && errors.contains("handoverMinutes"),
        "{errors}"
    );
}

#[test]
fn health_check_fails_without_a_server() {
    let server = Server::start(&[]);
    let address = server.address().to_owned();
    assert!(
        run(&server.folder, &["healthcheck", "--listen", &address])
            .status
            .success()
    );
    drop(server);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        run(&folder, &["healthcheck", "--listen", &address])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn configured_certificate_enables_only_https() {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.path().join("cert.pem"), own.cert.pem()).unwrap();
    std::fs::write(
        folder.path().join("key.pem"),
        own.signing_key.serialize_pem(),
    )
    .unwrap();
    let tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let server = Server::start_in(folder, &tls);
    let check = |folder: &tempfile::TempDir, more: &[&str]| {
        let args = [&["healthcheck", "--listen", server.address()], more].concat();
        despacho(folder).args(args).output().unwrap()
    };
    let response = check(&server.folder, &tls);
    assert!(
        response.status.success(),
        "{}",
        String::from_utf8_lossy(&response.stderr)
    );
    assert_eq!(
        check(&server.folder, &[]).status.code(),
        Some(1),
        "plain HTTP is rejected"
    );
    let other = tempfile::tempdir().unwrap();
    let unrelated = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem =
        |name: &str, text: String| std::fs::write(Path::join(other.path(), name), text).unwrap();
    pem("cert.pem", unrelated.cert.pem());
    pem("key.pem", unrelated.signing_key.serialize_pem());
    assert_eq!(
        check(&other, &tls).status.code(),
        Some(1),
        "another certificate is not trusted"
    );
}

/// Runs a command on input lines, and returns its output lines as JSON and its exit code.
fn lines(command: &str, input: &str) -> (Vec<Value>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = despacho(&folder)
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        output.status.code(),
    )
}

#[test]
fn route_returns_a_result_or_error_per_line() {
    let (responses, code) = lines(
        "route",
        concat!(
            r#"{"matrix": [[0, 5, 1], [5, 0, 2], [1, 2, 0]], "closed": false, "start": 0}"#,
            "\n\n",
            r#"{"matrix": [[0, 5], [5]]}"#,
            "\n",
            r#"{"matrix": [[0, -5], [5, 0]]}"#,
            "\n",
            r#"{"matrix": [[0, 4294967295], [5, 0]]}"#,
            "\n",
            r#"{"matrix": [[0, null], [5, 0]]}"#,
            "\nmatrix\n",
            r#"{"matrix": [[0, 7], [5, 0]], "closed": true}"#,
        ),
    );
    assert_eq!(code, Some(1), "a failed line sets the exit code");
    let codes: Vec<_> = responses
        .iter()
        .map(|response| response["error"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(
        codes,
        [
            "-",
            "not_square",
            "negative",
            "overflow",
            "infeasible",
            "malformed",
            "-"
        ]
    );
    assert!(
        responses[1]["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("row 1")),
        "{}",
        responses[1]
    );
    assert_eq!(responses[0]["order"], serde_json::json!([2, 1]));
    assert_eq!(
        (
            &responses[6]["cost"],
            &responses[6]["proven"],
            &responses[6]["bound"]
        ),
        (&12.into(), &true.into(), &12.into())
    );
    assert!(
        responses[0]["ms"].as_f64().is_some_and(|ms| ms >= 0.0),
        "{}",
        responses[0]
    );
}

#[test]
fn assign_returns_a_result_or_error_per_line() {
    let (responses, code) = lines(
        "assign",
        "{\"costs\": [[4, 1, 3], [2, 0, 5]]}\n{\"costs\": [[1], [1, 2]]}\n",
    );
    assert_eq!(code, Some(1));
    assert_eq!(
        (&responses[0]["assign"], &responses[0]["cost"]),
        (&serde_json::json!([1, 0]), &3.into())
    );
    assert_eq!(responses[1]["error"], "not_square");
    let (responses, code) = lines("assign", "{\"costs\": [[7, null]]}");
    assert_eq!(
        (responses[0]["assign"].to_string(), code),
        ("[0]".to_owned(), Some(0))
    );
}

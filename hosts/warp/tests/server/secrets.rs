//! Keys and passwords appear neither in the log nor on disk.

use crate::harness::{OPERATOR, Server, TIMEOUT, create_store};

const PASSWORD: &str = "correct horse battery staple";

#[test]
fn neither_keys_nor_passwords_nor_tokens_reach_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let store = format!(
        r#"{{"cnpj": "11222333000181", "name": "Filial Um", "responsible": {{"name": "Bia", "phone": "+5592991000001"}},
        "email": "bia@padaria.com.br", "password": "{PASSWORD}", "marketplaceBranchId": 1, "address": {{"street": "Rua A",
        "number": "2", "city": "Manaus", "state": "AM", "latitude": -3.1, "longitude": -60.02}}}}"#
    );
    let json = "content-type: application/json";
    let made = server.send(
        &format!("POST /delivery/stores\nx-api-token: {key}\n{json}"),
        store.as_bytes(),
    );
    assert_eq!(made.status, 201, "{}", made.text());
    let branch = made.json()["value"].as_str().unwrap().to_owned();
    let login = format!(r#"{{"email": "bia@padaria.com.br", "password": "{PASSWORD}"}}"#);
    let session = server.send(
        &format!("POST /delivery/sessions\n{json}"),
        login.as_bytes(),
    );
    assert!(
        session.status == 200 || session.status == 201,
        "{}",
        session.text()
    );
    // Places in which clients put keys by mistake.
    for head in [
        format!("GET /delivery/orders/1?x-api-token={key}"),
        format!("GET /{key}"),
        format!(
            "GET /x\nauthorization: Bearer {key}\ncookie: key={key}\nreferer: http://x/?k={key}"
        ),
        format!("GET /delivery/orders/1\nx-api-token: {key}x"),
        format!("POST /admin/keys\nx-api-token: {OPERATOR}\n{json}"),
    ] {
        server.send(
            &head,
            format!(r#"{{"password": "{PASSWORD}", "key": "{key}""#).as_bytes(),
        );
    }
    let stored = std::fs::read(server.folder.path().join("despacho.db")).unwrap();
    let log_file = std::fs::read(server.folder.path().join("despacho.db-wal")).unwrap_or_default();
    let secret = std::fs::read_to_string(server.folder.path().join("secret")).unwrap();
    server.signal("TERM");
    let (status, log) = server.ended(TIMEOUT);
    assert!(status.success());
    assert_eq!(
        log.matches("\"message\":\"request\"").count(),
        7,
        "a line for each request:\n{log}"
    );
    assert!(
        log.contains("\"value\":\"(redacted)\""),
        "the configuration is logged, redacted"
    );
    for hidden in [
        key.as_str(),
        &branch,
        PASSWORD,
        OPERATOR,
        secret.trim(),
        "padaria.com.br",
        "Bia",
    ] {
        assert!(!log.contains(hidden), "{hidden} in\n{log}");
    }
    let holds = |bytes: &[u8], text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    for hidden in [key.as_str(), &branch, PASSWORD, OPERATOR, secret.trim()] {
        assert!(
            !holds(&stored, hidden) && !holds(&log_file, hidden),
            "{hidden} is in the database"
        );
    }
}

#[test]
fn signing_secrets_of_webhooks_are_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let post = |path: &str, body: &str| {
        let head = format!(
            "POST {path}\nx-api-token: {key}\ncontent-type: application/json\nidempotency-key: {}",
            path.len()
        );
        let response = server.send(&head, body.as_bytes());
        assert!(matches!(response.status, 200 | 201), "{}", response.text());
        response.json()
    };
    let made = post(
        "/delivery/webhooks",
        r#"{"url": "https://loja.example/despacho", "events": ["order.created"]}"#,
    );
    let rotated = post(&format!("/delivery/webhooks/{}/rotate", made["id"]), "");
    let stored = ["despacho.db", "despacho.db-wal"]
        .map(|name| std::fs::read(server.folder.path().join(name)).unwrap_or_default())
        .concat();
    let holds = |bytes: &[u8]| stored.windows(bytes.len()).any(|window| window == bytes);
    assert!(holds(b"https://loja.example/despacho"));
    for secret in [&made["secret"], &rotated["secret"]] {
        let encoded = secret.as_str().unwrap().strip_prefix("whsec_").unwrap();
        assert_eq!(encoded.len(), 44);
        assert!(!holds(encoded.as_bytes()), "{encoded} is in the database");
    }
}

#[cfg(unix)]
#[test]
fn generated_secret_is_private_and_persists() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let file = folder.path().join("secret");
    let first = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        (
            first.trim().len(),
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777
        ),
        (64, 0o600)
    );
    let server = Server::start_in(folder, &[]);
    assert_eq!(
        std::fs::read_to_string(server.folder.path().join("secret")).unwrap(),
        first
    );
}

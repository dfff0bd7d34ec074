//! Start, timed transitions and graceful shutdown.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::harness::{Response, Server, TIMEOUT, create_store};

const ORDER: &str = r#"{"code": "A-1", "preparationTime": 0, "deliveries": [{"name": "Rui", "phone": "+5511999990000",
    "onlinePayment": true, "address": {"street": "Rua Augusta", "number": "1", "city": "São Paulo", "state": "SP",
    "latitude": -23.55, "longitude": -46.63}}]}"#;

/// Starts a server that has received a part of an order's body.
fn half_sent(extra: &[&str]) -> (Server, TcpStream, String) {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, extra);
    let mut stream = server.connect();
    let head = format!(
        "POST /delivery/orders HTTP/1.1\r\nhost: x\r\nx-api-token: {key}\r\ncontent-type: application/json\r\n\
         expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        ORDER.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server sends 100 when it waits for the body: from here on the request is accepted.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100"));
    stream.write_all(&ORDER.as_bytes()[..20]).unwrap();
    (server, stream, key)
}

fn wait_until_rejected(server: &Server) {
    let deadline = Instant::now() + TIMEOUT;
    while TcpStream::connect(server.address()).is_ok() {
        assert!(
            Instant::now() < deadline,
            "the server still accepts connections"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn shutdown_completes_accepted_requests() {
    for signal in ["TERM", "INT"] {
        let (server, mut stream, _) = half_sent(&[]);
        let mut idle = server.connect();
        server.signal(signal);
        wait_until_rejected(&server);
        std::thread::sleep(Duration::from_millis(200));
        stream.write_all(&ORDER.as_bytes()[20..]).unwrap();
        let response = Response::read(&mut stream);
        assert_eq!(
            (response.status, response.header("connection")),
            (201, Some("close")),
            "{}",
            response.text()
        );
        let mut nothing = Vec::new();
        let _ = idle.read_to_end(&mut nothing);
        assert!(nothing.is_empty(), "an idle connection is closed");
        let (status, log) = server.ended(TIMEOUT);
        assert!(status.success(), "{status} {log}");
        assert!(log.contains("\"message\":\"stopped\""), "{log}");
    }
}

#[test]
fn acknowledged_order_survives_a_restart() {
    let (mut server, mut stream, key) = half_sent(&[]);
    server.signal("TERM");
    stream.write_all(&ORDER.as_bytes()[20..]).unwrap();
    let order = Response::read(&mut stream).json();
    let folder = std::mem::replace(&mut server.folder, tempfile::tempdir().unwrap());
    assert!(server.ended(TIMEOUT).0.success());
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| name == "despacho.db" || name == "secret"),
        "{left:?}"
    );
    let again = Server::start_in(folder, &[]);
    let read = again.send(
        &format!("GET /delivery/orders/{}\nx-api-token: {key}", order["id"]),
        b"",
    );
    assert_eq!((read.status, &read.json()["code"]), (200, &order["code"]));
}

#[test]
fn shutdown_timeout_closes_open_connections() {
    let (server, mut stream, _) = half_sent(&["--timeouts-shutdown-seconds", "1"]);
    let started = Instant::now();
    server.signal("TERM");
    let (status, log) = server.ended(TIMEOUT);
    assert!(
        status.success() && started.elapsed() >= Duration::from_millis(900),
        "{log}"
    );
    assert!(log.contains("shutdown timeout exceeded"), "{log}");
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty(), "no response was sent");
}

#[test]
fn second_signal_stops_at_once() {
    let (server, _stream, _) = half_sent(&[]);
    let started = Instant::now();
    server.signal("TERM");
    wait_until_rejected(&server);
    server.signal("INT");
    let (status, log) = server.ended(TIMEOUT);
    assert!(
        status.success() && started.elapsed() < Duration::from_secs(10),
        "{log}"
    );
    assert!(log.contains("second shutdown signal received"), "{log}");
}

#[test]
fn scheduler_applies_timed_transitions() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let head = format!("POST /delivery/orders\nx-api-token: {key}\ncontent-type: application/json");
    let order = server.send(&head, ORDER.as_bytes()).json();
    assert_eq!(order["situation"], 120, "{order}");
    let moved = || {
        server
            .metrics()
            .text()
            .contains("despacho_scheduler_orders_moved_total 1\n")
    };
    let deadline = Instant::now() + TIMEOUT;
    while !moved() {
        assert!(Instant::now() < deadline, "the transition was not applied");
        std::thread::sleep(Duration::from_millis(50));
    }
    let read = server.send(
        &format!("GET /delivery/orders/{}\nx-api-token: {key}", order["id"]),
        b"",
    );
    assert_eq!(read.json()["situation"], 200);
}

#[test]
fn occupied_address_is_reported() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    crate::harness::init(&folder);
    let output = crate::harness::run(&folder, &["serve", "--listen", server.address()]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors.contains(server.address()) && errors.contains("cannot listen on"),
        "{errors}"
    );
}

#[test]
fn demo_that_collides_with_a_store_names_it() {
    let folder = tempfile::tempdir().unwrap();
    crate::harness::init(&folder);
    crate::harness::create_store_with_cnpj(&folder, "DE.SPA.CHO/0001-94", &[]);
    let output = crate::harness::run(&folder, &["serve", "--demo", "--listen", "127.0.0.1:0"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("already has DE.SPA.CHO/0001-94") && errors.contains("without the demo"),
        "{errors}"
    );
}

#[test]
fn demo_data_is_created_once_and_its_key_works() {
    let mut server = Server::start(&["--demo"]);
    let key = server.key.clone().unwrap();
    let keys = |server: &Server| {
        server
            .send(&format!("GET /delivery/keys\nx-api-token: {key}"), b"")
            .json()
    };
    let first = keys(&server);
    assert!(first["keys"].is_array(), "{first}");
    server.signal("TERM");
    let folder = std::mem::replace(&mut server.folder, tempfile::tempdir().unwrap());
    assert!(server.ended(TIMEOUT).0.success());
    let again = Server::start_in(folder, &["--demo"]);
    assert_eq!(
        (again.key.as_deref(), keys(&again)),
        (Some(key.as_str()), first)
    );
}

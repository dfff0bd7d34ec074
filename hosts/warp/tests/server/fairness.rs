//! Fairness between merchants, for streams and webhook deliveries; and the end of a stream with its
//! key.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::harness::{OPERATOR, Response, Server, TIMEOUT, create_store, run};

const UNLIMITED: &[&str] = &["--limits-writes-per-minute", "1000000"];

fn send(server: &Server, line: &str, key: &str, body: &Value) -> Response {
    let head = format!("{line}\nx-api-token: {key}\ncontent-type: application/json");
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    server.send(&head, text.as_bytes())
}

fn made(response: &Response) -> Value {
    assert!((200..300).contains(&response.status), "{}", response.text());
    response.json()
}

fn order(code: &str) -> Value {
    json!({
        "code": code, "preparationTime": 5,
        "deliveries": [{
            "name": "Rui", "phone": "+5511999990000", "onlinePayment": true,
            "address": {
                "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
                "latitude": -23.5578, "longitude": -46.6600,
            },
        }],
    })
}

fn store(cnpj: &str, email: &str) -> Value {
    json!({
        "cnpj": cnpj, "name": "Loja de Teste", "email": email, "password": "uma senha bem longa",
        "responsible": { "name": "Rui Costa", "phone": "+5511999990002" }, "marketplaceBranchId": 2,
        "address": {
            "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
            "latitude": -23.5558, "longitude": -46.6582,
        },
    })
}

/// Opens a stream, and returns the status and a reader of its lines.
fn stream(server: &Server, key: &str) -> (u16, BufReader<TcpStream>) {
    let mut socket = server.connect();
    write!(
        socket,
        "GET /delivery/events/stream HTTP/1.1\r\nhost: test\r\nx-api-token: {key}\r\n\r\n"
    )
    .unwrap();
    let mut reader = BufReader::new(socket);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    (line.split(' ').nth(1).unwrap().parse().unwrap(), reader)
}

/// Reads until the response ends, by its last chunk or by the end of the connection.
fn rest(reader: &mut BufReader<TcpStream>, timeout: Duration) -> Option<String> {
    let (deadline, mut text) = (Instant::now() + timeout, String::new());
    reader
        .get_ref()
        .set_read_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    while Instant::now() < deadline {
        match reader.read_line(&mut text) {
            Ok(0) => return Some(text),
            Ok(_) if text.ends_with("\r\n0\r\n") => return Some(text),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return Some(text),
        }
    }
    None
}

fn key(server: &Server, parent: &str) -> (String, String) {
    let issued = made(&send(server, "POST /delivery/keys", parent, &json!({})));
    (
        issued["id"].as_str().unwrap().to_owned(),
        issued["value"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn revoked_keys_stream_ends_while_events_come() {
    let folder = tempfile::tempdir().unwrap();
    let parent = create_store(&folder);
    let server = Server::start_in(folder, UNLIMITED);
    let (id, revoked) = key(&server, &parent);
    let (status, mut reader) = stream(&server, &revoked);
    assert_eq!(status, 200);
    let (is_running, written) = (AtomicBool::new(true), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let _flood = scope.spawn(|| {
            while is_running.load(Ordering::SeqCst) {
                made(&send(
                    &server,
                    "POST /delivery/orders",
                    &parent,
                    &order(&format!("F-{written:?}")),
                ));
                written.fetch_add(1, Ordering::SeqCst);
            }
        });
        let mut line = String::new();
        while !line.contains("event: order.created") {
            line.clear();
            assert!(
                reader.read_line(&mut line).unwrap() > 0,
                "the stream delivers while its key is valid"
            );
        }
        assert_eq!(
            send(
                &server,
                &format!("DELETE /delivery/keys/{id}"),
                &parent,
                &Value::Null
            )
            .status,
            204
        );
        made(&send(
            &server,
            "POST /delivery/orders",
            &parent,
            &order("AFTER"),
        ));
        let text = rest(&mut reader, TIMEOUT);
        is_running.store(false, Ordering::SeqCst);
        let text = text.expect("the stream ends while events arrive");
        assert!(!text.contains("\"AFTER\""), "an event after the revocation");
    });
}

#[test]
fn silent_stream_ends_with_its_key_or_its_branch() {
    let folder = tempfile::tempdir().unwrap();
    let parent = create_store(&folder);
    let server = Server::start_in(folder, UNLIMITED);
    let (id, revoked) = key(&server, &parent);
    let branch = made(&send(
        &server,
        "POST /delivery/stores",
        &parent,
        &store("11444777000161", "f@padaria.com.br"),
    ));
    let (branch_id, branch_key) = (
        branch["storeId"].as_str().unwrap(),
        branch["value"].as_str().unwrap(),
    );
    let (mut own, mut removed, mut open) = (
        stream(&server, &revoked).1,
        stream(&server, branch_key).1,
        stream(&server, &parent).1,
    );
    assert_eq!(
        send(
            &server,
            &format!("DELETE /delivery/keys/{id}"),
            &parent,
            &Value::Null
        )
        .status,
        204
    );
    assert_eq!(
        send(
            &server,
            &format!("DELETE /delivery/stores/{branch_id}"),
            &parent,
            &Value::Null
        )
        .status,
        204
    );
    // Less than the interval of heartbeats, 15 seconds.
    assert!(
        rest(&mut own, Duration::from_secs(10)).is_some(),
        "the key was revoked"
    );
    assert!(
        rest(&mut removed, Duration::from_secs(10)).is_some(),
        "the branch was removed"
    );
    assert!(
        rest(&mut open, Duration::from_secs(2)).is_none(),
        "another key's stream continues"
    );
}

#[test]
fn stream_ends_when_another_process_revokes_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let parent = create_store(&folder);
    let server = Server::start_in(folder, UNLIMITED);
    let (id, revoked) = key(&server, &parent);
    let mut reader = stream(&server, &revoked).1;
    // A command sends no notification: the server detects the revocation when it reads the key
    // again.
    assert!(
        run(&server.folder, &["key", "revoke", &id])
            .status
            .success()
    );
    assert!(
        rest(&mut reader, Duration::from_secs(10)).is_some(),
        "before the first heartbeat"
    );
}

#[test]
fn more_keys_give_a_merchant_no_more_streams() {
    let folder = tempfile::tempdir().unwrap();
    let parent = create_store(&folder);
    let args = [
        UNLIMITED,
        &["--streams-per-merchant", "3", "--streams-total", "10"],
    ]
    .concat();
    let server = Server::start_in(folder, &args);
    let branch = made(&send(
        &server,
        "POST /delivery/stores",
        &parent,
        &store("11444777000161", "f@padaria.com.br"),
    ));
    let keys = [
        parent.clone(),
        branch["value"].as_str().unwrap().to_owned(),
        key(&server, &parent).1,
    ];
    let open: Vec<_> = keys
        .iter()
        .cycle()
        .take(6)
        .map(|key| stream(&server, key))
        .collect();
    assert_eq!(
        open.iter().map(|(status, _)| *status).collect::<Vec<_>>(),
        [200, 200, 200, 429, 429, 429]
    );
    let other = made(&send(
        &server,
        "POST /admin/matrices",
        OPERATOR,
        &store("33000167000101", "o@exemplo.com.br"),
    ));
    assert_eq!(stream(&server, other["value"].as_str().unwrap()).0, 200);
}

/// Starts a receiver that accepts and counts connections and never responds.
fn hanging() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for socket in listener.incoming().map_while(Result::ok) {
            counted.fetch_add(1, Ordering::SeqCst);
            open.push(socket);
        }
    });
    (format!("http://{address}/hook"), count)
}

/// Starts a receiver that responds at once and forwards the bodies.
fn healthy() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, bodies) = mpsc::channel();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(socket.try_clone().unwrap());
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let _ = socket.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
            let _ = sender.send(String::from_utf8_lossy(&body).into_owned());
        }
    });
    (format!("http://{address}/hook"), bodies)
}

#[test]
fn hanging_receivers_delay_their_own_merchant_only() {
    let folder = tempfile::tempdir().unwrap();
    let parent = create_store(&folder);
    let webhooks = [
        "--webhooks-loopback",
        "--webhooks-per-store",
        "1000",
        "--webhooks-per-merchant",
        "1000",
    ];
    let args = [UNLIMITED, &webhooks, &["--webhooks-timeout-seconds", "30"]].concat();
    let server = Server::start_in(folder, &args);
    let other = made(&send(
        &server,
        "POST /admin/matrices",
        OPERATOR,
        &store("33000167000101", "o@exemplo.com.br"),
    ));
    let other = other["value"].as_str().unwrap().to_owned();
    let (hangs, connections) = hanging();
    for number in 0..300 {
        made(&send(
            &server,
            "POST /delivery/webhooks",
            &parent,
            &json!({ "url": format!("{hangs}/{number}") }),
        ));
    }
    let (responds, bodies) = healthy();
    made(&send(
        &server,
        "POST /delivery/webhooks",
        &other,
        &json!({ "url": responds }),
    ));
    made(&send(
        &server,
        "POST /delivery/orders",
        &parent,
        &order("H-1"),
    ));
    let deadline = Instant::now() + TIMEOUT;
    while connections.load(Ordering::SeqCst) < 8 {
        assert!(Instant::now() < deadline, "{connections:?} connections");
        std::thread::sleep(Duration::from_millis(10));
    }
    for code in ["B-1", "B-2", "B-3"] {
        let started = Instant::now();
        made(&send(
            &server,
            "POST /delivery/orders",
            &other,
            &order(code),
        ));
        // Half of the timeout of a single receiver: no delivery waited for one that hangs.
        let body = bodies
            .recv_timeout(Duration::from_secs(15))
            .expect("the other merchant's event arrives");
        assert!(body.contains("order.created"), "{body}");
        eprintln!("{code} after {:?}", started.elapsed());
    }
    assert_eq!(
        connections.load(Ordering::SeqCst),
        8,
        "the maximum of one merchant"
    );
}

/// Returns the threads on which requests of a route ran, and the longest time for which one of them
/// occupied its thread.
fn polls(metrics: &str, route: &str) -> Vec<(String, f64)> {
    let prefix = format!("despacho_http_longest_poll_seconds{{route=\"{route}\",threads=\"");
    let series = metrics
        .lines()
        .filter_map(|line| line.strip_prefix(&prefix)?.split_once("\"} "));
    series
        .map(|(threads, value)| (threads.to_owned(), value.parse().unwrap()))
        .collect()
}

#[test]
fn heavy_requests_leave_the_serving_threads() {
    let server = Server::start(&["--demo"]);
    let key = despacho_simulator::demo::KEY;
    let get = |path: &str, accept: &str| {
        let response = server.send(
            &format!("GET {path}\nx-api-token: {key}\naccept: {accept}"),
            b"",
        );
        assert_eq!(response.status, 200, "{path}: {}", response.text());
    };
    let id = made(&send(
        &server,
        "POST /delivery/orders",
        key,
        &order("LIGHT"),
    ))["id"]
        .as_u64()
        .unwrap();
    let stop = order("HEAVY")["deliveries"][0].clone();
    let many = json!({ "code": "HEAVY", "preparationTime": 5, "deliveries": vec![stop; 40] });
    assert!(many.to_string().len() > 4_096);
    made(&send(&server, "POST /delivery/orders/preview", key, &many));
    get("/delivery/orders?limit=50", "application/json");
    get("/delivery/orders?situation=500", "application/json");
    get(&format!("/delivery/orders/{id}/proof"), "text/html");
    get("/delivery/reports/days", "text/csv");
    get("/delivery/statement", "text/csv");
    get("/delivery/events", "application/json");
    get(&format!("/delivery/orders/{id}"), "application/json");
    let response = server.metrics();
    let metrics = response.text();
    let threads = |route: &str| -> Vec<String> {
        polls(metrics, route)
            .into_iter()
            .map(|(threads, _)| threads)
            .collect()
    };
    for route in [
        "POST /delivery/orders/preview",
        "GET /delivery/orders",
        "GET /delivery/orders/{platformOrderId}/proof",
        "GET /delivery/reports/days",
        "GET /delivery/statement",
        "GET /delivery/events",
    ] {
        assert_eq!(threads(route), ["work"], "{route}");
    }
    for route in [
        "POST /delivery/orders",
        "GET /delivery/orders/{platformOrderId}",
    ] {
        assert_eq!(threads(route), ["serving"], "{route}");
    }
}

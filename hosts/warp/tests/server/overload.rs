//! Overload: the server rejects excess requests, serves probes, loses no acknowledged order and
//! recovers.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::harness::{Response, Server, TIMEOUT};

/// Clients that send requests continuously: many times the capacity of the server below.
const CLIENTS: usize = 48;
/// Requests per client.
const EACH: usize = 25;
/// Maximum resident memory of the server, in kilobytes. The 48 clients do not reach it, but an
/// unbounded queue of the bodies below would.
const MAX_KB: u64 = 400 * 1024;

fn order(code: &str) -> String {
    format!(
        r#"{{"code": "{code}", "preparationTime": 600, "deliveries": [{{"name": "Rita", "phone": "+5511987654321",
        "onlinePayment": true, "address": {{"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
        "latitude": -23.557, "longitude": -46.66}}}}]}}"#
    )
}

fn head(key: &str) -> String {
    format!("POST /delivery/orders\nx-api-token: {key}\ncontent-type: application/json")
}

/// Creates an order with two kilobytes of trailing spaces, which JSON allows.
fn create(server: &Server, key: &str, code: &str) -> Response {
    server.send(&head(key), (order(code) + &" ".repeat(2_048)).as_bytes())
}

#[cfg(target_os = "linux")]
fn resident_kb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn resident_kb(_server: &Server) -> u64 {
    0
}

#[test]
fn overloaded_server_rejects_serves_probes_and_recovers() {
    let limits = [
        "--overload-max-in-flight",
        "2",
        "--overload-max-queued",
        "2",
        "--overload-max-queue-ms",
        "20",
    ];
    let quota = ["--limits-writes-per-minute", "1000000", "--demo"];
    let server = Server::start(&[&limits[..], &quota].concat());
    let key = server.key.clone().unwrap();
    let before = orders(&server, &key);
    let (responses, over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let probes = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let prober = scope.spawn(|| {
            while !over.load(Relaxed) {
                for response in [
                    server.get("/healthz"),
                    server.get("/readyz"),
                    server.metrics(),
                ] {
                    assert_eq!(response.status, 200);
                    probes.fetch_add(1, Relaxed);
                }
            }
        });
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (server, key, responses) = (&server, &key, &responses);
                scope.spawn(move || {
                    for number in 0..EACH {
                        let response = create(server, key, &format!("O-{client}-{number}"));
                        responses.lock().unwrap().push(response);
                    }
                })
            })
            .collect();
        clients
            .into_iter()
            .for_each(|client| client.join().unwrap());
        over.store(true, Relaxed);
        prober.join().unwrap();
    });
    let mut counts = BTreeMap::new();
    for response in responses.lock().unwrap().iter() {
        *counts.entry(response.status).or_insert(0_usize) += 1;
        if response.status == 503 {
            response.is_problem(503, "unavailable");
            let wait: u32 = response.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=10).contains(&wait), "{wait}");
        }
    }
    assert_eq!(
        counts.keys().copied().collect::<Vec<_>>(),
        [201, 503],
        "{counts:?}"
    );
    assert!(
        probes.load(Relaxed) >= 3,
        "probes were served during the overload"
    );
    // Every acknowledged order is stored, and no rejected one.
    assert_eq!(orders(&server, &key) - before, counts[&201]);
    assert_eq!(
        create(&server, &key, "AFTER").status,
        201,
        "the server recovers"
    );
    let metrics = server.metrics().text().to_owned();
    let shed: usize = ["queue_full", "waited_too_long"]
        .map(|reason| {
            let start = format!("despacho_http_requests_shed_total{{reason=\"{reason}\"}} ");
            metrics
                .lines()
                .find_map(|line| line.strip_prefix(&start))
                .unwrap()
                .parse::<usize>()
                .unwrap()
        })
        .iter()
        .sum();
    assert_eq!(shed, counts[&503], "{metrics}");
    assert!(
        metrics.contains("despacho_http_requests_waiting 0"),
        "{metrics}"
    );
    assert!(resident_kb(&server) < MAX_KB, "{} kB", resident_kb(&server));
}

/// Counts the orders of the demo's parent store.
fn orders(server: &Server, key: &str) -> usize {
    let (mut count, mut cursor) = (0, String::new());
    loop {
        let head = format!("GET /delivery/orders?limit=100{cursor}\nx-api-token: {key}");
        let page = server.send(&head, b"").json();
        count += page["orders"].as_array().unwrap().len();
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return count,
        }
    }
}

#[test]
fn unfinished_bodies_respect_the_memory_limit() {
    let server = Server::start(&[
        "--overload-body-mib",
        "1",
        "--timeouts-request-seconds",
        "20",
    ]);
    let half = vec![b' '; 200_000];
    let mut held: Vec<_> = (0..5).map(|_| server.connect()).collect();
    for stream in &mut held {
        // The declared length exceeds the sent bytes, so the server keeps waiting.
        let head = "POST /delivery/orders HTTP/1.1\r\nhost: x\r\ncontent-length: 250000\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&half).unwrap();
    }
    // Five times 200,000 bytes nearly fill the limit: after all five have arrived, one more does
    // not fit.
    let deadline = Instant::now() + TIMEOUT;
    let reserved = || {
        let metrics = server.metrics().text().to_owned();
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("despacho_http_body_memory_bytes "))
            .unwrap();
        line.parse::<u64>().unwrap()
    };
    while reserved() < 1_000_000 {
        assert!(Instant::now() < deadline, "only {}", reserved());
        std::thread::sleep(Duration::from_millis(10));
    }
    server
        .send("POST /delivery/orders", &half)
        .is_problem(503, "unavailable");
    assert_eq!(server.get("/healthz").status, 200);
    assert!(
        server
            .metrics()
            .text()
            .contains("despacho_http_requests_shed_total{reason=\"body_memory\"} 1")
    );
    drop(held);
    while reserved() > 500_000 {
        assert!(Instant::now() < deadline, "still {}", reserved());
    }
    let after = server.send("POST /delivery/orders", &half);
    after.is_problem(401, "api_key_missing");
}

#[test]
fn unknown_keys_are_limited_per_client_behind_a_proxy() {
    let server = Server::start(&[
        "--limits-unknown-keys-per-minute",
        "2",
        "--trusted-proxies",
        "127.0.0.0/8,::1",
        "--demo",
    ]);
    let send = |from: &str, key: &str| {
        server.send(
            &format!("GET /delivery/orders\nx-api-token: {key}\nx-forwarded-for: {from}"),
            b"",
        )
    };
    send("203.0.113.1", "dsp_wrong").is_problem(401, "api_key_invalid");
    send("203.0.113.1", "dsp_wrong").is_problem(401, "api_key_invalid");
    // Entries that the client adds before the proxy's are ignored.
    send("198.51.100.1, 203.0.113.1", "dsp_wrong").is_problem(429, "rate_limited");
    send("203.0.113.2", "dsp_wrong").is_problem(401, "api_key_invalid");
    let key = server.key.clone().unwrap();
    assert_eq!(send("203.0.113.1", &key).status, 200);
    // Without a trusted proxy the header is ignored: all callers on this machine count as one.
    let plain = Server::start(&["--limits-unknown-keys-per-minute", "1"]);
    let send = |from: &str| {
        plain.send(
            &format!("GET /delivery/orders\nx-api-token: dsp_wrong\nx-forwarded-for: {from}"),
            b"",
        )
    };
    send("203.0.113.1").is_problem(401, "api_key_invalid");
    send("203.0.113.2").is_problem(429, "rate_limited");
}

//! More asked than the server can do: it refuses the rest, stays alive to its supervisor, loses nothing and recovers.

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

/// Clients that ask without a pause: many times what the server below takes on.
const CLIENTS: usize = 48;
/// Requests of each.
const EACH: usize = 25;
/// Resident memory that the server stays below, in kilobytes: without a bound 48 clients alone do not take it either, but an unbounded
/// queue under the bodies below would.
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

/// Two kilobytes of spaces are JSON as well.
fn create(server: &Server, key: &str, code: &str) -> Response {
    server.send(&head(key), (order(code) + &" ".repeat(2_048)).as_bytes())
}

#[cfg(target_os = "linux")]
fn resident_kb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn resident_kb(_server: &Server) -> u64 {
    0
}

#[test]
fn an_overloaded_server_sheds_answers_its_supervisor_and_recovers() {
    let limits = ["--overload-max-in-flight", "2", "--overload-max-queued", "2", "--overload-max-queue-ms", "20"];
    let quota = ["--limits-writes-per-minute", "1000000", "--demo"];
    let server = Server::start(&[&limits[..], &quota].concat());
    let key = server.key.clone().unwrap();
    let before = orders(&server, &key);
    let (responses, over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let watched = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !over.load(Relaxed) {
                for response in [server.get("/healthz"), server.get("/readyz"), server.metrics()] {
                    assert_eq!(response.status, 200);
                    watched.fetch_add(1, Relaxed);
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
        clients.into_iter().for_each(|client| client.join().unwrap());
        over.store(true, Relaxed);
        watcher.join().unwrap();
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
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [201, 503], "{counts:?}");
    assert!(watched.load(Relaxed) >= 3, "the supervisor was answered all along");
    // Every order that was acknowledged is there, and none that was refused.
    assert_eq!(orders(&server, &key) - before, counts[&201]);
    assert_eq!(create(&server, &key, "AFTER").status, 201, "it recovers");
    let metrics = server.metrics().text().to_owned();
    let shed: usize = ["queue_full", "waited_too_long"]
        .map(|reason| {
            let start = format!("despacho_http_requests_shed_total{{reason=\"{reason}\"}} ");
            metrics.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse::<usize>().unwrap()
        })
        .iter()
        .sum();
    assert_eq!(shed, counts[&503], "{metrics}");
    assert!(metrics.contains("despacho_http_requests_waiting 0"), "{metrics}");
    assert!(resident_kb(&server) < MAX_KB, "{} kB", resident_kb(&server));
}

/// The orders of the demonstration's matrix, by pages.
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
fn bodies_that_never_end_take_no_more_memory_than_is_set_aside() {
    let server = Server::start(&["--overload-body-mib", "1", "--timeouts-request-seconds", "20"]);
    let half = vec![b' '; 200_000];
    let mut held: Vec<_> = (0..5).map(|_| server.connect()).collect();
    for stream in &mut held {
        // More is promised than is sent, so that the server waits with what it has.
        let head = "POST /delivery/orders HTTP/1.1\r\nhost: x\r\ncontent-length: 250000\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&half).unwrap();
    }
    // Five times 200,000 bytes are all but a little: one more of them does not fit, once all five have come.
    let deadline = Instant::now() + TIMEOUT;
    let taken = || {
        let metrics = server.metrics().text().to_owned();
        let line = metrics.lines().find_map(|line| line.strip_prefix("despacho_http_body_memory_bytes ")).unwrap();
        line.parse::<u64>().unwrap()
    };
    while taken() < 1_000_000 {
        assert!(Instant::now() < deadline, "only {}", taken());
        std::thread::sleep(Duration::from_millis(10));
    }
    server.send("POST /delivery/orders", &half).is_problem(503, "unavailable");
    assert_eq!(server.get("/healthz").status, 200);
    assert!(server.metrics().text().contains("despacho_http_requests_shed_total{reason=\"body_memory\"} 1"));
    drop(held);
    while taken() > 500_000 {
        assert!(Instant::now() < deadline, "still {}", taken());
    }
    let after = server.send("POST /delivery/orders", &half);
    after.is_problem(401, "api_key_missing");
}

#[test]
fn an_address_that_shows_too_many_unknown_keys_waits_and_a_proxys_callers_are_told_apart() {
    let server =
        Server::start(&["--limits-unknown-keys-per-minute", "2", "--trusted-proxies", "127.0.0.0/8,::1", "--demo"]);
    let send = |from: &str, key: &str| {
        server.send(&format!("GET /delivery/orders\nx-api-token: {key}\nx-forwarded-for: {from}"), b"")
    };
    send("203.0.113.1", "dsp_wrong").is_problem(401, "api_key_invalid");
    send("203.0.113.1", "dsp_wrong").is_problem(401, "api_key_invalid");
    // What a stranger writes before the proxy's own word does not help.
    send("198.51.100.1, 203.0.113.1", "dsp_wrong").is_problem(429, "rate_limited");
    send("203.0.113.2", "dsp_wrong").is_problem(401, "api_key_invalid");
    let key = server.key.clone().unwrap();
    assert_eq!(send("203.0.113.1", &key).status, 200);
    // Without trust the header is nothing: every caller of this machine is one.
    let plain = Server::start(&["--limits-unknown-keys-per-minute", "1"]);
    let send =
        |from: &str| plain.send(&format!("GET /delivery/orders\nx-api-token: dsp_wrong\nx-forwarded-for: {from}"), b"");
    send("203.0.113.1").is_problem(401, "api_key_invalid");
    send("203.0.113.2").is_problem(429, "rate_limited");
}

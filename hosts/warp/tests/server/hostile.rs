//! Clients that send requests and never read: their memory is bounded, their connections end, and
//! others are served.
//!
//! The tests print the measured memory. With more clients, 2,000 sockets and 60 HTTP/2 connections,
//! and the optimised server:
//! `ulimit -n 8192; HOSTILE_SCALE=5 cargo test --release -p despacho-warp --test server hostile closed_windows -- --nocapture`

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::harness::{Server, TIMEOUT};

/// Resident memory under attack, in kilobytes.
const MAX_RESIDENT_KB: u64 = 300 * 1024;
/// Sockets that read nothing.
const SOCKETS: usize = 400;
/// Pipelined requests per socket.
const PIPELINED: usize = 20;
/// Returns the factor on the number of clients.
pub(crate) fn scale() -> usize {
    std::env::var("HOSTILE_SCALE").map_or(1, |scale| scale.parse().unwrap())
}

/// Connections that request lists of large orders and never read them.
const LISTS: usize = 40;

#[cfg(target_os = "linux")]
pub(crate) fn resident_kb(server: &Server, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn resident_kb(_server: &Server, _field: &str) -> u64 {
    0
}

/// Sends requests without reading, until the kernel's buffers are full.
fn unread(server: &Server, head: &str, count: usize) -> TcpStream {
    let mut stream = server.connect();
    let (line, headers) = head.split_once('\n').unwrap_or((head, "\n"));
    let request = format!("{line} HTTP/1.1\r\nhost: x\r\n{}\r\n\r\n", headers.trim());
    stream
        .set_write_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    for _ in 0..count {
        if stream
            .write_all(request.replace("\r\n\r\n\r\n", "\r\n\r\n").as_bytes())
            .is_err()
        {
            break;
        }
    }
    stream
}

fn connections(server: &Server) -> usize {
    let metrics = server.metrics().text().to_owned();
    let value = metrics
        .lines()
        .find_map(|line| line.strip_prefix("despacho_http_connections "))
        .unwrap()
        .to_owned();
    value.parse().unwrap()
}

/// Waits until only the calling connection is open.
fn wait_until_closed(server: &Server) {
    let deadline = Instant::now() + TIMEOUT;
    while connections(server) > 1 {
        assert!(
            Instant::now() < deadline,
            "{} connections are open",
            connections(server)
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn large_order(code: usize) -> String {
    let note = "x".repeat(1_000);
    let delivery = format!(
        r#"{{"name": "Rita", "phone": "+5511987654321", "onlinePayment": true, "observation": "{note}", "address":
        {{"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "latitude": -23.557, "longitude": -46.66}}}}"#
    );
    format!(
        r#"{{"code": "L-{code}", "deliveries": [{}]}}"#,
        vec![delivery; 50].join(",")
    )
}

/// Returns the size and the number of orders of each page of a list.
fn order_pages(server: &Server, key: &str) -> Vec<(usize, usize)> {
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.send(
            &format!("GET /delivery/orders?limit=100{cursor}\nx-api-token: {key}"),
            b"",
        );
        let json = page.json();
        pages.push((page.body.len(), json["orders"].as_array().unwrap().len()));
        match json["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return pages,
        }
    }
}

#[test]
fn unread_responses_are_bounded_and_their_connections_end() {
    let options = [
        "--timeouts-write-seconds",
        "5",
        "--timeouts-header-seconds",
        "5",
        "--limits-writes-per-minute",
        "1000",
    ];
    let server = Server::start(&[&["--demo"], &options[..]].concat());
    let key = server.key.clone().unwrap();
    for code in 0..30 {
        let head =
            format!("POST /delivery/orders\nx-api-token: {key}\ncontent-type: application/json");
        assert_eq!(server.send(&head, large_order(code).as_bytes()).status, 201);
    }
    let pages = order_pages(&server, &key);
    assert!(
        pages.iter().all(|(bytes, _)| *bytes <= 256 * 1024),
        "{pages:?}"
    );
    assert!(
        pages.iter().map(|(_, orders)| orders).sum::<usize>() >= 30,
        "{pages:?}"
    );
    let paths = [
        "/openapi.json",
        "/docs/swagger-ui-bundle.js",
        "/no/such/endpoint",
        "/healthz",
    ];
    let mut held: Vec<TcpStream> = Vec::new();
    for number in 0..SOCKETS * scale() {
        let coding = if number % 2 == 0 {
            "accept-encoding: br"
        } else {
            "accept-language: pt"
        };
        held.push(unread(
            &server,
            &format!("GET {}\n{coding}", paths[number % paths.len()]),
            PIPELINED,
        ));
    }
    let list = format!("GET /delivery/orders?limit=100\nx-api-token: {key}");
    held.extend((0..LISTS).map(|_| unread(&server, &list, 3)));
    let preview = format!(
        "POST /delivery/orders/preview\nx-api-token: {key}\ncontent-type: application/json"
    );
    let started = Instant::now();
    assert_eq!(
        server.send(&preview, large_order(0).as_bytes()).status,
        200,
        "others are served"
    );
    assert_eq!(server.get("/healthz").status, 200);
    let resident = resident_kb(&server, "VmHWM:");
    eprintln!(
        "{} sockets: {resident} kB at most; others served in {:?}",
        held.len(),
        started.elapsed()
    );
    assert!(resident < MAX_RESIDENT_KB, "{resident} kB");
    wait_until_closed(&server);
    assert!(
        !server.log().contains("\"level\":\"ERROR\""),
        "{}",
        server.log()
    );
    drop(held);
}

#[test]
fn address_limit_replaces_idle_connections() {
    const LIMIT: usize = 20;
    let server = Server::start(&["--max-connections-per-address", &LIMIT.to_string()]);
    let held: Vec<TcpStream> = (0..2 * LIMIT).map(|_| server.connect()).collect();
    assert_eq!(
        server.get("/healthz").status,
        200,
        "other clients of the same address are served"
    );
    // This request had the last connection of the limit.
    await_closed(&held, LIMIT + 1);
    assert!(connections(&server) <= LIMIT);
}

/// Waits until the server has closed `count` of these connections, which received no response.
fn await_closed(streams: &[TcpStream], count: usize) {
    for stream in streams {
        stream.set_nonblocking(true).unwrap();
    }
    let is_closed = |stream: &&TcpStream| match stream.peek(&mut [0]) {
        Ok(bytes) => bytes == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    };
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let closed = streams.iter().filter(is_closed).count();
        assert!(closed <= count, "{closed} connections are closed");
        if closed == count {
            return;
        }
        assert!(Instant::now() < deadline, "only {closed} are closed");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn slow_reader_is_not_cut_off_while_it_reads() {
    let server = Server::start(&["--timeouts-write-seconds", "1"]);
    let mut stream = server.connect();
    stream
        .write_all(
            b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        )
        .unwrap();
    let (mut bytes, mut part) = (0, vec![0; 64 * 1024]);
    // The whole response takes longer than the timeout, each part less.
    for _ in 0..20 {
        bytes += stream.read(&mut part).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(bytes + rest.len() > 1_000_000, "{}", bytes + rest.len());
}

//! Requests that must be rejected, streams without a reader, and a webhook receiver that never
//! responds.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    time::Duration,
};

use fastrand::Rng;
use serde_json::Value;

use crate::faults::{
    client::{Caller, Reply},
    run::RunState,
};

/// The maximum number of connections that the hanging receiver holds open. It closes the oldest
/// ones first.
const MAX_HANGING: usize = 128;
/// The size in bytes of an oversized body. The service accepts no body of this size.
const OVERSIZED: usize = 3 << 20;
/// Bodies that are not a valid order.
const MALFORMED: [&[u8]; 12] = [
    b"",
    b"{",
    b"nul",
    b"{\"code\":",
    b"{\"code\":\"x\"}{\"code\":\"y\"}",
    b"{\"code\":\"\xff\xfe\"}",
    b"{\"code\":\"\\ud800\"}",
    b"{\"code\":\"x\",\"preparationTime\":1e999,\"deliveries\":[]}",
    b"{\"code\":\"x\",\"code\":\"y\",\"deliveries\":[]}",
    b"{\"code\":{\"a\":[]},\"deliveries\":{}}",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"\x00\x01\x02\x03",
];

/// Accepts connections and never responds, until the storm is over.
pub(crate) fn hang(storm: &RunState<'_>, receiver: &TcpListener) {
    let mut held: Vec<TcpStream> = Vec::new();
    if let Err(error) = receiver.set_nonblocking(true) {
        return storm.print(&format!("the receiver cannot be set up: {error}"));
    }
    while !storm.is_over() {
        match receiver.accept() {
            Ok((connection, _)) => held.push(connection),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
        if held.len() > MAX_HANGING {
            held.drain(..MAX_HANGING / 2);
        }
    }
}

/// Opens a stream of events, reads briefly or not at all, and drops the connection.
pub(crate) fn stream(storm: &RunState<'_>, key: &str, rng: &mut Rng) {
    let Some(base) = storm.some_base() else {
        return;
    };
    let Ok(mut connection) = TcpStream::connect(base.trim_start_matches("http://")) else {
        return;
    };
    let request = format!(
        "GET /delivery/events/stream HTTP/1.1\r\nhost: storm\r\nx-api-token: {key}\r\n\r\n"
    );
    if connection.write_all(request.as_bytes()).is_err() || rng.u8(..4) == 0 {
        return;
    }
    _ = connection.set_read_timeout(Some(Duration::from_millis(rng.u64(50..800))));
    let mut page = [0; 4_096];
    if let Ok(count @ 12..) = connection.read(&mut page) {
        let status = String::from_utf8_lossy(&page[9..12]).into_owned();
        storm.check(matches!(status.as_str(), "200" | "429" | "503"), || {
            format!(
                "a stream got the response {}",
                String::from_utf8_lossy(&page[..count])
            )
        });
    }
}

/// Sends requests with an unknown API key.
pub(crate) fn unknown_key(storm: &RunState<'_>, rng: &mut Rng) {
    let caller = Caller::new(storm, &format!("dsp_{:032x}", rng.u128(..)));
    for path in [
        "/delivery/orders",
        "/delivery/statement",
        "/courier/order",
        "/admin/couriers",
    ] {
        if let Reply::Response(status, response) = caller.try_once("GET", path, None, &Value::Null)
        {
            storm.check(matches!(status, 401 | 403 | 429 | 503), || {
                format!("GET {path} with an unknown key returned {status}: {response}")
            });
        }
    }
}

/// Sends an oversized body. The server may close the connection before it is complete.
pub(crate) fn oversized(storm: &RunState<'_>, caller: &Caller<'_>, rng: &mut Rng) {
    let body = vec![b' '; OVERSIZED + rng.usize(..4_096)];
    if let Reply::Response(status, response) =
        caller.send_raw("/delivery/orders", "application/json", &body)
    {
        storm.check(matches!(status, 413 | 429 | 503), || {
            format!("a body of {} bytes got {status}: {response}", body.len())
        });
    }
}

/// Sends invalid bodies, some with a content type other than JSON.
pub(crate) fn malformed(storm: &RunState<'_>, caller: &Caller<'_>, rng: &mut Rng) {
    for _ in 0..3 {
        let body = MALFORMED[rng.usize(..MALFORMED.len())];
        let kind = if rng.u8(..6) == 0 {
            "text/plain"
        } else {
            "application/json"
        };
        if let Reply::Response(status, response) = caller.send_raw("/delivery/orders", kind, body) {
            storm.check(matches!(status, 400 | 415 | 422 | 429 | 503), || {
                format!(
                    "{:?} as {kind} got {status}: {response}",
                    String::from_utf8_lossy(body)
                )
            });
        }
    }
}

//! HTTP/2 over TLS: many requests on one connection, the body limit, and an event stream.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http2::SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

use crate::harness::{Server, TIMEOUT};

/// Concurrent requests that the server allows on a connection.
const STREAMS: usize = 128;

type Sender = SendRequest<Full<Bytes>>;

/// Starts a server with a certificate for `localhost`, and returns both.
fn server() -> (Server, rcgen::CertifiedKey<rcgen::KeyPair>) {
    server_with(&[])
}

fn server_with(args: &[&str]) -> (Server, rcgen::CertifiedKey<rcgen::KeyPair>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let (cert, key) = (
        cert.to_string_lossy().into_owned(),
        key.to_string_lossy().into_owned(),
    );
    let tls = ["--tls-cert", &cert, "--tls-key", &key, "--demo"];
    (Server::start_in(folder, &[&tls[..], args].concat()), made)
}

async fn connect(server: &Server, made: &rcgen::CertifiedKey<rcgen::KeyPair>) -> Sender {
    connect_with(server, made, 65_535).await
}

/// Opens a connection with an initial stream window. Reading opens the windows further.
async fn connect_with(
    server: &Server,
    made: &rcgen::CertifiedKey<rcgen::KeyPair>,
    window: u32,
) -> Sender {
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let socket = TcpStream::connect(server.address()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, socket)
        .await
        .unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let handshake = builder
        .initial_stream_window_size(window)
        .handshake(TokioIo::new(stream));
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(method: &str, path: &str, key: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .uri(format!("https://localhost{path}"))
        .header("x-api-token", key)
        .header("content-type", "application/json")
        .body(Full::new(body.into()))
        .unwrap()
}

async fn send(sender: &Sender, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let mut sender = sender.clone();
    sender.ready().await.unwrap();
    timeout(TIMEOUT, sender.send_request(request))
        .await
        .unwrap()
        .unwrap()
}

async fn problem(response: Response<Incoming>) -> (StatusCode, String) {
    let status = response.status();
    let body = timeout(TIMEOUT, response.into_body().collect())
        .await
        .unwrap()
        .unwrap()
        .to_bytes();
    let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
    (
        status,
        problem["code"].as_str().unwrap_or_default().to_owned(),
    )
}

fn preview() -> String {
    r#"{"code": "H2", "deliveries": [{"name": "Rita", "phone": "+5511987654321", "onlinePayment": true, "address":
    {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "latitude": -23.557, "longitude": -46.66}}]}"#
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_queues_requests_above_its_stream_limit() {
    let (server, made) = server();
    let (sender, key) = (connect(&server, &made).await, server.key.clone().unwrap());
    let mut requested = tokio::task::JoinSet::new();
    for _ in 0..2 * STREAMS {
        let (sender, request) = (
            sender.clone(),
            request("POST", "/delivery/orders/preview", &key, preview()),
        );
        requested.spawn(async move { send(&sender, request).await });
    }
    for response in requested.join_all().await {
        assert_eq!(
            (response.status(), response.version()),
            (StatusCode::OK, http::Version::HTTP_2)
        );
        assert!(
            response.headers().contains_key("x-request-id")
                && response.headers().contains_key("strict-transport-security")
        );
        assert!(
            !response.headers().contains_key("connection"),
            "HTTP/2 has no such header"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_body_above_limit_returns_413_and_keeps_connection() {
    let (server, made) = server();
    let (sender, key) = (connect(&server, &made).await, server.key.clone().unwrap());
    // Larger than the windows: the server must keep reading for the client to receive the response.
    let large = send(
        &sender,
        request("POST", "/delivery/orders", &key, vec![b' '; 600_000]),
    )
    .await;
    assert_eq!(
        problem(large).await,
        (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large".to_owned())
    );
    let within = send(
        &sender,
        request("POST", "/delivery/orders", &key, vec![b' '; 200_000]),
    )
    .await;
    assert_eq!(
        problem(within).await,
        (StatusCode::BAD_REQUEST, "malformed_request".to_owned())
    );
    let unknown = send(&sender, request("GET", "/delivery/orders", "dsp_wrong", "")).await;
    assert_eq!(
        problem(unknown).await,
        (StatusCode::UNAUTHORIZED, "api_key_invalid".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_stream_and_requests_share_a_connection() {
    let (server, made) = server();
    let (sender, key) = (connect(&server, &made).await, server.key.clone().unwrap());
    let mut open = request("GET", "/delivery/events/stream", &key, "");
    open.headers_mut()
        .insert("accept", "text/event-stream".parse().unwrap());
    let stream = send(&sender, open).await;
    assert_eq!(stream.status(), StatusCode::OK);
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let mut body = stream.into_body();
    let created = send(
        &sender,
        request("POST", "/delivery/orders", &key, preview()),
    )
    .await;
    assert_eq!(created.status(), StatusCode::CREATED);
    let received = async {
        let mut text = String::new();
        while !text.contains("order.created") {
            let frame = body.frame().await.unwrap().unwrap();
            text += &String::from_utf8_lossy(&frame.into_data().unwrap_or_default());
        }
        text
    };
    assert!(timeout(TIMEOUT, received).await.unwrap().contains("id:"));
    // Closing the stream closes neither the connection nor the server.
    drop(body);
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(
        send(&sender, request("GET", "/healthz", &key, ""))
            .await
            .status(),
        StatusCode::OK
    );
}

/// Reads the memory of unsent responses from the metrics.
async fn response_memory(sender: &SendRequest<Full<Bytes>>) -> usize {
    let metrics = send(
        sender,
        request("GET", "/metrics", crate::harness::OPERATOR, ""),
    )
    .await;
    let text = timeout(TIMEOUT, metrics.into_body().collect())
        .await
        .unwrap()
        .unwrap()
        .to_bytes();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let figure = text
        .lines()
        .find_map(|line| line.strip_prefix("despacho_http_response_memory_bytes "));
    figure
        .unwrap_or_else(|| panic!("no response memory in {text}"))
        .parse()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closed_windows_hold_little_memory_and_end_their_connections() {
    // One caller may use only 4 MiB here, which few streams exhaust.
    let limits = [
        "--timeouts-write-seconds",
        "3",
        "--overload-response-per-caller-mib",
        "4",
    ];
    let quota = ["--limits-reads-per-minute", "1000000"];
    let (server, made) = server_with(&[&limits[..], &quota].concat());
    let key = server.key.clone().unwrap();
    let (mut senders, mut held) = (Vec::new(), Vec::new());
    for number in 0..12 * crate::hostile::scale() {
        let sender = connect_with(&server, &made, 0).await;
        let mut requested = tokio::task::JoinSet::new();
        for stream in 0..STREAMS {
            let path = [
                "/openapi.json",
                "/docs/swagger-ui-bundle.js",
                "/delivery/orders",
                "/no/such/endpoint",
            ][stream % 4];
            let key = if number % 2 == 0 {
                &*key
            } else {
                "dsp_unknown"
            };
            let (sender, request) = (sender.clone(), request("GET", path, key, ""));
            requested.spawn(async move {
                let mut sender = sender;
                sender.ready().await.ok()?;
                timeout(TIMEOUT, sender.send_request(request))
                    .await
                    .ok()?
                    .ok()
            });
        }
        held.extend(requested.join_all().await.into_iter().flatten());
        senders.push(sender);
    }
    let resident = crate::hostile::resident_kb(&server, "VmHWM:");
    eprintln!("{} responses held back: {resident} kB at most", held.len());
    assert!(resident < 300 * 1024, "{resident} kB");
    let other = connect(&server, &made).await;
    // The limits of the address and of the merchant, plus the response with the metrics.
    let memory = response_memory(&other).await;
    assert!(memory < 9 << 20, "{memory} bytes");
    assert_eq!(
        send(&other, request("GET", "/healthz", "", ""))
            .await
            .status(),
        StatusCode::OK
    );
    let deadline = tokio::time::Instant::now() + TIMEOUT;
    // A connection whose requests were all rejected holds nothing and may stay open.
    while response_memory(&other).await > 256 << 10 {
        assert!(
            tokio::time::Instant::now() < deadline,
            "a connection without progress keeps its memory"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(
        senders[0].is_closed(),
        "the first connection held responses"
    );
    assert!(!other.is_closed());
}

//! Behaviour towards browsers, proxies and monitors.

use crate::harness::{Server, create_store};

#[test]
fn only_configured_origins_may_read_responses() {
    let server = Server::start(&[
        "--cors-origins",
        "https://shop.example,http://localhost:5173",
    ]);
    let requested = server.send(
        "OPTIONS /delivery/orders\norigin: https://shop.example\naccess-control-request-method: POST\n\
         access-control-request-headers: x-api-token,content-type\nx-request-id: preflight-1",
        b"",
    );
    assert_eq!(
        (requested.status, requested.header("x-request-id")),
        (200, Some("preflight-1"))
    );
    assert_eq!(
        requested.header("access-control-allow-origin"),
        Some("https://shop.example")
    );
    assert!(
        requested
            .header("access-control-allow-methods")
            .unwrap()
            .contains("PUT")
    );
    assert!(
        requested
            .header("access-control-allow-headers")
            .unwrap()
            .contains("x-api-token")
    );
    let received = server.send("GET /delivery/orders/1\norigin: http://localhost:5173", b"");
    received.is_problem(401, "api_key_missing");
    assert_eq!(
        received.header("access-control-allow-origin"),
        Some("http://localhost:5173")
    );
    let exposed = received.header("access-control-expose-headers").unwrap();
    for name in [
        "x-request-id",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "idempotent-replayed",
    ] {
        assert!(
            exposed.split(',').any(|other| other.trim() == name),
            "{name} in {exposed}"
        );
    }
    let unrelated = server.send("GET /healthz\norigin: https://evil.example", b"");
    assert_eq!(unrelated.header("access-control-allow-origin"), None);
}

#[test]
fn without_origins_there_is_no_cors() {
    let server = Server::start(&[]);
    let requested = server.send(
        "OPTIONS /delivery/orders\norigin: https://a.example\naccess-control-request-method: POST",
        b"",
    );
    requested.is_problem(405, "method_not_allowed");
    assert!(
        !requested
            .headers
            .iter()
            .any(|(name, _)| name.starts_with("access-control"))
    );
}

#[test]
fn key_in_a_cookie_returns_401() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    for cookie in [
        format!("x-api-token={key}"),
        format!("key={key}"),
        key.clone(),
    ] {
        server
            .send(&format!("GET /delivery/stores\ncookie: {cookie}"), b"")
            .is_problem(401, "api_key_missing");
    }
    assert_eq!(
        server
            .send(&format!("GET /delivery/stores\nx-api-token: {key}"), b"")
            .status,
        200
    );
}

#[test]
fn large_responses_use_the_accepted_coding() {
    let server = Server::start(&[]);
    let plain = server.get("/docs/swagger-ui.css");
    assert_eq!(plain.header("content-encoding"), None);
    for (accepted, encoding) in [
        ("br, gzip", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
    ] {
        let response = server.send(
            &format!("GET /docs/swagger-ui.css\naccept-encoding: {accepted}"),
            b"",
        );
        assert_eq!(
            (response.status, response.header("content-encoding")),
            (200, Some(encoding)),
            "{accepted}"
        );
        assert!(
            response.body.len() * 3 < plain.body.len(),
            "{} of {}",
            response.body.len(),
            plain.body.len()
        );
        assert!(
            response
                .headers
                .iter()
                .any(|(name, value)| name == "vary" && value.contains("accept-encoding"))
        );
    }
    // A request is never rejected because of its accepted codings; it may already be committed.
    let picky = server.send(
        "GET /docs/swagger-ui.css\naccept-encoding: identity;q=0, *;q=0",
        b"",
    );
    assert_eq!(picky.status, 200);
    assert_eq!(
        server
            .send("GET /healthz\naccept-encoding: gzip", b"")
            .header("content-encoding"),
        None
    );
}

#[test]
fn response_has_valid_client_request_id_or_a_new_id() {
    let server = Server::start(&[]);
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/docs",
        "/openapi.json",
        "/delivery/orders/1",
        "/nothing",
    ] {
        let named = server.send(&format!("GET {path}\nx-request-id: abc-1.2_3"), b"");
        assert_eq!(named.header("x-request-id"), Some("abc-1.2_3"), "{path}");
        let generated = server.send(
            &format!("GET {path}\nx-request-id: no spaces <script>"),
            b"",
        );
        let id = generated.header("x-request-id").unwrap();
        assert!(
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{path}: {id}"
        );
        assert_ne!(server.get(path).header("x-request-id"), Some(id), "{path}");
    }
    assert!(server.log().contains("\"request_id\":\"abc-1.2_3\""));
}

#[test]
fn responses_have_security_headers() {
    let server = Server::start(&[]);
    let response = server.get("/delivery/orders/1");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    assert_eq!(
        response.header("strict-transport-security"),
        None,
        "the header is only for HTTPS"
    );
    assert_eq!(response.header("server"), None);
}

#[test]
fn documentation_needs_no_internet_or_inline_script() {
    let server = Server::start(&[]);
    let page = server.get("/docs");
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"),
        "{policy}"
    );
    let mut files = 0;
    for link in page
        .text()
        .split(['"', '\''])
        .filter(|text| text.starts_with("/docs/"))
    {
        assert_eq!(server.get(link).status, 200, "{link}");
        files += 1;
    }
    assert_eq!(files, 4);
    let tag = page.header("etag").unwrap();
    let known = server.send(&format!("GET /docs\nif-none-match: {tag}"), b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    let head = server.send("HEAD /docs", b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(
        head.header("content-length"),
        Some(page.body.len().to_string().as_str())
    );
}

#[test]
fn llms_txt_is_plain_text_with_a_link_to_the_document() {
    let server = Server::start(&[]);
    let page = server.get("/llms.txt");
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/plain; charset=utf-8"))
    );
    assert!(page.text().starts_with("# Despacho\n") && page.text().contains("(/openapi.json)"));
    assert_eq!(server.send("POST /llms.txt", b"").status, 405);
}

#[test]
fn metrics_contain_routes_and_statuses_without_paths() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    for path in ["/delivery/orders/987654", "/delivery/orders/987655"] {
        server
            .send(&format!("GET {path}\nx-api-token: {key}"), b"")
            .is_problem(404, "order_not_found");
    }
    server
        .get("/no/such/place")
        .is_problem(404, "endpoint_not_found");
    assert_eq!(server.get("/readyz").status, 200);
    let response = server.metrics();
    assert!(
        response
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    let text = response.text();
    for line in [
        concat!(
            "despacho_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
        "despacho_http_request_duration_seconds_count{route=\"GET /delivery/orders/{platformOrderId}\",status=\"404\"} 2",
        "despacho_http_request_duration_seconds_count{route=\"unmatched\",status=\"404\"} 1",
        "despacho_http_request_duration_seconds_bucket{le=\"+Inf\",route=\"GET /readyz\",status=\"200\"} 1",
        "despacho_http_requests_in_flight 1",
        "despacho_http_handler_panics_total 0",
        "despacho_store_write_queue_depth 0",
        "despacho_store_largest_group_size",
        "despacho_store_commits_total",
        "despacho_scheduler_passes_failed_total 0",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert!(
        !text.contains("98765") && !text.contains("/no/such"),
        "{text}"
    );
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn deployment_endpoints_allow_only_get() {
    let server = Server::start(&[]);
    for path in ["/healthz", "/readyz", "/metrics", "/docs"] {
        let response = server.send(&format!("DELETE {path}"), b"");
        response.is_problem(405, "method_not_allowed");
        assert_eq!(response.header("allow"), Some("GET, HEAD"), "{path}");
    }
    let portuguese = server.send("POST /healthz\naccept-language: pt-BR", b"");
    assert_eq!(portuguese.json()["title"], "Método não permitido");
}

#[test]
fn panel_is_served_with_a_strict_policy() {
    let files = tempfile::tempdir().unwrap();
    for name in ["index.html", "courier.html"] {
        std::fs::write(files.path().join(name), "<!doctype html>").unwrap();
    }
    let folder = files.path().to_string_lossy().into_owned();
    let server = Server::start(&[
        "--panel",
        &folder,
        "--panel-tiles",
        "https://tiles.example/{z}/{x}/{y}.png",
    ]);
    let page = server.get("/");
    assert_eq!((page.status, page.text()), (200, "<!doctype html>"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("script-src 'self' 'wasm-unsafe-eval';")
            && !policy.contains("unsafe-inline"),
        "{policy}"
    );
    assert!(
        policy.contains("img-src 'self' blob: data: https://tiles.example;"),
        "{policy}"
    );
    assert!(
        policy
            .split(';')
            .any(|rule| rule.trim() == "frame-ancestors 'none'"),
        "{policy}"
    );
    assert_eq!(
        server.get("/panel.json").json()["tiles"]["url"],
        "https://tiles.example/{z}/{x}/{y}.png"
    );
    server
        .send("POST /", b"")
        .is_problem(405, "method_not_allowed");
    server.get("/nothing").is_problem(404, "endpoint_not_found");
    let slashed = server.get("/courier/?a=b");
    assert_eq!(
        (slashed.status, slashed.header("location")),
        (308, Some("/courier?a=b"))
    );
    // This folder has no console.
    server.get("/admin/").is_problem(404, "endpoint_not_found");
    Server::start(&[])
        .get("/")
        .is_problem(404, "endpoint_not_found");
}

#[test]
fn streets_are_served_in_ranges() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), "<!doctype html>").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let streets = elsewhere.path().join("streets.pmtiles");
    let content: Vec<u8> = b"PMTiles\x03"
        .iter()
        .copied()
        .chain([b'a'; 5_000])
        .collect();
    std::fs::write(&streets, &content).unwrap();
    let (panel, streets) = (
        folder.path().to_string_lossy().into_owned(),
        streets.to_string_lossy().into_owned(),
    );
    let server = Server::start(&["--panel", &panel, "--panel-streets", &streets]);
    let config = server.get("/panel.json").json();
    assert_eq!(config["streets"]["url"], "/streets.pmtiles");
    assert_eq!(
        config["streets"]["attribution"],
        "© OpenStreetMap contributors"
    );
    let part = server.send(
        "GET /streets.pmtiles\nrange: bytes=6-2999\naccept-encoding: br",
        b"",
    );
    assert_eq!((part.status, &part.body[..]), (206, &content[6..3_000]));
    assert_eq!(part.header("content-range"), Some("bytes 6-2999/5008"));
    assert_eq!(
        part.header("content-encoding"),
        None,
        "positions are those of the file"
    );
    let tag = part.header("etag").unwrap();
    let known = server.send(
        &format!("GET /streets.pmtiles\nrange: bytes=0-9\nif-none-match: {tag}"),
        b"",
    );
    assert_eq!((known.status, known.body.len()), (304, 0));
    let beyond = server.send("GET /streets.pmtiles\nrange: bytes=9000-", b"");
    assert_eq!(
        (beyond.status, beyond.header("content-range")),
        (416, Some("bytes */5008"))
    );
    assert_eq!(server.get("/streets.pmtiles").body, content);
    server
        .send("POST /streets.pmtiles", b"")
        .is_problem(405, "method_not_allowed");
    Server::start(&["--panel", &panel])
        .get("/streets.pmtiles")
        .is_problem(404, "endpoint_not_found");
}

#[test]
fn metrics_need_a_token_or_their_own_listener() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("despacho.toml");
    std::fs::write(
        &settings,
        "[metrics]\ntoken = \"metrics-token-for-tests\"\n",
    )
    .unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (settings, port) = (settings.to_string_lossy().into_owned(), port.to_string());
    let server = Server::start_in(folder, &["--config", &settings, "--metrics-listen", &port]);
    server.get("/metrics").is_problem(401, "api_key_invalid");
    for wrong in [
        "x-api-token: dsp_wrong",
        "authorization: Bearer metrics-token",
        "authorization: metrics-token-for-tests",
    ] {
        server
            .send(&format!("GET /metrics\n{wrong}"), b"")
            .is_problem(401, "api_key_invalid");
    }
    for right in [
        "authorization: Bearer metrics-token-for-tests",
        "x-api-token: metrics-token-for-tests",
    ] {
        assert!(
            server
                .send(&format!("GET /metrics\n{right}"), b"")
                .text()
                .contains("despacho_http_connections")
        );
    }
    assert_eq!(server.metrics().status, 200, "the operator's token");
    let open = |head: &str| {
        let mut stream = std::net::TcpStream::connect(&port).unwrap();
        std::io::Write::write_all(&mut stream, &crate::harness::request(head, b"")).unwrap();
        crate::harness::Response::read(&mut stream)
    };
    assert!(
        open("GET /metrics")
            .text()
            .contains("despacho_http_connections")
    );
    open("GET /healthz").is_problem(404, "endpoint_not_found");
    open("GET /delivery/orders").is_problem(404, "endpoint_not_found");
}

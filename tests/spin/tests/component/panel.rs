//! The merchant panel's files.

use std::collections::BTreeMap;

use despacho_spin_tests::Options;
use http::Request;

use crate::support::{TestDatabase, get, send, serve};

/// The path of the panel's files in the component, which is their path in the repository.
const FOLDER: &str = "/hosts/panel/dist";

/// Creates the panel's files.
fn built() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("assets")).expect("a folder");
    for (name, text) in [
        ("index.html", "<!doctype html>"),
        ("courier.html", "<!doctype html><title>courier"),
        ("admin.html", "<!doctype html><title>console"),
        ("courier-sw.js", "0"),
        ("courier.webmanifest", "{}"),
        ("assets/a-1.js", "\"x\""),
        (".env", "secret"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

#[test]
fn panel_files_have_content_type_and_policy() {
    let (database, files) = (TestDatabase::new(), built());
    let tiles = "https://tiles.example/{z}/{x}/{y}.png";
    let files = BTreeMap::from([(FOLDER, files.path().to_owned())]);
    let served = serve(&Options {
        files,
        ..database.demo().variable("panel_tiles", tiles)
    });
    for (path, kind, caching) in [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        ("/courier", "text/html; charset=utf-8", "no-cache"),
        ("/admin", "text/html; charset=utf-8", "no-cache"),
        (
            "/courier-sw.js",
            "text/javascript; charset=utf-8",
            "no-cache",
        ),
        (
            "/courier.webmanifest",
            "application/manifest+json",
            "no-cache",
        ),
        (
            "/assets/a-1.js",
            "text/javascript; charset=utf-8",
            "public, max-age=31536000, immutable",
        ),
        ("/panel.json", "application/json", "no-cache"),
        ("/llms.txt", "text/plain; charset=utf-8", "no-cache"),
    ] {
        let response = get(&served.base, path);
        let header = |name: &str| {
            response
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        assert_eq!(
            (
                response.status,
                header("content-type"),
                header("cache-control")
            ),
            (200, kind, caching),
            "{path}"
        );
        let policy = header("content-security-policy");
        assert!(
            policy.contains("img-src 'self' blob: data: https://tiles.example; connect-src 'self'"),
            "{path}: {policy}"
        );
        for name in [
            "content-length",
            "etag",
            "x-request-id",
            "x-content-type-options",
        ] {
            assert!(response.headers.contains_key(name), "{path} lacks {name}");
        }
        let request = Request::get(path)
            .header("if-none-match", header("etag"))
            .body(Vec::new())
            .expect("a request");
        assert_eq!(
            send(&served.base, request).map(|again| again.status),
            Ok(304),
            "{path}"
        );
    }
    let received = get(&served.base, "/panel.json").body;
    assert_eq!(
        (&received["tiles"]["url"], received["demo"].is_object()),
        (&tiles.into(), true)
    );
    for path in [
        "/.env",
        "/assets/none.js",
        "/../index.html",
        "/hosts/panel/dist/index.html",
    ] {
        assert_eq!(get(&served.base, path).status, 404, "{path}");
    }
    for (path, page) in [("/courier/", "/courier"), ("/admin/?a=b", "/admin?a=b")] {
        let response = get(&served.base, path);
        assert_eq!(
            (response.status, response.headers["location"].to_str().ok()),
            (308, Some(page)),
            "{path}"
        );
        assert!(
            response.headers.contains_key("content-length")
                && response.headers.contains_key("x-request-id"),
            "{path}"
        );
    }
    let posted = Request::post("/index.html")
        .body(Vec::new())
        .expect("a request");
    let posted = send(&served.base, posted).expect("a response");
    assert_eq!(
        (posted.status, posted.headers["allow"].to_str().ok()),
        (405, Some("GET, HEAD"))
    );
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn missing_panel_explains_the_build() {
    let database = TestDatabase::new();
    let empty = tempfile::tempdir().expect("a folder");
    for files in [
        BTreeMap::new(),
        BTreeMap::from([(FOLDER, empty.path().to_owned())]),
    ] {
        let served = serve(&Options {
            files,
            ..database.demo()
        });
        for path in ["/", "/courier", "/admin", "/courier/", "/admin/"] {
            let response = get(&served.base, path);
            assert_eq!(
                (response.status, &response.body["code"]),
                (404, &"endpoint_not_found".into()),
                "{path}"
            );
            let detail = response.body["detail"].as_str().unwrap_or_default();
            assert!(
                detail.contains("npm run build"),
                "{path}: {}",
                response.body
            );
        }
        assert_eq!(get(&served.base, "/panel.json").status, 404);
        assert_eq!(served.stats().traps(), 0);
    }
}

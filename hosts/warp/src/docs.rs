//! The documentation page: Swagger UI from this binary alone, so that it works without internet.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

/// What a page of the documentation may load: its own files and the API beside it, nothing inline, nothing from elsewhere.
/// Swagger UI draws its icons from data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// One file of the page.
#[derive(Clone, Copy)]
pub struct File {
    body: &'static [u8],
    kind: &'static str,
}

const VERSION: &str = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");

/// The file at a path.
pub fn file(path: &str) -> Option<File> {
    let (body, kind): (&'static [u8], _) = match path {
        "/docs" | "/docs/" => (include_bytes!("docs/index.html"), "text/html; charset=utf-8"),
        "/docs/start.js" => (include_bytes!("docs/start.js"), "text/javascript; charset=utf-8"),
        "/docs/page.css" => (include_bytes!("docs/page.css"), "text/css; charset=utf-8"),
        "/docs/swagger-ui.css" => {
            (include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css")), "text/css; charset=utf-8")
        }
        "/docs/swagger-ui-bundle.js" => {
            (include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js")), "text/javascript; charset=utf-8")
        }
        _ => return None,
    };
    Some(File { body, kind })
}

impl File {
    /// The file, or 304 where the caller has it.
    pub fn response(self, request: &HeaderMap) -> Response<Bytes> {
        let known = request.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == VERSION.as_bytes());
        let mut response = Response::new(if known { Bytes::new() } else { Bytes::from_static(self.body) });
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::ETAG, HeaderValue::from_static(VERSION));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_nobody_else_and_has_nothing_inline() {
        let page = String::from_utf8(file("/docs").unwrap().body.to_vec()).unwrap();
        assert!(!page.contains("http") && !page.contains("style=") && !page.contains("onload"), "{page}");
        for script in page.split("<script").skip(1) {
            assert!(script.starts_with(" src=\"/docs/"), "{script}");
        }
        let start = String::from_utf8(file("/docs/start.js").unwrap().body.to_vec()).unwrap();
        assert!(start.contains("\"/openapi.json\"") && start.contains("validatorUrl: null"));
    }

    #[test]
    fn the_files_are_those_of_the_release_and_nothing_more() {
        assert!(file("/docs/swagger-ui-bundle.js").unwrap().body.len() > 500_000);
        assert!(file("/docs/swagger-ui.css").unwrap().body.len() > 50_000);
        assert!(file("/docs/../Cargo.toml").is_none() && file("/docs/x").is_none());
    }
}

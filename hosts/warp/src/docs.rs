//! The documentation page and `/llms.txt`. Swagger UI is embedded in the binary, because the page
//! must work without internet access.

use bytes::Bytes;
use despacho_shell::files::File;
use http::HeaderValue;

/// The content security policy: only files and the API of the same origin, no inline code. Swagger
/// UI loads its icons from data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const VERSION: &str = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");

/// Returns the file at a path.
pub fn file(path: &str) -> Option<File> {
    let (name, body): (_, &'static [u8]) = match path {
        "/docs" | "/docs/" => ("index.html", include_bytes!("docs/index.html")),
        "/docs/start.js" => ("start.js", include_bytes!("docs/start.js")),
        "/docs/page.css" => ("page.css", include_bytes!("docs/page.css")),
        // For language models: https://llmstxt.org
        "/llms.txt" => ("llms.txt", include_bytes!("../../../core/llms.txt")),
        "/docs/swagger-ui.css" => (
            "swagger-ui.css",
            include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css")),
        ),
        "/docs/swagger-ui-bundle.js" => (
            "swagger-ui-bundle.js",
            include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js")),
        ),
        _ => return None,
    };
    let (tag, policy) = (
        HeaderValue::from_static(VERSION),
        HeaderValue::from_static(POLICY),
    );
    Some(File::new(name, Bytes::from_static(body), tag, policy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_page_loads_only_own_files_and_no_inline_code() {
        let page = String::from_utf8(file("/docs").unwrap().body.to_vec()).unwrap();
        assert!(
            !page.contains("http") && !page.contains("style=") && !page.contains("onload"),
            "{page}"
        );
        for script in page.split("<script").skip(1) {
            assert!(script.starts_with(" src=\"/docs/"), "{script}");
        }
        let start = String::from_utf8(file("/docs/start.js").unwrap().body.to_vec()).unwrap();
        assert!(start.contains("\"/openapi.json\"") && start.contains("validatorUrl: null"));
    }

    #[test]
    fn docs_serve_only_embedded_files() {
        assert!(file("/docs/swagger-ui-bundle.js").unwrap().body.len() > 500_000);
        assert!(file("/docs/swagger-ui.css").unwrap().body.len() > 50_000);
        assert!(file("/docs/../Cargo.toml").is_none() && file("/docs/x").is_none());
    }
}

//! Static files: content types, entity tags, caching and content security policies.

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

/// A static file.
#[derive(Clone, Debug)]
pub struct File {
    /// The content.
    pub body: Bytes,
    content_type: &'static str,
    tag: HeaderValue,
    policy: HeaderValue,
    is_immutable: bool,
}

impl File {
    /// Creates a file with an entity tag, which browsers revalidate.
    #[must_use]
    pub fn new(name: &str, body: Bytes, tag: HeaderValue, policy: HeaderValue) -> File {
        File {
            body,
            content_type: content_type(name),
            tag,
            policy,
            is_immutable: false,
        }
    }

    /// Creates a file whose entity tag is a hash of its content. Browsers do not request an
    /// immutable file again.
    #[must_use]
    pub fn tagged_by_content(
        name: &str,
        body: Bytes,
        policy: HeaderValue,
        is_immutable: bool,
    ) -> File {
        let mut hasher = DefaultHasher::new();
        hasher.write(&body);
        let tag = HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish()));
        // Sixteen hexadecimal digits in quotes are a valid header.
        let tag = tag.unwrap_or(HeaderValue::from_static("\"\""));
        File {
            is_immutable,
            ..File::new(name, body, tag, policy)
        }
    }

    /// Returns the file, or 304 if the client has it.
    #[must_use]
    pub fn response(&self, request: &HeaderMap) -> Response<Bytes> {
        let is_known = request.get(header::IF_NONE_MATCH) == Some(&self.tag);
        let mut response = Response::new(if is_known {
            Bytes::new()
        } else {
            self.body.clone()
        });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let caching = if self.is_immutable {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(self.content_type),
        );
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

//! The merchant panel beside the API, all but the reading of its files: what is served at which path, of which kind, for how long, and
//! what its page may load.

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;
use despacho_simulator::demo::{EMAIL, PASSWORD};
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use serde::Serialize;

/// Where the panel's page stands among its files; it is served at `/`.
pub const PAGE: &str = "/index.html";
/// What the panel is told of this deployment; made by the host, whatever the folder holds.
pub const TOLD: &str = "/panel.json";
/// How the panel's files are made, for whoever finds that they are missing.
pub const HOW: &str = "`npm ci && npm run build` in hosts/panel makes it in dist";

/// What the build names by their content, so that a browser need never ask for them again.
const NAMED_BY_CONTENT: &str = "/assets/";

/// What all files of a deployment's panel have in common.
#[derive(Clone, Debug)]
pub struct Site {
    policy: HeaderValue,
    told: Bytes,
}

/// Pictures for the panel's map.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tiles<'a> {
    /// Whom the map names as their source.
    pub attribution: &'a str,
    /// Where they come from, as `https://tiles.example/{z}/{x}/{y}.png`.
    pub url: &'a str,
}

/// What is in [`TOLD`].
#[derive(Serialize)]
struct Told<'a> {
    demo: Option<Login>,
    tiles: Option<Tiles<'a>>,
}

#[derive(Serialize)]
struct Login {
    email: &'static str,
    password: &'static str,
}

/// One file of the panel.
#[derive(Clone, Debug)]
pub struct File {
    /// Its bytes.
    pub body: Bytes,
    kind: &'static str,
    tag: HeaderValue,
    policy: HeaderValue,
    kept: bool,
}

impl Site {
    /// A panel; where `demo` is true it is told the login of the demonstration, which is no secret.
    ///
    /// # Errors
    /// What is wrong with the tiles' address.
    pub fn new(tiles: Option<Tiles<'_>>, demo: bool) -> Result<Site, String> {
        let from = tiles.map(|tiles| origin(tiles.url)).transpose()?;
        let demo = demo.then_some(Login { email: EMAIL, password: PASSWORD });
        let told = serde_json::to_vec(&Told { demo, tiles }).map_err(|error| error.to_string())?;
        Ok(Site { policy: policy(from.as_deref())?, told: Bytes::from(told) })
    }

    /// A file by its place below the folder, which begins with a slash.
    pub fn file(&self, name: &str, body: Bytes) -> File {
        let mut hasher = DefaultHasher::new();
        hasher.write(&body);
        let tag = HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish()));
        // Sixteen hexadecimal digits in quotes are a value of a header.
        let tag = tag.unwrap_or(HeaderValue::from_static("\"\""));
        let kept = name.starts_with(NAMED_BY_CONTENT);
        File { body, kind: kind(name), tag, policy: self.policy.clone(), kept }
    }

    /// What the panel is told, as the file [`TOLD`].
    pub fn told(&self) -> File {
        self.file(TOLD, self.told.clone())
    }
}

impl File {
    /// The file, or 304 where the caller has it.
    pub fn response(&self, request: &HeaderMap) -> Response<Bytes> {
        let known = request.get(header::IF_NONE_MATCH) == Some(&self.tag);
        let mut response = Response::new(if known { Bytes::new() } else { self.body.clone() });
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let kept = if self.kept { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

/// The file that a path asks for, by its place below the folder; `None` for what is never served: names with a dot before them, which
/// are a tool's, and everything that leads out of the folder.
pub fn name(path: &str) -> Option<&str> {
    let name = if path == "/" { PAGE } else { path };
    let plain = |part: &str| {
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(usual)
    };
    name.strip_prefix('/').filter(|rest| rest.split('/').all(plain)).map(|_| name)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// What the panel may load: its own files and the API beside it, nothing inline, and pictures of the map from the tile server.
/// Its prices are computed by WebAssembly, which browsers count among scripts.
fn policy(tiles: Option<&str>) -> Result<HeaderValue, String> {
    let tiles = tiles.map(|origin| format!(" {origin}")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'{tiles}; connect-src 'self'; \
         worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).map_err(|error| error.to_string())
}

/// The origin of a tile server's address, of which the path alone has placeholders.
///
/// # Errors
/// What the address must be.
pub fn origin(url: &str) -> Result<String, String> {
    let error = || "must be as https://tiles.example/{z}/{x}/{y}.png".to_owned();
    let (scheme, rest) = url.split_once("://").ok_or_else(error)?;
    let authority = rest.split('/').next().unwrap_or_default();
    let uri: Uri = format!("{scheme}://{authority}").parse().map_err(|_| error())?;
    let placeholders = ["{z}", "{x}", "{y}"].iter().all(|name| url.contains(name));
    let plain = authority.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'));
    match (uri.host(), scheme) {
        (Some(_), "http" | "https") if placeholders && plain => Ok(format!("{scheme}://{authority}")),
        _ => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_below_the_folder_are_served() {
        assert_eq!((name("/"), name("/assets/a-1_b.js")), (Some(PAGE), Some("/assets/a-1_b.js")));
        for path in ["", "a", "//", "/.env", "/a/../b", "/a//b", "/a/", "/%2e%2e/b", "/a\\b", "/a b", "/assets/.x"] {
            assert_eq!(name(path), None, "{path}");
        }
    }

    #[test]
    fn files_have_their_kind_and_are_kept_where_their_name_tells_their_content() {
        let site = Site::new(None, false).unwrap();
        let script = site.file("/assets/a-1.js", Bytes::from_static(b"1"));
        let sent = script.response(&HeaderMap::new());
        assert_eq!(sent.headers()["content-type"], "text/javascript; charset=utf-8");
        assert!(sent.headers()["cache-control"].to_str().unwrap().contains("immutable"));
        let mut again = HeaderMap::new();
        again.insert(header::IF_NONE_MATCH, sent.headers()["etag"].clone());
        assert_eq!(script.response(&again).status(), 304);
        let page = site.file(PAGE, Bytes::from_static(b"<p>")).response(&again);
        assert_eq!((page.status(), &page.headers()["cache-control"]), (StatusCode::OK, &"no-cache".parse().unwrap()));
        assert_eq!(site.told().body, r#"{"demo":null,"tiles":null}"#);
    }

    #[test]
    fn pictures_may_come_from_the_configured_tile_server_alone() {
        let text = |tiles| {
            let site = Site::new(tiles, true).unwrap();
            site.told().response(&HeaderMap::new()).headers()["content-security-policy"].to_str().unwrap().to_owned()
        };
        assert!(text(None).contains("img-src 'self';"));
        let url = "https://tiles.example:8443/osm/{z}/{x}/{y}.png";
        assert!(text(Some(Tiles { url, attribution: "" })).contains("img-src 'self' https://tiles.example:8443;"));
        for bad in [
            "https://{s}.tiles.example/{z}/{x}/{y}.png",
            "https://a.example;script-src/{z}/{x}/{y}",
            "/{z}/{x}/{y}",
            "https://a.example/",
        ] {
            assert!(origin(bad).is_err() && Site::new(Some(Tiles { url: bad, attribution: "" }), false).is_err());
        }
    }
}

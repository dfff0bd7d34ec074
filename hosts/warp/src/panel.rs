//! The merchant panel: the files of one folder, read at start and served beside the API.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hasher},
    path::Path,
};

use bytes::Bytes;
use despacho_core::demo::{EMAIL, PASSWORD};
use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};

use crate::config::Config;

/// Larger folders are no panel: somebody named the wrong one.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// What the build names by their content, so that a browser need never ask for them again.
const NAMED_BY_CONTENT: &str = "/assets/";

/// The panel's files, by the path that they are served at.
#[derive(Debug, Default)]
pub struct Panel {
    files: BTreeMap<String, File>,
}

/// One file of the panel.
#[derive(Debug)]
pub struct File {
    body: Bytes,
    kind: HeaderValue,
    tag: HeaderValue,
    policy: HeaderValue,
    kept: bool,
}

impl Panel {
    /// Reads the configured folder; `None` where there is none.
    pub fn load(config: &Config) -> Result<Option<Panel>, String> {
        let Some(folder) = &config.panel else { return Ok(None) };
        let fault = |detail: String| {
            format!(
                "the panel {}: {detail}. `npm ci && npm run build` in hosts/panel makes it in dist",
                folder.display()
            )
        };
        let mut found = BTreeMap::new();
        let mut room = MOST_BYTES;
        collect(folder, "", &mut found, &mut room).map_err(fault)?;
        if !found.contains_key("/index.html") {
            return Err(fault("it has no index.html".to_owned()));
        }
        found.insert("/panel.json".to_owned(), Bytes::from(told(config)));
        let policy = policy(config)?;
        let mut files = BTreeMap::new();
        for (path, body) in found {
            files.insert(path.clone(), File::new(&path, body, &policy)?);
        }
        if let Some(page) = files.remove("/index.html") {
            files.insert("/".to_owned(), page);
        }
        Ok(Some(Panel { files }))
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(if path == "/index.html" { "/" } else { path })
    }
}

impl File {
    fn new(path: &str, body: Bytes, policy: &HeaderValue) -> Result<File, String> {
        let mut hasher = DefaultHasher::new();
        hasher.write(&body);
        let tag = HeaderValue::from_str(&format!("\"{:016x}\"", hasher.finish())).map_err(|error| error.to_string())?;
        let kind = HeaderValue::from_static(kind(path));
        Ok(File { body, kind, tag, policy: policy.clone(), kept: path.starts_with(NAMED_BY_CONTENT) })
    }

    /// The file, or 304 where the caller has it.
    pub fn response(&self, request: &HeaderMap) -> Response<Bytes> {
        let known = request.get(header::IF_NONE_MATCH) == Some(&self.tag);
        let mut response = Response::new(if known { Bytes::new() } else { self.body.clone() });
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let kept = if self.kept { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, self.kind.clone());
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        response
    }
}

/// Every file below a folder. Names with a dot before them are a tool's and not served; links are not followed out of it.
fn collect(folder: &Path, below: &str, files: &mut BTreeMap<String, Bytes>, room: &mut u64) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{} cannot be read ({error})", folder.display());
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (kind, path) = (entry.file_type().map_err(fault)?, format!("{below}/{name}"));
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &path, files, room)?;
        } else if kind.is_file() {
            let size = entry.metadata().map_err(fault)?.len();
            *room = room.checked_sub(size).ok_or(format!("it has more than {MOST_BYTES} bytes"))?;
            files.insert(path, Bytes::from(fs::read(entry.path()).map_err(fault)?));
        }
    }
    Ok(())
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
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

/// What the panel is told of this deployment. The login of a demonstration is no secret.
fn told(config: &Config) -> String {
    let tiles = config.panel_tiles.as_ref().map(|url| {
        serde_json::json!({ "url": url, "attribution": config.panel_tiles_attribution.as_deref().unwrap_or_default() })
    });
    let demo = config.demo.then(|| serde_json::json!({ "email": EMAIL, "password": PASSWORD }));
    serde_json::json!({ "tiles": tiles, "demo": demo }).to_string()
}

/// What the panel may load: its own files and the API beside it, nothing inline, and pictures of the map from the tile server.
/// Its prices are computed by WebAssembly, which browsers count among scripts.
fn policy(config: &Config) -> Result<HeaderValue, String> {
    let tiles = match &config.panel_tiles {
        Some(url) => format!(" {}", origin(url)?),
        None => String::new(),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'{tiles}; connect-src 'self'; \
         worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).map_err(|error| error.to_string())
}

/// The origin of a tile server's address, of which the path alone has placeholders.
pub(crate) fn origin(url: &str) -> Result<String, String> {
    let fault = || "must be as https://tiles.example/{z}/{x}/{y}.png".to_owned();
    let (scheme, rest) = url.split_once("://").ok_or_else(fault)?;
    let authority = rest.split('/').next().unwrap_or_default();
    let uri: Uri = format!("{scheme}://{authority}").parse().map_err(|_| fault())?;
    let placeholders = ["{z}", "{x}", "{y}"].iter().all(|name| url.contains(name));
    let plain = authority.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'));
    match (uri.host(), scheme) {
        (Some(_), "http" | "https") if placeholders && plain => Ok(format!("{scheme}://{authority}")),
        _ => Err(fault()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(folder: &Path) -> Config {
        Config { panel: Some(folder.to_owned()), ..Config::default() }
    }

    #[test]
    fn the_folders_files_are_served_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>").unwrap();
        fs::write(folder.path().join("assets/a-1.js"), "1").unwrap();
        fs::write(folder.path().join(".env"), "secret").unwrap();
        let panel = Panel::load(&config(folder.path())).unwrap().unwrap();
        assert_eq!(panel.file("/").unwrap().body, "<p>");
        assert_eq!(panel.file("/index.html").unwrap().body, "<p>");
        assert_eq!(panel.file("/panel.json").unwrap().body, r#"{"demo":null,"tiles":null}"#);
        assert!(panel.file("/.env").is_none() && panel.file("/assets").is_none() && panel.file("/../x").is_none());
        let script = panel.file("/assets/a-1.js").unwrap().response(&HeaderMap::new());
        assert!(script.headers()["cache-control"].to_str().unwrap().contains("immutable"));
        let mut again = HeaderMap::new();
        again.insert(header::IF_NONE_MATCH, script.headers()["etag"].clone());
        assert_eq!(panel.file("/assets/a-1.js").unwrap().response(&again).status(), 304);
    }

    #[test]
    fn a_folder_without_a_page_is_told_how_to_build_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Panel::load(&config(folder.path())).unwrap_err().contains("npm run build"));
        assert!(Panel::load(&config(&folder.path().join("none"))).unwrap_err().contains("npm run build"));
        assert!(Panel::load(&Config::default()).unwrap().is_none());
    }

    #[test]
    fn pictures_may_come_from_the_configured_tile_server_alone() {
        let tiles = |url: &str| Config { panel_tiles: Some(url.to_owned()), ..Config::default() };
        let text = |config: &Config| policy(config).unwrap().to_str().unwrap().to_owned();
        assert!(text(&Config::default()).contains("img-src 'self';"));
        let with = tiles("https://tiles.example:8443/osm/{z}/{x}/{y}.png");
        assert!(text(&with).contains("img-src 'self' https://tiles.example:8443;"));
        for bad in [
            "https://{s}.tiles.example/{z}/{x}/{y}.png",
            "https://a.example;script-src/{z}/{x}/{y}",
            "/{z}/{x}/{y}",
            "https://a.example/",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}

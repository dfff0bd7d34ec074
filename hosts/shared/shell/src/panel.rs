//! The merchant panel, the courier's app and the operator's console: their files, their
//! configuration and their content security policy. Hosts read the files.

use std::fmt;

use bytes::Bytes;
use despacho_simulator::demo::{EMAIL, PASSWORD};
use http::{HeaderValue, Response, StatusCode, Uri, header};
use serde::Serialize;

use crate::files::File;

/// The panel's page, which is also served at `/`.
pub const PAGE: &str = "/index.html";
/// The path of the courier's app. The app's cookie has this path too.
const COURIER: &str = "/courier";
/// The page of the courier's app.
const COURIER_PAGE: &str = "/courier.html";
/// The path of the operator's console. Only this path is the page; the paths below it belong to the
/// API.
const CONSOLE: &str = "/admin";
/// The page of the operator's console.
const CONSOLE_PAGE: &str = "/admin.html";
/// The panel's configuration, which the host generates even if the folder has such a file.
pub const CONFIG: &str = "/panel.json";
/// The path of the map's streets, a PMTiles file.
pub const STREETS: &str = "/streets.pmtiles";
/// The instructions to build the panel's files, for errors about missing files.
pub const HOW: &str = "`npm ci && npm run build` in hosts/panel builds it in dist";

/// The folder of files whose names contain a hash of their content, so that browsers can cache them
/// forever.
const NAMED_BY_CONTENT: &str = "/assets/";

/// The panel of a deployment.
#[derive(Clone, Debug)]
pub struct Site {
    policy: HeaderValue,
    config: Bytes,
}

/// The map's tiles.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tiles<'a> {
    /// Attribution text of the tiles.
    pub attribution: &'a str,
    /// URL of the tiles, for example `https://tiles.example/{z}/{x}/{y}.png`.
    pub url: &'a str,
}

/// The map's streets, at [`STREETS`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Streets<'a> {
    /// Attribution text of the streets.
    pub attribution: &'a str,
    /// Path of the PMTiles file.
    pub url: &'a str,
}

/// The sources of the map's background. The panel uses the streets if both are set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Background<'a> {
    /// The streets that the host serves.
    pub streets: Option<Streets<'a>>,
    /// A tile server.
    pub tiles: Option<Tiles<'a>>,
}

/// The reason that a panel cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PanelError {
    /// The URL of the tiles is invalid.
    TilesUrl,
    /// The configuration cannot be serialized.
    Config(String),
}

impl fmt::Display for PanelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PanelError::TilesUrl => {
                f.write_str("must have the form https://tiles.example/{z}/{x}/{y}.png")
            }
            PanelError::Config(detail) => f.write_str(detail),
        }
    }
}

impl std::error::Error for PanelError {}

/// The content of [`CONFIG`].
#[derive(Serialize)]
struct Config<'a> {
    demo: Option<Login>,
    streets: Option<Streets<'a>>,
    tiles: Option<Tiles<'a>>,
}

#[derive(Serialize)]
struct Login {
    email: &'static str,
    password: &'static str,
}

impl Site {
    /// Creates a panel. With `demo` its configuration has the demo login, which is public.
    ///
    /// # Errors
    /// The URL of the tiles is invalid.
    pub fn new(background: Background<'_>, demo: bool) -> Result<Site, PanelError> {
        let Background { streets, tiles } = background;
        let tile_origin = tiles.map(|tiles| origin(tiles.url)).transpose()?;
        let demo = demo.then_some(Login {
            email: EMAIL,
            password: PASSWORD,
        });
        let config = serde_json::to_vec(&Config {
            demo,
            streets,
            tiles,
        })
        .map_err(|error| PanelError::Config(error.to_string()))?;
        Ok(Site {
            policy: policy(tile_origin.as_deref())?,
            config: Bytes::from(config),
        })
    }

    /// Returns a file with this path below the folder, which begins with a slash.
    pub fn file(&self, name: &str, body: Bytes) -> File {
        File::tagged_by_content(
            name,
            body,
            self.policy.clone(),
            name.starts_with(NAMED_BY_CONTENT),
        )
    }

    /// Returns the panel's configuration as the file [`CONFIG`].
    pub fn config(&self) -> File {
        self.file(CONFIG, self.config.clone())
    }
}

/// Whether the path is one of a page.
pub fn is_page(path: &str) -> bool {
    matches!(path, "/" | COURIER | CONSOLE)
}

/// Returns the path of the page whose path is followed by a slash in a request, as many people and
/// programs write it.
pub fn page_before_slash(path: &str) -> Option<&'static str> {
    match path.strip_suffix('/')? {
        COURIER => Some(COURIER),
        CONSOLE => Some(CONSOLE),
        _ => None,
    }
}

/// Returns a redirect to a page, with the request's query.
pub fn redirect(page: &'static str, requested: &Uri) -> Response<Bytes> {
    let query = requested
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let location = HeaderValue::try_from(format!("{page}{query}"));
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    // A query that is not a valid header is also not a valid URL.
    response.headers_mut().insert(
        header::LOCATION,
        location.unwrap_or_else(|_| HeaderValue::from_static(page)),
    );
    response
}

/// Returns the path of the file below the folder for a request's path; `None` for hidden files and
/// paths that lead out of the folder.
pub fn name(path: &str) -> Option<&str> {
    let name = match path {
        "/" => PAGE,
        COURIER => COURIER_PAGE,
        CONSOLE => CONSOLE_PAGE,
        _ => path,
    };
    let plain = |part: &str| {
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(usual)
    };
    name.strip_prefix('/')
        .filter(|rest| rest.split('/').all(plain))
        .map(|_| name)
}

/// The pages load their own files, call the API of their origin, have no inline code, and load map
/// tiles from the tile server. The panel computes prices in WebAssembly, which browsers treat as a
/// script; the courier's app shows photos before it sends them (`blob:`), and the map replaces
/// tiles that left the view by an empty image (`data:`).
fn policy(tiles: Option<&str>) -> Result<HeaderValue, PanelError> {
    let tiles = tiles.map(|origin| format!(" {origin}")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:{tiles}; connect-src 'self'; \
         worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).map_err(|_| PanelError::TilesUrl)
}

/// Returns the origin of a tile server's URL, whose placeholders are only in the path.
///
/// # Errors
/// The URL has another form.
pub fn origin(url: &str) -> Result<String, PanelError> {
    let error = || PanelError::TilesUrl;
    let (scheme, rest) = url.split_once("://").ok_or_else(error)?;
    let authority = rest.split('/').next().unwrap_or_default();
    let uri: Uri = format!("{scheme}://{authority}")
        .parse()
        .map_err(|_| error())?;
    let placeholders = ["{z}", "{x}", "{y}"].iter().all(|name| url.contains(name));
    let plain = authority
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'));
    match (uri.host(), scheme) {
        (Some(_), "http" | "https") if placeholders && plain => {
            Ok(format!("{scheme}://{authority}"))
        }
        _ => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    #[test]
    fn only_plain_names_below_the_folder_are_served() {
        let pages = [
            "/",
            "/courier",
            "/admin",
            "/admin/",
            "/admin/orders",
            "/assets",
        ]
        .map(is_page);
        assert_eq!(pages, [true, true, true, false, false, false]);
        assert_eq!(
            (name("/admin"), name("/admin/")),
            (Some("/admin.html"), None)
        );
        let pages = [
            "/admin/",
            "/courier/",
            "/",
            "//",
            "/admin//",
            "/admin/orders/",
            "/admin",
        ]
        .map(page_before_slash);
        assert_eq!(
            pages,
            [
                Some("/admin"),
                Some("/courier"),
                None,
                None,
                None,
                None,
                None
            ]
        );
        let redirected = redirect("/courier", &Uri::from_static("/courier/?code=a%20b"));
        assert_eq!(
            (redirected.status(), &redirected.headers()["location"]),
            (
                StatusCode::PERMANENT_REDIRECT,
                &HeaderValue::from_static("/courier?code=a%20b")
            )
        );
        assert_eq!(
            (name("/"), name("/assets/a-1_b.js")),
            (Some(PAGE), Some("/assets/a-1_b.js"))
        );
        assert_eq!(
            (name("/courier"), name("/courier-sw.js")),
            (Some("/courier.html"), Some("/courier-sw.js"))
        );
        for path in [
            "",
            "a",
            "//",
            "/.env",
            "/a/../b",
            "/a//b",
            "/a/",
            "/%2e%2e/b",
            "/a\\b",
            "/a b",
            "/assets/.x",
        ] {
            assert_eq!(name(path), None, "{path}");
        }
    }

    #[test]
    fn files_named_by_their_content_are_immutable() {
        let site = Site::new(Background::default(), false).unwrap();
        let script = site.file("/assets/a-1.js", Bytes::from_static(b"1"));
        let sent = script.response(&HeaderMap::new());
        assert_eq!(
            sent.headers()["content-type"],
            "text/javascript; charset=utf-8"
        );
        assert!(
            sent.headers()["cache-control"]
                .to_str()
                .unwrap()
                .contains("immutable")
        );
        let mut again = HeaderMap::new();
        again.insert(header::IF_NONE_MATCH, sent.headers()["etag"].clone());
        assert_eq!(script.response(&again).status(), 304);
        let page = site.file(PAGE, Bytes::from_static(b"<p>")).response(&again);
        assert_eq!(
            (page.status(), &page.headers()["cache-control"]),
            (StatusCode::OK, &"no-cache".parse().unwrap())
        );
        assert_eq!(
            site.config().body,
            r#"{"demo":null,"streets":null,"tiles":null}"#
        );
    }

    #[test]
    fn worker_and_manifest_are_revalidated() {
        let site = Site::new(Background::default(), false).unwrap();
        for (name, content_type) in [
            ("/courier-sw.js", "text/javascript; charset=utf-8"),
            ("/courier.webmanifest", "application/manifest+json"),
        ] {
            let sent = site
                .file(name, Bytes::from_static(b"1"))
                .response(&HeaderMap::new());
            assert_eq!(
                (
                    &sent.headers()["content-type"],
                    &sent.headers()["cache-control"]
                ),
                (&content_type.parse().unwrap(), &"no-cache".parse().unwrap())
            );
        }
    }

    #[test]
    fn policy_allows_only_the_configured_tile_server() {
        let text = |tiles| {
            let site = Site::new(
                Background {
                    streets: None,
                    tiles,
                },
                true,
            )
            .unwrap();
            site.config().response(&HeaderMap::new()).headers()["content-security-policy"]
                .to_str()
                .unwrap()
                .to_owned()
        };
        assert!(text(None).contains("img-src 'self' blob: data:;"));
        let url = "https://tiles.example:8443/osm/{z}/{x}/{y}.png";
        assert!(
            text(Some(Tiles {
                url,
                attribution: ""
            }))
            .contains("img-src 'self' blob: data: https://tiles.example:8443;")
        );
        for bad in [
            "https://{s}.tiles.example/{z}/{x}/{y}.png",
            "https://a.example;script-src/{z}/{x}/{y}",
            "/{z}/{x}/{y}",
            "https://a.example/",
        ] {
            let tiles = Some(Tiles {
                url: bad,
                attribution: "",
            });
            assert!(
                origin(bad).is_err()
                    && Site::new(
                        Background {
                            streets: None,
                            tiles
                        },
                        false
                    )
                    .is_err()
            );
        }
    }
}

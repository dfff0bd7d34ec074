//! The session cookie of the courier's app.

use http::{HeaderMap, header, request::Parts};

use crate::{model::Duration, rules::settings::Settings};

/// The name of the cookie.
const NAME: &str = "despacho-courier";

/// Returns the value of the session cookie.
pub(super) fn session(headers: &HeaderMap) -> Option<&str> {
    // HTTP/2 clients can split the cookies into several headers.
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = values.flat_map(|value| value.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(name, _)| *name == NAME).map(|(_, value)| value)
}

/// Whether a page of another origin sent this write. Browsers send a `SameSite=Strict` cookie also for pages of other origins of the same
/// site, such as another subdomain. Clients that are not browsers do not send the header.
pub(super) fn is_from_another_origin(parts: &Parts) -> bool {
    let site = parts.headers.get("sec-fetch-site");
    !parts.method.is_safe() && site.is_some_and(|site| site != "same-origin")
}

/// Returns `Set-Cookie` for a new session, which scripts cannot read and pages of other sites cannot send.
pub(super) fn start(value: &str, settings: &Settings) -> String {
    let validity = Duration::minutes(i64::from(settings.couriers.session_days) * 24 * 60);
    with_attributes(value, validity.seconds_ceil(), settings)
}

/// Returns `Set-Cookie` that removes the cookie.
pub(super) fn end(settings: &Settings) -> String {
    with_attributes("", 0, settings)
}

fn with_attributes(value: &str, max_age: u64, settings: &Settings) -> String {
    // Browsers reject a secure cookie over HTTP.
    let is_secure = settings.public_url.as_deref().is_some_and(|url| url.starts_with("https:"));
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{NAME}={value}; Path=/courier; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}")
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(method: &str, headers: &[(&str, &str)]) -> Parts {
        let request = headers
            .iter()
            .fold(Request::builder().method(method), |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn session_is_read_from_any_cookie_header() {
        for (cookies, expected) in [
            (&["despacho-courier=a"][..], Some("a")),
            (&["x=1; despacho-courier=a; y=2"], Some("a")),
            (&["x=1", "y=despacho-courier; despacho-courier=a=b"], Some("a=b")),
            (&["despacho-courier=a; despacho-courier=b"], Some("a")),
            (&["despacho-courier"], None),
            (&["Despacho-Courier=a", "xdespacho-courier=a"], None),
            (&[], None),
        ] {
            let headers: Vec<_> = cookies.iter().map(|cookie| ("cookie", *cookie)).collect();
            assert_eq!(session(&parts("GET", &headers).headers), expected, "{cookies:?}");
        }
    }

    #[test]
    fn writes_of_other_origins_are_recognised() {
        for (method, site, expected) in [
            ("POST", Some("cross-site"), true),
            ("DELETE", Some("same-site"), true),
            ("POST", Some("none"), true),
            ("POST", Some("same-origin"), false),
            ("POST", None, false),
            ("GET", Some("cross-site"), false),
            ("HEAD", Some("cross-site"), false),
        ] {
            let headers: Vec<_> = site.map(|site| ("sec-fetch-site", site)).into_iter().collect();
            assert_eq!(is_from_another_origin(&parts(method, &headers)), expected, "{method} {site:?}");
        }
    }

    #[test]
    fn cookie_is_secure_only_over_https() {
        let with = |url: Option<&str>| Settings { public_url: url.map(str::to_owned), ..Settings::default() };
        let base = "despacho-courier=s; Path=/courier; HttpOnly; SameSite=Strict; Max-Age=2592000";
        assert_eq!(start("s", &with(None)), base);
        assert_eq!(start("s", &with(Some("http://127.0.0.1:8080"))), base);
        assert_eq!(start("s", &with(Some("https://entregas.example"))), format!("{base}; Secure"));
        assert_eq!(end(&with(None)), "despacho-courier=; Path=/courier; HttpOnly; SameSite=Strict; Max-Age=0");
    }
}

//! Session cookies.

use http::{HeaderMap, header, request::Parts};

use crate::{model::Duration, rules::settings::Settings};

/// A session cookie.
pub(super) struct SessionCookie {
    name: &'static str,
    path: &'static str,
}

/// The cookie of the courier's app.
pub(super) const COURIER: SessionCookie = SessionCookie { name: "despacho-courier", path: "/courier" };
/// The cookie of the operator's panel.
pub(super) const OPERATOR: SessionCookie = SessionCookie { name: "despacho-operator", path: "/admin" };

/// Whether a page of another origin sent this write. Browsers send a `SameSite=Strict` cookie also for pages of other origins of the same
/// site, such as another subdomain. Clients that are not browsers do not send the header.
pub(super) fn is_from_another_origin(parts: &Parts) -> bool {
    let site = parts.headers.get("sec-fetch-site");
    !parts.method.is_safe() && site.is_some_and(|site| site != "same-origin")
}

impl SessionCookie {
    /// Returns the cookie's value.
    pub(super) fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        // HTTP/2 clients can split the cookies into several headers.
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = values.flat_map(|value| value.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        cookies.find(|(name, _)| *name == self.name).map(|(_, value)| value)
    }

    /// Returns `Set-Cookie` for a new session, which scripts cannot read and pages of other sites cannot send.
    pub(super) fn start(&self, value: &str, validity: Duration, settings: &Settings) -> String {
        self.with_attributes(value, validity.seconds_ceil(), settings)
    }

    /// Returns `Set-Cookie` that removes the cookie.
    pub(super) fn end(&self, settings: &Settings) -> String {
        self.with_attributes("", 0, settings)
    }

    fn with_attributes(&self, value: &str, max_age: u64, settings: &Settings) -> String {
        let SessionCookie { name, path } = self;
        // Browsers reject a secure cookie over HTTP.
        let is_secure = settings.public_url.as_deref().is_some_and(|url| url.starts_with("https:"));
        let secure = if is_secure { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}")
    }
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
            assert_eq!(COURIER.read(&parts("GET", &headers).headers), expected, "{cookies:?}");
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
        let start = |url| COURIER.start("s", Duration::minutes(60), &with(url));
        let base = "despacho-courier=s; Path=/courier; HttpOnly; SameSite=Strict; Max-Age=3600";
        assert_eq!(start(None), base);
        assert_eq!(start(Some("http://127.0.0.1:8080")), base);
        assert_eq!(start(Some("https://entregas.example")), format!("{base}; Secure"));
        let ended = "despacho-operator=; Path=/admin; HttpOnly; SameSite=Strict; Max-Age=0";
        assert_eq!(OPERATOR.end(&with(None)), ended);
    }
}

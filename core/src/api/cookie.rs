//! Session cookies.

use http::{HeaderMap, header, request::Parts};

use crate::{model::Duration, rules::settings::Settings};

/// A session cookie.
pub(super) struct SessionCookie {
    name: &'static str,
    path: &'static str,
}

/// The cookie of the courier's app.
pub(super) const COURIER: SessionCookie = SessionCookie {
    name: "despacho-courier",
    path: "/courier",
};
/// The cookie of the operator's panel.
pub(super) const OPERATOR: SessionCookie = SessionCookie {
    name: "despacho-operator",
    path: "/admin",
};

/// Whether a page of another origin sent this write, or whether its headers do not show clearly
/// that none did. Browsers send a `SameSite=Strict` cookie also for pages of other origins of the
/// same site, such as another subdomain. Clients that are not browsers send neither
/// `Sec-Fetch-Site` nor `Origin`. A browser sends each header at most once.
pub(super) fn is_from_another_origin(parts: &Parts, public_url: Option<&str>) -> bool {
    if parts.method.is_safe() {
        return false;
    }
    let (sites, origins) = (values(parts, "sec-fetch-site"), values(parts, "origin"));
    let (is_same_origin, is_clear) = match sites[..] {
        [] => (false, true),
        [site] => (site == "same-origin", site == "same-origin"),
        _ => (false, false),
    };
    let is_own = match origins[..] {
        [] => true,
        // A form of a page without a referrer has this origin.
        ["null"] => is_same_origin,
        [origin] => is_own_origin(origin, parts, public_url).unwrap_or(is_same_origin),
        _ => false,
    };
    !(is_clear && is_own)
}

/// Returns the values of a header. One that is not text counts as an empty one.
fn values<'a>(parts: &'a Parts, name: &str) -> Vec<&'a str> {
    parts
        .headers
        .get_all(name)
        .iter()
        .map(|value| value.to_str().unwrap_or_default().trim())
        .collect()
}

/// Returns whether an origin is the deployment's public URL or the host to which the request was
/// sent; `None` if neither is known.
fn is_own_origin(origin: &str, parts: &Parts, public_url: Option<&str>) -> Option<bool> {
    let public = public_url.map(|url| url.trim_end_matches('/'));
    if public.is_some_and(|url| url.eq_ignore_ascii_case(origin)) {
        return Some(true);
    }
    let named = parts
        .headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = named.or_else(|| parts.uri.authority().map(|authority| authority.as_str()));
    let Some(host) = host else {
        return public.map(|_| false);
    };
    let authority = |url: &str| -> Option<String> {
        let (scheme, authority) = url.split_once("://")?;
        let port = if scheme.eq_ignore_ascii_case("https") {
            ":443"
        } else {
            ":80"
        };
        Some(
            authority
                .strip_suffix(port)
                .unwrap_or(authority)
                .to_ascii_lowercase(),
        )
    };
    let own = [format!("http://{host}"), format!("https://{host}")];
    let is_own = own
        .iter()
        .any(|own| authority(own).is_some() && authority(own) == authority(origin));
    // The public URL decides about the scheme of its own host.
    Some(is_own && public.and_then(authority) != authority(origin))
}

impl SessionCookie {
    /// Returns the cookie's value.
    pub(super) fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        // HTTP/2 clients can split the cookies into several headers.
        let values = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut cookies = values
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        cookies
            .find(|(name, _)| *name == self.name)
            .map(|(_, value)| value)
    }

    /// Returns `Set-Cookie` for a new session, which scripts cannot read and pages of other sites
    /// cannot send.
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
        let is_secure = settings
            .public_url
            .as_deref()
            .is_some_and(|url| url.starts_with("https:"));
        let secure = if is_secure { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}")
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(method: &str, headers: &[(&str, &str)]) -> Parts {
        let request = headers.iter().fold(
            Request::builder().method(method),
            |request, (name, value)| request.header(*name, *value),
        );
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn session_is_read_from_any_cookie_header() {
        for (cookies, expected) in [
            (&["despacho-courier=a"][..], Some("a")),
            (&["x=1; despacho-courier=a; y=2"], Some("a")),
            (
                &["x=1", "y=despacho-courier; despacho-courier=a=b"],
                Some("a=b"),
            ),
            (&["despacho-courier=a; despacho-courier=b"], Some("a")),
            (&["despacho-courier"], None),
            (&["Despacho-Courier=a", "xdespacho-courier=a"], None),
            (&[], None),
        ] {
            let headers: Vec<_> = cookies.iter().map(|cookie| ("cookie", *cookie)).collect();
            assert_eq!(
                COURIER.read(&parts("GET", &headers).headers),
                expected,
                "{cookies:?}"
            );
        }
    }

    #[test]
    fn writes_of_other_origins_are_recognised() {
        for (method, sites, expected) in [
            ("POST", &["cross-site"][..], true),
            ("DELETE", &["same-site"], true),
            ("POST", &["none"], true),
            ("POST", &["same-origin"], false),
            ("POST", &["same-origin", "cross-site"], true),
            ("POST", &["cross-site", "same-origin"], true),
            ("POST", &["same-origin", "same-origin"], true),
            ("POST", &["same-origin, cross-site"], true),
            ("POST", &["Same-Origin"], true),
            ("POST", &[""], true),
            ("POST", &[], false),
            ("GET", &["cross-site"], false),
            ("HEAD", &["cross-site"], false),
        ] {
            let headers: Vec<_> = sites.iter().map(|site| ("sec-fetch-site", *site)).collect();
            assert_eq!(
                is_from_another_origin(&parts(method, &headers), None),
                expected,
                "{method} {sites:?}"
            );
        }
    }

    #[test]
    fn origin_must_be_the_public_url_or_the_host() {
        let own = "https://entregas.example";
        for (origins, host, public, same_origin, expected) in [
            (
                &["https://entregas.example"][..],
                None,
                Some(own),
                false,
                false,
            ),
            (&["https://ENTREGAS.example"], None, Some(own), false, false),
            (&["https://evil.example"], None, Some(own), true, true),
            (
                &["http://entregas.example"],
                Some("entregas.example"),
                Some(own),
                false,
                true,
            ),
            (
                &["http://10.0.0.7:8080"],
                Some("10.0.0.7:8080"),
                Some(own),
                false,
                false,
            ),
            (
                &["http://10.0.0.7:8080"],
                Some("10.0.0.7:8080"),
                None,
                false,
                false,
            ),
            (
                &["http://10.0.0.7:8081"],
                Some("10.0.0.7:8080"),
                None,
                false,
                true,
            ),
            (
                &["https://entregas.example"],
                Some("entregas.example:443"),
                None,
                false,
                false,
            ),
            (
                &["https://entregas.example.evil.example"],
                Some("entregas.example"),
                None,
                false,
                true,
            ),
            (
                &["https://evil.example"],
                Some("entregas.example"),
                None,
                true,
                true,
            ),
            (
                &["entregas.example"],
                Some("entregas.example"),
                None,
                false,
                true,
            ),
            (&[""], Some("entregas.example"), None, false, true),
            (&["null"], Some("entregas.example"), None, false, true),
            (&["null"], Some("entregas.example"), None, true, false),
            (&[own, own], Some("entregas.example"), Some(own), true, true),
            (
                &[own, "https://evil.example"],
                Some("entregas.example"),
                Some(own),
                true,
                true,
            ),
            // A host that is not told its name relies on the browser.
            (&["https://entregas.example"], None, None, true, false),
            (&["https://entregas.example"], None, None, false, true),
        ] {
            let mut headers: Vec<_> = origins.iter().map(|origin| ("origin", *origin)).collect();
            headers.extend(host.map(|host| ("host", host)));
            headers.extend(same_origin.then_some(("sec-fetch-site", "same-origin")));
            let is_foreign = is_from_another_origin(&parts("POST", &headers), public);
            assert_eq!(is_foreign, expected, "{headers:?} {public:?}");
        }
    }

    #[test]
    fn cookie_is_secure_only_over_https() {
        let with = |url: Option<&str>| Settings {
            public_url: url.map(str::to_owned),
            ..Settings::default()
        };
        let start = |url| COURIER.start("s", Duration::minutes(60), &with(url));
        let base = "despacho-courier=s; Path=/courier; HttpOnly; SameSite=Strict; Max-Age=3600";
        assert_eq!(start(None), base);
        assert_eq!(start(Some("http://127.0.0.1:8080")), base);
        assert_eq!(
            start(Some("https://entregas.example")),
            format!("{base}; Secure")
        );
        let ended = "despacho-operator=; Path=/admin; HttpOnly; SameSite=Strict; Max-Age=0";
        assert_eq!(OPERATOR.end(&with(None)), ended);
    }
}

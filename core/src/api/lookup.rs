//! Finds the endpoint of a request.

use http::Method;

use super::{endpoints::ROUTES, route::Route};

/// The result of looking up a method and a path.
pub(super) enum Match<'a> {
    /// The index of an endpoint in [`ROUTES`], its route, and the ID in the path, or an empty
    /// string.
    Found(usize, &'static Route, &'a str),
    /// The path exists with other methods, which are listed for the `Allow` header.
    OtherMethods(String),
    /// The path does not exist.
    NotFound,
}

/// Looks up a method and a path. `HEAD` matches `GET`. If two paths match, the one without a
/// placeholder wins.
pub(super) fn find<'a>(method: &Method, path: &'a str) -> Match<'a> {
    let wanted = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let mut existing = None;
    for (index, route) in ROUTES.iter().enumerate() {
        if route.path == path {
            if route.method == wanted {
                return Match::Found(index, route, "");
            }
            existing = Some(route.path);
        }
    }
    if let Some(path) = existing {
        return Match::OtherMethods(allowed(path));
    }
    for (index, route) in ROUTES.iter().enumerate() {
        let Some(id) = captured(route.path, path) else {
            continue;
        };
        if *existing.get_or_insert(route.path) != route.path {
            break;
        }
        if route.method == wanted {
            return Match::Found(index, route, id);
        }
    }
    existing.map_or(Match::NotFound, |path| Match::OtherMethods(allowed(path)))
}

/// Returns the part of a path that matches the template's placeholder, or an empty string without a
/// placeholder; `None` if the path does not match.
fn captured<'a>(template: &str, path: &'a str) -> Option<&'a str> {
    let (before, rest) = template.split_once('{')?;
    let (_, after) = rest.split_once('}')?;
    let id = path.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// Returns the methods that a path accepts, for the `Allow` header.
fn allowed(template: &str) -> String {
    let takes = |method: &Method| {
        ROUTES
            .iter()
            .any(|route| route.path == template && route.method == method)
    };
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ]
    .into_iter()
    .filter(takes);
    let names = methods.map(|method| {
        if method == Method::GET {
            "GET, HEAD".to_owned()
        } else {
            method.to_string()
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(method: Method, path: &str) -> Option<(&'static str, &str)> {
        match find(&method, path) {
            Match::Found(_, route, id) => Some((route.template, id)),
            _ => None,
        }
    }

    #[test]
    fn path_lookup_returns_endpoint_and_id() {
        assert_eq!(
            endpoint(Method::POST, "/delivery/orders"),
            Some(("POST /delivery/orders", ""))
        );
        assert_eq!(
            endpoint(Method::POST, "/delivery/orders/preview"),
            Some(("POST /delivery/orders/preview", ""))
        );
        assert_eq!(
            endpoint(Method::GET, "/delivery/orders/12"),
            Some(("GET /delivery/orders/{platformOrderId}", "12"))
        );
        assert_eq!(
            endpoint(Method::HEAD, "/delivery/orders/12"),
            Some(("GET /delivery/orders/{platformOrderId}", "12"))
        );
        assert_eq!(
            endpoint(Method::POST, "/delivery/notifications/3/read"),
            Some(("POST /delivery/notifications/{notificationId}/read", "3"))
        );
        for unknown in [
            "/",
            "/delivery/orders/",
            "/delivery/orders/1/2",
            "/delivery/notifications//read",
            "/Delivery/orders",
        ] {
            assert!(
                matches!(find(&Method::GET, unknown), Match::NotFound),
                "{unknown}"
            );
        }
    }

    #[test]
    fn allow_header_lists_every_method_of_a_path() {
        for route in ROUTES {
            let Match::OtherMethods(allow) =
                find(&Method::TRACE, &route.path.replace(['{', '}'], ""))
            else {
                panic!("{} accepts TRACE", route.template);
            };
            let methods: Vec<_> = ROUTES
                .iter()
                .filter(|other| other.path == route.path)
                .collect();
            assert!(
                methods
                    .iter()
                    .all(|other| allow.contains(other.method.as_str())),
                "{}",
                route.template
            );
            let named = allow.split(", ").filter(|method| *method != "HEAD").count();
            assert_eq!(named, methods.len(), "{}", route.template);
        }
        assert!(
            matches!(find(&Method::GET, "/delivery/orders/preview"), Match::OtherMethods(allow) if allow == "POST")
        );
    }
}

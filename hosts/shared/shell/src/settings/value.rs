//! Checks and normalizes the strings of settings.

use std::{fmt, net::SocketAddr};

use despacho_core::{
    json,
    model::{PixKey, PixRecipient},
    rules::{
        pricing::Tariff,
        push::{self, VapidKey},
        settings::{Secret, operator_token},
    },
};
use http::{HeaderName, HeaderValue, Uri};
use serde_json::Value;

type Parsed = Result<String, ValueError>;

/// A value is invalid. The text states which values are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError(String);

impl ValueError {
    pub(super) fn new(detail: impl fmt::Display) -> ValueError {
        ValueError(detail.to_string())
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ValueError {}

/// Reads a tariff from JSON.
///
/// # Errors
/// The tariff is invalid. The error lists every reason.
pub fn tariff(text: &str) -> Result<Tariff, ValueError> {
    let tariff: Tariff =
        json::from_str(text).map_err(|error| ValueError(format!("is not a tariff: {error}")))?;
    let errors: Vec<String> = tariff.errors().iter().map(ToString::to_string).collect();
    if errors.is_empty() {
        Ok(tariff)
    } else {
        Err(ValueError(format!(
            "is not a tariff: {}",
            errors.join("; ")
        )))
    }
}

pub(super) fn tariff_json(text: &str) -> Parsed {
    tariff(text).map(|_| text.to_owned())
}

pub(super) fn base_url(text: &str) -> Parsed {
    despacho_geo::base_url(text).map_err(ValueError::new)
}

pub(super) fn profile(text: &str) -> Parsed {
    despacho_geo::profile(text).map_err(ValueError::new)
}

pub(super) fn address(text: &str) -> Parsed {
    let text = text.trim();
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text).parse::<SocketAddr>();
    let address = address.map_err(|_| {
        ValueError::new("must be ADDRESS:PORT, for example 127.0.0.1:8080 or [::]:8080")
    })?;
    Ok(address.to_string())
}

pub(super) fn path(text: &str) -> Parsed {
    if text.is_empty() || text.contains('\0') {
        Err(ValueError::new("must be a path"))
    } else {
        Ok(text.to_owned())
    }
}

pub(super) fn any(text: &str) -> Parsed {
    Ok(text.trim().to_owned())
}

pub(super) fn secret(text: &str) -> Parsed {
    Secret::parse(text)
        .map(|_| text.trim().to_owned())
        .map_err(ValueError::new)
}

pub(super) fn token(text: &str) -> Parsed {
    operator_token(text)
        .map(|_| text.trim().to_owned())
        .map_err(ValueError::new)
}

pub(super) fn vapid_key(text: &str) -> Parsed {
    VapidKey::parse(text)
        .map(|_| text.trim().to_owned())
        .map_err(ValueError::new)
}

pub(super) fn pix_key(text: &str) -> Parsed {
    PixKey::parse(text)
        .map(|_| text.trim().to_owned())
        .map_err(ValueError::new)
}

/// A name or a city in Pix codes.
pub(super) fn pix_text(text: &str) -> Parsed {
    let text = text.trim();
    if PixRecipient::is_printable(text) {
        Ok(text.to_owned())
    } else {
        Err(ValueError::new("must have a letter or a digit"))
    }
}

pub(super) fn push_contact(text: &str) -> Parsed {
    push::contact(text).map_err(ValueError::new)
}

/// An origin: scheme, host and port, without a path.
pub(super) fn origin(text: &str) -> Parsed {
    let error = || {
        ValueError(format!(
            "{text} is not an origin: write scheme://host or scheme://host:port without a path"
        ))
    };
    let (scheme, host) = text.split_once("://").ok_or_else(error)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if matches!(scheme, "http" | "https") && !host.is_empty() && host.chars().all(is_plain) {
        // Browsers send origins in lower case.
        Ok(text.to_ascii_lowercase())
    } else {
        Err(error())
    }
}

/// A base URL of scheme, host and port. A slash at its end is removed.
pub(super) fn public_url(text: &str) -> Parsed {
    let text = text.trim();
    let url = text.strip_suffix('/').unwrap_or(text);
    let authority = url.split_once("://").map_or("", |(_, authority)| authority);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let has_valid_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let has_host = !host.is_empty() && has_valid_port && url.parse::<Uri>().is_ok();
    origin(url).ok().filter(|_| has_host).ok_or_else(|| {
        ValueError::new("must be https://HOST or http://HOST, with a port if it is not the default, and without a path")
    })
}

pub(super) fn tiles(text: &str) -> Parsed {
    crate::panel::origin(text.trim())
        .map(|_| text.trim().to_owned())
        .map_err(ValueError::new)
}

pub(super) fn collector(text: &str) -> Parsed {
    let text = text.trim();
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    match (rest, text.parse::<Uri>()) {
        (Some(rest), Ok(uri)) if uri.host().is_some() && !rest.contains(['?', '#', '@']) => {
            Ok(text.to_owned())
        }
        _ => Err(ValueError::new(
            "must be http://HOST:PORT or https://HOST:PORT, with a path if the collector has one",
        )),
    }
}

/// A header as `NAME=VALUE`.
pub(super) fn header(text: &str) -> Parsed {
    split_header(text).map(|_| text.trim().to_owned())
}

/// Splits `NAME=VALUE` into a header.
pub(super) fn split_header(text: &str) -> Result<(HeaderName, HeaderValue), ValueError> {
    let pair = || {
        let (name, value) = text.split_once('=')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    };
    pair().ok_or_else(|| ValueError::new("must be NAME=VALUE, several separated by commas"))
}

/// A header's name of letters, digits and hyphens, because proxies drop other names.
pub(super) fn header_name(text: &str) -> Parsed {
    let is_plain = text
        .trim()
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match HeaderName::from_bytes(text.trim().as_bytes()) {
        Ok(name) if is_plain => Ok(name.to_string()),
        _ => Err(ValueError::new(
            "must be a header's name, for example spin-client-addr",
        )),
    }
}

pub(super) fn postgres(text: &str) -> Parsed {
    let text = text.trim();
    let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
    if is_postgres {
        Ok(text.to_owned())
    } else {
        Err(ValueError::new(
            "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE",
        ))
    }
}

/// Returns a scalar or a list of strings as the string that a flag would have.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Array(items) => items
            .iter()
            .map(Value::as_str)
            .collect::<Option<Vec<_>>>()
            .map(|texts| texts.join(",")),
        Value::Null | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_256_bits_and_tokens_have_minimum_length() {
        assert!(secret(&"0f".repeat(32)).is_ok());
        for text in ["", "0f", &"0g".repeat(32), &"é".repeat(32)] {
            assert!(secret(text).is_err(), "{text}");
        }
        assert!(token("short").is_err() && token("has a space in the middle").is_err());
        assert!(token("operator-token-0123456789").is_ok());
    }

    #[test]
    fn origins_have_no_path_and_no_wildcard() {
        assert_eq!(
            origin("https://A.example").as_deref(),
            Ok("https://a.example")
        );
        assert!(origin("http://localhost:5173").is_ok());
        for text in [
            "*",
            "https://a.example/",
            "a.example",
            "ftp://a.example",
            "https://",
        ] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn public_urls_are_origins_with_an_optional_slash() {
        for (text, url) in [
            ("https://Entregas.example", "https://entregas.example"),
            (" http://127.0.0.1:8080/ ", "http://127.0.0.1:8080"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(public_url(text).as_deref(), Ok(url));
        }
        for text in [
            "",
            "/",
            "entregas.example",
            "ftp://a.example",
            "https://",
            "https:///",
            "https://:443",
            "https://a.example:x",
            "https://a.example:99999",
            "https://a.example:",
            "https://a.example/api",
            "https://a.example//",
            "https://u:p@a.example",
            "https://a.example?x",
            "https://a.example#x",
            "https://a b",
            "https://é.example",
        ] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn collectors_are_urls_and_headers_are_pairs() {
        assert!(
            collector("http://127.0.0.1:4318").is_ok()
                && collector("https://otlp.example/v1/traces").is_ok()
        );
        for text in [
            "",
            "127.0.0.1:4318",
            "grpc://c:4317",
            "http://",
            "http://a b",
            "http://u:p@c:1",
            "http://c/?k=1",
        ] {
            assert!(collector(text).is_err(), "{text}");
        }
        assert!(
            header("authorization=Bearer a=b").is_ok()
                && header("no pair").is_err()
                && header("a b=c").is_err()
        );
    }

    #[test]
    fn listen_address_can_name_localhost() {
        assert_eq!(address(" localhost:80 ").as_deref(), Ok("127.0.0.1:80"));
        assert!(
            address("nowhere").is_err()
                && header_name("true client ip").is_err()
                && postgres("mysql://x").is_err()
        );
    }
}

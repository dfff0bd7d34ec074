//! Settings of traces for OpenTelemetry.

use http::{HeaderName, HeaderValue};

use super::{
    fields::{Field, field},
    value,
};

pub(super) const ENDPOINT: Field = field!(
    "otlp.endpoint",
    "URL",
    "The collector that traces are sent to by the OpenTelemetry protocol (HTTP, JSON), as http://127.0.0.1:4318; without it nothing is traced",
    text,
    |c, text, _| endpoint(text).map(|v| c.otlp.endpoint = Some(v)),
    |c| c.otlp.endpoint.clone().unwrap_or_default()
);

pub(super) const HEADERS: Field = field!(
    "otlp.headers",
    "NAME=VALUE,...",
    "Headers that the collector wants, as authorization=Bearer xyz",
    secret,
    |c, text, _| headers(text).map(|v| c.otlp.headers = v),
    |c| if c.otlp.headers.is_empty() { String::new() } else { "set".to_owned() }
);

pub(super) const SAMPLE: Field = field!(
    "otlp.sample-percent",
    "PERCENT",
    "Of traces that begin here, how many are recorded; where a caller's trace goes on, the caller decides",
    0..=100,
    otlp.sample_percent
);

fn endpoint(text: &str) -> Result<String, String> {
    let text = text.trim();
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    match (rest, text.parse::<http::Uri>()) {
        (Some(rest), Ok(uri)) if uri.host().is_some() && !rest.contains(['?', '#', '@']) => Ok(text.to_owned()),
        _ => Err("must be http://HOST:PORT or https://HOST:PORT, with a path where the collector has one".to_owned()),
    }
}

fn headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    };
    let pairs = text.split(',').filter(|part| !part.trim().is_empty()).map(pair);
    pairs.collect::<Option<Vec<_>>>().ok_or_else(|| "must be NAME=VALUE, several separated by commas".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_an_address_and_headers_are_pairs() {
        assert!(endpoint("http://127.0.0.1:4318").is_ok() && endpoint("https://otlp.example/v1/traces").is_ok());
        for text in ["", "127.0.0.1:4318", "grpc://c:4317", "http://", "http://a b", "http://u:p@c:1", "http://c/?k=1"]
        {
            assert!(endpoint(text).is_err(), "{text}");
        }
        assert_eq!(headers("authorization=Bearer a=b, x-team = despacho").unwrap().len(), 2);
        assert!(headers("no pair").is_err() && headers("a b=c").is_err());
    }
}

//! Media types and sizes of bodies.

use http::{HeaderMap, header, request::Parts};

use super::problem::{Problem, ProblemCode};
use crate::model::quality;

/// The media type of most bodies.
pub(super) const JSON: &str = "application/json";
/// The media type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// The media types of photos.
pub(super) const PHOTOS: &[&str] = &["image/jpeg", "image/png", "image/webp"];

/// Returns the problem of a body of more than `max` bytes.
pub(super) fn too_large(max: usize) -> Problem {
    Problem::new(
        ProblemCode::BodyTooLarge,
        format!("The request body is too large. Send at most {max} bytes."),
        format!("O corpo da requisição é grande demais. Envie no máximo {max} bytes."),
    )
}

/// Returns the media type of a request's body, without parameters.
pub(super) fn sent_type(parts: &Parts) -> &str {
    let media = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    media
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
}

/// Returns a parameter of a media type in the `Accept` headers, without quotes.
pub(super) fn parameter<'a>(headers: &'a HeaderMap, media: &str, name: &str) -> Option<&'a str> {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut ranges = values
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').map(str::trim));
    ranges.find_map(|mut parts| {
        parts
            .next()
            .filter(|range| range.eq_ignore_ascii_case(media))?;
        let mut pairs = parts.filter_map(|part| part.split_once('='));
        pairs
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim_matches('"'))
    })
}

/// Whether the `Accept` headers allow a media type: there is none, all are empty, or a range with a
/// weight above zero matches. `application/problem+json` also allows JSON.
pub(super) fn takes(headers: &HeaderMap, media: &str) -> bool {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut values = values.filter(|value| !value.trim().is_empty()).peekable();
    if values.peek().is_none() {
        return true;
    }
    let family = media.split('/').next().unwrap_or_default();
    let takes = |range: &str| {
        let mut parts = range.split(';').map(str::trim);
        let range = parts.next().unwrap_or_default().to_ascii_lowercase();
        let rejected = parts.any(|part| part.strip_prefix("q=").and_then(quality) == Some(0.0));
        let problems = media == "application/json" && range == "application/problem+json";
        !rejected
            && (range == "*/*" || range == media || range == format!("{family}/*") || problems)
    };
    values.any(|value| value.split(',').any(takes))
}

/// Whether the response is CSV: the caller accepts it, and does not list JSON instead.
pub(super) fn wants_csv(headers: &HeaderMap) -> bool {
    takes(headers, "text/csv") && !names_json(headers)
}

/// Whether `Accept` lists JSON but not CSV. Many clients add `*/*`, which must not select CSV.
fn names_json(headers: &HeaderMap) -> bool {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let named = values.collect::<Vec<_>>().join(",").to_ascii_lowercase();
    named.contains("application/json") && !named.contains("text/csv")
}

//! Strict handling of request bodies: unknown fields are rejected by name, with the nearest known
//! one.
//!
//! A client chooses it with `Prefer: handling=strict` (RFC 7240). Sandbox stores, with which
//! integrations are tested, are strict unless the request contains `handling=lenient`.

use http::{HeaderMap, HeaderValue};
use serde::de::DeserializeOwned;

use super::{
    call::Call,
    problem::{FieldError, Problem},
    read::{self, Body},
    route::{Access, Content, Route},
    validate::UNKNOWN_FIELD,
};
use crate::{
    json::{Tree, UnknownField},
    model::Text,
};

impl<H> Call<'_, H> {
    /// Reads the body.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<Body<T>, Problem> {
        self.read_with::<T, T>()
    }

    /// Reads the body of a preview or of another request that accepts the fields of `Known`, which
    /// has all fields of `T`.
    pub(super) fn read_with<T: DeserializeOwned, Known: DeserializeOwned>(
        &self,
    ) -> Result<Body<T>, Problem> {
        self.read_parsed::<T, Known>(read::parse(self.body)?, None)
    }

    /// Reads a body that was parsed, and that also has a field of another type.
    pub(super) fn read_parsed<T: DeserializeOwned, Known: DeserializeOwned>(
        &self,
        tree: Tree<'_>,
        other: Option<&str>,
    ) -> Result<Body<T>, Problem> {
        let mut body = read::read_tree(&tree)?;
        if self.is_strict() {
            let unknown = tree.unknown_fields::<Known>();
            let unknown = unknown
                .iter()
                .filter(|field| Some(&*field.pointer) != other);
            body.wrong.extend(unknown.map(unknown_field));
        }
        Ok(body)
    }

    fn is_strict(&self) -> bool {
        let is_sandbox = || {
            self.caller
                .as_ref()
                .is_some_and(|caller| caller.store.sandbox)
        };
        preference(&self.parts.headers).unwrap_or_else(is_sandbox)
    }
}

/// Whether a preference applies to the endpoint's requests. Devices and recipients send other
/// formats than JSON too.
pub(super) fn applies(route: &Route) -> bool {
    !matches!(route.access, Access::Device(_) | Access::Recipient)
        && route.content != Content::Photo
}

/// Returns the value of `Preference-Applied` for a request with a body.
pub(super) fn applied(headers: &HeaderMap) -> Option<HeaderValue> {
    let value = if preference(headers)? {
        "handling=strict"
    } else {
        "handling=lenient"
    };
    Some(HeaderValue::from_static(value))
}

/// Returns the first preference for strict handling in `Prefer`, if there is any.
fn preference(headers: &HeaderMap) -> Option<bool> {
    let values = headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(','));
    preferences.find_map(|preference| {
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("handling") {
            return None;
        }
        let value = value.trim().trim_matches('"');
        if value.eq_ignore_ascii_case("strict") {
            return Some(true);
        }
        value.eq_ignore_ascii_case("lenient").then_some(false)
    })
}

fn unknown_field(field: &UnknownField) -> FieldError {
    let name = field.pointer.rsplit('/').next().unwrap_or_default();
    let detail = match nearest(name, field.fields) {
        Some(known) => Text::new(
            format!("Unknown field. Did you mean `{known}`?"),
            format!("Campo desconhecido. Você quis dizer `{known}`?"),
        ),
        None => Text::new(
            "Unknown field. Remove it, or send `Prefer: handling=lenient`.",
            "Campo desconhecido. Remova-o ou envie `Prefer: handling=lenient`.",
        ),
    };
    FieldError {
        pointer: field.pointer.clone(),
        code: UNKNOWN_FIELD,
        detail,
    }
}

/// Returns the known name with the fewest differing letters, at most a third of them. Case,
/// underscores and hyphens do not count.
fn nearest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    let plain = |name: &str| -> String {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase()
    };
    let name = plain(name);
    // Names of fields are short. The distance takes quadratic time.
    if name.len() > 64 {
        return None;
    }
    let distances = known
        .iter()
        .map(|known| (strsim::osa_distance(&name, &plain(known)), *known));
    distances
        .min()
        .filter(|(distance, _)| distance * 3 <= name.len())
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_valid_preference_counts() {
        let of = |values: &[&'static str]| {
            let name = http::HeaderName::from_static("prefer");
            preference(
                &values
                    .iter()
                    .map(|value| (name.clone(), http::HeaderValue::from_static(value)))
                    .collect(),
            )
        };
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[
                "return=minimal",
                "respond-async, Handling = \"Strict\"; a=b"
            ]),
            Some(true)
        );
        assert_eq!(of(&["handling=lenient, handling=strict"]), Some(false));
        assert_eq!(
            of(&["handling", "handling=loose", "xhandling=strict"]),
            None
        );
    }

    #[test]
    fn nearest_name_ignores_case_and_separators() {
        const KNOWN: &[&str] = &["code", "preparationTime", "onlinePayment", "deliveries"];
        for (name, expected) in [
            ("preparation_time", Some("preparationTime")),
            ("PreparationTime", Some("preparationTime")),
            ("prepartionTime", Some("preparationTime")),
            ("onlinePayed", Some("onlinePayment")),
            ("cod", Some("code")),
            ("delivery", None),
            ("weight", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, KNOWN), expected, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(100_000), KNOWN), None);
    }
}

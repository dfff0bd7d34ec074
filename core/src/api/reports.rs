//! Reads the reports of devices, by the OsmAnd protocol or from OwnTracks: their credential, and
//! their fields as a JSON value.

use base64ct::{Base64, Encoding};
use http::header;

use super::{
    call::Call,
    media::{FORM, sent_type},
    problem::{FieldError, Problem},
    read::{duplicate_field, parse},
    route::Content,
};
use crate::json::Tree;

/// A report as it was sent.
pub(super) enum Report<'a> {
    /// Query parameters, a form, or both. Every value is a string.
    Form(Tree<'a>),
    /// JSON by the OsmAnd protocol.
    Json(Tree<'a>),
    /// A message of OwnTracks. `None` is an empty body, with which the app deletes a friend.
    OwnTracks(Option<Tree<'a>>),
}

/// Reads a message of OwnTracks.
///
/// # Errors
/// The body is not a JSON object.
pub(super) fn own_tracks(body: &[u8]) -> Result<Report<'_>, Problem> {
    let message = if body.is_empty() {
        None
    } else {
        Some(parse(body)?)
    };
    Ok(Report::OwnTracks(message))
}

/// Reads a report by the OsmAnd protocol.
///
/// # Errors
/// The body is not a JSON object.
pub(super) fn osmand<'a, H>(call: &Call<'a, H>) -> Result<Report<'a>, Problem> {
    // A `GET` has only query parameters.
    let body: &[u8] = match call.route.content {
        Content::Ignored => &[],
        _ => call.body,
    };
    if !body.is_empty() && !sent_type(call.parts).eq_ignore_ascii_case(FORM) {
        return parse(body).map(Report::Json);
    }
    let query = call.parts.uri.query().unwrap_or_default().as_bytes();
    let fields = form_urlencoded::parse(query).chain(form_urlencoded::parse(body));
    Ok(Report::Form(Tree::Object(
        fields
            .map(|(name, value)| (name, Tree::Text(value)))
            .collect(),
    )))
}

/// Returns the device key of a request: `id` or `deviceid` of a form, `device_id` of JSON, or the
/// password of HTTP Basic authentication.
pub(super) fn device_key<H>(call: &Call<'_, H>, report: &Report<'_>) -> Option<String> {
    let text = match report {
        Report::Form(form) => form
            .get("id")
            .or_else(|| form.get("deviceid"))?
            .as_str()?
            .to_owned(),
        Report::Json(body) => body.get("device_id")?.as_str()?.to_owned(),
        Report::OwnTracks(_) => password(
            call.parts
                .headers
                .get(header::AUTHORIZATION)?
                .to_str()
                .ok()?,
        )?,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the password in a header of HTTP Basic authentication.
fn password(header: &str) -> Option<String> {
    let (scheme, credentials) = header.trim().split_once(' ')?;
    let credentials = scheme
        .eq_ignore_ascii_case("basic")
        .then(|| Base64::decode_vec(credentials.trim()).ok())??;
    let (_, password) = std::str::from_utf8(&credentials).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// Returns a member of an object, or an error if it was sent twice. A null or a blank string is
/// absent.
pub(super) fn member<'r, 't>(
    tree: &'r Tree<'t>,
    name: &str,
    pointer: impl Fn() -> String,
) -> Result<Option<&'r Tree<'t>>, FieldError> {
    let Tree::Object(members) = tree else {
        return Ok(None);
    };
    let mut found = members
        .iter()
        .filter(|member| member.0 == name)
        .map(|member| &member.1);
    let first = found.next();
    if found.next().is_some() {
        return Err(duplicate_field(pointer()));
    }
    let is_absent = |value: &&Tree<'_>| match value {
        Tree::Null => true,
        Tree::Text(text) => text.trim().is_empty(),
        _ => false,
    };
    Ok(first.filter(|value| !is_absent(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_of_basic_authentication_is_read() {
        for (header, expected) in [
            ("Basic MTA1NzpkZXZfMV94", Some("dev_1_x")),
            ("basic  MTA1NzpkZXZfMV94 ", Some("dev_1_x")),
            ("Basic OmE6Yg==", Some("a:b")),
            ("Basic MTA1Nzo=", Some("")),
            ("Basic MTA1Nw==", None),
            ("Basic MTA1Nzo", None),
            ("Basic /w==", None),
            ("Basic", None),
            ("Bearer MTA1NzpkZXZfMV94", None),
            ("", None),
        ] {
            assert_eq!(password(header).as_deref(), expected, "{header}");
        }
    }

    #[test]
    fn null_and_blank_members_are_absent_and_repeated_ones_errors() {
        let tree = Tree::parse(r#"{"a": null, "b": " ", "c": 0, "d": 1, "d": 1}"#).unwrap();
        let found =
            |name: &str| member(&tree, name, || format!("/{name}")).map(|value| value.is_some());
        assert_eq!(
            ["a", "b", "c", "x"].map(|name| found(name).ok()),
            [false, false, true, false].map(Some)
        );
        assert_eq!(found("d").unwrap_err().pointer, "/d");
        assert!(member(&Tree::Null, "a", String::new).is_ok_and(|value| value.is_none()));
    }
}

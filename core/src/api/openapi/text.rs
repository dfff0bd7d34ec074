//! Patterns for the strings that the validator accepts, in ECMA 262 syntax without flags.

use super::json::Json;

/// Strings without control characters except tabs and line breaks.
const PLAIN: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// Like [`PLAIN`], with at least one character that is not white space.
const SOME: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// Like [`PLAIN`], with at least five characters after trimming.
const NAME: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]{3,}[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

/// Returns the pattern of a format after trimming.
fn shape(format: &str) -> Option<&'static str> {
    match format {
        "phone" => Some(
            r"\+(55([14689][1-9]|2[12478]|3[1-578]|5[13-5]|7[13-579])(9[0-9]{8}|[2-5][0-9]{7})|[1-46-9][0-9]{7,14}|5[0-46-9][0-9]{6,13})",
        ),
        "cnpj" => Some("[-./ ]*([0-9A-Za-z][-./ ]*){12}([0-9][-./ ]*){2}"),
        "cep" => Some("[-. ]*([0-9][-. ]*){8}"),
        "uf" => Some(
            "([Aa][CcLlMmPp]|[BbPp][Aa]|[Cc][Ee]|[Dd][Ff]|[Ee][Ss]|[Gg][Oo]|[Mm][AaGgSsTt]|[Pp][BbEeIiRr]|\
             [Rr][JjNnOoRrSs]|[Ss][CcEePp]|[Tt][Oo])",
        ),
        "https-url" => Some(
            r"https://[A-Za-z][0-9A-Za-z-]*(\.[A-Za-z][0-9A-Za-z-]*)+(:[1-9][0-9]{0,3})?(/[0-9A-Za-z._~/?&=%+-]*)?",
        ),
        "pickup-code" => Some("[0-9A-Za-z]{4,12}"),
        "tariff-version" => Some("[0-9A-Za-z._-]{1,40}"),
        "local-time" => Some("([01]?[0-9]|2[0-3]):[0-5]?[0-9]"),
        "end-time" => Some("([01]?[0-9]|2[0-3]):[0-5]?[0-9]|24:00?"),
        "local-date" => Some("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"),
        "area-type" => Some("(Multi)?Polygon"),
        _ => None,
    }
}

/// Adds the validator's pattern to every string in a request's schema. A required string must not
/// be blank; a blank optional string counts as absent.
pub(super) fn tighten(schema: &mut Json) {
    let required: Vec<String> = match schema.get("required") {
        Some(Json::List(names)) => names
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    let Some(Json::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        let texts = match property.get("type") {
            Some(Json::Text(kind)) => kind == "string",
            Some(Json::List(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("string")),
            _ => false,
        };
        let format = property
            .get("format")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned();
        // A password is not restricted, and the format of an email is sufficient.
        if !texts || matches!(format.as_str(), "password" | "email") {
            continue;
        }
        let required = required.iter().any(|other| other == name);
        let pattern = match shape(&format) {
            Some(shape) if required => format!(r"^[\t\n\r ]*{shape}[\t\n\r ]*$"),
            Some(shape) => format!(r"^[\t\n\r ]*({shape}[\t\n\r ]*)?$"),
            None if property.get("minLength").is_some() => NAME.to_owned(),
            None if required => SOME.to_owned(),
            None => PLAIN.to_owned(),
        };
        property.set("pattern", pattern);
    }
}

//! What the validator takes as a text, as patterns: ECMA 262, without flags.

use super::json::Json;

/// Texts without control characters, tab and line breaks aside.
const PLAIN: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// The same with something else than white space in it.
const SOME: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";
/// The same with at least five characters between the white space around it.
const NAME: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]{3,}[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

/// What a format's text looks like between the white space around it.
fn shape(format: &str) -> Option<&'static str> {
    match format {
        "phone" => Some(r"\+(55[1-9]{2}(9[0-9]{8}|[2-5][0-9]{7})|[1-46-9][0-9]{7,14}|5[0-46-9][0-9]{6,13})"),
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
        _ => None,
    }
}

/// Gives every text of a request's schema the pattern that the validator holds it to: a required one has something in it, an
/// optional one may be blank, which is as good as absent.
pub(super) fn tighten(schema: &mut Json) {
    let required: Vec<String> = match schema.get("required") {
        Some(Json::List(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        let texts = match property.get("type") {
            Some(Json::Text(kind)) => kind == "string",
            Some(Json::List(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("string")),
            _ => false,
        };
        let format = property.get("format").and_then(Json::as_str).unwrap_or_default().to_owned();
        // A password is taken as it is; an email is held to its format, beside which a pattern says nothing more.
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

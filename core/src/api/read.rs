//! Reads a request body as its type, and reports all values of a wrong type in one problem.

use serde::de::DeserializeOwned;

use super::problem::{FieldError, Problem, ProblemCode};
use crate::{
    json::{DecodeError, Tree},
    model::Text,
};

/// A request body without its values of a wrong type, which `wrong` lists.
pub struct Body<T> {
    /// The request.
    pub value: T,
    /// Fields of the wrong type, and unknown fields if the request is handled strictly.
    pub wrong: Vec<FieldError>,
}

/// Maximum number of wrong types in a problem.
const MAX_WRONG: usize = 50;

/// Reads a body. A valid body is read once; an invalid one is read again after each invalid value
/// is removed.
///
/// # Errors
/// [`ProblemCode::MalformedRequest`] if the body is not a JSON object, or has a duplicate field.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<Body<T>, Problem> {
    read_tree(&parse(bytes)?)
}

/// Like [`read`], for a body that was parsed.
pub(super) fn read_tree<T: DeserializeOwned>(tree: &Tree<'_>) -> Result<Body<T>, Problem> {
    match tree.read() {
        Ok(value) => Ok(Body {
            value,
            wrong: Vec::new(),
        }),
        Err(first) => read_invalid(tree.clone().sorted(), first),
    }
}

/// Parses a body, which must be a JSON object.
pub(super) fn parse(bytes: &[u8]) -> Result<Tree<'_>, Problem> {
    if is_utf16(bytes) {
        return Err(utf16());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(&error))?;
    match Tree::parse(text) {
        Ok(tree @ Tree::Object(_)) => Ok(tree),
        Ok(_) => Err(not_an_object()),
        Err(error) => Err(not_json(&error)),
    }
}

/// Reads a body that failed once. The tree has no duplicate names, and its order does not depend on
/// how the body was sent.
fn read_invalid<T: DeserializeOwned>(
    mut tree: Tree<'_>,
    first: DecodeError,
) -> Result<Body<T>, Problem> {
    let mut wrong = Vec::new();
    loop {
        match tree.read() {
            // Every value is valid, so the first failure was a duplicate field.
            Ok(_) if wrong.is_empty() => {
                return Err(malformed(vec![duplicate_field(first.pointer)]));
            }
            Ok(value) => return Ok(Body { value, wrong }),
            Err(error) => remove_wrong_type(&mut tree, error, &mut wrong)?,
        }
    }
}

fn remove_wrong_type(
    tree: &mut Tree<'_>,
    error: DecodeError,
    wrong: &mut Vec<FieldError>,
) -> Result<(), Problem> {
    let is_removed = tree.remove_invalid(&error);
    // serde's message has the form `expected f64`.
    wrong.push(wrong_type(
        error.pointer,
        error.message.strip_prefix("expected ").unwrap_or_default(),
    ));
    if is_removed && wrong.len() < MAX_WRONG {
        Ok(())
    } else {
        Err(malformed(std::mem::take(wrong)))
    }
}

/// What `rust_decimal` expects.
const DECIMAL: &str = "a Decimal type representing a fixed-point number";

/// Returns the error for a field of a wrong type. `expected` is serde's name of the type, such as
/// `f64`.
pub(super) fn wrong_type(pointer: String, expected: &str) -> FieldError {
    let (en, pt) = match expected {
        "f64" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | DECIMAL => ("a number", "um número"),
        "a boolean" => ("true or false", "true ou false"),
        "a string" => ("a string", "um texto"),
        "a list" | "a sequence" => ("a list", "uma lista"),
        "an identifier" => (
            "an integer, or its digits as a string",
            "um número inteiro ou um texto com seus dígitos",
        ),
        _ => ("an object", "um objeto"),
    };
    let detail = Text::new(format!("Expected {en}."), format!("Esperado: {pt}."));
    FieldError {
        pointer,
        code: "wrong_type",
        detail,
    }
}

/// Returns whether a body is UTF-16 or UTF-32: by its byte order mark, or because one of the first
/// two bytes is zero, which JSON in UTF-8 never contains.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, _, ..] | [_, 0, ..]
    )
}

fn utf16() -> Problem {
    malformed(vec![FieldError {
        pointer: String::new(),
        code: "invalid_json",
        detail: Text::new(
            "The body is in UTF-16 or UTF-32. Save or encode it in UTF-8 and send it again.",
            "O corpo está em UTF-16 ou UTF-32. Salve ou codifique em UTF-8 e envie de novo.",
        ),
    }])
}

fn not_utf8(error: &std::str::Utf8Error) -> Problem {
    let byte = error.valid_up_to() + 1;
    malformed(vec![FieldError {
        pointer: String::new(),
        code: "invalid_json",
        detail: Text::new(
            format!("The body is not valid UTF-8 at byte {byte}. Send JSON in UTF-8."),
            format!("O corpo não é UTF-8 válido no byte {byte}. Envie JSON em UTF-8."),
        ),
    }])
}

fn not_json(error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    malformed(vec![FieldError {
        pointer: String::new(),
        code: "invalid_json",
        detail: Text::new(
            format!("The body is not valid JSON at line {line}, column {column}."),
            format!("O corpo não é um JSON válido na linha {line}, coluna {column}."),
        ),
    }])
}

fn not_an_object() -> Problem {
    malformed(vec![FieldError {
        pointer: String::new(),
        code: "wrong_type",
        detail: Text::new(
            "The body must be a JSON object.",
            "O corpo deve ser um objeto JSON.",
        ),
    }])
}

/// Returns the error for a field that was sent twice.
pub(super) fn duplicate_field(pointer: String) -> FieldError {
    let detail = Text::new(
        "Duplicate field. Send it once.",
        "Campo duplicado. Envie-o uma única vez.",
    );
    FieldError {
        pointer,
        code: "duplicate_field",
        detail,
    }
}

/// Returns the problem of a body that cannot be read.
pub(super) fn malformed(errors: Vec<FieldError>) -> Problem {
    Problem::new(
        ProblemCode::MalformedRequest,
        "The body does not have the expected format; `errors` lists each error.",
        "O corpo não tem o formato esperado; `errors` lista cada erro.",
    )
    .with_errors(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::CreateOrder;

    fn wrong(body: &str) -> Vec<(String, &'static str)> {
        let errors = match read::<CreateOrder>(body.as_bytes()) {
            Ok(body) => body.wrong,
            Err(problem) => problem.errors,
        };
        errors
            .into_iter()
            .map(|error| (error.pointer, error.code))
            .collect()
    }

    #[test]
    fn all_wrong_types_are_reported_at_once() {
        let body = r#"{"code": 5, "deliveries": [{"address": [1]}, null, {"productValue": "x", "onlinePayment": 1}], "store": "7"}"#;
        let mut found = wrong(body);
        found.sort();
        let expected = [
            "/code",
            "/deliveries/0/address",
            "/deliveries/1",
            "/deliveries/2/onlinePayment",
            "/deliveries/2/productValue",
            "/store",
        ];
        assert_eq!(
            found,
            expected.map(|pointer| (pointer.to_owned(), "wrong_type"))
        );
    }

    #[test]
    fn wrong_type_is_reported_with_its_pointer() {
        for (body, pointer) in [
            (
                r#"{"store": {"userPlatformId": [[1], 2]}}"#,
                "/store/userPlatformId",
            ),
            (
                r#"{"store": {"userPlatformId": {"a": [1]}}}"#,
                "/store/userPlatformId",
            ),
            (
                r#"{"store": {"userPlatformId": []}}"#,
                "/store/userPlatformId",
            ),
            (
                r#"{"store": {"userPlatformId": "7x at line 1 column 2"}}"#,
                "/store/userPlatformId",
            ),
            (
                r#"{"store": {"userPlatformId": 1.5}}"#,
                "/store/userPlatformId",
            ),
            (r#"{"deliveries": {"0": {}}}"#, "/deliveries"),
            (r#"{"deliveries": [{}, []]}"#, "/deliveries/1"),
            (
                r#"{"deliveries": [{"address": {"latitude": {"x": 1}}}]}"#,
                "/deliveries/0/address/latitude",
            ),
            (
                r#"{"deliveries": [{"address": {"city": ["x"]}}]}"#,
                "/deliveries/0/address/city",
            ),
            (r#"{"code": true}"#, "/code"),
        ] {
            assert_eq!(wrong(body), [(pointer.to_owned(), "wrong_type")], "{body}");
        }
    }

    #[test]
    fn body_other_than_json_object_is_rejected() {
        for (body, code) in [
            ("", "invalid_json"),
            ("{", "invalid_json"),
            ("{\"code\": NaN}", "invalid_json"),
            ("[]", "wrong_type"),
            ("\"x\"", "wrong_type"),
            ("null", "wrong_type"),
            ("{\"code\": \"\\ud800\"}", "invalid_json"),
            ("{} {}", "invalid_json"),
        ] {
            assert_eq!(wrong(body), [(String::new(), code)], "{body}");
        }
        let deep = format!(
            "{{\"code\": {}1{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(wrong(&deep), [(String::new(), "invalid_json")]);
    }

    #[test]
    fn byte_order_mark_is_ignored_and_utf16_is_named() {
        let body = r#"{"code": 5}"#;
        assert_eq!(
            wrong(&format!("\u{feff}{body}")),
            [("/code".to_owned(), "wrong_type")]
        );
        // Only at the start, and once.
        for text in ["{\u{feff}}", "\u{feff}\u{feff}{}", "\u{feff}"] {
            assert_eq!(wrong(text), [(String::new(), "invalid_json")], "{text:?}");
        }
        let units = |text: &str, bytes: fn(u16) -> [u8; 2]| {
            text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
        };
        for text in ["\u{feff}{}", "{}"] {
            for bytes in [units(text, u16::to_le_bytes), units(text, u16::to_be_bytes)] {
                let Err(problem) = read::<CreateOrder>(&bytes) else {
                    panic!("{bytes:?}")
                };
                assert!(problem.errors[0].detail.en.contains("UTF-16"), "{bytes:?}");
            }
        }
    }

    #[test]
    fn unrepresentable_value_is_invalid_json_anywhere() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let invalid = [(String::new(), "invalid_json")];
        for value in ["1e999", "-1e999", "\"\\ud800\"", &deep] {
            for body in [
                format!("{{\"more\": {value}, \"code\": \"a\"}}"),
                format!("{{\"more\": {value}, \"code\": 5}}"),
                format!("{{\"code\": {value}}}"),
                format!("{{\"deliveries\": {value}}}"),
                format!("{{\"deliveries\": [{value}]}}"),
                format!("{{\"more\": {{\"than\": [{value}]}}}}"),
                format!("[{value}]"),
            ] {
                assert_eq!(wrong(&body), invalid, "{}", &body[..body.len().min(80)]);
            }
        }
        assert_eq!(wrong("{\"more\": 1e308, \"code\": \"a\"}"), []);
    }

    #[test]
    fn duplicate_field_is_reported_with_its_pointer() {
        assert_eq!(
            wrong(r#"{"code": "a", "code": "b"}"#),
            [("/code".to_owned(), "duplicate_field")]
        );
        let nested = r#"{"deliveries": [{}, {"address": {"city": "a", "city": "b"}}]}"#;
        assert_eq!(
            wrong(nested),
            [("/deliveries/1/address/city".to_owned(), "duplicate_field")]
        );
        let lines =
            "{\"deliveries\": [{}, {\r\n \"address\": {\n\"city\" : \"é\", \"city\"\n : \"b\"}}]}";
        assert_eq!(
            wrong(lines),
            [("/deliveries/1/address/city".to_owned(), "duplicate_field")]
        );
        let unread = r#"{"more": [{"code": 1, "code": [2]}, null, true, 1.5, -1], "code": "a", "code": "b"}"#;
        assert_eq!(wrong(unread), [("/code".to_owned(), "duplicate_field")]);
    }

    #[test]
    fn null_equals_absent_and_unknown_fields_are_ignored() {
        let body = read::<CreateOrder>(
            br#"{"code": null, "more": {"than": ["that"]}, "preparationTime": 3}"#,
        )
        .unwrap_or_else(|_| panic!());
        assert!(
            body.wrong.is_empty()
                && body.value.code.is_none()
                && body.value.preparation_time == Some(3.0)
        );
    }
}

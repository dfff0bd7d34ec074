//! From the bytes of a body to its typed request, with every wrong type named at once.

mod soften;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::problem::{Code, FieldError, Problem};
use crate::{
    domain::Text,
    json::{Tree, Unread},
};

/// A body as far as it could be read: what was of the wrong type is left out and named in `wrong`.
pub struct Body<T> {
    /// The request.
    pub value: T,
    /// Fields of the wrong type.
    pub wrong: Vec<FieldError>,
}

/// Wrong types that are named at most: past that, what was sent is something else altogether.
const MOST_WRONG: usize = 50;

/// Reads a body. The common case is one pass over its tree; only after a failure the tree is read again to find every fault.
///
/// # Errors
/// [`Code::MalformedRequest`] where the body is no JSON object, or names a field twice.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<Body<T>, Problem> {
    let mut soft = String::new();
    let mut passes = parsed(bytes, &mut soft)?;
    loop {
        match passes.tree.read() {
            Ok(value) => return Ok(Body { value, wrong: passes.end()? }),
            Err(unread) => passes = passes.again(unread)?,
        }
    }
}

/// A body before its first pass: all of parsing that is the same for every type. What has to be softened is kept in `soft`.
fn parsed<'t>(bytes: &'t [u8], soft: &'t mut String) -> Result<Passes<'t>, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(&error))?;
    match Tree::parse(text) {
        Ok(tree) => Passes::begin(tree, None),
        Err(error) => {
            *soft = soften(text, &error)?;
            Passes::begin(Tree::parse(soft).map_err(|_| not_json(&error))?, Some(error))
        }
    }
}

/// A text that no tree holds, with what is at fault softened: it may stand where nobody reads.
fn soften(text: &str, error: &serde_json::Error) -> Result<String, Problem> {
    // What is skipped is only looked at as far as JSON's grammar goes.
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| not_json(error))?;
    Ok(soften::softened(text))
}

/// The passes over a body's tree: all of reading that is the same for every type.
struct Passes<'t> {
    tree: Tree<'t>,
    /// Why the body as it was sent has no tree. It is no problem as long as nothing that is read is wrong.
    odd: Option<serde_json::Error>,
    /// What the first pass stumbled on.
    first: Option<Unread>,
    wrong: Vec<FieldError>,
}

impl<'t> Passes<'t> {
    fn begin(tree: Tree<'t>, odd: Option<serde_json::Error>) -> Result<Passes<'t>, Problem> {
        match tree {
            Tree::Object(_) => Ok(Passes { tree, odd, first: None, wrong: Vec::new() }),
            _ => Err(odd.map_or_else(not_an_object, |error| not_json(&error))),
        }
    }

    fn again(mut self, unread: Unread) -> Result<Passes<'t>, Problem> {
        if let Some(error) = self.odd {
            return Err(not_json(&error));
        }
        if self.first.is_none() {
            // With each name once and in order, so that what is named first does not depend on how it was sent.
            return Ok(Passes { tree: self.tree.sorted(), odd: None, first: Some(unread), wrong: self.wrong });
        }
        let is_taken_out = self.tree.take_out(&unread);
        self.wrong.push(wrong_type(unread));
        if is_taken_out && self.wrong.len() < MOST_WRONG { Ok(self) } else { Err(malformed(self.wrong)) }
    }

    fn end(self) -> Result<Vec<FieldError>, Problem> {
        match self.first {
            // So the body is fine: what the first pass stumbled on is a field that stands there twice.
            Some(first) if self.wrong.is_empty() => Err(duplicate(first)),
            _ => Ok(self.wrong),
        }
    }
}

/// What a field should have been, from serde's own words: `expected f64`.
fn wrong_type(unread: Unread) -> FieldError {
    let expected = unread.message.strip_prefix("expected ").unwrap_or_default();
    let (en, pt) = match expected {
        "f64" => ("a number", "um número"),
        "a boolean" => ("true or false", "true ou false"),
        "a string" => ("a text", "um texto"),
        "a list" | "a sequence" => ("a list", "uma lista"),
        "an identifier" => {
            ("a whole number, or a text of its digits", "um número inteiro, ou um texto com seus dígitos")
        }
        _ => ("an object", "um objeto"),
    };
    let detail = Text::new(format!("Expected {en}."), format!("Esperado: {pt}."));
    FieldError { pointer: unread.pointer, code: "wrong_type", detail }
}

fn not_utf8(error: &std::str::Utf8Error) -> Problem {
    let byte = error.valid_up_to() + 1;
    malformed(vec![FieldError {
        pointer: String::new(),
        code: "invalid_json",
        detail: Text::new(
            format!("JSON is written in UTF-8; the body is not from byte {byte} on."),
            format!("JSON é escrito em UTF-8; o corpo não é a partir do byte {byte}."),
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
        detail: Text::new("The body must be a JSON object.", "O corpo deve ser um objeto JSON."),
    }])
}

fn duplicate(unread: Unread) -> Problem {
    let detail = Text::new("The field stands there twice.", "O campo aparece duas vezes.");
    malformed(vec![FieldError { pointer: unread.pointer, code: "duplicate_field", detail }])
}

/// The problem of a body that cannot be read as it is.
pub(super) fn malformed(errors: Vec<FieldError>) -> Problem {
    Problem::new(
        Code::MalformedRequest,
        "The body is not what this endpoint reads; `errors` says where.",
        "O corpo não é o que este endereço lê; `errors` diz onde.",
    )
    .with_errors(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::wire::CreateOrder;

    fn wrong(body: &str) -> Vec<(String, &'static str)> {
        let errors = match read::<CreateOrder>(body.as_bytes()) {
            Ok(body) => body.wrong,
            Err(problem) => problem.errors,
        };
        errors.into_iter().map(|error| (error.pointer, error.code)).collect()
    }

    #[test]
    fn every_wrong_type_is_named_at_once() {
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
        assert_eq!(found, expected.map(|pointer| (pointer.to_owned(), "wrong_type")));
    }

    #[test]
    fn a_wrong_type_is_named_at_its_own_place() {
        for (body, pointer) in [
            (r#"{"store": {"userPlatformId": [[1], 2]}}"#, "/store/userPlatformId"),
            (r#"{"store": {"userPlatformId": {"a": [1]}}}"#, "/store/userPlatformId"),
            (r#"{"store": {"userPlatformId": []}}"#, "/store/userPlatformId"),
            (r#"{"store": {"userPlatformId": "7x at line 1 column 2"}}"#, "/store/userPlatformId"),
            (r#"{"store": {"userPlatformId": 1.5}}"#, "/store/userPlatformId"),
            (r#"{"deliveries": {"0": {}}}"#, "/deliveries"),
            (r#"{"deliveries": [{}, []]}"#, "/deliveries/1"),
            (r#"{"deliveries": [{"address": {"latitude": {"x": 1}}}]}"#, "/deliveries/0/address/latitude"),
            (r#"{"deliveries": [{"address": {"city": ["x"]}}]}"#, "/deliveries/0/address/city"),
            (r#"{"code": true}"#, "/code"),
        ] {
            assert_eq!(wrong(body), [(pointer.to_owned(), "wrong_type")], "{body}");
        }
    }

    #[test]
    fn what_is_no_json_object_says_so() {
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
        let deep = format!("{{\"code\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(wrong(&deep), [(String::new(), "invalid_json")]);
    }

    #[test]
    fn what_no_tree_holds_may_stand_where_nobody_reads() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        for odd in ["1e999", "\"\\ud800\"", &deep] {
            assert_eq!(wrong(&format!("{{\"more\": {odd}, \"code\": \"a\"}}")), []);
            let invalid = [(String::new(), "invalid_json")];
            assert_eq!(wrong(&format!("{{\"more\": {odd}, \"code\": 5}}")), invalid);
            assert_eq!(wrong(&format!("{{\"code\": {odd}}}")), invalid);
            assert_eq!(wrong(&format!("{{\"deliveries\": {odd}}}")), invalid);
            assert_eq!(wrong(&format!("{{\"deliveries\": [{odd}]}}")), invalid);
            assert_eq!(wrong(&format!("[{odd}]")), invalid);
            assert_eq!(wrong(&format!("{{\"more\": {odd}, \"code\" \"a\"}}")), invalid);
        }
    }

    #[test]
    fn a_field_that_stands_twice_is_named() {
        assert_eq!(wrong(r#"{"code": "a", "code": "b"}"#), [("/code".to_owned(), "duplicate_field")]);
        let nested = r#"{"deliveries": [{}, {"address": {"city": "a", "city": "b"}}]}"#;
        assert_eq!(wrong(nested), [("/deliveries/1/address/city".to_owned(), "duplicate_field")]);
        let lines = "{\"deliveries\": [{}, {\r\n \"address\": {\n\"city\" : \"é\", \"city\"\n : \"b\"}}]}";
        assert_eq!(wrong(lines), [("/deliveries/1/address/city".to_owned(), "duplicate_field")]);
        let unread = r#"{"more": [{"code": 1, "code": [2]}, null, true, 1.5, -1], "code": "a", "code": "b"}"#;
        assert_eq!(wrong(unread), [("/code".to_owned(), "duplicate_field")]);
    }

    #[test]
    fn null_and_absent_are_the_same_and_more_is_ignored() {
        let body = read::<CreateOrder>(br#"{"code": null, "more": {"than": ["that"]}, "preparationTime": 3}"#)
            .unwrap_or_else(|_| panic!());
        assert!(body.wrong.is_empty() && body.value.code.is_none() && body.value.preparation_time == Some(3.0));
    }
}

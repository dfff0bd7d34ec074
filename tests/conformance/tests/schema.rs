//! The JSON schema that editors use is the one of the types, and every case file conforms to it.

use boon::{Compiler, SchemaIndex, Schemas};
use despacho_conformance::{format, schema};
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/case.schema.json");

/// With `DESPACHO_WRITE_CASES=1` it writes the file first.
#[test]
fn schema_file_is_the_schema_of_the_types() {
    assert!(FILE.ends_with(schema::FILE));
    if std::env::var_os("DESPACHO_WRITE_CASES").is_some() {
        std::fs::write(FILE, schema::text()).expect("the file is written");
    }
    assert!(
        std::fs::read_to_string(FILE).expect("the schema") == schema::text(),
        "tests/conformance/{} is outdated: run \
         `DESPACHO_WRITE_CASES=1 cargo test -p despacho-conformance --test schema`",
        schema::FILE
    );
}

/// The compiled schema.
struct Validator(Schemas, SchemaIndex);

impl Validator {
    fn new() -> Validator {
        let schema = serde_json::from_str(&schema::text()).expect("JSON");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler
            .add_resource(schema::FILE, schema)
            .expect("a new name");
        let index = compiler.compile(schema::FILE, &mut schemas);
        Validator(schemas, index.expect("a valid schema"))
    }

    fn check(&self, case: &Value) -> Result<(), String> {
        self.0
            .validate(case, self.1)
            .map_err(|error| error.to_string())
    }
}

#[test]
fn every_case_conforms_to_the_schema() {
    let validator = Validator::new();
    let mut names = format::names(&format::folder()).expect("cases");
    names.extend(format::setup_names(&format::folder()).expect("setups"));
    assert!(names.len() > 100, "{names:?}");
    for name in names {
        let path = format::folder().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).expect("a case");
        let case = serde_json::from_str(&text).expect("JSON");
        validator
            .check(&case)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn wrong_key_does_not_conform_to_the_schema() {
    let validator = Validator::new();
    let case = |step: Value| json!({ "about": "a", "steps": [step] });
    let valid = json!({
        "name": "n", "send": "GET /", "body": { "$use": "order", "$set": { "/a": 1 } },
        "expect": { "status": 200, "headers": { "x": null }, "body": { "a": { "$type": ["id", "null"] } } },
    });
    assert_eq!(validator.check(&case(valid.clone())), Ok(()));
    for (pointer, key, value) in [
        ("", "sent", json!("GET /")),
        ("", "advance_seconds", json!("a day")),
        ("/expect", "stauts", json!(200)),
        ("/expect", "status", json!("200")),
        ("/expect/body/a", "$typ", json!("id")),
        ("/expect/body/a", "$type", json!("ID")),
        ("/expect/body", "$each", json!({ "$matchs": "^a" })),
        ("/body", "$remov", json!([])),
    ] {
        let mut step = valid.clone();
        let parent = step.pointer_mut(pointer).and_then(Value::as_object_mut);
        parent.expect("an object").insert(key.to_owned(), value);
        assert!(validator.check(&case(step)).is_err(), "{pointer}/{key}");
    }
    assert!(validator.check(&json!({ "steps": [] })).is_err());
}

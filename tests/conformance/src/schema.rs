//! The JSON schema of case files, for editors. It is derived from the types that read them.

use schemars::{Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Value, json};

use crate::format::CaseFile;

/// The file that contains the schema, in this package.
pub const FILE: &str = "case.schema.json";

/// The keys that insert or repeat a value.
const DIRECTIVES: [&str; 6] = ["$use", "$set", "$remove", "$times", "$item", "$text"];

/// Returns the schema as the text of [`FILE`].
#[must_use]
pub fn text() -> String {
    format!("{:#}\n", schema_for!(CaseFile).as_value())
}

/// A value with directives at any depth.
pub(crate) fn value(generator: &mut SchemaGenerator) -> Schema {
    let properties = json!({
        "$use": { "type": "string", "description": "The name of a value of `values` or of tests/cases/shared." },
        "$set": { "type": "object", "description": "Values to set, by JSON Pointer; `-` appends to an array." },
        "$remove": {
            "type": "array", "items": { "type": "string" },
            "description": "JSON Pointers of values to remove.",
        },
        "$times": { "type": "integer", "minimum": 0, "description": "How often `$item` or `$text` is repeated." },
        "$item": { "description": "The element of an array." },
        "$text": { "type": "string", "description": "The part of a string." },
    });
    recursive(generator, "Value", &DIRECTIVES, properties)
}

/// A pattern for a value of a response.
pub(crate) fn pattern(generator: &mut SchemaGenerator) -> Schema {
    let kinds = json!([
        "null", "boolean", "number", "integer", "string", "array", "object", "id", "time"
    ]);
    let itself = reference("Pattern");
    let properties = json!({
        "$type": {
            "description": "The type of the value, or several that it may have.",
            "anyOf": [{ "enum": kinds }, { "type": "array", "items": { "enum": kinds } }],
        },
        "$matches": { "type": "string", "description": "A regular expression for a string." },
        "$capture": { "type": "string", "description": "The name under which the value is stored." },
        "$exact": { "description": "The value, without further keys at any depth." },
        "$only": { "const": true, "description": "The object has no keys but the listed ones." },
        "$absent": { "const": true, "description": "The key is missing." },
        "$length": {
            "type": "integer", "minimum": 0,
            "description": "The number of characters, elements or keys.",
        },
        "$contains": { "description": "A part of a string, or a pattern for an element." },
        "$each": itself,
        "$between": {
            "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2,
            "description": "The lowest and the highest number.",
        },
        "$not": itself,
    });
    let own = [
        "$type",
        "$matches",
        "$capture",
        "$exact",
        "$only",
        "$absent",
        "$length",
        "$contains",
        "$each",
        "$between",
        "$not",
    ];
    recursive(
        generator,
        "Pattern",
        &[&own[..], &DIRECTIVES].concat(),
        properties,
    )
}

/// A pattern for each header; `null` means that the header is absent.
pub(crate) fn header_patterns(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": pattern(generator) })
}

/// Values by name.
pub(crate) fn values(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": value(generator) })
}

/// Adds a definition of a value whose keys that begin with `$` are `keys`, and whose other members
/// are values of the same definition. Returns a reference to it.
fn recursive(
    generator: &mut SchemaGenerator,
    name: &str,
    keys: &[&str],
    properties: Value,
) -> Schema {
    let definition = json!({
        "properties": properties,
        "propertyNames": { "anyOf": [{ "pattern": "^([^$]|$)" }, { "enum": keys }] },
        "additionalProperties": reference(name),
        "items": reference(name),
    });
    generator
        .definitions_mut()
        .insert(name.to_owned(), definition);
    json_schema!({ "$ref": format!("#/$defs/{name}") })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

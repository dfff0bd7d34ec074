//! Compares the core's JSON reader with serde_json for every request body.
//!
//! The core parses a body into a tree and reads every type from the tree. serde_json reads the same
//! types from the text.

use despacho_core::{json::Tree, wire};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::kind;

/// Compares the two readers on one type, and returns whether the core's reader accepts the body.
fn compare<T: Serialize + DeserializeOwned>(
    name: &str,
    text: &str,
    tree: &Tree<'_>,
    value: &Value,
) -> Result<bool, String> {
    let write = |body: &T| {
        serde_json::to_string(body).map_err(|error| format!("{name} cannot be written: {error}"))
    };
    let by_serde = serde_json::from_str::<T>(text);
    match (tree.read::<T>(), by_serde) {
        (Ok(ours), Ok(reference)) => {
            let (ours, reference) = (write(&ours)?, write(&reference)?);
            if ours != reference {
                return Err(format!(
                    "{name}: the core reads {ours}, serde_json {reference}"
                ));
            }
            serde_json::from_str::<T>(&ours)
                .map(|_| true)
                .map_err(|error| format!("{name}: {ours} is invalid: {error}"))
        }
        (Ok(_), Err(error)) => Err(format!(
            "{name}: the core accepts what serde_json rejects: {error}"
        )),
        // serde_json also reads a struct from a list of its fields' values.
        (Err(error), Ok(_)) if !has_list_of_fields(value, &error.pointer) => Err(format!(
            "{name}: the core rejects what serde_json accepts: {error}"
        )),
        (Err(error), _) if !error.pointer.is_empty() && value.pointer(&error.pointer).is_none() => {
            Err(format!(
                "{name}: {} is not a pointer into the body",
                error.pointer
            ))
        }
        (Err(_), _) => Ok(false),
    }
}

fn has_list_of_fields(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).is_some_and(Value::is_array)
}

/// Parses a text with both parsers. The values must be equal, also when written with sorted names.
fn parse(text: &str) -> Result<Option<(Tree<'_>, Value)>, String> {
    let sorted = Tree::parse(text).map(|tree| tree.sorted().to_json());
    match (
        Tree::parse(text),
        sorted,
        serde_json::from_str::<Value>(text),
    ) {
        (Ok(tree), Ok(sorted), Ok(value))
            if serde_json::to_string(&value).is_ok_and(|text| text == sorted) =>
        {
            Ok(Some((tree, value)))
        }
        (Err(_), Err(_), Err(_)) => Ok(None),
        (_, sorted, value) => Err(format!("the core parses {sorted:?}, serde_json {value:?}")),
    }
}

macro_rules! all {
    ($text:ident, $tree:ident, $value:ident: $($name:ident),* $(,)?) => {
        [$((stringify!($name), compare::<wire::$name>(stringify!($name), $text, &$tree, &$value)?)),*]
    };
}

/// Reads the input with both readers.
///
/// # Errors
/// If the results differ.
pub(crate) fn compare_readers(bytes: &[u8]) -> Result<u64, String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(kind(&["not UTF-8"]));
    };
    let Some((tree, value)) = parse(text)? else {
        return Ok(kind(&["not JSON"]));
    };
    let read = all!(text, tree, value: CreateOrder, PreviewOrder, CreateStore, CreateParentStore, UpdateStore, CreateSession,
        IssueKey, RegisterCourier, AlterCourier, ReportPosition, SetAvailability, GiveCode, GiveReason, NameDelivery,
        GiveDeliveryReason, DelayOrder, CancelOrder, AddressBody, PreviewContext);
    let names: Vec<&str> = read
        .iter()
        .filter(|(_, read)| *read)
        .map(|(name, _)| *name)
        .collect();
    let shape: String = text
        .chars()
        .filter(|letter| "{}[]\"".contains(*letter))
        .take(12)
        .collect();
    Ok(kind(&[&names.join(" "), &shape]))
}

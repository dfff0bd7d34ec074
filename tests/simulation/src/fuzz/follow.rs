//! Any two texts as an order and an event that follows on it: the reducer of pages and integrators never panics, and what it gives is an
//! order that takes the same event once.

use despacho_core::api::follow::apply_event;

use super::kind;

/// Applies the second line of the input to the first.
///
/// # Errors
/// Where an order is no order any more, or takes an event twice.
pub(crate) fn follows(bytes: &[u8]) -> Result<u64, String> {
    let split = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (order, event) = (bytes.get(..split).unwrap_or_default(), bytes.get(split + 1..).unwrap_or_default());
    match apply_event(order, event) {
        Ok(text) => {
            let again =
                apply_event(text.as_bytes(), event).map_err(|problem| format!("{text}: {}", problem.code.name()))?;
            let parsed = |text: &str| serde_json::from_str(text).map_err(|error| format!("{text} is no JSON: {error}"));
            let (after, again): (serde_json::Value, serde_json::Value) = (parsed(&text)?, parsed(&again)?);
            // Numbers that no double holds are the parser's business, so that what the reducer itself writes is compared.
            let written =
                |order: &serde_json::Value| (order["situation"].clone(), order["events"].as_array().map(Vec::len));
            if written(&again) != written(&after) {
                return Err(format!("{text} took its event twice and became {again}"));
            }
            Ok(kind(&["moved", &after["situation"].to_string(), &event.len().min(200).to_string()]))
        }
        Err(problem) => {
            let pointers: Vec<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
            Ok(kind(&[problem.code.name(), &pointers.join(" ")]))
        }
    }
}

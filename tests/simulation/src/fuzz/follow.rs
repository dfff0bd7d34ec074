//! Applies any event to any order with the reducer of the browser package. It must not panic, and a
//! second application of the same event must have no effect.

use despacho_core::api::follow::apply_event;

use super::kind;

/// Applies the second line of the input to the first.
///
/// # Errors
/// If the result is not an order, or if the event is applied twice.
pub(crate) fn apply_input(bytes: &[u8]) -> Result<u64, String> {
    let split = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len());
    let (order, event) = (
        bytes.get(..split).unwrap_or_default(),
        bytes.get(split + 1..).unwrap_or_default(),
    );
    match apply_event(order, event) {
        Ok(text) => {
            let again = apply_event(text.as_bytes(), event)
                .map_err(|problem| format!("{text}: {}", problem.code.name()))?;
            let parsed = |text: &str| {
                serde_json::from_str(text).map_err(|error| format!("{text} is not JSON: {error}"))
            };
            let (after, again): (serde_json::Value, serde_json::Value) =
                (parsed(&text)?, parsed(&again)?);
            // Only fields that the reducer writes are compared, because serde_json can change other
            // numbers.
            let written_fields = |order: &serde_json::Value| {
                (
                    order["situation"].clone(),
                    order["events"].as_array().map(Vec::len),
                )
            };
            if written_fields(&again) != written_fields(&after) {
                return Err(format!(
                    "the event was applied twice to {text}, with the result {again}"
                ));
            }
            Ok(kind(&[
                "moved",
                &after["situation"].to_string(),
                &event.len().min(200).to_string(),
            ]))
        }
        Err(problem) => {
            let pointers: Vec<&str> = problem
                .errors
                .iter()
                .map(|error| error.pointer.as_str())
                .collect();
            Ok(kind(&[problem.code.name(), &pointers.join(" ")]))
        }
    }
}

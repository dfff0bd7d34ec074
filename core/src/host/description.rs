//! The OpenAPI document.

/// Returns the OpenAPI 3.1 document, `core/openapi.json`.
pub fn description() -> &'static [u8] {
    include_bytes!("../../openapi.json")
}

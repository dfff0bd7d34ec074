//! The OpenAPI document as every host serves it.

use std::sync::OnceLock;

/// The OpenAPI 3.1 document, `core/openapi.json` as its build script packed it: unpacked when it is first asked for, and kept.
pub fn description() -> &'static [u8] {
    static TEXT: OnceLock<Vec<u8>> = OnceLock::new();
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.deflate"));
    // What the build packed can be unpacked; a test reads it.
    TEXT.get_or_init(|| miniz_oxide::inflate::decompress_to_vec(PACKED).unwrap_or_default())
}

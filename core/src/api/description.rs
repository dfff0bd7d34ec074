//! The OpenAPI document that every host serves.

use std::sync::OnceLock;

/// Returns the OpenAPI 3.1 document, `core/openapi.json`. The build script compresses it; the first call decompresses it.
pub fn description() -> &'static [u8] {
    static TEXT: OnceLock<Vec<u8>> = OnceLock::new();
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.deflate"));
    // Cannot fail: a test decompresses it.
    TEXT.get_or_init(|| miniz_oxide::inflate::decompress_to_vec(PACKED).unwrap_or_default())
}

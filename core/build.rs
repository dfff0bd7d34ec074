//! Compresses the OpenAPI document. Uncompressed, it would be a sixth of the Spin component's size.

use std::{env, error::Error, fs, path::PathBuf};

const DOCUMENT: &str = "openapi.json";
/// Compression level, 0 to 10. Build time is not critical.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DOCUMENT}");
    let text = fs::read(PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(DOCUMENT))?;
    let compressed = miniz_oxide::deflate::compress_to_vec(&text, LEVEL);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("openapi.deflate"), compressed)?;
    Ok(())
}

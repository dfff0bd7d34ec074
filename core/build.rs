//! Packs the OpenAPI document: as text it would be a sixth of the Spin component, for a page that is read once.

use std::{env, error::Error, fs, path::PathBuf};

const DOCUMENT: &str = "openapi.json";
/// The effort that a slow program may make once: 0 to 10.
const EFFORT: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DOCUMENT}");
    let text = fs::read(PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(DOCUMENT))?;
    let packed = miniz_oxide::deflate::compress_to_vec(&text, EFFORT);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("openapi.deflate"), packed)?;
    Ok(())
}

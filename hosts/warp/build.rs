//! Extracts the two files of Swagger UI that the documentation page needs from its crate's archive.

use std::{env, error::Error, fs, io::Cursor, path::Path};

use zip::ZipArchive;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let mut archive =
        ZipArchive::new(Cursor::new(utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED))?;
    for wanted in ["swagger-ui.css", "swagger-ui-bundle.js"] {
        // The archive contains the release in a folder named after its version.
        let ending = format!("/dist/{wanted}");
        let mut names = archive.file_names().filter_map(Result::ok);
        let name = names
            .find(|name| name.ends_with(&ending))
            .ok_or(wanted)?
            .into_owned();
        drop(names);
        let mut target = fs::File::create(Path::new(&folder).join(wanted))?;
        std::io::copy(&mut archive.by_name(&name)?, &mut target)?;
    }
    Ok(())
}

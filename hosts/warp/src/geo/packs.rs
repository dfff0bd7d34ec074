//! Gazetteer packs, loaded into memory.

use std::path::{Path, PathBuf};

use despacho_core::geo::pack::Pack;

use crate::error::StartError;

/// An open pack and its file.
#[derive(Clone, Debug)]
pub struct LoadedPack {
    /// The file.
    pub path: PathBuf,
    /// The contents.
    pub pack: Pack<'static>,
}

impl LoadedPack {
    /// Reads and checks a pack. The bytes are leaked: packs are opened once, at the start, and read
    /// by all threads until the process ends. Memory-mapping would require unsafe code, and
    /// truncating the file would crash the server.
    ///
    /// # Errors
    /// The file cannot be used; the error contains the remedy.
    pub fn read(path: &Path) -> Result<LoadedPack, StartError> {
        const NAME: &str = "gazetteer pack";
        let bytes = std::fs::read(path).map_err(|error| StartError::File {
            name: NAME,
            path: path.to_owned(),
            error,
        })?;
        let bytes: &'static [u8] = Box::leak(bytes.into_boxed_slice());
        let content = |detail| StartError::Content {
            name: NAME,
            path: path.to_owned(),
            detail,
        };
        let pack = Pack::open(bytes)
            .map_err(|error| content(format!("cannot be used: {error}{}", remedy(&error))))?;
        Ok(LoadedPack {
            path: path.to_owned(),
            pack,
        })
    }
}

fn remedy(error: &despacho_core::geo::pack::PackError) -> &'static str {
    use despacho_core::geo::pack::PackError;
    match error {
        PackError::NotAPack => "; `despacho gazetteer build` makes one from the register's files",
        PackError::FutureVersion { .. } => "; update this program, or build the pack with it",
        PackError::Truncated { .. } | PackError::Damaged => "",
    }
}

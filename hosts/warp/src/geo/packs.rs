//! Gazetteer packs of the deployment, in memory.

use std::path::{Path, PathBuf};

use despacho_core::geo::pack::Pack;

/// An open pack and where it came from.
#[derive(Clone, Debug)]
pub struct LoadedPack {
    /// Its file.
    pub path: PathBuf,
    /// Its tables.
    pub pack: Pack<'static>,
}

impl LoadedPack {
    /// Reads and checks a pack. Its bytes stay in memory until the process ends: packs are opened once, at the start, and every
    /// request reads them from any thread. Mapping the file instead would need unsafe code, and would turn a file that is cut
    /// off under the server into a crash.
    ///
    /// # Errors
    /// What is wrong with the file, and what to do about it.
    pub fn read(path: &Path) -> Result<LoadedPack, String> {
        let name = path.display();
        let bytes =
            std::fs::read(path).map_err(|error| format!("the gazetteer pack {name} cannot be read: {error}"))?;
        let bytes: &'static [u8] = Box::leak(bytes.into_boxed_slice());
        let pack = Pack::open(bytes).map_err(|error| format!("{name}: {error}{}", remedy(&error)))?;
        Ok(LoadedPack { path: path.to_owned(), pack })
    }
}

fn remedy(error: &despacho_core::geo::pack::PackError) -> &'static str {
    use despacho_core::geo::pack::PackError as F;
    match error {
        F::NotAPack => "; `despacho gazetteer build` makes one from the register's files",
        F::FutureVersion { .. } => "; update this program, or build the pack with it",
        F::Truncated { .. } | F::Damaged => "",
    }
}

//! Where things are.

use std::path::{Path, PathBuf};

use crate::run::Failure;

/// The repository's root: the nearest folder upwards whose Cargo.toml holds the workspace.
///
/// Looked up when run, not when compiled, so that a moved or copied clone finds itself.
pub fn root() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(|e| Failure::new(format!("no current folder: {e}")))?;
    let holds_workspace = |folder: &Path| {
        std::fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
    };
    here.ancestors()
        .find(|folder| holds_workspace(folder))
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new(format!("{} is not inside the repository", here.display())))
}

/// Cargo's build folder, from where this very program was built: it follows CARGO_TARGET_DIR and every configuration.
pub fn target() -> Result<PathBuf, Failure> {
    let exe = std::env::current_exe().map_err(|e| Failure::new(format!("cannot tell where this program is: {e}")))?;
    let profile_folder = |folder: &&Path| folder.join(".fingerprint").is_dir() || folder.join("build").is_dir();
    exe.ancestors()
        .skip(1)
        .find(profile_folder)
        .and_then(Path::parent)
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new(format!("{} was not built by cargo", exe.display())))
}

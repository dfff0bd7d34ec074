//! The paths of the repository and of the build folder.

use std::path::{Path, PathBuf};

use crate::run::Failure;

/// Returns the repository's root: the nearest folder at or above the current one whose Cargo.toml
/// defines the workspace.
///
/// The search happens at run time, so that a clone still works after it is moved or copied.
pub fn root() -> Result<PathBuf, Failure> {
    let here =
        std::env::current_dir().map_err(|e| Failure::new(format!("no current folder: {e}")))?;
    let holds_workspace = |folder: &Path| {
        std::fs::read_to_string(folder.join("Cargo.toml"))
            .is_ok_and(|text| text.contains("[workspace]"))
    };
    here.ancestors()
        .find(|folder| holds_workspace(folder))
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new(format!("{} is not inside the repository", here.display())))
}

/// Returns cargo's build folder, derived from the path of the running executable. This respects
/// CARGO_TARGET_DIR and cargo's configuration.
pub fn target() -> Result<PathBuf, Failure> {
    let exe = std::env::current_exe()
        .map_err(|e| Failure::new(format!("the path of this executable is unknown: {e}")))?;
    let profile_folder =
        |folder: &&Path| folder.join(".fingerprint").is_dir() || folder.join("build").is_dir();
    exe.ancestors()
        .skip(1)
        .find(profile_folder)
        .and_then(Path::parent)
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new(format!("{} was not built by cargo", exe.display())))
}

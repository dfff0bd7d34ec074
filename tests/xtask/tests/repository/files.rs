//! The files of the repository: tracked by git, or new and not ignored.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// The path relative to the repository's root, with slashes.
    pub(crate) path: String,
    /// The content.
    pub(crate) text: String,
}

impl TextFile {
    /// Creates a file for a test.
    pub(crate) fn sample(path: &str, text: &str) -> TextFile {
        TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Returns whether it has one of these extensions.
    #[must_use]
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path)
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| extensions.contains(&e))
    }
}

/// Returns the repository's root, two folders above this package.
#[must_use]
pub(crate) fn root() -> PathBuf {
    // The variable is read at run time, so that a clone still works after it is moved.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    package.join("../..")
}

/// Returns the paths of all tracked files, and of new files that are not ignored.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .map_err(|e| format!("git, which lists the files, could not start: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    // Git still lists a deleted file until the deletion is staged.
    let mut paths: Vec<String> = list
        .split('\0')
        .filter(|path| !path.is_empty() && root.join(path).is_file())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Returns the files that are valid UTF-8.
pub(crate) fn texts(root: &Path) -> Result<Vec<TextFile>, String> {
    let mut texts = Vec::new();
    for path in paths(root)? {
        let bytes = std::fs::read(root.join(&path)).map_err(|e| format!("{path}: {e}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            texts.push(TextFile { path, text });
        }
    }
    Ok(texts)
}

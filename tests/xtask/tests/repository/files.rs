//! The files of the repository, as git would take them: tracked, or new and not ignored.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// From the repository's root, with slashes.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) text: String,
}

impl TextFile {
    /// A file made up for a test.
    pub(crate) fn sample(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether its name ends in one of these extensions.
    #[must_use]
    pub(crate) fn is(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path).extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e))
    }
}

/// The repository's root, two folders above this package.
#[must_use]
pub(crate) fn root() -> PathBuf {
    // Asked at run time: a clone that was moved after it was built finds itself.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    package.join("../..")
}

/// The path of every file that git has or would take.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("the repository lints read the list of files from git: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    // A file that was deleted but not yet committed is still in git's list.
    let mut paths: Vec<String> =
        list.split('\0').filter(|path| !path.is_empty() && root.join(path).is_file()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Every text file; a file that is not UTF-8 is no text.
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

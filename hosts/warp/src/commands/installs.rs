//! Folders of installed data.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

use super::error::CommandError;
use crate::server::print;

/// Creates the folder and locks it against other commands until the result is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, CommandError> {
    fs::create_dir_all(folder)?;
    let file = File::create(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CommandError::Failed(format!(
            "another command works in {}; wait for its end",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Removes the files of killed commands: complete downloads, and data that was being built or
/// written. The folder must be locked, so none of it is in use. Incomplete downloads remain,
/// because the next command resumes them. `is_name` selects the names of installed data, so other
/// files in the folder remain too.
pub(super) fn remove_leftovers(
    folder: &Path,
    is_name: impl Fn(&str) -> bool,
) -> Result<(), CommandError> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.split_once('.'));
        let Some((_, extension)) = name.filter(|(name, _)| is_name(name)) else {
            continue;
        };
        if extension.starts_with("new.") && extension.ends_with(".building") {
            fs::remove_dir_all(&path)?;
        } else if ["zip", "download", "new", "new.partial", "json.new"].contains(&extension) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Reads what is known about installed data; `None` if it is unknown.
pub(super) fn read_info<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Replaces installed data and what is known about it. If that cannot be written, the installed
/// data remains.
pub(super) fn replace(
    unverified: &Path,
    data: &Path,
    info: &Path,
    content: &impl Serialize,
) -> Result<(), CommandError> {
    let new_info = info.with_extension("json.new");
    let bytes = serde_json::to_vec(content).map_err(|error| error.to_string())?;
    let replaced = fs::write(&new_info, bytes)
        .and_then(|()| fs::rename(unverified, data))
        .and_then(|()| fs::rename(&new_info, info));
    replaced.map_err(|error| {
        // Either file may not exist.
        let _ = (fs::remove_file(&new_info), fs::remove_file(unverified));
        CommandError::Failed(format!("{} cannot be written: {error}", data.display()))
    })
}

pub(super) fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn restart_hint() -> Result<(), CommandError> {
    Ok(print(
        "a running service uses the change after its next start",
    )?)
}

/// Rejects names that are not installed.
pub(super) fn check_installed<T: PartialEq + ToString>(
    names: &[T],
    installed: &[T],
    command: &str,
) -> Result<(), CommandError> {
    let missing: Vec<String> = names
        .iter()
        .filter(|name| !installed.contains(name))
        .map(T::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CommandError::Usage(format!(
        "not installed: {}; `{command}` lists what is installed",
        missing.join(", ")
    )))
}

/// Parses all names of a command line, or returns all errors.
pub(super) fn parse_all<T>(
    names: &[String],
    parse: fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, CommandError> {
    let (parsed, errors): (Vec<_>, Vec<_>) = names
        .iter()
        .map(|name| parse(name))
        .partition(Result::is_ok);
    let errors: Vec<String> = errors.into_iter().filter_map(Result::err).collect();
    if errors.is_empty() {
        Ok(parsed.into_iter().filter_map(Result::ok).collect())
    } else {
        Err(CommandError::Usage(errors.join("\n")))
    }
}

//! The temporary folder of a build.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The end of a temporary folder's name.
const SCRATCH_SUFFIX: &str = ".building";

/// The locked file in a temporary folder.
const LOCK: &str = "lock";

/// Maximum age of the folder of a running process without a lock, which is created at once.
const MAX_AGE_WITHOUT_LOCK: Duration = Duration::from_secs(60);

/// A temporary folder, which is removed with its content when dropped. It contains a file that is
/// locked until then. The operating system ends the lock of a killed process, so its folder can be
/// removed later.
pub(crate) struct Scratch {
    path: PathBuf,
    /// The locked file. It is closed before the folder is removed, because Windows does not remove
    /// open files.
    lock: Option<File>,
}

impl Scratch {
    /// Creates a folder next to a file, named after the file and this process, and removes those of
    /// killed processes.
    pub(crate) fn next_to(file: &Path) -> io::Result<Scratch> {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = file
            .file_name()
            .ok_or_else(|| io::Error::other("the pack needs a file name"))?;
        // A folder that cannot be removed only uses space.
        let _ = remove_unlocked(file, name);
        let mut name = name.to_owned();
        name.push(format!(".{}-{next}{SCRATCH_SUFFIX}", std::process::id()));
        let path = file.with_file_name(name);
        std::fs::create_dir(&path)?;
        let mut scratch = Scratch { path, lock: None };
        let lock = File::create(scratch.path.join(LOCK))?;
        // Without locks, folders of killed processes remain.
        let _ = lock.try_lock();
        scratch.lock = Some(lock);
        Ok(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes the temporary folders for this file whose lock no process holds.
fn remove_unlocked(file: &Path, name: &OsStr) -> io::Result<()> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let bytes = path
            .file_name()
            .map(OsStr::as_encoded_bytes)
            .unwrap_or_default();
        let id = bytes.strip_prefix(name.as_encoded_bytes());
        let id = id.and_then(|rest| rest.strip_suffix(SCRATCH_SUFFIX.as_bytes()));
        if id.is_some_and(|id| id.starts_with(b".")) && is_unlocked(&path) {
            std::fs::remove_dir_all(&path)?;
        }
    }
    Ok(())
}

fn is_unlocked(scratch: &Path) -> bool {
    match File::open(scratch.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        // The folder is new, or its process was killed before it created the file.
        Err(_) => {
            let modified = std::fs::metadata(scratch).and_then(|folder| folder.modified());
            modified.is_ok_and(|modified| {
                modified
                    .elapsed()
                    .is_ok_and(|age| age > MAX_AGE_WITHOUT_LOCK)
            })
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed holds no result, so the error is ignored.
        drop(self.lock.take());
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

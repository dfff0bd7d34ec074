//! A small disk that can be filled: a file system in memory, mounted for the run.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

/// The file that fills the disk.
const BALLAST: &str = "ballast";
/// The number of bytes per write.
const PIECE: usize = 4 << 20;

/// A mounted disk. Dropping it unmounts the disk.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// Mounts a disk of `megabytes`. The error is the reason that this machine cannot do so.
    pub(crate) fn mount(folder: &Path, megabytes: u64) -> Result<Disk, String> {
        if !cfg!(target_os = "linux") {
            return Err("mounting a file system in memory is supported only on Linux".to_owned());
        }
        // The mount point is not inside the folder of the run because PostgreSQL's user cannot
        // enter that folder.
        let mut path = folder.as_os_str().to_owned();
        path.push("-disk");
        let path = PathBuf::from(path);
        fs::create_dir(&path)
            .map_err(|error| format!("{} cannot be created: {error}", path.display()))?;
        let mut mount = Command::new("mount");
        mount
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={megabytes}m,mode=755"),
                "despacho-process",
            ])
            .arg(&path);
        match mount.output() {
            Ok(output) if output.status.success() => Ok(Disk(path)),
            Ok(output) => {
                _ = fs::remove_dir(&path);
                Err(format!(
                    "mount: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                ))
            }
            Err(error) => {
                _ = fs::remove_dir(&path);
                Err(format!("mount: {error}"))
            }
        }
    }

    /// Returns the mount point.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Fills the disk completely, and also the space that other processes free, until `is_enough`
    /// returns true.
    pub(crate) fn fill(&self, is_enough: impl Fn() -> bool) -> Result<(), String> {
        let mut ballast =
            File::create(self.0.join(BALLAST)).map_err(|error| format!("the ballast: {error}"))?;
        let piece = vec![0x5a; PIECE];
        loop {
            // A write that does not fit is shortened to the free space.
            while ballast.write(&piece).is_ok_and(|written| written > 0) {}
            if is_enough() {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Frees the space.
    pub(crate) fn free(&self) {
        _ = fs::remove_file(self.0.join(BALLAST));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A lazy unmount succeeds even if a process that is exiting still has a file open.
        _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
        _ = fs::remove_dir(&self.0);
    }
}

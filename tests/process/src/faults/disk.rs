//! A disk that is small enough to be filled: a file system in memory, mounted for the run.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

/// What fills it.
const BALLAST: &str = "ballast";
/// Written at once.
const PIECE: usize = 4 << 20;

/// A mounted disk, gone when it is dropped.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// Mounts one of so many megabytes; why not, where this machine does not let us.
    pub(crate) fn mount(folder: &Path, megabytes: u64) -> Result<Disk, String> {
        if !cfg!(target_os = "linux") {
            return Err("only Linux has a file system in memory that is mounted by one command".to_owned());
        }
        // Beside the folder of the run, not in it: PostgreSQL's user may not enter that one.
        let mut place = folder.as_os_str().to_owned();
        place.push("-disk");
        let place = PathBuf::from(place);
        fs::create_dir(&place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=755"), "despacho-process"]).arg(&place);
        match mount.output() {
            Ok(done) if done.status.success() => Ok(Disk(place)),
            Ok(done) => {
                _ = fs::remove_dir(&place);
                Err(format!("mount: {}", String::from_utf8_lossy(&done.stderr).trim()))
            }
            Err(error) => {
                _ = fs::remove_dir(&place);
                Err(format!("mount: {error}"))
            }
        }
    }

    /// Where it is.
    pub(crate) fn place(&self) -> &Path {
        &self.0
    }

    /// Fills it to the last page, and goes on until `enough` says so: what others free meanwhile is taken too.
    pub(crate) fn fill(&self, enough: impl Fn() -> bool) -> Result<(), String> {
        let mut ballast = File::create(self.0.join(BALLAST)).map_err(|error| format!("the ballast: {error}"))?;
        let piece = vec![0x5a; PIECE];
        loop {
            // Where a whole piece has no room, its beginning has: what is written is kept.
            while ballast.write(&piece).is_ok_and(|written| written > 0) {}
            if enough() {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Gives the room back.
    pub(crate) fn free(&self) {
        _ = fs::remove_file(self.0.join(BALLAST));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a process that is just going may still have a file open.
        _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
        _ = fs::remove_dir(&self.0);
    }
}

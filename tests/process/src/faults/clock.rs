//! Clocks of single processes, set at run time with libfaketime. The machine's own clock is never
//! changed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicI64, Ordering},
};

/// The library folders of common Linux distributions.
const FOLDERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];

/// The library, and the folder of the clocks' files.
pub(crate) struct Clocks {
    library: PathBuf,
    folder: PathBuf,
}

/// The clock of one instance.
pub(crate) struct Clock {
    library: String,
    file: PathBuf,
    offset_s: AtomicI64,
}

impl Clocks {
    /// Finds the library and tests it. The error is the reason that clocks cannot be changed here.
    pub(crate) fn find(folder: &Path) -> Result<Clocks, String> {
        let library = FOLDERS
            .iter()
            .map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"));
        let library = library.into_iter().find(|path| path.is_file());
        let library = library.ok_or("libfaketime is not installed (Debian's package faketime)")?;
        let clocks = Clocks {
            library,
            folder: folder.to_owned(),
        };
        let probe = clocks.clock(usize::MAX);
        probe.set(86_400)?;
        let requested = Command::new("date")
            .arg("+%s")
            .envs(probe.variables())
            .output();
        let shown = requested.map_err(|error| format!("date: {error}"))?;
        let shown: u64 = String::from_utf8_lossy(&shown.stdout)
            .trim()
            .parse()
            .unwrap_or_default();
        let now = std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0, |since| since.as_secs());
        if shown.abs_diff(now + 86_400) > 60 {
            return Err("libfaketime has no effect on this machine".to_owned());
        }
        Ok(clocks)
    }

    /// Creates the clock of an instance, without an offset.
    pub(crate) fn clock(&self, number: usize) -> Clock {
        let clock = Clock {
            library: self.library.display().to_string(),
            file: self.folder.join(format!("clock-{number}")),
            offset_s: AtomicI64::new(0),
        };
        // Without the file, the library uses the real time.
        _ = clock.set(0);
        clock
    }
}

impl Clock {
    /// Sets the offset from the real time, in seconds, with immediate effect. Returns the previous
    /// offset.
    pub(crate) fn set(&self, offset_s: i64) -> Result<i64, String> {
        let draft = self.file.with_extension("new");
        let written = fs::write(&draft, format!("{offset_s:+}\n"))
            .and_then(|()| fs::rename(&draft, &self.file));
        written.map_err(|error| format!("{}: {error}", self.file.display()))?;
        Ok(self.offset_s.swap(offset_s, Ordering::SeqCst))
    }

    /// Returns the environment variables of the process. The monotonic clock is not faked, as with
    /// a real change of the time.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("FAKETIME_DONT_RESET", "1".to_owned()),
        ]
    }
}

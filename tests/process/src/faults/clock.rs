//! Clocks of single processes that can be set while they run, by libfaketime. The machine's own clock is never touched: others live by it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicI64, Ordering},
};

/// Where Debian and its like put the library.
const FOLDERS: [&str; 4] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// The library, and where the clocks' files are.
pub(crate) struct Clocks {
    library: PathBuf,
    folder: PathBuf,
}

/// The clock of one instance.
pub(crate) struct Clock {
    library: String,
    file: PathBuf,
    off_s: AtomicI64,
}

impl Clocks {
    /// Finds the library and tries it; why not, where there is none.
    pub(crate) fn find(folder: &Path) -> Result<Clocks, String> {
        let library = FOLDERS.iter().map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"));
        let library = library.into_iter().find(|path| path.is_file());
        let library = library.ok_or("libfaketime is not installed (Debian's package faketime)")?;
        let clocks = Clocks { library, folder: folder.to_owned() };
        let probe = clocks.of(usize::MAX);
        probe.set(86_400)?;
        let requested = Command::new("date").arg("+%s").envs(probe.variables()).output();
        let shown = requested.map_err(|error| format!("date: {error}"))?;
        let shown: u64 = String::from_utf8_lossy(&shown.stdout).trim().parse().unwrap_or_default();
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        if shown.abs_diff(now + 86_400) > 60 {
            return Err("libfaketime does not move the clock of a process on this machine".to_owned());
        }
        Ok(clocks)
    }

    /// The clock of an instance, which is right for now.
    pub(crate) fn of(&self, number: usize) -> Clock {
        let clock = Clock {
            library: self.library.display().to_string(),
            file: self.folder.join(format!("clock-{number}")),
            off_s: AtomicI64::new(0),
        };
        // Where it cannot be written the library takes the real time.
        _ = clock.set(0);
        clock
    }
}

impl Clock {
    /// Sets it so many seconds beside the real time, at once, while its process runs; gives how many it was before.
    pub(crate) fn set(&self, off_s: i64) -> Result<i64, String> {
        let draft = self.file.with_extension("new");
        let written = fs::write(&draft, format!("{off_s:+}\n")).and_then(|()| fs::rename(&draft, &self.file));
        written.map_err(|error| format!("{}: {error}", self.file.display()))?;
        Ok(self.off_s.swap(off_s, Ordering::SeqCst))
    }

    /// What its process is started with. The clock that only counts is left alone, as it is when a machine's time is set.
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

//! Progress on standard error: a bar on a terminal, otherwise a line for each tenth.

use std::io::{IsTerminal, Write};

use despacho_geo::gazetteer::{self, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// Bytes between two lines if the total is unknown.
const LINE_BYTES: u64 = 64 << 20;

/// The progress of one step of a command.
pub(super) struct Progress {
    title: String,
    bar: ProgressBar,
    is_terminal: bool,
    /// Tenths of the total, or multiples of [`LINE_BYTES`], that the last line reported.
    reported: u64,
}

impl Progress {
    pub(super) fn new(title: impl Into<String>) -> Progress {
        let title = title.into();
        let template =
            "{prefix} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {msg}{eta} left";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(0)
            .with_style(style.progress_chars("#."))
            .with_prefix(title.clone());
        Progress {
            title,
            bar,
            is_terminal: std::io::stderr().is_terminal(),
            reported: 0,
        }
    }

    /// Shows the number of bytes. Without a known total the bar stays empty.
    pub(super) fn show(&mut self, bytes: u64, total: Option<u64>) {
        self.bar.set_length(total.unwrap_or(0));
        self.bar.set_position(bytes);
        if self.is_terminal {
            return;
        }
        if let Some(line) = line(bytes, total, &mut self.reported) {
            // If standard error is closed, the progress cannot be reported.
            let _ = writeln!(std::io::stderr(), "{}: {line}", self.title);
        }
    }

    /// Shows the progress of a pack's build.
    pub(super) fn show_build(&mut self, progress: &gazetteer::Progress) {
        self.bar.set_message(match progress.stage {
            Stage::Reading => format!("{} rows, ", progress.rows),
            Stage::Merging => format!("merging {} rows, ", progress.rows),
            Stage::Writing => "writing the pack, ".to_owned(),
        });
        self.show(progress.bytes, Some(progress.bytes_total));
    }

    /// Removes the bar and returns the duration.
    pub(super) fn finish(self) -> std::time::Duration {
        self.bar.finish_and_clear();
        self.bar.elapsed()
    }
}

/// Returns the next line if there is one, and updates the number of reported steps.
fn line(bytes: u64, total: Option<u64>, reported: &mut u64) -> Option<String> {
    let megabytes = |bytes: u64| format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10);
    let steps = match total {
        Some(0) => return None,
        Some(total) => bytes.saturating_mul(10) / total,
        None => bytes / LINE_BYTES,
    };
    if steps == *reported {
        return None;
    }
    // A download that starts again reports its steps again.
    *reported = steps;
    (steps > 0).then(|| match total {
        Some(total) => format!("{} % of {}", steps * 10, megabytes(total)),
        None => megabytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_report_each_tenth_once() {
        let mut reported = 0;
        let mut lines = |bytes, total| line(bytes, total, &mut reported);
        assert_eq!(lines(0, Some(2_000_000)), None);
        assert_eq!(
            lines(450_000, Some(2_000_000)).as_deref(),
            Some("20 % of 2.0 MB")
        );
        assert_eq!(lines(460_000, Some(2_000_000)), None);
        assert_eq!(
            lines(2_000_000, Some(2_000_000)).as_deref(),
            Some("100 % of 2.0 MB")
        );
        assert_eq!(lines(0, Some(2_000_000)), None, "the download starts again");
        assert_eq!(
            lines(200_000, Some(2_000_000)).as_deref(),
            Some("10 % of 2.0 MB")
        );
        let mut reported = 0;
        assert_eq!(line(1 << 20, None, &mut reported), None);
        assert_eq!(
            line(65 << 20, None, &mut reported).as_deref(),
            Some("68.1 MB")
        );
    }
}

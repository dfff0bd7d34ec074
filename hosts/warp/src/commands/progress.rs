//! Progress on standard error, if that is a terminal.

use despacho_geo::gazetteer::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar in bytes.
pub(super) fn bar(title: &str) -> ProgressBar {
    let template = "{prefix} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {msg}{eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style.progress_chars("#.")).with_prefix(title.to_owned())
}

/// Shows the progress of a download. Without a known total the bar stays empty.
pub(super) fn show_download(bar: &ProgressBar, bytes: u64, total: Option<u64>) {
    bar.set_length(total.unwrap_or(0));
    bar.set_position(bytes);
}

/// Shows the progress of a pack's build.
pub(super) fn show_build(bar: &ProgressBar, progress: &Progress) {
    bar.set_length(progress.bytes_total);
    bar.set_position(progress.bytes);
    bar.set_message(match progress.stage {
        Stage::Reading => format!("{} rows, ", progress.rows),
        Stage::Merging => format!("merging {} rows, ", progress.rows),
        Stage::Writing => "writing the pack, ".to_owned(),
    });
}

//! Disabled tests, and the share of documentation in the core.

use crate::{Finding, files::TextFile, syntax};

/// Calls that disable a JavaScript test or all others.
const SILENCED: [&str; 6] = ["test.skip", "it.skip", "describe.skip", "test.todo", ".only(", "xit("];
/// The markers of a line of documentation.
const DOC: [&str; 2] = ["///", "//!"];

/// Checks that a file has no `#[ignore]`.
pub(crate) fn ignored(file: &TextFile) -> Result<Vec<Finding>, String> {
    let parsed = syntax::parse(file)?;
    let ignored = syntax::markings(&parsed).into_iter().filter(|marking| marking.name == "ignore");
    let message = "an ignored test verifies nothing: make it run, or delete it";
    Ok(ignored.map(|marking| Finding::in_line(&file.path, marking.line, message)).collect())
}

/// Checks that a script disables no test.
#[must_use]
pub(crate) fn script(file: &TextFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for silenced in SILENCED.iter().filter(|silenced| line.contains(**silenced)) {
            found.push(Finding::in_line(
                &file.path,
                index + 1,
                format!("`{silenced}` disables tests: make them run, or delete them"),
            ));
        }
    }
    found
}

/// Returns the share of documentation comments in the lines that are not blank, in percent.
#[must_use]
pub(crate) fn doc_percent<'a>(files: impl IntoIterator<Item = &'a TextFile>) -> f64 {
    let (mut docs, mut all) = (0_u32, 0_u32);
    for line in files.into_iter().flat_map(|file| file.text.lines()).map(str::trim).filter(|line| !line.is_empty()) {
        all += 1;
        docs += u32::from(DOC.iter().any(|mark| line.starts_with(mark)));
    }
    100.0 * f64::from(docs) / f64::from(all.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> TextFile {
        TextFile::sample("a.rs", text)
    }

    #[test]
    fn ignored_test_is_reported_with_and_without_reason() {
        assert_eq!(ignored(&sample("#[test] #[ignore] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(ignored(&sample("#[test] #[ignore = \"slow\"] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(ignored(&sample("#[cfg_attr(miri, ignore)] fn f() {}")).map(|found| found.len()), Ok(1));
    }

    #[test]
    fn disabled_script_test_is_reported() {
        assert_eq!(script(&TextFile::sample("a.ts", "test('a', f);\ntest.skip('b', f);\nit.only('c', f);")).len(), 2);
    }

    #[test]
    fn documentation_share_ignores_blank_lines() {
        let percent = doc_percent([&sample("//! A.\n\n/// B.\nfn f() {}\n// no doc\n")]);
        assert!((percent - 50.0).abs() < 1e-9, "{percent}");
    }
}

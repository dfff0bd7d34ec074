//! Disabled tests.

use crate::{Finding, files::TextFile, syntax};

/// Calls that disable a JavaScript test or all others.
const SILENCED: [&str; 6] = [
    "test.skip",
    "it.skip",
    "describe.skip",
    "test.todo",
    ".only(",
    "xit(",
];

/// Checks that a file has no `#[ignore]`.
pub(crate) fn ignored(file: &TextFile) -> Result<Vec<Finding>, String> {
    let parsed = syntax::parse(file)?;
    let ignored = syntax::markings(&parsed)
        .into_iter()
        .filter(|marking| marking.name == "ignore");
    let message = "an ignored test verifies nothing: make it run, or delete it";
    Ok(ignored
        .map(|marking| Finding::in_line(&file.path, marking.line, message))
        .collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> TextFile {
        TextFile::sample("a.rs", text)
    }

    #[test]
    fn ignored_test_is_reported_with_and_without_reason() {
        assert_eq!(
            ignored(&sample("#[test] #[ignore] fn f() {}")).map(|found| found.len()),
            Ok(1)
        );
        assert_eq!(
            ignored(&sample("#[test] #[ignore = \"slow\"] fn f() {}")).map(|found| found.len()),
            Ok(1)
        );
        assert_eq!(
            ignored(&sample("#[cfg_attr(miri, ignore)] fn f() {}")).map(|found| found.len()),
            Ok(1)
        );
    }

    #[test]
    fn disabled_script_test_is_reported() {
        assert_eq!(
            script(&TextFile::sample(
                "a.ts",
                "test('a', f);\ntest.skip('b', f);\nit.only('c', f);"
            ))
            .len(),
            2
        );
    }
}

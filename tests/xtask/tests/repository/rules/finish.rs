//! Nothing unfinished, nothing silenced without a reason.

use crate::{Finding, files::TextFile, syntax};

/// Macros that stand for code that is not there.
const UNFINISHED: [&str; 2] = ["todo", "unimplemented"];
/// What switches a JavaScript test off, or all others.
const SILENCED: [&str; 6] = ["test.skip", "it.skip", "describe.skip", "test.todo", ".only(", "xit("];
/// The first line of a documentation comment.
const DOC: [&str; 2] = ["///", "//!"];

/// No `todo!`, no `unimplemented!`, no `#[ignore]`.
pub(crate) fn rust(file: &TextFile) -> Result<Vec<Finding>, String> {
    let parsed = syntax::parse(file)?;
    let unfinished = syntax::macros(&parsed).into_iter().filter(|mention| UNFINISHED.contains(&&*mention.name));
    let unfinished = unfinished.map(|mention| {
        Finding::in_line(
            &file.path,
            mention.line,
            format!("`{}!` stands for code that is not there: write it", mention.name),
        )
    });
    let ignored = syntax::markings(&parsed).into_iter().filter(|marking| marking.name == "ignore");
    let ignored = ignored.map(|marking| {
        Finding::in_line(&file.path, marking.line, "an ignored test shows nothing: make it run, or delete it")
    });
    Ok(unfinished.chain(ignored).collect())
}

/// No skipped or singled-out test in the browser's and the panel's code.
#[must_use]
pub(crate) fn script(file: &TextFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for silenced in SILENCED.iter().filter(|silenced| line.contains(**silenced)) {
            found.push(Finding::in_line(
                &file.path,
                index + 1,
                format!("`{silenced}` silences tests: make them run, or delete them"),
            ));
        }
    }
    found
}

/// Every `allow` and `expect` of a lint says why.
pub(crate) fn reasons(file: &TextFile) -> Result<Vec<Finding>, String> {
    let parsed = syntax::parse(file)?;
    let bare = syntax::markings(&parsed).into_iter().filter(|marking| {
        matches!(&*marking.name, "allow" | "expect") && !marking.words.iter().any(|word| word == "reason")
    });
    Ok(bare
        .map(|marking| {
            let what = format!("`{}` without a reason: write #[expect(lint, reason = \"…\")]", marking.name);
            Finding::in_line(&file.path, marking.line, what)
        })
        .collect())
}

/// Nothing switches the lint off by which the compiler sees to it that every public item is documented.
pub(crate) fn documented(file: &TextFile) -> Result<Vec<Finding>, String> {
    let parsed = syntax::parse(file)?;
    let off = syntax::markings(&parsed).into_iter().filter(|marking| {
        matches!(&*marking.name, "allow" | "expect") && marking.words.iter().any(|word| word == "missing_docs")
    });
    Ok(off
        .map(|marking| {
            Finding::in_line(
                &file.path,
                marking.line,
                "a public item of the core is documented: one or two sentences, why, units, ranges",
            )
        })
        .collect())
}

/// How many of a hundred lines, blank ones aside, are documentation comments.
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
    fn unfinished_code_is_found_but_not_in_text() {
        assert_eq!(rust(&sample("fn f() { todo!() }")).map(|found| found.len()), Ok(1));
        assert_eq!(rust(&sample("fn f() { g(unimplemented!(\"later\")) }")).map(|found| found.len()), Ok(1));
        assert_eq!(rust(&sample("/// Not a `todo!()`.\nfn f() { g(\"todo!()\") }")), Ok(vec![]));
    }

    #[test]
    fn an_ignored_test_is_found_with_and_without_reason() {
        assert_eq!(rust(&sample("#[test] #[ignore] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(rust(&sample("#[test] #[ignore = \"slow\"] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(rust(&sample("#[cfg_attr(miri, ignore)] fn f() {}")).map(|found| found.len()), Ok(1));
    }

    #[test]
    fn a_silenced_script_test_is_found() {
        assert_eq!(script(&TextFile::sample("a.ts", "test('a', f);\ntest.skip('b', f);\nit.only('c', f);")).len(), 2);
    }

    #[test]
    fn a_lint_silenced_without_reason_is_found() {
        assert_eq!(reasons(&sample("#[allow(dead_code)] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(reasons(&sample("#![expect(dead_code)]")).map(|found| found.len()), Ok(1));
        assert_eq!(reasons(&sample("#[cfg_attr(test, allow(dead_code))] fn f() {}")).map(|found| found.len()), Ok(1));
        assert_eq!(reasons(&sample("#[expect(dead_code, reason = \"kept for x\")] fn f() {}")), Ok(vec![]));
    }

    #[test]
    fn switching_documentation_off_is_found() {
        let off = sample("#[expect(missing_docs, reason = \"no time\")] pub fn f() {}");
        assert_eq!(documented(&off).map(|found| found.len()), Ok(1));
    }

    #[test]
    fn documentation_is_counted_without_blank_lines() {
        let percent = doc_percent([&sample("//! A.\n\n/// B.\nfn f() {}\n// no doc\n")]);
        assert!((percent - 50.0).abs() < 1e-9, "{percent}");
    }
}

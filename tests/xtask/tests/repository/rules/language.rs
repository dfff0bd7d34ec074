//! Words that have a standard term, which the repository uses instead.

use std::collections::BTreeMap;

use crate::{Finding, files::TextFile};

/// The banned words. The file's extension is not among [`EXTENSIONS`], so the list does not report itself.
pub(crate) const WORDS: &str = include_str!("../words.txt");
/// The extensions of the files that are checked.
const EXTENSIONS: [&str; 17] = [
    "rs", "md", "ts", "tsx", "js", "mjs", "jsx", "css", "html", "sql", "py", "sh", "wit", "toml", "yaml", "yml",
    "service",
];
/// Portuguese texts and generated inputs.
const EXEMPT: [&str; 2] = ["hosts/panel/src/i18n/pt.ts", "tests/fuzz/corpus/"];

/// Parses a list of banned words with the terms to use instead.
pub(crate) fn parse(list: &str) -> Result<BTreeMap<&str, &str>, String> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').ok_or_else(|| format!("`{line}` has no tab"))).collect()
}

/// Checks that a file contains no banned word.
#[must_use]
pub(crate) fn words(file: &TextFile, banned: &BTreeMap<&str, &str>) -> Vec<Finding> {
    let is_case = file.path.starts_with("tests/cases/") && file.has_extension(&["json"]);
    if !(is_case || file.has_extension(&EXTENSIONS)) || EXEMPT.iter().any(|path| file.path.starts_with(path)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for word in split(line) {
            if let Some((word, terms)) = banned.get_key_value(word.to_ascii_lowercase().as_str()) {
                found.push(Finding::in_line(&file.path, index + 1, format!("contains `{word}`: use {terms}")));
            }
        }
    }
    found
}

/// Returns the words of a line, including the parts of snake_case and CamelCase names: `["HTTP", "Server"]` for `HTTPServer`.
fn split(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for run in line.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty()) {
        let mut start = 0;
        let letters: Vec<(usize, char)> = run.char_indices().collect();
        for (position, &(at, letter)) in letters.iter().enumerate().skip(1) {
            let before = letters.get(position - 1).is_some_and(|(_, letter)| letter.is_lowercase());
            let after = letters.get(position + 1).is_some_and(|(_, letter)| letter.is_lowercase());
            if letter.is_uppercase() && (before || after) {
                words.extend(run.get(start..at));
                start = at;
            }
        }
        words.extend(run.get(start..));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let banned = parse("# comment\nfoo\tbar, baz\n").expect("the list is valid");
        words(&TextFile::sample(path, text), &banned).into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn banned_word_is_reported_with_its_replacement() {
        assert_eq!(found("a.rs", "let a = 1;\n// A foo."), ["a.rs:2: contains `foo`: use bar, baz"]);
        assert_eq!(found("tests/cases/a.json", "{\"foo\":1}").len(), 1);
        assert_eq!(found("a.json", "{\"foo\":1}"), [""; 0]);
        assert_eq!(found("hosts/panel/src/i18n/pt.ts", "foo"), [""; 0]);
    }

    #[test]
    fn banned_word_is_reported_in_names() {
        for name in ["foo_1", "is_foo", "FOO", "FooServer", "HTTPFoo", "fooBar", "a2Foo"] {
            assert_eq!(found("a.md", name).len(), 1, "{name}");
        }
        assert_eq!(found("a.md", "food seafood Foody fóo"), [""; 0]);
    }

    #[test]
    fn list_is_sorted_with_unique_words() {
        let words: Vec<&str> = parse(WORDS).expect("the list is valid").into_keys().collect();
        let listed = WORDS.lines().filter_map(|line| Some(line.split_once('\t')?.0));
        assert_eq!(listed.collect::<Vec<_>>(), words);
    }

    #[test]
    fn line_without_tab_is_rejected() {
        assert!(parse("foo bar").is_err());
    }
}

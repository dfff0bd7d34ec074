//! The existence of the paths, commands and links that documents contain.

use std::collections::BTreeSet;

use crate::{Finding, files::TextFile};

/// Subcommands of cargo and of the installed tools.
const CARGO: [&str; 16] = [
    "add", "bench", "build", "check", "clippy", "deny", "doc", "fmt", "fuzz", "info", "install",
    "metadata", "nextest", "run", "test", "tree",
];
/// The endings that identify a name without a slash as a file name.
const FILE_ENDINGS: [&str; 5] = [".rs", ".md", ".sql", ".mjs", ".ts"];

/// The existing names that documents are checked against.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Every file of the repository.
    pub(crate) files: BTreeSet<String>,
    /// Every package of the workspace.
    pub(crate) packages: BTreeSet<String>,
    /// The aliases of .cargo/config.toml.
    pub(crate) aliases: BTreeSet<String>,
    /// Every long identifier outside the pages.
    pub(crate) identifiers: BTreeSet<String>,
}

impl Known {
    fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.contains(path)
            || self
                .files
                .range(folder.clone()..)
                .next()
                .is_some_and(|file| file.starts_with(&folder))
    }

    fn is_top_level(&self, name: &str) -> bool {
        self.has(name)
    }
}

/// Returns the aliases of a cargo configuration.
#[must_use]
pub(crate) fn aliases(config: &str) -> BTreeSet<String> {
    let lines = config
        .lines()
        .skip_while(|line| line.trim() != "[alias]")
        .skip(1);
    let lines = lines.take_while(|line| !line.trim_start().starts_with('['));
    lines
        .filter_map(|line| Some(line.split_once('=')?.0.trim().to_owned()))
        .collect()
}

/// The identifiers of a file that are as long as the name of a test.
pub(crate) fn identifiers(file: &TextFile) -> impl Iterator<Item = String> {
    let words = file
        .text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| looks_like_test(word))
        .map(str::to_owned)
}

/// Checks that the paths and cargo commands of a document exist.
#[must_use]
pub(crate) fn references(file: &TextFile, known: &Known) -> Vec<Finding> {
    let mut found = Vec::new();
    for (line, piece) in code_pieces(&file.text) {
        if let Some(wrong) = wrong_command(piece, known) {
            found.push(Finding::in_line(&file.path, line, wrong));
        }
        if looks_like_test(piece) && !known.identifiers.contains(piece) {
            found.push(Finding::in_line(
                &file.path,
                line,
                format!("`{piece}` does not exist: correct it"),
            ));
        }
        for (position, word) in piece.split_whitespace().enumerate() {
            let word =
                word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '"' | '\''));
            // `despacho backup copy.db`: a name without a slash after a command is the reader's own
            // file.
            if position > 0 && !word.contains('/') {
                continue;
            }
            if looks_like_path(word, known) && !exists(word, &file.path, known) {
                found.push(Finding::in_line(
                    &file.path,
                    line,
                    format!("`{word}` does not exist: correct it"),
                ));
            }
        }
    }
    found
}

/// Checks that the relative links of a page lead to existing files, folders or headings, and that
/// no line that opens a fenced block contains another backtick: Markdown would show the block as
/// text.
#[must_use]
pub(crate) fn links(file: &TextFile, pages: &[&TextFile], known: &Known) -> Vec<Finding> {
    let (mut found, mut fenced) = (Vec::new(), false);
    for (index, line) in file.text.lines().enumerate() {
        if let Some(opening) = line.trim_start().strip_prefix("```") {
            if opening.contains('`') {
                found.push(Finding::in_line(
                    &file.path,
                    index + 1,
                    "a line that opens a block contains a backtick, so that the block is shown as \
                     text: remove it"
                        .to_owned(),
                ));
            }
            fenced = !fenced;
        }
        let targets = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for target in targets
            .filter(|target| !fenced && !target.contains("://") && !target.starts_with("mailto:"))
        {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() {
                file.path.clone()
            } else {
                resolved(&file.path, path)
            };
            let page = pages.iter().find(|page| page.path == path);
            let has_heading = heading.is_empty()
                || page.is_some_and(|page| headings(&page.text).contains(heading));
            if !known.has(&path) || !has_heading {
                found.push(Finding::in_line(
                    &file.path,
                    index + 1,
                    format!("the target of the link `{target}` does not exist: correct it"),
                ));
            }
        }
    }
    found
}

/// Resolves a link's path relative to the root.
fn resolved(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the anchors of a page's headings.
fn headings(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let outside = text.lines().filter(|line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced
    });
    let heads = outside
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let name = |head: &str| {
        let kept = head
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    heads.map(name).collect()
}

/// Returns inline code, link targets, and the lines of fenced blocks without their explanations,
/// each with its line number.
fn code_pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            // In a code map two spaces separate a path from its description.
            let line = line.trim_start().trim_start_matches("$ ");
            pieces.push((index + 1, line.split("  ").next().unwrap_or(line)));
        } else {
            pieces.extend(
                line.split('`')
                    .skip(1)
                    .step_by(2)
                    .map(|piece| (index + 1, piece)),
            );
        }
    }
    pieces
}

/// Names of tests have at least four words. Metrics have the prefix of the server.
fn looks_like_test(piece: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    piece.matches('_').count() >= 3 && piece.chars().all(plain) && !piece.starts_with("despacho_")
}

fn looks_like_path(word: &str, known: &Known) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if word.starts_with(['/', '-', '~']) || !word.chars().all(plain) {
        return false;
    }
    match word.trim_start_matches("./").split_once('/') {
        Some((first, _)) => {
            known.is_top_level(first) || FILE_ENDINGS.iter().any(|ending| word.ends_with(ending))
        }
        None => FILE_ENDINGS
            .iter()
            .any(|ending| word.ends_with(ending) && word.len() > ending.len()),
    }
}

/// Returns whether a path exists, relative to the root, to the document's folder or to that
/// folder's `src`.
fn exists(word: &str, document: &str, known: &Known) -> bool {
    let bare = !word.contains('/');
    let word = word.trim_start_matches("./").trim_end_matches(['/', '.']);
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    if bare {
        // A name without a slash may be in any folder.
        let ending = format!("/{word}");
        return known
            .files
            .iter()
            .any(|file| file == word || file.ends_with(&ending));
    }
    let bases = [
        "".to_owned(),
        format!("{folder}/"),
        format!("{folder}/src/"),
    ];
    word.starts_with("target/")
        || word.ends_with("/dist")
        || bases.iter().any(|base| known.has(&format!("{base}{word}")))
}

fn wrong_command(piece: &str, known: &Known) -> Option<String> {
    let mut words = piece.trim_start_matches("$ ").split_whitespace();
    // Variables may precede the command: `DESPACHO_X=1 cargo verify`.
    words
        .find(|word| !word.contains('='))
        .filter(|word| *word == "cargo")?;
    let words: Vec<&str> = words.collect();
    let subcommand = words.iter().find(|word| !word.starts_with(['-', '+']))?;
    if !CARGO.contains(subcommand) && !known.aliases.contains(*subcommand) {
        return Some(format!(
            "`cargo {subcommand}` is neither a subcommand of cargo nor an alias of .cargo/config.toml"
        ));
    }
    let named = words
        .iter()
        .zip(words.iter().skip(1))
        .find(|(flag, _)| matches!(**flag, "-p" | "--package"));
    let (_, package) = named?;
    (!known.packages.contains(*package)).then(|| format!("there is no package `{package}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Known {
            files: set(&[
                "README.md",
                "core/src/host.rs",
                "core/ARCHITECTURE.md",
                "tests/cases/README.md",
            ]),
            packages: set(&["despacho-core"]),
            aliases: aliases("[alias]\nup = \"run\"\nverify = \"run\"\n[build]\nx = 1\n"),
            identifiers: identifiers(&TextFile::sample("a.rs", "fn one_of_the_tests() {}"))
                .collect(),
        }
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        references(&TextFile::sample(path, text), &known())
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn missing_path_is_reported() {
        assert_eq!(found("README.md", "See `core/src/gone.rs`.").len(), 1);
        assert_eq!(
            found("README.md", "```\ncore/gone/   the rules\n```").len(),
            1
        );
        assert_eq!(found("core/ARCHITECTURE.md", "`gone.rs`").len(), 1);
    }

    #[test]
    fn existing_path_is_not_reported() {
        let text = "`core/src/host.rs`, `core/`, [a](tests/cases), `/delivery/orders`, `text/html`, `http::Request`, `a/b`, `despacho backup copy.json`";
        assert_eq!(found("README.md", text), [""; 0]);
        assert_eq!(
            found("core/ARCHITECTURE.md", "`host.rs` and `src/host.rs`"),
            [""; 0]
        );
    }

    #[test]
    fn dead_link_is_reported_in_any_page() {
        let page = |text: &str| TextFile::sample("tests/cases/README.md", text);
        let target = page("## Two words, here\n```sh\n# comment\n```");
        let dead = |text: &str| links(&page(text), &[&target], &known()).len();
        let valid = "[a](../../core/src/host.rs) [b](#two-words-here) [c](https://x.example/y) [d](.) [e](../../README.md)";
        assert_eq!(dead(valid), 0);
        assert_eq!(
            dead("[a](../core/src/host.rs) [b](#one-word) [c](gone.md) [d](#comment)"),
            4
        );
    }

    #[test]
    fn backtick_in_the_opening_of_a_block_is_reported() {
        let found = |text: &str| {
            let page = TextFile::sample("tests/cases/README.md", text);
            links(&page, &[], &known()).len()
        };
        assert_eq!(found("```sh norun=\"`cargo verify` runs it\"\nls\n```"), 1);
        assert_eq!(found("```sh norun=\"cargo verify runs it\"\nls\n```"), 0);
    }

    #[test]
    fn unknown_command_is_reported() {
        assert_eq!(found("README.md", "Run `cargo start`.").len(), 1);
        assert_eq!(
            found("README.md", "```\n$ cargo test -p despacho-gone\n```").len(),
            1
        );
        assert_eq!(
            found(
                "README.md",
                "`cargo up --no-panel`, `X=1 cargo verify`, `cargo test -p despacho-core`"
            ),
            [""; 0]
        );
    }

    #[test]
    fn unknown_test_in_a_page_is_found() {
        assert_eq!(
            found(
                "SECURITY.md",
                "`one_of_the_tests`, `order_not_found`, `despacho_a_b_total`"
            ),
            [""; 0]
        );
        assert_eq!(found("SECURITY.md", "`one_of_the_other_tests`").len(), 1);
    }
}

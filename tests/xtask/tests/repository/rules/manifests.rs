//! Members inherit versions, lints and editions from the workspace's manifest.

use crate::{Finding, files::TextFile};

/// The keys that a member inherits from the workspace.
const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];
/// The published packages. All others inherit `publish = false`.
const PUBLISHED: [&str; 2] = ["core/Cargo.toml", "core/route/Cargo.toml"];
/// The keys that a published package must set.
const DESCRIBED: [&str; 5] = ["description", "readme", "keywords", "categories", "publish"];

/// Checks that a member inherits the workspace's values and sets no version of its own.
#[must_use]
pub(crate) fn member(file: &TextFile) -> Vec<Finding> {
    let mut found = Vec::new();
    let lines: Vec<(&str, &str)> = lines_with_section(&file.text);
    let has = |section: &str, line: &str| lines.contains(&(section, line));
    for key in INHERITED {
        if !has("package", &format!("{key}.workspace = true")) {
            found.push(Finding::new(
                &file.path,
                format!("write `{key}.workspace = true` under [package]"),
            ));
        }
    }
    if PUBLISHED.contains(&&*file.path) {
        let has_key = |key: &str| {
            lines
                .iter()
                .any(|(at, line)| *at == "package" && line.starts_with(&format!("{key} = ")))
        };
        for key in DESCRIBED.into_iter().filter(|key| !has_key(key)) {
            found.push(Finding::new(
                &file.path,
                format!("write `{key}` under [package]: the package is published"),
            ));
        }
    } else if !has("package", "publish.workspace = true") {
        found.push(Finding::new(
            &file.path,
            "write `publish.workspace = true` under [package]",
        ));
    }
    if !has("lints", "workspace = true") {
        found.push(Finding::new(
            &file.path,
            "write `workspace = true` under [lints]: all packages have the same lints",
        ));
    }
    let own_version = |(section, line): &&(&str, &str)| {
        section
            .split('.')
            .any(|part| part.ends_with("dependencies"))
            && !line.contains("workspace = true")
    };
    for (_, line) in lines.iter().filter(own_version) {
        found.push(Finding::new(
            &file.path,
            format!(
                "`{line}`: versions belong in [workspace.dependencies], write `workspace = true`"
            ),
        ));
    }
    found
}

/// Checks that every manifest has the version of the workspace, which is the only one to edit for a
/// release.
#[must_use]
pub(crate) fn versions(files: &[TextFile]) -> Vec<Finding> {
    let text = |path: &str| {
        files
            .iter()
            .find(|file| file.path == path)
            .map_or("", |file| &file.text)
    };
    let lines = lines_with_section(text("Cargo.toml"));
    let quoted = |line: &str, key: &str| {
        let (_, rest) = line.split_once(key)?;
        Some(
            rest.trim_start_matches([' ', '=', ':', '"'])
                .split('"')
                .next()?
                .to_owned(),
        )
    };
    let own = lines
        .iter()
        .find(|(section, line)| *section == "workspace.package" && line.starts_with("version"));
    let Some(version) = own.and_then(|(_, line)| quoted(line, "version")) else {
        return vec![Finding::new(
            "Cargo.toml",
            "write `version` under [workspace.package]",
        )];
    };
    let published = lines
        .iter()
        .filter(|(_, line)| line.starts_with("despacho-") && line.contains("version ="));
    let mut found: Vec<(&str, Option<String>)> = published
        .map(|(_, line)| ("Cargo.toml", quoted(line, "version")))
        .collect();
    for (path, key) in [
        ("spin.toml", "\nversion"),
        ("bindings/npm/package.json", "\"version\""),
        ("hosts/panel/package.json", "\"version\""),
        ("core/openapi.json", "\"version\""),
    ] {
        found.push((path, quoted(text(path), key)));
    }
    let differs = found
        .into_iter()
        .filter(|(_, other)| other.as_ref() != Some(&version));
    differs
        .map(|(path, _)| Finding::new(path, format!("write the workspace's version {version}")))
        .collect()
}

/// Returns every line that is not blank or a comment, with the name of its section.
fn lines_with_section(text: &str) -> Vec<(&str, &str)> {
    let mut section = "";
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if depth == 0 && line.starts_with('[') && line.ends_with(']') {
            section = line.trim_matches(['[', ']']);
            continue;
        }
        // The following lines of a list belong to its first line.
        if depth == 0 {
            found.push((section, line));
        }
        depth = (depth + line.matches('[').count()).saturating_sub(line.matches(']').count());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n[dependencies]\nserde.workspace = true\nhttp = { workspace = true, features = [\n  \"std\",\n] }\n[lints]\nworkspace = true\n";

    #[test]
    fn other_version_is_reported() {
        let with = |spin: &str| {
            let json = "{ \"version\": \"1.2.0\" }";
            let workspace = "[workspace.package]\nversion = \"1.2.0\"\n[workspace.dependencies]\n\
                despacho-core = { path = \"core\", version = \"1.2.0\" }\n";
            let files = [
                ("Cargo.toml", workspace),
                ("spin.toml", spin),
                ("bindings/npm/package.json", json),
                ("hosts/panel/package.json", json),
                ("core/openapi.json", json),
            ];
            let files: Vec<TextFile> = files
                .iter()
                .map(|(path, text)| TextFile::sample(path, text))
                .collect();
            (
                versions(&files).len(),
                versions(&files[1..]).len(),
                versions(&files[..4]).len(),
            )
        };
        assert_eq!(with("[application]\nversion = \"1.2.0\"\n"), (0, 1, 1));
        assert_eq!(with("[application]\nversion = \"1.1.0\"\n"), (1, 1, 2));
    }

    fn found(text: &str) -> usize {
        member(&TextFile::sample("a/Cargo.toml", text)).len()
    }

    #[test]
    fn published_package_without_keywords_is_reported() {
        let good = GOOD.replace(
            "publish.workspace = true",
            "publish = true\ndescription = \"d\"\nreadme = \"r\"\nkeywords = []\ncategories = []",
        );
        let found = |text: &str| member(&TextFile::sample("core/Cargo.toml", text)).len();
        assert_eq!(
            (
                found(&good),
                found(&good.replace("keywords = []\n", "")),
                found(GOOD)
            ),
            (0, 1, 5)
        );
    }

    #[test]
    fn member_without_inherited_values_is_reported() {
        assert_eq!(
            found(GOOD),
            0,
            "{:?}",
            member(&TextFile::sample("a/Cargo.toml", GOOD))
        );
        assert_eq!(
            found(&GOOD.replace("edition.workspace = true", "edition = \"2021\"")),
            1
        );
        assert_eq!(found(&GOOD.replace("[lints]\nworkspace = true\n", "")), 1);
        assert_eq!(
            found(&GOOD.replace("serde.workspace = true", "serde = \"1\"")),
            1
        );
        assert_eq!(
            found(&GOOD.replace(
                "[dependencies]",
                "[dev-dependencies]\nhex = { version = \"1\" }\n[dependencies]"
            )),
            1
        );
    }
}

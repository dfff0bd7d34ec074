//! The lints of this repository. Each finding states the remedy.

mod files;
mod finding;
mod graph;
mod metadata;
mod rules;
mod syntax;

use files::TextFile;
use finding::Finding;
use graph::Source;
use rules::{boundary, cases, direction, documents, finish, layers, machine, manifests, size};

type Outcome = Result<(), LintError>;

/// The findings of a lint, or the reason that it could not run. `Debug` prints the text without
/// quotes.
struct LintError(String);

impl std::fmt::Debug for LintError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for LintError {
    fn from(text: String) -> LintError {
        LintError(text)
    }
}

fn texts() -> Result<Vec<TextFile>, String> {
    files::texts(&files::root())
}

fn rust_files() -> Result<Vec<TextFile>, String> {
    Ok(texts()?
        .into_iter()
        .filter(|file| file.has_extension(&["rs"]))
        .collect())
}

fn expect_clean(found: Vec<Finding>) -> Outcome {
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = found.iter().map(Finding::to_string).collect();
    Err(LintError(format!("\n{}\n", lines.join("\n"))))
}

/// Applies a rule to every file and collects the findings.
fn check_each(
    texts: &[TextFile],
    rule: impl Fn(&TextFile) -> Result<Vec<Finding>, String>,
) -> Outcome {
    let found: Result<Vec<Vec<Finding>>, String> = texts.iter().map(rule).collect();
    expect_clean(found?.concat())
}

#[test]
fn top_level_has_only_permitted_entries() -> Outcome {
    expect_clean(size::top_level(&files::paths(&files::root())?))
}

/// With `DESPACHO_WRITE_CASES=1` it formats the files instead.
#[test]
fn cases_are_formatted() -> Outcome {
    let cases: Vec<TextFile> = texts()?
        .into_iter()
        .filter(|file| file.path.starts_with("tests/cases/") && file.has_extension(&["json"]))
        .collect();
    if std::env::var_os("DESPACHO_WRITE_CASES").is_some() {
        for file in &cases {
            if let Some(text) = rules::cases::formatted(&file.text) {
                std::fs::write(files::root().join(&file.path), text).map_err(|e| e.to_string())?;
            }
        }
        return Ok(());
    }
    check_each(&cases, |file| Ok(cases::layout(file)))
}

#[test]
fn core_has_only_listed_dependencies() -> Outcome {
    expect_clean(boundary::core_dependencies(&metadata::packages(
        &files::root(),
    )?))
}

#[test]
fn core_dependency_tree_does_no_io() -> Outcome {
    let root = files::root();
    let plain = boundary::core_tree(&metadata::core_tree(&root, &[])?);
    let with_features = boundary::core_tree(&metadata::core_tree(&root, &["--all-features"])?);
    expect_clean([plain, with_features].concat())
}

#[test]
fn core_has_no_target_specific_code() -> Outcome {
    let core: Vec<TextFile> = rust_files()?
        .into_iter()
        .filter(|file| file.path.starts_with("core/"))
        .collect();
    check_each(&core, boundary::targets)
}

#[test]
fn packages_without_io_use_no_io_of_std() -> Outcome {
    let texts = rust_files()?;
    let folders = ["core/src/", "core/route/src/", "hosts/shared/sql/src/"];
    let shipping = folders
        .into_iter()
        .map(|folder| boundary::shipping(&texts, folder))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    check_each(
        &shipping.into_iter().cloned().collect::<Vec<_>>(),
        boundary::std_use,
    )
}

#[test]
fn files_use_lower_layers_and_have_no_cycles() -> Outcome {
    let texts = rust_files()?;
    let packages = metadata::packages(&files::root())?;
    let names: Vec<(String, String)> = packages
        .iter()
        .filter(|package| !package.folder.starts_with("tests/"))
        .map(|package| {
            (
                package.name.replace('-', "_"),
                format!("{}/src/", package.folder),
            )
        })
        .collect();
    let sources: Vec<Source<'_>> = names
        .iter()
        .map(|(name, folder)| Source { name, folder })
        .collect();
    let mut shipping = Vec::new();
    for source in &sources {
        shipping.extend(boundary::shipping(&texts, source.folder)?);
    }
    let graph = graph::graph(&sources, &shipping)?;
    expect_clean([layers::cycles(&graph), layers::layers(&graph)].concat())
}

#[test]
fn packages_have_only_permitted_dependencies() -> Outcome {
    expect_clean(direction::packages(&metadata::packages(&files::root())?))
}

#[test]
fn no_test_is_disabled() -> Outcome {
    check_each(&rust_files()?, finish::ignored)?;
    let scripts = texts()?
        .into_iter()
        .filter(|file| file.has_extension(&["ts", "tsx", "js", "mjs", "jsx"]));
    expect_clean(scripts.flat_map(|file| finish::script(&file)).collect())
}

#[test]
fn documents_name_only_existing_paths() -> Outcome {
    let texts = texts()?;
    let config = texts
        .iter()
        .find(|file| file.path == ".cargo/config.toml")
        .map_or("", |file| &*file.text);
    let known = documents::Known {
        files: texts.iter().map(|file| file.path.clone()).collect(),
        packages: metadata::packages(&files::root())?
            .into_iter()
            .map(|package| package.name)
            .collect(),
        aliases: documents::aliases(config),
        identifiers: texts
            .iter()
            .filter(|file| !file.has_extension(&["md"]))
            .flat_map(documents::identifiers)
            .collect(),
    };
    let mut found = Vec::new();
    let pages: Vec<&TextFile> = texts
        .iter()
        .filter(|file| file.has_extension(&["md"]))
        .collect();
    for page in &pages {
        found.extend(documents::references(page, &known));
        found.extend(documents::links(page, &pages, &known));
    }
    expect_clean(found)
}

#[test]
fn files_contain_no_machine_specific_names() -> Outcome {
    let found = texts()?
        .iter()
        .flat_map(|file| [machine::paths(file), machine::registries(file)].concat())
        .collect();
    expect_clean(found)
}

#[test]
fn manifests_have_the_version_of_the_workspace() -> Outcome {
    expect_clean(manifests::versions(&texts()?))
}

#[test]
fn manifests_inherit_from_the_workspace() -> Outcome {
    let folders: Vec<String> = metadata::packages(&files::root())?
        .into_iter()
        .map(|package| package.folder)
        .collect();
    let texts = texts()?;
    let members = texts.iter().filter(|file| {
        folders
            .iter()
            .any(|folder| file.path == format!("{folder}/Cargo.toml"))
    });
    expect_clean(members.flat_map(manifests::member).collect())
}

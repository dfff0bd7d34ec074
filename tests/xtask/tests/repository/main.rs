//! The lints of this repository. Each failure says what to do.

#![expect(clippy::print_stdout, reason = "figures and pending findings are for people: run with --no-capture")]

mod files;
mod finding;
mod graph;
mod metadata;
mod rules;
mod syntax;

use files::TextFile;
use finding::Finding;
use graph::Source;
use rules::{boundary, direction, documents, finish, layers, machine, manifests, size};

/// What share of the core's lines documentation comments may be, in percent.
const DOC_PERCENT: std::ops::RangeInclusive<f64> = 10.0..=30.0;

type Outcome = Result<(), Broken>;

/// What does not hold, printed as it is.
struct Broken(String);

impl std::fmt::Debug for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Broken {
    fn from(text: String) -> Broken {
        Broken(text)
    }
}

fn texts() -> Result<Vec<TextFile>, String> {
    files::texts(&files::root())
}

fn rust_files() -> Result<Vec<TextFile>, String> {
    Ok(texts()?.into_iter().filter(|file| file.is(&["rs"])).collect())
}

fn clean(found: Vec<Finding>) -> Outcome {
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = found.iter().map(Finding::to_string).collect();
    Err(Broken(format!("\n{}\n", lines.join("\n"))))
}

/// Asks a rule about every file and collects what it finds.
fn every(texts: &[TextFile], rule: impl Fn(&TextFile) -> Result<Vec<Finding>, String>) -> Outcome {
    let found: Result<Vec<Vec<Finding>>, String> = texts.iter().map(rule).collect();
    clean(found?.concat())
}

#[test]
fn the_top_level_holds_what_the_client_fixed() -> Outcome {
    clean(size::top_level(&files::paths(&files::root())?))
}

#[test]
fn files_are_small() -> Outcome {
    let texts = texts()?;
    println!("median length of the Rust files: {} lines", size::median(&texts));
    clean(size::files(&texts))
}

#[test]
fn the_core_depends_on_what_is_listed() -> Outcome {
    clean(boundary::core_dependencies(&metadata::packages(&files::root())?))
}

#[test]
fn the_core_brings_nothing_that_reaches_for_the_world() -> Outcome {
    let root = files::root();
    let plain = boundary::core_tree(&metadata::core_tree(&root, &[])?, false);
    let with_features = boundary::core_tree(&metadata::core_tree(&root, &["--all-features"])?, true);
    clean([plain, with_features].concat())
}

#[test]
fn the_core_is_the_same_on_every_target() -> Outcome {
    let core: Vec<TextFile> = rust_files()?.into_iter().filter(|file| file.path.starts_with("core/")).collect();
    every(&core, boundary::targets)
}

#[test]
fn what_does_no_io_names_none() -> Outcome {
    let texts = rust_files()?;
    let folders = ["core/src/", "core/route/src/", "hosts/shared/sql/src/"];
    let shipping =
        folders.into_iter().map(|folder| boundary::shipping(&texts, folder)).collect::<Result<Vec<_>, _>>()?.concat();
    every(&shipping.into_iter().cloned().collect::<Vec<_>>(), boundary::std_use)
}

#[test]
fn files_use_lower_layers_and_have_no_cycles() -> Outcome {
    let texts = rust_files()?;
    let packages = metadata::packages(&files::root())?;
    let names: Vec<(String, String)> = packages
        .iter()
        .filter(|package| !package.folder.starts_with("tests/"))
        .map(|package| (package.name.replace('-', "_"), format!("{}/src/", package.folder)))
        .collect();
    let sources: Vec<Source<'_>> = names.iter().map(|(name, folder)| Source { name, folder }).collect();
    let mut shipping = Vec::new();
    for source in &sources {
        shipping.extend(boundary::shipping(&texts, source.folder)?);
    }
    let graph = graph::graph(&sources, &shipping)?;
    clean([layers::cycles(&graph), layers::layers(&graph)].concat())
}

#[test]
fn packages_know_only_what_their_place_allows() -> Outcome {
    clean(direction::packages(&metadata::packages(&files::root())?))
}

#[test]
fn no_test_is_switched_off() -> Outcome {
    every(&rust_files()?, finish::ignored)?;
    let scripts = texts()?.into_iter().filter(|file| file.is(&["ts", "tsx", "js", "mjs", "jsx"]));
    clean(scripts.flat_map(|file| finish::script(&file)).collect())
}

#[test]
fn documentation_of_the_core_is_in_proportion() -> Outcome {
    let of_core = |file: &TextFile| file.path.starts_with("core/src/") || file.path.starts_with("core/route/src/");
    let core: Vec<TextFile> = rust_files()?.into_iter().filter(of_core).collect();
    let percent = finish::doc_percent(&core);
    println!("documentation comments in the core: {percent:.1} % of its lines");
    if DOC_PERCENT.contains(&percent) {
        return Ok(());
    }
    Err(format!("documentation comments are {percent:.1} % of the core's lines, wanted are {DOC_PERCENT:?}").into())
}

#[test]
fn documents_are_short_and_keep_their_promises() -> Outcome {
    let texts = texts()?;
    let config = texts.iter().find(|file| file.path == ".cargo/config.toml").map_or("", |file| &*file.text);
    let known = documents::Known {
        files: texts.iter().map(|file| file.path.clone()).collect(),
        packages: metadata::packages(&files::root())?.into_iter().map(|package| package.name).collect(),
        aliases: documents::aliases(config),
        identifiers: texts.iter().filter(|file| !file.is(&["md"])).flat_map(documents::identifiers).collect(),
    };
    let limits = [("README.md", documents::README_LINES), ("core/ARCHITECTURE.md", documents::ARCHITECTURE_LINES)];
    let mut found = Vec::new();
    for (path, limit) in limits {
        let file = texts.iter().find(|file| file.path == path);
        found.extend(documents::length(file, path, limit));
    }
    let pages: Vec<&TextFile> = texts.iter().filter(|file| file.is(&["md"])).collect();
    for page in &pages {
        found.extend(documents::promises(page, &known));
        found.extend(documents::links(page, &pages, &known));
    }
    clean(found)
}

#[test]
fn nothing_holds_on_one_machine_alone() -> Outcome {
    let found = texts()?.iter().flat_map(|file| [machine::paths(file), machine::registries(file)].concat()).collect();
    clean(found)
}

#[test]
fn manifests_inherit_from_the_workspace() -> Outcome {
    let folders: Vec<String> = metadata::packages(&files::root())?.into_iter().map(|package| package.folder).collect();
    let texts = texts()?;
    let members = texts.iter().filter(|file| folders.iter().any(|folder| file.path == format!("{folder}/Cargo.toml")));
    clean(members.flat_map(manifests::member).collect())
}

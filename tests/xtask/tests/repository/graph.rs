//! The graph of uses between files, from the paths that they name. A re-exported name is resolved
//! to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    files::TextFile,
    syntax::{self, Import},
};

/// The source files of one package.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The crate's name in paths: `despacho_core`.
    pub(crate) name: &'a str,
    /// The root folder with a trailing slash: `core/src/`.
    pub(crate) folder: &'a str,
}

/// A use of another file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The line of the first use.
    pub(crate) line: usize,
    /// The path as written, with `crate` resolved.
    pub(crate) path: String,
}

/// The files that each file uses, by path.
pub(crate) type Graph = BTreeMap<String, BTreeMap<String, Edge>>;

/// A module, its file and the names that it imports.
struct Module {
    file: String,
    imports: Vec<Import>,
    /// Paths in code with their lines.
    mentions: Vec<(usize, Vec<String>)>,
}

/// Modules by package and path: `["despacho_core", "order", "event"]`.
#[derive(Default)]
struct Modules(BTreeMap<Vec<String>, Module>);

/// Builds the graph of the files of several packages without `#[cfg(test)]` code.
pub(crate) fn graph(sources: &[Source<'_>], files: &[&TextFile]) -> Result<Graph, String> {
    let mut modules = Modules::default();
    for file in files {
        let Some((source, inside)) = sources
            .iter()
            .find_map(|source| Some((source, file.path.strip_prefix(source.folder)?)))
        else {
            continue;
        };
        let module = module_of(source.name, inside);
        let parsed = syntax::parse(file)?;
        let inner = module.get(1..).unwrap_or_default();
        let with_package = |path: &mut Vec<String>| {
            path.iter_mut()
                .take(1)
                .filter(|first| *first == "crate")
                .for_each(|first| source.name.clone_into(first))
        };
        let mut imports = syntax::imports(&parsed, inner);
        imports
            .iter_mut()
            .for_each(|import| with_package(&mut import.path));
        let in_code = syntax::paths_in_code(&parsed, inner).into_iter();
        let mentions = in_code.map(|mention| {
            let mut path = mention.name.split("::").map(str::to_owned).collect();
            with_package(&mut path);
            (mention.line, path)
        });
        let mentions = mentions.collect();
        modules.0.insert(
            module,
            Module {
                file: file.path.clone(),
                imports,
                mentions,
            },
        );
    }
    let mut graph = Graph::new();
    for (at, module) in &modules.0 {
        let edges = graph.entry(module.file.clone()).or_default();
        let imports = module
            .imports
            .iter()
            .filter(|import| !import.is_reexport)
            .map(|import| (import.line, &import.path));
        let paths = imports.chain(module.mentions.iter().map(|(line, path)| (*line, path)));
        for (line, path) in paths {
            let Some(used) = modules
                .file_of(at, path, 0)
                .filter(|used| *used != module.file)
            else {
                continue;
            };
            let edge = Edge {
                line,
                path: path.join("::"),
            };
            edges
                .entry(used.to_owned())
                .and_modify(|known| *known = known.clone().min(edge.clone()))
                .or_insert(edge);
        }
    }
    Ok(graph)
}

/// The maximum length of a chain of re-exports.
const MAX_REEXPORTS: usize = 8;

impl Modules {
    /// Returns the file that defines the item of a path in a module, or `None` if the path names a
    /// module or another package's item.
    fn file_of(&self, at: &[String], path: &[String], followed: usize) -> Option<&str> {
        let (first, rest) = path.split_first()?;
        if followed > MAX_REEXPORTS {
            return None;
        }
        if self.0.contains_key(std::slice::from_ref(first)) {
            return self.walk(vec![first.clone()], rest, followed);
        }
        let child = [at, std::slice::from_ref(first)].concat();
        if self.has(&child) {
            return self.walk(child, rest, followed);
        }
        // A name that the module imports: `event::Kind` after `use crate::order::event`.
        let import = self
            .0
            .get(at)?
            .imports
            .iter()
            .find(|import| import.name == *first)?;
        if rest.is_empty() {
            return None;
        }
        self.file_of(at, &[&import.path[..], rest].concat(), followed + 1)
    }

    /// Whether a module exists: a file, or a module in a file that declares the files of a folder.
    fn has(&self, module: &[String]) -> bool {
        let mut from_here = self.0.range(module.to_vec()..);
        from_here
            .next()
            .is_some_and(|(path, _)| path.starts_with(module))
    }

    /// Returns the file that defines the item at the rest of a path, relative to a module.
    fn walk(&self, mut module: Vec<String>, path: &[String], followed: usize) -> Option<&str> {
        let mut rest = path;
        while let Some((next, after)) = rest.split_first() {
            module.push(next.clone());
            if !self.has(&module) {
                module.pop();
                break;
            }
            rest = after;
        }
        let (name, after) = rest.split_first()?;
        let home = self.0.get(&module)?;
        let named = home.imports.iter().find(|import| import.name == *name);
        if let Some(import) = named {
            return self.file_of(&module, &[&import.path[..], after].concat(), followed + 1);
        }
        Some(&home.file)
    }
}

/// Returns a file's module path: `["despacho_core", "order", "drive"]` for `order/drive.rs` and
/// `order/drive/mod.rs`.
fn module_of(package: &str, inside: &str) -> Vec<String> {
    let stem = inside.strip_suffix(".rs").unwrap_or(inside);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let parts = stem.split('/').filter(|_| !matches!(stem, "lib" | "main"));
    std::iter::once(package)
        .chain(parts)
        .map(str::to_owned)
        .collect()
}

/// Returns the cycles: groups of files that all use each other, directly or indirectly.
pub(crate) fn cycles(graph: &Graph) -> Vec<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|file| (&**file, reachable(graph, file)))
        .collect();
    let (mut found, mut done) = (Vec::new(), BTreeSet::new());
    for file in graph.keys() {
        let file = &**file;
        let is_mutual = |other: &&&str| {
            reached
                .get(**other)
                .is_some_and(|from_there| from_there.contains(file))
        };
        let group: BTreeSet<&str> = reached
            .get(file)
            .into_iter()
            .flatten()
            .filter(is_mutual)
            .copied()
            .filter(|other| !done.contains(other))
            .collect();
        if group.contains(file) {
            found.push(group.iter().copied().collect());
            done.extend(group);
        }
    }
    found
}

/// Returns all files that a file uses, directly or indirectly.
fn reachable<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for used in graph
            .get(file)
            .into_iter()
            .flatten()
            .map(|(used, _)| &**used)
        {
            if reached.insert(used) {
                open.push(used);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: Source<'_> = Source {
        name: "despacho_core",
        folder: "core/src/",
    };
    const WARP: Source<'_> = Source {
        name: "despacho_warp",
        folder: "hosts/warp/src/",
    };

    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<TextFile> = files
            .iter()
            .map(|(path, text)| TextFile::sample(path, text))
            .collect();
        let graph = graph(&[CORE, WARP], &files.iter().collect::<Vec<_>>()).expect("it parses");
        let edges = graph
            .iter()
            .flat_map(|(from, to)| to.keys().map(move |to| (from, to)));
        let short = |path: &str| path.replace("core/src/", "").replace(".rs", "");
        edges
            .map(|(from, to)| format!("{} > {}", short(from), short(to)))
            .collect()
    }

    #[test]
    fn paths_lead_to_the_file_that_defines_the_name() {
        let files = [
            ("core/src/lib.rs", "pub mod a; mod b; pub use b::B;"),
            (
                "core/src/a/mod.rs",
                "mod inner; pub use inner::Inner; pub struct Own;",
            ),
            ("core/src/a/inner.rs", "pub struct Inner;"),
            ("core/src/b.rs", "use crate::a::{Inner, Own}; pub struct B;"),
            ("core/src/c.rs", "use super::B; fn f() { crate::a::Own; }"),
            (
                "core/src/d.rs",
                "use crate::a; fn f() -> a::Inner { m!(a::Own) }",
            ),
            ("hosts/warp/src/main.rs", "use despacho_core::a::Inner;"),
        ];
        let expected = [
            "b > a/inner",
            "b > a/mod",
            "c > a/mod",
            "c > b",
            "d > a/inner",
            "d > a/mod",
            "hosts/warp/src/main > a/inner",
        ];
        assert_eq!(edges(&files), expected);
    }

    #[test]
    fn files_of_a_module_without_a_file_are_found() {
        let files = [
            (
                "core/src/lib.rs",
                "mod list { pub mod a; pub mod b; } m! { list::a }",
            ),
            (
                "core/src/list/a.rs",
                "use super::b::B; use crate::list::b; fn f() { b::g() }",
            ),
            ("core/src/list/b.rs", "use crate::list::a::A;"),
        ];
        assert_eq!(
            edges(&files),
            ["list/a > list/b", "list/b > list/a"],
            "the module has no file of its own"
        );
    }

    #[test]
    fn modules_and_tests_make_no_edge() {
        let files = [
            ("core/src/lib.rs", "mod a; mod b;"),
            (
                "core/src/a.rs",
                "use crate::b; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("core/src/b.rs", "pub struct B;"),
        ];
        assert!(edges(&files).is_empty(), "{:?}", edges(&files));
    }

    #[test]
    fn reexport_used_in_its_own_file_is_an_edge() {
        let root = ("core/src/lib.rs", "mod a;");
        let child = ("core/src/a/b.rs", "use super::Own;");
        let used = (
            "core/src/a/mod.rs",
            "mod b; pub use b::B; pub struct Own(B);",
        );
        let passed_on = ("core/src/a/mod.rs", "mod b; pub use b::B; pub struct Own;");
        assert_eq!(edges(&[root, used, child]), ["a/b > a/mod", "a/mod > a/b"]);
        assert_eq!(edges(&[root, passed_on, child]), ["a/b > a/mod"]);
    }

    #[test]
    fn every_cycle_is_found_once() {
        let edge = |to: &str| {
            (
                to.to_owned(),
                Edge {
                    line: 1,
                    path: String::new(),
                },
            )
        };
        let uses =
            |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|to| edge(to)).collect());
        let graph = Graph::from([
            uses("a", &["b"]),
            uses("b", &["c"]),
            uses("c", &["a", "d"]),
            uses("d", &["e"]),
            uses("e", &["d"]),
            uses("f", &["a"]),
        ]);
        assert_eq!(cycles(&graph), [vec!["a", "b", "c"], vec!["d", "e"]]);
        assert!(cycles(&Graph::from([uses("a", &["b"]), uses("b", &[])])).is_empty());
    }
}

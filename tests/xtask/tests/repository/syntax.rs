//! Facts about Rust files for the rules, read from the syntax tree.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree, spanned::Spanned, visit::Visit,
};

use crate::files::TextFile;

/// A name and the line that contains it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The name.
    pub(crate) name: String,
}

/// Parses a Rust file. The error names the file and the line.
pub(crate) fn parse(file: &TextFile) -> Result<syn::File, String> {
    syn::parse_file(&file.text).map_err(|e| format!("{}:{}: {e}", file.path, e.span().start().line))
}

/// Returns every path that a file names outside its tests, in `use`, in code and in macros, with
/// `self` and `super` resolved to `crate`. `module` is the path of the file's module:
/// `["order", "drive"]`.
#[must_use]
pub(crate) fn paths(file: &syn::File, module: &[String]) -> Vec<Mention> {
    let mut all = Paths::of(file, module);
    all.found
        .extend(all.imports.into_iter().map(|import| Mention {
            line: import.line,
            name: import.path.join("::"),
        }));
    all.found.sort();
    all.found.dedup();
    all.found
}

/// Returns the paths that a file names outside its tests and its `use` items, with `self` and
/// `super` resolved to `crate`.
pub(crate) fn paths_in_code(file: &syn::File, module: &[String]) -> Vec<Mention> {
    Paths::of(file, module).found
}

/// A name that a `use` item brings into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The name in this file, or `*` for all names of a module.
    pub(crate) name: String,
    /// The imported path, with `self` and `super` resolved to `crate`.
    pub(crate) path: Vec<String>,
    /// Whether it is visible outside the file and not used in it.
    pub(crate) is_reexport: bool,
}

/// Returns the names that a file imports outside its tests.
pub(crate) fn imports(file: &syn::File, module: &[String]) -> Vec<Import> {
    let declares =
        |item: &syn::Item| matches!(item, syn::Item::Mod(module) if module.content.is_none());
    let items = file
        .items
        .iter()
        .filter(|item| !matches!(item, syn::Item::Use(_)) && !declares(item));
    let used: BTreeSet<String> = items
        .flat_map(|item| words(item.to_token_stream()))
        .collect();
    let mut imports = Paths::of(file, module).imports;
    for import in &mut imports {
        import.is_reexport &= !used.contains(&import.name);
    }
    imports
}

struct Paths {
    module: Vec<String>,
    found: Vec<Mention>,
    imports: Vec<Import>,
}

impl Paths {
    fn of(file: &syn::File, module: &[String]) -> Paths {
        let mut paths = Paths {
            module: module.to_vec(),
            found: Vec::new(),
            imports: Vec::new(),
        };
        paths.visit_file(file);
        paths
    }

    fn record(&mut self, line: usize, segments: &[String]) {
        let name = self.resolved(segments).join("::");
        self.found.push(Mention { line, name });
    }

    fn resolved(&self, segments: &[String]) -> Vec<String> {
        let supers = segments
            .iter()
            .take_while(|segment| *segment == "super")
            .count();
        match segments.first().map(String::as_str) {
            Some("super") => {
                let kept = self.module.len().saturating_sub(supers);
                [
                    &["crate".to_owned()],
                    self.module.get(..kept).unwrap_or(&[]),
                    segments.get(supers..).unwrap_or(&[]),
                ]
                .concat()
            }
            Some("self") => [
                &["crate".to_owned()],
                &self.module[..],
                segments.get(1..).unwrap_or(&[]),
            ]
            .concat(),
            _ => segments.to_vec(),
        }
    }

    /// Records the imports of a `use` item. `is_visible` states whether the item is visible outside
    /// the file.
    fn record_tree(&mut self, tree: &UseTree, before: &[String], is_visible: bool) {
        let with = |name: &syn::Ident| match name == "self" && !before.is_empty() {
            true => before.to_vec(),
            false => [before, &[name.to_string()]].concat(),
        };
        let (line, path, name) = match tree {
            UseTree::Path(path) => {
                return self.record_tree(&path.tree, &with(&path.ident), is_visible);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|item| self.record_tree(item, before, is_visible));
            }
            UseTree::Name(name) => {
                let path = with(&name.ident);
                let last = path.last().cloned().unwrap_or_default();
                (name.ident.span().start().line, path, last)
            }
            UseTree::Rename(rename) => (
                rename.ident.span().start().line,
                with(&rename.ident),
                rename.rename.to_string(),
            ),
            UseTree::Glob(glob) => (glob.span().start().line, before.to_vec(), "*".to_owned()),
        };
        let path = self.resolved(&path);
        self.imports.push(Import {
            line,
            name,
            path,
            is_reexport: is_visible,
        });
    }

    fn record_tokens(&mut self, tokens: TokenStream) {
        let mut sequence: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in flat(tokens) {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !sequence.is_empty() => {
                    colons += 1
                }
                TokenTree::Ident(ident) if colons == 2 => {
                    sequence.push(ident.to_string());
                    colons = 0;
                }
                _ => {
                    self.record_sequence(line, &mut sequence);
                    colons = 0;
                    if let TokenTree::Ident(ident) = &token {
                        line = ident.span().start().line;
                        sequence.push(ident.to_string());
                    }
                }
            }
        }
        self.record_sequence(line, &mut sequence);
    }

    fn record_sequence(&mut self, line: usize, sequence: &mut Vec<String>) {
        if sequence.len() > 1 {
            self.record(line, sequence);
        }
        sequence.clear();
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.module.pop();
    }
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.record_tree(
                &item.tree,
                &[],
                !matches!(item.vis, syn::Visibility::Inherited),
            );
        }
    }
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_impl(self, item);
        }
    }
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        self.record(path.span().start().line, &segments);
        syn::visit::visit_path(self, path);
    }
    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.record_tokens(item.tokens.clone());
    }
}

/// Returns the modules that a file declares under `#[cfg(test)]` and that are in separate files.
#[must_use]
pub(crate) fn test_modules(file: &syn::File) -> Vec<String> {
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => {
            Some(module)
        }
        _ => None,
    });
    modules.map(|module| module.ident.to_string()).collect()
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]"
    })
}

/// An attribute, or one inside a `cfg_attr`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marking {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The name, such as `allow`, `cfg` or `ignore`.
    pub(crate) name: String,
    /// Every identifier between its parentheses.
    pub(crate) words: Vec<String>,
}

/// Returns every attribute and every `cfg!` of a file, including those inside macros.
#[must_use]
pub(crate) fn markings(file: &syn::File) -> Vec<Marking> {
    let mut found = Vec::new();
    record_markings(file.to_token_stream(), &mut found);
    found
}

fn record_markings(tokens: TokenStream, found: &mut Vec<Marking>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before = |steps: usize| index.checked_sub(steps).and_then(|at| tokens.get(at));
        let is = |token: Option<&TokenTree>, mark: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == mark);
        let attribute = group.delimiter() == Delimiter::Bracket
            && (is(before(1), '#') || (is(before(1), '!') && is(before(2), '#')));
        if attribute {
            record_attribute(group.stream(), found);
        } else if is(before(1), '!')
            && let Some(TokenTree::Ident(name)) = before(2)
            && name == "cfg"
        {
            found.push(Marking {
                line: name.span().start().line,
                name: name.to_string(),
                words: words(group.stream()),
            });
        }
        record_markings(group.stream(), found);
    }
}

fn record_attribute(tokens: TokenStream, found: &mut Vec<Marking>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Ident(name) = token else {
            continue;
        };
        let inside = match tokens.get(index + 1) {
            Some(TokenTree::Group(group)) => group.stream(),
            _ => TokenStream::new(),
        };
        found.push(Marking {
            line: name.span().start().line,
            name: name.to_string(),
            words: words(inside.clone()),
        });
        if name == "cfg_attr" {
            record_attribute(inside, found);
        }
    }
}

fn words(tokens: TokenStream) -> Vec<String> {
    let idents = flat(tokens).into_iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    });
    idents.collect()
}

/// Returns all tokens in order, with groups flattened.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                // A literal marks the start of the group, so that `a::(b)` is not read as `a::b`.
                all.push(TokenTree::Literal(proc_macro2::Literal::u8_unsuffixed(0)));
                all.extend(flat(group.stream()));
            }
            other => all.push(other),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> syn::File {
        parse(&TextFile::sample("sample.rs", text)).expect("the sample is Rust")
    }

    fn names(text: &str, module: &[&str]) -> Vec<String> {
        let module: Vec<String> = module.iter().map(|&part| part.to_owned()).collect();
        paths(&file(text), &module)
            .into_iter()
            .map(|mention| mention.name)
            .collect()
    }

    #[test]
    fn paths_are_found_in_uses_code_and_macros() {
        let text = "use std::{fs, time::Instant as I};\nfn f() { std::env::var(\"A\"); println!(\"{}\", crate::api::x()); }";
        let found = names(text, &[]);
        for expected in [
            "std::fs",
            "std::time::Instant",
            "std::env::var",
            "crate::api::x",
        ] {
            assert!(
                found.iter().any(|name| name == expected),
                "{expected} is not in {found:?}"
            );
        }
    }

    #[test]
    fn super_and_self_are_resolved() {
        assert_eq!(
            names("use super::situation::A;", &["order", "drive"]),
            ["crate::order::situation::A"]
        );
        assert_eq!(
            names("use super::super::api;", &["order", "drive"]),
            ["crate::api"]
        );
        assert_eq!(
            names("mod inner { use super::super::B; }", &["order"]),
            ["crate::B"]
        );
        assert_eq!(
            names("use self::event::C;", &["order"]),
            ["crate::order::event::C"]
        );
    }

    #[test]
    fn paths_in_test_modules_are_ignored() {
        assert!(
            names(
                "#[cfg(test)] mod tests { use std::fs; fn f() { std::env::args(); } }",
                &[]
            )
            .is_empty()
        );
        assert_eq!(
            test_modules(&file("#[cfg(test)] mod tests; mod other;")),
            ["tests"]
        );
    }

    #[test]
    fn markings_are_found_inside_cfg_attr_and_macros() {
        let text = "#![cfg_attr(test, allow(dead_code))]\nfn f() { if cfg!(unix) {} m! { #[ignore] fn g() {} } }";
        let found: Vec<_> = markings(&file(text))
            .into_iter()
            .map(|m| (m.line, m.name))
            .collect();
        for expected in [(1, "allow"), (2, "cfg"), (2, "ignore")] {
            assert!(
                found.contains(&(expected.0, expected.1.to_owned())),
                "{expected:?} is not in {found:?}"
            );
        }
    }
}

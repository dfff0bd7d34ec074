//! What the rules want to know of a Rust file, read from its syntax and not from its text.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, TraitItemFn, UseTree, spanned::Spanned,
    visit::Visit,
};

use crate::files::TextFile;

/// A name in a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What stands there.
    pub(crate) name: String,
}

/// A function and how long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The line of its signature.
    pub(crate) line: usize,
    /// Lines from the signature to the closing brace.
    pub(crate) lines: usize,
}

/// Parses a file; a file that is no Rust is an error that names it.
pub(crate) fn parse(file: &TextFile) -> Result<syn::File, String> {
    syn::parse_file(&file.text).map_err(|e| format!("{}:{}: {e}", file.path, e.span().start().line))
}

/// Every function, in tests and in traits too.
#[must_use]
pub(crate) fn functions(file: &syn::File) -> Vec<Function> {
    #[derive(Default)]
    struct Functions(Vec<Function>);
    impl Functions {
        fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
            let line = signature.span().start().line;
            let lines = block.span().end().line - line + 1;
            self.0.push(Function { name: signature.ident.to_string(), line, lines });
        }
    }
    impl<'ast> Visit<'ast> for Functions {
        fn visit_item_fn(&mut self, item: &'ast ItemFn) {
            self.note(&item.sig, &item.block);
            syn::visit::visit_item_fn(self, item);
        }
        fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
            self.note(&item.sig, &item.block);
            syn::visit::visit_impl_item_fn(self, item);
        }
        fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
            if let Some(block) = &item.default {
                self.note(&item.sig, block);
            }
            syn::visit::visit_trait_item_fn(self, item);
        }
    }
    let mut found = Functions::default();
    found.visit_file(file);
    found.0
}

/// Every path that a file names outside its tests, in `use`, in code and in macros, with `self` and `super` resolved to
/// `crate`. `module` is where the file stands in its crate: `["order", "drive"]`.
#[must_use]
pub(crate) fn paths(file: &syn::File, module: &[String]) -> Vec<Mention> {
    let mut found = Paths { module: module.to_vec(), found: Vec::new() };
    found.visit_file(file);
    found.found.sort();
    found.found.dedup();
    found.found
}

struct Paths {
    module: Vec<String>,
    found: Vec<Mention>,
}

impl Paths {
    fn note(&mut self, line: usize, segments: &[String]) {
        let supers = segments.iter().take_while(|segment| *segment == "super").count();
        let resolved = match segments.first().map(String::as_str) {
            Some("super") => {
                let kept = self.module.len().saturating_sub(supers);
                [&["crate".to_owned()], self.module.get(..kept).unwrap_or(&[]), segments.get(supers..).unwrap_or(&[])]
                    .concat()
            }
            Some("self") => [&["crate".to_owned()], &self.module[..], segments.get(1..).unwrap_or(&[])].concat(),
            _ => segments.to_vec(),
        };
        self.found.push(Mention { line, name: resolved.join("::") });
    }

    fn note_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.note_tree(&path.tree, &with(&path.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.note_tree(item, before)),
            UseTree::Name(name) => self.note(name.ident.span().start().line, &with(&name.ident)),
            UseTree::Rename(rename) => self.note(rename.ident.span().start().line, &with(&rename.ident)),
            UseTree::Glob(glob) => self.note(glob.span().start().line, before),
        }
    }

    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut sequence: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in flat(tokens) {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !sequence.is_empty() => colons += 1,
                TokenTree::Ident(ident) if colons == 2 => {
                    sequence.push(ident.to_string());
                    colons = 0;
                }
                _ => {
                    self.note_sequence(line, &mut sequence);
                    colons = 0;
                    if let TokenTree::Ident(ident) = &token {
                        line = ident.span().start().line;
                        sequence.push(ident.to_string());
                    }
                }
            }
        }
        self.note_sequence(line, &mut sequence);
    }

    fn note_sequence(&mut self, line: usize, sequence: &mut Vec<String>) {
        if sequence.len() > 1 {
            self.note(line, sequence);
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
            self.note_tree(&item.tree, &[]);
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
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(path.span().start().line, &segments);
        syn::visit::visit_path(self, path);
    }
    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.note_tokens(item.tokens.clone());
    }
}

/// The modules that a file declares for tests alone and keeps in files of their own.
#[must_use]
pub(crate) fn test_modules(file: &syn::File) -> Vec<String> {
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => Some(module),
        _ => None,
    });
    modules.map(|module| module.ident.to_string()).collect()
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test") || attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]"
    })
}

/// Every macro that is called, wherever: `todo` for `todo!()`.
#[must_use]
pub(crate) fn macros(file: &syn::File) -> Vec<Mention> {
    let tokens = flat(file.to_token_stream());
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let called = pairs.filter_map(|(name, mark)| match (name, mark) {
        (TokenTree::Ident(ident), TokenTree::Punct(punct)) if punct.as_char() == '!' => Some(ident),
        _ => None,
    });
    called.map(|ident| Mention { line: ident.span().start().line, name: ident.to_string() }).collect()
}

/// An attribute, or one inside a `cfg_attr`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marking {
    /// The line.
    pub(crate) line: usize,
    /// `allow`, `cfg`, `ignore`.
    pub(crate) name: String,
    /// Every word between its parentheses.
    pub(crate) words: Vec<String>,
}

/// Every attribute and every `cfg!`, wherever.
#[must_use]
pub(crate) fn markings(file: &syn::File) -> Vec<Marking> {
    let mut found = Vec::new();
    note_markings(file.to_token_stream(), &mut found);
    found
}

fn note_markings(tokens: TokenStream, found: &mut Vec<Marking>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = |steps: usize| index.checked_sub(steps).and_then(|at| tokens.get(at));
        let is =
            |token: Option<&TokenTree>, mark: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == mark);
        let attribute = group.delimiter() == Delimiter::Bracket
            && (is(before(1), '#') || (is(before(1), '!') && is(before(2), '#')));
        if attribute {
            note_attribute(group.stream(), found);
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
        note_markings(group.stream(), found);
    }
}

fn note_attribute(tokens: TokenStream, found: &mut Vec<Marking>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Ident(name) = token else { continue };
        let inside = match tokens.get(index + 1) {
            Some(TokenTree::Group(group)) => group.stream(),
            _ => TokenStream::new(),
        };
        found.push(Marking { line: name.span().start().line, name: name.to_string(), words: words(inside.clone()) });
        if name == "cfg_attr" {
            note_attribute(inside, found);
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

/// All tokens in order, groups opened.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                // The group's place is kept by a mark that is in no path, so that `a::(b)` is not read as `a::b`.
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
        paths(&file(text), &module).into_iter().map(|mention| mention.name).collect()
    }

    #[test]
    fn paths_are_found_in_uses_code_and_macros() {
        let text =
            "use std::{fs, time::Instant as I};\nfn f() { std::env::var(\"A\"); println!(\"{}\", crate::api::x()); }";
        let found = names(text, &[]);
        for wanted in ["std::fs", "std::time::Instant", "std::env::var", "crate::api::x"] {
            assert!(found.iter().any(|name| name == wanted), "{wanted} is not in {found:?}");
        }
    }

    #[test]
    fn super_and_self_are_resolved() {
        assert_eq!(names("use super::situation::A;", &["order", "drive"]), ["crate::order::situation::A"]);
        assert_eq!(names("use super::super::api;", &["order", "drive"]), ["crate::api"]);
        assert_eq!(names("mod inner { use super::super::B; }", &["order"]), ["crate::B"]);
        assert_eq!(names("use self::event::C;", &["order"]), ["crate::order::event::C"]);
    }

    #[test]
    fn tests_may_name_what_they_like() {
        assert!(names("#[cfg(test)] mod tests { use std::fs; fn f() { std::env::args(); } }", &[]).is_empty());
        assert_eq!(test_modules(&file("#[cfg(test)] mod tests; mod other;")), ["tests"]);
    }

    #[test]
    fn functions_are_measured_from_signature_to_brace() {
        let found = functions(&file("/// Doc.\n#[inline]\nfn a(\n  x: u8,\n) {\n}\ntrait T { fn b() {} fn c(); }"));
        let sizes: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(sizes, [("a", 3, 4), ("b", 7, 1)]);
    }

    #[test]
    fn markings_are_found_inside_cfg_attr_and_macros() {
        let text = "#![cfg_attr(test, allow(dead_code))]\nfn f() { if cfg!(unix) {} m! { #[ignore] fn g() {} } }";
        let found: Vec<_> = markings(&file(text)).into_iter().map(|m| (m.line, m.name)).collect();
        for wanted in [(1, "allow"), (2, "cfg"), (2, "ignore")] {
            assert!(found.contains(&(wanted.0, wanted.1.to_owned())), "{wanted:?} is not in {found:?}");
        }
    }

    #[test]
    fn macros_are_found_inside_macros() {
        let found = macros(&file("fn f() { assert!(g(todo!())); if a != b {} }"));
        assert!(found.iter().any(|mention| mention.name == "todo"), "{found:?}");
    }
}

//! The boundary of the core: no target-specific code, no I/O, and no packages with either.

use crate::{
    Finding,
    files::TextFile,
    metadata::Package,
    syntax::{self, Marking, Mention},
};

/// The permitted direct dependencies of the core: small packages without I/O and with the same
/// results on every target.
const CORE_DEPENDENCIES: [&str; 26] = [
    "argon2",
    "base16ct",
    "base64ct",
    "bytes",
    "chrono",
    "crc",
    "csv",
    "despacho-route",
    "email_address",
    "form_urlencoded",
    "hmac",
    "http",
    "libm",
    "linkify",
    "miniz_oxide",
    "p256",
    "qrcodegen",
    // The numbering plans of all countries, which nobody maintains by hand. It decodes them in
    // memory.
    "rlibphonenumber",
    "rust_decimal",
    "serde",
    "serde_json",
    "sha2",
    "strsim",
    "thiserror",
    "twox-hash",
    // Behind the feature `openapi`, for the tool that writes the document.
    "utoipa",
];
/// The permitted dependencies of the route engine: for JSON, which its command line needs, and for
/// its errors.
const ROUTE_DEPENDENCIES: [&str; 3] = ["serde", "serde_json", "thiserror"];
/// The additional permitted dependencies of the core's tests.
const CORE_TEST_DEPENDENCIES: [&str; 1] = ["despacho-simulator"];
/// Packages with I/O, threads, clocks or entropy, and packages for browsers, which must not be in
/// the core's dependency tree at all.
const FORBIDDEN: [&str; 29] = [
    "async-std",
    "axum",
    "crossbeam-utils",
    "fastrand",
    "futures-executor",
    "getrandom",
    "hyper",
    "iana-time-zone",
    "js-sys",
    "libsqlite3-sys",
    "mio",
    "native-tls",
    "openssl-sys",
    "rand",
    "rayon",
    "reqwest",
    "rusqlite",
    "rustls",
    "smol",
    "socket2",
    "spin-sdk",
    "tokio",
    "tokio-postgres",
    "ureq",
    "warp",
    "wasm-bindgen",
    "wasmtime",
    "web-sys",
    "web-time",
];
/// Modules of std that code without I/O must not use, with the reason.
const STD: [(&str, &str); 9] = [
    ("std::fs", "the core and hosts/shared/sql do no I/O"),
    ("std::net", "the core and hosts/shared/sql do no I/O"),
    ("std::io::stdin", "the core and hosts/shared/sql do no I/O"),
    ("std::io::stdout", "the core and hosts/shared/sql do no I/O"),
    ("std::thread", "the core has no threads"),
    ("std::env", "the core has no environment: take Settings"),
    ("std::process", "the core does not end or start processes"),
    (
        "std::time::SystemTime",
        "time is an argument: take an ExecContext",
    ),
    (
        "std::time::Instant",
        "time is an argument; budgets are counted in work",
    ),
];

/// Checks that the direct dependencies of the core and of the route engine are listed and apply to
/// every target.
#[must_use]
pub(crate) fn core_dependencies(packages: &[Package]) -> Vec<Finding> {
    let lists = [
        ("despacho-core", &CORE_DEPENDENCIES[..]),
        ("despacho-route", &ROUTE_DEPENDENCIES),
    ];
    lists
        .into_iter()
        .flat_map(|(name, allowed)| dependencies(packages, name, allowed))
        .collect()
}

fn dependencies(packages: &[Package], name: &str, allowed: &[&str]) -> Vec<Finding> {
    let Some(package) = packages.iter().find(|package| package.name == name) else {
        return vec![Finding::new(
            "core",
            format!("the package {name} is not in the workspace"),
        )];
    };
    let manifest = format!("{}/Cargo.toml", package.folder);
    let mut found = Vec::new();
    for one in &package.dependencies {
        let listed = allowed.contains(&&*one.name)
            || (one.dev && CORE_TEST_DEPENDENCIES.contains(&&*one.name));
        if !listed {
            let message = format!(
                "`{}` is not listed in tests/xtask/tests/repository/rules/boundary.rs: remove it, or add it there and give the reason in the commit",
                one.name
            );
            found.push(Finding::new(&*manifest, message));
        }
        if one.conditional {
            let message = format!(
                "`{}` is limited to some targets: the core must be the same on every target",
                one.name
            );
            found.push(Finding::new(&*manifest, message));
        }
    }
    found
}

/// Checks that the core's dependency tree contains no forbidden package.
#[must_use]
pub(crate) fn core_tree(names: &[String]) -> Vec<Finding> {
    let unexpected = names
        .iter()
        .filter(|name| FORBIDDEN.contains(&name.as_str()));
    unexpected
        .map(|name| {
                        let message = format!("`{name}` is in the core's dependency tree: find the dependent with `cargo tree -p despacho-core --target wasm32-unknown-unknown -i {name}` and disable its feature");
                        Finding::new("core/Cargo.toml", message)
        })
        .collect()
}

/// Checks that a file of the core does not query the compilation target.
pub(crate) fn targets(file: &TextFile) -> Result<Vec<Finding>, String> {
    let queries = |marking: &Marking| {
        matches!(&*marking.name, "cfg" | "cfg_attr")
            && marking
                .words
                .iter()
                .any(|word| word.starts_with("target_") || matches!(&**word, "unix" | "windows"))
    };
    let parsed = syntax::parse(file)?;
    let found = syntax::markings(&parsed).into_iter().filter(queries);
    Ok(found
        .map(|marking| {
            Finding::in_line(
                &file.path,
                marking.line,
                "queries the target: the core must be the same on every target, move the difference into the host",
            )
        })
        .collect())
}

/// Checks that a file without I/O uses none of the listed modules of std outside its tests.
pub(crate) fn std_use(file: &TextFile) -> Result<Vec<Finding>, String> {
    let banned = |mention: Mention| {
        let hit = STD.iter().find(|(path, _)| {
            mention
                .name
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        });
        hit.map(|(path, reason)| {
            Finding::in_line(&file.path, mention.line, format!("uses {path}: {reason}"))
        })
    };
    let parsed = syntax::parse(file)?;
    Ok(syntax::paths(&parsed, &[])
        .into_iter()
        .filter_map(banned)
        .collect())
}

/// Returns the files of a folder without those of `#[cfg(test)]` modules.
pub(crate) fn shipping<'a>(
    texts: &'a [TextFile],
    folder: &str,
) -> Result<Vec<&'a TextFile>, String> {
    let sources: Vec<&TextFile> = texts
        .iter()
        .filter(|file| file.path.starts_with(folder) && file.has_extension(&["rs"]))
        .collect();
    let mut for_tests: Vec<String> = Vec::new();
    for file in &sources {
        let stem = file.path.trim_end_matches(".rs");
        let home = ["/mod", "/lib", "/main"]
            .iter()
            .find_map(|name| stem.strip_suffix(name))
            .unwrap_or(stem);
        let modules = syntax::test_modules(&syntax::parse(file)?);
        for_tests.extend(modules.into_iter().map(|module| format!("{home}/{module}")));
    }
    let ships = |file: &&TextFile| {
        !for_tests.iter().any(|module| {
            file.path
                .strip_prefix(module)
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    Ok(sources.into_iter().filter(ships).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn core_with(name: &str, dev: bool, conditional: bool) -> Vec<Package> {
        let dependencies = vec![Dependency {
            name: name.to_owned(),
            dev,
            conditional,
        }];
        let route = Package {
            name: "despacho-route".to_owned(),
            folder: "core/route".to_owned(),
            dependencies: Vec::new(),
        };
        vec![
            Package {
                name: "despacho-core".to_owned(),
                folder: "core".to_owned(),
                dependencies,
            },
            route,
        ]
    }

    #[test]
    fn unlisted_dependency_is_reported() {
        assert_eq!(core_dependencies(&core_with("serde", false, false)), []);
        assert_eq!(
            core_dependencies(&core_with("tokio", false, false)).len(),
            1
        );
        assert_eq!(
            core_dependencies(&core_with("despacho-simulator", true, false)),
            []
        );
        assert_eq!(
            core_dependencies(&core_with("despacho-simulator", false, false)).len(),
            1
        );
        assert_eq!(core_dependencies(&core_with("serde", false, true)).len(), 1);
        assert_eq!(core_dependencies(&[]).len(), 2);
    }

    #[test]
    fn forbidden_transitive_package_is_reported() {
        let names = ["serde", "getrandom", "js-sys"].map(str::to_owned);
        assert_eq!(core_tree(&names).len(), 2);
    }

    #[test]
    fn every_query_of_the_target_is_reported() {
        let querying = [
            "#[cfg(target_arch = \"wasm32\")] fn f() {}",
            "fn f() { if cfg!(windows) {} }",
            "#[cfg_attr(not(unix), inline)] fn f() {}",
        ];
        for text in querying {
            assert_eq!(
                targets(&TextFile::sample("a.rs", text)).map(|found| found.len()),
                Ok(1),
                "{text}"
            );
        }
        assert_eq!(
            targets(&TextFile::sample(
                "a.rs",
                "#[cfg(feature = \"ts\")] fn target_arch() {}"
            )),
            Ok(vec![])
        );
    }

    #[test]
    fn every_form_of_forbidden_std_use_is_reported() {
        let naming = [
            "use std::{fs::File};",
            "fn f() { std::env::var(\"A\"); }",
            "use std::time::{Duration, Instant};",
        ];
        for text in naming {
            assert_eq!(
                std_use(&TextFile::sample("a.rs", text)).map(|found| found.len()),
                Ok(1),
                "{text}"
            );
        }
        assert_eq!(
            std_use(&TextFile::sample("a.rs", "use std::{fmt, time::Duration};")),
            Ok(vec![])
        );
    }

    #[test]
    fn files_of_test_modules_are_not_shipping() {
        let texts = [
            TextFile::sample("core/src/a/mod.rs", "#[cfg(test)] mod tests; mod b;"),
            TextFile::sample("core/src/a/tests.rs", ""),
            TextFile::sample("core/src/a/tests/more.rs", ""),
            TextFile::sample("core/src/a/b.rs", ""),
        ];
        let paths: Vec<_> = shipping(&texts, "core/src/")
            .expect("it parses")
            .iter()
            .map(|f| &*f.path)
            .collect();
        assert_eq!(paths, ["core/src/a/mod.rs", "core/src/a/b.rs"]);
    }
}

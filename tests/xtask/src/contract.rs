//! The contract test: schemathesis reads the server's own OpenAPI document and searches for
//! responses that violate it.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::needs;

/// The operator's token of the server under test.
const OPERATOR_TOKEN: &str = "contract-operator-token";
/// Rate limits that are high enough for generated requests. The cases test the limits themselves.
const SETTINGS: [(&str, &str); 7] = [
    ("DESPACHO_ADMIN_TOKEN", OPERATOR_TOKEN),
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_LOGINS_PER_15_MINUTES", "10000"),
    ("DESPACHO_LIMITS_UNKNOWN_KEYS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_REGISTRATIONS_PER_DAY", "100000"),
];
/// Options of every run: the same examples and boundary values of every field each time.
const COMMON: [&str; 6] = [
    "--phases",
    "examples,coverage",
    "--generation-deterministic",
    "--continue-on-failure",
    "--request-timeout",
    "10",
];

/// One run: the caller's role and the operations.
struct Part {
    operator: bool,
    filter: &'static [&'static str],
}

/// The runs in order. Deletions come last because they can revoke the caller's own key. Filters of
/// one kind are combined with *or*, so deletions are selected by name. /docs and /metrics do not
/// return JSON.
const PARTS: [Part; 4] = [
    Part {
        operator: false,
        filter: &[
            "--exclude-path-regex",
            "^/admin|^/docs|^/metrics",
            "--exclude-method",
            "DELETE",
        ],
    },
    Part {
        operator: true,
        filter: &[
            "--include-path-regex",
            "^/admin",
            "--exclude-method",
            "DELETE",
        ],
    },
    Part {
        operator: false,
        filter: &["--include-name-regex", "^DELETE /delivery"],
    },
    Part {
        operator: true,
        filter: &["--include-name-regex", "^DELETE /admin"],
    },
];

/// Runs the contract test against a fresh server with demo data.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let validator = needs::venv_program("openapi-spec-validator")?;
    run::show(run::command(
        root,
        &[&*validator.to_string_lossy(), "core/openapi.json"],
    ))?;
    let folder = place::target()?.join("contract");
    let error = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(error)?;
    }
    std::fs::create_dir_all(&folder).map_err(error)?;
    let server = Server::start(
        &server::build(root)?,
        &folder.join("data"),
        &["--demo"],
        &SETTINGS,
    )?;
    let schemathesis = needs::venv_program("schemathesis")?
        .to_string_lossy()
        .into_owned();
    let config = root
        .join("tests/xtask/schemathesis.toml")
        .to_string_lossy()
        .into_owned();
    let document = format!("{}/openapi.json", server.base);
    for part in &PARTS {
        let key = if part.operator {
            OPERATOR_TOKEN
        } else {
            server.key.as_deref().unwrap_or_default()
        };
        let header = format!("x-api-token: {key}");
        let start = [
            &*schemathesis,
            "--config-file",
            &config,
            "run",
            &document,
            "--header",
            &header,
        ];
        // Schemathesis writes a cache into its working directory.
        let mut search = run::command(&folder, &[&start[..], part.filter, &COMMON].concat());
        search.env("SCHEMATHESIS_HOOKS", root.join("tests/xtask/problems.py"));
        run::show(search)?;
    }
    Ok(())
}

//! The contract test: schemathesis reads the server's own OpenAPI document and tries to prove it wrong.

use std::path::Path;

use despacho_tool::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

use crate::needs;

/// Requests per endpoint and phase: enough to meet every field, few enough for every run of `cargo verify`.
const EXAMPLES: &str = "30";
/// A fixed seed: what fails here fails there.
const SEED: &str = "1";
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// Quotas would answer most generated requests with 429; how they work is shown by the cases.
const QUOTAS: [(&str, &str); 4] = [
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_LOGINS_PER_QUARTER", "10000"),
];

/// Runs the contract test against a fresh server with demo data.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let folder = place::target()?.join("contract");
    let fault = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(fault)?;
    }
    std::fs::create_dir_all(&folder).map_err(fault)?;
    let server = Server::start(&server::build(root)?, &folder.join("data"), &["--demo"], &QUOTAS)?;
    let key = server.key.as_deref().unwrap_or_default();
    let program = needs::venv_program("schemathesis")?;
    let document = format!("{}/openapi.json", server.base);
    let header = format!("x-api-token: {key}");
    let words = [
        &*program.to_string_lossy(),
        "run",
        &document,
        "--header",
        &header,
        "--checks",
        CHECKS,
        "--phases",
        "examples,coverage,fuzzing",
        "--mode",
        "all",
        "--max-examples",
        EXAMPLES,
        "--seed",
        SEED,
        "--continue-on-failure",
        "--request-timeout",
        "10",
    ];
    run::show(run::command(&folder, &words))
}

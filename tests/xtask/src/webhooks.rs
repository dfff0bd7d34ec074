//! The webhook test: tests/xtask/receiver.py starts the server and receives its webhooks.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::needs;

/// Runs the test in an empty folder.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let folder = place::target()?.join("webhooks");
    let error = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(error)?;
    }
    std::fs::create_dir_all(&folder).map_err(error)?;
    let python = needs::venv_program("python")?.to_string_lossy().into_owned();
    let (binary, empty) = (server::build(root)?, folder.to_string_lossy().into_owned());
    run::show(run::command(root, &[&*python, "tests/xtask/receiver.py", &binary.to_string_lossy(), &empty]))
}

//! The webhook tests: tests/xtask/receiver.py and tests/xtask/open_delivery.py start the server and receive its webhooks.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::needs;

/// Runs each test in an empty folder.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let folder = place::target()?.join("webhooks");
    let error = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(error)?;
    }
    let python = needs::venv_program("python")?.to_string_lossy().into_owned();
    let binary = server::build(root)?;
    for test in ["receiver", "open_delivery"] {
        let empty = folder.join(test);
        std::fs::create_dir_all(&empty).map_err(error)?;
        let script = format!("tests/xtask/{test}.py");
        run::show(run::command(root, &[&*python, &script, &binary.to_string_lossy(), &empty.to_string_lossy()]))?;
    }
    Ok(())
}

//! The tests that are Python programs and start the server themselves: tests/xtask/receiver.py receives its webhooks,
//! tests/xtask/open_delivery.py is a point of sale, and tests/xtask/recipes/recipes.py runs the code of bindings/RECIPES.md.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
    server,
};

use crate::needs;

/// Runs the tests of webhooks and of Open Delivery.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    run_script(root, "webhooks", "tests/xtask/receiver.py")?;
    run_script(root, "open-delivery", "tests/xtask/open_delivery.py")
}

/// Runs the recipes.
pub(crate) fn check_recipes(root: &Path) -> Result<(), Failure> {
    run_script(root, "recipes", "tests/xtask/recipes/recipes.py")
}

/// Runs a program with the server's binary and an empty folder.
fn run_script(root: &Path, name: &str, script: &str) -> Result<(), Failure> {
    let folder = place::target()?.join(name);
    let error = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(error)?;
    }
    let python = needs::venv_program("python")?.to_string_lossy().into_owned();
    std::fs::create_dir_all(&folder).map_err(error)?;
    let (binary, empty) = (server::build(root)?, folder.to_string_lossy().into_owned());
    run::show(run::command(root, &[&*python, script, &binary.to_string_lossy(), &empty]))
}

//! The tests that are Python programs and start the server themselves: tests/xtask/receiver.py
//! receives its webhooks, tests/xtask/open_delivery.py is a point of sale, and
//! tests/xtask/recipes/recipes.py runs the code of bindings/RECIPES.md.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use despacho_xtask::{
    component, place,
    run::{self, Failure},
    server, skip,
};

use crate::needs;

const OPEN_DELIVERY: &str = "tests/xtask/open_delivery.py";

/// Runs the tests of webhooks and of Open Delivery.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let server = server::build(root)?;
    run_script(root, &["tests/xtask/receiver.py"], &server, "webhooks")?;
    run_script(root, &[OPEN_DELIVERY, "warp"], &server, "open-delivery")?;
    match std::env::var_os("DESPACHO_OPEN_DELIVERY") {
        Some(_) => check_open_delivery_in_memory(root),
        None => Ok(()),
    }
}

/// Runs the recipes, without those of PHP if it is not installed.
pub(crate) fn check_recipes(root: &Path) -> Result<(), Failure> {
    if !run::succeeds(&["php", "--version"]) {
        skip::record("php", "the recipes in PHP: `apt-get install php-cli`")?;
    }
    run_script(
        root,
        &["tests/xtask/recipes/recipes.py"],
        &server::build(root)?,
        "recipes",
    )
}

/// Runs the test of Open Delivery on the component, with the program that the component's tests
/// have built.
pub(crate) fn check_open_delivery_on_spin(root: &Path) -> Result<(), Failure> {
    let program = format!("despacho-spin-tests{}", std::env::consts::EXE_SUFFIX);
    let runtime = place::target()?.join("debug").join(program);
    let mut script = prepare_script(
        root,
        &[OPEN_DELIVERY, "spin"],
        &runtime,
        "open-delivery-spin",
    )?;
    script.env(component::COMPONENT, component::build(root)?);
    run::show(script)
}

/// Validates the responses and messages that the core's tests record.
fn check_open_delivery_in_memory(root: &Path) -> Result<(), Failure> {
    let records = empty_folder("open-delivery-memory")?.join("records");
    let words = [
        "cargo",
        "test",
        "--locked",
        "--all-features",
        "--workspace",
        "--test",
        "lifecycle",
        "open_delivery",
    ];
    let mut tests = run::command(root, &words);
    tests.env("DESPACHO_OPEN_DELIVERY_RECORDS", &records);
    run::show(tests)?;
    let python = needs::venv_program("python")?
        .to_string_lossy()
        .into_owned();
    run::show(run::command(
        root,
        &[
            &*python,
            OPEN_DELIVERY,
            "recorded",
            &records.to_string_lossy(),
        ],
    ))
}

fn run_script(root: &Path, words: &[&str], program: &Path, folder: &str) -> Result<(), Failure> {
    run::show(prepare_script(root, words, program, folder)?)
}

/// Returns the command of a script that tests a program with an empty folder.
fn prepare_script(
    root: &Path,
    words: &[&str],
    program: &Path,
    folder: &str,
) -> Result<Command, Failure> {
    let python = needs::venv_program("python")?
        .to_string_lossy()
        .into_owned();
    let (program, folder) = (program.to_string_lossy(), empty_folder(folder)?);
    Ok(run::command(
        root,
        &[&[&*python], words, &[&*program, &*folder.to_string_lossy()]].concat(),
    ))
}

fn empty_folder(name: &str) -> Result<PathBuf, Failure> {
    let folder = place::target()?.join(name);
    let error = |e| Failure::new(format!("{}: {e}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(error)?;
    }
    std::fs::create_dir_all(&folder).map_err(error)?;
    Ok(folder)
}

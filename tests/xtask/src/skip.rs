//! Tests and steps that a machine cannot run, because a program, a permission or data is missing.
//!
//! In CI (`CI=true`) a skip is a failure unless `DESPACHO_ALLOW_SKIPS` names what is missing. Every
//! other skip is printed and added to a list, which `cargo verify` prints at its end.

use std::{collections::BTreeSet, fmt, fs, io::Write, path::PathBuf};

use crate::{place, run::Failure};

/// Names what may be missing in CI, separated by commas: `advisories,spin-up`.
const ALLOWED: &str = "DESPACHO_ALLOW_SKIPS";

/// Ignores the running test: the caller returns after this call.
///
/// The message is not captured, so that `cargo test` shows it for a test that it counts as passed.
///
/// # Panics
/// In CI, unless `DESPACHO_ALLOW_SKIPS` names `missing`.
#[expect(clippy::panic, reason = "a test may panic where it fails")]
pub fn test(missing: &str, reason: impl fmt::Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    if let Err(failure) = record(missing, &format!("{test}: {reason}")) {
        panic!("{failure}");
    }
}

/// Records that a step or a part of it is not run.
///
/// # Errors
/// In CI, unless `DESPACHO_ALLOW_SKIPS` names `missing`.
pub fn record(missing: &str, reason: &str) -> Result<(), Failure> {
    permit(missing, reason)?;
    let line = format!("ignored: {missing}: {reason}\n");
    // `eprint!` would be captured.
    let _ = std::io::stderr().write_all(line.as_bytes());
    let file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(list()?);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| Failure::new(format!("the list of skips: {error}")))
}

/// Checks that `missing` may be missing here.
///
/// # Errors
/// In CI, unless `DESPACHO_ALLOW_SKIPS` names it.
pub fn permit(missing: &str, reason: &str) -> Result<(), Failure> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    check(missing, reason, &variable("CI"), &variable(ALLOWED))
}

fn check(missing: &str, reason: &str, ci: &str, allowed: &str) -> Result<(), Failure> {
    if ci != "true" || allowed.split(',').any(|name| name.trim() == missing) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{reason}\nA skip fails in CI: install what is missing, or name `{missing}` in {ALLOWED}"
    )))
}

/// Empties the list of skips.
///
/// # Errors
/// If the list cannot be deleted.
pub fn clear() -> Result<(), Failure> {
    match fs::remove_file(list()?) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::new(format!("the list of skips: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns the lines of all skips since [`clear`], sorted and without duplicates.
///
/// # Errors
/// If the build folder is not found.
pub fn recorded() -> Result<BTreeSet<String>, Failure> {
    let text = fs::read_to_string(list()?).unwrap_or_default();
    Ok(text.lines().map(str::to_owned).collect())
}

fn list() -> Result<PathBuf, Failure> {
    Ok(place::target()?.join("skipped.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_fails_in_ci_unless_it_is_named() {
        let skip = |ci, allowed| check("spin-up", "no Spin", ci, allowed);
        assert_eq!(skip("", ""), Ok(()));
        assert_eq!(skip("true", "advisories, spin-up"), Ok(()));
        let failure = skip("true", "advisories,spin").expect_err("it is not named");
        assert!(
            failure.to_string().starts_with("no Spin\n")
                && failure.to_string().contains("`spin-up`"),
            "{failure}"
        );
    }
}

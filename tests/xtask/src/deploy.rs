//! The deployment files under the linters that people run on them. No engine runs here: what they say is all that is known.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
};

use crate::needs;

/// Manifests for Kubernetes.
const MANIFESTS: [&str; 2] = ["hosts/warp/deploy/kubernetes.yaml", "hosts/spin/deploy/spinkube.yaml"];
/// The image's recipe.
const DOCKERFILE: &str = "hosts/warp/deploy/Dockerfile";
/// systemd's unit.
const UNIT: &str = "hosts/warp/deploy/despacho.service";
/// Long comments explain more than they cost; everything else is as the linter has it.
const YAML_RULES: &str = "{extends: default, rules: {line-length: {max: 140}}}";
/// systemd's own measure of what a service could do to its machine, in tenths: 0 is nothing, 100 everything, and 20 is the least
/// that it calls fine.
const MAX_EXPOSURE: &str = "20";

/// Runs every linter on its files.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let lint = |name: &str, words: &[&str]| {
        let program = needs::venv_program(name)?.to_string_lossy().into_owned();
        run::show(run::command(root, &[&[&*program], words].concat()))
    };
    lint("hadolint", &["--failure-threshold", "info", DOCKERFILE])?;
    lint("yamllint", &[&["--strict", "--config-data", YAML_RULES], &MANIFESTS[..]].concat())?;
    // It knows no SpinApp, and says so; everything else of both files it knows.
    lint("kubernetes-validate", &[&["--strict"], &MANIFESTS[..]].concat())?;
    // Where there is no systemd there is nobody to ask.
    if run::succeeds(&["systemd-analyze", "--version"]) {
        let threshold = format!("--threshold={MAX_EXPOSURE}");
        let words = ["systemd-analyze", "security", "--offline=true", "--no-pager", &threshold, UNIT];
        run::show(run::command(root, &words))?;
        verify_unit(root)?;
    } else {
        println!("  systemd-analyze is not there: the unit is not judged");
    }
    Ok(())
}

/// systemd reads the unit and warns of every setting that it does not know. The program that it starts is looked up as well, so that
/// the copy that is judged starts one that exists.
fn verify_unit(root: &Path) -> Result<(), Failure> {
    let failure = |e: std::io::Error| Failure::new(format!("{UNIT}: {e}"));
    let text = std::fs::read_to_string(root.join(UNIT)).map_err(failure)?;
    let copy = place::target()?.join("despacho.service");
    std::fs::write(&copy, text.replace("/usr/local/bin/despacho ", "/bin/true ")).map_err(failure)?;
    let name = copy.to_string_lossy().into_owned();
    let judged = run::command(root, &["systemd-analyze", "verify", "--man=no", &name]).output().map_err(failure)?;
    let output = String::from_utf8_lossy(&judged.stderr);
    let about: Vec<&str> = output.lines().filter(|line| line.contains("despacho")).collect();
    if judged.status.success() && about.is_empty() { Ok(()) } else { Err(Failure::new(output.trim().to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines between `variables:` and the next key of a SpinApp that name a variable.
    fn variables(manifest: &str) -> Vec<&str> {
        let from = manifest.split("\n  variables:\n").nth(1).unwrap_or_default();
        let lines = from.lines().take_while(|line| line.starts_with("    "));
        lines.filter_map(|line| line.strip_prefix("    - name: ")).collect()
    }

    #[test]
    fn every_variable_of_the_spinkube_manifest_is_the_components() {
        let root = place::root().expect("the repository");
        let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("it is there");
        let application = read("spin.toml");
        let section = application.split("[variables]").nth(1).expect("it has variables");
        let known = |name: &str| section.lines().any(|line| line.starts_with(&format!("{name} ")));
        let named = variables(&read(MANIFESTS[1])).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert!(named.len() >= 4, "{named:?}");
        assert!(named.iter().all(|name| known(name)), "{named:?} of {section}");
    }
}

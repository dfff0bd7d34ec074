//! The deployment files under the linters that people run on them. No engine runs here: what they say is all that is known.

use std::path::Path;

use despacho_tool::run::{self, Failure};

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
const MOST_EXPOSED: &str = "20";

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
        let threshold = format!("--threshold={MOST_EXPOSED}");
        let words = ["systemd-analyze", "security", "--offline=true", "--no-pager", &threshold, UNIT];
        run::show(run::command(root, &words))?;
    } else {
        println!("  systemd-analyze is not there: the unit is not judged");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use despacho_tool::place;

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

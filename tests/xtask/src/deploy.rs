//! Checks the files of deployment and of continuous integration with their usual linters. No container engine or cluster runs them
//! here.

use std::path::Path;

use despacho_xtask::{
    place,
    run::{self, Failure},
    skip,
};

use crate::needs;

/// The Kubernetes manifests.
const MANIFESTS: [&str; 2] = [
    "hosts/warp/deploy/kubernetes.yaml",
    "hosts/spin/deploy/spinkube.yaml",
];
/// The image's recipe.
const DOCKERFILE: &str = "hosts/warp/deploy/Dockerfile";
/// The files of continuous integration, with their schemas.
const WORKFLOWS: [(&str, &[&str]); 2] = [
    (
        "vendor.github-workflows",
        &[
            ".github/workflows/release.yml",
            ".github/workflows/verify.yml",
        ],
    ),
    ("vendor.dependabot", &[".github/dependabot.yml"]),
];
/// systemd's unit.
const UNIT: &str = "hosts/warp/deploy/despacho.service";
/// The linter's default rules, with longer lines for comments.
const YAML_RULES: &str = "{extends: default, rules: {line-length: {max: 140}}}";
/// The maximum exposure that `systemd-analyze security` computes for the unit, in tenths: 0 is
/// fully confined, 100 is unconfined, and systemd rates up to 20 as `OK`.
const MAX_EXPOSURE: &str = "20";

/// Runs every linter on its files.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let lint = |name: &str, words: &[&str]| {
        let program = needs::venv_program(name)?.to_string_lossy().into_owned();
        run::show(run::command(root, &[&[&*program], words].concat()))
    };
    lint("hadolint", &["--failure-threshold", "info", DOCKERFILE])?;
    lint(
        "yamllint",
        &[&["--strict", "--config-data", YAML_RULES], &MANIFESTS[..]].concat(),
    )?;
    // It has no schema for SpinApp and skips it. All other objects are validated.
    lint(
        "kubernetes-validate",
        &[&["--strict"], &MANIFESTS[..]].concat(),
    )?;
    for (schema, files) in WORKFLOWS {
        lint(
            "check-jsonschema",
            &[&["--builtin-schema", schema][..], files].concat(),
        )?;
    }
    if run::succeeds(&["systemd-analyze", "--version"]) {
        let threshold = format!("--threshold={MAX_EXPOSURE}");
        let words = [
            "systemd-analyze",
            "security",
            "--offline=true",
            "--no-pager",
            &threshold,
            UNIT,
        ];
        run::show(run::command(root, &words))?;
        verify_unit(root)
    } else {
        skip::record(
            "systemd-analyze",
            "systemd's unit: `apt-get install systemd`",
        )
    }
}

/// Fails if systemd warns about the unit, for example about an unknown setting. systemd also looks
/// up the unit's program, so the checked copy names a program that exists.
fn verify_unit(root: &Path) -> Result<(), Failure> {
    let failure = |e: std::io::Error| Failure::new(format!("{UNIT}: {e}"));
    let text = std::fs::read_to_string(root.join(UNIT)).map_err(failure)?;
    let copy = place::target()?.join("despacho.service");
    std::fs::write(
        &copy,
        text.replace("/usr/local/bin/despacho ", "/bin/true "),
    )
    .map_err(failure)?;
    let name = copy.to_string_lossy().into_owned();
    let verified = run::command(root, &["systemd-analyze", "verify", "--man=no", &name])
        .output()
        .map_err(failure)?;
    let output = String::from_utf8_lossy(&verified.stderr);
    let warnings: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("despacho"))
        .collect();
    if verified.status.success() && warnings.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(output.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the variables that a SpinApp manifest sets.
    fn variables(manifest: &str) -> Vec<&str> {
        let from = manifest
            .split("\n  variables:\n")
            .nth(1)
            .unwrap_or_default();
        let lines = from.lines().take_while(|line| line.starts_with("    "));
        lines
            .filter_map(|line| line.strip_prefix("    - name: "))
            .collect()
    }

    #[test]
    fn spinkube_manifest_sets_only_declared_variables() {
        let root = place::root().expect("the repository");
        let read =
            |path: &str| std::fs::read_to_string(root.join(path)).expect("the file is readable");
        let application = read("spin.toml");
        let section = application
            .split("[variables]")
            .nth(1)
            .expect("spin.toml has variables");
        let known = |name: &str| {
            section
                .lines()
                .any(|line| line.starts_with(&format!("{name} ")))
        };
        let named = variables(&read(MANIFESTS[1]))
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        assert!(named.len() >= 4, "{named:?}");
        assert!(
            named.iter().all(|name| known(name)),
            "{named:?} of {section}"
        );
    }
}

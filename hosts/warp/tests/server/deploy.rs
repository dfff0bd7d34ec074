//! The deployment files name only existing settings, metrics and paths.

use std::collections::BTreeSet;

use despacho_shell::settings::{Host, Setting};
use serde_json::Value;

use crate::harness::{Server, create_store, despacho, stdout};

const DOCKERFILE: &str = include_str!("../../deploy/Dockerfile");
const KUBERNETES: &str = include_str!("../../deploy/kubernetes.yaml");
const RELEASE: &str = include_str!("../../../../.github/workflows/release.yml");
const SERVICE: &str = include_str!("../../deploy/despacho.service");
const DASHBOARD: &str = include_str!("../../deploy/grafana.json");

const SETTINGS: &str = include_str!("../../deploy/despacho.toml");

/// Returns the identifiers in a text that start with a prefix.
fn words<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let split = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    split.filter(|word| word.starts_with(prefix)).collect()
}

#[test]
fn every_variable_of_the_deployment_files_is_a_setting() {
    let known: BTreeSet<String> = Setting::of(Host::Server)
        .map(Setting::environment)
        .collect();
    for (name, text) in [("Dockerfile", DOCKERFILE), ("kubernetes.yaml", KUBERNETES)] {
        let named = words(text, "DESPACHO_");
        assert!(!named.is_empty(), "{name}");
        for variable in named {
            assert!(
                known.contains(variable),
                "{name}: {variable} is not a setting"
            );
        }
    }
}

#[test]
fn deployment_files_contain_no_plain_secrets() {
    let secrets = Setting::of(Host::Server)
        .filter(|setting| setting.is_secret)
        .map(Setting::environment);
    for variable in secrets {
        let position = KUBERNETES.find(&format!("- name: {variable}\n"));
        if let Some(rest) = position.and_then(|at| KUBERNETES.get(at..)) {
            let second = rest.lines().nth(1).unwrap_or_default().trim();
            assert_eq!(
                second, "valueFrom:",
                "{variable} has a plain value in the manifest"
            );
        }
        assert!(
            !DOCKERFILE.contains(&format!("{variable}=")),
            "{variable} has a plain value in the image"
        );
        assert!(
            !SERVICE.contains(&format!("Environment={variable}=")),
            "{variable} has a plain value in the unit"
        );
    }
}

#[test]
fn every_dashboard_metric_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    server.send(&format!("GET /delivery/orders\nx-api-token: {key}"), b"");
    let metrics = server.metrics().text().to_owned();
    let exported: BTreeSet<&str> = metrics
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut expressions = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().unwrap();
            let named = words(expression, "despacho_");
            assert!(!named.is_empty(), "{expression}");
            for metric in named {
                assert!(
                    exported.contains(metric),
                    "{metric} of {}: {exported:?}",
                    panel["title"]
                );
            }
            expressions += 1;
        }
    }
    assert!(expressions > 20, "{expressions}");
    assert!(
        words(DASHBOARD, "despacho_build")
            .iter()
            .all(|metric| exported.contains(metric))
    );
}

#[test]
fn deployment_probes_need_no_key() {
    let server = Server::start(&[]);
    let paths: BTreeSet<&str> = KUBERNETES
        .lines()
        .filter_map(|line| line.trim().strip_prefix("path: "))
        .map(str::trim)
        .collect();
    assert_eq!(paths, ["/healthz", "/readyz"].into());
    for path in paths {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let annotated = |name: &str| {
        let line = KUBERNETES
            .lines()
            .find_map(|line| line.trim().strip_prefix(&format!("prometheus.io/{name}: ")));
        line.unwrap().trim_matches('"').to_owned()
    };
    assert_eq!(annotated("path"), "/metrics");
    let listener = format!("value: \"0.0.0.0:{}\"", annotated("port"));
    let setting = KUBERNETES
        .lines()
        .skip_while(|line| !line.contains("DESPACHO_METRICS_LISTEN"))
        .nth(1)
        .unwrap();
    assert_eq!(
        setting.trim(),
        listener,
        "Prometheus scrapes the listener that needs no token"
    );
}

/// Installed addresses and roads take minutes to download, so they must outlive a pod.
#[test]
fn kubernetes_keeps_the_data_folder_of_each_instance() {
    assert!(!KUBERNETES.contains("emptyDir"));
    let volume = |after: &str| {
        let rest = KUBERNETES.split(after).nth(1).unwrap();
        rest.lines()
            .find_map(|line| line.trim().trim_start_matches("- ").strip_prefix("name: "))
            .unwrap()
    };
    assert_eq!(
        (volume("volumeMounts:"), volume("volumeClaimTemplates:")),
        ("data", "data")
    );
    let folder = KUBERNETES
        .split("- name: DESPACHO_DATA\n")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    assert_eq!(folder.trim(), "value: /data");
    assert!(KUBERNETES.contains("mountPath: /data\n"));
}

#[test]
fn kubernetes_names_the_image_that_the_release_publishes() {
    let image = KUBERNETES
        .lines()
        .find_map(|line| line.trim().strip_prefix("image: "))
        .unwrap();
    assert_eq!(
        image,
        concat!("ghcr.io/OWNER/despacho:", env!("CARGO_PKG_VERSION"))
    );
    assert!(RELEASE.contains("image=\"ghcr.io/${GITHUB_REPOSITORY,,}:${GITHUB_REF_NAME#v}\""));
    assert!(
        RELEASE.contains("s|image: ghcr.io/.*|image: $image|\" hosts/warp/deploy/kubernetes.yaml")
    );
}

/// The unit must not set environment variables, because they override the settings file.
#[test]
fn unit_reads_the_settings_file_that_it_ships_with() {
    let line = SERVICE
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))
        .unwrap();
    let (program, file) = line.split_once(" serve --config ").unwrap();
    assert_eq!(
        (program, file),
        ("/usr/local/bin/despacho", "/etc/despacho/despacho.toml")
    );
    assert!(!SERVICE.lines().any(|line| line.starts_with("Environment=")));
    assert!(
        SERVICE.contains(&format!("despacho init --config {file}")),
        "the unit's instructions"
    );
    let state = SERVICE
        .lines()
        .find_map(|line| line.strip_prefix("StateDirectory="))
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("despacho.toml"),
        SETTINGS.replace("# panel", "panel"),
    )
    .unwrap();
    let mut command = despacho(&folder);
    command
        .env_remove("DESPACHO_DATA")
        .args(["config", "--config", "despacho.toml"]);
    let shown = stdout(&command.output().unwrap());
    let read: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.strip_suffix("  # file despacho.toml"))
        .collect();
    let data = format!("data = \"/var/lib/{state}\"");
    let panel = "panel = \"/usr/local/share/despacho/panel\"";
    assert_eq!(
        read,
        [
            "listen = \"127.0.0.1:8080\"",
            &data,
            panel,
            "format = \"json\""
        ]
    );
}

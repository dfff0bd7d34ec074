//! Sources, errors and output of the configuration.

use crate::harness::{despacho, run, stdout};

fn folder_with(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("despacho.toml"), config).unwrap();
    folder
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let folder =
        folder_with("max-connections = 11\n[keys]\ndays = 12\n[limits]\ndeliveries = 13\n");
    let mut command = despacho(&folder);
    command
        .env("DESPACHO_CONFIG", "despacho.toml")
        .env("DESPACHO_KEYS_DAYS", "22");
    command
        .env("DESPACHO_LIMITS_DELIVERIES", "23")
        .args(["config", "--limits-deliveries", "33"]);
    let text = stdout(&command.output().unwrap());
    for line in [
        "max-connections = 11  # file despacho.toml",
        "days = 22  # environment DESPACHO_KEYS_DAYS",
        "deliveries = 33  # flag --limits-deliveries",
        "session-hours = 12  # default",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
    }
}

#[test]
fn config_command_prints_a_valid_configuration_file() {
    let folder = folder_with("");
    let args = [
        "config",
        "--cors-origins",
        "https://a.example,https://b.example",
        "--demo",
        "--log-format",
        "json",
    ];
    let first = stdout(&run(&folder, &args));
    std::fs::write(folder.path().join("copy.toml"), &first).unwrap();
    let second = stdout(&run(&folder, &["config", "--config", "copy.toml"]));
    let values = |text: &str| {
        text.lines()
            .map(|line| line.split("  # ").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&first), values(&second));
}

#[test]
fn local_demo_permits_webhooks_to_this_machine() {
    let folder = folder_with("");
    for (words, shown) in [
        (&["--demo"][..], "loopback = true  # flag --demo"),
        (
            &["--demo", "--listen", "[::1]:0"],
            "loopback = true  # flag --demo",
        ),
        (
            &["--demo", "--listen", "0.0.0.0:8080"],
            "loopback = false  # default",
        ),
        (
            &["--demo", "--webhooks-loopback=false"],
            "loopback = false  # flag --webhooks-loopback",
        ),
        (&[], "loopback = false  # default"),
    ] {
        let text = stdout(&run(&folder, &[&["config"], words].concat()));
        assert!(
            text.lines().any(|line| line == shown),
            "{words:?}: {shown} in\n{text}"
        );
    }
}

#[test]
fn config_errors_are_reported_together_without_secrets() {
    let folder = folder_with(
        "listen = \"nowhere\"\nsecret = \"hush-hush-hush\"\nadmin-token = \"too short\"\nunknown = 1\ntariff = \"tariff.json\"\n\
         [limits]\nbody-bytes = 1\npreviews-per-minute = []\n[limit]\nx = 1\n[tls]\ncert = \"c.pem\"\n",
    );
    std::fs::write(folder.path().join("tariff.json"), "{\"version\": \"x\"}").unwrap();
    let mut command = despacho(&folder);
    command.env("DESPACHO_LOG_LEVEL", "loud").args([
        "serve",
        "--config",
        "despacho.toml",
        "--keys-days",
        "0",
    ]);
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(2), 0),
        "{errors}"
    );
    for error in [
        "listen (file despacho.toml): must be",
        "secret (file despacho.toml): must be 64 hexadecimal digits",
        "admin-token (file despacho.toml): must be 20 to 256",
        "unknown (file despacho.toml): is not a setting",
        "limit (file despacho.toml): is not a setting",
        "limits.body-bytes = 1 (file despacho.toml): must be a whole number from 1024 to 16777216 bytes",
        "limits.previews-per-minute (file despacho.toml): must be",
        "tls.key (file despacho.toml): is required",
        "tariff (file despacho.toml): ",
        "log.level (environment DESPACHO_LOG_LEVEL): must be",
        "keys.days = 0 (flag --keys-days): must be a whole number from 1 to 3650 days",
    ] {
        assert!(errors.contains(error), "{error} in\n{errors}");
    }
    assert!(
        !errors.contains("hush") && !errors.contains("too short"),
        "{errors}"
    );
}

#[test]
fn invalid_file_is_reported_by_line_without_its_text() {
    let folder = folder_with("demo = true\nadmin-token = hush-hush-hush\n");
    let output = run(&folder, &["config", "--config", "despacho.toml"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors.contains("at line 2") && !errors.contains("hush"),
        "{errors}"
    );
    let missing = run(&folder, &["config", "--config", "none.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        String::from_utf8(missing.stderr)
            .unwrap()
            .contains("cannot be read")
    );
}

#[test]
fn secrets_have_no_flag_and_are_redacted() {
    let folder = folder_with("");
    let (secret, token) = ("ab".repeat(32), "operator-token-0123456789");
    let mut command = despacho(&folder);
    command
        .env("DESPACHO_SECRET", &secret)
        .env("DESPACHO_ADMIN_TOKEN", token)
        .arg("config");
    let text = stdout(&command.output().unwrap());
    assert!(!text.contains(&secret) && !text.contains(token), "{text}");
    assert!(
        text.contains("# secret (redacted)  # environment DESPACHO_SECRET"),
        "{text}"
    );
    for flag in ["--secret", "--admin-token"] {
        assert_eq!(
            run(&folder, &["config", flag, token]).status.code(),
            Some(2),
            "{flag}"
        );
    }
}

#[test]
fn postgres_requires_a_secret_and_redacts_its_password() {
    let folder = folder_with("");
    let (secret, address) = (
        "ab".repeat(32),
        "postgres://ana:swordfish@db.invalid/d?sslmode=require",
    );
    let mut command = despacho(&folder);
    let rejected = command
        .env("DESPACHO_DATABASE", address)
        .arg("config")
        .output()
        .unwrap();
    let received = String::from_utf8_lossy(&rejected.stderr).into_owned();
    assert!(
        rejected.status.code() == Some(2)
            && received.contains("secret (environment DESPACHO_DATABASE): is required"),
        "{received}"
    );
    let shown = stdout(&command.env("DESPACHO_SECRET", &secret).output().unwrap());
    assert!(
        shown.contains("postgres://ana:***@db.invalid:5432/d?sslmode=require"),
        "{shown}"
    );
    assert!(!shown.contains("swordfish") && !received.contains("swordfish"));
    let mut command = despacho(&folder);
    let rejected = command
        .env("DESPACHO_SECRET", &secret)
        .args(["config", "--database", address])
        .output()
        .unwrap();
    let received = String::from_utf8_lossy(&rejected.stderr).into_owned();
    assert!(
        received.contains("put it into DESPACHO_DATABASE") && !received.contains("swordfish"),
        "{received}"
    );
}

#[test]
fn every_command_has_help() {
    let folder = folder_with("");
    for command in [
        &["init"][..],
        &["serve"],
        &["store", "create"],
        &["key", "issue"],
        &["key", "list"],
        &["key", "revoke"],
        &["tariff", "check"],
        &["backup"],
        &["migrate"],
        &["distances"],
        &["config"],
        &["healthcheck"],
    ] {
        let text = stdout(&run(&folder, &[command, &["--help"]].concat()));
        assert!(
            text.contains("Usage: despacho") && text.len() > 200,
            "{command:?}: {text}"
        );
    }
    assert!(stdout(&run(&folder, &["--help"])).contains("Exit codes: 0"));
    assert_eq!(
        run(&folder, &["serve", "--no-such-flag"]).status.code(),
        Some(2)
    );
}

//! `serve` and the operator's commands on a missing, empty, foreign or damaged data folder.

use std::{fs, path::Path, process::Command};

use despacho_xtask::skip;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::harness::{BINARY, Server, create_store, despacho, init, prepared, run, stdout};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn database(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("despacho.db")
}

/// Asserts that a command fails with an exit code and an error that contains all texts.
fn fails(folder: &TempDir, args: &[&str], code: i32, expected_text: &[&str]) {
    let output = run(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
    for text in expected_text {
        assert!(errors.contains(text), "{text} in {args:?}: {errors}");
    }
}

#[test]
fn missing_database_is_rejected_by_every_command() {
    let folder = folder();
    let typo = folder.path().join("tpyo");
    let data = typo.to_str().unwrap();
    let commands: [&[&str]; 7] = [
        &["serve", "--listen", "127.0.0.1:0"],
        &["key", "issue", "--store", "1000"],
        &["key", "list", "--store", "1000"],
        &["courier", "list"],
        &[
            "courier",
            "add",
            "--name",
            "Ana Souza",
            "--phone",
            "+5511990000001",
        ],
        &["archive", "--before", "2020-01-01", "--dry-run"],
        &["backup", "copy.db"],
    ];
    for command in commands {
        let typed = format!("despacho init --data {data}");
        fails(
            &folder,
            &[command, &["--data", data]].concat(),
            2,
            &["there is no database", &typed],
        );
        assert!(!typo.exists(), "{command:?} created {data}");
    }
    // The command in the message creates the service.
    stdout(&run(&folder, &["init", "--data", data]));
    assert_eq!(
        stdout(&run(&folder, &["courier", "list", "--data", data]))
            .trim()
            .chars()
            .next(),
        Some('{')
    );
}

#[test]
fn folder_with_a_space_is_quoted_in_the_message() {
    let folder = folder();
    fails(
        &folder,
        &["serve", "--data", "my data"],
        2,
        &["despacho init --data 'my data'"],
    );
}

#[test]
fn init_does_not_change_an_existing_service() {
    let folder = folder();
    let key = create_store(&folder);
    let secret = fs::read_to_string(folder.path().join("secret")).unwrap();
    assert!(stdout(&run(&folder, &["init"])).contains("its database is unchanged"));
    assert_eq!(
        fs::read_to_string(folder.path().join("secret")).unwrap(),
        secret
    );
    let server = Server::start_in(folder, &[]);
    assert_eq!(
        server
            .send(&format!("GET /delivery/keys\nx-api-token: {key}"), b"")
            .status,
        200
    );
}

#[test]
fn empty_database_is_rejected_until_init() {
    let folder = folder();
    fs::write(database(&folder), "").unwrap();
    fails(
        &folder,
        &["serve"],
        2,
        &["is empty (0 bytes)", "despacho init --data"],
    );
    assert_eq!(fs::metadata(database(&folder)).unwrap().len(), 0);
    Server::start_in(folder, &[]);
}

#[test]
fn log_without_its_database_is_not_changed() {
    let folder = folder();
    let log = folder.path().join("despacho.db-wal");
    fs::write(&log, vec![7; 8_192]).unwrap();
    fails(&folder, &["init"], 1, &["-wal", "restore both"]);
    assert_eq!(fs::metadata(&log).unwrap().len(), 8_192);
}

#[test]
fn missing_secret_is_rejected_and_replaced_on_request_only() {
    let folder = folder();
    create_store(&folder);
    let secret = folder.path().join("secret");
    let first = fs::read_to_string(&secret).unwrap();
    fs::remove_file(&secret).unwrap();
    let expected_text = ["secret is missing", "despacho init --new-secret --data"];
    fails(&folder, &["serve"], 2, &expected_text);
    fails(&folder, &["courier", "list"], 2, &expected_text);
    fails(&folder, &["init"], 2, &expected_text);
    fails(&folder, &["serve", "--demo"], 2, &expected_text);
    assert!(!secret.exists());
    stdout(&run(&folder, &["init", "--new-secret"]));
    let second = fs::read_to_string(&secret).unwrap();
    assert_ne!(first, second);
    stdout(&run(&folder, &["init", "--new-secret"]));
    assert_eq!(
        fs::read_to_string(&secret).unwrap(),
        second,
        "an existing secret is never replaced"
    );
    Server::start_in(folder, &[]);
}

#[test]
fn database_of_another_application_is_rejected_unchanged() {
    let folder = folder();
    init(&folder);
    fs::remove_file(database(&folder)).unwrap();
    Connection::open(database(&folder))
        .unwrap()
        .execute_batch("CREATE TABLE recipes (name TEXT)")
        .unwrap();
    let before = fs::read(database(&folder)).unwrap();
    for command in ["serve", "init"] {
        fails(
            &folder,
            &[command],
            1,
            &["another application", "`recipes`"],
        );
    }
    assert_eq!(fs::read(database(&folder)).unwrap(), before);
}

#[test]
fn file_that_is_not_a_database_is_rejected() {
    let folder = folder();
    init(&folder);
    fs::write(
        database(&folder),
        "a text that is long enough to be read as a header ".repeat(40),
    )
    .unwrap();
    fails(
        &folder,
        &["serve"],
        1,
        &["damaged or not a database", "restore a backup"],
    );
}

#[test]
fn damaged_page_fails_a_backup_and_leaves_no_copy() {
    let folder = folder();
    create_store(&folder);
    // Damages all pages except the first ones, which contain the schema.
    let mut bytes = fs::read(database(&folder)).unwrap();
    let end = bytes.len();
    bytes[8_192..end].fill(0xa5);
    fs::write(database(&folder), bytes).unwrap();
    fails(&folder, &["backup", "copy.db"], 1, &["backup failed"]);
    assert!(
        !folder.path().join("copy.db").exists() && !folder.path().join("copy.db.partial").exists()
    );
    fails(
        &folder,
        &["serve", "--listen", "127.0.0.1:0"],
        1,
        &["damaged", "restore a backup"],
    );
}

#[test]
fn interrupted_backup_is_done_again() {
    let folder = folder();
    create_store(&folder);
    fs::write(folder.path().join("copy.db.partial"), "half a copy").unwrap();
    stdout(&run(&folder, &["backup", "copy.db"]));
    assert!(!folder.path().join("copy.db.partial").exists());
    let copy = Connection::open(folder.path().join("copy.db")).unwrap();
    assert_eq!(
        copy.query_row("SELECT COUNT(*) FROM stores", [], |row| row
            .get::<_, i64>(0)),
        Ok(1)
    );
}

#[cfg(unix)]
#[test]
fn folder_without_write_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    let mut command = despacho(&folder);
    if fs::write(Path::join(&locked, "probe"), "").is_ok() {
        // Root may write to every folder, but not from another user namespace.
        fs::remove_file(Path::join(&locked, "probe")).unwrap();
        let unshare = || prepared(Command::new("unshare"), &folder);
        if !unshare()
            .args(["--user", "true"])
            .status()
            .is_ok_and(|status| status.success())
        {
            skip::test("user-namespaces", "root may write to every folder");
            return;
        }
        command = unshare();
        command.args(["--user", BINARY]);
    }
    let output = command
        .args(["init", "--data"])
        .arg(locked.join("data"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("locked") && errors.contains("ermission denied"),
        "{errors}"
    );
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
}

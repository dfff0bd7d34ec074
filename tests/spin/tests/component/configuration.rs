//! Missing and invalid settings are named in the response, and never trap an instance.

use despacho_spin_tests::Options;

use crate::support::{TOKEN, TestDatabase, get, serve};

/// Asserts that requests with these options return 503, and returns the detail.
fn problem_of(options: &Options) -> String {
    let served = serve(options);
    assert_eq!(get(&served.base, "/healthz").status, 200, "liveness requires no settings");
    let mut detail = String::new();
    for path in ["/readyz", "/delivery/notifications", "/nothing"] {
        let response = get(&served.base, path);
        assert_eq!((response.status, &response.body["code"]), (503, &"unavailable".into()), "{path}");
        assert!(response.headers.contains_key("retry-after"));
        detail = response.body["detail"].as_str().unwrap_or_default().to_owned();
    }
    assert_eq!(served.stats().traps(), 0);
    detail
}

#[test]
fn missing_variables_are_named_all_at_once() {
    let database = TestDatabase::new();
    let mut options = Options::new(database.file(), TOKEN);
    options.variables.clear();
    let detail = problem_of(&options);
    assert!(detail.contains("`admin_token`") && detail.contains("`secret`"), "{detail}");
}

#[test]
fn empty_variables_count_as_missing() {
    let database = TestDatabase::new();
    let empty = Options::new(database.file(), TOKEN).variable("admin_token", "").variable("secret", "");
    let detail = problem_of(&empty);
    assert!(detail.contains("`admin_token` is missing") && detail.contains("`secret` is missing"), "{detail}");
    // A required variable without a value makes `spin up` fail before the component can name all missing ones.
    let manifest = despacho_xtask::place::root().expect("the repository").join("spin.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    assert!(!manifest.contains("required = true"), "{manifest}");
}

#[test]
fn invalid_variables_are_named_without_values() {
    let database = TestDatabase::new();
    for (name, value) in [
        ("admin_token", "too short"),
        ("secret", "hunter2"),
        ("demo", "hunter2"),
        ("database_url", "mysql://hunter2"),
        ("tariff", "{\"hunter2\": 1}"),
        ("settings", "{\"limits\": {\"deliveries\": 100000}}"),
    ] {
        let detail = problem_of(&Options::new(database.file(), TOKEN).variable(name, value));
        assert!(detail.contains(&format!("`{name}`")), "{name}: {detail}");
        assert!(name == "tariff" || !detail.contains("hunter2"), "{name}: {detail}");
    }
}

#[test]
fn missing_database_is_named() {
    let database = TestDatabase::new();
    let detail = problem_of(&Options { database: None, ..Options::new(database.file(), TOKEN) });
    assert!(detail.contains("The database"), "{detail}");
    let nowhere =
        Options { database: Some(database.file().join("no/such/folder.db")), ..Options::new(database.file(), TOKEN) };
    assert!(problem_of(&nowhere).contains("The database is unavailable"));
    let rejected = Options::new(database.file(), TOKEN).variable("database_url", "postgres://user@127.0.0.1:1/none");
    assert!(problem_of(&rejected).contains("The database is unavailable"));
}

#[test]
fn database_with_newer_schema_is_not_changed() {
    let database = TestDatabase::new();
    drop(serve(&database.demo()));
    let connection = rusqlite::Connection::open(database.file()).expect("a database");
    let newer = "CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY) STRICT; \
                 INSERT INTO schema_version (version) VALUES (999)";
    connection.execute_batch(newer).expect("a table");
    drop(connection);
    assert!(problem_of(&database.demo()).contains("The database is unavailable"));
    assert_eq!(database.count("SELECT COUNT(*) FROM schema_version"), 1);
}

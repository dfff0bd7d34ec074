//! What is missing or wrong is told by name, and never ends an instance.

use despacho_spin_tests::Options;

use crate::support::{Place, TOKEN, get, serve};

/// What a request is told with these options.
fn problem_of(options: &Options) -> String {
    let served = serve(options);
    assert_eq!(get(&served.base, "/healthz").status, 200, "life needs nothing");
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
    let place = Place::new();
    let mut options = Options::new(place.file(), TOKEN);
    options.variables.clear();
    let detail = problem_of(&options);
    assert!(detail.contains("`admin_token`") && detail.contains("`secret`"), "{detail}");
}

#[test]
fn empty_variables_are_missing_and_the_manifest_requires_none() {
    let place = Place::new();
    let empty = Options::new(place.file(), TOKEN).variable("admin_token", "").variable("secret", "");
    let detail = problem_of(&empty);
    assert!(detail.contains("`admin_token` is missing") && detail.contains("`secret` is missing"), "{detail}");
    // A required variable without a value stops `spin up` itself, before the component can name all that are missing.
    let manifest = despacho_xtask::place::root().expect("the repository").join("spin.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    assert!(!manifest.contains("required = true"), "{manifest}");
}

#[test]
fn wrong_variables_are_named_and_their_values_not_told() {
    let place = Place::new();
    for (name, value) in [
        ("admin_token", "too short"),
        ("secret", "hunter2"),
        ("demo", "hunter2"),
        ("database_url", "mysql://hunter2"),
        ("tariff", "{\"hunter2\": 1}"),
        ("settings", "{\"limits\": {\"deliveries\": 100000}}"),
    ] {
        let detail = problem_of(&Options::new(place.file(), TOKEN).variable(name, value));
        assert!(detail.contains(&format!("`{name}`")), "{name}: {detail}");
        assert!(name == "tariff" || !detail.contains("hunter2"), "{name}: {detail}");
    }
}

#[test]
fn a_missing_database_is_named() {
    let place = Place::new();
    let detail = problem_of(&Options { database: None, ..Options::new(place.file(), TOKEN) });
    assert!(detail.contains("The database"), "{detail}");
    let nowhere =
        Options { database: Some(place.file().join("no/such/folder.db")), ..Options::new(place.file(), TOKEN) };
    assert!(problem_of(&nowhere).contains("'database'"));
    let rejected = Options::new(place.file(), TOKEN).variable("database_url", "postgres://nobody@127.0.0.1:1/none");
    assert!(problem_of(&rejected).contains("'database'"));
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let place = Place::new();
    drop(serve(&place.demo()));
    let connection = rusqlite::Connection::open(place.file()).expect("a database");
    let newer = "CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY) STRICT; \
                 INSERT INTO schema_version (version) VALUES (999)";
    connection.execute_batch(newer).expect("it is written");
    drop(connection);
    assert!(problem_of(&place.demo()).contains("'database'"));
    assert_eq!(place.count("SELECT COUNT(*) FROM schema_version"), 1);
}

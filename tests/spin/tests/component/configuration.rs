//! Missing and invalid settings are named in the response, and never trap an instance.

use despacho_spin_tests::Options;
use serde_json::{Value, json};

use crate::support::{TOKEN, TestDatabase, get, send, serve};

/// Asserts that requests with these options return 503, and returns the detail.
fn problem_of(options: &Options) -> String {
    let served = serve(options);
    assert_eq!(
        get(&served.base, "/healthz").status,
        200,
        "liveness requires no settings"
    );
    let mut detail = String::new();
    for path in ["/readyz", "/delivery/notifications", "/nothing"] {
        let response = get(&served.base, path);
        assert_eq!(
            (response.status, &response.body["code"]),
            (503, &"unavailable".into()),
            "{path}"
        );
        assert!(response.headers.contains_key("retry-after"));
        detail = response.body["detail"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
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
    assert!(
        detail.contains("`admin_token`") && detail.contains("`secret`"),
        "{detail}"
    );
}

#[test]
fn empty_variables_count_as_missing() {
    let database = TestDatabase::new();
    let empty = Options::new(database.file(), TOKEN)
        .variable("admin_token", "")
        .variable("secret", "");
    let detail = problem_of(&empty);
    assert!(
        detail.contains("`admin_token` is missing") && detail.contains("`secret` is missing"),
        "{detail}"
    );
    // A required variable without a value makes `spin up` fail before the component can name all
    // missing ones.
    let manifest = despacho_xtask::place::root()
        .expect("the repository")
        .join("spin.toml");
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
        assert!(
            name == "tariff" || !detail.contains("hunter2"),
            "{name}: {detail}"
        );
    }
}

/// Creates a store as the operator, as README.md of the component describes.
fn create_store(database: &TestDatabase, cnpj: &str) {
    let served = serve(&Options::new(database.file(), TOKEN));
    let store: Value = json!({
        "cnpj": cnpj, "name": "Empório Central", "email": "ana@emporio.example", "password": "correct horse battery",
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" }, "marketplaceBranchId": 1,
        "address": { "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "zipCode": "01304-001" }
    });
    let request = http::Request::post("/admin/matrices").header("x-api-token", TOKEN);
    let request = request
        .header("content-type", "application/json")
        .body(store.to_string().into_bytes());
    let created = send(&served.base, request.expect("a request")).expect("a response");
    assert_eq!(created.status, 201, "{created:?}");
}

#[test]
fn demo_can_be_added_to_the_store_of_the_readme() {
    let database = TestDatabase::new();
    create_store(&database, "11.222.333/0001-81");
    let served = serve(&database.demo());
    assert_eq!(get(&served.base, "/readyz").status, 200);
    for path in [
        "/delivery/orders",
        "/delivery/preview-context",
        "/delivery/webhooks",
    ] {
        assert_eq!(get(&served.base, path).status, 200, "{path}");
    }
}

#[test]
fn demo_that_collides_with_a_store_explains_what_to_do() {
    let database = TestDatabase::new();
    create_store(&database, "DE.SPA.CHO/0002-75");
    let detail = problem_of(&database.demo());
    assert!(
        detail.contains("`demo`") && detail.contains("empty database"),
        "{detail}"
    );
    let served = serve(&database.demo());
    for path in [
        "/admin/couriers",
        "/courier/order",
        "/delivery/webhooks",
        "/delivery/orders/preview",
    ] {
        let response = get(&served.base, path);
        assert_eq!(
            (response.status, response.body["detail"].as_str()),
            (503, Some(&*detail)),
            "{path}"
        );
    }
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn missing_database_is_named() {
    let database = TestDatabase::new();
    let detail = problem_of(&Options {
        database: None,
        ..Options::new(database.file(), TOKEN)
    });
    assert!(detail.contains("The database"), "{detail}");
    let nowhere = Options {
        database: Some(database.file().join("no/such/folder.db")),
        ..Options::new(database.file(), TOKEN)
    };
    assert!(problem_of(&nowhere).contains("The database is unavailable"));
    let rejected = Options::new(database.file(), TOKEN)
        .variable("database_url", "postgres://user@127.0.0.1:1/none");
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

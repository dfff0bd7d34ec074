//! Personal data: permissions of files, and exports, erasures and records of `despacho privacy`.

use std::{io::Read, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{BINARY, OPERATOR, Server, create_store, despacho, prepared, run, stdout};

const PHONE: &str = "+5511987650123";
const MARKERS: [&str; 5] = [
    PHONE,
    "Zilda Marcador",
    "Rua do Marcador",
    "portão marcador",
    "motivo marcador",
];
/// 400 days, in milliseconds.
const LONG_AGO: &str = "34560000000";

fn create(server: &Server, key: &str, code: &str) -> u64 {
    let order = json!({"code": code, "deliveries": [{
        "name": "Zilda Marcador", "phone": PHONE, "observation": "portão marcador",
        "address": {"street": "Rua do Marcador", "number": "12", "city": "São Paulo", "state": "SP",
            "latitude": -23.5532, "longitude": -46.6561},
    }]});
    let head = format!(
        "POST /delivery/orders\nx-api-token: {key}\ncontent-type: application/json\nidempotency-key: {code}"
    );
    let made = server.send(&head, order.to_string().as_bytes());
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_u64().unwrap()
}

fn cancel(server: &Server, key: &str, id: u64) {
    let head =
        format!("POST /delivery/orders/cancel\nx-api-token: {key}\ncontent-type: application/json");
    let cancelled = server.send(
        &head,
        json!({"orderId": id, "reason": "motivo marcador"})
            .to_string()
            .as_bytes(),
    );
    assert_eq!(cancelled.status, 200, "{}", cancelled.text());
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

fn archive_texts(folder: &TempDir) -> String {
    let mut texts = String::new();
    for entry in std::fs::read_dir(folder.path().join("archives")).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            path.to_str().unwrap().ends_with(".jsonl.gz"),
            "{}",
            path.display()
        );
        let file = std::fs::File::open(&path).unwrap();
        flate2::read::MultiGzDecoder::new(file)
            .read_to_string(&mut texts)
            .unwrap();
    }
    texts
}

fn erase(folder: &TempDir) -> std::process::Output {
    run(
        folder,
        &[
            "privacy",
            "erase",
            "--phone",
            PHONE,
            "--archives",
            "archives",
        ],
    )
}

#[test]
fn erasure_reaches_database_and_archives_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let folder = &server.folder;
    let (archived, recent) = (create(&server, &key, "A-1"), create(&server, &key, "A-2"));
    for id in [archived, recent] {
        cancel(&server, &key, id);
    }
    let database = rusqlite::Connection::open(folder.path().join("despacho.db")).unwrap();
    database
        .busy_timeout(std::time::Duration::from_secs(30))
        .unwrap();
    let age = format!("UPDATE events SET at = at - {LONG_AGO} WHERE order_id = {archived}");
    database.execute_batch(&age).unwrap();
    drop(database);
    std::fs::create_dir(folder.path().join("archives")).unwrap();
    stdout(&run(
        folder,
        &["archive", "--older-than", "180d", "--to", "archives"],
    ));
    assert!(archive_texts(folder).contains("motivo marcador"));
    let statement = format!("GET /delivery/statement\naccept: text/csv\nx-api-token: {key}");
    let money = server.send(&statement, b"").text().to_owned();
    let records = archive_texts(folder).lines().count();

    let exported = stdout(&run(
        folder,
        &[
            "privacy",
            "export",
            "--phone",
            PHONE,
            "--to",
            "out.json",
            "--archives",
            "archives",
        ],
    ));
    assert_eq!(exported, "out.json: 2 orders, 1 archived orders\n");
    let export: Value = serde_json::from_str(&read(&folder.path().join("out.json"))).unwrap();
    assert!(
        export["archivedOrders"][0]["events"]
            .to_string()
            .contains("motivo marcador"),
        "{export}"
    );
    assert_eq!(
        export["orders"][0]["deliveries"][0]["address"]["street"],
        "Rua do Marcador"
    );
    std::fs::remove_file(folder.path().join("out.json")).unwrap();

    let open = create(&server, &key, "A-3");
    let first = erase(folder);
    let errors = String::from_utf8_lossy(&first.stderr).into_owned();
    assert_eq!(
        first.status.code(),
        Some(1),
        "an order has not ended: {errors}"
    );
    assert!(errors.contains(&open.to_string()), "{errors}");
    cancel(&server, &key, open);
    stdout(&erase(folder));

    let texts = archive_texts(folder);
    let bytes = ["despacho.db", "despacho.db-wal"]
        .map(|name| read(&folder.path().join(name)))
        .concat();
    for marker in MARKERS {
        assert!(!texts.contains(marker), "{marker} is in an archive");
        assert!(!bytes.contains(marker), "{marker} is in the database");
        assert!(!server.log().contains(marker), "{marker} is in the log");
    }
    assert_eq!(texts.lines().count(), records);
    assert!(texts.contains("\"code\":\"A-1\""));
    assert!(
        server.send(&statement, b"").text().starts_with(&money),
        "the ledger is unchanged"
    );
    let shown = server
        .send(
            &format!("GET /delivery/orders/{archived}\nx-api-token: {key}"),
            b"",
        )
        .json();
    assert_eq!(
        (&shown["code"], &shown["situation"]),
        (&json!("A-1"), &json!(600))
    );
    let log: Value = serde_json::from_str(&stdout(&run(folder, &["privacy", "log"]))).unwrap();
    let sum = |name: &str| -> u64 {
        log["erasures"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one[name].as_u64())
            .sum()
    };
    assert_eq!(
        (sum("orders"), sum("deliveries"), sum("archivedOrders")),
        (3, 3, 1),
        "{log}"
    );
    assert!(!log.to_string().contains(PHONE));
    let again = stdout(&erase(folder));
    assert_eq!(
        again,
        "erased 0 recipients in 0 orders, 0 other entries, 0 archived orders\n"
    );
}

#[cfg(unix)]
#[test]
fn archives_have_mode_0600_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &[]);
    let folder = &server.folder;
    let id = create(&server, &key, "M-1");
    cancel(&server, &key, id);
    let database = rusqlite::Connection::open(folder.path().join("despacho.db")).unwrap();
    database
        .busy_timeout(std::time::Duration::from_secs(30))
        .unwrap();
    database
        .execute_batch(&format!(
            "UPDATE events SET at = at - {LONG_AGO} WHERE order_id = {id}"
        ))
        .unwrap();
    drop(database);
    std::fs::create_dir(folder.path().join("archives")).unwrap();
    let archive = "archive --older-than 180d --to archives".to_owned();
    // An erasure rewrites the archive.
    for args in [
        archive,
        format!("privacy erase --phone {PHONE} --archives archives"),
    ] {
        let script = format!("umask 000; exec \"$0\" {args}");
        let mut shell = prepared(Command::new("sh"), folder);
        stdout(&shell.arg("-c").arg(script).arg(BINARY).output().unwrap());
        let files: Vec<_> = std::fs::read_dir(folder.path().join("archives"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(
            files[0].metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{args}"
        );
    }
    assert!(
        !archive_texts(folder).contains("motivo marcador"),
        "the archive was rewritten"
    );
}

#[test]
fn interrupted_rewriting_leaves_the_archive_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let archives = folder.path().join("archives");
    std::fs::create_dir(&archives).unwrap();
    // An interrupted run leaves such a file.
    std::fs::write(
        archives.join("despacho-1.jsonl.gz.erasing"),
        "half of a file",
    )
    .unwrap();
    let output = stdout(&erase(&folder));
    assert!(
        output.contains("despacho-1.jsonl.gz.erasing is incomplete and was not read"),
        "{output}"
    );
}

#[test]
fn invalid_phone_and_missing_database_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = run(&folder, &["privacy", "erase", "--phone", PHONE]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(!folder.path().join("despacho.db").exists());
    create_store(&folder);
    let wrong = run(
        &folder,
        &[
            "privacy", "export", "--phone", "11 98765", "--to", "out.json",
        ],
    );
    assert_eq!(wrong.status.code(), Some(2));
    assert!(!folder.path().join("out.json").exists());
    let disabled = run(&folder, &["privacy", "retain", "--archives", "."]);
    assert_eq!(
        disabled.status.code(),
        Some(2),
        "no retention is configured"
    );
}

#[test]
fn retention_runs_in_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let server = Server::start_in(folder, &["--retention-recipients-days", "7"]);
    let id = create(&server, &key, "R-1");
    cancel(&server, &key, id);
    let database = rusqlite::Connection::open(server.folder.path().join("despacho.db")).unwrap();
    database
        .busy_timeout(std::time::Duration::from_secs(30))
        .unwrap();
    database
        .execute_batch(&format!(
            "UPDATE orders SET created_at = created_at - {LONG_AGO} WHERE id = {id}"
        ))
        .unwrap();
    drop(database);
    // The scheduler applies retention every minute; the operator's endpoint does the same.
    let head = format!("POST /admin/dispatch\nx-api-token: {OPERATOR}");
    assert_eq!(server.send(&head, b"").status, 200);
    let shown = server
        .send(
            &format!("GET /delivery/orders/{id}\nx-api-token: {key}"),
            b"",
        )
        .json();
    assert_eq!(shown["deliveries"][0]["name"], Value::Null, "{shown}");
}

#[cfg(unix)]
#[test]
fn files_are_private_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new/data");
    let command = |args: &str| {
        let binary = despacho(&folder).get_program().to_owned();
        let script = format!("umask 000; exec \"$0\" {args}");
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(script)
            .arg(binary)
            .env("DESPACHO_DATA", &data)
            .current_dir(folder.path());
        stdout(&shell.output().unwrap());
    };
    command("init");
    command(
        "store create --cnpj 12ABC34501DE35 --name 'Padaria Central' --responsible Ana --phone +5592991000000 \
         --email ana@padaria.com.br --street 'Avenida Paulista' --number 1000 --city 'São Paulo' --state SP \
         --latitude -23.5614 --longitude -46.6559",
    );
    command("backup copy.db");
    command(&format!("privacy export --phone {PHONE} --to export.json"));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in [
        "new/data/despacho.db",
        "new/data/secret",
        "copy.db",
        "export.json",
    ] {
        assert_eq!(mode(&folder.path().join(file)), 0o600, "{file}");
    }
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

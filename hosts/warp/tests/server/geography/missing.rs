//! The warnings at start about stores in cities without a pack.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{commands::lines, mirror::Mirror, places::register_file};
use crate::harness::{Server, init, run, stdout};

/// Returns a valid CNPJ for each number.
fn cnpj(number: u32) -> String {
    let mut digits = format!("{number:08}0001");
    for _ in 0..2 {
        let weighted = digits.bytes().rev().zip((2..=9).cycle());
        let sum: u32 = weighted
            .map(|(digit, weight)| u32::from(digit - b'0') * weight)
            .sum();
        let check = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
        digits += &check.to_string();
    }
    digits
}

fn create(folder: &TempDir, number: u32, name: &str, city: &str, [latitude, longitude]: [&str; 2]) {
    let words = "store create --responsible Ana --phone +5511991000000 --street Rua-Um --number 1 --state SP";
    let (cnpj, email) = (cnpj(number), format!("loja{number}@padaria.com.br"));
    let named = [
        "--cnpj",
        &cnpj,
        "--email",
        &email,
        "--name",
        name,
        "--city",
        city,
        "--latitude",
        latitude,
        "--longitude",
        longitude,
    ];
    let words: Vec<&str> = words.split_whitespace().chain(named).collect();
    stdout(&run(folder, &words));
}

/// Returns the log's warnings that name a command for places. The server has read all stores when
/// it is ready.
fn warnings(server: &Server) -> Vec<Value> {
    // Another thread reads the log.
    let deadline = Instant::now() + Duration::from_secs(20);
    while !server.log().contains("roads install") {
        assert!(Instant::now() < deadline, "{}", server.log());
        std::thread::sleep(Duration::from_millis(10));
    }
    let of_places = |line: &Value| {
        line["command"]
            .as_str()
            .is_some_and(|command| command.contains("places install"))
    };
    server
        .log()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(of_places)
        .collect()
}

#[test]
fn stores_in_cities_without_pack_are_named_at_start() {
    let folder = tempfile::tempdir().unwrap();
    init(&folder);
    for number in 1..=12 {
        create(
            &folder,
            number,
            &format!("Padaria {number:02}"),
            "São Paulo",
            ["-23.55", "-46.65"],
        );
    }
    create(
        &folder,
        13,
        "Farmácia Central",
        "Campinas",
        ["-22.9056", "-47.0608"],
    );
    let mut server = Server::start_in(folder, &[]);
    let found = warnings(&server);
    let [first, second] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (&first["level"], &first["city"]),
        (&json!("WARN"), &json!("São Paulo/SP")),
        "{first}"
    );
    assert_eq!(first["command"], "despacho places install 3550308");
    let stores = first["stores"].as_str().unwrap();
    assert!(
        stores.starts_with("Padaria 01 (ID ") && stores.ends_with(") and 2 more"),
        "{first}"
    );
    assert!(
        stores.contains(", Padaria 10 (ID ") && !stores.contains("Padaria 11"),
        "{first}"
    );
    assert_eq!(
        (&second["city"], &second["command"]),
        (
            &json!("Campinas/SP"),
            &json!("despacho places install 3509502")
        )
    );
    let stores = second["stores"].as_str().unwrap();
    assert!(
        stores.starts_with("Farmácia Central (ID ") && !stores.contains("more"),
        "{second}"
    );

    // Without a pack, a CEP does not locate the address within its city.
    let address = [json!({"zipCode": "01304-001", "city": "São Paulo", "state": "SP"})];
    let precision =
        |folder: &TempDir| lines(folder, &["locate"], &address).1[0]["precision"].clone();
    let folder = std::mem::replace(&mut server.folder, tempfile::tempdir().unwrap());
    drop(server);
    assert_eq!(precision(&folder), "municipality");
    let mirror = Mirror::start();
    mirror.put(
        "/Municipio/35_SP/",
        b"<a href=\"3550308_SAO_PAULO.zip\">3550308_SAO_PAULO.zip</a>",
    );
    mirror.put("/Municipio/35_SP/3550308_SAO_PAULO.zip", &register_file(10));
    stdout(
        &mirror
            .command(&folder)
            .args(["places", "install", "3550308"])
            .output()
            .unwrap(),
    );
    assert_eq!(precision(&folder), "cep");
    let found = warnings(&Server::start_in(folder, &[]));
    assert!(
        found.len() == 1 && found[0]["city"] == "Campinas/SP",
        "{found:?}"
    );
}

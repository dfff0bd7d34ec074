//! The commands for packs, locations and distances, and a server that uses them.

use std::{
    io::Write as _,
    path::Path,
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Server, create_store, despacho, run, stdout};
use crate::upstream::Upstream;

pub(super) const HEADER: &str = "COD_UNICO_ENDERECO;COD_UF;COD_MUNICIPIO";

pub(super) fn row(cep: &str, street: &str, number: u32, latitude: f64, longitude: f64) -> String {
    let start = format!(
        "1;35;3550308;355030805;35503080500;355030805000001P;1;1;{cep};;RUA;;{street};{number}"
    );
    format!("{start};;;;;;;;;;;;{latitude};{longitude};1;1;;1;1;1;1\r\n")
}

/// Builds a pack of three streets in a temporary folder.
fn with_pack() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = format!("{HEADER}\n");
    for number in 1..=50 {
        let step = f64::from(number) * 0.0001;
        rows.push_str(&row(
            "01304001",
            "AUGUSTA",
            number * 20,
            -23.5500 - step,
            -46.6500 - step,
        ));
        rows.push_str(&row(
            "01310100",
            "VERGUEIRO",
            number * 10,
            -23.5700,
            -46.6400 + step,
        ));
        rows.push_str(&row("01001000", "DIREITA", number, -23.5489, -46.6388));
    }
    rows.push_str("too;short\n");
    std::fs::create_dir(folder.path().join("register")).unwrap();
    std::fs::write(folder.path().join("register/3550308.csv"), rows).unwrap();
    let built = run(
        &folder,
        &["gazetteer", "build", "--output", "sp.pack", "register"],
    );
    let expected_text = stdout(&built);
    assert!(
        expected_text.contains("151 rows, 1 malformed")
            && expected_text.contains("150 street numbers, 3 streets, 3 CEPs"),
        "{expected_text}"
    );
    let errors = String::from_utf8(built.stderr).unwrap();
    assert!(
        errors.contains("1 rows skipped: fewer than 34 columns") && errors.contains("line 152"),
        "{errors}"
    );
    folder
}

pub(super) fn fails(output: &Output, code: i32, expected_text: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(code) && errors.contains(expected_text),
        "{:?} {errors}",
        output.status
    );
}

/// Runs a command with lines of JSON on its standard input.
pub(super) fn lines(folder: &TempDir, args: &[&str], lines: &[Value]) -> (Option<i32>, Vec<Value>) {
    let mut command = despacho(folder);
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (
        output.status.code(),
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

#[test]
fn packs_are_built_described_and_looked_up() {
    let folder = with_pack();
    let info = stdout(&run(&folder, &["gazetteer", "info", "sp.pack"]));
    for line in [
        "source: IBGE CNEFE 2022",
        "rows: 151",
        "street numbers: 150",
        "streets: 3",
        "CEPs: 3",
    ] {
        assert!(info.lines().any(|other| other == line), "{line} in {info}");
    }
    let look_up = |more: &[&str]| {
        run(
            &folder,
            &[&["gazetteer", "lookup", "sp.pack"], more].concat(),
        )
    };
    let town = ["--city", "São Paulo", "--state", "sp"];
    let door = stdout(&look_up(
        &[&["--street", "R. Augusta", "--number", "100"], &town[..]].concat(),
    ));
    assert_eq!(
        door,
        "precision: number\nlatitude: -23.5505\nlongitude: -46.6505\nradius: 15 m\n"
    );
    assert!(stdout(&look_up(&["--zip-code", "01310-100"])).starts_with("precision: cep\n"));
    assert!(stdout(&look_up(&["--zip-code", "01310-999"])).starts_with("precision: cep5\n"));
    fails(
        &look_up(&["--zip-code", "69005-070"]),
        1,
        "contains neither the street nor the CEP",
    );
    fails(&look_up(&["--zip-code", "1"]), 2, "eight digits");
    fails(&look_up(&["--street", "Rua Augusta"]), 2, "give --zip-code");
}

#[test]
fn invalid_pack_input_returns_a_remedy() {
    let folder = with_pack();
    fails(
        &run(
            &folder,
            &["gazetteer", "build", "--output", "x.pack", "absent.csv"],
        ),
        2,
        "absent.csv",
    );
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    fails(
        &run(
            &folder,
            &["gazetteer", "build", "--output", "x.pack", "empty"],
        ),
        2,
        "name csv or zip files",
    );
    std::fs::write(folder.path().join("other.csv"), "a,b\n1,2\n").unwrap();
    fails(
        &run(
            &folder,
            &["gazetteer", "build", "--output", "x.pack", "other.csv"],
        ),
        1,
        "CNEFE 2022",
    );
    std::fs::write(folder.path().join("broken.zip"), "PK").unwrap();
    fails(
        &run(
            &folder,
            &["gazetteer", "build", "--output", "x.pack", "broken.zip"],
        ),
        1,
        "download the file again",
    );
    assert!(!folder.path().join("x.pack").exists());
    fails(
        &run(&folder, &["gazetteer", "info", "x.pack"]),
        2,
        "file not found: x.pack",
    );
    fails(
        &run(&folder, &["gazetteer", "info", "other.csv"]),
        1,
        "despacho gazetteer build",
    );
}

#[test]
fn server_rejects_invalid_packs_at_start() {
    let folder = with_pack();
    crate::harness::init(&folder);
    let whole = std::fs::read(folder.path().join("sp.pack")).unwrap();
    let mut future = whole.clone();
    future[8] = 9;
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let kinds = [
        ("future.pack", future, "version 9"),
        ("damaged.pack", damaged, "wrong checksum"),
        (
            "cut.pack",
            whole[..whole.len() - 1].to_vec(),
            "may be incomplete",
        ),
        (
            "other.pack",
            b"something else".to_vec(),
            "not a gazetteer pack",
        ),
    ];
    for (name, bytes, expected_text) in kinds {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let list = format!("sp.pack,{name}");
        let rejected = run(
            &folder,
            &["serve", "--listen", "127.0.0.1:0", "--gazetteer", &list],
        );
        fails(&rejected, 2, expected_text);
        fails(&rejected, 2, name);
    }
    fails(
        &run(&folder, &["serve", "--gazetteer", "absent.pack"]),
        2,
        "cannot access the gazetteer pack absent.pack",
    );
}

fn stop(street: &str, number: &str) -> Value {
    json!({"orderRoute": 1, "onlinePayment": true,
        "address": {"street": street, "number": number, "city": "São Paulo", "state": "SP"}})
}

fn preview(server: &Server, key: &str, stops: &[Value]) -> (u16, Value) {
    let head = format!(
        "POST /delivery/orders/preview\nx-api-token: {key}\ncontent-type: application/json"
    );
    let response = server.send(&head, json!({"deliveries": stops}).to_string().as_bytes());
    (response.status, response.json())
}

#[test]
fn server_with_pack_enforces_min_precision() {
    let folder = with_pack();
    let key = create_store(&folder);
    let pack = folder.path().join("sp.pack").display().to_string();
    let server = Server::start_in(
        folder,
        &["--gazetteer", &pack, "--places-min-precision", "street"],
    );
    assert!(
        server.log().contains("150 street numbers"),
        "{}",
        server.log()
    );
    let (status, found) = preview(
        &server,
        &key,
        &[stop("Rua Augusta", "100"), stop("Rua Augusta", "99999")],
    );
    assert_eq!(
        (status, &found["estimated"]),
        (200, &json!(false)),
        "{found}"
    );
    let precisions: Vec<&Value> = found["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["precision"])
        .collect();
    assert_eq!(precisions, ["number", "street"]);
    let (status, rejected) = preview(
        &server,
        &key,
        &[
            stop("Rua Augusta", "100"),
            stop("Rua que ninguém conhece", "1"),
        ],
    );
    assert_eq!(
        (status, &rejected["code"]),
        (422, &json!("address_imprecise")),
        "{rejected}"
    );
    assert_eq!(rejected["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (
            &rejected["errors"][0]["pointer"],
            &rejected["errors"][0]["code"]
        ),
        (&json!("/deliveries/1/address"), &json!("street_unknown"))
    );
    let text = server.metrics();
    assert!(
        text.text()
            .contains(r#"places_total{source="gazetteer",precision="number"} 2"#),
        "{}",
        text.text()
    );
}

#[test]
fn preview_is_estimated_only_while_road_service_is_down() {
    let response = json!({"code": "Ok", "distances": [[0, 4_321.4], [4_400, 0]], "durations": [[0, 600], [600, 0]]});
    let door = json!({"orderRoute": 1, "onlinePayment": true, "address": {"latitude": -23.5700, "longitude": -46.6500}});
    let stops = [door];
    for (upstream, estimated) in [
        (Upstream::fixed(503, ""), true),
        (Upstream::fixed(200, &response.to_string()), false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let key = create_store(&folder);
        let server = Server::start_in(folder, &["--osrm", &upstream.base]);
        let (status, found) = preview(&server, &key, &stops);
        assert_eq!(
            (status, &found["estimated"]),
            (200, &json!(estimated)),
            "{found}"
        );
        assert_eq!(
            found["totalDistance"] == json!(4.321),
            !estimated,
            "{found}"
        );
    }
}

#[test]
fn locate_returns_location_and_source_or_error() {
    let folder = with_pack();
    let requests = [
        json!({"street": "Rua Augusta", "number": "100", "city": "São Paulo", "state": "SP"}),
        json!({"zipCode": "01310-100"}),
        json!({"city": "Manaus", "state": "AM"}),
        json!({"latitude": -23.55, "longitude": -46.63}),
        json!({"city": "Campinas", "state": "RJ"}),
        json!({"zipCode": "1"}),
        json!([]),
    ];
    let (code, found) = lines(&folder, &["locate", "--gazetteer", "sp.pack"], &requests);
    assert_eq!(code, Some(1), "some lines have no location");
    let received = |index: usize| {
        (
            found[index]["precision"].clone(),
            found[index]["source"].clone(),
        )
    };
    assert_eq!(received(0), (json!("number"), json!("gazetteer")));
    assert_eq!(received(1), (json!("cep"), json!("gazetteer")));
    assert_eq!(received(2), (json!("municipality"), json!("embedded")));
    assert_eq!(received(3), (json!("coordinates"), json!("coordinates")));
    assert_eq!(found[0]["radiusMetres"], 15);
    let errors: Vec<&Value> = found[4..].iter().map(|line| &line["error"]).collect();
    assert_eq!(
        errors,
        [
            "city_not_in_state",
            "validation_failed",
            "malformed_request"
        ]
    );
    assert!(
        found[5]["detail"]
            .as_str()
            .unwrap()
            .starts_with("/zipCode "),
        "{found:?}"
    );
    let (code, found) = lines(
        &folder,
        &["locate", "--places-min-precision", "cep"],
        &requests[2..3],
    );
    assert_eq!(
        (code, &found[0]["error"]),
        (Some(1), &json!("address_imprecise"))
    );
    let (code, _) = lines(
        &folder,
        &["locate", "--gazetteer", "sp.pack"],
        &requests[..4],
    );
    assert_eq!(code, Some(0));
}

#[test]
fn distances_use_the_model_or_a_road_service() {
    let folder = tempfile::tempdir().unwrap();
    let two = json!({"points": [[-30.0277, -51.2287], [-30.0346, -51.2402]]});
    let (code, found) = lines(
        &folder,
        &["distances"],
        &[two.clone(), json!({"points": []})],
    );
    assert_eq!(
        (code, &found[0]["estimated"]),
        (Some(0), &json!([[false, false], [false, false]]))
    );
    assert!(
        found[0]["metres"][0][1].as_u64().unwrap() > 1_500,
        "{found:?}"
    );
    let response = json!({"code": "Ok", "distances": [[0, 1_916.6], [null, 0]], "durations": [[0, 198.7], [null, 0]]});
    let upstream = Upstream::fixed(200, &response.to_string());
    let (code, found) = lines(
        &folder,
        &["distances", "--osrm", &upstream.base],
        &[two.clone(), json!({"points": [[91, 0]]})],
    );
    assert_eq!(
        (code, &found[1]["error"]),
        (Some(1), &json!("out_of_range"))
    );
    assert_eq!(
        (&found[0]["metres"][0][1], &found[0]["seconds"][0][1]),
        (&json!(1_917), &json!(299))
    );
    assert_eq!(
        found[0]["estimated"],
        json!([[false, false], [true, false]])
    );
    let both = run(
        &folder,
        &["distances", "--osrm", "http://a", "--valhalla", "http://b"],
    );
    fails(&both, 2, "together with osrm");
    fails(
        &run(&folder, &["distances", "--osrm", "localhost:5000"]),
        2,
        "must be",
    );
    assert!(
        !Path::new(&folder.path().join("despacho.db")).exists(),
        "no database is created"
    );
}

//! `despacho roads` with a mirror of road extracts on loopback, and the price of a text address
//! after both installations.

use std::{
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use despacho_roads::testing::{Form, Sketch, in_format_2};
use md5::{Digest, Md5};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    commands::fails,
    mirror::{Mirror, files_in, on_small_disk},
    places::register_file,
};
use crate::harness::{BINARY, Server, create_store, despacho, init, prepared, run, stdout};

const FILE: &str = "/sudeste-latest.osm.pbf";
const COMPLETE: [&str; 3] = ["lock", "sudeste.json", "sudeste.roads"];

/// The roads of a region: a detour of 2.9 km from the store of `create_store` to Rua Augusta, 1508,
/// which is 460 m away, and a street in Rio de Janeiro.
fn region(detour_m: f64) -> Vec<u8> {
    let (store, house) = ((-1_267.6, -2_640.1), (-838.4, -2_807.3));
    let mut sketch = Sketch::new();
    sketch
        .node(1, store.0, store.1, &[])
        .node(2, detour_m, store.1, &[]);
    sketch
        .node(3, detour_m, house.1, &[])
        .node(4, house.0, house.1, &[]);
    sketch.street(1, &[1, 2, 3, 4]);
    sketch
        .node(5, 71_300.0, 350_000.0, &[])
        .node(6, 71_300.0, 350_400.0, &[])
        .street(2, &[5, 6]);
    sketch.bytes(Form {
        dense: true,
        packed: true,
    })
}

fn put_region(mirror: &Mirror, content: &[u8], etag: &str) {
    mirror.put(FILE, content);
    let sum: String = Md5::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    mirror.put(
        &format!("{FILE}.md5"),
        format!("{sum}  sudeste-latest.osm.pbf\n").as_bytes(),
    );
    mirror.set_etag(etag);
}

fn with_roads() -> Mirror {
    let mirror = Mirror::start();
    put_region(&mirror, &region(300.0), "\"1\"");
    mirror
}

fn roads(mirror: &Mirror, folder: &TempDir, args: &[&str]) -> Output {
    mirror
        .command(folder)
        .arg("roads")
        .args(args)
        .output()
        .unwrap()
}

fn files(folder: &TempDir) -> Vec<String> {
    files_in(&folder.path().join("roads"))
}

fn installed(folder: &TempDir) -> Vec<u8> {
    std::fs::read(folder.path().join("roads/sudeste.roads")).unwrap()
}

fn preview(server: &Server, key: &str, address: &Value) -> Value {
    let head = format!(
        "POST /delivery/orders/preview\nx-api-token: {key}\ncontent-type: application/json"
    );
    let response = server.send(
        &head,
        json!({"deliveries": [{"address": address}]})
            .to_string()
            .as_bytes(),
    );
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()
}

#[test]
fn text_address_is_priced_like_coordinates_after_two_commands() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let mirror = with_roads();
    mirror.put(
        "/Municipio/35_SP/",
        b"<a href=\"3550308_SAO_PAULO.zip\">3550308_SAO_PAULO.zip</a>",
    );
    mirror.put(
        "/Municipio/35_SP/3550308_SAO_PAULO.zip",
        &register_file(800),
    );
    stdout(
        &mirror
            .command(&folder)
            .args(["places", "install", "São Paulo/SP"])
            .output()
            .unwrap(),
    );
    let printed = stdout(&roads(&mirror, &folder, &["install"]));
    let expected = [
        "sudeste: roads of 8102 km² (1 box around the stores) need at most 406 MB of memory in the service",
        "installed sudeste: 1 roads with 4 nodes in ",
    ];
    assert!(
        expected.iter().all(|text| printed.contains(text)),
        "{printed}"
    );

    let server = Server::start_in(folder, &[]);
    let log = server.log();
    assert!(
        log.contains("sudeste.roads") && log.contains("3550308.pack"),
        "{log}"
    );
    assert!(
        !log.contains("roads install") && !log.contains("places install"),
        "{log}"
    );
    let text = json!({"street": "Rua Augusta", "number": "1508", "zipCode": "01304-001"});
    let point = json!({"latitude": -23.557_54, "longitude": -46.657_54, "city": "São Paulo", "state": "SP"});
    let (by_text, by_point) = (
        preview(&server, &key, &text),
        preview(&server, &key, &point),
    );
    assert_eq!(
        (
            &by_text["deliveries"][0]["precision"],
            &by_text["estimated"]
        ),
        (&json!("number"), &json!(false))
    );
    assert_eq!(
        (
            &by_point["deliveries"][0]["precision"],
            &by_point["estimated"]
        ),
        (&json!("coordinates"), &json!(false))
    );
    let fee = |found: &Value| found["deliveryFee"].as_f64().unwrap();
    let difference = (fee(&by_text) - fee(&by_point)).abs() / fee(&by_point);
    assert!(difference < 0.05, "{by_text} {by_point}");
    let distance = by_text["totalDistance"].as_f64().unwrap();
    assert!(
        (2.8..2.95).contains(&distance),
        "the distance is that of the road: {by_text}"
    );
}

#[test]
fn installed_roads_are_listed_updated_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let mirror = with_roads();
    assert!(stdout(&run(&folder, &["roads", "list"])).contains("no roads are installed"));
    let output = roads(&mirror, &folder, &["install", "SP"]);
    let progress = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in [
        "downloading sudeste: 100 % of 0.0 MB",
        "cutting sudeste: 100 % of ",
    ] {
        assert!(progress.contains(line), "{progress}");
    }
    assert!(stdout(&output).contains("installed sudeste") && files(&folder) == COMPLETE);
    let list = stdout(&run(&folder, &["roads", "list"]));
    assert!(
        list.starts_with("sudeste\tdownloaded 20")
            && list.contains("\t1 box around the stores\t2 directed"),
        "{list}"
    );
    // A download would end without a byte.
    mirror.cut(&[0; 5]);
    assert!(stdout(&roads(&mirror, &folder, &["update"])).contains("sudeste is up to date"));
    assert!(stdout(&roads(&mirror, &folder, &["install", "SP"])).contains("sudeste is up to date"));
    mirror.cut(&[]);
    let before = installed(&folder);
    put_region(&mirror, &region(500.0), "\"2\"");
    assert!(
        stdout(&roads(&mirror, &folder, &["update", "sudeste"]))
            .contains("installed sudeste: 1 roads")
    );
    assert!(installed(&folder) != before);

    // A store outside the roads needs the unchanged extract again.
    let words = "store create --cnpj 11.222.333/0001-81 --name Filial-Rio --responsible Ana --phone +5521991000000 --number 1 \
         --email rio@padaria.com.br --street Rua-Um --state RJ --latitude -22.9088 --longitude -43.1966";
    let words: Vec<&str> = words
        .split_whitespace()
        .chain(["--city", "Rio de Janeiro"])
        .collect();
    stdout(&run(&folder, &words));
    let printed = stdout(&roads(&mirror, &folder, &["update"]));
    assert!(
        printed.contains("2 boxes around the stores") && printed.contains("2 roads with 6 nodes"),
        "{printed}"
    );
    for name in [
        "sudeste.download",
        "sudeste.download.part",
        "sudeste.new",
        "sudeste.new.partial",
        "sudeste.json.new",
    ] {
        std::fs::write(folder.path().join("roads").join(name), "x").unwrap();
    }
    assert!(stdout(&run(&folder, &["roads", "remove", "RJ"])).contains("removed sudeste"));
    assert_eq!(files(&folder), ["lock"]);
    fails(
        &run(&folder, &["roads", "remove", "sul"]),
        2,
        "not installed: sul",
    );
}

/// Waits for a text in the server's log, which a thread of the test reads.
fn wait_for_log(server: &Server, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !server.log().contains(text) {
        assert!(Instant::now() < deadline, "{text}: {}", server.log());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn server_names_regions_whose_stores_have_no_roads() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let mirror = with_roads();
    let hint = "distances from stores in the region sudeste are estimated; `despacho roads install sudeste` measures them";
    let server = Server::start_in(folder, &[]);
    wait_for_log(&server, hint);
    drop(server);
    // Roads that are far from the store do not cover it.
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let args = ["install", "RJ", "--box", "-23.0,-43.4,-22.8,-43.0"];
    assert!(
        stdout(&roads(&mirror, &folder, &args)).contains("installed sudeste: 1 roads with 2 nodes")
    );
    let server = Server::start_in(folder, &[]);
    wait_for_log(&server, hint);
    assert!(server.log().contains("sudeste.roads"), "{}", server.log());
    drop(server);
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let server = Server::start_in(folder, &["--osrm", "http://127.0.0.1:9"]);
    assert!(
        !server.log().contains("roads install"),
        "a road service measures all distances: {}",
        server.log()
    );
}

#[test]
fn city_and_box_need_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = with_roads();
    let printed = stdout(&roads(
        &mirror,
        &folder,
        &["install", "--city", "São Paulo/SP", "--city", "3550308"],
    ));
    assert!(
        printed.contains("1 box around 1 city") && printed.contains("1 roads with 4 nodes"),
        "{printed}"
    );
    assert!(stdout(&roads(&mirror, &folder, &["update"])).contains("sudeste is up to date"));
    let printed = stdout(&roads(
        &mirror,
        &folder,
        &["install", "sudeste", "--box", "-23.0,-43.4,-22.8,-43.0"],
    ));
    assert!(printed.contains("1 roads with 2 nodes"), "{printed}");
    assert!(stdout(&run(&folder, &["roads", "list"])).contains("\tbox -23,-43.4,-22.8,-43\t"));
    assert!(!folder.path().join("despacho.db").exists());
}

/// A grid of 10 × 10 junctions around a place, in metres from the sketch's origin.
fn grid(sketch: &mut Sketch, base: i64, north: f64, east: f64) {
    for (row, column) in (0..10i32).flat_map(|row| (0..10i32).map(move |column| (row, column))) {
        let place = [row, column].map(|step| f64::from(step - 5) * 100.0);
        sketch.node(
            base + i64::from(row * 10 + column),
            north + place[0],
            east + place[1],
            &[],
        );
    }
    for line in 0..10 {
        let row: Vec<i64> = (0..10).map(|column| base + line * 10 + column).collect();
        let column: Vec<i64> = (0..10).map(|row| base + row * 10 + line).collect();
        sketch
            .street(base + line, &row)
            .street(base + 10 + line, &column);
    }
}

/// Returns the roads of two cities, which are not connected: around the store of `create_store` and
/// in Rio de Janeiro.
fn two_cities() -> Vec<u8> {
    let mut sketch = Sketch::new();
    grid(&mut sketch, 1_000, -1_267.6, -2_640.1);
    grid(&mut sketch, 2_000, 71_300.0, 350_000.0);
    sketch.bytes(Form {
        dense: true,
        packed: true,
    })
}

#[test]
fn both_cities_of_a_region_have_roads() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::start();
    put_region(&mirror, &two_cities(), "\"1\"");
    let install = || {
        stdout(&roads(
            &mirror,
            &folder,
            &[
                "install",
                "--city",
                "São Paulo/SP",
                "--city",
                "Rio de Janeiro/RJ",
            ],
        ))
    };
    let lines = "2 networks; no road connects them, so distances between them are estimated\n\
                 network 1: 18.0 km of roads, 352 directed edges, box ";
    let printed = install();
    assert!(
        printed.contains("installed sudeste") && printed.contains(lines),
        "{printed}"
    );
    assert!(
        printed.contains("with roads: Rio de Janeiro/RJ, São Paulo/SP\n"),
        "{printed}"
    );
    let again = install();
    assert!(
        again.contains("sudeste is up to date\n2 networks") && !again.contains("installed"),
        "{again}"
    );
    // A file of the earlier format has one network only.
    let file = folder.path().join("roads/sudeste.roads");
    std::fs::write(&file, in_format_2(&installed(&folder))).unwrap();
    let info = stdout(&run(&folder, &["roads", "info", &file.to_string_lossy()]));
    assert!(
        info.contains(
            "earlier format with the largest network only; `despacho roads update` writes"
        ),
        "{info}"
    );
    assert!(install().contains("installed sudeste"));

    create_store(&folder);
    let words = "store create --cnpj 11.222.333/0001-81 --name Ilha-Rio --responsible Ana --phone +5521991000000 --number 1 \
         --email rio@padaria.com.br --street Rua-Um --state RJ --latitude -22.9088 --longitude -43.1966";
    let words: Vec<&str> = words
        .split_whitespace()
        .chain(["--city", "Rio de Janeiro"])
        .collect();
    stdout(&run(&folder, &words));
    let info = stdout(&run(&folder, &["roads", "info", &file.to_string_lossy()]));
    let of_stores: Vec<&str> = info.lines().filter(|line| line.contains("(ID ")).collect();
    assert!(
        of_stores.len() == 1 && of_stores[0].starts_with("with roads: "),
        "{info}"
    );
    let server = Server::start_in(folder, &[]);
    wait_for_log(&server, "distances from these stores are measured on roads");
    let log = server.log();
    assert!(
        log.contains("2 networks that no road connects") && log.contains("Ilha-Rio (ID "),
        "{log}"
    );
    assert!(!log.contains("despacho roads"), "{log}");
}

#[test]
fn store_far_from_all_installed_roads_is_named_at_start() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let mirror = Mirror::start();
    // Streets 1 km from the store.
    let mut sketch = Sketch::new();
    grid(&mut sketch, 1_000, 300.0, -2_640.1);
    put_region(
        &mirror,
        &sketch.bytes(Form {
            dense: true,
            packed: true,
        }),
        "\"1\"",
    );
    let printed = stdout(&roads(&mirror, &folder, &["install"]));
    assert!(
        printed.contains("without roads, so their distances are estimated: "),
        "{printed}"
    );
    assert!(
        stdout(&roads(&mirror, &folder, &["install"])).contains("up to date\nwithout roads, so")
    );
    let server = Server::start_in(folder, &[]);
    wait_for_log(
        &server,
        "the installed roads of the region sudeste have none for cars within 350 m of these stores",
    );
    assert!(
        !server.log().contains("roads install"),
        "the command would change nothing: {}",
        server.log()
    );
}

#[test]
fn interrupted_extract_resumes_in_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = with_roads();
    let install = || roads(&mirror, &folder, &["install", "--city", "São Paulo/SP"]);
    mirror.cut(&[100, 0, 0, 0, 0]);
    fails(&install(), 1, "run the command again to resume");
    assert_eq!(
        files(&folder),
        [
            "lock",
            "sudeste.download.part",
            "sudeste.download.part.json"
        ]
    );
    mirror.cut(&[]);
    mirror.ranges();
    assert!(stdout(&install()).contains("installed sudeste"));
    assert_eq!(mirror.ranges(), ["bytes=100-"]);
    assert_eq!(files(&folder), COMPLETE);
}

#[test]
fn invalid_extracts_are_rejected_and_installed_roads_remain() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = with_roads();
    let install = || roads(&mirror, &folder, &["install", "--city", "São Paulo/SP"]);
    stdout(&install());
    let before = installed(&folder);
    let check = |expected_text: &str| {
        fails(&install(), 1, expected_text);
        assert!(
            installed(&folder) == before && files(&folder) == COMPLETE,
            "{expected_text}: {:?}",
            files(&folder)
        );
    };
    let whole = region(300.0);
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    for (index, content) in [&altered[..], &whole[..whole.len() - 10]]
        .into_iter()
        .enumerate()
    {
        mirror.put(FILE, content);
        mirror.set_etag(&format!("\"altered-{index}\""));
        check("was altered on its way");
    }
    // The checksum is that of a damaged file.
    put_region(&mirror, &whole[..whole.len() - 10], "\"cut\"");
    check("download the file again");
    put_region(&mirror, b"<html>login</html>", "\"page\"");
    check("not a complete .osm.pbf extract");
    let mut elsewhere = Sketch::new();
    elsewhere
        .node(5, 71_300.0, 350_000.0, &[])
        .node(6, 71_300.0, 350_400.0, &[])
        .street(2, &[5, 6]);
    put_region(
        &mirror,
        &elsewhere.bytes(Form {
            dense: true,
            packed: true,
        }),
        "\"elsewhere\"",
    );
    check("no roads in the selected area; is it in sudeste?");
    mirror.put(&format!("{FILE}.md5"), b"<html>login</html>");
    check(".md5 contains no MD5");
    mirror.remove(&format!("{FILE}.md5"));
    check("sudeste-latest.osm.pbf.md5 does not exist");
}

/// Returns an extract of about 60 kB: a winding street.
fn long_street() -> Vec<u8> {
    let mut long = Sketch::new();
    let nodes: Vec<i64> = (1..=9_000).collect();
    for (step, node) in (1..).zip(&nodes) {
        let step = f64::from(step);
        long.node(
            *node,
            step * 3.0 + step.sin() * 20.0,
            (step * 2.1).cos() * 400.0,
            &[],
        );
    }
    long.street(1, &nodes).bytes(Form {
        dense: true,
        packed: true,
    })
}

#[test]
#[cfg(target_os = "linux")]
fn full_file_system_is_freed_of_extract_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (mirror, extract) = (Mirror::start(), long_street());
    put_region(&mirror, &extract, "\"long\"");
    // The extract does not fit; or it does, but not its cut; or both do, but not the road file.
    let download = u32::try_from(extract.len() / 1_024).unwrap();
    let install = |kib| {
        on_small_disk(
            kib,
            &folder,
            "roads",
            &mirror,
            "roads install --city 3550308",
        )
    };
    for kib in [download / 2, download + 16, download * 2 + 16] {
        let Some(output) = install(kib) else { return };
        fails(&output, 1, "No space left on device");
        assert!(
            String::from_utf8_lossy(&output.stderr).ends_with("\nlock\n"),
            "{kib} KiB: {output:?}"
        );
    }
    assert!(stdout(&install(download * 8).unwrap()).contains("1 roads with 9000 nodes"));
}

/// A limit of the file size has the same effect as a full disk.
#[test]
#[cfg(target_os = "linux")]
fn full_disk_leaves_the_installed_roads() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = with_roads();
    stdout(&roads(
        &mirror,
        &folder,
        &["install", "--city", "São Paulo/SP"],
    ));
    let before = installed(&folder);
    put_region(&mirror, &long_street(), "\"long\"");
    let script = format!("trap '' XFSZ; ulimit -f 8; exec {BINARY} roads install --city 3550308");
    let mut command = prepared(Command::new("sh"), &folder);
    fails(
        &mirror
            .set_urls(&mut command)
            .args(["-c", &script])
            .output()
            .unwrap(),
        1,
        "cannot be written",
    );
    assert!(
        installed(&folder) == before && files(&folder) == COMPLETE,
        "{:?}",
        files(&folder)
    );
}

#[test]
fn invalid_selections_return_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = with_roads();
    let check = |args: &[&str], expected_text: &str| {
        fails(
            &roads(&mirror, &folder, &[&["install"], args].concat()),
            2,
            expected_text,
        );
    };
    check(&["sudest", "Atlantis"], "did you mean sudeste?");
    check(&["sudest", "Atlantis"], "unknown region Atlantis");
    check(&[], "there is no database with stores yet");
    check(&["--city", "SP"], "--city SP is a state");
    check(&["--city", "São Paolo/SP"], "did you mean São Paulo/SP?");
    check(
        &["sul", "--city", "São Paulo/SP"],
        "São Paulo/SP is in the region sudeste",
    );
    check(
        &["--box", "-23.8,-46.9,-23.3,-46.3"],
        "--box requires one region",
    );
    check(&["sudeste", "--box", "1,2,3"], "south,west,north,east");
    check(&["sudeste", "--box", "-25,-50,-20,-40"], "add --yes");
    init(&folder);
    check(&[], "there are no stores");
    create_store(&folder);
    check(&["sul"], "no store is in sul");
    assert!(
        !folder.path().join("roads").exists(),
        "nothing was downloaded"
    );
    let printed = stdout(&roads(
        &mirror,
        &folder,
        &["install", "sudeste", "--box", "-25,-50,-20,-40", "--yes"],
    ));
    assert!(printed.contains("need at most 28"), "{printed}");
    let mut offline = despacho(&folder);
    offline
        .env("DESPACHO_ROADS_URL", "http://127.0.0.1:9")
        .args(["roads", "install", "SP"]);
    fails(
        &offline.output().unwrap(),
        1,
        "sudeste was not installed: http://127.0.0.1:9/sudeste-latest.osm.pbf.md5",
    );
}

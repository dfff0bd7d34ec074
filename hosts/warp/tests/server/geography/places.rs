//! `despacho places` with a mirror of the address register on loopback.

use std::{
    io::{Cursor, Write},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    commands::{HEADER, fails, row},
    mirror::{Mirror, files_in, on_small_disk},
};
use crate::harness::{BINARY, Server, create_store, despacho, prepared, run, stdout};

const FILE: &str = "/Municipio/35_SP/3550308_SAO_PAULO.zip";
const STATE_FILE: &str = "/UF/35_SP.zip";
const PAGE: &str =
    "<a href=\"../\">..</a><a href=\"3550308_SAO_PAULO.zip\">3550308_SAO_PAULO.zip</a>";

impl Mirror {
    /// Starts a mirror with one file of the register, as that of the city and of the state.
    fn with_register(file: &[u8]) -> Mirror {
        let mirror = Mirror::start();
        mirror.put("/Municipio/35_SP/", PAGE.as_bytes());
        mirror.put_register(file, "\"1\"");
        mirror
    }

    fn put_register(&self, file: &[u8], etag: &str) {
        for path in [FILE, STATE_FILE] {
            self.put(path, file);
        }
        self.set_etag(etag);
    }

    fn run(&self, folder: &TempDir, args: &[&str]) -> Output {
        self.command(folder)
            .arg("places")
            .args(args)
            .output()
            .unwrap()
    }

    fn install(&self, folder: &TempDir) -> Output {
        self.run(folder, &["install", "3550308"])
    }
}

/// Returns a file of the register with this number of houses in Rua Augusta, with even numbers,
/// from (-23.55, -46.65) to the south-west.
pub(super) fn register_file(houses: u32) -> Vec<u8> {
    let mut rows = format!("{HEADER}\n");
    for number in 1..=houses {
        let step = f64::from(number) * 0.00001;
        rows.push_str(&row(
            "01304001",
            "AUGUSTA",
            number * 2,
            -23.5500 - step,
            -46.6500 - step,
        ));
    }
    zipped(&rows)
}

fn zipped(rows: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("3550308.csv", stored).unwrap();
    zip.write_all(rows.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

fn files(folder: &TempDir) -> Vec<String> {
    files_in(&folder.path().join("places"))
}

const COMPLETE: [&str; 3] = ["3550308.json", "3550308.pack", "lock"];

#[test]
fn installed_city_is_used_listed_updated_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let mirror = Mirror::with_register(&register_file(800));
    let output = mirror.run(&folder, &["install", "São Paulo/SP"]);
    let (installed, progress) = (
        stdout(&output),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(
        progress.contains("downloading São Paulo/SP: 100 % of 0."),
        "{progress}"
    );
    assert!(
        installed.contains("installed São Paulo/SP: 800 street numbers, 1 streets and 1 CEPs"),
        "{installed}"
    );
    assert_eq!(files(&folder), COMPLETE);

    let server = Server::start_in(folder, &[]);
    assert!(server.log().contains("3550308.pack"), "{}", server.log());
    let body = r#"{"deliveries":[{"address":{"street":"Rua Augusta","number":"1508","city":"São Paulo","state":"SP","zipCode":"01304-001"}}]}"#;
    let head = format!(
        "POST /delivery/orders/preview\nx-api-token: {key}\ncontent-type: application/json"
    );
    let preview = server.send(&head, body.as_bytes()).json();
    assert_eq!(preview["deliveries"][0]["precision"], "number", "{preview}");
    let folder = &server.folder;
    let list = stdout(&run(folder, &["places", "list"]));
    assert!(
        list.starts_with("3550308\tSão Paulo/SP\tdownloaded 20")
            && list.contains("800 street numbers"),
        "{list}"
    );
    assert!(stdout(&mirror.run(folder, &["update"])).contains("São Paulo/SP is up to date"));
    mirror.put_register(&register_file(900), "\"2\"");
    assert!(stdout(&mirror.run(folder, &["update", "3550308"])).contains("900 street numbers"));
    stdout(&run(folder, &["places", "remove", "3550308"]));
    assert_eq!(files(folder), ["lock"]);
    assert!(stdout(&run(folder, &["places", "list"])).contains("no places are installed"));
    fails(
        &run(folder, &["places", "remove", "SP"]),
        2,
        "not installed: SP",
    );
}

#[test]
fn state_is_installed_from_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(10));
    assert!(
        stdout(&mirror.run(&folder, &["install", "SP"]))
            .contains("installed SP: 10 street numbers")
    );
    assert!(stdout(&run(&folder, &["places", "list"])).starts_with("35\tSP\t"));
}

#[test]
fn interrupted_download_resumes_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = register_file(800);
    let mirror = Mirror::with_register(&file);
    mirror.cut(&[70_000, 20_000]);
    assert!(stdout(&mirror.install(&folder)).contains("800 street numbers"));
    assert_eq!(mirror.ranges(), ["", "bytes=70000-", "bytes=90000-"]);

    // Without progress the command ends, and the next run resumes.
    std::fs::remove_dir_all(folder.path().join("places")).unwrap();
    mirror.cut(&[50_000, 0, 0, 0, 0]);
    fails(
        &mirror.install(&folder),
        1,
        "run the command again to resume",
    );
    assert_eq!(
        files(&folder),
        ["3550308.zip.part", "3550308.zip.part.json", "lock"]
    );
    mirror.cut(&[]);
    mirror.ranges();
    assert!(stdout(&mirror.install(&folder)).contains("800 street numbers"));
    assert_eq!(mirror.ranges(), ["bytes=50000-"]);

    mirror.put_register(&register_file(850), "\"2\"");
    // A file that changed meanwhile is downloaded from its start.
    mirror.cut(&[50_000, 0, 0, 0, 0]);
    fails(
        &mirror.install(&folder),
        1,
        "run the command again to resume",
    );
    mirror.cut(&[]);
    mirror.put_register(&register_file(900), "\"3\"");
    assert!(stdout(&mirror.install(&folder)).contains("900 street numbers"));
    assert_eq!(files(&folder), COMPLETE);
}

#[test]
fn current_city_is_not_downloaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(800));
    stdout(&mirror.install(&folder));
    let pack = folder.path().join("places/3550308.pack");
    let before = std::fs::read(&pack).unwrap();
    // A download would end without a byte.
    mirror.cut(&[0; 5]);
    let printed = stdout(&mirror.run(&folder, &["install", "São Paulo/SP"]));
    assert!(
        printed.contains("São Paulo/SP is up to date") && !printed.contains("installed"),
        "{printed}"
    );
    assert!(files(&folder) == COMPLETE && std::fs::read(&pack).unwrap() == before);

    // A pack that cannot be used is built again, whatever is known about it.
    mirror.cut(&[]);
    std::fs::write(&pack, &before[..before.len() - 1]).unwrap();
    assert!(
        stdout(&mirror.install(&folder)).contains("installed São Paulo/SP: 800 street numbers")
    );
    assert!(std::fs::read(&pack).unwrap() == before);
    std::fs::remove_file(&pack).unwrap();
    assert!(
        stdout(&mirror.install(&folder)).contains("installed São Paulo/SP: 800 street numbers")
    );
}

/// The files that a killed command leaves.
const LEFT: [&str; 6] = [
    "3550308.zip",
    "3550308.zip.part",
    "3550308.zip.part.json",
    "3550308.new",
    "35.new",
    "3550308.json.new",
];

#[test]
fn leftovers_of_killed_commands_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(800));
    let places = folder.path().join("places");
    let leave = || {
        for name in ["3550308.new.4194303-0.building", "3304557.new.7-1.building"] {
            std::fs::create_dir_all(places.join(name)).unwrap();
            std::fs::write(places.join(name).join("rows.0"), "x").unwrap();
        }
        LEFT.iter()
            .for_each(|name| std::fs::write(places.join(name), "x").unwrap());
        std::fs::write(places.join("backup.zip"), "a file of the user").unwrap();
    };
    leave();
    stdout(&mirror.install(&folder));
    assert_eq!(
        files(&folder),
        ["3550308.json", "3550308.pack", "backup.zip", "lock"]
    );
    leave();
    stdout(&mirror.run(&folder, &["remove", "3550308"]));
    assert_eq!(files(&folder), ["backup.zip", "lock"]);
    // An interrupted download without a pack is removed too.
    mirror.cut(&[50_000, 0, 0, 0, 0]);
    fails(
        &mirror.install(&folder),
        1,
        "run the command again to resume",
    );
    fails(
        &mirror.run(&folder, &["remove", "SP"]),
        2,
        "not installed: SP",
    );
    stdout(&mirror.run(&folder, &["remove", "3550308"]));
    assert_eq!(files(&folder), ["backup.zip", "lock"]);
}

#[test]
#[cfg(unix)]
fn folder_of_killed_build_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("register.csv");
    assert!(
        Command::new("mkfifo")
            .arg(&input)
            .status()
            .unwrap()
            .success()
    );
    let mut build = despacho(&folder);
    build.args(["gazetteer", "build", "--output", "sp.pack", "register.csv"]);
    // The build waits for the rows.
    let mut child = build.stderr(Stdio::null()).spawn().unwrap();
    let is_scratch = |name: &String| folder.path().join(name).join("lock").exists();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !files_in(folder.path()).iter().any(is_scratch) {
        assert!(Instant::now() < deadline, "{:?}", files_in(folder.path()));
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(files_in(folder.path()).iter().any(is_scratch));
    std::fs::remove_file(&input).unwrap();
    std::fs::write(&input, row("01304001", "AUGUSTA", 2, -23.55, -46.65)).unwrap();
    stdout(&build.output().unwrap());
    assert_eq!(files_in(folder.path()), ["register.csv", "sp.pack"]);
}

#[test]
fn invalid_files_are_rejected_and_the_pack_in_use_remains() {
    let folder = tempfile::tempdir().unwrap();
    let file = register_file(800);
    let mirror = Mirror::with_register(&file);
    stdout(&mirror.install(&folder));
    let pack = || std::fs::read(folder.path().join("places/3550308.pack")).unwrap();
    let before = pack();
    let mut altered = file.clone();
    altered[file.len() / 2] ^= 1;
    let other = format!(
        "{HEADER}\n{}",
        row("20040002", "DIREITA", 10, -22.9, -43.2).replace("3550308", "3304557")
    );
    let mostly = format!(
        "{HEADER}\n{}",
        row("01304001", "AUGUSTA", 2, -23.55, -46.65)
    ) + &"too;short\n".repeat(2);
    let kinds = [
        (
            zipped(&mostly),
            "2 of 3 rows are malformed, more than 1 %; download the file again",
        ),
        (
            file[..file.len() - 1_000].to_vec(),
            "download the file again",
        ),
        (altered, "download the file again"),
        (b"<html>login</html>".to_vec(), "download the file again"),
        (zipped(&other), "contains no streets of São Paulo/SP"),
    ];
    for (index, (bytes, expected_text)) in kinds.into_iter().enumerate() {
        mirror.put_register(&bytes, &format!("\"bad-{index}\""));
        fails(&mirror.install(&folder), 1, expected_text);
        assert!(
            pack() == before && files(&folder) == COMPLETE,
            "{expected_text}: {:?}",
            files(&folder)
        );
    }
}

/// A limit of the file size has the same effect as a full disk: writes fail after some bytes.
#[test]
#[cfg(target_os = "linux")]
fn full_disk_leaves_nothing_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(800));
    stdout(&mirror.install(&folder));
    let before = std::fs::read(folder.path().join("places/3550308.pack")).unwrap();
    mirror.put_register(&register_file(900), "\"2\"");
    // The download has about 100 kB.
    let script = format!("trap '' XFSZ; ulimit -f 16; exec {BINARY} places install 3550308");
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
    assert_eq!(files(&folder), COMPLETE);
    assert!(std::fs::read(folder.path().join("places/3550308.pack")).unwrap() == before);
}

#[test]
fn invalid_places_and_addresses_return_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(1));
    let unknown = mirror.run(
        &folder,
        &[
            "install",
            "Atlantis/SP",
            "São Paolo/SP",
            "Bom Jesus",
            "Campinas/RJ",
            "1234567",
        ],
    );
    for expected_text in [
        "unknown place Atlantis/SP",
        "did you mean São Paulo/SP?",
        "Bom Jesus is ambiguous or in another state: ",
        "Campinas/SP",
        "1234567 is not the IBGE code",
    ] {
        fails(&unknown, 2, expected_text);
    }
    fails(
        &mirror.run(&folder, &["install", "Campinas/SP"]),
        1,
        "lists no file of Campinas/SP (3509502)",
    );
    fails(
        &mirror.run(&folder, &["install", "RJ"]),
        1,
        "/UF/33_RJ.zip does not exist",
    );
    fails(
        &mirror.run(&folder, &["update", "RJ"]),
        2,
        "not installed: RJ",
    );
    let mut offline = despacho(&folder);
    offline
        .env("DESPACHO_REGISTER_URL", "http://127.0.0.1:9")
        .args(["places", "install", "SP"]);
    fails(&offline.output().unwrap(), 1, "SP was not installed");
}

#[test]
#[cfg(target_os = "linux")]
fn full_file_system_is_freed_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = register_file(800);
    let mirror = Mirror::with_register(&file);
    // The download does not fit; or it does, but not the files of the pack's build.
    let download = u32::try_from(file.len() / 1_024).unwrap();
    for kib in [download / 2, download + 12] {
        let Some(output) = on_small_disk(kib, &folder, "places", &mirror, "places install 3550308")
        else {
            return;
        };
        fails(&output, 1, "No space left on device");
        assert!(
            String::from_utf8_lossy(&output.stderr).ends_with("\nlock\n"),
            "{kib} KiB: {output:?}"
        );
    }
    let output = on_small_disk(
        download * 4,
        &folder,
        "places",
        &mirror,
        "places install 3550308",
    );
    assert!(stdout(&output.unwrap()).contains("800 street numbers"));
}

#[test]
fn proxy_of_the_environment_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::with_register(&register_file(10));
    let proxy = mirror.proxy();
    let mut command = despacho(&folder);
    command
        .env("DESPACHO_REGISTER_URL", "http://register.test")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    for name in [
        "ALL_PROXY",
        "all_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
    ] {
        command.env_remove(name);
    }
    command
        .env("HTTPS_PROXY", &proxy)
        .args(["places", "install", "SP"]);
    assert!(stdout(&command.output().unwrap()).contains("installed SP: 10 street numbers"));
}

//! `despacho places` with a mirror of the address register on loopback.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Cursor, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use tempfile::TempDir;

use super::commands::{HEADER, fails, row};
use crate::harness::{BINARY, Server, create_store, despacho, prepared, run, stdout};

const FILE: &str = "/Municipio/35_SP/3550308_SAO_PAULO.zip";
const STATE_FILE: &str = "/UF/35_SP.zip";

/// What the mirror has, and the requests that it received.
#[derive(Default)]
struct MirrorState {
    file: Vec<u8>,
    etag: String,
    /// The numbers of bytes after which the next connections end.
    cuts: VecDeque<usize>,
    requests: Vec<String>,
}

/// A mirror of the register with one file, which it serves as that of the city and of the state.
struct Mirror {
    base: String,
    state: Arc<Mutex<MirrorState>>,
}

impl Mirror {
    fn start(file: Vec<u8>) -> Mirror {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(MirrorState { file, etag: "\"1\"".to_owned(), ..MirrorState::default() }));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                respond(stream, &shared);
            }
        });
        Mirror { base, state }
    }

    fn change(&self, change: impl FnOnce(&mut MirrorState)) {
        change(&mut self.state.lock().unwrap());
    }

    /// Returns the ranges of the requests since the last call; empty for a request without one.
    fn ranges(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.state.lock().unwrap().requests);
        let files = requests.iter().filter(|request| request.lines().next().unwrap().contains(".zip"));
        files.map(|request| header(request, "range").unwrap_or_default()).collect()
    }

    fn run(&self, folder: &TempDir, args: &[&str]) -> Output {
        despacho(folder).env("DESPACHO_REGISTER_URL", &self.base).args(["places"]).args(args).output().unwrap()
    }

    fn install(&self, folder: &TempDir) -> Output {
        self.run(folder, &["install", "3550308"])
    }
}

fn header(request: &str, name: &str) -> Option<String> {
    let mut pairs = request.lines().filter_map(|line| line.split_once(": "));
    Some(pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.trim().to_owned())
}

fn respond(mut stream: TcpStream, state: &Mutex<MirrorState>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut request = String::new();
    while reader.read_line(&mut request).unwrap_or(0) > 2 {}
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut state = state.lock().unwrap();
    state.requests.push(request.clone());
    let etag = &state.etag;
    let (status, more, body) = match target.as_str() {
        "/Municipio/35_SP/" => {
            let page = "<a href=\"../\">..</a><a href=\"3550308_SAO_PAULO.zip\">3550308_SAO_PAULO.zip</a>";
            (200, String::new(), page.as_bytes().to_vec())
        }
        FILE | STATE_FILE if header(&request, "if-none-match").as_ref() == Some(etag) => {
            (304, String::new(), Vec::new())
        }
        FILE | STATE_FILE => {
            match header(&request, "range").filter(|_| header(&request, "if-range").as_ref() == Some(etag)) {
                Some(range) => {
                    let start: usize = range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap();
                    let total = state.file.len();
                    let more = format!("content-range: bytes {start}-{}/{total}\r\n", total - 1);
                    (206, more, state.file[start..].to_vec())
                }
                None => (200, String::new(), state.file.clone()),
            }
        }
        _ => (404, String::new(), Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status} Test\r\netag: {etag}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let sent = match state.cuts.pop_front().filter(|_| target.ends_with(".zip")) {
        Some(cut) => &body[..cut.min(body.len())],
        None => &body,
    };
    // The client may have disconnected.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent));
}

/// Returns a file of the register with this number of houses in Rua Augusta.
fn register_file(houses: u32) -> Vec<u8> {
    let mut rows = format!("{HEADER}\n");
    for number in 1..=houses {
        let step = f64::from(number) * 0.0001;
        rows.push_str(&row("01304001", "AUGUSTA", number * 2, -23.5500 - step, -46.6500 - step));
    }
    zipped(&rows)
}

fn zipped(rows: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("3550308.csv", stored).unwrap();
    zip.write_all(rows.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

/// Returns the names of the files in the folder of places.
fn files(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path().join("places")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const COMPLETE: [&str; 3] = ["3550308.json", "3550308.pack", "lock"];

#[test]
fn installed_city_is_used_listed_updated_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_store(&folder);
    let mirror = Mirror::start(register_file(800));
    let installed = stdout(&mirror.run(&folder, &["install", "São Paulo/SP"]));
    assert!(installed.contains("installed São Paulo/SP: 800 street numbers, 1 streets and 1 CEPs"), "{installed}");
    assert_eq!(files(&folder), COMPLETE);

    let server = Server::start_in(folder, &[]);
    assert!(server.log().contains("3550308.pack"), "{}", server.log());
    let body = r#"{"deliveries":[{"address":{"street":"Rua Augusta","number":"1508","city":"São Paulo","state":"SP","zipCode":"01304-001"}}]}"#;
    let head = format!("POST /delivery/orders/preview\nx-api-token: {key}\ncontent-type: application/json");
    let preview = server.send(&head, body.as_bytes()).json();
    assert_eq!(preview["deliveries"][0]["precision"], "number", "{preview}");
    let folder = &server.folder;
    let list = stdout(&run(folder, &["places", "list"]));
    assert!(list.starts_with("3550308\tSão Paulo/SP\tdownloaded 20") && list.contains("800 street numbers"), "{list}");
    assert!(stdout(&mirror.run(folder, &["update"])).contains("São Paulo/SP is up to date"));
    mirror.change(|state| (state.file, state.etag) = (register_file(900), "\"2\"".to_owned()));
    assert!(stdout(&mirror.run(folder, &["update", "3550308"])).contains("900 street numbers"));
    stdout(&run(folder, &["places", "remove", "3550308"]));
    assert_eq!(files(folder), ["lock"]);
    assert!(stdout(&run(folder, &["places", "list"])).contains("no places are installed"));
    fails(&run(folder, &["places", "remove", "SP"]), 2, "not installed: SP");
}

#[test]
fn state_is_installed_from_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::start(register_file(10));
    assert!(stdout(&mirror.run(&folder, &["install", "SP"])).contains("installed SP: 10 street numbers"));
    assert!(stdout(&run(&folder, &["places", "list"])).starts_with("35\tSP\t"));
}

#[test]
fn interrupted_download_resumes_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = register_file(800);
    let mirror = Mirror::start(file.clone());
    // The page of the folder is the first request of each run.
    mirror.change(|state| state.cuts = [0, 70_000, 20_000].into());
    assert!(stdout(&mirror.install(&folder)).contains("800 street numbers"));
    assert_eq!(mirror.ranges(), ["", "bytes=70000-", "bytes=90000-"]);

    // Without progress the command ends, and the next run resumes.
    std::fs::remove_dir_all(folder.path().join("places")).unwrap();
    mirror.change(|state| state.cuts = [0, 50_000, 0, 0, 0, 0].into());
    fails(&mirror.install(&folder), 1, "run the command again to resume");
    assert_eq!(files(&folder), ["3550308.zip.part", "3550308.zip.part.json", "lock"]);
    mirror.change(|state| state.cuts.clear());
    mirror.ranges();
    assert!(stdout(&mirror.install(&folder)).contains("800 street numbers"));
    assert_eq!(mirror.ranges(), ["bytes=50000-"]);

    // A file that changed meanwhile is downloaded from its start.
    mirror.change(|state| state.cuts = [0, 50_000, 0, 0, 0, 0].into());
    fails(&mirror.install(&folder), 1, "run the command again to resume");
    mirror.change(|state| {
        state.cuts.clear();
        (state.file, state.etag) = (register_file(900), "\"2\"".to_owned());
    });
    assert!(stdout(&mirror.install(&folder)).contains("900 street numbers"));
    assert_eq!(files(&folder), COMPLETE);
}

#[test]
fn invalid_files_are_rejected_and_the_pack_in_use_remains() {
    let folder = tempfile::tempdir().unwrap();
    let file = register_file(800);
    let mirror = Mirror::start(file.clone());
    stdout(&mirror.install(&folder));
    let pack = || std::fs::read(folder.path().join("places/3550308.pack")).unwrap();
    let before = pack();
    let mut altered = file.clone();
    altered[file.len() / 2] ^= 1;
    let other = format!("{HEADER}\n{}", row("20040002", "DIREITA", 10, -22.9, -43.2).replace("3550308", "3304557"));
    let kinds = [
        (file[..file.len() - 1_000].to_vec(), "download the file again"),
        (altered, "download the file again"),
        (b"<html>login</html>".to_vec(), "download the file again"),
        (zipped(&other), "contains no streets of São Paulo/SP"),
    ];
    for (index, (bytes, expected_text)) in kinds.into_iter().enumerate() {
        mirror.change(|state| (state.file, state.etag) = (bytes, format!("\"bad-{index}\"")));
        fails(&mirror.install(&folder), 1, expected_text);
        assert!(pack() == before && files(&folder) == COMPLETE, "{expected_text}: {:?}", files(&folder));
    }
}

/// A limit of the file size has the same effect as a full disk: writes fail after some bytes.
#[test]
#[cfg(target_os = "linux")]
fn full_disk_leaves_nothing_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::start(register_file(800));
    stdout(&mirror.install(&folder));
    let before = std::fs::read(folder.path().join("places/3550308.pack")).unwrap();
    mirror.change(|state| (state.file, state.etag) = (register_file(900), "\"2\"".to_owned()));
    // The download has about 100 kB.
    let script = format!("trap '' XFSZ; ulimit -f 16; exec {BINARY} places install 3550308");
    let mut command = prepared(Command::new("sh"), &folder);
    fails(
        &command.env("DESPACHO_REGISTER_URL", &mirror.base).args(["-c", &script]).output().unwrap(),
        1,
        "cannot be written",
    );
    assert_eq!(files(&folder), COMPLETE);
    assert!(std::fs::read(folder.path().join("places/3550308.pack")).unwrap() == before);
}

#[test]
fn invalid_places_and_addresses_return_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::start(register_file(1));
    let unknown = mirror.run(&folder, &["install", "Atlantis/SP", "Campinas/RJ", "1234567"]);
    for expected_text in ["unknown place Atlantis/SP", "Campinas/SP", "1234567 is not the IBGE code"] {
        fails(&unknown, 2, expected_text);
    }
    fails(&mirror.run(&folder, &["install", "Campinas/SP"]), 1, "lists no file of Campinas/SP (3509502)");
    fails(&mirror.run(&folder, &["install", "RJ"]), 1, "/UF/33_RJ.zip does not exist");
    fails(&mirror.run(&folder, &["update", "RJ"]), 2, "not installed: RJ");
    let mut offline = despacho(&folder);
    offline.env("DESPACHO_REGISTER_URL", "http://127.0.0.1:9").args(["places", "install", "SP"]);
    fails(&offline.output().unwrap(), 1, "SP was not installed");
}

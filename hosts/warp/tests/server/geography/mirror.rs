//! A mirror of the address register and of road extracts on loopback.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use despacho_xtask::skip;
use tempfile::TempDir;

use crate::harness::{BINARY, despacho, prepared};

/// The files of the mirror, and the requests that it received.
#[derive(Default)]
struct MirrorState {
    files: BTreeMap<String, Vec<u8>>,
    etag: String,
    /// The numbers of bytes after which the next downloads end.
    cuts: VecDeque<usize>,
    requests: Vec<String>,
}

/// A mirror whose files all have the same entity tag.
pub(super) struct Mirror {
    base: String,
    state: Arc<Mutex<MirrorState>>,
}

impl Mirror {
    pub(super) fn start() -> Mirror {
        let state = Arc::new(Mutex::new(MirrorState {
            etag: "\"1\"".to_owned(),
            ..MirrorState::default()
        }));
        let shared = state.clone();
        let base = listen(move |stream| respond(stream, &shared));
        Mirror { base, state }
    }

    pub(super) fn put(&self, path: &str, content: &[u8]) {
        self.state
            .lock()
            .unwrap()
            .files
            .insert(path.to_owned(), content.to_vec());
    }

    pub(super) fn remove(&self, path: &str) {
        self.state.lock().unwrap().files.remove(path);
    }

    pub(super) fn set_etag(&self, etag: &str) {
        self.state.lock().unwrap().etag = etag.to_owned();
    }

    /// Ends the next downloads after these numbers of bytes.
    pub(super) fn cut(&self, cuts: &[usize]) {
        self.state.lock().unwrap().cuts = cuts.iter().copied().collect();
    }

    /// Returns the ranges of the downloads since the last call; empty for a request without one.
    pub(super) fn ranges(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.state.lock().unwrap().requests);
        let downloads = requests
            .iter()
            .filter(|request| is_download(&target(request)));
        downloads
            .map(|request| header(request, "range").unwrap_or_default())
            .collect()
    }

    /// Returns a command that downloads from the mirror.
    pub(super) fn command(&self, folder: &TempDir) -> Command {
        let mut command = despacho(folder);
        self.set_urls(&mut command);
        command
    }

    pub(super) fn set_urls<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("DESPACHO_REGISTER_URL", &self.base)
            .env("DESPACHO_ROADS_URL", &self.base)
    }

    /// Starts a proxy that responds to every request as the mirror, and returns its URL.
    pub(super) fn proxy(&self) -> String {
        let shared = self.state.clone();
        listen(move |mut stream| {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let request = read_head(&mut reader);
            assert!(
                request.starts_with("CONNECT register.test:80 "),
                "{request}"
            );
            let _ = stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
            respond(stream, &shared);
        })
    }
}

/// Calls `serve` for each connection, and returns the URL.
fn listen(serve: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(serve));
    base
}

fn read_head(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap_or(0) > 2 {}
    head
}

fn header(request: &str, name: &str) -> Option<String> {
    let mut pairs = request.lines().filter_map(|line| line.split_once(": "));
    Some(
        pairs
            .find(|(key, _)| key.eq_ignore_ascii_case(name))?
            .1
            .trim()
            .to_owned(),
    )
}

fn target(request: &str) -> String {
    request.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Returns whether a file is downloaded with a version, which pages and checksums are not.
fn is_download(path: &str) -> bool {
    path.ends_with(".zip") || path.ends_with(".pbf")
}

fn respond(mut stream: TcpStream, state: &Mutex<MirrorState>) {
    let request = read_head(&mut BufReader::new(stream.try_clone().unwrap()));
    let path = target(&request);
    let mut state = state.lock().unwrap();
    state.requests.push(request.clone());
    let etag = &state.etag;
    let (status, more, body) = match state.files.get(&path) {
        None => (404, String::new(), Vec::new()),
        Some(_)
            if is_download(&path) && header(&request, "if-none-match").as_ref() == Some(etag) =>
        {
            (304, String::new(), Vec::new())
        }
        Some(file) => match header(&request, "range")
            .filter(|_| header(&request, "if-range").as_ref() == Some(etag))
        {
            Some(range) => {
                let start: usize = range
                    .trim_start_matches("bytes=")
                    .trim_end_matches('-')
                    .parse()
                    .unwrap();
                let more = format!(
                    "content-range: bytes {start}-{}/{}\r\n",
                    file.len() - 1,
                    file.len()
                );
                (206, more, file[start..].to_vec())
            }
            None => (200, String::new(), file.clone()),
        },
    };
    let head = format!(
        "HTTP/1.1 {status} Test\r\netag: {etag}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let cut = if is_download(&path) {
        state.cuts.pop_front()
    } else {
        None
    };
    let sent = &body[..cut.unwrap_or(body.len()).min(body.len())];
    // The client may have disconnected.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(sent));
}

/// Returns the names of the files in a folder.
pub(super) fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Runs a command whose folder of installed data is a tmpfs of this size, and then lists that
/// folder on standard error. Returns `None` to ignore the test if no tmpfs can be mounted, which
/// needs root.
#[cfg(target_os = "linux")]
pub(super) fn on_small_disk(
    kib: u32,
    folder: &TempDir,
    name: &str,
    mirror: &Mirror,
    args: &str,
) -> Option<Output> {
    let disk = folder.path().join(name);
    std::fs::create_dir_all(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size={kib}k tmpfs '{disk}' || exit 77; {BINARY} {args}; code=$?; ls '{disk}' >&2; exit $code",
        disk = disk.display()
    );
    let mut command = prepared(Command::new("unshare"), folder);
    let result = mirror
        .set_urls(&mut command)
        .args(["--mount", "sh", "-c", &script])
        .output();
    let has_run = |output: &Output| {
        output.status.success() || String::from_utf8_lossy(&output.stderr).contains("despacho: ")
    };
    if result.as_ref().is_ok_and(has_run) {
        return result.ok();
    }
    skip::test("mount", format!("no tmpfs can be mounted: {result:?}"));
    None
}

//! Starts the binary on a free port with a temporary folder, and sends raw HTTP, which allows
//! malformed requests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// Exceeds the duration of every test step on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
pub(crate) const OPERATOR: &str = "operator-token-for-tests-1";

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_despacho");

/// Returns a command that runs the binary with a clean environment.
pub(crate) fn despacho(folder: &TempDir) -> Command {
    prepared(Command::new(BINARY), folder)
}

/// Gives a command the clean environment of the binary.
pub(crate) fn prepared(mut command: Command, folder: &TempDir) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DESPACHO_") {
            command.env_remove(name);
        }
    }
    // Simulated couriers would deliver a test's orders before the test reads them.
    command.env("DESPACHO_SANDBOX_COURIERS_PER_STORE", "0");
    command
        .env("DESPACHO_DATA", folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::null());
    command
}

/// Creates a service in a folder. Existing data is not changed.
pub(crate) fn init(folder: &TempDir) {
    stdout(&run(folder, &["init"]));
}

/// Runs a command until it exits.
pub(crate) fn run(folder: &TempDir, args: &[&str]) -> Output {
    despacho(folder).args(args).output().unwrap()
}

/// Returns the standard output of a successful command.
pub(crate) fn stdout(output: &Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{} {out}{err}", output.status);
    out.into_owned()
}

/// Creates a service with a parent store, and returns the store's key.
pub(crate) fn create_store(folder: &TempDir) -> String {
    init(folder);
    create_store_with(folder, &[])
}

/// Creates a parent store with additional arguments, and returns its key.
pub(crate) fn create_store_with(folder: &TempDir, more: &[&str]) -> String {
    create_store_with_cnpj(folder, "12ABC34501DE35", more)
}

/// Creates a parent store with a CNPJ and additional arguments, and returns its key.
pub(crate) fn create_store_with_cnpj(folder: &TempDir, cnpj: &str, more: &[&str]) -> String {
    let words = "store create --responsible Ana --phone +5592991000000 --email ana@padaria.com.br \
         --number 1000 --state SP --latitude -23.5614 --longitude -46.6559";
    let named = [
        "--cnpj",
        cnpj,
        "--name",
        "Padaria Central",
        "--street",
        "Avenida Paulista",
        "--city",
        "São Paulo",
    ];
    let words: Vec<&str> = words
        .split_whitespace()
        .chain(named)
        .chain(more.iter().copied())
        .collect();
    let text = stdout(&run(folder, &words));
    text.lines()
        .find_map(|line| line.strip_prefix("x-api-token: "))
        .unwrap()
        .to_owned()
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    address: String,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    /// The key of the demo.
    pub(crate) key: Option<String>,
    pub(crate) folder: TempDir,
}

impl Server {
    pub(crate) fn start(args: &[&str]) -> Server {
        Server::start_in(tempfile::tempdir().unwrap(), args)
    }

    pub(crate) fn start_in(folder: TempDir, args: &[&str]) -> Server {
        if !args.contains(&"--demo") {
            init(&folder);
        }
        let mut command = despacho(&folder);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        Server::start_by(command, folder, args)
    }

    /// Starts the server with a command, to which further arguments are appended.
    pub(crate) fn start_by(mut command: Command, folder: TempDir, args: &[&str]) -> Server {
        command
            .args(["--log-format", "json", "--log-level", "debug"])
            .args(args);
        command
            .env("DESPACHO_ADMIN_TOKEN", OPERATOR)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (errors, copy) = (child.stderr.take().unwrap(), log.clone());
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let mut log = copy.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().transpose().unwrap().unwrap_or_default();
        let second = if args.contains(&"--demo") {
            lines.next().transpose().unwrap()
        } else {
            None
        };
        let key = second.and_then(|line| line.strip_prefix("x-api-token: ").map(str::to_owned));
        // Reads the remaining output: otherwise the server's writes would fail.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let address = first
            .trim_end()
            .rsplit("//")
            .next()
            .unwrap_or_default()
            .to_owned();
        assert!(
            first.starts_with("ready http"),
            "{first}{}",
            log.lock().unwrap()
        );
        Server {
            child,
            address,
            log,
            reader: Some(reader),
            key,
            folder,
        }
    }

    /// Returns the process ID.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends a request on a new connection and reads the response. `head` is the request line and
    /// headers, one per line.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> Response {
        let mut stream = self.connect();
        stream.write_all(&request(head, body)).unwrap();
        Response::read(&mut stream)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(&format!("GET {path}"), b"")
    }

    pub(crate) fn metrics(&self) -> Response {
        self.send(
            &format!("GET /metrics\nauthorization: Bearer {OPERATOR}"),
            b"",
        )
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits until the process ends, and returns its exit status and log.
    pub(crate) fn ended(mut self, timeout: Duration) -> (ExitStatus, String) {
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.reader.take().unwrap().join().unwrap();
                return (status, self.log.lock().unwrap().clone());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server still runs: {}", self.log.lock().unwrap());
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Encodes a request with `connection: close`.
pub(crate) fn request(head: &str, body: &[u8]) -> Vec<u8> {
    let (line, headers) = head.split_once('\n').unwrap_or((head, ""));
    let mut text = format!("{line} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n");
    if !body.is_empty() && !headers.to_ascii_lowercase().contains("transfer-encoding") {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for header in headers.lines() {
        text.push_str(&format!("{header}\r\n"));
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Reads until the connection ends.
    pub(crate) fn read(stream: &mut TcpStream) -> Response {
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes) {
            assert!(!bytes.is_empty(), "no response: {error}");
        }
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .expect("a response head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let pair = |line: &str| {
            line.split_once(": ")
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let mut response = Response {
            status,
            headers: lines.filter_map(pair).collect(),
            body: bytes[end + 4..].to_vec(),
        };
        if response.header("transfer-encoding") == Some("chunked") {
            response.body = dechunked(&response.body);
        }
        response
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Asserts that the response is a problem document with a status and code.
    pub(crate) fn is_problem(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, self.header("content-type")),
            (status, Some("application/problem+json")),
            "{self:?}"
        );
        let problem = self.json();
        assert_eq!(
            (&problem["status"], &problem["code"]),
            (&status.into(), &code.into()),
            "{problem}"
        );
        assert_eq!(problem["requestId"].as_str(), self.header("x-request-id"));
    }
}

fn dechunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = rest
            .windows(2)
            .position(|window| window == b"\r\n")
            .unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 2 + length + 2..];
    }
}

//! A service on loopback with responses chosen by the test, which records its requests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use despacho_xtask::skip;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    /// Method and target.
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl ReceivedRequest {
    /// Returns the first header with a name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.headers.lines().filter_map(|line| line.split_once(':'));
        Some(
            pairs
                .find(|(key, _)| key.eq_ignore_ascii_case(name))?
                .1
                .trim(),
        )
    }

    /// Returns a decoded value of the query.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let target = self.line.split(' ').nth(1)?;
        let (_, query) = target.split_once('?')?;
        let pair = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name)?;
        Some(pair.1.into_owned())
    }
}

/// The service.
pub(crate) struct Upstream {
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Upstream {
    /// Starts a service, which runs until the test process ends.
    pub(crate) fn start(
        response: impl Fn(&ReceivedRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, response) = (requests.clone(), Arc::new(response));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, response) = (log.clone(), response.clone());
                std::thread::spawn(move || serve(stream, &log, response.as_ref()));
            }
        });
        Upstream { base, requests }
    }

    /// Starts a service that always returns the same response.
    pub(crate) fn fixed(status: u16, body: &str) -> Upstream {
        let body = body.to_owned();
        Upstream::start(move |_| (status, body.clone()))
    }

    /// Starts a service that responds after every timeout.
    pub(crate) fn slow() -> Upstream {
        Upstream::start(|_| {
            std::thread::sleep(Duration::from_secs(3));
            (200, "[]".to_owned())
        })
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<ReceivedRequest>>,
    response: &dyn Fn(&ReceivedRequest) -> (u16, String),
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut headers, mut length) = (String::new(), String::new(), 0);
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        headers.push_str(&header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let request = ReceivedRequest {
        line,
        headers,
        body: String::from_utf8(body).unwrap(),
    };
    log.lock().unwrap().push(request.clone());
    let (status, text) = response(&request);
    let head = format!(
        "HTTP/1.1 {status} Test\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    // The client may have disconnected.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(text.as_bytes()));
}

/// Returns a response captured from a real service, or `None` to ignore the test if the shared data
/// is missing.
pub(crate) fn captured(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/http")
        .join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        skip::test(
            "shared-data",
            format!("the captured response ../shared/data/http/{name} is missing"),
        );
    }
    text
}

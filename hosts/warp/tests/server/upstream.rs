//! A service on loopback that answers as a test tells it, over real sockets, and remembers what it was asked.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

/// A question that came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Method and target.
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Received {
    /// The first header of this name, which is given in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.headers.lines().filter_map(|line| line.split_once(':'));
        Some(pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.trim())
    }

    /// A value of the query, decoded.
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
    requests: Arc<Mutex<Vec<Received>>>,
}

impl Upstream {
    /// Starts one. It lives as long as the test's process.
    pub(crate) fn start(response: impl Fn(&Received) -> (u16, String) + Send + Sync + 'static) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, response) = (requests.clone(), Arc::new(response));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, response) = (kept.clone(), response.clone());
                std::thread::spawn(move || serve(stream, &kept, response.as_ref()));
            }
        });
        Upstream { base, requests }
    }

    /// One that gives the same answer to everybody.
    pub(crate) fn fixed(status: u16, body: &str) -> Upstream {
        let body = body.to_owned();
        Upstream::start(move |_| (status, body.clone()))
    }

    /// One that is slower than anybody waits.
    pub(crate) fn slow() -> Upstream {
        Upstream::start(|_| {
            std::thread::sleep(Duration::from_secs(3));
            (200, "[]".to_owned())
        })
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Received>>, response: &dyn Fn(&Received) -> (u16, String)) {
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
    let request = Received { line, headers, body: String::from_utf8(body).unwrap() };
    kept.lock().unwrap().push(request.clone());
    let (status, text) = response(&request);
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    // Who asked may be gone by now.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes()));
}

/// An answer captured from a real service, where the shared data is; it says why where it is not.
pub(crate) fn captured(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/http").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: ../shared/data/http/{name}, an answer captured from a real service, is not here");
    }
    text
}

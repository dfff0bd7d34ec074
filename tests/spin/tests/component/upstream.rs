//! A service on loopback that answers as a test tells it, over real sockets, and remembers what it was asked.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

/// A question that came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// Method and target.
    pub(crate) line: String,
    /// By their names in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// The service. It lives as long as the test's process.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Question>>>,
}

impl Upstream {
    pub(crate) fn start(answer: impl Fn(&Question) -> (u16, String) + Send + Sync + 'static) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (asked.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (kept.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &kept, answer.as_ref()));
            }
        });
        Upstream { address, asked }
    }

    /// One that gives the same answer to everybody.
    pub(crate) fn fixed(status: u16, body: &str) -> Upstream {
        let body = body.to_owned();
        Upstream::start(move |_| (status, body.clone()))
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().expect("no thread panics").clone()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Question>>, answer: &dyn Fn(&Question) -> (u16, String)) {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut question = Question::default();
    if reader.read_line(&mut question.line).unwrap_or(0) == 0 {
        return;
    }
    question.line = question.line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut header = String::new();
    while reader.read_line(&mut header).is_ok() && !header.trim().is_empty() {
        if let Some((name, value)) = header.split_once(':') {
            question.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        header.clear();
    }
    let length = question.headers.get("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    question.body = vec![0; length];
    reader.read_exact(&mut question.body).expect("the body that was announced");
    kept.lock().expect("no thread panics").push(question.clone());
    let (status, text) = answer(&question);
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    // Who asked may be gone by now.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes()));
}

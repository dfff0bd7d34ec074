use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use super::*;

const CONTENT: &[u8] = b"0123456789abcdefghij";

fn timeouts() -> Timeouts {
    let short = Duration::from_millis(200);
    Timeouts {
        connect: Duration::from_secs(5),
        response: short,
        stall: short,
        pause: Duration::from_millis(1),
    }
}

/// A step of the server for one connection: receives the head of the request, and can keep the
/// connection open.
type Step = Box<dyn FnMut(&str, &mut TcpStream) + Send>;

/// Starts a server with a step for each connection. Further connections are closed. Returns its
/// address and the heads that it received.
fn serve(steps: Vec<Step>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let shared = heads.clone();
    std::thread::spawn(move || {
        // Streams stay open until the test ends.
        let mut open = Vec::new();
        let mut steps = steps.into_iter();
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while reader.read_line(&mut head).unwrap_or(0) > 2 {}
            shared.lock().unwrap().push(head.to_lowercase());
            let Some(mut step) = steps.next() else {
                continue;
            };
            step(&head, &mut stream);
            open.push(stream);
        }
    });
    (base, heads)
}

/// Sends this part of the content as the response to a request without a range, or with one.
fn send(part: std::ops::Range<usize>, keep_open: bool) -> Step {
    Box::new(move |_, stream| {
        let total = CONTENT.len();
        let head = match part.start {
            0 => format!("HTTP/1.1 200 OK\r\ncontent-length: {total}\r\n"),
            start => format!(
                "HTTP/1.1 206 Partial\r\ncontent-range: bytes {start}-{}/{total}\r\ncontent-length: {}\r\n",
                total - 1,
                total - start
            ),
        };
        let _ = stream.write_all(format!("{head}etag: \"1\"\r\n\r\n").as_bytes());
        let _ = stream.write_all(&CONTENT[part.clone()]);
        if !keep_open {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    })
}

fn download(base: &str, folder: &Path) -> Result<Option<FileVersion>, DownloadError> {
    Downloader::with(timeouts()).file(
        &format!("{base}/file"),
        &folder.join("file"),
        None,
        &mut |_, _| {},
    )
}

fn header_of(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        line.strip_prefix(name)?
            .strip_prefix(": ")
            .map(str::to_owned)
    })
}

#[test]
fn stalled_download_resumes_on_a_new_connection() {
    let folder = tempfile::tempdir().unwrap();
    let (base, heads) = serve(vec![
        send(0..8, true),
        send(8..12, true),
        send(12..CONTENT.len(), false),
    ]);
    download(&base, folder.path()).unwrap().unwrap();
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), CONTENT);
    let heads = heads.lock().unwrap();
    let ranges: Vec<Option<String>> = heads.iter().map(|head| header_of(head, "range")).collect();
    assert_eq!(
        ranges,
        [
            None,
            Some("bytes=8-".to_owned()),
            Some("bytes=12-".to_owned())
        ]
    );
    assert_eq!(header_of(&heads[1], "if-range").as_deref(), Some("\"1\""));
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing but the file remains"
    );
}

#[test]
fn silent_server_times_out_after_all_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let silent = || -> Step { Box::new(|_, _| {}) };
    let (base, heads) = serve((0..9).map(|_| silent()).collect());
    let error = download(&base, folder.path()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("run the command again to resume"),
        "{error}"
    );
    assert_eq!(heads.lock().unwrap().len(), MAX_FAILURES as usize);
    let error = Downloader::with(timeouts()).page(&base).unwrap_err();
    assert!(
        matches!(error, DownloadError::Interrupted { .. }),
        "{error}"
    );
}

#[test]
fn stalled_download_without_progress_ends() {
    let folder = tempfile::tempdir().unwrap();
    let steps = std::iter::once(send(0..8, true)).chain((0..9).map(|_| send(8..8, true)));
    let (base, heads) = serve(steps.collect());
    let error = download(&base, folder.path()).unwrap_err();
    assert!(error.to_string().contains("no data for"), "{error}");
    assert_eq!(heads.lock().unwrap().len(), 1 + MAX_FAILURES as usize);
    assert_eq!(
        fs::read(folder.path().join("file.part")).unwrap(),
        &CONTENT[..8],
        "the next run resumes"
    );
}

#[test]
fn redirects_are_followed_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (target, heads) = serve(vec![send(0..9, false), send(9..CONTENT.len(), false)]);
    let redirect = |to: String| -> Step {
        Box::new(move |_, stream| {
            let head = format!(
                "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
        })
    };
    let (base, _) = serve(
        (0..2)
            .map(|_| redirect(format!("{target}/moved")))
            .collect(),
    );
    let version = download(&base, folder.path()).unwrap().unwrap();
    assert_eq!(
        version.url,
        format!("{base}/file"),
        "the version belongs to the requested URL"
    );
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), CONTENT);
    let heads = heads.lock().unwrap();
    assert!(
        heads.iter().all(|head| head.starts_with("get /moved")),
        "{heads:?}"
    );
    assert_eq!(
        header_of(&heads[1], "range").as_deref(),
        Some("bytes=9-"),
        "a redirected request keeps its range"
    );

    let (circle, heads) = serve((0..99).map(|_| redirect("/again".to_owned())).collect());
    download(&circle, folder.path()).unwrap_err();
    assert!(
        heads.lock().unwrap().len() < 60,
        "{}",
        heads.lock().unwrap().len()
    );
}

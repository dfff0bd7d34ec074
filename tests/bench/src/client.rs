//! A client with little overhead: one thread and one connection each, and prepared request bytes.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::BoxError;

/// A persistent connection.
pub struct Client {
    reader: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Client {
    /// Connects to `http://ADDRESS`.
    pub fn connect(base: &str) -> Result<Client, BoxError> {
        let stream = TcpStream::connect(base.trim_start_matches("http://"))?;
        stream.set_nodelay(true)?;
        // Longer than the server's own timeouts: a search of millions of orders reads a cold disk.
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Client {
            reader: BufReader::new(stream),
            body: Vec::new(),
        })
    }

    /// Sends a request, reads the whole response, and returns its status.
    pub fn send(&mut self, request: &[u8]) -> Result<u16, BoxError> {
        self.reader.get_mut().write_all(request)?;
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or("no status line")?;
        let mut length = None;
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok();
            }
        }
        self.body
            .resize(length.ok_or("a response without content-length")?, 0);
        self.reader.read_exact(&mut self.body)?;
        Ok(status)
    }

    /// Sends a request whose response must have this status.
    pub fn expect(&mut self, request: &[u8], status: u16) -> Result<(), BoxError> {
        let got = self.send(request)?;
        if got == status {
            Ok(())
        } else {
            Err(format!("{got}: {}", String::from_utf8_lossy(&self.body)).into())
        }
    }

    /// Returns the body of the last response.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Returns the bytes of a `POST` request.
pub fn post(path: &str, key: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nx-api-token: {key}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Returns the bytes of a `GET` request that accepts JSON.
pub fn get(path: &str, key: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\nx-api-token: {key}\r\n\r\n")
        .into_bytes()
}

/// Sends the same request over some connections for a duration, and returns the requests per
/// second.
pub fn per_second(
    base: &str,
    request: &[u8],
    connections: usize,
    span: Duration,
) -> Result<f64, BoxError> {
    let start = Instant::now();
    let counts: Vec<Result<u64, BoxError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(move || {
                    let (mut client, mut count) = (Client::connect(base)?, 0);
                    while start.elapsed() < span {
                        client.expect(request, 200)?;
                        count += 1;
                    }
                    Ok(count)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err("a client thread panicked".into()))
            })
            .collect()
    });
    let total: u64 = counts.into_iter().sum::<Result<u64, BoxError>>()?;
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    Ok(total as f64 / start.elapsed().as_secs_f64())
}

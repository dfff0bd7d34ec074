//! Reads a response's body with a timeout between two parts.

use std::{
    io::{self, ErrorKind, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    time::Duration,
};

const CHUNK_BYTES: usize = 1 << 16;
/// Chunks that are read ahead.
const QUEUE: usize = 8;

/// The parts of a body.
///
/// A thread of its own reads them, because the client only has a timeout for the whole body: a slow
/// download of a large file would need one of hours, in which a stalled connection is not noticed.
/// The thread of a stalled connection ends with that timeout.
pub(super) struct Chunks {
    chunks: Receiver<io::Result<Vec<u8>>>,
    stall: Duration,
}

impl Chunks {
    pub(super) fn new(mut body: impl Read + Send + 'static, stall: Duration) -> Chunks {
        let (sender, chunks) = sync_channel(QUEUE);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = body.read(&mut chunk).map(|read| {
                    chunk.truncate(read);
                    chunk
                });
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                // The receiver ends after an error of its own.
                if sender.send(read).is_err() || is_last {
                    break;
                }
            }
        });
        Chunks { chunks, stall }
    }
}

impl Iterator for Chunks {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        match self.chunks.recv_timeout(self.stall) {
            Ok(Ok(chunk)) if chunk.is_empty() => None,
            Ok(chunk) => Some(chunk),
            Err(RecvTimeoutError::Timeout) => {
                let text = format!("no data for {:?}", self.stall);
                Some(Err(io::Error::new(ErrorKind::TimedOut, text)))
            }
            Err(RecvTimeoutError::Disconnected) => Some(Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                "the connection ended",
            ))),
        }
    }
}

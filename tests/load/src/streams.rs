//! Many open streams of events beside previews and creates by a timetable: whether previews stay quick, and every stream gets its events.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_core::demo::KEY;
use despacho_load::{
    Failure,
    client::{Client, get, post},
    orders::order,
};
use despacho_tool::server::{self, Server};
use tokio::net::TcpStream;

use crate::{
    memory::{processor_seconds, resident_mb},
    over_http::UNLIMITED,
    overload::{all, ms, number},
};

/// Open streams, all of one merchant, so that each has every event.
const STREAMS: usize = 1_000;
/// Requests a second, by a timetable.
const RATE: usize = 200;
/// Every so many of them is a create, the others are previews.
const CREATE_EVERY: usize = 20;
/// Connections that send them.
const CALLERS: usize = 32;
/// What an event begins with.
const EVENT: &[u8] = b"\ndata: ";
/// For the last events to arrive in.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints the times of previews without streams and with them, and what the streams got.
pub(crate) fn run(seconds: u64) -> Result<(), Failure> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let more = [("DESPACHO_STREAMS_PER_KEY", "1000"), ("DESPACHO_STREAMS_TOTAL", "2000")];
    let variables = [&UNLIMITED[..], &more].concat();
    let mut server = Server::start(&binary, data.path(), &["--demo"], &variables).map_err(|e| e.to_string())?;
    let process = server.child().id();
    println!(
        "{RATE} requests a second by a timetable, every {CREATE_EVERY}th a create, the others previews of 2 stops; previews:"
    );
    println!("  streams  seconds  median ms  99 % ms  ratio  worst ms  creates  server's processor");
    let next = AtomicUsize::new(0);
    let alone = load(&server.base, &next, Duration::from_secs((seconds / 10).clamp(5, 30)), process)?;
    alone.print(0);
    let got: Arc<Vec<AtomicUsize>> = Arc::new((0..STREAMS).map(|_| AtomicUsize::new(0)).collect());
    let (lost, runtime) = (
        Arc::new(AtomicBool::new(false)),
        tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(1).build()?,
    );
    let address = server.base.trim_start_matches("http://").to_owned();
    runtime.block_on(open(&address, &got, &lost))?;
    let beside = load(&server.base, &next, Duration::from_secs(seconds), process)?;
    beside.print(STREAMS);
    let (since, wanted) = (Instant::now(), beside.created);
    let fewest = || got.iter().map(|count| count.load(Ordering::Relaxed)).min().unwrap_or_default();
    while fewest() < wanted && since.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    let whole = got.iter().filter(|count| count.load(Ordering::Relaxed) >= wanted).count();
    println!(
        "  {whole} of {STREAMS} streams have every event of the {wanted} creates, {:.2} s after the last; {}; resident {:.0} MB",
        since.elapsed().as_secs_f64(),
        if lost.load(Ordering::Relaxed) { "some were cut" } else { "none was cut" },
        resident_mb(process)?
    );
    Ok(())
}

/// What came of a stretch of the timetable.
struct Stretch {
    span: Duration,
    previews: Vec<Duration>,
    created: usize,
    busy_s: f64,
}

impl Stretch {
    fn print(&self, streams: usize) {
        let at = |part: usize| self.previews.get(self.previews.len() * part / 1_000).copied().map_or(f64::NAN, ms);
        println!(
            "  {streams:>7}  {:>7.0}  {:>9.2}  {:>7.2}  {:>5.1}  {:>8.1}  {:>7}  {:.0} % of one",
            self.span.as_secs_f64(),
            at(500),
            at(990),
            at(990) / at(500),
            self.previews.last().copied().map_or(f64::NAN, ms),
            self.created,
            self.busy_s / self.span.as_secs_f64() * 100.0
        );
    }
}

/// Sends by the timetable for so long; a time is counted from when a request should have left.
fn load(base: &str, next: &AtomicUsize, span: Duration, process: u32) -> Result<Stretch, Failure> {
    let (started, busy) = (Instant::now(), processor_seconds(process)?);
    let (previews, created) = (std::sync::Mutex::new(Vec::new()), AtomicUsize::new(0));
    let preview = post("/delivery/orders/preview", KEY, &order("L-1", 2, false).to_string());
    all(CALLERS, |caller| {
        let (mut client, mut own) = (Client::to(base)?, Vec::new());
        for turn in (caller..).step_by(CALLERS) {
            let due = started + Duration::from_secs_f64(number(turn) / number(RATE));
            if due >= started + span {
                break;
            }
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            // Spread over the callers: their number and the creates' have a common divisor otherwise.
            if (turn + turn / CALLERS).is_multiple_of(CREATE_EVERY) {
                let code = format!("S-{}", next.fetch_add(1, Ordering::Relaxed));
                let status = client.send(&post("/delivery/orders", KEY, &order(&code, 2, false).to_string()))?;
                expect(status, 201, &client)?;
                created.fetch_add(1, Ordering::Relaxed);
            } else {
                let status = client.send(&preview)?;
                own.push(due.elapsed());
                expect(status, 200, &client)?;
            }
        }
        previews.lock().map_err(|_| "a caller stopped")?.extend(own);
        Ok(())
    })?;
    let mut previews = previews.into_inner().map_err(|_| "a caller stopped")?;
    previews.sort();
    let busy_s = processor_seconds(process)? - busy;
    Ok(Stretch { span: started.elapsed(), previews, created: created.into_inner(), busy_s })
}

fn expect(status: u16, wanted: u16, client: &Client) -> Result<(), Failure> {
    if status == wanted {
        return Ok(());
    }
    Err(format!("{status}: {}", String::from_utf8_lossy(client.body())).into())
}

/// Opens all streams, and leaves a task for each that counts its events.
async fn open(address: &str, got: &Arc<Vec<AtomicUsize>>, lost: &Arc<AtomicBool>) -> Result<(), Failure> {
    for index in 0..STREAMS {
        let mut stream = Reader { socket: TcpStream::connect(address).await?, tail: Vec::new() };
        stream.send(&get("/delivery/events/stream", KEY)).await?;
        stream.begin().await?;
        let (got, lost) = (got.clone(), lost.clone());
        tokio::spawn(async move {
            while let Ok(count) = stream.events().await {
                got[index].fetch_add(count, Ordering::Relaxed);
            }
            lost.store(true, Ordering::Relaxed);
        });
    }
    Ok(())
}

/// A stream's end.
struct Reader {
    socket: TcpStream,
    tail: Vec<u8>,
}

impl Reader {
    async fn send(&self, mut bytes: &[u8]) -> Result<(), Failure> {
        while !bytes.is_empty() {
            self.socket.writable().await?;
            match self.socket.try_write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads until the stream has begun: from then on every event is written to it.
    async fn begin(&mut self) -> Result<(), Failure> {
        let mut head = Vec::new();
        while !head.windows(6).any(|window| window == b"retry:") {
            if !self.more(&mut head).await? || head.len() > 8_192 {
                return Err(String::from_utf8_lossy(&head).into_owned().into());
            }
        }
        if !head.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&head).into_owned().into());
        }
        Ok(())
    }

    /// How many events came next.
    async fn events(&mut self) -> Result<usize, Failure> {
        let mut bytes = std::mem::take(&mut self.tail);
        if !self.more(&mut bytes).await? {
            return Err("the stream ended".into());
        }
        let count = bytes.windows(EVENT.len()).filter(|window| *window == EVENT).count();
        // An event's beginning may be cut in two.
        self.tail = bytes.split_off(bytes.len().saturating_sub(EVENT.len() - 1));
        Ok(count)
    }

    /// Reads what there is; false at the end.
    async fn more(&self, into: &mut Vec<u8>) -> Result<bool, Failure> {
        let mut piece = [0; 4_096];
        loop {
            self.socket.readable().await?;
            match self.socket.try_read(&mut piece) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    into.extend_from_slice(piece.get(..read).unwrap_or_default());
                    return Ok(true);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

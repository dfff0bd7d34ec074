//! Many open streams of events beside previews and creates by a timetable: whether previews stay quick, and every stream gets its events.
//!
//! A bare server that parses and echoes is asked by a timetable too, at the same time: what it is late by, the machine was late by.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_bench::{
    Failure,
    client::{Client, get, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use tokio::net::TcpStream;

use super::{
    echo::Echo,
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
/// Requests a second to the bare server, by a timetable of their own, and connections that send them.
const BARE_RATE: usize = 50;
const BARE_CALLERS: usize = 8;
/// The stretches whose ratios are compared: one hiccup of a shared machine spoils one of them.
const WINDOW: Duration = Duration::from_secs(10);
/// What an event begins with.
const EVENT: &[u8] = b"\ndata: ";
/// For the last events to arrive in.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Prints the times of previews without streams and with them, and what the streams got.
pub(crate) fn run(seconds: u64) -> Result<(), Failure> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let more = [
        ("DESPACHO_STREAMS_PER_MERCHANT", "1000"),
        ("DESPACHO_STREAMS_TOTAL", "2000"),
        ("DESPACHO_MAX_CONNECTIONS_PER_ADDRESS", "4000"),
    ];
    let variables = [&UNLIMITED[..], &more].concat();
    let mut server = Server::start(&binary, data.path(), &["--demo"], &variables).map_err(|e| e.to_string())?;
    let process = server.child().id();
    println!(
        "{RATE} requests a second by a timetable, every {CREATE_EVERY}th a create, the others previews of 2 stops; previews:"
    );
    println!(
        "  streams  seconds  median ms  99 % ms  ratio (middle of {} s)  worst ms  bare: median  99 %  ratio (middle)  \
         creates  server's processor",
        WINDOW.as_secs()
    );
    let (echo, next) = (Echo::start()?, AtomicUsize::new(0));
    let bases = (&*server.base, &*echo.base);
    let single = load(bases, &next, Duration::from_secs((seconds / 4).clamp(5, 60)), process)?;
    single.print(0);
    let got: Arc<Vec<AtomicUsize>> = Arc::new((0..STREAMS).map(|_| AtomicUsize::new(0)).collect());
    let (lost, runtime) = (
        Arc::new(AtomicBool::new(false)),
        tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(1).build()?,
    );
    let address = server.base.trim_start_matches("http://").to_owned();
    runtime.block_on(open(&address, &got, &lost))?;
    let comparison = load(bases, &next, Duration::from_secs(seconds), process)?;
    comparison.print(STREAMS);
    let (since, wanted) = (Instant::now(), comparison.created);
    let fewest = || got.iter().map(|count| count.load(Ordering::Relaxed)).min().unwrap_or_default();
    while fewest() < wanted && since.elapsed() < TIMEOUT {
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
    previews: Times,
    bare: Times,
    created: usize,
    busy_s: f64,
}

/// When each request should have left, since the beginning, and how long after that it was answered.
#[derive(Default)]
struct Times(Vec<(Duration, Duration)>);

impl Times {
    /// The time within which so many of a thousand were answered.
    fn within(&self, part: usize) -> f64 {
        let mut times: Vec<Duration> = self.0.iter().map(|(_, took)| *took).collect();
        times.sort();
        times.get((times.len() * part / 1_000).min(times.len().saturating_sub(1))).copied().map_or(f64::NAN, ms)
    }

    fn ratio(&self) -> f64 {
        self.within(990) / self.within(500)
    }

    /// The ratio of the window in the middle, by its ratio.
    fn middle_ratio(&self) -> f64 {
        let mut windows: BTreeMap<u64, Times> = BTreeMap::new();
        for (due, took) in &self.0 {
            windows.entry(due.as_secs() / WINDOW.as_secs()).or_default().0.push((*due, *took));
        }
        let mut ratios: Vec<f64> = windows.values().map(Times::ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

impl Stretch {
    fn print(&self, streams: usize) {
        let (previews, bare) = (&self.previews, &self.bare);
        println!(
            "  {streams:>7}  {:>7.0}  {:>9.2}  {:>7.2}  {:>5.1} ({:>5.1})  {:>18.1}  {:>12.2}  {:>4.2}  {:>5.1} ({:>5.1})  {:>7}  {:.0} % of one",
            self.span.as_secs_f64(),
            previews.within(500),
            previews.within(990),
            previews.ratio(),
            previews.middle_ratio(),
            previews.within(1_000),
            bare.within(500),
            bare.within(990),
            bare.ratio(),
            bare.middle_ratio(),
            self.created,
            self.busy_s / self.span.as_secs_f64() * 100.0
        );
    }
}

/// Sends by both timetables for so long, to the server and to the bare one; a time is counted from when a request should have left.
fn load((base, bare_base): (&str, &str), next: &AtomicUsize, span: Duration, process: u32) -> Result<Stretch, Failure> {
    let (started, busy) = (Instant::now(), processor_seconds(process)?);
    let (previews, bare, created) = (Mutex::new(Times::default()), Mutex::new(Times::default()), AtomicUsize::new(0));
    let body = order("L-1", 2, false).to_string();
    let (preview, echo) = (post("/delivery/orders/preview", KEY, &body), post("/", KEY, &body));
    all(CALLERS + BARE_CALLERS, |caller| {
        let is_bare = caller >= CALLERS;
        let (callers, rate) = if is_bare { (BARE_CALLERS, BARE_RATE) } else { (CALLERS, RATE) };
        let (mut client, mut own) = (Client::to(if is_bare { bare_base } else { base })?, Vec::new());
        for turn in (caller % CALLERS..).step_by(callers) {
            let due = Duration::from_secs_f64(number(turn) / number(rate));
            if due >= span {
                break;
            }
            std::thread::sleep((started + due).saturating_duration_since(Instant::now()));
            // Spread over the callers: their number and the creates' have a common divisor otherwise.
            if !is_bare && (turn + turn / CALLERS).is_multiple_of(CREATE_EVERY) {
                let code = format!("S-{}", next.fetch_add(1, Ordering::Relaxed));
                let status = client.send(&post("/delivery/orders", KEY, &order(&code, 2, false).to_string()))?;
                expect(status, 201, &client)?;
                created.fetch_add(1, Ordering::Relaxed);
            } else {
                let status = client.send(if is_bare { &echo } else { &preview })?;
                own.push((due, (started + due).elapsed()));
                expect(status, 200, &client)?;
            }
        }
        let all = if is_bare { &bare } else { &previews };
        all.lock().map_err(|_| "a caller stopped")?.0.extend(own);
        Ok(())
    })?;
    let whole = |times: Mutex<Times>| times.into_inner().map_err(|_| "a caller stopped");
    let (previews, bare) = (whole(previews)?, whole(bare)?);
    let busy_s = processor_seconds(process)? - busy;
    Ok(Stretch { span: started.elapsed(), previews, bare, created: created.into_inner(), busy_s })
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

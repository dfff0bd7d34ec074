//! Benchmark of many open event streams during scheduled previews and creates. Checks that previews
//! remain fast and every stream receives its events.
//!
//! A bare server that parses and echoes receives scheduled requests at the same time. Its delays
//! are those of the machine.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, get, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};
use tokio::net::TcpStream;

use super::{
    echo::Echo,
    memory::{cpu_seconds, resident_mb},
    over_http::UNLIMITED,
    overload::{all, ms, number},
};

/// The number of open streams. All belong to one merchant, so each receives every event.
const STREAMS: usize = 1_000;
/// The scheduled requests per second.
const RATE: usize = 200;
/// One in this many requests is a create, the others are previews.
const CREATE_EVERY: usize = 20;
/// The number of connections that send them.
const CALLERS: usize = 32;
/// The scheduled requests per second to the bare server, and their connections.
const BARE_RATE: usize = 50;
const BARE_CALLERS: usize = 8;
/// The windows whose ratios are compared. A disturbance of a shared machine affects only one of
/// them.
const WINDOW: Duration = Duration::from_secs(10);
/// The start of an event.
const EVENT: &[u8] = b"\ndata: ";
/// The timeout for the last events to arrive.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Prints the latency of previews without and with streams, and the events received.
pub(crate) fn run(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let more = [
        ("DESPACHO_STREAMS_PER_MERCHANT", "1000"),
        ("DESPACHO_STREAMS_TOTAL", "2000"),
        ("DESPACHO_MAX_CONNECTIONS_PER_ADDRESS", "4000"),
    ];
    let variables = [&UNLIMITED[..], &more].concat();
    let mut server =
        Server::start(&binary, data.path(), &["--demo"], &variables).map_err(|e| e.to_string())?;
    let process = server.child().id();
    println!(
        "{RATE} scheduled requests per second, every {CREATE_EVERY}th a create, the others previews of 2 stops; previews:"
    );
    println!(
        "  streams  seconds  median ms  99 % ms  ratio (median of {} s)  max ms  bare: median  99 %  ratio (median)  \
         creates  server's CPU",
        WINDOW.as_secs()
    );
    let (echo, next) = (Echo::start()?, AtomicUsize::new(0));
    let bases = (&*server.base, &*echo.base);
    let single = load(
        bases,
        &next,
        Duration::from_secs((seconds / 4).clamp(5, 60)),
        process,
    )?;
    single.print(0);
    let received: Arc<Vec<AtomicUsize>> =
        Arc::new((0..STREAMS).map(|_| AtomicUsize::new(0)).collect());
    let (lost, runtime) = (
        Arc::new(AtomicBool::new(false)),
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .worker_threads(1)
            .build()?,
    );
    let address = server.base.trim_start_matches("http://").to_owned();
    runtime.block_on(open_streams(&address, &received, &lost))?;
    let comparison = load(bases, &next, Duration::from_secs(seconds), process)?;
    comparison.print(STREAMS);
    let (since, expected) = (Instant::now(), comparison.created);
    let min_received = || {
        received
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .min()
            .unwrap_or_default()
    };
    while min_received() < expected && since.elapsed() < TIMEOUT {
        std::thread::sleep(Duration::from_millis(20));
    }
    let complete = received
        .iter()
        .filter(|count| count.load(Ordering::Relaxed) >= expected)
        .count();
    println!(
        "  {complete} of {STREAMS} streams have every event of the {expected} creates, {:.2} s after the last; {}; resident {:.0} MB",
        since.elapsed().as_secs_f64(),
        if lost.load(Ordering::Relaxed) {
            "some were closed"
        } else {
            "none was closed"
        },
        resident_mb(process)?
    );
    Ok(())
}

/// The results of one run of the schedule.
struct LoadRun {
    span: Duration,
    previews: Latencies,
    bare: Latencies,
    created: usize,
    cpu_s: f64,
}

/// The scheduled time of each request since the start, and its latency.
#[derive(Default)]
struct Latencies(Vec<(Duration, Duration)>);

impl Latencies {
    /// Returns the latency quantile in milliseconds, in thousandths.
    fn quantile(&self, thousandths: usize) -> f64 {
        let mut times: Vec<Duration> = self.0.iter().map(|(_, took)| *took).collect();
        times.sort();
        times
            .get((times.len() * thousandths / 1_000).min(times.len().saturating_sub(1)))
            .copied()
            .map_or(f64::NAN, ms)
    }

    fn ratio(&self) -> f64 {
        self.quantile(990) / self.quantile(500)
    }

    /// Returns the median of the windows' ratios.
    fn median_ratio(&self) -> f64 {
        let mut windows: BTreeMap<u64, Latencies> = BTreeMap::new();
        for (due, took) in &self.0 {
            windows
                .entry(due.as_secs() / WINDOW.as_secs())
                .or_default()
                .0
                .push((*due, *took));
        }
        let mut ratios: Vec<f64> = windows.values().map(Latencies::ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

impl LoadRun {
    fn print(&self, streams: usize) {
        let (previews, bare) = (&self.previews, &self.bare);
        println!(
            "  {streams:>7}  {:>7.0}  {:>9.2}  {:>7.2}  {:>5.1} ({:>5.1})  {:>18.1}  {:>12.2}  {:>4.2}  {:>5.1} ({:>5.1})  {:>7}  {:.0} % of one core",
            self.span.as_secs_f64(),
            previews.quantile(500),
            previews.quantile(990),
            previews.ratio(),
            previews.median_ratio(),
            previews.quantile(1_000),
            bare.quantile(500),
            bare.quantile(990),
            bare.ratio(),
            bare.median_ratio(),
            self.created,
            self.cpu_s / self.span.as_secs_f64() * 100.0
        );
    }
}

/// Sends both schedules to the server and the bare server. Latency is measured from the scheduled
/// time.
fn load(
    (base, bare_base): (&str, &str),
    next: &AtomicUsize,
    span: Duration,
    process: u32,
) -> Result<LoadRun, BoxError> {
    let (started, cpu_before) = (Instant::now(), cpu_seconds(process)?);
    let (previews, bare, created) = (
        Mutex::new(Latencies::default()),
        Mutex::new(Latencies::default()),
        AtomicUsize::new(0),
    );
    let body = order("L-1", 2, false).to_string();
    let (preview, echo) = (
        post("/delivery/orders/preview", KEY, &body),
        post("/", KEY, &body),
    );
    all(CALLERS + BARE_CALLERS, |caller| {
        let is_bare = caller >= CALLERS;
        let (callers, rate) = if is_bare {
            (BARE_CALLERS, BARE_RATE)
        } else {
            (CALLERS, RATE)
        };
        let (mut client, mut own) = (
            Client::connect(if is_bare { bare_base } else { base })?,
            Vec::new(),
        );
        for turn in (caller % CALLERS..).step_by(callers) {
            let due = Duration::from_secs_f64(number(turn) / number(rate));
            if due >= span {
                break;
            }
            std::thread::sleep((started + due).saturating_duration_since(Instant::now()));
            // Spreads the creates over the callers, because the number of callers and
            // `CREATE_EVERY` have a common divisor.
            if !is_bare && (turn + turn / CALLERS).is_multiple_of(CREATE_EVERY) {
                let code = format!("S-{}", next.fetch_add(1, Ordering::Relaxed));
                client.expect(
                    &post("/delivery/orders", KEY, &order(&code, 2, false).to_string()),
                    201,
                )?;
                created.fetch_add(1, Ordering::Relaxed);
            } else {
                client.expect(if is_bare { &echo } else { &preview }, 200)?;
                own.push((due, (started + due).elapsed()));
            }
        }
        let all = if is_bare { &bare } else { &previews };
        all.lock()
            .map_err(|_| "a caller thread panicked")?
            .0
            .extend(own);
        Ok(())
    })?;
    let into_times =
        |times: Mutex<Latencies>| times.into_inner().map_err(|_| "a caller thread panicked");
    let (previews, bare) = (into_times(previews)?, into_times(bare)?);
    let cpu_s = cpu_seconds(process)? - cpu_before;
    Ok(LoadRun {
        span: started.elapsed(),
        previews,
        bare,
        created: created.into_inner(),
        cpu_s,
    })
}

/// Opens all streams and spawns a task for each that counts its events.
async fn open_streams(
    address: &str,
    received: &Arc<Vec<AtomicUsize>>,
    lost: &Arc<AtomicBool>,
) -> Result<(), BoxError> {
    for index in 0..STREAMS {
        let mut stream = StreamReader {
            socket: TcpStream::connect(address).await?,
            tail: Vec::new(),
        };
        stream.send(&get("/delivery/events/stream", KEY)).await?;
        stream.wait_for_start().await?;
        let (received, lost) = (received.clone(), lost.clone());
        tokio::spawn(async move {
            while let Ok(count) = stream.count_events().await {
                received[index].fetch_add(count, Ordering::Relaxed);
            }
            lost.store(true, Ordering::Relaxed);
        });
    }
    Ok(())
}

/// The client side of a stream.
struct StreamReader {
    socket: TcpStream,
    tail: Vec<u8>,
}

impl StreamReader {
    async fn send(&self, mut bytes: &[u8]) -> Result<(), BoxError> {
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

    /// Reads until the stream has started. From then on it receives every event.
    async fn wait_for_start(&mut self) -> Result<(), BoxError> {
        let mut head = Vec::new();
        while !head.windows(6).any(|window| window == b"retry:") {
            if !self.read(&mut head).await? || head.len() > 8_192 {
                return Err(String::from_utf8_lossy(&head).into_owned().into());
            }
        }
        if !head.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&head).into_owned().into());
        }
        Ok(())
    }

    /// Reads once and returns the number of events.
    async fn count_events(&mut self) -> Result<usize, BoxError> {
        let mut bytes = std::mem::take(&mut self.tail);
        if !self.read(&mut bytes).await? {
            return Err("the stream ended".into());
        }
        let count = bytes
            .windows(EVENT.len())
            .filter(|window| *window == EVENT)
            .count();
        // The start of an event can be split between reads.
        self.tail = bytes.split_off(bytes.len().saturating_sub(EVENT.len() - 1));
        Ok(count)
    }

    /// Reads the available bytes. Returns false at the end of the stream.
    async fn read(&self, into: &mut Vec<u8>) -> Result<bool, BoxError> {
        let mut buffer = [0; 4_096];
        loop {
            self.socket.readable().await?;
            match self.socket.try_read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    into.extend_from_slice(buffer.get(..read).unwrap_or_default());
                    return Ok(true);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

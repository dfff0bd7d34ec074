//! Benchmark of `POST /delivery/orders/preview` over HTTP, compared with the bare server of
//! `echo.rs`.

use std::time::{Duration, Instant};

use despacho_bench::{
    BoxError,
    client::{per_second, post},
    median,
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};

use crate::load::{echo::Echo, memory::cpu_seconds};

/// Rate limits that no benchmark reaches.
pub(crate) const UNLIMITED: [(&str, &str); 4] = [
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LOG_LEVEL", "warn"),
];

/// Turns of each server. The medians are printed.
const TURNS: u64 = 9;

/// Prints the requests per second of both servers in turns, the processor time that a request takes
/// them, and the ratios.
pub(crate) fn compare(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let mut despacho =
        Server::start(&binary, data.path(), &["--demo"], &UNLIMITED).map_err(|e| e.to_string())?;
    let (process, echo) = (despacho.child().id(), Echo::start()?);
    let bare_process = echo.child.id();
    println!(
        "POST preview over HTTP, 8 connections: despacho, bare warp that parses and echoes, ratio of medians"
    );
    let span = Duration::from_millis(seconds * 2_000 / TURNS);
    for stops in [2, 10] {
        let body = order("L-1", stops, false).to_string();
        let (preview, bare) = (lenient(&body), post("/", KEY, &body));
        let (mut ours, mut theirs) = (Turns::default(), Turns::default());
        for _ in 0..TURNS {
            ours.take(process, &despacho.base, &preview, span)?;
            theirs.take(bare_process, &echo.base, &bare, span)?;
        }
        let (ours, theirs) = (ours.medians(), theirs.medians());
        let percent = |part: f64, whole: f64| part / whole * 100.0;
        println!(
            "  {stops:>3} stops: {:>7.0} {:>7.0} requests per second  {:>4.0} %   {:>5.1} {:>5.1} \u{b5}s of processor  {:>4.0} %",
            ours.0,
            theirs.0,
            percent(ours.0, theirs.0),
            ours.1,
            theirs.1,
            percent(theirs.1, ours.1)
        );
    }
    Ok(())
}

/// Returns a preview that is handled as those of production stores: the demo's store is a sandbox,
/// which is strict by default.
fn lenient(body: &str) -> Vec<u8> {
    let request =
        String::from_utf8_lossy(&post("/delivery/orders/preview", KEY, body)).into_owned();
    request
        .replacen(
            "host: localhost\r\n",
            "host: localhost\r\nprefer: handling=lenient\r\n",
            1,
        )
        .into_bytes()
}

/// The measured turns of a server.
#[derive(Default)]
struct Turns {
    per_second: Vec<f64>,
    processor_us: Vec<f64>,
}

impl Turns {
    fn take(
        &mut self,
        process: u32,
        base: &str,
        request: &[u8],
        span: Duration,
    ) -> Result<(), BoxError> {
        let (worked, started) = (cpu_seconds(process)?, Instant::now());
        let rate = per_second(base, request, 8, span)?;
        self.processor_us.push(
            (cpu_seconds(process)? - worked) * 1e6 / (rate * started.elapsed().as_secs_f64()),
        );
        self.per_second.push(rate);
        Ok(())
    }

    /// Returns the medians of the requests per second and of the processor time.
    fn medians(&self) -> (f64, f64) {
        (median(&self.per_second), median(&self.processor_us))
    }
}

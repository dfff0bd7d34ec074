//! Benchmark of `POST /delivery/orders/preview` over HTTP, compared with the bare server of `echo.rs`.

use std::time::Duration;

use despacho_bench::{
    BoxError,
    client::{per_second, post},
    orders::order,
};
use despacho_simulator::demo::KEY;
use despacho_xtask::server::{self, Server};

use crate::load::echo::Echo;

/// Rate limits that no benchmark reaches.
pub(crate) const UNLIMITED: [(&str, &str); 4] = [
    ("DESPACHO_LIMITS_READS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_PREVIEWS_PER_MINUTE", "1000000"),
    ("DESPACHO_LIMITS_WRITES_PER_MINUTE", "1000000"),
    ("DESPACHO_LOG_LEVEL", "warn"),
];

/// Prints the requests per second of both servers in turns, and their ratio.
pub(crate) fn compare(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let despacho = Server::start(&binary, data.path(), &["--demo"], &UNLIMITED).map_err(|e| e.to_string())?;
    let echo = Echo::start()?;
    println!(
        "POST preview over HTTP, 8 connections, requests per second: despacho, bare warp that parses and echoes, ratio"
    );
    for stops in [2, 10] {
        let body = order("L-1", stops, false).to_string();
        let (preview, bare) = (post("/delivery/orders/preview", KEY, &body), post("/", KEY, &body));
        let span = Duration::from_millis(seconds * 250);
        let (mut ratios, mut last) = (Vec::new(), (0.0, 0.0));
        for _ in 0..4 {
            last = (per_second(&despacho.base, &preview, 8, span)?, per_second(&echo.base, &bare, 8, span)?);
            ratios.push(last.0 / last.1);
        }
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[ratios.len() / 2];
        println!("  {stops:>3} stops: {:>7.0} {:>7.0}  {:>4.0} %", last.0, last.1, ratio * 100.0);
    }
    Ok(())
}

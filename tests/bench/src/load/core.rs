//! Benchmark of the core: a preview from request bytes to response bytes, on the in-memory host.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use bytes::Bytes;
use despacho_bench::{BoxError, orders::order};
use despacho_core::{
    api,
    memory::MemoryHost,
    rules::{limits::Limits, settings::Settings},
};
use despacho_simulator::demo;
use http::Request;

/// Polls a future once. Futures of the in-memory host never wait.
fn poll_once<F: Future>(future: F) -> Result<F::Output, BoxError> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err("the in-memory host waited".into()),
    }
}

/// Prints the microseconds per preview, in the given order and in the best order.
pub(crate) fn preview(seconds: u64) -> Result<(), BoxError> {
    let limits = Limits {
        previews_per_minute: u32::MAX,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..Settings::default()
    };
    let host = MemoryHost::seeded(1);
    poll_once(demo::seed(&host, &settings))??;
    println!(
        "core, POST /delivery/orders/preview, request bytes to response bytes, median of batches"
    );
    for (stops, best_route) in [(2, false), (10, false), (10, true), (50, false), (50, true)] {
        let body = Bytes::from(order("L-1", stops, best_route).to_string());
        let once = || -> Result<usize, BoxError> {
            let request = Request::post("/delivery/orders/preview")
                .header("content-type", "application/json")
                .header("x-api-token", demo::KEY)
                // As in a production store: the demo's store is a sandbox, which is strict by
                // default.
                .header("prefer", "handling=lenient")
                .body(body.clone())?;
            let response = poll_once(api::handle(&host, &settings, request))?;
            if !response.status().is_success() {
                return Err(String::from_utf8_lossy(response.body()).into_owned().into());
            }
            Ok(response.body().len())
        };
        let (until, mut batches) = (
            Instant::now() + Duration::from_millis(seconds * 250),
            Vec::new(),
        );
        while Instant::now() < until || batches.len() < 3 {
            let start = Instant::now();
            for _ in 0..20 {
                std::hint::black_box(once()?);
            }
            batches.push(start.elapsed().as_secs_f64() * 1e6 / 20.0);
            // The in-memory clock does not advance by itself, and the rate limiter allows at most
            // one request per millisecond.
            host.advance(despacho_core::model::Duration::seconds(1));
        }
        batches.sort_by(f64::total_cmp);
        let order = if best_route {
            "best order"
        } else {
            "given order"
        };
        println!(
            "  {stops:>3} stops, {order}: {:>8.1} µs",
            batches[batches.len() / 2]
        );
    }
    Ok(())
}

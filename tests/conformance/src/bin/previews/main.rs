//! Writes previews with the service's responses, which the tests of the browser package compare
//! with its own. The output has one JSON object per line: `{"context"}`, then
//! `{"request", "language", "now", "status", "response"}` of this context, with bodies as sent over
//! the wire. The first context has no opening hours and no service area; each of the others has
//! random ones. Arguments: the number of previews, a seed, and a path for a small gazetteer pack.

mod pack;
mod requests;
mod store;

use std::{
    error::Error,
    io::{BufWriter, Write},
    pin::pin,
    process::ExitCode,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    memory::MemoryHost,
    model::{Timestamp, Vehicle, tariff::VehicleSurcharge},
    rules::settings::Settings,
};
use despacho_simulator::demo::{self, KEY};
use http::Request;
use serde_json::{Value, json};

/// Stores with other opening hours and service areas, among which the previews are divided.
const STORES: u32 = 10;
/// Half a year before and after the start, to cover every hour and day of the tariff.
const SPREAD_MS: i64 = 182 * 24 * 60 * 60 * 1_000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("could not write previews: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: u32 = arguments.next().map_or(Ok(5_000), |text| text.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    if let Some(path) = arguments.next() {
        pack::write(path.as_ref())?;
    }
    let mut settings = Settings::default();
    settings.limits.previews_per_minute = u32::MAX;
    let surcharge = |vehicle, percent: u32, fee: u32| VehicleSurcharge {
        vehicle,
        percent: percent.into(),
        fee: fee.into(),
    };
    settings.tariff.vehicles = vec![
        surcharge(Vehicle::MotorbikeBox, 0, 3),
        surcharge(Vehicle::Car, 33, 1),
    ];
    let host = MemoryHost::seeded(seed);
    poll_once(demo::seed(&host, &settings))??;
    let mut rng = fastrand::Rng::with_seed(seed);
    let start = host.now().millis();
    let mut out = BufWriter::new(std::io::stdout().lock());
    for number in 0..STORES {
        host.set_now(Timestamp::from_millis(start));
        let context = context(&host, &settings, number, &mut rng)?;
        writeln!(out, "{}", json!({ "context": context }))?;
        for _ in 0..count.div_ceil(STORES) {
            host.set_now(Timestamp::from_millis(
                start + rng.i64(-SPREAD_MS..SPREAD_MS),
            ));
            let language = if rng.bool() { "en" } else { "pt-BR" };
            let request = requests::random_body(&mut rng, host.now());
            let (status, response) = query(
                &host,
                &settings,
                "POST",
                "/delivery/orders/preview",
                language,
                request.clone(),
            )?;
            // Only the service can sign a quote, so the browser package returns none.
            let response = match response.rsplit_once(",\"quote\":{") {
                Some((before, _)) if status == 200 => format!("{before},\"quote\":null}}"),
                _ => response,
            };
            let now = host.now().millis();
            let line = json!({ "request": request, "language": language, "now": now, "status": status, "response": response });
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

/// Gives the store random opening hours, a random service area, or both, except the first time.
/// Returns the preview context.
fn context(
    host: &MemoryHost,
    settings: &Settings,
    number: u32,
    rng: &mut fastrand::Rng,
) -> Result<String, Box<dyn Error>> {
    let read = || {
        query(
            host,
            settings,
            "GET",
            "/delivery/preview-context",
            "en",
            String::new(),
        )
    };
    let (_, first) = read()?;
    let id = serde_json::from_str::<Value>(&first)?["store"]["id"].clone();
    let has_hours = !number.is_multiple_of(3);
    let hours = if has_hours {
        store::random_hours(rng, host.now().millis(), SPREAD_MS)
    } else {
        json!({ "hours": [] })
    };
    let has_area = number % 3 != 1 && number > 0;
    let area = if has_area {
        store::random_area(rng)
    } else {
        json!({ "serviceArea": null })
    };
    for (name, body) in [("hours", hours), ("service-area", area)] {
        let (status, response) = query(
            host,
            settings,
            "PUT",
            &format!("/delivery/stores/{id}/{name}"),
            "en",
            body.to_string(),
        )?;
        if status != 200 {
            return Err(format!("{name} rejected: {response}").into());
        }
    }
    Ok(read()?.1)
}

fn query(
    host: &MemoryHost,
    settings: &Settings,
    method: &str,
    path: &str,
    language: &str,
    body: String,
) -> Result<(u16, String), Box<dyn Error>> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", KEY)
        .header("x-request-id", "page");
    let request = request
        .header("content-type", "application/json")
        .header("accept-language", language);
    let response = poll_once(api::handle(
        host,
        settings,
        request.body(Bytes::from(body))?,
    ))?;
    Ok((
        response.status().as_u16(),
        String::from_utf8(response.body().to_vec())?,
    ))
}

/// Completes a future of the in-memory host with one poll, because the host performs no I/O.
fn poll_once<F: Future>(future: F) -> Result<F::Output, &'static str> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err("the future of the in-memory host is pending"),
    }
}

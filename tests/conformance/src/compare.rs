//! One case on two hosts, side by side: what they answer is the same to the byte, but for what is fresh by nature.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, header};

use crate::{
    format::Case,
    fresh::Pairing,
    host::{self, Start, TestHost},
    run,
};

/// Two hosts that must give the same answers.
pub struct Pair {
    /// What tests call it.
    pub name: &'static str,
    first: Start,
    second: Start,
}

/// Two programs with the machine's clock.
const REAL: Pair = Pair { name: "spin = warp", first: host::warp, second: host::spin_compared_with_warp };

/// Where a case moves the clock no server can follow: then the reference host stands for it, and both begin at its first instant.
const MOVED: Pair = Pair { name: "spin = memory", first: host::memory, second: host::spin_compared_with_memory };

impl Pair {
    /// The hosts that a case is run on.
    #[must_use]
    pub fn for_case(case: &Case) -> &'static Pair {
        if case.moves_clock() { &MOVED } else { &REAL }
    }
}

/// Runs a case on both hosts, which must also answer as it expects, and compares answer by answer.
pub fn run(case: &Case, pair: &Pair) -> Result<(), String> {
    let name = format!("beside-{}", case.name);
    let (first, second) = (responses(case, pair.first, &name)?, responses(case, pair.second, &name)?);
    if first.len() != second.len() {
        return Err(format!("one host was asked {} times, the other {}", first.len(), second.len()));
    }
    let mut pairing = Pairing::default();
    let errors = first.iter().zip(&second).enumerate().filter_map(|(index, (first, second))| {
        let error = differ(&mut pairing, first, second).err()?;
        Some(format!("answer {} of {}, to {}: {error}", index + 1, case.steps.len(), first.requested))
    });
    let errors: Vec<String> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n\n")) }
}

/// What a host answered to one request.
struct Reply {
    requested: String,
    of_head: bool,
    response: Response<Bytes>,
}

/// Writes down what a host answers.
struct Recorder {
    host: Box<dyn TestHost>,
    responses: Vec<Reply>,
}

impl TestHost for Recorder {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (requested, of_head) =
            (format!("{} {}", request.method(), request.uri()), request.method() == Method::HEAD);
        let response = self.host.send(request)?;
        self.responses.push(Reply { requested, of_head, response: response.clone() });
        Ok(response)
    }

    fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.host.advance(seconds)
    }
}

fn responses(case: &Case, start: Start, name: &str) -> Result<Vec<Reply>, String> {
    let mut recorder = Recorder { host: start(name, &case.settings)?, responses: Vec::new() };
    run::run(case, &mut recorder)?;
    Ok(recorder.responses)
}

/// What belongs to a connection or says when, not to the answer. The length is looked at apart from these: an identifier may have
/// a digit more.
const OF_THE_CONNECTION: [header::HeaderName; 4] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::DATE, header::TRANSFER_ENCODING];

/// Where no panel was given to it, each host says by what means of its own it is: as much as the status is the same.
const OF_THE_HOST: [&str; 2] = ["GET /", "HEAD /"];

fn differ(pairing: &mut Pairing, first: &Reply, second: &Reply) -> Result<(), String> {
    let (one, other) = (first.response.status(), second.response.status());
    if one != other {
        return Err(format!("status {one} here, {other} there"));
    }
    for response in [first, second] {
        has_its_length(response)?;
    }
    if OF_THE_HOST.contains(&first.requested.as_str()) {
        return Ok(());
    }
    let (one, other) = (first.response.headers(), second.response.headers());
    for name in one.keys().chain(other.keys()).filter(|name| !OF_THE_CONNECTION.contains(name)) {
        let values = |headers: &HeaderMap| {
            let all = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            // The server compresses, and says so; in front of a component others do.
            all.filter(|value| value != "accept-encoding").collect::<Vec<_>>().join("\n")
        };
        pairing
            .header(name.as_str(), &values(one), &values(other))
            .map_err(|error| format!("header {name}: {error}"))?;
    }
    let is_json = one.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().ends_with(b"json"));
    let text = |response: &Reply| String::from_utf8_lossy(response.response.body()).into_owned();
    pairing.body(&text(first), &text(second), is_json).map_err(|error| format!("body: {error}"))
}

/// A body has the length that is told of it; of the answer to `HEAD` there is only the telling.
fn has_its_length(response: &Reply) -> Result<(), String> {
    let received = response.response.headers().get(header::CONTENT_LENGTH);
    let received = received.and_then(|received| received.to_str().ok()?.parse::<usize>().ok());
    let length = response.response.body().len();
    match received {
        Some(received) if received != length && !response.of_head => {
            Err(format!("{received} bytes are told, {length} came"))
        }
        _ => Ok(()),
    }
}

/// How far apart the instants of two runs may be; they run one after the other.
pub(crate) const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(600);

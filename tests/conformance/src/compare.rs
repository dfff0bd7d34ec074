//! Runs a case on two hosts and compares their responses, which must be byte-identical except for
//! generated values.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, header};

use crate::{
    format::Case,
    host::{self, Start, TestHost},
    pairing::Pairing,
    run,
};

/// Two hosts that must return the same responses.
pub struct Pair {
    /// The name in test names.
    pub name: &'static str,
    first: Start,
    second: Start,
}

/// The pair for most cases: both hosts use the machine's clock.
const REAL_CLOCK: Pair = Pair {
    name: "spin = warp",
    first: host::warp,
    second: host::spin_compared_with_warp,
};

/// The pair for cases that advance the clock, because a server's clock cannot be advanced. Both
/// hosts start at the same time.
const TEST_CLOCK: Pair = Pair {
    name: "spin = memory",
    first: host::memory,
    second: host::spin_compared_with_memory,
};

impl Pair {
    /// Returns the pair that a case runs on.
    #[must_use]
    pub fn for_case(case: &Case) -> &'static Pair {
        if case.advances_clock() {
            &TEST_CLOCK
        } else {
            &REAL_CLOCK
        }
    }
}

/// Runs a case on both hosts, checks its expectations on each, and compares the responses. The
/// hours of a tariff can change between the runs, so a comparison that passes a full hour is
/// repeated.
pub fn run(case: &Case, pair: &Pair) -> Result<(), String> {
    let hour = current_hour();
    compare(case, pair).or_else(|error| {
        if current_hour() == hour {
            Err(error)
        } else {
            compare(case, pair)
        }
    })
}

fn current_hour() -> Option<u64> {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Some(elapsed.as_secs() / 3600)
}

fn compare(case: &Case, pair: &Pair) -> Result<(), String> {
    let name = format!("compared-{}", case.name);
    let (first, second) = (
        responses(case, pair.first, &name)?,
        responses(case, pair.second, &name)?,
    );
    if first.len() != second.len() {
        return Err(format!(
            "the first host received {} requests, the second {}",
            first.len(),
            second.len()
        ));
    }
    let mut pairing = Pairing::default();
    let errors = first
        .iter()
        .zip(&second)
        .enumerate()
        .filter_map(|(index, (first, second))| {
            let error = compare_replies(&mut pairing, first, second).err()?;
            Some(format!(
                "response {} of {}, to {}: {error}",
                index + 1,
                case.steps.len(),
                first.requested
            ))
        });
    let errors: Vec<String> = errors.collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join("\n\n"))
    }
}

/// The response of a host to one request.
struct Reply {
    requested: String,
    is_head: bool,
    response: Response<Bytes>,
}

/// Records the responses of a host.
struct Recorder {
    host: Box<dyn TestHost>,
    responses: Vec<Reply>,
}

impl TestHost for Recorder {
    fn send(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let (requested, is_head) = (
            format!("{} {}", request.method(), request.uri()),
            request.method() == Method::HEAD,
        );
        let response = self.host.send(request)?;
        self.responses.push(Reply {
            requested,
            is_head,
            response: response.clone(),
        });
        Ok(response)
    }

    fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.host.advance(seconds)
    }
}

fn responses(case: &Case, start: Start, name: &str) -> Result<Vec<Reply>, String> {
    let mut recorder = Recorder {
        host: start(name, &case.settings)?,
        responses: Vec::new(),
    };
    run::run(case, &mut recorder)?;
    Ok(recorder.responses)
}

/// Headers that depend on the connection or the time. The length is checked separately, because IDs
/// can differ in length.
const CONNECTION_HEADERS: [header::HeaderName; 4] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::DATE,
    header::TRANSFER_ENCODING,
];

/// Requests for the panel and the console. Without them, each host returns its own hint, so only
/// the status is compared.
const HOST_SPECIFIC_REQUESTS: [&str; 6] = [
    "GET /",
    "HEAD /",
    "GET /admin",
    "HEAD /admin",
    "GET /admin/",
    "HEAD /admin/",
];

fn compare_replies(pairing: &mut Pairing, first: &Reply, second: &Reply) -> Result<(), String> {
    let (one, other) = (first.response.status(), second.response.status());
    if one != other {
        return Err(format!(
            "the first host returned status {one}, the second {other}"
        ));
    }
    for response in [first, second] {
        check_content_length(response)?;
    }
    if HOST_SPECIFIC_REQUESTS.contains(&first.requested.as_str()) {
        return Ok(());
    }
    let (one, other) = (first.response.headers(), second.response.headers());
    for name in one
        .keys()
        .chain(other.keys())
        .filter(|name| !CONNECTION_HEADERS.contains(name))
    {
        let values = |headers: &HeaderMap| {
            let all = headers
                .get_all(name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            // The server compresses responses; in front of the component, a proxy does.
            all.filter(|value| value != "accept-encoding")
                .collect::<Vec<_>>()
                .join("\n")
        };
        pairing
            .header(name.as_str(), &values(one), &values(other))
            .map_err(|error| format!("header {name}: {error}"))?;
    }
    let is_json = one
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().ends_with(b"json"));
    let text = |response: &Reply| String::from_utf8_lossy(response.response.body()).into_owned();
    pairing
        .body(&text(first), &text(second), is_json)
        .map_err(|error| format!("body: {error}"))
}

/// Checks that `content-length` matches the body, except for a response to `HEAD`.
fn check_content_length(response: &Reply) -> Result<(), String> {
    let declared = response.response.headers().get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|declared| declared.to_str().ok()?.parse::<usize>().ok());
    let length = response.response.body().len();
    match declared {
        Some(declared) if declared != length && !response.is_head => Err(format!(
            "content-length is {declared}, but the body has {length} bytes"
        )),
        _ => Ok(()),
    }
}

/// The maximum difference between the times of two runs, which run one after the other.
pub(crate) const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(600);

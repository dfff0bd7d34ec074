//! Web Push to couriers without the HTTP client. A host takes the due pushes, sends their requests,
//! and settles the results.
//!
//! An assignment marks the courier in its own commit, so that no push is lost. A taken push is
//! marked as such before it is sent, and is due again after a lease. Several instances therefore
//! send it once; after a crash it may be sent twice, and the push service then replaces the first
//! one, because both have the same topic.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, header};

use crate::{
    host::{CourierQuery, Host, HostError},
    model::{
        CourierId, Duration,
        courier::{PushDue, PushSubscription},
        webhook::AttemptResult,
    },
    rules::{
        push::{self, PushResult},
        settings::Settings,
    },
};

/// Maximum number of attempts to settle results after conflicts.
const ATTEMPTS: usize = 8;
/// Time for the commits of an attempt, in addition to the timeout of its request.
const LEASE_MARGIN_SECONDS: i64 = 15;

/// The due pushes of one courier.
#[derive(Clone, Debug)]
pub struct PushBatch {
    /// The requests, which may be sent concurrently.
    pub jobs: Vec<PushJob>,
    courier: CourierId,
}

/// A push to one browser.
#[derive(Clone, Debug)]
pub struct PushJob {
    /// URL of the push service for the browser. It is secret.
    pub endpoint: String,
    due: PushDue,
    authorization: String,
    ttl_seconds: i64,
}

impl PushJob {
    /// Builds the request: a `POST` without a body.
    ///
    /// # Errors
    /// If the URL is invalid. URLs of subscriptions are validated when they are stored.
    pub fn request(&self) -> Result<Request<Bytes>, http::Error> {
        Request::post(&self.endpoint)
            .header(header::AUTHORIZATION, &self.authorization)
            .header(
                header::USER_AGENT,
                concat!("despacho/", env!("CARGO_PKG_VERSION")),
            )
            // Push services reject requests without a length.
            .header(header::CONTENT_LENGTH, 0)
            .header("ttl", self.ttl_seconds)
            .header("urgency", "high")
            // A later push replaces one that the phone has not received yet: both only request to
            // read the trip.
            .header("topic", "trip")
            .body(Bytes::new())
    }
}

/// Takes the due pushes of at most `limit` couriers. Returns the number of couriers that were
/// found, and the pushes to send.
///
/// # Errors
/// An error of the host.
pub async fn take<H: Host>(
    host: &H,
    settings: &Settings,
    limit: u32,
) -> Result<(usize, Vec<PushBatch>), HostError> {
    let Some((key, contact)) = settings.push.sender() else {
        return Ok((0, Vec::new()));
    };
    let now = host.exec_context().now;
    let ttl = settings.dispatch.silence();
    let lease =
        Duration::seconds(i64::from(settings.webhooks.timeout_seconds) + LEASE_MARGIN_SECONDS);
    let couriers = host
        .find_couriers(CourierQuery::PushDue { now, limit })
        .await?;
    let taken = couriers
        .iter()
        .map(|courier| (courier.id, push::take(courier, lease, ttl, now)));
    let (pushes, changes): (Vec<_>, Vec<_>) = taken
        .map(|(id, (changes, pushes))| ((id, pushes), changes))
        .unzip();
    let results = host.commit_each(&changes).await;
    // One signature for each push service, not for each browser.
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    let mut job = |(subscription, due): (PushSubscription, PushDue)| {
        let service = push::origin(&subscription.endpoint)?;
        let authorization = match headers.get(&service) {
            Some(header) => header.clone(),
            None => {
                let header = key.authorization(contact, &service, now)?;
                headers.insert(service, header.clone());
                header
            }
        };
        Some(PushJob {
            endpoint: subscription.endpoint,
            due,
            authorization,
            ttl_seconds: ttl.as_millis() / 1_000,
        })
    };
    let (mut batches, mut failed) = (Vec::new(), None);
    for ((courier, pushes), result) in pushes.into_iter().zip(results) {
        match result {
            Ok(()) if pushes.is_empty() => {}
            Ok(()) => batches.push(PushBatch {
                courier,
                jobs: pushes.into_iter().filter_map(&mut job).collect(),
            }),
            // Another instance took the pushes, or the courier changed: then the push is still due.
            Err(HostError::Conflict) => {}
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        // The taken pushes are sent, and the next pass reports an error that continues.
        Some(error) if batches.is_empty() => Err(error),
        _ => Ok((couriers.len(), batches)),
    }
}

/// Settles the results of a courier's pushes, one for each job.
///
/// # Errors
/// An error of the host. The pushes will be sent again.
pub async fn finish<H: Host>(
    host: &H,
    batch: &PushBatch,
    results: &[AttemptResult],
) -> Result<(), HostError> {
    let jobs = batch.jobs.iter().zip(results);
    let results: Vec<PushResult> = jobs
        .map(|(job, result)| PushResult {
            endpoint: job.endpoint.clone(),
            due: job.due,
            result: *result,
        })
        .collect();
    for _ in 0..ATTEMPTS {
        let now = host.exec_context().now;
        // The courier may have changed since, for example by another assignment.
        let Some(courier) = host.courier(batch.courier).await? else {
            return Ok(());
        };
        let Some(changes) = push::settle(&courier, &results, now) else {
            return Ok(());
        };
        match host.commit(&changes).await {
            Err(HostError::Conflict) => {}
            done => return done,
        }
    }
    Err(HostError::Conflict)
}

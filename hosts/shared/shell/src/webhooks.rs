//! Sends the messages of one webhook's batch. The core decides the order of messages within a lane
//! and the outcome of each.

use std::time::Duration;

use despacho_core::{
    drivers::outbox::{Job, Lane},
    model::{
        Timestamp,
        webhook::{AttemptResult, PASS_DURATION},
    },
    rules::webhooks::MessageResult,
};
use futures_util::{StreamExt, stream};

/// Concurrent requests to one receiver.
const MAX_REQUESTS: usize = 8;
/// Maximum bytes of a response's body that are read, so that its connection can be reused.
pub const MAX_RESPONSE_BYTES: usize = 16 * 1024;
/// Timeout for reading these bytes.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The result of one request.
pub struct Sent {
    /// The message.
    pub job: Job,
    /// When the request began.
    pub at: Timestamp,
    /// Its duration in milliseconds.
    pub took_ms: u64,
    /// The receiver's response.
    pub response: AttemptResult,
}

/// Returns the time during which a batch can start requests.
#[must_use]
pub fn pass_duration() -> Duration {
    Duration::from_millis(PASS_DURATION.as_millis().unsigned_abs())
}

/// Sends the lanes of a batch concurrently, and each lane in order, while `can_start` returns true.
pub async fn send<P, F>(
    lanes: Vec<Vec<Job>>,
    can_start: impl Fn() -> bool + Clone,
    post: P,
) -> Vec<MessageResult>
where
    P: Fn(Job) -> F + Clone,
    F: Future<Output = Sent>,
{
    let lanes = lanes
        .into_iter()
        .map(|jobs| send_lane(jobs, can_start.clone(), post.clone()));
    stream::iter(lanes)
        .buffer_unordered(MAX_REQUESTS)
        .concat()
        .await
}

async fn send_lane<P, F>(
    jobs: Vec<Job>,
    can_start: impl Fn() -> bool,
    post: P,
) -> Vec<MessageResult>
where
    P: Fn(Job) -> F,
    F: Future<Output = Sent>,
{
    let mut lane = Lane::new(jobs);
    while let Some(job) = lane.next_job(can_start()) {
        let Sent {
            job,
            at,
            took_ms,
            response,
        } = post(job).await;
        lane.record(job, at, took_ms, response);
    }
    lane.into_results()
}

//! Sending webhooks, all but the sending: a host takes a round of a subscription, sends its requests by its own means, and settles
//! what came of them.
//!
//! A host on a machine does so in the background; one without background tasks whenever it is called. Two that run at once take
//! turns by a lease in the subscription's row, which ends by itself after a crash: what was sent and not settled is sent again.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, header};

use crate::{
    changes::{Changes, Write},
    host::{Host, HostError, too_few_ids},
    model::{
        NotificationId, OrderId, StoreId, Timestamp, WebhookId,
        order::{Order, RecordedEvent},
        store::{FailureReason, Notification, NotificationKind},
        webhook::{self, AttemptResult, Lease, Message, ROUNDS_PER_MERCHANT, WAITING, Webhook, stopped},
    },
    rules::{
        settings::Settings,
        webhooks::{PAGE, Round, Settled, Tried, plan, settle, signature},
    },
    wire::WebhookPayload,
};

/// Attempts at settling before a round is left to whoever takes the subscription next.
const ATTEMPTS: usize = 8;

/// A round whose requests are to be sent.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where to send them.
    pub url: String,
    /// Requests by their lanes: those of a lane one after the other, each once the one before was taken; lanes at once.
    pub lanes: Vec<Vec<Job>>,
    webhook: Webhook,
    holder: String,
    round: Round,
}

/// One request: a `POST` of JSON with the three headers of the specification.
#[derive(Clone, Debug)]
pub struct Job {
    /// What it delivers.
    pub message: Message,
    /// The `webhook-timestamp` header.
    pub timestamp: String,
    /// The `webhook-signature` header.
    pub signature: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Job {
    /// The request, ready to be sent to the subscription's URL.
    ///
    /// # Errors
    /// That the URL is none; one that was checked when it was taken is.
    pub fn request(&self, url: &str) -> Result<Request<Bytes>, http::Error> {
        Request::post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, concat!("despacho/", env!("CARGO_PKG_VERSION")))
            .header("webhook-id", &self.message.name)
            .header("webhook-timestamp", &self.timestamp)
            .header("webhook-signature", &self.signature)
            .body(Bytes::from(self.body.clone()))
    }
}

/// A lane while it is sent: which request is next, and what came of those before it.
#[derive(Clone, Debug)]
pub struct Lane {
    jobs: std::vec::IntoIter<Job>,
    tried: Vec<Tried>,
    stopped: bool,
}

impl Lane {
    /// A lane of which nothing was sent yet.
    pub fn new(jobs: Vec<Job>) -> Lane {
        Lane { tried: Vec::with_capacity(jobs.len()), jobs: jobs.into_iter(), stopped: false }
    }

    /// The request to send now: none after one that was not taken, and none once no more may start. Every request that was given
    /// must be told to [`Lane::responded`].
    pub fn turn(&mut self, may_start: bool) -> Option<Job> {
        self.stopped |= !may_start;
        if self.stopped { None } else { self.jobs.next() }
    }

    /// Notes what came of a request that began at `at` and took so many milliseconds.
    pub fn responded(&mut self, job: Job, at: Timestamp, took_ms: u64, result: AttemptResult) {
        self.stopped |= !result.is_success();
        self.tried.push(Tried { message: job.message, sent: Some((at, took_ms, result)) });
    }

    /// What came of all of it, for [`finish`]; what was not sent is told as such.
    pub fn tried(self) -> Vec<Tried> {
        let left = self.jobs.map(|job| Tried { message: job.message, sent: None });
        self.tried.into_iter().chain(left).collect()
    }
}

/// The rounds that one sender runs at once, shared fairly among merchants.
#[derive(Clone, Debug)]
pub struct Rounds {
    at_once: usize,
    running: BTreeMap<WebhookId, StoreId>,
}

impl Rounds {
    /// None yet, and so many at once.
    pub fn new(at_once: usize) -> Rounds {
        Rounds { at_once, running: BTreeMap::new() }
    }

    /// Begins a subscription's round unless it runs already or its merchant has its share: [`ROUNDS_PER_MERCHANT`], and at most as many as are
    /// free, so that a few merchants whose receivers hang leave room for others.
    pub fn begin(&mut self, webhook: &Webhook) -> bool {
        let own = self.running.values().filter(|merchant| **merchant == webhook.matrix).count();
        let free = self.at_once.saturating_sub(self.running.len());
        let begins = own < free.min(ROUNDS_PER_MERCHANT as usize) && !self.running.contains_key(&webhook.id);
        if begins {
            self.running.insert(webhook.id, webhook.matrix);
        }
        begins
    }

    /// Ends a subscription's round.
    pub fn end(&mut self, webhook: WebhookId) {
        self.running.remove(&webhook);
    }
}

/// Takes a round of a subscription that is due. `None` where somebody else has it or nothing is to be sent.
///
/// # Errors
/// A fault of the host.
pub async fn take<H: Host>(host: &H, settings: &Settings, webhook: &Webhook) -> Result<Option<Batch>, HostError> {
    let mut context = host.exec_context();
    let now = context.now;
    let waiting = host.messages(webhook.id).await?;
    let room = waiting.len() < WAITING as usize;
    let entries = if room { host.journal(webhook.journal(), webhook.position, PAGE).await? } else { Vec::new() };
    let round = plan(webhook, &waiting, &entries, now);
    if round.lanes.is_empty() {
        // Nothing to send: the position moves on, and what is held is written down.
        let settled = settle(webhook, &waiting, &round, Vec::new(), &settings.webhooks, &mut context.entropy, now);
        if !round.is_empty(webhook) || settled.webhook.due_at != webhook.due_at {
            ignore_conflict(commit(host, webhook, settled, Vec::new(), now).await)?;
        }
        return Ok(None);
    }
    let holder = context.entropy.hex();
    let lease = Some(Lease { holder: holder.clone(), until: now.after(settings.webhooks.lease()) });
    let value = Webhook { lease, ..webhook.clone() };
    let webhooks = vec![Write { expected: webhook.version, value: value.clone() }];
    match host.commit(&Changes { at: now, webhooks, ..Changes::default() }).await {
        Ok(()) => {}
        Err(HostError::Conflict) => return Ok(None),
        Err(error) => return Err(error),
    }
    let lanes = jobs(host, settings, &value, &round, now).await?;
    Ok(Some(Batch { url: value.url.clone(), lanes, webhook: value, holder, round }))
}

/// Writes down what came of a round's requests.
///
/// # Errors
/// A fault of the host; the round will be sent again.
pub async fn finish<H: Host>(host: &H, settings: &Settings, batch: &Batch, tried: Vec<Tried>) -> Result<(), HostError> {
    for _ in 0..ATTEMPTS {
        let mut context = host.exec_context();
        // A store may have changed the subscription meanwhile, or somebody else taken it over after the lease had ended.
        let Some(webhook) = host.webhook(batch.webhook.id).await? else { return Ok(()) };
        if webhook.lease.as_ref().is_none_or(|lease| lease.holder != batch.holder) {
            return Ok(());
        }
        let waiting = host.messages(webhook.id).await?;
        let (terms, round) = (&settings.webhooks, &batch.round);
        let settled = settle(&webhook, &waiting, round, tried.clone(), terms, &mut context.entropy, context.now);
        let notifications = if settled.stopped {
            vec![stopped_notification(host, &settled.webhook, context.now).await?]
        } else {
            vec![]
        };
        match commit(host, &webhook, settled, notifications, context.now).await {
            Err(HostError::Conflict) => {}
            done => return done,
        }
    }
    Err(HostError::Conflict)
}

async fn commit<H: Host>(
    host: &H,
    before: &Webhook,
    settled: Settled,
    notifications: Vec<Notification>,
    at: Timestamp,
) -> Result<(), HostError> {
    let Settled { webhook, messages, attempts, .. } = settled;
    let webhooks = vec![Write { expected: before.version, value: webhook }];
    host.commit(&Changes { at, webhooks, messages, attempts, notifications, ..Changes::default() }).await
}

fn ignore_conflict(committed: Result<(), HostError>) -> Result<(), HostError> {
    if committed == Err(HostError::Conflict) { Ok(()) } else { committed }
}

async fn stopped_notification<H: Host>(host: &H, webhook: &Webhook, now: Timestamp) -> Result<Notification, HostError> {
    let id = host.ids(1).await?.take(NotificationId::new).ok_or_else(too_few_ids)?;
    let code = webhook::DISABLED.to_owned();
    Ok(Notification {
        id,
        store: webhook.store,
        kind: NotificationKind::WebhookStopped,
        created_at: now,
        read_at: None,
        order: None,
        order_code: None,
        reason: Some(FailureReason { code, detail: stopped(webhook), fields: Vec::new() }),
    })
}

async fn jobs<H: Host>(
    host: &H,
    settings: &Settings,
    webhook: &Webhook,
    round: &Round,
    now: Timestamp,
) -> Result<Vec<Vec<Job>>, HostError> {
    let mut orders: BTreeMap<OrderId, (Order, Vec<RecordedEvent>)> = BTreeMap::new();
    let mut lanes = Vec::with_capacity(round.lanes.len());
    for lane in &round.lanes {
        let mut jobs = Vec::with_capacity(lane.len());
        for message in lane {
            if let Some(id) = message.order()
                && !orders.contains_key(&id)
                && let Some(order) = host.order(id).await?
            {
                orders.insert(id, (order, host.events(id).await?));
            }
            let order = message.order().and_then(|id| orders.get(&id));
            let payload = WebhookPayload::of(webhook, message, order.map(|(order, events)| (order, &events[..])));
            let body = serde_json::to_vec(&payload);
            let body = body.map_err(|error| HostError::Internal { detail: format!("a webhook's body: {error}") })?;
            let signature = signature(&settings.secret.0, &webhook.secrets, &message.name, now, &body);
            let timestamp = (now.millis() / 1_000).to_string();
            jobs.push(Job { message: message.clone(), timestamp, signature, body });
        }
        lanes.push(jobs);
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::webhook::{SendError, SigningSecret, Subject, WebhookState};

    fn job(name: &str) -> Job {
        let at = Timestamp::from_millis(0);
        let webhook = WebhookId::new(1).unwrap();
        let message =
            Message { webhook, name: name.to_owned(), subject: Subject::Test, tries: 0, since: at, due_at: at };
        Job { message, timestamp: "7".to_owned(), signature: "v1,x".to_owned(), body: b"{}".to_vec() }
    }

    fn sent(lane: Lane) -> Vec<(String, bool)> {
        lane.tried().into_iter().map(|tried| (tried.message.name, tried.sent.is_some())).collect()
    }

    #[test]
    fn a_lane_stops_behind_a_failure_and_when_no_more_may_start() {
        let jobs = || vec![job("a"), job("b"), job("c")];
        let at = Timestamp::from_millis(0);
        let mut lane = Lane::new(jobs());
        let first = lane.turn(true).unwrap();
        lane.responded(first, at, 1, AttemptResult::Status(204));
        let second = lane.turn(true).unwrap();
        lane.responded(second, at, 1, AttemptResult::HostError(SendError::Timeout));
        assert!(lane.turn(true).is_none());
        assert_eq!(sent(lane), [("a".to_owned(), true), ("b".to_owned(), true), ("c".to_owned(), false)]);
        let mut late = Lane::new(jobs());
        assert!(late.turn(false).is_none() && late.turn(true).is_none());
        assert_eq!(sent(late).iter().filter(|(_, sent)| *sent).count(), 0);
    }

    fn subscription(number: u64, merchant: u64) -> Webhook {
        let (at, merchant) = (Timestamp::from_millis(0), StoreId::new(merchant).unwrap());
        Webhook {
            id: WebhookId::new(number).unwrap(),
            version: 1,
            store: merchant,
            matrix: merchant,
            url: "https://loja.example/hook".to_owned(),
            events: Vec::new(),
            secrets: vec![SigningSecret { nonce: "0".repeat(64), until: None }],
            state: WebhookState::Active,
            created_at: at,
            position: 0,
            failures: 0,
            due_at: None,
            seen_at: at,
            lease: None,
        }
    }

    #[test]
    fn merchants_share_rounds_and_leave_some_free() {
        let mut rounds = Rounds::new(64);
        let of_one: Vec<Webhook> = (1..=300).map(|number| subscription(number, 1)).collect();
        let begun = |rounds: &mut Rounds, webhooks: &[Webhook]| webhooks.iter().filter(|one| rounds.begin(one)).count();
        assert_eq!(begun(&mut rounds, &of_one), ROUNDS_PER_MERCHANT as usize);
        assert!(!rounds.begin(&of_one[0]), "it runs already");
        let of_others: Vec<Webhook> = (1_000..2_000).map(|number| subscription(number, 2 + number % 20)).collect();
        let others = begun(&mut rounds, &of_others);
        assert!((40..56).contains(&others), "{others}: twenty more merchants with receivers that hang leave some free");
        assert!(rounds.begin(&subscription(5_000, 500)), "a merchant that comes later");
        rounds.end(of_one[0].id);
        assert_eq!(begun(&mut Rounds::new(8), &of_one), 4, "half of a few");
    }

    #[test]
    fn a_request_has_the_headers_of_the_specification() {
        let request = job("evt_1").request("https://loja.example/hook").unwrap();
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        assert_eq!((header("webhook-id"), header("webhook-timestamp")), (Some("evt_1"), Some("7")));
        assert_eq!((header("webhook-signature"), header("content-type")), (Some("v1,x"), Some("application/json")));
        assert!(job("x").request("not a url").is_err());
    }
}

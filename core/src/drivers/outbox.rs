//! Webhook delivery without the HTTP client. A host takes a pass of a subscription, sends its
//! requests, and settles the results.
//!
//! A host sends in the background, or, if it has no background tasks, whenever it is called. A
//! lease in the subscription's row ensures that only one instance sends at a time. After a crash
//! the lease expires, and messages that were sent but not settled are sent again.
//!
//! A webhook is a cursor, not a copy: an event costs the same with any number of subscriptions.
//! Only failed messages, and messages that wait for them, are rows.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Request, header};

use super::{connection, mail};
use crate::{
    changes::{Changes, Write},
    host::{Host, HostError, StoreQuery, too_few_ids},
    model::{
        NotificationId, OrderId, StoreId, Text, Timestamp, WebhookId,
        order::{EventKind, JournalEntry, Order, RecordedEvent},
        store::{FailureReason, Notification, NotificationKind, NotifyAt},
        webhook::{
            self, AttemptResult, FollowUp, Lease, MAX_PASSES_PER_MERCHANT, MAX_QUEUED, Message,
            SendError, Subject, Webhook, stop_notice, withheld_notice,
        },
    },
    rules::{
        settings::Settings,
        tracking,
        webhooks::{MessageResult, PAGE, Settlement, WebhookPass, plan, settle, signature},
    },
    wire::{NotifiedRecipient, WebhookPayload},
};

/// Maximum number of attempts to settle a pass after conflicts.
const ATTEMPTS: usize = 8;

/// A pass whose requests are to be sent.
#[derive(Clone, Debug)]
pub struct Batch {
    /// URL of the receiver.
    pub url: String,
    /// The requests. Lanes are sent concurrently. The requests of a lane are sent one after the
    /// other, each after the previous one was accepted.
    pub lanes: Vec<Vec<Job>>,
    webhook: Webhook,
    holder: String,
    pass: WebhookPass,
}

/// A request: a `POST` of JSON with the three headers of the specification, Standard Webhooks or
/// Open Delivery.
#[derive(Clone, Debug)]
pub struct Job {
    /// The message.
    pub message: Message,
    /// The headers that identify and sign the message.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Time at which the quota was found used up, so that the message is not sent:
    /// [`Lane::next_job`] records it and does not return it.
    pub withheld: Option<Timestamp>,
}

impl Job {
    /// Builds the request to the subscription's URL.
    ///
    /// # Errors
    /// If the URL is invalid. URLs of subscriptions are validated when they are created.
    pub fn request(&self, url: &str) -> Result<Request<Bytes>, http::Error> {
        let request = Request::post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(
                header::USER_AGENT,
                concat!("despacho/", env!("CARGO_PKG_VERSION")),
            );
        let add = |request: http::request::Builder, (name, value): &(&str, String)| {
            request.header(*name, value)
        };
        self.headers
            .iter()
            .fold(request, add)
            .body(Bytes::from(self.body.clone()))
    }
}

/// The state of a lane during sending: the remaining requests and the results so far.
#[derive(Clone, Debug)]
pub struct Lane {
    jobs: std::vec::IntoIter<Job>,
    results: Vec<MessageResult>,
    stopped: bool,
}

impl Lane {
    /// Creates a lane.
    pub fn new(jobs: Vec<Job>) -> Lane {
        Lane {
            results: Vec::with_capacity(jobs.len()),
            jobs: jobs.into_iter(),
            stopped: false,
        }
    }

    /// Returns the next request to send. Returns `None` after a failure, and from the first call
    /// with `can_start` false on. The result of every returned request must be passed to
    /// [`Lane::record`].
    pub fn next_job(&mut self, can_start: bool) -> Option<Job> {
        self.stopped |= !can_start;
        while !self.stopped {
            let job = self.jobs.next()?;
            let Some(at) = job.withheld else {
                return Some(job);
            };
            let result = AttemptResult::Failed(SendError::Quota);
            self.results.push(MessageResult {
                message: job.message,
                sent: Some((at, 0, result)),
            });
        }
        None
    }

    /// Records the result of a request that started at `at` and took `took_ms` milliseconds.
    pub fn record(&mut self, job: Job, at: Timestamp, took_ms: u64, result: AttemptResult) {
        self.stopped |= !result.is_success();
        self.results.push(MessageResult {
            message: job.message,
            sent: Some((at, took_ms, result)),
        });
    }

    /// Returns the results of all messages, including those that were not sent, for [`finish`].
    pub fn into_results(self) -> Vec<MessageResult> {
        let left = self.jobs.map(|job| MessageResult {
            message: job.message,
            sent: None,
        });
        self.results.into_iter().chain(left).collect()
    }
}

/// The passes that a sender runs concurrently, shared fairly among merchants.
#[derive(Clone, Debug)]
pub struct RunningPasses {
    max: usize,
    /// The merchant of each running pass.
    running: BTreeMap<WebhookId, StoreId>,
}

impl RunningPasses {
    /// Creates an empty set with a maximum number of concurrent passes.
    pub fn new(max: usize) -> RunningPasses {
        RunningPasses {
            max,
            running: BTreeMap::new(),
        }
    }

    /// Starts a subscription's pass, unless one is running or its merchant has its share: at most
    /// [`MAX_PASSES_PER_MERCHANT`], and at most half of the capacity that others leave free. A few
    /// merchants whose receivers hang therefore leave capacity for others.
    pub fn begin(&mut self, webhook: &Webhook) -> bool {
        let own = self
            .running
            .values()
            .filter(|merchant| **merchant == webhook.merchant)
            .count();
        let free = self.max.saturating_sub(self.running.len());
        let is_running = self.running.contains_key(&webhook.id);
        let can_begin = own < free.min(MAX_PASSES_PER_MERCHANT as usize) && !is_running;
        if can_begin {
            self.running.insert(webhook.id, webhook.merchant);
        }
        can_begin
    }

    /// Ends a subscription's pass.
    pub fn end(&mut self, webhook: WebhookId) {
        self.running.remove(&webhook);
    }
}

/// Takes a pass of a due subscription. Returns `None` if another instance has it, there is nothing
/// to send, or the messages are mail and this host sends none: another host on the same database
/// may.
///
/// # Errors
/// An error of the host.
pub async fn take<H: Host>(
    host: &H,
    settings: &Settings,
    webhook: &Webhook,
) -> Result<Option<Batch>, HostError> {
    if webhook.is_mail() && !settings.mail {
        return Ok(None);
    }
    let mut context = host.exec_context();
    let now = context.now;
    let queued = host.messages(webhook.id).await?;
    let room = queued.len() < MAX_QUEUED as usize;
    let entries = if room {
        host.journal(webhook.journal(), webhook.position, PAGE)
            .await?
    } else {
        Vec::new()
    };
    let mut orders = Orders::default();
    if webhook.open_delivery.is_some() {
        for entry in &entries {
            load(host, &mut orders, entry.recorded.event.order).await?;
        }
    }
    let follow_up = |entry: &JournalEntry| follow_up(webhook, &orders, entry);
    let pass = plan(webhook, &queued, &entries, &follow_up, now);
    if pass.lanes.is_empty() {
        // There is nothing to send. The new position and held messages are committed.
        let settlement = settle(
            webhook,
            &queued,
            &pass,
            Vec::new(),
            &settings.webhooks,
            &mut context.entropy,
            now,
        );
        if !pass.is_empty(webhook) || settlement.webhook.due_at != webhook.due_at {
            ignore_conflict(commit(host, webhook, settlement, Vec::new(), now).await)?;
        }
        return Ok(None);
    }
    let holder = context.entropy.hex();
    let lease = Some(Lease {
        holder: holder.clone(),
        until: now.after(settings.webhooks.lease()),
    });
    let value = Webhook {
        lease,
        ..webhook.clone()
    };
    let webhooks = vec![Write {
        expected: webhook.version,
        value: value.clone(),
    }];
    match host
        .commit(&Changes {
            at: now,
            webhooks,
            ..Changes::default()
        })
        .await
    {
        Ok(()) => {}
        Err(HostError::Conflict) => return Ok(None),
        Err(error) => return Err(error),
    }
    let lanes = jobs(host, settings, &value, &pass, orders, now).await?;
    let url = if value.open_delivery.is_some() {
        connection::target(&value.url)
    } else {
        value.url.clone()
    };
    Ok(Some(Batch {
        url,
        lanes,
        webhook: value,
        holder,
        pass,
    }))
}

/// Settles the results of a pass.
///
/// # Errors
/// An error of the host. The messages will be sent again.
pub async fn finish<H: Host>(
    host: &H,
    settings: &Settings,
    batch: &Batch,
    results: Vec<MessageResult>,
) -> Result<(), HostError> {
    let is_withheld =
        |one: &MessageResult| one.sent.is_some_and(|(.., result)| result.is_withheld());
    let is_noticed = results.iter().any(is_withheld)
        && mail::admit_notice(host, batch.webhook.merchant, host.exec_context().now).await?;
    for _ in 0..ATTEMPTS {
        let mut context = host.exec_context();
        // The store may have changed the subscription, or another instance may have taken it after
        // the lease expired.
        let Some(webhook) = host.webhook(batch.webhook.id).await? else {
            return Ok(());
        };
        if webhook
            .lease
            .as_ref()
            .is_none_or(|lease| lease.holder != batch.holder)
        {
            return Ok(());
        }
        let queued = host.messages(webhook.id).await?;
        let (config, pass) = (&settings.webhooks, &batch.pass);
        let settlement = settle(
            &webhook,
            &queued,
            pass,
            results.clone(),
            config,
            &mut context.entropy,
            context.now,
        );
        let mut notifications = Vec::new();
        if settlement.stopped {
            let reason = (webhook::DISABLED_CODE, stop_notice(&settlement.webhook));
            notifications.push(
                notification(
                    host,
                    &webhook,
                    NotificationKind::WebhookStopped,
                    reason,
                    context.now,
                )
                .await?,
            );
        }
        if is_noticed {
            let reason = (
                webhook::WITHHELD_CODE,
                withheld_notice(settings.limits.mails_per_day),
            );
            notifications.push(
                notification(
                    host,
                    &webhook,
                    NotificationKind::MailWithheld,
                    reason,
                    context.now,
                )
                .await?,
            );
        }
        match commit(host, &webhook, settlement, notifications, context.now).await {
            Err(HostError::Conflict) => {}
            done => return done,
        }
    }
    Err(HostError::Conflict)
}

async fn commit<H: Host>(
    host: &H,
    before: &Webhook,
    settlement: Settlement,
    notifications: Vec<Notification>,
    at: Timestamp,
) -> Result<(), HostError> {
    let Settlement {
        webhook,
        messages,
        attempts,
        ..
    } = settlement;
    let webhooks = vec![Write {
        expected: before.version,
        value: webhook,
    }];
    host.commit(&Changes {
        at,
        webhooks,
        messages,
        attempts,
        notifications,
        ..Changes::default()
    })
    .await
}

fn ignore_conflict(committed: Result<(), HostError>) -> Result<(), HostError> {
    if committed == Err(HostError::Conflict) {
        Ok(())
    } else {
        committed
    }
}

async fn notification<H: Host>(
    host: &H,
    webhook: &Webhook,
    kind: NotificationKind,
    (code, detail): (&str, Text),
    now: Timestamp,
) -> Result<Notification, HostError> {
    let id = host
        .ids(1)
        .await?
        .take(NotificationId::new)
        .ok_or_else(too_few_ids)?;
    Ok(Notification {
        id,
        store: webhook.store,
        kind,
        created_at: now,
        read_at: None,
        order: None,
        order_code: None,
        reason: Some(FailureReason {
            code: code.to_owned(),
            detail,
            fields: Vec::new(),
        }),
    })
}

async fn jobs<H: Host>(
    host: &H,
    settings: &Settings,
    webhook: &Webhook,
    pass: &WebhookPass,
    mut orders: Orders,
    now: Timestamp,
) -> Result<Vec<Vec<Job>>, HostError> {
    let mut lanes = Vec::with_capacity(pass.lanes.len());
    for lane in &pass.lanes {
        let mut jobs = Vec::with_capacity(lane.len());
        for message in lane {
            if let Some(id) = message.order() {
                load(host, &mut orders, id).await?;
            }
            let order = message.order().and_then(|id| orders.get(&id));
            // Open Delivery has its own bodies and signatures, and no event for some messages.
            if webhook.open_delivery.is_some() {
                let content = connection::content(host, settings, webhook, message, order).await?;
                jobs.extend(content.map(|(headers, body)| Job {
                    message: message.clone(),
                    headers,
                    body,
                    withheld: None,
                }));
                continue;
            }
            let recipient = match order {
                Some((order, _)) => recipient(host, settings, message, order).await?,
                None => None,
            };
            let withheld =
                is_withheld(host, settings, webhook, message, recipient.as_ref(), now).await?;
            let order = order.map(|(order, events)| (order, &events[..]));
            let payload = WebhookPayload::of(webhook, message, order, recipient);
            let body = serde_json::to_vec(&payload);
            let body = body.map_err(|error| HostError::Internal {
                detail: format!("cannot serialize a webhook body: {error}"),
            })?;
            let signature = signature(
                &settings.secret.0,
                &webhook.secrets,
                &message.name,
                now,
                &body,
            );
            let timestamp = (now.millis() / 1_000).to_string();
            let headers = vec![
                ("webhook-id", message.name.clone()),
                ("webhook-timestamp", timestamp),
                ("webhook-signature", signature),
            ];
            jobs.push(Job {
                message: message.clone(),
                headers,
                body,
                withheld: withheld.then_some(now),
            });
        }
        lanes.push(jobs);
    }
    Ok(lanes)
}

/// Returns whether the quota withholds a message that is sent as mail. Repeated attempts of a
/// message count once.
async fn is_withheld<H: Host>(
    host: &H,
    settings: &Settings,
    webhook: &Webhook,
    message: &Message,
    recipient: Option<&NotifiedRecipient>,
    now: Timestamp,
) -> Result<bool, HostError> {
    let address = recipient.and_then(|recipient| recipient.email.as_deref());
    let Some(address) = address.filter(|_| webhook.is_mail() && message.tries == 0) else {
        return Ok(false);
    };
    Ok(!mail::admit(host, settings, webhook.merchant, address, now).await?)
}

/// The orders of messages, with their histories.
type Orders = BTreeMap<OrderId, (Order, Vec<RecordedEvent>)>;

async fn load<H: Host>(host: &H, orders: &mut Orders, id: OrderId) -> Result<(), HostError> {
    if !orders.contains_key(&id)
        && let Some(order) = host.order(id).await?
    {
        orders.insert(id, (order, host.events(id).await?));
    }
    Ok(())
}

/// Returns what follows the message of an entry, or `None` if the entry is not sent.
fn follow_up(webhook: &Webhook, orders: &Orders, entry: &JournalEntry) -> Option<FollowUp> {
    if webhook.open_delivery.is_none() {
        return Some(FollowUp::Nothing);
    }
    let (order, _) = orders.get(&entry.recorded.event.order)?;
    connection::follow_up(webhook, order, &entry.recorded.event)
}

/// Returns the recipient of a `recipient.notify` event, with the current link and a new text.
async fn recipient<H: Host>(
    host: &H,
    settings: &Settings,
    message: &Message,
    order: &Order,
) -> Result<Option<NotifiedRecipient>, HostError> {
    let Subject::Event(entry) = &message.subject else {
        return Ok(None);
    };
    let event = &entry.recorded.event;
    let notified = order
        .deliveries
        .iter()
        .find(|delivery| Some(delivery.id) == event.delivery);
    let Some(delivery) = notified.filter(|_| event.kind == EventKind::RecipientNotify) else {
        return Ok(None);
    };
    let store = host
        .find_stores(StoreQuery::IdOrRemoved(order.store))
        .await?
        .pop();
    let store_name = store.map(|store| store.name).unwrap_or_default();
    let due = event.reason.as_deref().and_then(NotifyAt::from_name);
    Ok(Some(NotifiedRecipient::of(
        delivery,
        store_name,
        tracking::url(settings, delivery),
        due,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::webhook::{SendError, SigningSecret, Subject, WebhookState};

    fn job(name: &str) -> Job {
        let at = Timestamp::from_millis(0);
        let webhook = WebhookId::new(1).unwrap();
        let message = Message {
            webhook,
            name: name.to_owned(),
            subject: Subject::Test,
            tries: 0,
            since: at,
            due_at: at,
        };
        let headers = [
            ("webhook-id", name),
            ("webhook-timestamp", "7"),
            ("webhook-signature", "v1,x"),
        ];
        let headers = headers
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec();
        Job {
            message,
            headers,
            body: b"{}".to_vec(),
            withheld: None,
        }
    }

    fn sent(lane: Lane) -> Vec<(String, bool)> {
        lane.into_results()
            .into_iter()
            .map(|result| (result.message.name, result.sent.is_some()))
            .collect()
    }

    #[test]
    fn lane_stops_after_a_failure_or_when_no_more_can_start() {
        let jobs = || vec![job("a"), job("b"), job("c")];
        let at = Timestamp::from_millis(0);
        let mut lane = Lane::new(jobs());
        let first = lane.next_job(true).unwrap();
        lane.record(first, at, 1, AttemptResult::Status(204));
        let second = lane.next_job(true).unwrap();
        lane.record(second, at, 1, AttemptResult::Failed(SendError::Timeout));
        assert!(lane.next_job(true).is_none());
        assert_eq!(
            sent(lane),
            [
                ("a".to_owned(), true),
                ("b".to_owned(), true),
                ("c".to_owned(), false)
            ]
        );
        let mut late = Lane::new(jobs());
        assert!(late.next_job(false).is_none() && late.next_job(true).is_none());
        assert_eq!(sent(late).iter().filter(|(_, sent)| *sent).count(), 0);
    }

    #[test]
    fn withheld_message_is_recorded_and_the_lane_goes_on() {
        let at = Timestamp::from_millis(7);
        let withheld = Job {
            withheld: Some(at),
            ..job("a")
        };
        let mut lane = Lane::new(vec![withheld.clone(), job("b"), withheld]);
        let next = lane.next_job(true).unwrap();
        assert_eq!(next.message.name, "b");
        lane.record(next, at, 1, AttemptResult::Status(250));
        assert!(lane.next_job(true).is_none());
        let results = lane
            .into_results()
            .into_iter()
            .map(|one| one.sent.map(|(.., result)| result.error()));
        assert_eq!(
            results.collect::<Vec<_>>(),
            [Some(Some("quota")), Some(None), Some(Some("quota"))]
        );
    }

    fn subscription(number: u64, merchant: u64) -> Webhook {
        let (at, merchant) = (Timestamp::from_millis(0), StoreId::new(merchant).unwrap());
        Webhook {
            id: WebhookId::new(number).unwrap(),
            version: 1,
            store: merchant,
            merchant,
            url: "https://loja.example/hook".to_owned(),
            events: Vec::new(),
            secrets: vec![SigningSecret {
                nonce: "0".repeat(64),
                until: None,
            }],
            state: WebhookState::Active,
            created_at: at,
            position: 0,
            failures: 0,
            due_at: None,
            seen_at: at,
            lease: None,
            open_delivery: None,
        }
    }

    #[test]
    fn passes_are_shared_fairly_among_merchants() {
        let mut passes = RunningPasses::new(64);
        let of_one: Vec<Webhook> = (1..=300).map(|number| subscription(number, 1)).collect();
        let count_begun = |passes: &mut RunningPasses, webhooks: &[Webhook]| {
            webhooks.iter().filter(|one| passes.begin(one)).count()
        };
        assert_eq!(
            count_begun(&mut passes, &of_one),
            MAX_PASSES_PER_MERCHANT as usize
        );
        assert!(!passes.begin(&of_one[0]), "already running");
        let of_others: Vec<Webhook> = (1_000..2_000)
            .map(|number| subscription(number, 2 + number % 20))
            .collect();
        let others = count_begun(&mut passes, &of_others);
        assert!(
            (40..56).contains(&others),
            "{others}: twenty more merchants with hanging receivers leave capacity free"
        );
        assert!(
            passes.begin(&subscription(5_000, 500)),
            "another merchant can still start"
        );
        passes.end(of_one[0].id);
        assert_eq!(
            count_begun(&mut RunningPasses::new(8), &of_one),
            4,
            "half of a small capacity"
        );
    }

    #[test]
    fn request_has_the_standard_webhooks_headers() {
        let request = job("evt_1").request("https://loja.example/hook").unwrap();
        let header = |name: &str| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        assert_eq!(
            (header("webhook-id"), header("webhook-timestamp")),
            (Some("evt_1"), Some("7"))
        );
        assert_eq!(
            (header("webhook-signature"), header("content-type")),
            (Some("v1,x"), Some("application/json"))
        );
        assert!(job("x").request("not a url").is_err());
    }
}

//! Passes over a subscription, from planning to settlement, without a host.

use super::{MessageResult, WebhookConfig, plan, settle};
use crate::model::{
    Duration, Entropy, EventId, OrderId, Person, StoreId, Timestamp, WebhookId,
    order::{Event, EventKind, JournalEntry, RecordedEvent},
    webhook::{
        Attempt, AttemptResult, FollowUp, Lease, Message, MessageChange, SECRET_OVERLAP, SendError,
        SigningSecret, Webhook, WebhookState, stop_notice,
    },
};

fn always(_: &JournalEntry) -> Option<FollowUp> {
    Some(FollowUp::Nothing)
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_795_262_400_000).after(Duration::seconds(seconds))
}

fn webhook() -> Webhook {
    Webhook {
        id: WebhookId::new(7).unwrap(),
        version: 1,
        store: StoreId::new(1).unwrap(),
        merchant: StoreId::new(1).unwrap(),
        url: "https://loja.example/".to_owned(),
        events: vec![],
        secrets: vec![SigningSecret {
            nonce: "a".to_owned(),
            until: None,
        }],
        state: WebhookState::Active,
        created_at: at(0),
        position: 0,
        failures: 0,
        due_at: None,
        seen_at: at(0),
        lease: Some(Lease {
            holder: "me".to_owned(),
            until: at(90),
        }),
        open_delivery: None,
    }
}

fn entry(position: u64, order: u64, kind: EventKind) -> JournalEntry {
    let event = Event {
        order: OrderId::new(order).unwrap(),
        store: StoreId::new(1).unwrap(),
        sequence: u32::try_from(position).unwrap(),
        at: at(0),
        received_at: None,
        kind,
        status: 110,
        delivery: None,
        courier: None,
        by: Person {
            name: "platform".to_owned(),
            phone: None,
        },
        point: None,
        reason: None,
    };
    JournalEntry {
        position,
        recorded: RecordedEvent {
            id: EventId::new(position).unwrap(),
            event,
        },
    }
}

/// A subscription with its queue, log and configuration.
struct Fixture {
    webhook: Webhook,
    queued: Vec<Message>,
    log: Vec<Attempt>,
    entropy: Entropy,
    config: WebhookConfig,
}

impl Fixture {
    fn new() -> Fixture {
        let (entropy, config) = (Entropy::new([3; 32]), WebhookConfig::default());
        Fixture {
            webhook: webhook(),
            queued: vec![],
            log: vec![],
            entropy,
            config,
        }
    }

    /// Runs a pass at `now` with this page of the journal. Returns the positions of the sent
    /// messages, lane by lane.
    fn pass(
        &mut self,
        page: &[JournalEntry],
        now: Timestamp,
        result: impl Fn(&Message) -> AttemptResult,
    ) -> Vec<Vec<u64>> {
        let pass = plan(&self.webhook, &self.queued, page, &always, now);
        let (mut results, mut sent) = (Vec::new(), Vec::new());
        for lane in &pass.lanes {
            let (mut stopped, mut positions) = (false, Vec::new());
            for message in lane {
                let result = (!stopped).then(|| result(message));
                stopped |= result.is_some_and(|result| !result.is_success());
                positions.extend(result.is_some().then_some(message.position()));
                results.push(MessageResult {
                    message: message.clone(),
                    sent: result.map(|result| (now, 5, result)),
                });
            }
            sent.push(positions);
        }
        let settlement = settle(
            &self.webhook,
            &self.queued,
            &pass,
            results,
            &self.config,
            &mut self.entropy,
            now,
        );
        for change in settlement.messages {
            match change {
                MessageChange::Put(message) => {
                    self.queued.retain(|other| other.name != message.name);
                    self.queued.push(message);
                }
                MessageChange::Remove { name, .. } => {
                    self.queued.retain(|other| other.name != name)
                }
                MessageChange::Clear(_) => self.queued.clear(),
            }
        }
        self.queued.sort_by_key(Message::position);
        self.webhook = settlement.webhook;
        self.log.extend(settlement.attempts);
        sent
    }
}

const ACCEPTED: AttemptResult = AttemptResult::Status(204);
const REJECTED: AttemptResult = AttemptResult::Status(500);

#[test]
fn failure_delays_only_its_own_order() {
    let mut fixture = Fixture::new();
    let page = [
        entry(1, 10, EventKind::Created),
        entry(2, 20, EventKind::Created),
        entry(3, 10, EventKind::Ready),
        entry(4, 20, EventKind::Ready),
    ];
    let first_fails = |message: &Message| {
        if message.position() == 1 {
            REJECTED
        } else {
            ACCEPTED
        }
    };
    assert_eq!(
        fixture.pass(&page, at(0), first_fails),
        [vec![1], vec![2, 4]]
    );
    assert_eq!(
        fixture
            .queued
            .iter()
            .map(Message::position)
            .collect::<Vec<_>>(),
        [1, 3],
        "the failed message and the one behind it"
    );
    assert_eq!(
        (fixture.webhook.position, fixture.webhook.failures),
        (4, 0),
        "a success resets the failures"
    );
    let due = fixture.webhook.due_at.unwrap();
    assert!((at(8)..=at(12)).contains(&due), "{due}");

    let more = [
        entry(5, 10, EventKind::Searching),
        entry(6, 20, EventKind::Searching),
    ];
    assert_eq!(
        fixture.pass(&more, at(1), |_| ACCEPTED),
        [vec![6]],
        "order 10 is not due yet"
    );
    assert_eq!(
        fixture.pass(&[], due, |_| ACCEPTED),
        [vec![1, 3, 5]],
        "in journal order"
    );
    assert!(fixture.queued.is_empty() && fixture.webhook.due_at.is_none());
    let tries: Vec<(u64, u32)> = fixture
        .log
        .iter()
        .filter(|one| one.name == "evt_1_7")
        .map(|one| (500, one.number))
        .collect();
    assert_eq!(tries, [(500, 1), (500, 2)], "retries keep the message ID");
}

#[test]
fn message_expires_after_three_days_before_the_next_is_sent() {
    let mut fixture = Fixture::new();
    fixture.pass(
        &[
            entry(1, 10, EventKind::Created),
            entry(2, 10, EventKind::Ready),
        ],
        at(0),
        |_| REJECTED,
    );
    let (mut now, mut attempts) = (at(0), 1);
    while fixture
        .queued
        .first()
        .is_some_and(|message| message.position() == 1)
    {
        now = fixture.webhook.due_at.unwrap();
        fixture.pass(&[], now, |_| REJECTED);
        attempts += 1;
    }
    assert!((12..=16).contains(&attempts), "{attempts} attempts");
    let span = now.since(at(0)).as_millis();
    assert!(span <= 3 * 86_400_000 && span > 2 * 86_400_000, "{span} ms");
    assert_eq!(
        fixture.log.last().map(|attempt| attempt.next_at),
        Some(None),
        "last attempt in the log"
    );
    assert_eq!(
        fixture.pass(&[], now.after(Duration::seconds(1)), |_| ACCEPTED),
        [vec![2]]
    );
}

#[test]
fn status_410_ends_and_many_failures_disable_a_webhook() {
    let mut fixture = Fixture::new();
    fixture.pass(&[entry(1, 10, EventKind::Created)], at(0), |_| REJECTED);
    fixture.pass(&[entry(2, 20, EventKind::Created)], at(1), |_| {
        AttemptResult::Status(410)
    });
    assert_eq!(fixture.webhook.state, WebhookState::Ended { at: at(1) });
    assert!(fixture.queued.is_empty() && fixture.webhook.due_at.is_none());

    let mut fixture = Fixture::new();
    fixture.config.disable_after = 3;
    for (position, order) in [(1, 10), (2, 20)] {
        fixture.pass(&[entry(position, order, EventKind::Created)], at(0), |_| {
            AttemptResult::Failed(SendError::Timeout)
        });
        assert!(fixture.webhook.is_active());
    }
    fixture.pass(&[entry(3, 30, EventKind::Created)], at(2), |_| {
        AttemptResult::Status(302)
    });
    assert_eq!(fixture.webhook.state, WebhookState::Disabled { at: at(2) });
    assert_eq!(fixture.queued.len(), 3, "it resumes where it stopped");
    assert!(
        stop_notice(&fixture.webhook)
            .en
            .contains("3 consecutive attempts")
    );
}

#[test]
fn mail_is_retried_after_4xx_but_not_after_5xx() {
    let mut fixture = Fixture::new();
    let page = [
        entry(1, 10, EventKind::Created),
        entry(2, 20, EventKind::Created),
    ];
    let responses =
        |message: &Message| AttemptResult::Status(if message.position() == 1 { 450 } else { 550 });
    fixture.webhook.url = crate::model::webhook::MAIL_URL.to_owned();
    fixture.pass(&page, at(0), responses);
    let left: Vec<u64> = fixture.queued.iter().map(Message::position).collect();
    assert_eq!((left, fixture.webhook.failures), (vec![1], 2));
    let next: Vec<bool> = fixture
        .log
        .iter()
        .map(|attempt| attempt.next_at.is_some())
        .collect();
    assert_eq!(next, [true, false]);
    // An HTTP receiver that returns 550 gets the message again.
    let mut fixture = Fixture::new();
    fixture.pass(&page, at(0), responses);
    assert_eq!(fixture.queued.len(), 2);
}

#[test]
fn unsubscribed_events_are_skipped() {
    let mut fixture = Fixture::new();
    fixture.webhook.events = vec![EventKind::Ready];
    let page = [
        entry(1, 10, EventKind::Created),
        entry(2, 10, EventKind::Ready),
        entry(3, 10, EventKind::Searching),
    ];
    assert_eq!(fixture.pass(&page, at(0), |_| ACCEPTED), [vec![2]]);
    assert_eq!(fixture.webhook.position, 3);
    let only_skipped = plan(
        &fixture.webhook,
        &[],
        &[entry(4, 10, EventKind::Created)],
        &always,
        at(1),
    );
    assert!(
        only_skipped.lanes.is_empty() && !only_skipped.is_empty(&fixture.webhook),
        "position advances"
    );
}

#[test]
fn many_events_of_an_order_are_sent_in_order() {
    let mut fixture = Fixture::new();
    let page: Vec<JournalEntry> = (1..=25)
        .map(|position| entry(position, 10, EventKind::Ready))
        .collect();
    let mut sent = fixture.pass(&page, at(0), |_| ACCEPTED);
    while !fixture.queued.is_empty() {
        sent.extend(fixture.pass(&[], at(1), |_| ACCEPTED));
    }
    assert_eq!(sent.concat(), (1..=25).collect::<Vec<u64>>());
}

#[test]
fn concurrent_test_message_is_kept() {
    let mut fixture = Fixture::new();
    let pass = plan(
        &fixture.webhook,
        &[],
        &[entry(1, 10, EventKind::Created)],
        &always,
        at(0),
    );
    let test = fixture.webhook.test(&mut fixture.entropy, at(1));
    let results = vec![MessageResult {
        message: pass.lanes[0][0].clone(),
        sent: Some((at(0), 5, ACCEPTED)),
    }];
    let queued = [test.clone()];
    let settlement = settle(
        &fixture.webhook,
        &queued,
        &pass,
        results,
        &fixture.config,
        &mut fixture.entropy,
        at(2),
    );
    assert_eq!(
        (settlement.messages, settlement.webhook.due_at),
        (vec![], Some(at(1)))
    );
    assert_eq!(
        plan(&settlement.webhook, &queued, &[], &always, at(2)).lanes,
        [vec![test]]
    );
}

#[test]
fn rotation_keeps_only_the_previous_secret() {
    let once = webhook().rotated("b".to_owned(), at(0));
    let twice = once.rotated("c".to_owned(), at(60));
    let nonces: Vec<&str> = twice
        .secrets
        .iter()
        .map(|secret| secret.nonce.as_str())
        .collect();
    assert_eq!(
        (nonces, twice.secrets[1].until),
        (vec!["c", "b"], Some(at(60).after(SECRET_OVERLAP)))
    );
}

#[test]
fn code_of_disabled_webhook_is_a_problem_code() {
    assert_eq!(
        crate::model::webhook::DISABLED_CODE,
        crate::api::problem::ProblemCode::WebhookDisabled.name()
    );
}

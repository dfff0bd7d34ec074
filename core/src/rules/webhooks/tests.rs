//! Rounds of a subscription, from plan to settlement, without a host.

use super::{Tried, WebhookTerms, plan, settle};
use crate::model::{
    Duration, Entropy, EventId, OrderId, Person, StoreId, Timestamp, WebhookId,
    order::{Event, EventKind, JournalEntry, RecordedEvent},
    webhook::{
        Attempt, AttemptResult, Lease, Message, MessageChange, SECRET_OVERLAP, SendError, SigningSecret, Webhook,
        WebhookState, stopped,
    },
};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_795_262_400_000).after(Duration::seconds(seconds))
}

fn webhook() -> Webhook {
    Webhook {
        id: WebhookId::new(7).unwrap(),
        version: 1,
        store: StoreId::new(1).unwrap(),
        matrix: StoreId::new(1).unwrap(),
        url: "https://loja.example/".to_owned(),
        events: vec![],
        secrets: vec![SigningSecret { nonce: "a".to_owned(), until: None }],
        state: WebhookState::Active,
        created_at: at(0),
        position: 0,
        failures: 0,
        due_at: None,
        seen_at: at(0),
        lease: Some(Lease { holder: "me".to_owned(), until: at(90) }),
    }
}

fn entry(place: u64, order: u64, kind: EventKind) -> JournalEntry {
    let event = Event {
        order: OrderId::new(order).unwrap(),
        store: StoreId::new(1).unwrap(),
        sequence: u32::try_from(place).unwrap(),
        at: at(0),
        kind,
        status: 110,
        delivery: None,
        courier: None,
        by: Person { name: "platform".to_owned(), phone: None },
        point: None,
        reason: None,
    };
    JournalEntry { place, recorded: RecordedEvent { id: EventId::new(place).unwrap(), event } }
}

/// A subscription with its messages, and a receiver that answers by the order's number and the place.
struct Fixture {
    webhook: Webhook,
    waiting: Vec<Message>,
    log: Vec<Attempt>,
    entropy: Entropy,
    terms: WebhookTerms,
}

impl Fixture {
    fn new() -> Fixture {
        let (entropy, terms) = (Entropy::new([3; 32]), WebhookTerms::default());
        Fixture { webhook: webhook(), waiting: vec![], log: vec![], entropy, terms }
    }

    /// One round at `now` with this page; the places that were sent, lane by lane.
    fn round(
        &mut self,
        page: &[JournalEntry],
        now: Timestamp,
        result: impl Fn(&Message) -> AttemptResult,
    ) -> Vec<Vec<u64>> {
        let round = plan(&self.webhook, &self.waiting, page, now);
        let (mut tried, mut sent) = (Vec::new(), Vec::new());
        for lane in &round.lanes {
            let (mut stopped, mut places) = (false, Vec::new());
            for message in lane {
                let result = (!stopped).then(|| result(message));
                stopped |= result.is_some_and(|result| !result.is_success());
                places.extend(result.is_some().then_some(message.place()));
                tried.push(Tried { message: message.clone(), sent: result.map(|result| (now, 5, result)) });
            }
            sent.push(places);
        }
        let settled = settle(&self.webhook, &self.waiting, &round, tried, &self.terms, &mut self.entropy, now);
        for change in settled.messages {
            match change {
                MessageChange::Put(message) => {
                    self.waiting.retain(|other| other.name != message.name);
                    self.waiting.push(message);
                }
                MessageChange::Remove { name, .. } => self.waiting.retain(|other| other.name != name),
                MessageChange::Clear(_) => self.waiting.clear(),
            }
        }
        self.waiting.sort_by_key(Message::place);
        self.webhook = settled.webhook;
        self.log.extend(settled.attempts);
        sent
    }
}

const TAKEN: AttemptResult = AttemptResult::Status(204);
const BROKEN: AttemptResult = AttemptResult::Status(500);

#[test]
fn a_failure_holds_up_its_own_order_alone() {
    let mut fixture = Fixture::new();
    let page = [
        entry(1, 10, EventKind::Created),
        entry(2, 20, EventKind::Created),
        entry(3, 10, EventKind::Ready),
        entry(4, 20, EventKind::Ready),
    ];
    let ten_fails = |message: &Message| if message.place() == 1 { BROKEN } else { TAKEN };
    assert_eq!(fixture.round(&page, at(0), ten_fails), [vec![1], vec![2, 4]]);
    assert_eq!(
        fixture.waiting.iter().map(Message::place).collect::<Vec<_>>(),
        [1, 3],
        "what failed, and what waits behind"
    );
    assert_eq!((fixture.webhook.position, fixture.webhook.failures), (4, 0), "a success in between");
    let due = fixture.webhook.due_at.unwrap();
    assert!((at(8)..=at(12)).contains(&due), "{due}");

    let more = [entry(5, 10, EventKind::Searching), entry(6, 20, EventKind::Searching)];
    assert_eq!(fixture.round(&more, at(1), |_| TAKEN), [vec![6]], "order 10 is not due yet");
    assert_eq!(fixture.round(&[], due, |_| TAKEN), [vec![1, 3, 5]], "in the order of the journal");
    assert!(fixture.waiting.is_empty() && fixture.webhook.due_at.is_none());
    let tries: Vec<(u64, u32)> =
        fixture.log.iter().filter(|one| one.name == "evt_1_7").map(|one| (500, one.number)).collect();
    assert_eq!(tries, [(500, 1), (500, 2)], "the name of the message stays");
}

#[test]
fn a_message_is_given_up_after_three_days_and_the_next_one_follows() {
    let mut fixture = Fixture::new();
    fixture.round(&[entry(1, 10, EventKind::Created), entry(2, 10, EventKind::Ready)], at(0), |_| BROKEN);
    let (mut now, mut attempts) = (at(0), 1);
    while fixture.waiting.first().is_some_and(|message| message.place() == 1) {
        now = fixture.webhook.due_at.unwrap();
        fixture.round(&[], now, |_| BROKEN);
        attempts += 1;
    }
    assert!((12..=16).contains(&attempts), "{attempts} attempts");
    let span = now.since(at(0)).as_millis();
    assert!(span <= 3 * 86_400_000 && span > 2 * 86_400_000, "{span} ms");
    assert_eq!(fixture.log.last().map(|attempt| attempt.next_at), Some(None), "the log says that it was the last");
    assert_eq!(fixture.round(&[], now.after(Duration::seconds(1)), |_| TAKEN), [vec![2]]);
}

#[test]
fn gone_ends_it_and_many_failures_disable_it() {
    let mut fixture = Fixture::new();
    fixture.round(&[entry(1, 10, EventKind::Created)], at(0), |_| BROKEN);
    fixture.round(&[entry(2, 20, EventKind::Created)], at(1), |_| AttemptResult::Status(410));
    assert_eq!(fixture.webhook.state, WebhookState::Ended { at: at(1) });
    assert!(fixture.waiting.is_empty() && fixture.webhook.due_at.is_none());

    let mut fixture = Fixture::new();
    fixture.terms.disable_after = 3;
    for (place, order) in [(1, 10), (2, 20)] {
        fixture
            .round(&[entry(place, order, EventKind::Created)], at(0), |_| AttemptResult::HostError(SendError::Timeout));
        assert!(fixture.webhook.is_active());
    }
    fixture.round(&[entry(3, 30, EventKind::Created)], at(2), |_| AttemptResult::Status(302));
    assert_eq!(fixture.webhook.state, WebhookState::Disabled { at: at(2) });
    assert_eq!(fixture.waiting.len(), 3, "it resumes where it stopped");
    assert!(stopped(&fixture.webhook).en.contains("3 consecutive attempts"));
}

#[test]
fn what_nobody_asked_for_is_left_out_and_read_past() {
    let mut fixture = Fixture::new();
    fixture.webhook.events = vec![EventKind::Ready];
    let page = [entry(1, 10, EventKind::Created), entry(2, 10, EventKind::Ready), entry(3, 10, EventKind::Searching)];
    assert_eq!(fixture.round(&page, at(0), |_| TAKEN), [vec![2]]);
    assert_eq!(fixture.webhook.position, 3);
    let only_left_out = plan(&fixture.webhook, &[], &[entry(4, 10, EventKind::Created)], at(1));
    assert!(only_left_out.lanes.is_empty() && !only_left_out.is_empty(&fixture.webhook), "the position moves");
}

#[test]
fn an_order_with_many_events_keeps_them_all_in_order() {
    let mut fixture = Fixture::new();
    let page: Vec<JournalEntry> = (1..=25).map(|place| entry(place, 10, EventKind::Ready)).collect();
    let mut sent = fixture.round(&page, at(0), |_| TAKEN);
    while !fixture.waiting.is_empty() {
        sent.extend(fixture.round(&[], at(1), |_| TAKEN));
    }
    assert_eq!(sent.concat(), (1..=25).collect::<Vec<u64>>());
}

#[test]
fn a_test_or_replay_meanwhile_is_not_lost() {
    let mut fixture = Fixture::new();
    let round = plan(&fixture.webhook, &[], &[entry(1, 10, EventKind::Created)], at(0));
    let test = fixture.webhook.test(&mut fixture.entropy, at(1));
    let tried = vec![Tried { message: round.lanes[0][0].clone(), sent: Some((at(0), 5, TAKEN)) }];
    let waiting = [test.clone()];
    let settled = settle(&fixture.webhook, &waiting, &round, tried, &fixture.terms, &mut fixture.entropy, at(2));
    assert_eq!((settled.messages, settled.webhook.due_at), (vec![], Some(at(1))));
    assert_eq!(plan(&settled.webhook, &waiting, &[], at(2)).lanes, [vec![test]]);
}

#[test]
fn a_rotation_keeps_one_secret_before_the_newest() {
    let once = webhook().rotated("b".to_owned(), at(0));
    let twice = once.rotated("c".to_owned(), at(60));
    let nonces: Vec<&str> = twice.secrets.iter().map(|secret| secret.nonce.as_str()).collect();
    assert_eq!((nonces, twice.secrets[1].until), (vec!["c", "b"], Some(at(60).after(SECRET_OVERLAP))));
}

#[test]
fn code_of_a_stopped_webhook_is_a_problem_code() {
    assert_eq!(crate::model::webhook::DISABLED, crate::api::problem::ProblemCode::WebhookDisabled.name());
}

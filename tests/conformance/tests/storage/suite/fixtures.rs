//! Valid values to store, with almost every field set, so tests detect a lost field.

use despacho_core::{
    changes::{Changes, Write},
    model::{
        Address, Cnpj, CourierId, Day, DeliveryId, Distance, Duration, Email, Entropy, EventId,
        KeyId, LocalTime, Located, Money, NotificationId, OrderId, Person, Phone, PhotoId, PixKey,
        PixRecipient, Point, Precision, Requirements, StoreId, Text, Timestamp, Vehicle, WebhookId,
        cash::DeliveryCash,
        courier::{
            Courier, CourierKey, DeviceKey, Handover, HandoverKind, Position, PushDue,
            PushSubscription, TripOrder,
        },
        order::{
            AssignedCourier, Assignment, AssignmentCost, CodeTries, Confirmation,
            ConsideredCourier, Delivery, DeliveryStatus, DeliveryWindow, Erasure, Eta, Event,
            EventKind, JournalEntry, LastStep, LinkKey, Order, OrderDispatch, OrderProof,
            OrderSchedule, OrderStatus, Payment, PaymentMethod, Photo, PhotoFormat, Place, Proof,
            ProofPart, ProofParts, ProofRule, ProofStep, Rating, ReceivedPayment, RecordedEvent,
            Tracking,
        },
        pay::{OrderPay, PayPlan, PayTerms, Payer, TripPosition},
        price::{PriceLine, Rule},
        privacy::{ErasureCause, ErasureRecord},
        store::{
            Billing, Claim, EntryKind, FailedField, FailureReason, HoursException, Key, KeyHash,
            KeyKind, LedgerEntry, Notification, NotificationKind, NotifyAt, OpeningPeriod,
            RecipientChoice, Ring, ServiceArea, Settle, Store, StoreDispatch, StoreHours,
            StorePayments, StoreTracking, StoredResponse, TimeSpan, TopUp, TopUpRequest,
            TopUpRequests, TrackingContact,
        },
        webhook::{
            Attempt, AttemptResult, Lease, Message, SendError, SigningSecret, Subject, Webhook,
            WebhookState,
        },
    },
};

/// The start time of the tests, in milliseconds.
pub(crate) const NOON: i64 = 1_795_262_400_000;

/// Returns the time this many minutes after noon.
pub(crate) fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(NOON).after(Duration::minutes(minutes))
}

pub(crate) fn store_id(number: u64) -> StoreId {
    StoreId::new(number).unwrap()
}

pub(crate) fn courier_id(number: u64) -> CourierId {
    CourierId::new(number).unwrap()
}

pub(crate) fn order_id(number: u64) -> OrderId {
    OrderId::new(number).unwrap()
}

pub(crate) fn money(centavos: i64) -> Money {
    Money::from_centavos(centavos).unwrap()
}

/// Returns the CNPJ with this number, including check digits.
pub(crate) fn cnpj(number: u64) -> Cnpj {
    let with = |check: u32| Cnpj::parse(&format!("{:012}{check:02}", 11_222_333_000 + number)).ok();
    (0..100).find_map(with).unwrap()
}

pub(crate) fn email(number: u64) -> Email {
    Email::parse(&format!("Loja{number}@example.com")).unwrap()
}

pub(crate) fn point(number: u64) -> Point {
    Point {
        lat_e7: -235_505_201 + i32::try_from(number).unwrap(),
        lon_e7: -466_333_089,
    }
}

fn phone() -> Phone {
    Phone::parse("+5511987654321").unwrap()
}

fn place(number: u64) -> Place {
    let address = Address {
        street: Some("Rua 25 de Março".to_owned()),
        number: Some("S/N".to_owned()),
        complement: Some("fundos \"B\" \\ 2º".to_owned()),
        neighborhood: Some("Sé".to_owned()),
        city: Some("São Paulo".to_owned()),
        state: Some("sp".to_owned()),
        zip_code: Some("01021-200".to_owned()),
        point: Some(point(number)),
    };
    Place {
        address,
        located: Located {
            point: point(number),
            precision: Precision::Cep5,
            radius_m: 230,
        },
    }
}

/// Returns store 1, which is prepaid; with another odd number, a branch that shares its balance;
/// with an even number, an invoiced branch.
pub(crate) fn store(number: u64) -> Store {
    let Place { address, located } = place(number);
    Store {
        id: store_id(number),
        version: 1,
        parent: (number > 1).then(|| store_id(1)),
        cnpj: cnpj(number),
        name: format!("Padaria Pão Quente nº {number}"),
        responsible: Person {
            name: "João Conceição".to_owned(),
            phone: Some(phone()),
        },
        email: email(number),
        password_hash: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA".to_owned(),
        link: None,
        origins: Vec::new(),
        address,
        located,
        category: 1,
        billing: if number.is_multiple_of(2) {
            Billing::Invoiced
        } else {
            Billing::Prepaid { floor: money(-50) }
        },
        balance: Money::ZERO,
        sandbox: number.is_multiple_of(2),
        dispatch: StoreDispatch {
            lead_minutes: Some(15),
            orders_per_trip: Some(4),
        },
        tracking: StoreTracking {
            enabled: true,
            contact: TrackingContact {
                phone: Some(phone()),
                ..TrackingContact::default()
            },
            choices: RecipientChoice::ALL.to_vec(),
            notify_at: NotifyAt::ALL.to_vec(),
        },
        proofs: vec![proof_rule()],
        preparation_minutes: Some(20),
        hours: hours(),
        area: Some(ServiceArea(vec![vec![Ring(
            [1, 2, 3, 1].map(point).to_vec(),
        )]])),
        estimates: None,
        payments: StorePayments {
            settle: Settle::AtShiftEnd,
            pix: Some(pix()),
        },
        top_ups: TopUpRequests {
            last: 3,
            requests: vec![TopUpRequest {
                number: 3,
                amount: money(25_000),
                requested_at: at(1),
                confirmed_at: Some(at(2)),
            }],
        },
        disabled_at: None,
        parent_disabled: false,
        created_at: at(0),
        deleted_at: None,
    }
}

fn pix() -> PixRecipient {
    PixRecipient {
        key: PixKey::parse("+5511999990000").unwrap(),
        name: "Padaria Pão Quente".to_owned(),
        city: "São Paulo".to_owned(),
    }
}

fn hours() -> StoreHours {
    let span = TimeSpan {
        from: LocalTime::START,
        until: LocalTime::parse("23:59").unwrap(),
    };
    let date = Day::parse("2026-12-25").unwrap();
    StoreHours {
        weekly: vec![OpeningPeriod {
            days: Vec::new(),
            span,
        }],
        exceptions: vec![HoursException {
            date,
            open: None,
            name: Some("Natal".to_owned()),
        }],
    }
}

pub(crate) fn key(number: u64, store: u64) -> Key {
    Key {
        id: KeyId::new(number).unwrap(),
        version: 1,
        store: store_id(store),
        hash: KeyHash::of(&format!("dsp_{number}")),
        kind: KeyKind::Integration,
        name: Some("ERP da matriz".to_owned()),
        user: None,
        integrator: store_id(1),
        created_at: at(0),
        expires_at: at(60),
        deleted_at: None,
        connection: WebhookId::new(7),
        confirmed_until: Some(at(5)),
    }
}

pub(crate) fn delivery(number: u64) -> Delivery {
    Delivery {
        id: DeliveryId::new(number).unwrap(),
        code: Some(format!("E-{number}")),
        full_code: Some("E-full".to_owned()),
        name: Some("Ana".to_owned()),
        phone: Some(phone()),
        email: Some(email(number)),
        observation: Some("portão azul\r\n\t🛵".to_owned()),
        online_payment: number.is_multiple_of(2),
        product_value: Some(money(12_345)),
        payment: Some(Payment {
            returns: Some(false),
            method: PaymentMethod::Cash,
            change_for: Some(money(20_000)),
            split: Vec::new(),
            pix: Some(Box::new(pix())),
        }),
        received: vec![ReceivedPayment {
            method: PaymentMethod::Pix,
            amount: money(12_345),
            reference: Some("E9040088820261121143000123456789".to_owned()),
            at: at(31),
        }],
        cash: Some(DeliveryCash {
            courier: CourierId::new(9).unwrap(),
            collected: money(12_000),
            direct: money(345),
            handed_over: true,
        }),
        window: Some(DeliveryWindow {
            from: at(30),
            until: at(90),
        }),
        status: DeliveryStatus::AwaitingPickup,
        place: place(number),
        distance: Distance(1_234),
        delivery_code: "0042".to_owned(),
        confirmation: Some(Confirmation {
            marketplace_b: Some("B-7".to_owned()),
            platform: true,
            ..Default::default()
        }),
        erased: number.is_multiple_of(2),
        tracking: Some(Tracking {
            link: Some(LinkKey {
                nonce: format!("{number:032}"),
                hash: KeyHash::of(&number.to_string()),
            }),
            ended_at: number.is_multiple_of(2).then(|| at(7)),
            notify_at: NotifyAt::ALL.to_vec(),
            choice: Some(RecipientChoice::Doorman),
            rating: Some(Rating {
                stars: 4,
                text: Some("tudo certo\n🛵".to_owned()),
                at: at(9),
            }),
        }),
    }
}

/// Returns an order that is ready ten minutes after noon.
pub(crate) fn order(number: u64, store: u64, code: &str) -> Order {
    Order {
        id: order_id(number),
        version: 1,
        store: store_id(store),
        code: code.to_owned(),
        full_code: Some(format!("{code}-full")),
        fingerprint: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8".to_owned(),
        origin: "INTEGRATION".to_owned(),
        status: OrderStatus::Preparing,
        status_since: at(0),
        status_received_at: None,
        created_at: at(0),
        preparation_minutes: 10,
        ready_at: at(10),
        schedule: Some(OrderSchedule { deliver_at: Some(at(40)), priced_at: at(12) }),
        pickup: place(store),
        pickup_instructions: Some("balcão\r\n\t🛵".to_owned()),
        pickup_code: "7788".to_owned(),
        own_pickup_code: true,
        return_code: Some("1122".to_owned()),
        deliveries: vec![delivery(number * 100 + 1), delivery(number * 100 + 2)],
        total_distance: Distance(12_345),
        return_leg: Some(Distance(678)),
        fee: money(1_890),
        cancellation_fee: money(450),
        cancelled_late: money(900),
        price_breakdown: vec![PriceLine {
            rule: Rule::Base,
            quantity: rust_decimal::Decimal::ONE,
            amount: money(1_890),
        }],
        tariff_version: "2026-11".to_owned(),
        estimated: true,
        expected_pickup: Some(at(12)),
        expected_delivery: Some(at(40)),
        delivered_at: Some(at(39)),
        last_step: Some(LastStep { at: at(2), taken_at: at(2), from: Some(point(1)) }),
        courier: Some(AssignedCourier {
            id: CourierId::new(9).unwrap(),
            profile_id: 77,
            name: "Caê".to_owned(),
            phone: phone(),
            position: Some(point(3)),
        }),
        pay: Some(Box::new(OrderPay {
            name: "moto".to_owned(),
            plan: PayPlan {
                version: "2026.1".to_owned(),
                per_km: "1.2345".parse().unwrap(),
                ..PayPlan::default()
            },
            payer: Payer::Store,
            deliveries: 2,
            position: Some(TripPosition::Further),
            waited_minutes: 4,
        })),
        attempt: 2,
        released: vec![CourierId::new(8).unwrap()],
        first_allocated_at: Some(at(3)),
        sandbox: false,
        proof: proof(number),
        tries: CodeTries { wrong: 3, locked_until: Some(at(9)) },
        last_sequence: 1,
        last_event_at: Some(at(2)),
        erasure: Erasure::NotErased,
        dispatch: OrderDispatch { lead_minutes: 0, combinable: false, orders_per_trip: Some(4) },
        eta: Some(Eta { pickup: Some(at(12)), delivery: at(41), at: at(3) }),
        requirements: Requirements {
            vehicles: vec![Vehicle::MotorbikeBag, Vehicle::Car],
            weight_g: Some(1_200),
            volume_ml: Some(4_000),
            packages: Some(3),
            equipment: despacho_core::model::Equipment { thermic: true, card_machine: false },
        },
        open_delivery: serde_json::from_value(serde_json::json!({
            "connection": 7, "display_id": "1042", "merchant_name": "Pizzaria Boa", "container": "THERMIC",
            "awaits_conclusion": true, "checks_code": true,
        }))
        .unwrap(),
        assignments: vec![assignment()],
        notices: Vec::new(),
    }
}

pub(crate) fn photo_id(number: u64) -> PhotoId {
    PhotoId::new(number).unwrap()
}

fn proof_rule() -> ProofRule {
    let requires = vec![ProofPart::Photo, ProofPart::Position];
    ProofRule {
        step: ProofStep::Failure,
        reason: Some("ausente \"2ª vez\"".to_owned()),
        requires,
    }
}

fn proof(order: u64) -> OrderProof {
    let photo = Photo {
        id: photo_id(order * 100 + 50),
        sha256: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8".to_owned(),
        bytes: 1_048_576,
        format: PhotoFormat::Webp,
        courier: CourierId::new(9).unwrap(),
        at: at(20),
    };
    let parts = ProofParts {
        photos: vec![photo.id],
        received_by: Some("Ana \u{1f6f5}".to_owned()),
        note: Some("na portaria".to_owned()),
        position: Some(point(4)),
    };
    let delivery = DeliveryId::new(order * 100 + 1);
    let step = Proof {
        sequence: 1,
        step: ProofStep::Failure,
        delivery,
        at: at(21),
        parts,
        erased: false,
    };
    OrderProof {
        rules: vec![proof_rule()],
        photos: vec![photo],
        steps: vec![step],
    }
}

fn assignment() -> Assignment {
    let (courier, cost) = (
        CourierId::new(9).unwrap(),
        AssignmentCost {
            wait: 120,
            reoffer: -3,
            ..Default::default()
        },
    );
    let considered = vec![ConsideredCourier { courier, cost }];
    Assignment {
        at: at(3),
        courier,
        cost,
        orders: 2,
        considered,
    }
}

pub(crate) fn event(order: &Order, sequence: u32) -> Event {
    Event {
        order: order.id,
        store: order.store,
        sequence,
        at: at(i64::from(sequence)),
        received_at: Some(at(i64::from(sequence) + 1)),
        kind: EventKind::Created,
        status: 110,
        delivery: DeliveryId::new(5),
        courier: Some(Person {
            name: "Caê".to_owned(),
            phone: Some(phone()),
        }),
        by: Person {
            name: "platform".to_owned(),
            phone: None,
        },
        point: Some(point(4)),
        reason: Some("ninguém atende".to_owned()),
    }
}

pub(crate) fn courier(number: u64) -> Courier {
    Courier {
        id: CourierId::new(number).unwrap(),
        version: 1,
        profile_id: 700 + number,
        name: "Caê".to_owned(),
        phone: phone(),
        email: Some(email(number)),
        document: None,
        position: None,
        position_at: None,
        available: true,
        trip: Vec::new(),
        shift: None,
        key: Some(CourierKey {
            hash: KeyHash::of(&format!("courier {number}")),
            expires_at: at(60),
        }),
        device: Some(DeviceKey {
            hash: KeyHash::of(&format!("device {number}")),
            created_at: at(1),
            session: Some(KeyHash::of("s")),
        }),
        push: vec![PushSubscription {
            session: Some(KeyHash::of("s")),
            endpoint: format!("https://push.example/{number}"),
            created_at: at(1),
            due: Some(PushDue {
                since: at(2),
                at: at(3),
                tries: 1,
            }),
        }],
        sign_in: Some(CourierKey {
            hash: KeyHash::of(&format!("sign-in {number}")),
            expires_at: at(60),
        }),
        sessions: vec![CourierKey {
            hash: KeyHash::of(&format!("session {number}")),
            expires_at: at(3600),
        }],
        sandbox: false,
        vehicle: Vehicle::default(),
        max_weight_g: None,
        max_volume_ml: None,
        equipment: despacho_core::model::Equipment::ALL,
        pay: vec![PayTerms {
            store: Some(store_id(1)),
            plan: "moto".to_owned(),
            payer: Payer::Store,
            shift_payer: Payer::Operator,
        }],
        cash_limit: None,
        handovers: vec![Handover {
            kind: HandoverKind::Return,
            store: store_id(1),
            seconds: 240,
        }],
        suspended_at: None,
        removed_at: None,
    }
}

/// Returns the courier with a trip of these orders, none of which is picked up.
pub(crate) fn on_trip(courier: Courier, orders: &[u64]) -> Courier {
    let waiting = |number: &u64| TripOrder {
        id: order_id(*number),
        picked_up: false,
    };
    Courier {
        trip: orders.iter().map(waiting).collect(),
        ..courier
    }
}

/// Returns a courier's position at `minutes` after noon.
pub(crate) fn position(number: u64, minutes: i64) -> Position {
    Position {
        courier: CourierId::new(number).unwrap(),
        point: point(number),
        at: at(minutes),
    }
}

pub(crate) fn entry(store: u64, centavos: i64, floor: Option<i64>) -> LedgerEntry {
    LedgerEntry {
        store: store_id(store),
        account: None,
        order: Some(order_id(1)),
        kind: EntryKind::Fee,
        amount: money(centavos),
        at: at(0),
        floor: floor.map(money),
    }
}

pub(crate) fn top_up(store: u64, centavos: i64, reference: &str) -> TopUp {
    TopUp {
        store: store_id(store),
        amount: money(centavos),
        reference: reference.to_owned(),
        at: at(0),
    }
}

pub(crate) fn notification(number: u64, store: u64) -> Notification {
    let detail = Text::new("no such street", "rua inexistente");
    let field = FailedField {
        pointer: "/deliveries/0".to_owned(),
        code: "address_not_found".to_owned(),
        detail,
    };
    let reason = FailureReason {
        code: "address_not_found".to_owned(),
        detail: Text::new("not found", "não encontrado"),
        fields: vec![field],
    };
    Notification {
        id: NotificationId::new(number).unwrap(),
        store: store_id(store),
        kind: NotificationKind::OrderCreationFailed,
        created_at: at(0),
        read_at: None,
        order: None,
        order_code: Some("P-1".to_owned()),
        reason: Some(reason),
    }
}

pub(crate) fn webhook_id(number: u64) -> WebhookId {
    WebhookId::new(number).unwrap()
}

/// Returns a webhook of a store of merchant 1.
pub(crate) fn webhook(number: u64, store: u64) -> Webhook {
    let secret = |nonce: &str, until| SigningSecret {
        nonce: nonce.to_owned(),
        until,
    };
    Webhook {
        id: webhook_id(number),
        version: 1,
        store: store_id(store),
        merchant: store_id(1),
        url: "https://loja.example/gancho?a=1".to_owned(),
        events: vec![EventKind::Created, EventKind::Ready],
        secrets: vec![secret("b", None), secret("a", Some(at(60)))],
        state: WebhookState::Active,
        created_at: at(0),
        position: 3,
        failures: 2,
        due_at: Some(at(4)),
        seen_at: at(0),
        lease: Some(Lease {
            holder: "me".to_owned(),
            until: at(1),
        }),
        open_delivery: None,
    }
}

fn subject(place: u64) -> Subject {
    let recorded = RecordedEvent {
        id: EventId::new(place).unwrap(),
        event: event(&order(50, 1, "P-1"), 1),
    };
    Subject::Event(Box::new(JournalEntry {
        position: place,
        recorded,
    }))
}

/// Returns a message about the event at a position, after this many attempts.
pub(crate) fn message(webhook: u64, place: u64, tries: u32) -> Message {
    let name = format!("evt_{place}_{webhook}");
    let (since, due_at) = (at(0), at(i64::from(tries)));
    Message {
        webhook: webhook_id(webhook),
        name,
        subject: subject(place),
        tries,
        since,
        due_at,
    }
}

pub(crate) fn attempt(webhook: u64, number: u32) -> Attempt {
    Attempt {
        webhook: webhook_id(webhook),
        name: format!("evt_1_{webhook}"),
        subject: if number.is_multiple_of(2) {
            Subject::Test
        } else {
            subject(1)
        },
        number,
        at: at(0),
        took_ms: 15_000,
        result: if number.is_multiple_of(3) {
            AttemptResult::Status(503)
        } else {
            AttemptResult::Failed(SendError::Timeout)
        },
        next_at: Some(at(1)),
    }
}

/// Returns a claim that expires five minutes after noon.
pub(crate) fn claim(key: &str, holder: &str) -> Claim {
    Claim {
        owner: Some("merchant/1".to_owned()),
        scope: "store/1".to_owned(),
        key: key.to_owned(),
        fingerprint: "f00d".to_owned(),
        holder: holder.to_owned(),
        response: None,
        expires_at: at(5),
    }
}

pub(crate) fn with_response(claim: Claim) -> Claim {
    let response = StoredResponse {
        status: 201,
        body: r#"{"id":1}"#.to_owned(),
        key_nonce: Some("ab".to_owned()),
        link_nonces: vec!["cd".to_owned()],
        recompute: None,
    };
    Claim {
        response: Some(response),
        expires_at: at(24 * 60),
        ..claim
    }
}

pub(crate) fn erasure_record() -> ErasureRecord {
    ErasureRecord {
        name: "request/1".to_owned(),
        cause: ErasureCause::Request,
        subject: Some("ab".to_owned()),
        at: at(1),
        orders: 1,
        deliveries: 2,
        entries: 3,
        archived: 4,
    }
}

/// Returns no changes, with the time noon.
pub(crate) fn changes() -> Changes {
    Changes {
        at: at(0),
        ..Changes::default()
    }
}

/// Returns a write that replaces version `expected`.
pub(crate) fn update<T>(expected: u32, value: T) -> Write<T> {
    Write { expected, value }
}

/// Random numbers from a seed.
pub(crate) struct Rng(Entropy);

impl Rng {
    pub(crate) fn new(seed: u8) -> Rng {
        Rng(Entropy::new([seed; 32]))
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        u64::from_be_bytes(self.0.bytes()) % limit
    }

    /// Returns true with the probability 1 / `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

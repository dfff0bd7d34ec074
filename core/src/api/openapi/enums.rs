//! The enumerations of the API, with a description of every value.

use super::json::Json;
use crate::{
    api::{audit::ACTIONS, problem::ProblemCode},
    model::{
        Load, PixKeyKind, Vehicle,
        audit::ActorKind,
        cash::CashKind,
        order::{
            DeliveryStatus, EventKind, NoticeCode, OrderStatus, PaymentMethod, ProofPart, ProofStep,
        },
        pay::{Combine, PayKind, Payer},
        price::EstimatePolicy,
        store::{EntryKind, KeyKind, NotificationKind, RecipientChoice, Role, Settle, TopUpState},
        webhook::AttemptResult,
    },
    rules::recipient::TrackingState,
};

/// The codes of invalid fields that are not also problem codes, with their descriptions.
const FIELD_CODES: [(&str, &str); 67] = [
    ("invalid_json", "The body is not JSON; `pointer` is empty."),
    ("wrong_type", "The value has the wrong JSON type."),
    (
        "overlap",
        "The value overlaps with another one of the same list, or of another field.",
    ),
    ("duplicate_field", "The field was sent twice."),
    ("duplicate", "Another object has this value."),
    (
        "unknown_field",
        "The field is unknown, and the request is handled strictly.",
    ),
    ("invalid_vehicle", "The kind of vehicle is unknown."),
    (
        "too_large",
        "No permitted kind of vehicle carries the order.",
    ),
    ("required", "The field is missing, null or blank."),
    ("too_short", "The string has too few characters."),
    ("too_long", "The string has too many characters."),
    ("invalid_characters", "The string has control characters."),
    ("not_whole", "The number is not an integer."),
    ("out_of_range", "The value is too small or too large."),
    (
        "too_many_decimals",
        "The amount has more than two decimal places.",
    ),
    (
        "invalid_state",
        "Not the code of a Brazilian state or the Federal District.",
    ),
    ("invalid_zip_code", "Not a CEP of eight digits."),
    (
        "incomplete_coordinates",
        "Only one of latitude and longitude was sent.",
    ),
    (
        "not_locatable",
        "The address has neither coordinates, nor a CEP, nor city and state.",
    ),
    (
        "invalid_phone",
        "A required phone number is not in E.164 format; if it is a number in another format, `detail` has the correct one.",
    ),
    (
        "invalid_cursor",
        "Not the `nextCursor` of a previous response.",
    ),
    ("invalid_email", "Not an email address."),
    (
        "invalid_pix_key",
        "Not a Pix key, or its check digits do not match.",
    ),
    (
        "invalid_cnpj",
        "Not a CNPJ, or its check digits do not match.",
    ),
    (
        "invalid_time",
        "Not a timestamp in the format that the field has.",
    ),
    ("in_the_past", "The time has passed."),
    ("too_late", "The time is more than 30 days ahead."),
    (
        "too_soon",
        "The order cannot be delivered by this time; `detail` has the earliest possible one.",
    ),
    (
        "ends_before_start",
        "The window does not end after it starts.",
    ),
    ("window_too_long", "The window is longer than 24 hours."),
    ("conflicting_window", "`deliverAt` is outside the window."),
    ("invalid_pickup_code", "Not 4 to 12 letters or digits."),
    ("invalid_pin", "Neither `first` nor `last`."),
    (
        "conflicting_pin",
        "Another delivery is pinned at the same end.",
    ),
    (
        "conflicting_pickup_code",
        "Two deliveries of one order have different pickup codes.",
    ),
    ("city_unknown", "The municipality is unknown."),
    ("zip_code_unknown", "The CEP is unknown."),
    ("city_not_in_state", "The city is not in this state."),
    (
        "zip_code_mismatch",
        "The CEP belongs to a municipality other than `city`.",
    ),
    (
        "street_unknown",
        "The street is unknown, and the rest of the address is not precise enough.",
    ),
    (
        "number_unknown",
        "The street number is unknown, and the street is not precise enough.",
    ),
    (
        "coordinates_outside",
        "The coordinates are outside Brazil or in the sea.",
    ),
    (
        "unknown_delivery",
        "The order has no delivery with this ID.",
    ),
    (
        "unknown_value",
        "The value is none of those that the field can have.",
    ),
    (
        "not_applicable",
        "The field does not apply to the values of other fields. Omit it.",
    ),
    (
        "unknown_photo",
        "The courier sent no photo with this ID for the order.",
    ),
    (
        "invalid_url",
        "Not an absolute https URL in ASCII without user or fragment.",
    ),
    ("insecure_url", "The URL is not https."),
    (
        "private_address",
        "The URL has an address in a private network.",
    ),
    ("unknown_event", "The event type is unknown."),
    ("push_unavailable", "The deployment sends no push messages."),
    (
        "mail_unavailable",
        "The deployment, or a sandbox store, sends no mail.",
    ),
    (
        "mail_events",
        "A webhook with the URL `smtp:` subscribes to exactly one event type, `recipient.notify`.",
    ),
    ("invalid_date", "Not a date in the format `YYYY-MM-DD`."),
    ("duplicate_date", "The list has the date twice."),
    ("empty_period", "The period ends when it starts."),
    (
        "overlapping_hours",
        "The period overlaps with another one of the week.",
    ),
    (
        "unsupported_geometry",
        "The type is neither `Polygon` nor `MultiPolygon`.",
    ),
    (
        "invalid_position",
        "Not a longitude and a latitude in degrees, or a list at the wrong depth.",
    ),
    ("too_many_rings", "The area has more than 20 rings."),
    (
        "too_many_positions",
        "The area has more than 500 positions.",
    ),
    (
        "ring_not_closed",
        "The last position of the ring differs from the first.",
    ),
    (
        "ring_too_short",
        "The ring has fewer than three different positions.",
    ),
    ("ring_crosses_itself", "Edges of the ring cross or touch."),
    ("hole_outside_ring", "A hole is not inside the outer ring."),
    (
        "invalid_value",
        "Not one of the values that the field accepts.",
    ),
    (
        "too_many_deliveries",
        "The list has more deliveries than allowed.",
    ),
];

/// Problem codes that are also codes of invalid fields.
const ALSO_FIELDS: [ProblemCode; 13] = [
    ProblemCode::QuoteMismatch,
    ProblemCode::PasswordRequired,
    ProblemCode::StoreNotAllowed,
    ProblemCode::StoreNotFound,
    ProblemCode::UserNotFound,
    ProblemCode::CnpjTaken,
    ProblemCode::EmailTaken,
    ProblemCode::AddressImprecise,
    ProblemCode::CoordinatesMismatch,
    ProblemCode::OutOfArea,
    ProblemCode::WindowUnreachable,
    ProblemCode::FeeAboveMaximum,
    ProblemCode::CodeIncorrect,
];

const BRANCHES: [(u64, &str); 8] = [
    (1, "Food"),
    (2, "Pharmacy"),
    (3, "Groceries"),
    (4, "Beverages"),
    (5, "Pets"),
    (6, "Flowers and gifts"),
    (7, "Documents"),
    (8, "Other"),
];

/// Returns the schemas of all enumerations.
pub(super) fn schemas() -> Vec<(&'static str, Json)> {
    let orders = OrderStatus::ALL
        .iter()
        .map(|value| (value.number().into(), value.name(), value.meaning()));
    let deliveries = DeliveryStatus::ALL
        .iter()
        .map(|value| (value.number().into(), value.name(), value.meaning()));
    let mut names = std::collections::BTreeMap::<u64, Vec<&str>>::new();
    for (number, name, _) in orders.clone().chain(deliveries.clone()) {
        let of_number = names.entry(number).or_default();
        if !of_number.contains(&name) {
            of_number.push(name);
        }
    }
    let both = names.keys().copied();
    let both_names = names.values().map(|names| names.join("_OR_"));
    let codes = ProblemCode::ALL.iter().map(|code| {
        (
            code.name(),
            format!("{} — {}", code.status(), code.meaning()),
        )
    });
    let fields = FIELD_CODES
        .iter()
        .map(|(name, meaning)| (*name, (*meaning).to_owned()));
    let fields = fields.chain(
        ALSO_FIELDS
            .iter()
            .map(|code| (code.name(), code.meaning().to_owned())),
    );
    let events = EventKind::ALL
        .iter()
        .map(|kind| (kind.name(), format!("{}.", kind.description().en)));
    vec![
        (
            "OrderSituation",
            numbers(
                "The status of an order. The hundreds are the phase; 500 and above is final.",
                orders,
            ),
        ),
        (
            "DeliverySituation",
            numbers(
                "The status of a delivery. 500 and above is final.",
                deliveries,
            ),
        ),
        (
            "AnySituation",
            named(
                integer(
                    "An `OrderSituation`, or a `DeliverySituation` if `deliveryId` is not null.",
                    both,
                ),
                both_names,
            ),
        ),
        (
            "EventType",
            texts(
                "The type of an event. New types may be added: ignore unknown types.",
                events,
            ),
        ),
        (
            "NotificationType",
            texts("The reason for a notification.", notifications()),
        ),
        (
            "NoticeCode",
            texts(
                "The kind of a notice. New codes may be added: ignore unknown codes.",
                notices(),
            ),
        ),
        (
            "Precision",
            texts(
                "The precision of an address's location, from best to worst.",
                precisions(),
            ),
        ),
        (
            "PriceRule",
            texts("The tariff rule of a line in the fee.", rules()),
        ),
        (
            "EstimatePolicy",
            texts("What to do with a price that is an estimate.", policies()),
        ),
        (
            "Settle",
            texts(
                "When couriers bring a store the cash that they collected.",
                settles(),
            ),
        ),
        (
            "PayType",
            texts(
                "The type of a line or an entry of a courier's pay.",
                pay_kinds(),
            ),
        ),
        ("Payer", texts("Who pays a courier.", payers())),
        (
            "Combine",
            texts(
                "How the parts of an order's pay are combined.",
                combinations(),
            ),
        ),
        ("PixKeyKind", texts("The kind of a Pix key.", pix_keys())),
        (
            "TopUpState",
            texts("The state of a request for a top-up.", top_up_states()),
        ),
        (
            "KeyOrigin",
            texts(
                "The purpose of a key, and the origin of the orders created with it.",
                origins(),
            ),
        ),
        (
            "MarketplaceBranch",
            described_numbers(
                "The store's line of business.",
                BRANCHES.iter().map(|(n, text)| {
                    (
                        *n,
                        text.to_uppercase().replace(' ', "_"),
                        (*text).to_owned(),
                    )
                }),
            ),
        ),
        (
            "ProblemCode",
            texts(
                "The kind of problem, with its HTTP status and its condition.",
                codes,
            ),
        ),
        ("FieldCode", texts("The error in a field.", fields)),
        ("StoreNumber", number("A store's ID")),
        ("CourierNumber", number("A courier's ID")),
        ("StopNumber", number("The ID of an order or a delivery")),
        (
            "CancellationMode",
            texts("The terms on which an order can be cancelled.", modes()),
        ),
        (
            "PaymentMethod",
            texts("How a recipient pays at the door.", payment_methods()),
        ),
        (
            "RouteSource",
            texts("The origin of the path of a leg.", route_sources()),
        ),
        (
            "WebhookStatus",
            texts("The state of a webhook.", statuses()),
        ),
        (
            "AttemptFault",
            texts(
                "The error of an attempt.",
                AttemptResult::ERRORS
                    .iter()
                    .map(|(name, meaning)| (*name, (*meaning).to_owned())),
            ),
        ),
        (
            "SkipReason",
            texts(
                "The reason why a valid position was not stored.",
                skip_reasons(),
            ),
        ),
        (
            "TrackingState",
            texts(
                "The state of a delivery for its recipient.",
                tracking_states(),
            ),
        ),
        (
            "VehicleKind",
            texts(
                "A kind of vehicle, by its name in Open Delivery.",
                vehicles(),
            ),
        ),
        (
            "RecipientChoice",
            texts(
                "What a recipient who is not at home chooses.",
                recipient_choices(),
            ),
        ),
        (
            "NotifyAt",
            texts(
                "A step after which a recipient gets a message.",
                notify_steps(),
            ),
        ),
        (
            "LinkAction",
            texts("What to do with a link.", link_actions()),
        ),
        (
            "ProofStep",
            texts("A step of which a courier can send a proof.", proof_steps()),
        ),
        ("ProofPart", texts("A part of a proof.", proof_parts())),
        ("PhotoNumber", number("A photo's ID")),
        ("UserNumber", number("A user's ID")),
        (
            "AuditAction",
            texts(
                "The change in an entry of the audit log.",
                ACTIONS
                    .iter()
                    .map(|(name, meaning)| (*name, (*meaning).to_owned())),
            ),
        ),
        (
            "ActorKind",
            texts("The kind of a login or key that sent a request.", actors()),
        ),
        ("Role", texts("What a login may do.", roles())),
        (
            "EntryType",
            texts("The kind of an entry in a statement.", entries()),
        ),
        (
            "CashEntryType",
            texts("The kind of an entry in the cash ledger.", cash_kinds()),
        ),
        (
            "StopPin",
            texts(
                "The end of the route at which a stop is fixed.",
                stop_pins(),
            ),
        ),
        ("AreaCoordinates", area_coordinates()),
    ]
}

/// The rings of a polygon, or those of several.
fn area_coordinates() -> Json {
    let list = |items| Json::object([("type", "array".into()), ("items", items)]);
    let position = || list(Json::object([("type", "number".into())])).with("minItems", 2);
    let polygon = || list(list(position()));
    let corners = [
        [-46.66, -23.55],
        [-46.64, -23.55],
        [-46.65, -23.57],
        [-46.66, -23.55],
    ];
    let ring = Json::list(corners.map(|corner| Json::list(corner.map(Json::Float))));
    Json::object([
        (
            "description",
            "The coordinates of a `Polygon` or of a `MultiPolygon`.".into(),
        ),
        ("anyOf", Json::list([polygon(), list(polygon())])),
        ("example", Json::list([ring])),
    ])
}

fn actors() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |kind| match kind {
        ActorKind::Operator => "The operator.",
        ActorKind::StoreLogin => "A session of a store's own login.",
        ActorKind::User => "A session of a user.",
        ActorKind::Key => "An API key.",
        ActorKind::Courier => "A courier, by a sign-in link, a session or the courier's key.",
    };
    ActorKind::ALL
        .into_iter()
        .map(move |kind| (kind.name(), meaning(kind).to_owned()))
}

fn cash_kinds() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |kind| match kind {
        CashKind::Float => "The store gave the courier change.",
        CashKind::Collected => {
            "The courier collected the payment of a delivery, also 0; once for each delivery that is paid in cash."
        }
        CashKind::Correction => "The counter changed what was collected; the amount is the change.",
        CashKind::HandedOver => "The courier gave cash to the store.",
        CashKind::ToStoreDirectly => {
            "The recipient gave the cash to the store. It is not in hand; the amount can be a change."
        }
        CashKind::Difference => {
            "A closing: counted minus expected, also 0. With it, the next period starts at 0."
        }
        CashKind::Note => "The reason for a difference, sent after the closing.",
    };
    CashKind::ALL
        .into_iter()
        .map(move |kind| (kind.name(), meaning(kind).to_owned()))
}

fn roles() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |role| match role {
        Role::Owner => {
            "Everything that the store may do. The store's own login and API keys have this role."
        }
        Role::Clerk => "Daily work with orders, without keys, webhooks, money, users and settings.",
    };
    Role::ALL
        .into_iter()
        .map(move |role| (role.name(), meaning(role).to_owned()))
}

fn tracking_states() -> impl Iterator<Item = (&'static str, String)> {
    TrackingState::ALL
        .iter()
        .map(|state| (state.name(), format!("{}.", state.text().en)))
}

fn vehicles() -> impl Iterator<Item = (&'static str, String)> {
    Vehicle::ALL.into_iter().map(|kind| {
        let Load {
            weight_g,
            volume_ml,
        } = kind.limit();
        (
            kind.name(),
            format!(
                "At most {} kg and {} litres.",
                weight_g / 1_000,
                volume_ml / 1_000
            ),
        )
    })
}

fn recipient_choices() -> impl Iterator<Item = (&'static str, String)> {
    RecipientChoice::ALL
        .iter()
        .map(|choice| (choice.name(), format!("{}.", choice.text().en)))
}

fn notify_steps() -> [(&'static str, String); 3] {
    [
        ("CREATED", "The order was created."),
        ("PICKED_UP", "The courier has the goods."),
        ("EN_ROUTE", "The courier is on the way to the recipient."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn link_actions() -> [(&'static str, String); 2] {
    [
        ("ROTATE", "Replace it with a new one."),
        ("REVOKE", "End it."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn stop_pins() -> [(&'static str, String); 2] {
    [
        ("first", "Directly after the pickup."),
        ("last", "The last delivery."),
    ]
    .map(|(name, text)| (name, text.to_owned()))
}

fn proof_steps() -> Vec<(&'static str, String)> {
    let meaning = |step| match step {
        ProofStep::Pickup => "The pickup: `/courier/orders/{platformOrderId}/pickup`.",
        ProofStep::Delivery => "The delivery: `…/deliver`.",
        ProofStep::Failure => "A failed delivery: `…/fail`.",
        ProofStep::Return => "The return: `…/hand-back`.",
    };
    ProofStep::ALL
        .iter()
        .map(|step| (step.name(), meaning(*step).to_owned()))
        .collect()
}

fn proof_parts() -> Vec<(&'static str, String)> {
    let meaning = |part| match part {
        ProofPart::Photo => "At least one photo.",
        ProofPart::Name => "The name of the person who received the goods.",
        ProofPart::Note => "A note.",
        ProofPart::Position => "The position of the courier's device.",
    };
    ProofPart::ALL
        .iter()
        .map(|part| (part.name(), meaning(*part).to_owned()))
        .collect()
}

fn skip_reasons() -> [(&'static str, String); 5] {
    [
        ("older", "It is not newer than the stored position."),
        (
            "too_soon",
            "The last position was stored less than one interval ago.",
        ),
        (
            "inaccurate",
            "Its accuracy is worse than 10 km, or negative.",
        ),
        (
            "in_future",
            "It is more than 5 minutes in the future. The phone's clock may be wrong.",
        ),
        ("outside_brazil", "It is outside Brazil or in the sea."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn numbers<'a>(title: &str, values: impl Iterator<Item = (u64, &'a str, &'a str)>) -> Json {
    let described = |(number, name, meaning): (u64, &str, &str)| {
        (number, name.to_owned(), format!("{name} — {meaning}"))
    };
    described_numbers(title, values.map(described))
}

/// An enumeration of numbers with their names and meanings.
fn described_numbers(title: &str, values: impl Iterator<Item = (u64, String, String)>) -> Json {
    let values: Vec<_> = values.collect();
    let lines: String = values
        .iter()
        .map(|(number, _, meaning)| format!("\n- `{number}` {meaning}"))
        .collect();
    let schema = integer(
        &format!("{title}\n{lines}"),
        values.iter().map(|(number, ..)| *number),
    );
    named(schema, values.iter().map(|(_, name, _)| name.clone()))
}

/// Adds the names with which generators declare the values of an enumeration of numbers.
fn named(schema: Json, names: impl Iterator<Item = String>) -> Json {
    schema.with("x-enum-varnames", Json::list(names))
}

fn integer(description: &str, values: impl IntoIterator<Item = u64>) -> Json {
    Json::object([
        ("type", "integer".into()),
        ("description", description.into()),
        ("enum", Json::list(values)),
    ])
}

fn texts<'a>(title: &str, values: impl IntoIterator<Item = (&'a str, String)>) -> Json {
    let values: Vec<_> = values.into_iter().collect();
    let lines: String = values
        .iter()
        .map(|(name, meaning)| format!("\n- `{name}` {meaning}"))
        .collect();
    Json::object([
        ("type", "string".into()),
        ("description", format!("{title}\n{lines}").into()),
        ("enum", Json::list(values.iter().map(|(name, _)| *name))),
    ])
}

fn notifications() -> Vec<(&'static str, String)> {
    use NotificationKind as N;
    let kinds = [
        N::OrderCreationFailed,
        N::OrderExpired,
        N::OrderCancelled,
        N::DeliveryReturning,
        N::CourierAtReturn,
        N::DeliveryLost,
        N::WebhookStopped,
        N::PricesEstimated,
        N::MailWithheld,
    ];
    let meaning = |kind| match kind {
        NotificationKind::OrderCreationFailed => {
            "An order of a merchant's system could not be created, or the balance did not cover an order; `code`, `detail` and `errors` have the reason."
        }
        NotificationKind::OrderExpired => {
            "No courier was found in time for the order in `orderId`."
        }
        NotificationKind::OrderCancelled => "The platform cancelled the order.",
        NotificationKind::DeliveryReturning => {
            "A delivery could not be handed over and is being returned."
        }
        NotificationKind::CourierAtReturn => {
            "The courier is back at the pickup. Give the `returnCode` after you have received everything."
        }
        NotificationKind::DeliveryLost => "A delivery was lost.",
        NotificationKind::PricesEstimated => {
            "The fees of orders are estimates, because addresses are located only by their municipality; `detail` has what to do. At most once a day."
        }
        NotificationKind::WebhookStopped => {
            "A webhook was disabled or has ended; `detail` has its URL and the reason."
        }
        NotificationKind::MailWithheld => {
            "Mails were not sent, because the quota of mails for the day is used up; at most one a day."
        }
    };
    kinds
        .iter()
        .map(|kind| (kind.name(), meaning(*kind).to_owned()))
        .collect()
}

fn statuses() -> [(&'static str, String); 3] {
    [
        ("active", "Events are sent."),
        ("disabled", "Too many attempts failed in a row. Once enabled, the webhook resumes where it stopped."),
        ("ended", "The receiver returned 410."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn entries() -> Vec<(&'static str, String)> {
    let meaning = |kind| match kind {
        EntryKind::Fee => "The fee of a new order.",
        EntryKind::Refund => "A refund of a fee.",
        EntryKind::CancellationFee => "The fee of a late cancellation.",
        EntryKind::TopUp => "A payment that the operator booked; `reference` identifies it.",
        EntryKind::Transfer => {
            "A transfer between a branch's balance and its parent store's balance."
        }
    };
    EntryKind::ALL
        .iter()
        .map(|kind| (kind.name(), meaning(*kind).to_owned()))
        .collect()
}

fn origins() -> Vec<(&'static str, String)> {
    let meaning = |kind| match kind {
        KeyKind::Integration => "For a merchant's system.",
        KeyKind::Panel => "For a person who logged in to the panel.",
    };
    [KeyKind::Integration, KeyKind::Panel]
        .iter()
        .map(|kind| (kind.origin(), meaning(*kind).to_owned()))
        .collect()
}

fn precisions() -> Vec<(&'static str, String)> {
    [
        ("coordinates", "The caller sent latitude and longitude."),
        ("number", "Located by street number."),
        ("street", "Located by street."),
        ("cep", "Located by the eight-digit CEP."),
        ("cep5", "Located by the first five digits of the CEP."),
        ("neighbourhood", "Located by neighbourhood."),
        ("municipality", "Located only by municipality."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn notices() -> impl Iterator<Item = (&'static str, String)> {
    NoticeCode::ALL
        .into_iter()
        .map(|code| (code.name(), code.meaning().to_owned()))
}

fn policies() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |policy| match policy {
        EstimatePolicy::Accept => "Charge the expected price.",
        EstimatePolicy::Lower => "Charge the lower end of the price's range.",
        EstimatePolicy::Reject => "Reject the order with 422 `address_imprecise`.",
    };
    EstimatePolicy::ALL
        .into_iter()
        .map(move |policy| (policy.name(), meaning(policy).to_owned()))
}

fn pix_keys() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |kind| match kind {
        PixKeyKind::Cpf => "A person's CPF.",
        PixKeyKind::Cnpj => "A company's CNPJ, numeric or alphanumeric.",
        PixKeyKind::Email => "An email address.",
        PixKeyKind::Phone => "A Brazilian phone number.",
        PixKeyKind::Random => "A random key.",
    };
    PixKeyKind::ALL
        .into_iter()
        .map(move |kind| (kind.name(), meaning(kind).to_owned()))
}

fn top_up_states() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |state| match state {
        TopUpState::Pending => "The operator has not booked the payment.",
        TopUpState::Confirmed => "The operator booked the payment.",
        TopUpState::Expired => {
            "No payment was booked within seven days. The operator can still book one."
        }
    };
    TopUpState::ALL
        .into_iter()
        .map(move |state| (state.name(), meaning(state).to_owned()))
}

fn pay_kinds() -> impl Iterator<Item = (&'static str, String)> {
    PayKind::ALL
        .iter()
        .map(|kind| (kind.name(), format!("{}.", kind.text().en)))
}

fn payers() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |payer| match payer {
        Payer::Operator => "The operator.",
        Payer::Store => "The store of the order.",
    };
    Payer::ALL
        .iter()
        .map(move |payer| (payer.name(), meaning(*payer).to_owned()))
}

fn combinations() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |combine| match combine {
        Combine::Sum => "All parts are paid.",
        Combine::Max => "Only the largest part is paid; of equal ones, the first.",
    };
    Combine::ALL
        .iter()
        .map(move |combine| (combine.name(), meaning(*combine).to_owned()))
}

fn settles() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |settle| match settle {
        Settle::PerOrder => "After each order: the courier comes back to the pickup with it.",
        Settle::AtShiftEnd => "At the end of the shift. The courier comes back for no order.",
    };
    Settle::ALL
        .iter()
        .map(move |settle| (settle.name(), meaning(*settle).to_owned()))
}

fn rules() -> Vec<(&'static str, String)> {
    [
        (
            "base",
            "The base fee, which includes the first kilometres; `quantity` is 1.",
        ),
        ("distance", "Kilometres beyond those in the base fee."),
        ("extra_stops", "Stops after the first."),
        ("return", "The return with a payment; `quantity` is 1."),
        ("return_distance", "Kilometres of the way back."),
        (
            "window",
            "A surcharge by local time at the pickup; `quantity` is the percentage.",
        ),
        (
            "vehicle",
            "A surcharge for the smallest vehicle that meets the requirements; `quantity` is 1.",
        ),
        (
            "minimum",
            "The difference to the minimum fee; `quantity` is 1.",
        ),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn modes() -> Vec<(&'static str, String)> {
    [
        ("free", "The entire fee is refunded."),
        ("paid", "The fee is refunded, less `fee`."),
        ("return_required", "The order cannot be cancelled: the courier has the goods, which must be returned first."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn payment_methods() -> impl Iterator<Item = (&'static str, String)> {
    let meaning = |method| match method {
        PaymentMethod::CardMachine => "By card. The courier brings the card machine.",
        PaymentMethod::Cash => "In cash.",
        PaymentMethod::Pix => "By Pix.",
    };
    PaymentMethod::ALL
        .into_iter()
        .map(move |method| (method.name(), meaning(method).to_owned()))
}

fn route_sources() -> impl Iterator<Item = (&'static str, String)> {
    [
        ("roads", "The path follows the roads."),
        ("straight", "A straight line."),
    ]
    .into_iter()
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn number(title: &str) -> Json {
    let number = Json::object([
        ("type", "integer".into()),
        ("minimum", 1.into()),
        ("maximum", ((1 << 53) - 1).into()),
        ("examples", Json::list([7])),
    ]);
    let digits = Json::object([
        ("type", "string".into()),
        ("pattern", "^0*[1-9][0-9]{0,14}$".into()),
    ]);
    Json::object([
        (
            "description",
            format!("{title}, as an integer or as a string of digits.").into(),
        ),
        ("oneOf", Json::List(vec![number, digits])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(value: impl serde::Serialize) -> String {
        serde_json::to_string(&value)
            .unwrap()
            .trim_matches('"')
            .to_owned()
    }

    #[test]
    fn descriptions_cover_every_precision_and_price_rule() {
        use crate::model::Precision as P;
        let all = [
            P::Coordinates,
            P::Number,
            P::Street,
            P::Cep,
            P::Cep5,
            P::Neighbourhood,
            P::Municipality,
        ]
        .map(name);
        assert_eq!(
            precisions()
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>(),
            all
        );
        use crate::model::price::Rule as R;
        let all = [
            R::Base,
            R::Distance,
            R::ExtraStops,
            R::Return,
            R::ReturnDistance,
            R::Window,
            R::Vehicle,
            R::Minimum,
        ]
        .map(name);
        assert_eq!(
            rules().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            all
        );
    }
}

//! Enumerations of the API with the meaning of every value, for the schemas that name them.

use super::json::Json;
use crate::{
    api::problem::ProblemCode,
    model::{
        order::{DeliveryStatus, EventKind, OrderStatus},
        store::{EntryKind, KeyKind, NotificationKind},
        webhook::AttemptResult,
    },
};

/// The codes of fields at fault that are not problems' codes too, with what each means.
const FIELD_CODES: [(&str, &str); 36] = [
    ("invalid_json", "The body is not JSON; `pointer` is empty."),
    ("wrong_type", "A value of another JSON type is expected here."),
    ("duplicate_field", "The field stands there twice."),
    ("required", "The field is missing, null or blank."),
    ("too_short", "The text has too few characters."),
    ("too_long", "The text has too many characters."),
    ("invalid_characters", "The text has control characters."),
    ("not_whole", "The number must be whole."),
    ("out_of_range", "The number is too small or too large."),
    ("too_many_decimals", "The amount has more than two decimals."),
    ("invalid_state", "Not the code of a federative unit."),
    ("invalid_zip_code", "Not a CEP of eight digits."),
    ("incomplete_coordinates", "Only one of latitude and longitude was sent."),
    ("not_locatable", "The address has neither coordinates, nor a CEP, nor city and state."),
    ("invalid_phone", "Not a number in E.164; if possible, `detail` shows how to write it."),
    ("invalid_cursor", "Not the `nextCursor` of a previous response."),
    ("invalid_email", "Not an email address."),
    ("invalid_cnpj", "Not a CNPJ, or its check digits belong to another number."),
    ("invalid_time", "Not an instant by RFC 3339."),
    ("invalid_pickup_code", "Not 4 to 12 letters or digits."),
    ("invalid_pin", "Neither first nor last."),
    ("conflicting_pin", "Another delivery is held at the same end."),
    ("conflicting_pickup_code", "Two deliveries of one order have different pickup codes."),
    ("city_unknown", "No municipality has this name."),
    ("zip_code_unknown", "No municipality has this CEP."),
    ("city_not_in_state", "The city is not in this state."),
    ("zip_code_mismatch", "The CEP belongs to another municipality than the one named."),
    ("street_unknown", "The street is not known, and what is known is not precise enough."),
    ("number_unknown", "The number in the street is not known, and the street is not precise enough."),
    ("coordinates_outside", "The coordinates lie outside Brazil, or in the sea."),
    ("unknown_delivery", "The order has no such delivery."),
    ("invalid_url", "Not an absolute https URL in ASCII without user and fragment."),
    ("insecure_url", "The URL is not https."),
    ("private_address", "The URL names an address in a private network."),
    ("unknown_event", "No event has this type."),
    ("too_many_deliveries", "The list has more deliveries than an order may have."),
];

/// Problems whose code stands at the field at fault too.
const ALSO_FIELDS: [ProblemCode; 9] = [
    ProblemCode::PasswordRequired,
    ProblemCode::StoreNotAllowed,
    ProblemCode::StoreNotFound,
    ProblemCode::CnpjTaken,
    ProblemCode::EmailTaken,
    ProblemCode::AddressImprecise,
    ProblemCode::CoordinatesMismatch,
    ProblemCode::OutOfArea,
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

/// The schemas of all enumerations.
pub(super) fn schemas() -> Vec<(&'static str, Json)> {
    let orders = OrderStatus::ALL.iter().map(|value| (value.number().into(), value.name(), value.meaning()));
    let deliveries = DeliveryStatus::ALL.iter().map(|value| (value.number().into(), value.name(), value.meaning()));
    let both: std::collections::BTreeSet<u64> =
        orders.clone().chain(deliveries.clone()).map(|(number, ..)| number).collect();
    let codes = ProblemCode::ALL.iter().map(|code| (code.name(), format!("{} — {}", code.status(), code.meaning())));
    let fields = FIELD_CODES.iter().map(|(name, meaning)| (*name, (*meaning).to_owned()));
    let fields = fields.chain(ALSO_FIELDS.iter().map(|code| (code.name(), code.meaning().to_owned())));
    let events = EventKind::ALL.iter().map(|kind| (kind.name(), format!("{}.", kind.description().en)));
    vec![
        (
            "OrderSituation",
            numbers("Where an order stands. The hundreds are the phase; 500 and above is final.", orders),
        ),
        ("DeliverySituation", numbers("Where a delivery stands. 500 and above is final.", deliveries)),
        (
            "AnySituation",
            integer("An `OrderSituation`, or a `DeliverySituation` where `deliveryId` names a delivery.", both),
        ),
        ("EventType", texts("What happened. More types will come: ignore those that you do not know.", events)),
        ("NotificationType", texts("Why a store is told something.", notifications())),
        ("Precision", texts("How well the place of an address is known, from best to worst.", precisions())),
        ("PriceRule", texts("The rule of the tariff that put a line into a fee.", rules())),
        ("KeyOrigin", texts("What a key is for, and what an order was created with.", origins())),
        (
            "MarketplaceBranch",
            described_numbers("What a store sells.", BRANCHES.iter().map(|(n, text)| (*n, (*text).to_owned()))),
        ),
        ("ProblemCode", texts("The kind of problem: HTTP status and when it is given.", codes)),
        ("FieldCode", texts("What is wrong with a field.", fields)),
        ("StoreNumber", number("A store's number")),
        ("StopNumber", number("An order's or a delivery's number")),
        ("CancellationMode", texts("How an order can be cancelled.", modes())),
        ("WebhookStatus", texts("Whether a webhook sends.", statuses())),
        (
            "AttemptFault",
            texts(
                "What went wrong in an attempt.",
                AttemptResult::ERRORS.iter().map(|(name, meaning)| (*name, (*meaning).to_owned())),
            ),
        ),
        ("EntryType", texts("Why money moved.", entries())),
    ]
}

fn numbers<'a>(title: &str, values: impl Iterator<Item = (u64, &'a str, &'a str)>) -> Json {
    described_numbers(title, values.map(|(number, name, meaning)| (number, format!("{name} — {meaning}"))))
}

fn described_numbers(title: &str, values: impl Iterator<Item = (u64, String)>) -> Json {
    let values: Vec<_> = values.collect();
    let lines: String = values.iter().map(|(number, meaning)| format!("\n- `{number}` {meaning}")).collect();
    integer(&format!("{title}\n{lines}"), values.iter().map(|(number, _)| *number))
}

fn integer(description: &str, values: impl IntoIterator<Item = u64>) -> Json {
    Json::object([("type", "integer".into()), ("description", description.into()), ("enum", Json::list(values))])
}

fn texts<'a>(title: &str, values: impl IntoIterator<Item = (&'a str, String)>) -> Json {
    let values: Vec<_> = values.into_iter().collect();
    let lines: String = values.iter().map(|(name, meaning)| format!("\n- `{name}` {meaning}")).collect();
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
    ];
    let meaning = |kind| match kind {
        NotificationKind::OrderCreationFailed => {
            "An order could not be created; `code`, `detail` and `errors` say why."
        }
        NotificationKind::OrderExpired => "No courier was found in time; `orderId` names the order.",
        NotificationKind::OrderCancelled => "The platform cancelled the order.",
        NotificationKind::DeliveryReturning => "A delivery could not be handed over and comes back.",
        NotificationKind::CourierAtReturn => "The courier is back: tell the `returnCode` once you have everything.",
        NotificationKind::DeliveryLost => "A delivery is lost.",
        NotificationKind::WebhookStopped => "A webhook was disabled or has ended; `detail` says which and why.",
    };
    kinds.iter().map(|kind| (kind.name(), meaning(*kind).to_owned())).collect()
}

fn statuses() -> [(&'static str, String); 3] {
    [
        ("active", "It sends."),
        ("disabled", "Too many attempts failed in a row; once it is enabled it goes on where it stopped."),
        ("ended", "Its receiver answered 410."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
}

fn entries() -> Vec<(&'static str, String)> {
    let meaning = |kind| match kind {
        EntryKind::Fee => "The fee of a new order.",
        EntryKind::Refund => "A fee that came back.",
        EntryKind::CancellationFee => "The fee of a late cancellation.",
        EntryKind::TopUp => "Money that the operator booked in; `reference` names the payment.",
        EntryKind::Transfer => "Money that moved between a branch's balance and its parent store's.",
    };
    EntryKind::ALL.iter().map(|kind| (kind.name(), meaning(*kind).to_owned())).collect()
}

fn origins() -> Vec<(&'static str, String)> {
    let meaning = |kind| match kind {
        KeyKind::Integration => "A merchant's system.",
        KeyKind::Panel => "A person who logged in at the panel.",
    };
    [KeyKind::Integration, KeyKind::Panel].iter().map(|kind| (kind.origin(), meaning(*kind).to_owned())).collect()
}

fn precisions() -> Vec<(&'static str, String)> {
    [
        ("coordinates", "The caller sent latitude and longitude."),
        ("number", "The street number is known."),
        ("street", "The street is known."),
        ("cep", "The eight-digit CEP is known."),
        ("cep5", "The first five digits of the CEP are known."),
        ("neighbourhood", "The neighbourhood is known."),
        ("municipality", "Only the municipality is known."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn rules() -> Vec<(&'static str, String)> {
    [
        ("base", "The base fee, which covers the first kilometres; `quantity` is 1."),
        ("distance", "Kilometres after those that the base fee covers."),
        ("extra_stops", "Stops after the first."),
        ("return", "Bringing a payment back; `quantity` is 1."),
        ("return_distance", "Kilometres of the way back."),
        ("window", "A surcharge by local time at the pickup; `quantity` is per cent."),
        ("minimum", "What is missing to the minimum fee; `quantity` is 1."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn modes() -> Vec<(&'static str, String)> {
    [
        ("free", "The whole fee comes back."),
        ("paid", "The fee comes back but for `fee`."),
        ("return_required", "Not any more: the courier has the goods."),
    ]
    .map(|(name, meaning)| (name, meaning.to_owned()))
    .into()
}

fn number(what: &str) -> Json {
    let number = Json::object([
        ("type", "integer".into()),
        ("minimum", 1.into()),
        ("maximum", ((1 << 53) - 1).into()),
        ("examples", Json::list([7])),
    ]);
    let digits = Json::object([("type", "string".into()), ("pattern", "^0*[1-9][0-9]{0,14}$".into())]);
    Json::object([
        ("description", format!("{what}, or a text of its digits.").into()),
        ("oneOf", Json::List(vec![number, digits])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(value: impl serde::Serialize) -> String {
        serde_json::to_string(&value).unwrap().trim_matches('"').to_owned()
    }

    #[test]
    fn every_precision_and_rule_is_described_by_its_name() {
        use crate::model::Precision as P;
        let all = [P::Coordinates, P::Number, P::Street, P::Cep, P::Cep5, P::Neighbourhood, P::Municipality].map(name);
        assert_eq!(precisions().iter().map(|(name, _)| *name).collect::<Vec<_>>(), all);
        use crate::model::price::Rule as R;
        let all = [R::Base, R::Distance, R::ExtraStops, R::Return, R::ReturnDistance, R::Window, R::Minimum].map(name);
        assert_eq!(rules().iter().map(|(name, _)| *name).collect::<Vec<_>>(), all);
    }
}

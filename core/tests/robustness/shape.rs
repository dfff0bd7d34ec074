//! Expected fields of every response with their types, as in the contract. Missing and additional
//! fields are errors.

use despacho_core::api::problem::ProblemCode;
use serde_json::Value;

/// Type of a field.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Id,
    Whole,
    Number,
    Text,
    Time,
    Boolean,
    Object(&'static [Field]),
    List(&'static [Field]),
    /// Null or the inner type.
    Maybe(&'static Kind),
}

type Field = (&'static str, Kind);

use Kind::{Boolean, Id, List, Maybe, Number, Object, Text, Time, Whole};

const MAYBE_TEXT: Kind = Maybe(&Text);
const MAYBE_TIME: Kind = Maybe(&Time);
const MAYBE_NUMBER: Kind = Maybe(&Number);

const ADDRESS: &[Field] = &[
    ("street", MAYBE_TEXT),
    ("number", MAYBE_TEXT),
    ("complement", MAYBE_TEXT),
    ("neighborhood", MAYBE_TEXT),
    ("city", MAYBE_TEXT),
    ("state", MAYBE_TEXT),
    ("zipCode", MAYBE_TEXT),
    ("latitude", MAYBE_NUMBER),
    ("longitude", MAYBE_NUMBER),
];
const LOCATION: &[Field] = &[
    ("latitude", Number),
    ("longitude", Number),
    ("precision", Text),
    ("radiusM", Number),
];
const PRICE_LINE: &[Field] = &[("rule", Text), ("quantity", Number), ("amount", Number)];
const PERSON: &[Field] = &[("name", Text), ("phone", MAYBE_TEXT)];
const DELIVERY: &[Field] = &[
    ("id", Id),
    ("code", MAYBE_TEXT),
    ("fullCode", MAYBE_TEXT),
    ("name", MAYBE_TEXT),
    ("phone", MAYBE_TEXT),
    ("email", MAYBE_TEXT),
    ("observation", MAYBE_TEXT),
    ("onlinePayment", Boolean),
    ("productValue", MAYBE_NUMBER),
    ("situation", Whole),
    ("orderRoute", Id),
    ("address", Object(ADDRESS)),
    ("location", Object(LOCATION)),
    ("distance", Number),
    ("deliveryCode", Text),
    ("precision", Text),
    ("trackingUrl", MAYBE_TEXT),
    ("recipientChoice", MAYBE_TEXT),
    (
        "rating",
        Maybe(&Object(&[
            ("stars", Whole),
            ("text", MAYBE_TEXT),
            ("ratedAt", Time),
        ])),
    ),
];
const NOTICE: &[Field] = &[("code", Text), ("pointer", Text), ("detail", Text)];
macro_rules! order {
    ($($more:tt)*) => { &[
        ("id", Id),
        ("code", Text),
        ("fullCode", MAYBE_TEXT),
        ("preparationTime", Whole),
        ("pickupAddress", Object(ADDRESS)),
        ("pickupLocation", Object(LOCATION)),
        ("createdAt", Time),
        ("storeId", Id),
        ("situation", Whole),
        ("returnCode", MAYBE_TEXT),
        ("pickupCode", Text),
        ("totalDistance", Number),
        ("deliveryFee", Number),
        ("cancellationFee", Number),
        ("priceBreakdown", List(PRICE_LINE)),
        ("deliveries", List(DELIVERY)),
        ("expectedDelivery", MAYBE_TIME),
        ("expectedPickup", MAYBE_TIME),
        ("estimated", Boolean),
        ("notices", List(NOTICE)),
        $($more)*
    ] };
}
/// Response to the creation of an order.
pub(crate) const ORDER: &[Field] = order!();
/// Response to the lookup of an order.
pub(crate) const DETAILS: &[Field] = order!(
    ("deliveryMan", Maybe(&Object(COURIER))),
    ("events", List(EVENT)),
    ("origin", Text),
    ("proofs", List(PROOF)),
);
const COURIER: &[Field] = &[
    ("id", Id),
    ("profileId", Id),
    ("name", Text),
    ("phone", Text),
    ("email", MAYBE_TEXT),
    ("document", MAYBE_TEXT),
    ("ddd", MAYBE_TEXT),
    ("latitude", MAYBE_NUMBER),
    ("longitude", MAYBE_NUMBER),
];
const EVENT: &[Field] = &[
    ("id", Id),
    ("createdAt", Time),
    ("description", Text),
    ("latitude", MAYBE_NUMBER),
    ("longitude", MAYBE_NUMBER),
    ("deliveryMan", Maybe(&Object(PERSON))),
    ("requestedBy", Object(PERSON)),
    ("type", Text),
    ("situation", Whole),
    ("sequence", Id),
    ("deliveryId", Maybe(&Id)),
    ("receivedAt", MAYBE_TIME),
    ("reason", MAYBE_TEXT),
];
const PHOTO: &[Field] = &[
    ("photoId", Id),
    ("sha256", Text),
    ("bytes", Id),
    ("contentType", Text),
];
const PROOF: &[Field] = &[
    ("sequence", Id),
    ("step", Text),
    ("deliveryId", Maybe(&Id)),
    ("createdAt", Time),
    ("photos", List(PHOTO)),
    ("receivedBy", MAYBE_TEXT),
    ("note", MAYBE_TEXT),
    ("latitude", MAYBE_NUMBER),
    ("longitude", MAYBE_NUMBER),
    ("erased", Boolean),
];
const STOP: &[Field] = &[
    ("orderRoute", Id),
    ("address", Object(ADDRESS)),
    ("onlinePayment", Boolean),
    ("returns", Boolean),
    ("distance", Number),
    ("precision", Text),
    ("radiusM", Number),
];
/// Response to a preview.
pub(crate) const PREVIEW: &[Field] = &[
    ("deliveries", List(STOP)),
    ("totalDistance", Number),
    ("onlinePayment", Boolean),
    ("deliveryFee", Number),
    ("deliveryFeeMin", Maybe(&Number)),
    ("deliveryFeeMax", Maybe(&Number)),
    ("priceBreakdown", List(PRICE_LINE)),
    ("expectedDelivery", MAYBE_TIME),
    ("expectedPickup", MAYBE_TIME),
    ("estimated", Boolean),
    ("notices", List(NOTICE)),
    (
        "quote",
        Object(&[("id", Text), ("expiresAt", Time), ("tariffVersion", Text)]),
    ),
];
/// Response with a store.
pub(crate) const STORE: &[Field] = &[
    ("id", Id),
    ("cnpj", Text),
    ("name", Text),
    ("responsible", Object(PERSON)),
    ("email", Text),
    ("address", Object(ADDRESS)),
    ("marketplaceBranchId", Id),
    ("matrix", Maybe(&Object(&[("id", Id)]))),
    ("balance", Number),
    ("balanceStoreId", Id),
    ("sandbox", Boolean),
    ("preparationTime", Maybe(&Number)),
];
/// Response to the creation of a store or a key.
pub(crate) const CREATED: &[Field] = &[
    ("id", Text),
    ("storeId", Text),
    ("value", Text),
    ("integratorId", Text),
    ("integratorOrigin", Text),
    ("expiresAt", Time),
    ("createdAt", Time),
    ("deletedAt", MAYBE_TIME),
];

/// Asserts that an object has these fields and no others.
pub(crate) fn assert_shape(fields: &[Field], value: &Value, context: &str) {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("{context}: not an object: {value}"));
    for (name, kind) in fields {
        let field = object
            .get(*name)
            .unwrap_or_else(|| panic!("{context}: no `{name}` in {value}"));
        assert!(
            fits(*kind, field, context),
            "{context}: `{name}` is {field}"
        );
    }
    let unexpected = object
        .keys()
        .find(|key| !fields.iter().any(|(name, _)| name == key));
    assert_eq!(unexpected, None, "{context}");
}

fn fits(kind: Kind, value: &Value, context: &str) -> bool {
    match kind {
        Id => value
            .as_u64()
            .is_some_and(|number| (1..1 << 53).contains(&number)),
        Whole => value.is_u64(),
        Number => value.is_number(),
        Text => value.is_string(),
        Time => value
            .as_str()
            .is_some_and(|text| text.len() == 24 && text.ends_with('Z')),
        Boolean => value.is_boolean(),
        Object(fields) => {
            assert_shape(fields, value, context);
            true
        }
        List(fields) => value.as_array().is_some_and(|items| {
            items
                .iter()
                .for_each(|item| assert_shape(fields, item, context));
            true
        }),
        Maybe(kind) => value.is_null() || fits(*kind, value, context),
    }
}

/// Asserts that a problem document is complete: its code is known and matches the response's
/// status, and its errors have pointers.
pub(crate) fn assert_problem(status: u16, document: &Value, context: &str) {
    let code = document["code"]
        .as_str()
        .unwrap_or_else(|| panic!("{context}: no code in {document}"));
    let known = ProblemCode::ALL.iter().find(|known| known.name() == code);
    assert_eq!(
        known.map(|code| code.status()),
        Some(status),
        "{context}: {document}"
    );
    assert_eq!(
        document["status"].as_u64(),
        Some(status.into()),
        "{context}: {document}"
    );
    for field in ["type", "title", "detail", "instance", "requestId"] {
        let text = document[field].as_str();
        assert!(
            text.is_some_and(|text| !text.is_empty()),
            "{context}: `{field}` in {document}"
        );
    }
    let errors = document["errors"]
        .as_array()
        .unwrap_or_else(|| panic!("{context}: no errors in {document}"));
    for error in errors {
        let pointer = error["pointer"]
            .as_str()
            .unwrap_or_else(|| panic!("{context}: {error}"));
        assert!(
            pointer.is_empty() || pointer.starts_with('/'),
            "{context}: {error}"
        );
        assert!(
            error["code"].as_str().is_some_and(|code| !code.is_empty()),
            "{context}: {error}"
        );
        assert!(
            error["detail"]
                .as_str()
                .is_some_and(|detail| !detail.is_empty()),
            "{context}: {error}"
        );
    }
    if matches!(code, "malformed_request" | "validation_failed") {
        assert!(!errors.is_empty(), "{context}: {document} names no field");
    }
}

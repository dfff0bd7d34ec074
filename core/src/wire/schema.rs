//! Names of schemas that wire types refer to.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, schema::Schema},
};

use crate::model::{
    Precision,
    order::{DeliveryStatus, EventKind, OrderStatus},
    price::Rule,
    store::{EntryKind, NotificationKind},
};

/// Types that the document names, and whose schemas `api::openapi` writes.
macro_rules! named {
    ($($(#[$doc:meta])* $kind:ty = $name:literal,)*) => {$(
        impl PartialSchema for $kind {
            fn schema() -> RefOr<Schema> {
                Schema::default().into()
            }
        }

        impl ToSchema for $kind {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    )*};
}

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$($(#[$doc])* pub struct $name;)*};
}

markers! {
    /// An address that somebody goes to.
    VisitAddress,
    /// An address that can be located.
    LocateAddress,
    /// The situation of an order or of a delivery.
    AnyStatus,
    /// What a key is for.
    KeyOrigin,
    /// What a store sells.
    MarketplaceBranch,
    /// The code of a problem.
    ProblemCodeSchema,
    /// The code of a field at fault.
    FieldCode,
    /// A store's number in a request.
    StoreNumber,
    /// An order's or a delivery's number in a request.
    StopNumber,
    /// How an order can be cancelled.
    CancellationMode,
    /// Whether a webhook sends.
    WebhookStatus,
    /// What went wrong in an attempt.
    AttemptFault,
}

named! {
    VisitAddress = "VisitAddress",
    LocateAddress = "LocateAddress",
    AnyStatus = "AnySituation",
    KeyOrigin = "KeyOrigin",
    MarketplaceBranch = "MarketplaceBranch",
    ProblemCodeSchema = "ProblemCode",
    FieldCode = "FieldCode",
    StoreNumber = "StoreNumber",
    StopNumber = "StopNumber",
    CancellationMode = "CancellationMode",
    OrderStatus = "OrderSituation",
    DeliveryStatus = "DeliverySituation",
    EventKind = "EventType",
    NotificationKind = "NotificationType",
    Precision = "Precision",
    Rule = "PriceRule",
    WebhookStatus = "WebhookStatus",
    AttemptFault = "AttemptFault",
    EntryKind = "EntryType",
}

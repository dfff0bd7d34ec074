//! Names of the schemas to which wire types refer.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, schema::Schema},
};

use super::SkipReason;
use crate::{
    model::{
        PixKeyKind, Precision, Vehicle,
        audit::ActorKind,
        cash::CashKind,
        order::{DeliveryStatus, EventKind, NoticeCode, OrderStatus, PaymentMethod},
        pay::{Combine, PayKind, Payer},
        price::{EstimatePolicy, Rule},
        store::{EntryKind, NotificationKind, NotifyAt, RecipientChoice, Role, Settle, TopUpState},
    },
    rules::recipient::TrackingState,
};

/// Implements `ToSchema` for types whose schemas `api::openapi` writes.
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
    /// An address that a courier visits.
    VisitAddress,
    /// An address that can be located.
    LocateAddress,
    /// The status of an order or of a delivery.
    AnyStatus,
    /// The kind of a key.
    KeyOrigin,
    /// The category of a store.
    MarketplaceBranch,
    /// The code of a problem.
    ProblemCodeSchema,
    /// The code of an invalid field.
    FieldCode,
    /// A store's ID in a request.
    StoreNumber,
    /// A courier's ID in a request.
    CourierNumber,
    /// The ID of an order or a delivery in a request.
    StopNumber,
    /// How an order can be cancelled.
    CancellationMode,
    /// The origin of the path of a leg.
    RouteSource,
    /// Whether a webhook subscription is active.
    WebhookStatus,
    /// The error of a failed attempt.
    AttemptFault,
    /// What to do with a recipient's link.
    LinkAction,
    /// A step of which a courier can send a proof.
    ProofStepName,
    /// A part of a proof.
    ProofPartName,
    /// A photo's ID in a request.
    PhotoNumber,
    /// The action of an entry of the audit log.
    AuditAction,
    /// A user's ID in a request.
    UserNumber,
    /// The end of the route at which a stop is fixed.
    StopPin,
    /// The coordinates of a service area.
    AreaCoordinates,
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
    CourierNumber = "CourierNumber",
    StopNumber = "StopNumber",
    CancellationMode = "CancellationMode",
    RouteSource = "RouteSource",
    PaymentMethod = "PaymentMethod",
    OrderStatus = "OrderSituation",
    DeliveryStatus = "DeliverySituation",
    EventKind = "EventType",
    NotificationKind = "NotificationType",
    NoticeCode = "NoticeCode",
    Precision = "Precision",
    Rule = "PriceRule",
    EstimatePolicy = "EstimatePolicy",
    Settle = "Settle",
    TopUpState = "TopUpState",
    PixKeyKind = "PixKeyKind",
    PayKind = "PayType",
    Payer = "Payer",
    Combine = "Combine",
    WebhookStatus = "WebhookStatus",
    AttemptFault = "AttemptFault",
    LinkAction = "LinkAction",
    RecipientChoice = "RecipientChoice",
    Vehicle = "VehicleKind",
    NotifyAt = "NotifyAt",
    TrackingState = "TrackingState",
    ProofStepName = "ProofStep",
    ProofPartName = "ProofPart",
    PhotoNumber = "PhotoNumber",
    UserNumber = "UserNumber",
    Role = "Role",
    AuditAction = "AuditAction",
    ActorKind = "ActorKind",
    EntryKind = "EntryType",
    CashKind = "CashEntryType",
    SkipReason = "SkipReason",
    StopPin = "StopPin",
    AreaCoordinates = "AreaCoordinates",
}

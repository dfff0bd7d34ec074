//! Requests and responses of the order lifecycle for couriers, merchants and the operator.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{CancellationMode, RouteSource, StopNumber};
use super::{
    AddressBody, Id, Kilometres, ListedOrder, PaymentView, ProofRuleView, Reais, ReceivePayment,
    ReceivedPaymentView, RequirementsView, SendProof, StoreView, WindowView,
};
#[cfg(feature = "openapi")]
use crate::model::order::{DeliveryStatus, EventKind, OrderStatus};
use crate::{
    model::{
        Point, Timestamp,
        order::{Delivery, Order},
        store::{RecipientChoice, Store},
    },
    rules::lifecycle::{self, CancellationTerms, Mode},
};

macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $($(#[$field_doc])* pub $field: Option<$kind>,)* }
    )*};
}

requests! {
    /// The time of a courier's step.
    StepTime {
        /// Time at which you took the step, in RFC 3339 format. Send it for a step that was queued
        /// without a network. A time before the order's last event counts as the time of that
        /// event, and a time in the future as the current time. Defaults to the current time.
        #[cfg_attr(feature = "openapi", schema(format = DateTime))]
        at: String,
    }

    /// A code that the merchant gave to the courier.
    GiveCode {
        /// The code. Surrounding blanks and the case of letters are ignored.
        #[cfg_attr(
            feature = "openapi",
            schema(required = true, nullable = false, example = "4326")
        )]
        code: String,
        /// The proof of the step. The store's rules can require parts of it.
        proof: SendProof,
    }

    /// The reason for a step.
    GiveReason {
        /// The reason in a few words. It is stored in the order's history.
        #[cfg_attr(
            feature = "openapi",
            schema(required = true, nullable = false, example = "flat tyre")
        )]
        reason: String,
    }

    /// The operator's choice of another courier.
    ReassignOrder {
        /// The courier to assign. Without it, dispatch searches for one.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
        courier_id: Id,
        /// The reason in a few words. It is stored in the order's history.
        #[cfg_attr(
            feature = "openapi",
            schema(required = true, nullable = false, example = "flat tyre")
        )]
        reason: String,
    }

    /// A delivery of the order.
    NameDelivery {
        /// The delivery's ID.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
    }

    /// A delivery and its code.
    GiveDeliveryCode {
        /// The delivery's ID.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
        /// The code that the recipient gave to the courier. Required if `codeRequired` is true.
        #[cfg_attr(feature = "openapi", schema(example = "4144"))]
        code: String,
        /// The proof of the step. The store's rules can require parts of it.
        proof: SendProof,
        /// The payment that you received from the recipient. It is recorded with the step.
        payment: ReceivePayment,
    }

    /// A delivery and the reason for the step.
    GiveDeliveryReason {
        /// The delivery's ID.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
        /// The reason in a few words. It is stored in the order's history.
        #[cfg_attr(
            feature = "openapi",
            schema(required = true, nullable = false, example = "recipient not at home")
        )]
        reason: String,
    }

    /// A delivery that failed, and the reason.
    FailDelivery {
        /// The delivery's ID.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
        /// The reason in a few words. It is stored in the order's history.
        #[cfg_attr(
            feature = "openapi",
            schema(required = true, nullable = false, example = "recipient not at home")
        )]
        reason: String,
        /// The proof of the step. The store's rules can require parts of it, also by reason.
        proof: SendProof,
    }

    /// A postponement of the time at which the goods are ready.
    DelayOrder {
        /// Whole minutes to add to the time at which the goods are ready.
        #[cfg_attr(feature = "openapi", schema(value_type = u32, required = true, example = 10))]
        minutes: f64,
    }

    /// A cancellation of an order or of one of its deliveries.
    CancelOrder {
        /// The order's ID.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        order_id: Id,
        /// The reason in a few words. It is stored in the order's history.
        #[cfg_attr(feature = "openapi", schema(example = "the customer changed their mind"))]
        reason: String,
        /// ID of the delivery to cancel. Other deliveries must remain, and the order is priced
        /// again. If absent, the whole order is cancelled.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<StopNumber>))]
        delivery_id: Id,
    }
}

/// An order as shown to its courier, without the codes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierOrder))]
#[serde(rename_all = "camelCase")]
pub struct CourierOrderView {
    /// The order's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The current status.
    #[cfg_attr(feature = "openapi", schema(value_type = OrderStatus))]
    pub situation: u16,
    /// Name of the store that hands over the goods.
    pub store_name: String,
    /// Telephone of the store: the contact that it set for recipients, or else its contact
    /// person's. Null if it has none, and once the order has ended.
    pub store_phone: Option<String>,
    /// Address of the pickup.
    pub pickup_address: AddressBody,
    /// Latitude of the pickup in degrees.
    pub pickup_latitude: f64,
    /// Longitude of the pickup in degrees.
    pub pickup_longitude: f64,
    /// Time at which the goods are ready.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub ready_at: String,
    /// Length of the whole route in kilometres, including the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// Whether the courier must currently return goods or a payment to the pickup.
    pub return_required: bool,
    /// The deliveries, in route order.
    pub deliveries: Vec<CourierStopView>,
    /// The events that the courier can cause next.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<EventKind>))]
    pub possible: Vec<&'static str>,
    /// The store's rules for the proofs of this order's steps.
    pub proof_rules: Vec<ProofRuleView>,
    /// What the order requires of the courier's vehicle. Absent without requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub requirements: Option<RequirementsView>,
    /// Instructions at the pickup. Absent if there are none, and once the order has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub pickup_instructions: Option<String>,
}

/// A delivery as shown to its courier. Once the order has ended, the recipient's data is null:
/// `name`, `phone`, `observation`, every field of `address`, `latitude` and `longitude`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierDelivery))]
#[serde(rename_all = "camelCase")]
pub struct CourierStopView {
    /// The delivery's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient's name.
    pub name: Option<String>,
    /// The recipient's phone number.
    pub phone: Option<String>,
    /// Instructions for the courier.
    pub observation: Option<String>,
    /// Whether the delivery is already paid. If false, the courier collects `productValue`.
    pub online_payment: bool,
    /// Value of the goods in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub product_value: Option<Reais>,
    /// The current status.
    #[cfg_attr(feature = "openapi", schema(value_type = DeliveryStatus))]
    pub situation: u16,
    /// Position in the route, starting at 1.
    pub order_route: usize,
    /// Address of the recipient.
    pub address: AddressBody,
    /// Latitude of the address in degrees.
    pub latitude: Option<f64>,
    /// Longitude of the address in degrees.
    pub longitude: Option<f64>,
    /// Length of the leg to this delivery in kilometres.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// Whether the courier must send the recipient's code to complete the delivery.
    pub code_required: bool,
    /// What the recipient, not at home, chose.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<RecipientChoice>))]
    pub recipient_choice: Option<&'static str>,
    /// How the recipient pays: method, amount and change. Absent if the merchant did not send it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub payment: Option<PaymentView>,
    /// The payments that were recorded, one for each method. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub payments_received: Vec<ReceivedPaymentView>,
    /// The period in which to arrive. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub window: Option<WindowView>,
}

/// A courier's current order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CurrentOrder {
    /// The order, or null.
    pub order: Option<CourierOrderView>,
}

/// The terms for cancelling an order now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Cancellation))]
#[serde(rename_all = "camelCase")]
pub struct CancellationView {
    /// Whether the order can be cancelled.
    pub allowed: bool,
    /// How the order can be cancelled. Null if the order has ended.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<CancellationMode>))]
    pub mode: Option<&'static str>,
    /// Cost of cancelling now in BRL, in addition to the order's `cancellationFee`.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub fee: Reais,
    /// Time at which the terms change if the status stays the same. Null if they do not change with
    /// time.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub changes_at: Option<String>,
}

/// A page of orders, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderList {
    /// The orders.
    pub orders: Vec<ListedOrder>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A page of stores, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreList {
    /// The stores.
    pub stores: Vec<StoreView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

impl CourierOrderView {
    /// Builds the representation of a store's order for the courier.
    pub fn of(order: &Order, store: &Store) -> CourierOrderView {
        let mut possible: Vec<_> = lifecycle::next_steps(order)
            .into_iter()
            .map(|step| step.row().event.name())
            .collect();
        possible.dedup();
        CourierOrderView {
            id: order.id.get(),
            code: order.code.clone(),
            full_code: order.full_code.clone(),
            situation: order.status.number(),
            store_name: store.name.clone(),
            store_phone: store
                .phone()
                .filter(|_| !order.status.is_final())
                .map(|phone| phone.as_str().to_owned()),
            pickup_address: (&order.pickup.address).into(),
            pickup_latitude: order.pickup.located.point.latitude(),
            pickup_longitude: order.pickup.located.point.longitude(),
            ready_at: order.ready_at.to_string(),
            total_distance: Kilometres(order.total_distance),
            return_required: order.return_code.is_some(),
            deliveries: (1..)
                .zip(&order.deliveries)
                .map(|(at, one)| CourierStopView::of(at, one, order))
                .collect(),
            possible,
            proof_rules: order.proof.rules.iter().map(ProofRuleView::of).collect(),
            requirements: RequirementsView::of(&order.requirements),
            pickup_instructions: order
                .pickup_instructions
                .clone()
                .filter(|_| !order.status.is_final()),
        }
    }
}

impl CourierStopView {
    fn of(order_route: usize, delivery: &Delivery, order: &Order) -> CourierStopView {
        // Couriers can read the recipients' data only until the order ends.
        let recipient = Some(delivery).filter(|_| !order.status.is_final());
        CourierStopView {
            id: delivery.id.get(),
            code: delivery.code.clone(),
            full_code: delivery.full_code.clone(),
            name: recipient.and_then(|one| one.name.clone()),
            phone: recipient.and_then(|one| Some(one.phone.as_ref()?.as_str().to_owned())),
            observation: recipient.and_then(|one| one.observation.clone()),
            online_payment: delivery.online_payment,
            product_value: delivery.product_value.map(Reais),
            situation: delivery.status.number(),
            order_route,
            address: recipient
                .map(|one| (&one.place.address).into())
                .unwrap_or_default(),
            latitude: recipient.map(|one| one.place.located.point.latitude()),
            longitude: recipient.map(|one| one.place.located.point.longitude()),
            distance: Kilometres(delivery.distance),
            code_required: delivery.requires_code(),
            recipient_choice: delivery
                .tracking
                .as_ref()
                .and_then(|tracking| tracking.choice)
                .map(RecipientChoice::name),
            payment: PaymentView::of(delivery),
            payments_received: ReceivedPaymentView::all(&delivery.received),
            window: delivery.window.as_ref().map(WindowView::of),
        }
    }
}

impl CancellationView {
    /// Builds the API representation of the terms.
    pub fn of(terms: &CancellationTerms) -> CancellationView {
        let (allowed, mode) = match terms.mode {
            Mode::Free => (true, Some("free")),
            Mode::Paid => (true, Some("paid")),
            Mode::ReturnRequired => (false, Some("return_required")),
            Mode::Ended => (false, None),
        };
        CancellationView {
            allowed,
            mode,
            fee: Reais(terms.fee),
            changes_at: terms.changes_at.as_ref().map(Timestamp::to_string),
        }
    }
}

/// The legs of an order's route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderRoute))]
pub struct RouteView {
    /// The legs, in route order.
    pub legs: Vec<RouteLegView>,
}

/// A leg of a route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RouteLeg))]
pub struct RouteLegView {
    /// The points of the leg, each as latitude and longitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 2000))]
    pub path: Vec<[f64; 2]>,
    /// `roads` if the path follows the roads, `straight` if it is a straight line.
    #[cfg_attr(feature = "openapi", schema(value_type = RouteSource))]
    pub source: &'static str,
}

impl RouteLegView {
    /// Builds the API representation of a path along the roads.
    pub fn roads(path: &[Point]) -> RouteLegView {
        RouteLegView {
            path: path.iter().copied().map(degrees).collect(),
            source: "roads",
        }
    }

    /// Builds the API representation of a straight line.
    pub fn straight(from: Point, to: Point) -> RouteLegView {
        RouteLegView {
            path: vec![degrees(from), degrees(to)],
            source: "straight",
        }
    }
}

fn degrees(point: Point) -> [f64; 2] {
    [point.latitude(), point.longitude()]
}

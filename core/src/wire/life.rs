//! What couriers, merchants and the operator send along an order's life, and what they are told.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{CancellationMode, StopNumber};
use super::{AddressBody, Id, Kilometres, ListedOrder, Reais, StoreView};
#[cfg(feature = "openapi")]
use crate::model::order::{DeliveryStatus, EventKind, OrderStatus};
use crate::{
    model::{
        Timestamp,
        order::{Delivery, Order},
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
    /// A code that somebody told the courier.
    GiveCode {
        /// The code: blanks around it and the case of letters do not count.
        #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, max_length = 64, example = "4326"))]
        code: String,
    }

    /// Why.
    GiveReason {
        /// Why, in a few words; it stands in the order's history.
        #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, max_length = 255, example = "flat tyre"))]
        reason: String,
    }

    /// Which delivery.
    NameDelivery {
        /// The delivery's number.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
    }

    /// Which delivery, with its code.
    GiveDeliveryCode {
        /// The delivery's number.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
        /// What the recipient said; needed where `codeRequired` is true.
        #[cfg_attr(feature = "openapi", schema(max_length = 64, example = "4144"))]
        code: String,
    }

    /// Which delivery, and why.
    GiveDeliveryReason {
        /// The delivery's number.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        delivery_id: Id,
        /// Why, in a few words; it stands in the order's history.
        #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, max_length = 255, example = "nobody at home"))]
        reason: String,
    }

    /// How much later.
    DelayOrder {
        /// Whole minutes that are added to the time at which the goods are ready.
        #[cfg_attr(feature = "openapi", schema(value_type = u32, required = true, minimum = 1, maximum = 1440, example = 10))]
        minutes: f64,
    }

    /// What to cancel.
    CancelOrder {
        /// The order's number.
        #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
        order_id: Id,
        /// Why, in a few words; it stands in the order's history.
        #[cfg_attr(feature = "openapi", schema(max_length = 255, example = "the customer changed their mind"))]
        reason: String,
        /// One delivery alone, while others remain; the order is priced again. Absent: the whole order.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<StopNumber>))]
        delivery_id: Id,
    }
}

/// An order as its courier sees it: without any code.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierOrder))]
#[serde(rename_all = "camelCase")]
pub struct CourierOrderView {
    /// The order's number.
    pub id: u64,
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// Where it stands.
    #[cfg_attr(feature = "openapi", schema(value_type = OrderStatus))]
    pub situation: u16,
    /// Where to collect.
    pub pickup_address: AddressBody,
    /// Where that is: degrees.
    pub pickup_latitude: f64,
    /// Where that is: degrees.
    pub pickup_longitude: f64,
    /// When the goods are ready.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub ready_at: String,
    /// Kilometres of the whole route, the way back included.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// Whether goods or a payment go back to the pickup, as far as is known now.
    pub return_required: bool,
    /// The deliveries, in route order.
    pub deliveries: Vec<CourierStopView>,
    /// What the courier can do next, by the event that comes of it.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<EventKind>))]
    pub possible: Vec<&'static str>,
}

/// A delivery as its courier sees it. Once the order has ended, the recipient's data is null: `name`, `phone`, `observation`, every
/// field of `address`, `latitude` and `longitude`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CourierDelivery))]
#[serde(rename_all = "camelCase")]
pub struct CourierStopView {
    /// The delivery's number.
    pub id: u64,
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient.
    pub name: Option<String>,
    /// The recipient's number.
    pub phone: Option<String>,
    /// What the courier should know.
    pub observation: Option<String>,
    /// Whether it is paid already; where not, the courier collects `productValue`.
    pub online_payment: bool,
    /// What the goods are worth, BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub product_value: Option<Reais>,
    /// Where it stands.
    #[cfg_attr(feature = "openapi", schema(value_type = DeliveryStatus))]
    pub situation: u16,
    /// Its place in the route, from 1.
    pub order_route: usize,
    /// Where it goes.
    pub address: AddressBody,
    /// Where that is: degrees.
    pub latitude: Option<f64>,
    /// Where that is: degrees.
    pub longitude: Option<f64>,
    /// Kilometres of the leg that ends here.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// Whether the recipient is asked for a code.
    pub code_required: bool,
}

/// What a courier has now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CurrentOrder {
    /// The order; null where there is none.
    pub order: Option<CourierOrderView>,
}

/// The terms on which an order can be cancelled now.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Cancellation))]
#[serde(rename_all = "camelCase")]
pub struct CancellationView {
    /// Whether it can be cancelled.
    pub allowed: bool,
    /// How; null where the order has ended.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<CancellationMode>))]
    pub mode: Option<&'static str>,
    /// What it costs now, BRL, in addition to the order's `cancellationFee`.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub fee: Reais,
    /// When the terms change by time alone; null where they do not.
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
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// A page of stores, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreList {
    /// The stores.
    pub stores: Vec<StoreView>,
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl CourierOrderView {
    /// The order as its courier sees it.
    pub fn of(order: &Order) -> CourierOrderView {
        let mut possible: Vec<_> =
            lifecycle::next_steps(order).into_iter().map(|step| step.row().event.name()).collect();
        possible.dedup();
        CourierOrderView {
            id: order.id.get(),
            code: order.code.clone(),
            full_code: order.full_code.clone(),
            situation: order.status.number(),
            pickup_address: (&order.pickup.address).into(),
            pickup_latitude: order.pickup.located.point.latitude(),
            pickup_longitude: order.pickup.located.point.longitude(),
            ready_at: order.ready_at.to_string(),
            total_distance: Kilometres(order.total_distance),
            return_required: order.return_code.is_some(),
            deliveries: (1..).zip(&order.deliveries).map(|(at, one)| CourierStopView::of(at, one, order)).collect(),
            possible,
        }
    }
}

impl CourierStopView {
    fn of(order_route: usize, delivery: &Delivery, order: &Order) -> CourierStopView {
        // A courier reads recipients only until the order's end.
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
            address: recipient.map(|one| (&one.place.address).into()).unwrap_or_default(),
            latitude: recipient.map(|one| one.place.located.point.latitude()),
            longitude: recipient.map(|one| one.place.located.point.longitude()),
            distance: Kilometres(delivery.distance),
            code_required: delivery.requires_code(),
        }
    }
}

impl CancellationView {
    /// The terms as the API shows them.
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

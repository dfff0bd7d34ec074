//! Orders in requests and responses.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{KeyOrigin, StopPin, StoreNumber, VisitAddress};
use super::{
    AddressBody, ConfirmationBody, EtaView, EventView, Id, Kilometres, LocationView, NoticeView,
    PaymentView, PriceLineView, ProofView, RatingView, Reais, ReceivedPaymentView,
    RequirementsView, SetPayment, SetRequirements, SetWindow, WindowView, objects,
};
#[cfg(feature = "openapi")]
use crate::model::order::{DeliveryStatus, OrderStatus};
use crate::model::{
    Language, Point, Precision, Timestamp,
    order::{AssignedCourier, Delivery, Order, RecordedEvent},
    store::RecipientChoice,
};

/// A new order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateOrder {
    /// The merchant's code for the order, unique among the store's orders that are not cancelled.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "PED-1042")
    )]
    pub code: Option<String>,
    /// Preparation time in minutes; fractions are rounded up to whole minutes. The search for a
    /// courier starts when it is over.
    #[cfg_attr(feature = "openapi", schema(default = 0, example = 15))]
    pub preparation_time: Option<f64>,
    /// Time at which the courier arrives at the last delivery, in RFC 3339 format with the offset
    /// from UTC, at most 30 days ahead. The preparation and the search for a courier start as late
    /// as this allows. Without it, the order is delivered as soon as possible.
    #[cfg_attr(
        feature = "openapi",
        schema(format = DateTime, example = "2026-11-21T20:00:00-03:00")
    )]
    pub deliver_at: Option<String>,
    /// Whether to calculate the expected times. If not true, they are null, unless the order has
    /// `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub preview_delivery_time: Option<bool>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// Whether to sort the deliveries into the shortest route. If not true, they are visited in the
    /// order sent.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub sort_by_best_route: Option<bool>,
    /// Address of the pickup. Defaults to the store's address.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<VisitAddress>))]
    pub pickup_address: Option<AddressBody>,
    /// Instructions for the courier at the pickup.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "Balcão do delivery, entrada pelos fundos")
    )]
    pub pickup_instructions: Option<String>,
    /// The store for which the order is created: the calling store or one of its branches.
    pub store: Option<StoreRef>,
    /// Whether the courier can carry other orders of the store in the same trip. Defaults to true.
    /// Price, codes and history are the order's own in any case.
    #[cfg_attr(feature = "openapi", schema(default = true))]
    pub combinable: Option<bool>,
    /// What the order requires of its courier's vehicle. Dispatch assigns only couriers who meet
    /// it.
    pub requirements: Option<SetRequirements>,
    /// The deliveries.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub deliveries: Option<Vec<NewDelivery>>,
    /// The `quote.id` of a preview with the same content. It locks in the fee for 15 minutes.
    pub quote_id: Option<String>,
    /// The highest acceptable fee in BRL. If the fee is higher, the order is not created.
    #[cfg_attr(feature = "openapi", schema(example = 20))]
    pub max_delivery_fee: Option<f64>,
}

/// A reference to a store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreRef {
    /// The store's ID.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StoreNumber>))]
    pub user_platform_id: Option<Id>,
}

/// A delivery of a new order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct NewDelivery {
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The code that the merchant gives to the courier at the pickup, 4 to 12 letters or digits.
    /// All deliveries that set it must have the same value. If none sets it, a code is generated.
    #[cfg_attr(feature = "openapi", schema(format = "pickup-code", example = "7K2P"))]
    pub pickup_code: Option<String>,
    /// The recipient's name.
    #[cfg_attr(feature = "openapi", schema(example = "Maria Silva"))]
    pub name: Option<String>,
    /// The recipient's phone number: in E.164 format, or as people write it, with the area code; a
    /// foreign one with a plus sign and the country code. The response contains it in E.164 format.
    /// Any other text does not prevent the order: it becomes part of `observation`, and a notice
    /// names it.
    #[cfg_attr(feature = "openapi", schema(example = "+5511999990000"))]
    pub phone: Option<String>,
    /// The recipient's email address. Any other text does not prevent the order: it becomes part of
    /// `observation`, and a notice names it.
    #[cfg_attr(feature = "openapi", schema(example = "maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// Instructions for the courier.
    pub observation: Option<String>,
    /// Address of the recipient.
    #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
    pub address: Option<AddressBody>,
    /// Whether the delivery is already paid. Defaults to true. If false, the courier returns the
    /// payment to the pickup, unless `payment.returns` is false.
    #[cfg_attr(feature = "openapi", schema(default = true))]
    pub online_payment: Option<bool>,
    /// How the recipient pays the courier. Only if `onlinePayment` is false.
    pub payment: Option<SetPayment>,
    /// The period in which the courier must arrive.
    pub window: Option<SetWindow>,
    /// `first` or `last` fixes the position of the delivery if `sortByBestRoute` is true. At most
    /// one delivery can be first and one last.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StopPin>))]
    pub pin: Option<String>,
    /// Ignored, as in a preview. The response contains the position in the route.
    pub order_route: Option<f64>,
    /// Value of the goods in BRL, with at most two decimals.
    #[cfg_attr(feature = "openapi", schema(example = 57.9))]
    pub product_value: Option<f64>,
    /// How the receipt of the delivery is confirmed.
    pub confirmation: Option<ConfirmationBody>,
}

/// An order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Order))]
#[serde(rename_all = "camelCase")]
pub struct OrderView {
    /// The order's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// Preparation time in minutes.
    pub preparation_time: u32,
    /// Address of the pickup.
    pub pickup_address: AddressBody,
    /// The coordinates of the address, determined when the order was created.
    pub pickup_location: LocationView,
    /// Time at which the order was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// ID of the order's store.
    pub store_id: u64,
    /// The current status.
    #[cfg_attr(feature = "openapi", schema(value_type = OrderStatus))]
    pub situation: u16,
    /// The code that the merchant gives to the courier when goods or a payment are returned. Null
    /// until a return is necessary.
    pub return_code: Option<String>,
    /// The code that the merchant gives to the courier at the pickup.
    pub pickup_code: String,
    /// Length of the whole route in kilometres, including the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// Delivery fee in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub delivery_fee: Reais,
    /// Cost of late cancellations so far in BRL, in addition to `deliveryFee`. A cancelled order
    /// costs only this amount.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub cancellation_fee: Reais,
    /// The price lines, whose sum is the fee.
    pub price_breakdown: Vec<PriceLineView>,
    /// The deliveries, in route order.
    pub deliveries: Vec<DeliveryView>,
    /// Expected time of the last delivery. Null unless `previewDeliveryTime` was true, or the order
    /// has `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_delivery: Option<String>,
    /// Expected time of the pickup. Null unless `previewDeliveryTime` was true, or the order has
    /// `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_pickup: Option<String>,
    /// Whether a distance is an estimate: an address was located only by its municipality, or the
    /// embedded distance model replaced the unavailable road network.
    pub estimated: bool,
    /// The live estimate, from the courier's trip and position, if the store has a lead time or
    /// `previewDeliveryTime` was true. Absent before a courier is assigned and after the last
    /// delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub eta: Option<EtaView>,
    /// False if the order does not share a trip. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub combinable: Option<bool>,
    /// Minutes before the ready time from which a courier is searched. Absent if it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub lead_minutes: Option<u32>,
    /// What the order requires of its courier's vehicle. Absent without requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub requirements: Option<RequirementsView>,
    /// The requested time of arrival at the last delivery. Absent if none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub deliver_at: Option<String>,
    /// Time at which the preparation starts or started. Absent unless the order has `deliverAt` or
    /// a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = DateTime))]
    pub preparation_starts_at: Option<String>,
    /// Instructions for the courier at the pickup. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub pickup_instructions: Option<String>,
    /// What the merchant should know about the request that created the order. Usually empty.
    pub notices: Vec<NoticeView>,
}

/// An order with its courier, history and origin.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderDetails {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// The courier. Null until one is assigned.
    pub delivery_man: Option<CourierView>,
    /// The order's history, oldest event first. Empty if the operator has archived the history of
    /// an order that ended long ago.
    pub events: Vec<EventView>,
    /// The kind of key with which the order was created.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub origin: String,
    /// The proofs of the steps, oldest first.
    pub proofs: Vec<ProofView>,
    /// The store's name. Only for the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub store_name: Option<String>,
}

/// An order in a list, with its courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedOrder {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// The courier. Null until one is assigned. Its position is from the order's last step;
    /// `GET /delivery/orders/{platformOrderId}` returns the current position.
    pub delivery_man: Option<CourierView>,
    /// The store's name. Only for the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub store_name: Option<String>,
}

/// A delivery of an order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Delivery))]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    /// The delivery's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient's name.
    pub name: Option<String>,
    /// The recipient's phone number in E.164 format.
    pub phone: Option<String>,
    /// The recipient's email address.
    pub email: Option<String>,
    /// Instructions for the courier. They contain a contact that could not be read.
    pub observation: Option<String>,
    /// Whether the delivery is already paid.
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
    /// The coordinates of the address, determined when the order was created.
    pub location: LocationView,
    /// Length of the leg to this delivery in kilometres.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// The code that the recipient gives to the courier.
    pub delivery_code: String,
    /// Precision of the coordinates.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// URL of the recipient's page, in responses that create, return or list orders. Null in all
    /// others, and if there is no link.
    pub tracking_url: Option<String>,
    /// What the recipient, not at home, chose on the page.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<RecipientChoice>))]
    pub recipient_choice: Option<&'static str>,
    /// The recipient's rating.
    pub rating: Option<RatingView>,
    /// How the recipient pays the courier. Absent if it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub payment: Option<PaymentView>,
    /// The payments that the courier or the counter recorded, one for each method. Absent if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub payments_received: Vec<ReceivedPaymentView>,
    /// The period in which the courier must arrive. Absent if none was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub window: Option<WindowView>,
    /// The `confirmation` that was sent with the order. Only in webhooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub confirmation: Option<ConfirmationBody>,
}

/// A courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Courier))]
#[serde(rename_all = "camelCase")]
pub struct CourierView {
    /// The courier's ID.
    pub id: u64,
    /// ID of the courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Phone number in E.164 format.
    pub phone: String,
    /// Always null: a courier's email address is visible only to the operator.
    pub email: Option<String>,
    /// Always null: a courier's CPF or other document is visible only to the operator.
    pub document: Option<String>,
    /// Brazilian area code of the phone number.
    pub ddd: Option<String>,
    /// Latitude of the last known position.
    pub latitude: Option<f64>,
    /// Longitude of the last known position.
    pub longitude: Option<f64>,
}

impl OrderView {
    /// Builds the API representation of an order, with its notices in a language.
    pub fn of(order: &Order, language: Language) -> OrderView {
        OrderView {
            id: order.id.get(),
            code: order.code.clone(),
            full_code: order.full_code.clone(),
            preparation_time: order.preparation_minutes,
            pickup_address: (&order.pickup.address).into(),
            pickup_location: order.pickup.located.into(),
            created_at: order.created_at.to_string(),
            store_id: order.store.get(),
            situation: order.status.number(),
            return_code: order.return_code.clone(),
            pickup_code: order.pickup_code.clone(),
            total_distance: Kilometres(order.total_distance),
            delivery_fee: Reais(order.fee),
            cancellation_fee: Reais(order.cancellation_fee),
            price_breakdown: order
                .price_breakdown
                .iter()
                .map(PriceLineView::of)
                .collect(),
            deliveries: order
                .deliveries
                .iter()
                .enumerate()
                .map(|(at, stop)| DeliveryView::of(at + 1, stop))
                .collect(),
            expected_delivery: order.expected_delivery.as_ref().map(Timestamp::to_string),
            expected_pickup: order.expected_pickup.as_ref().map(Timestamp::to_string),
            estimated: order.estimated,
            eta: order
                .eta
                .as_ref()
                .filter(|_| !order.status.is_final())
                .map(EtaView::of),
            combinable: (!order.dispatch.combinable).then_some(false),
            lead_minutes: Some(order.dispatch.lead_minutes).filter(|minutes| *minutes > 0),
            requirements: RequirementsView::of(&order.requirements),
            deliver_at: order
                .schedule
                .and_then(|schedule| schedule.deliver_at)
                .as_ref()
                .map(Timestamp::to_string),
            preparation_starts_at: order
                .schedule
                .map(|_| order.preparation_start().to_string()),
            pickup_instructions: order.pickup_instructions.clone(),
            notices: NoticeView::all(&order.notices, language),
        }
    }
}

impl OrderDetails {
    /// Builds the order with its history in a language.
    pub fn of(order: &Order, events: &[RecordedEvent], language: Language) -> OrderDetails {
        OrderDetails {
            order: OrderView::of(order, language),
            delivery_man: order.courier.as_ref().map(CourierView::of),
            events: events
                .iter()
                .map(|recorded| EventView::of(recorded.id.get(), &recorded.event, language))
                .collect(),
            origin: order.origin.clone(),
            proofs: ProofView::all(&order.proof),
            store_name: None,
        }
    }
}

impl ListedOrder {
    /// Builds the representation of an order in lists.
    pub fn of(order: &Order, language: Language) -> ListedOrder {
        let delivery_man = order.courier.as_ref().map(CourierView::of);
        ListedOrder {
            order: OrderView::of(order, language),
            delivery_man,
            store_name: None,
        }
    }
}

impl CourierView {
    fn of(courier: &AssignedCourier) -> CourierView {
        CourierView {
            id: courier.id.get(),
            profile_id: courier.profile_id,
            name: courier.name.clone(),
            phone: courier.phone.as_str().to_owned(),
            email: None,
            document: None,
            ddd: courier.ddd().map(str::to_owned),
            latitude: courier.position.map(Point::latitude),
            longitude: courier.position.map(Point::longitude),
        }
    }
}

impl DeliveryView {
    /// Builds the representation of a delivery for the merchant.
    pub fn of(order_route: usize, delivery: &Delivery) -> DeliveryView {
        let tracking = delivery.tracking.as_ref();
        DeliveryView {
            id: delivery.id.get(),
            code: delivery.code.clone(),
            full_code: delivery.full_code.clone(),
            name: delivery.name.clone(),
            phone: delivery
                .phone
                .as_ref()
                .map(|phone| phone.as_str().to_owned()),
            email: delivery
                .email
                .as_ref()
                .map(|email| email.as_str().to_owned()),
            observation: delivery.observation.clone(),
            online_payment: delivery.online_payment,
            product_value: delivery.product_value.map(Reais),
            situation: delivery.status.number(),
            order_route,
            address: (&delivery.place.address).into(),
            location: delivery.place.located.into(),
            distance: Kilometres(delivery.distance),
            delivery_code: delivery.delivery_code.clone(),
            precision: delivery.place.located.precision,
            tracking_url: None,
            recipient_choice: tracking
                .and_then(|tracking| tracking.choice)
                .map(RecipientChoice::name),
            rating: tracking
                .and_then(|tracking| tracking.rating.as_ref())
                .map(RatingView::of),
            payment: PaymentView::of(delivery),
            payments_received: ReceivedPaymentView::all(&delivery.received),
            window: delivery.window.as_ref().map(WindowView::of),
            confirmation: None,
        }
    }
}

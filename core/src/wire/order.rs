//! Orders as they are sent and as they are returned.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{AnyStatus, KeyOrigin, StoreNumber, VisitAddress};
use super::{AddressBody, Id, Kilometres, LocationView, Quantity, Reais, objects};
#[cfg(feature = "openapi")]
use crate::model::order::{DeliveryStatus, EventKind, OrderStatus};
use crate::model::{
    Person, Point, Precision, Timestamp,
    order::{AssignedCourier, Delivery, Event, Order, RecordedEvent},
    price::{PriceLine, Rule},
};

/// A new order. Fields that are not listed are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateOrder {
    /// The merchant's code for the order, 1 to 64 characters, unique among the store's orders that are not cancelled.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, max_length = 64, example = "PED-1042"))]
    pub code: Option<String>,
    /// Whole minutes of preparation, 0 to 1440; the courier is looked for when they are over.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 0, maximum = 1440, example = 15))]
    pub preparation_time: Option<f64>,
    /// Whether the expected times are wanted; without it they are null.
    pub preview_delivery_time: Option<bool>,
    /// The merchant's full code, 1 to 64 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub full_code: Option<String>,
    /// Whether the deliveries are visited in the best order instead of the order sent.
    pub sort_by_best_route: Option<bool>,
    /// Where the courier collects; the store's own address where it is absent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<VisitAddress>))]
    pub pickup_address: Option<AddressBody>,
    /// The store on whose behalf the order is created: the caller, or one of its branches.
    pub store: Option<StoreRef>,
    /// The deliveries, 1 to 50.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, min_items = 1, max_items = 50))]
    pub deliveries: Option<Vec<NewDelivery>>,
    /// The quote of a preview of the same content; its fee holds for 15 minutes.
    #[cfg_attr(feature = "openapi", schema(max_length = 16384))]
    pub quote_id: Option<String>,
}

/// A store, by its number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreRef {
    /// The store's number.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StoreNumber>))]
    pub user_platform_id: Option<Id>,
}

/// A delivery of a new order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct NewDelivery {
    /// The merchant's code, 1 to 64 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub code: Option<String>,
    /// The merchant's full code, 1 to 64 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub full_code: Option<String>,
    /// The code that the merchant tells the courier at the pickup, 4 to 12 letters or digits; the same in all deliveries that
    /// set it. Where none does, one is drawn.
    #[cfg_attr(feature = "openapi", schema(format = "pickup-code", max_length = 64, example = "7K2P"))]
    pub pickup_code: Option<String>,
    /// The recipient, 1 to 255 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 255, example = "Maria Silva"))]
    pub name: Option<String>,
    /// The recipient's number in E.164.
    #[cfg_attr(feature = "openapi", schema(format = "phone", max_length = 255, example = "+5511999990000"))]
    pub phone: Option<String>,
    /// What the courier should know, at most 1000 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub observation: Option<String>,
    /// Where it goes.
    #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
    pub address: Option<AddressBody>,
    /// Whether it is paid already (the default); where not, the courier brings the payment back.
    pub online_payment: Option<bool>,
    /// `first` or `last` holds it there when the best order is asked for; one delivery at each end.
    #[cfg_attr(feature = "openapi", schema(pattern = "^(first|last)$", example = "last"))]
    pub pin: Option<String>,
    /// What the goods are worth, BRL, 0 to 1,000,000 with two decimals.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1_000_000, example = 57.9))]
    pub product_value: Option<f64>,
    /// How its receipt is confirmed.
    pub confirmation: Option<ConfirmationBody>,
}

/// How the receipt of a delivery is confirmed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Confirmation))]
#[serde(default)]
pub struct ConfirmationBody {
    /// The order in the first marketplace.
    #[serde(rename = "marketplaceA")]
    pub marketplace_a: Option<MarketplaceOrder>,
    /// The order in the first marketplace, by its webhooks.
    #[serde(rename = "marketplaceA_webhook")]
    pub marketplace_a_webhook: Option<MarketplaceWebhookOrder>,
    /// The order in the second marketplace.
    #[serde(rename = "marketplaceB")]
    pub marketplace_b: Option<MarketplaceWebhookOrder>,
    /// Whether the courier asks for the delivery code at the door.
    pub platform: Option<bool>,
}

/// An order in a marketplace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct MarketplaceOrder {
    /// The marketplace's identifier, at most 255 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 255))]
    pub order_id: Option<String>,
}

/// An order in a marketplace, as its webhooks name it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MarketplaceWebhookOrder {
    /// The marketplace's identifier, at most 255 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 255))]
    pub order_id: Option<String>,
}

/// An order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Order))]
#[serde(rename_all = "camelCase")]
pub struct OrderView {
    /// The order's number.
    pub id: u64,
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// Minutes of preparation.
    pub preparation_time: u32,
    /// Where the courier collects.
    pub pickup_address: AddressBody,
    /// Where that is, as it was found when the order was created.
    pub pickup_location: LocationView,
    /// When it was created.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Whose order it is.
    pub store_id: u64,
    /// Where it stands.
    #[cfg_attr(feature = "openapi", schema(value_type = OrderStatus))]
    pub situation: u16,
    /// What the merchant tells the courier when goods or payment come back; null until a return is known of.
    pub return_code: Option<String>,
    /// What the merchant tells the courier at the pickup.
    pub pickup_code: String,
    /// Kilometres of the whole route, the way back included.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// The fee in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub delivery_fee: Reais,
    /// What late cancellations have cost so far, BRL, in addition to `deliveryFee`; a cancelled order costs this only.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub cancellation_fee: Reais,
    /// The lines that add up to the fee.
    pub price_breakdown: Vec<PriceLineView>,
    /// The deliveries, in route order.
    pub deliveries: Vec<DeliveryView>,
    /// When the last delivery should be handed over; null unless `previewDeliveryTime` was true.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_delivery: Option<String>,
    /// When the courier should collect; null unless `previewDeliveryTime` was true.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_pickup: Option<String>,
    /// Whether a leg rests on no more than municipalities, or on the embedded model because the road network could not tell.
    pub estimated: bool,
}

/// An order with its courier, its history and its origin.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderDetails {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// The courier; null until one is assigned.
    pub delivery_man: Option<CourierView>,
    /// What happened so far, oldest first; empty where the operator has archived the history of an order that ended long ago.
    pub events: Vec<EventView>,
    /// Where the order came from.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub origin: String,
}

/// An order in a list, with its courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedOrder {
    /// The order.
    #[serde(flatten)]
    pub order: OrderView,
    /// The courier; null until one is assigned. Its place is the one of the order's last step: the order itself has the present one.
    pub delivery_man: Option<CourierView>,
}

/// A delivery of an order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Delivery))]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
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
    /// Whether it is paid already.
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
    /// Where that is, as it was found when the order was created.
    pub location: LocationView,
    /// Kilometres of the leg that ends here.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// What the recipient tells the courier.
    pub delivery_code: String,
    /// How well its place is known.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// What was sent of how its receipt is confirmed; in webhooks alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub confirmation: Option<ConfirmationBody>,
}

/// A line of a fee.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PriceLine))]
#[serde(rename_all = "camelCase")]
pub struct PriceLineView {
    /// The tariff's rule.
    #[cfg_attr(feature = "openapi", schema(value_type = Rule))]
    pub rule: Rule,
    /// Kilometres, stops, per cent, or 1.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub quantity: Quantity,
    /// What it adds, BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

/// A courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Courier))]
#[serde(rename_all = "camelCase")]
pub struct CourierView {
    /// The courier's number.
    pub id: u64,
    /// The courier's profile in the operator's records.
    pub profile_id: u64,
    /// Full name.
    pub name: String,
    /// Where to call.
    pub phone: String,
    /// Always null: a courier's email address is visible only to the operator.
    pub email: Option<String>,
    /// Always null: a courier's CPF or other document is visible only to the operator.
    pub document: Option<String>,
    /// Area code.
    pub ddd: Option<String>,
    /// Last known place.
    pub latitude: Option<f64>,
    /// Last known place.
    pub longitude: Option<f64>,
}

/// Somebody in an event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = EventPerson))]
pub struct PersonView {
    /// Name.
    pub name: String,
    /// Number; null for the platform.
    pub phone: Option<String>,
}

/// An event of an order's history. Consumers order by `sequence`; `description` is for people.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderEvent))]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// The event's place in the service's journal.
    pub id: u64,
    /// When it happened.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// What happened, in the language of the request.
    pub description: String,
    /// Where the courier was.
    pub latitude: Option<f64>,
    /// Where the courier was.
    pub longitude: Option<f64>,
    /// The courier that had the order.
    pub delivery_man: Option<PersonView>,
    /// Who caused it.
    pub requested_by: PersonView,
    /// What happened, for programs.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EventKind))]
    pub kind: &'static str,
    /// Where the order stood afterwards, or the delivery where `deliveryId` names one.
    #[cfg_attr(feature = "openapi", schema(value_type = AnyStatus))]
    pub situation: u16,
    /// Its place in the order's history: 1, 2, 3, without a gap.
    pub sequence: u32,
    /// The delivery that it is about; null for the whole order.
    pub delivery_id: Option<u64>,
    /// Why, in the words of who caused it; null where nobody was asked.
    pub reason: Option<String>,
}

impl OrderView {
    /// The order as the API shows it.
    pub fn of(order: &Order) -> OrderView {
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
            price_breakdown: order.price_breakdown.iter().map(PriceLineView::of).collect(),
            deliveries: order.deliveries.iter().enumerate().map(|(at, stop)| DeliveryView::of(at + 1, stop)).collect(),
            expected_delivery: order.expected_delivery.as_ref().map(Timestamp::to_string),
            expected_pickup: order.expected_pickup.as_ref().map(Timestamp::to_string),
            estimated: order.estimated,
        }
    }
}

impl OrderDetails {
    /// The order with its history, described in a language.
    pub fn of(order: &Order, events: &[RecordedEvent], language: crate::model::Language) -> OrderDetails {
        OrderDetails {
            order: OrderView::of(order),
            delivery_man: order.courier.as_ref().map(CourierView::of),
            events: events.iter().map(|recorded| EventView::of(recorded.id.get(), &recorded.event, language)).collect(),
            origin: order.origin.clone(),
        }
    }
}

impl ListedOrder {
    /// The order as a list shows it.
    pub fn of(order: &Order) -> ListedOrder {
        ListedOrder { order: OrderView::of(order), delivery_man: order.courier.as_ref().map(CourierView::of) }
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
    /// The delivery as its merchant sees it.
    pub fn of(order_route: usize, delivery: &Delivery) -> DeliveryView {
        DeliveryView {
            id: delivery.id.get(),
            code: delivery.code.clone(),
            full_code: delivery.full_code.clone(),
            name: delivery.name.clone(),
            phone: delivery.phone.as_ref().map(|phone| phone.as_str().to_owned()),
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
            confirmation: None,
        }
    }
}

impl PriceLineView {
    /// The line as the API shows it.
    pub fn of(line: &PriceLine) -> PriceLineView {
        PriceLineView { rule: line.rule, quantity: Quantity(line.quantity), amount: Reais(line.amount) }
    }
}

impl EventView {
    /// The event at its place in the service's journal, described in a language.
    pub fn of(id: u64, event: &Event, language: crate::model::Language) -> EventView {
        EventView {
            id,
            created_at: event.at.to_string(),
            description: event.kind.description().get(language).to_owned(),
            latitude: event.point.map(Point::latitude),
            longitude: event.point.map(Point::longitude),
            delivery_man: event.courier.as_ref().map(PersonView::of),
            requested_by: PersonView::of(&event.by),
            kind: event.kind.name(),
            situation: event.status,
            sequence: event.sequence,
            delivery_id: event.delivery.map(crate::model::DeliveryId::get),
            reason: event.reason.clone(),
        }
    }
}

impl PersonView {
    fn of(person: &Person) -> PersonView {
        PersonView { name: person.name.clone(), phone: person.phone.as_ref().map(|phone| phone.as_str().to_owned()) }
    }
}

//! The text of an order's proof, which the service signs.

use serde::Serialize;

use super::{AddressBody, EventView, Kilometres, PhotoView, PriceLineView, ProofView, Reais};
use crate::model::{
    Language, Timestamp,
    order::{Delivery, Order, RecordedEvent},
    store::Store,
};

/// The signed text. Its fields can be extended; readers ignore unknown fields.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofDocument {
    /// The format: `despacho-proof/1`.
    pub format: &'static str,
    /// Base URL of the service, if it is configured.
    pub issuer: Option<String>,
    /// Time of issue.
    pub issued_at: String,
    /// The order.
    pub order: ProofOrder,
    /// The order's events, oldest first.
    pub events: Vec<EventView>,
    /// The proofs of its steps, oldest first.
    pub proofs: Vec<ProofView>,
    /// Every photo of the order.
    pub photos: Vec<PhotoView>,
}

/// An order in a proof, without codes and phone numbers.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofOrder {
    /// The order's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: String,
    /// ID of the order's store.
    pub store_id: u64,
    /// Name of the store.
    pub store_name: String,
    /// CNPJ of the store.
    pub store_cnpj: String,
    /// The current status.
    pub situation: u16,
    /// Time of creation.
    pub created_at: String,
    /// Address of the pickup.
    pub pickup_address: AddressBody,
    /// Name of the last courier.
    pub courier: Option<String>,
    /// The deliveries, in route order.
    pub deliveries: Vec<ProofDelivery>,
    /// Length of the route in kilometres.
    pub total_distance: Kilometres,
    /// Fee in BRL.
    pub delivery_fee: Reais,
    /// Cost of late cancellations in BRL, in addition to the fee.
    pub cancellation_fee: Reais,
    /// The lines of the fee.
    pub price_breakdown: Vec<PriceLineView>,
}

/// A delivery in a proof.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofDelivery {
    /// The delivery's ID.
    pub id: u64,
    /// The merchant's code.
    pub code: Option<String>,
    /// The recipient's name.
    pub name: Option<String>,
    /// The recipient's address.
    pub address: AddressBody,
    /// The current status.
    pub situation: u16,
    /// Value of the goods in BRL.
    pub product_value: Option<Reais>,
}

impl ProofDocument {
    /// Builds the document of an order at a time and in a language.
    pub fn of(
        (order, events): (&Order, &[RecordedEvent]),
        store: &Store,
        issuer: Option<String>,
        (now, language): (Timestamp, Language),
    ) -> ProofDocument {
        // A phone number is not needed to prove a delivery.
        let mut events: Vec<EventView> = events
            .iter()
            .map(|recorded| EventView::of(recorded.id.get(), &recorded.event, language))
            .collect();
        for event in &mut events {
            event.requested_by.phone = None;
            event
                .delivery_man
                .iter_mut()
                .for_each(|courier| courier.phone = None);
        }
        ProofDocument {
            format: "despacho-proof/1",
            issuer,
            issued_at: now.to_string(),
            order: ProofOrder::of(order, store),
            events,
            proofs: ProofView::all(&order.proof),
            photos: order.proof.photos.iter().map(PhotoView::of).collect(),
        }
    }
}

impl ProofOrder {
    fn of(order: &Order, store: &Store) -> ProofOrder {
        ProofOrder {
            id: order.id.get(),
            code: order.code.clone(),
            store_id: store.id.get(),
            store_name: store.name.clone(),
            store_cnpj: store.cnpj.as_str().to_owned(),
            situation: order.status.number(),
            created_at: order.created_at.to_string(),
            pickup_address: (&order.pickup.address).into(),
            courier: order.courier.as_ref().map(|courier| courier.name.clone()),
            deliveries: order.deliveries.iter().map(ProofDelivery::of).collect(),
            total_distance: Kilometres(order.total_distance),
            delivery_fee: Reais(order.fee),
            cancellation_fee: Reais(order.cancellation_fee),
            price_breakdown: order
                .price_breakdown
                .iter()
                .map(PriceLineView::of)
                .collect(),
        }
    }
}

impl ProofDelivery {
    fn of(delivery: &Delivery) -> ProofDelivery {
        ProofDelivery {
            id: delivery.id.get(),
            code: delivery.code.clone(),
            name: delivery.name.clone(),
            address: (&delivery.place.address).into(),
            situation: delivery.status.number(),
            product_value: delivery.product_value.map(Reais),
        }
    }
}

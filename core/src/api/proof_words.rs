//! The words of proofs, in English and Portuguese.

use crate::model::{
    Text,
    order::{DeliveryStatus, OrderStatus, ProofStep},
    price::Rule,
    store::RecipientChoice,
};

/// A text in English and in Portuguese.
type Words = (&'static str, &'static str);

pub(super) fn order_status(status: OrderStatus) -> Words {
    match status {
        OrderStatus::Scheduled => ("Scheduled", "Agendado"),
        OrderStatus::Preparing => ("Preparing", "Em preparo"),
        OrderStatus::Ready => ("Ready", "Pronto"),
        OrderStatus::Searching => ("Searching for a courier", "Buscando entregador"),
        OrderStatus::Allocated => ("Courier on the way", "Entregador a caminho"),
        OrderStatus::CourierAtPickup => ("Courier at pickup", "Entregador na coleta"),
        OrderStatus::OutForDelivery => ("Out for delivery", "Saiu para entrega"),
        OrderStatus::Returning => ("Returning", "Em devolução"),
        OrderStatus::CourierAtReturn => ("Courier at return", "Entregador de volta"),
        OrderStatus::Completed => ("Delivered", "Entregue"),
        OrderStatus::Partial => ("Partially delivered", "Parcialmente entregue"),
        OrderStatus::NotDelivered => ("Not delivered", "Não entregue"),
        OrderStatus::Cancelled => ("Cancelled", "Cancelado"),
        OrderStatus::CancelledWithFee => ("Cancelled with a fee", "Cancelado com taxa"),
        OrderStatus::CancelledByPlatform => {
            ("Cancelled by the platform", "Cancelado pela plataforma")
        }
        OrderStatus::Expired => ("No courier found", "Sem entregador"),
        OrderStatus::Rejected => ("Rejected", "Rejeitado"),
    }
}

pub(super) fn delivery_status(status: DeliveryStatus) -> Words {
    match status {
        DeliveryStatus::AwaitingPickup => ("Awaiting pickup", "Aguardando coleta"),
        DeliveryStatus::OnBoard => ("With the courier", "Com o entregador"),
        DeliveryStatus::EnRoute => ("On the way", "A caminho"),
        DeliveryStatus::Arrived => ("At the door", "Na porta"),
        DeliveryStatus::Returning => ("Returning", "Em devolução"),
        DeliveryStatus::AtReturn => ("Back at the pickup", "De volta à coleta"),
        DeliveryStatus::Delivered => ("Delivered", "Entregue"),
        DeliveryStatus::Returned => ("Returned", "Devolvido"),
        DeliveryStatus::Discarded => ("Discarded", "Descartado"),
        DeliveryStatus::Lost => ("Lost", "Extraviado"),
        DeliveryStatus::Cancelled => ("Cancelled", "Cancelado"),
    }
}

/// Returns the words for a recipient's choice, which an event has as its reason.
pub(super) fn choice(reason: &str) -> Option<Text> {
    RecipientChoice::from_name(reason).map(RecipientChoice::text)
}

pub(super) fn step(step: &str) -> Words {
    match ProofStep::parse(step) {
        Some(ProofStep::Pickup) => ("Pickup", "Coleta"),
        Some(ProofStep::Delivery) => ("Delivery", "Entrega"),
        Some(ProofStep::Failure) => ("Failed delivery", "Falha na entrega"),
        Some(ProofStep::Return) => ("Return", "Devolução"),
        None => ("", ""),
    }
}

pub(super) fn rule(rule: Rule) -> Words {
    match rule {
        Rule::Base => ("Base fee", "Taxa base"),
        Rule::Distance => ("Distance (km)", "Distância (km)"),
        Rule::ExtraStops => ("Further stops", "Paradas adicionais"),
        Rule::Return => ("Return", "Retorno"),
        Rule::ReturnDistance => ("Way back (km)", "Distância de volta (km)"),
        Rule::Window => ("Surcharge by time (%)", "Adicional por horário (%)"),
        Rule::Vehicle => ("Vehicle surcharge", "Adicional por veículo"),
        Rule::Minimum => ("Minimum fee", "Taxa mínima"),
    }
}

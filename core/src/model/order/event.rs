//! Events of an order's history.

use serde::{Deserialize, Serialize};

use crate::model::{DeliveryId, EventId, OrderId, Person, Point, StoreId, Text, Timestamp};

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $en:literal $pt:literal,)*) => {
        /// The kind of an event. Its name is the event's `type` in the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum EventKind { $($(#[$doc])* #[serde(rename = $name)] $variant,)* }

        impl EventKind {
            /// All kinds.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$variant,)*];

            /// Returns the name, such as `order.created`.
            pub fn name(self) -> &'static str {
                match self { $(EventKind::$variant => $name,)* }
            }

            /// Returns the kind with a name.
            pub fn from_name(name: &str) -> Option<EventKind> {
                match name { $($name => Some(EventKind::$variant),)* _ => None }
            }

            /// Returns the description for display.
            pub fn description(self) -> Text {
                match self { $(EventKind::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

event_kinds! {
    /// The order was created.
    Created "order.created" "Order created" "Pedido criado",
    /// The preparation of a scheduled order started.
    Preparing "order.preparing" "Preparation started" "Preparo iniciado",
    /// The goods will be ready at a later time.
    Delayed "order.delayed" "New ready time" "Novo horário de preparo",
    /// The goods are ready.
    Ready "order.ready" "Order ready for pickup" "Pedido pronto para coleta",
    /// The search for a courier started.
    Searching "order.searching" "Searching for a courier" "Procurando entregador",
    /// A courier was assigned.
    Allocated "order.allocated" "Courier on the way to the pickup" "Entregador a caminho da coleta",
    /// The live estimate of the pickup or the delivery moved.
    EtaChanged "order.eta_changed" "New estimated time" "Nova previsão de horário",
    /// The courier is at the pickup.
    CourierArrived "order.courier_arrived" "Courier at the pickup" "Entregador no local de coleta",
    /// The courier was released; the search starts again.
    CourierReleased "order.courier_released" "Courier released; searching for another" "Entregador liberado; procurando outro",
    /// The courier has the goods.
    PickedUp "order.picked_up" "Picked up" "Pedido coletado",
    /// The courier is on the way to a stop.
    EnRoute "delivery.en_route" "On the way to the stop" "A caminho da entrega",
    /// Another stop is visited first.
    Resequenced "delivery.resequenced" "Another stop comes first" "Outra entrega vem antes",
    /// The courier is at the door.
    Arrived "delivery.arrived" "Courier at the door" "Entregador no local da entrega",
    /// The delivery was handed over.
    Delivered "delivery.delivered" "Delivered" "Entregue",
    /// The delivery failed, and the merchant does not want the goods back.
    Discarded "delivery.discarded" "Discarded" "Descartada",
    /// The goods or the payment are on the way back.
    ReturnStarted "delivery.returning" "On the way back to the pickup" "Retornando ao local de coleta",
    /// The courier is back at the pickup.
    CourierAtReturn "order.courier_at_return" "Courier back at the pickup" "Entregador de volta ao local de coleta",
    /// The goods or the payment were handed back.
    Returned "order.returned" "Handed back to the merchant" "Devolvido à loja",
    /// The merchant waived the return.
    ReturnWaived "order.return_waived" "Return waived by the merchant" "Devolução dispensada pela loja",
    /// The delivery was lost or stolen.
    Lost "delivery.lost" "Lost" "Extraviada",
    /// A stop was cancelled before pickup.
    DeliveryCancelled "delivery.cancelled" "Stop cancelled" "Entrega cancelada",
    /// The recipient chose what the courier does if the recipient is not at home.
    RecipientChoice "delivery.recipient_choice" "Recipient's choice" "Escolha do destinatário",
    /// A payment at the door was recorded.
    PaymentRecorded "delivery.payment_recorded" "Payment recorded" "Pagamento registrado",
    /// The recipient rated the delivery.
    Rated "delivery.rated" "Rated by the recipient" "Avaliada pelo destinatário",
    /// A message to the recipient is due.
    RecipientNotify "recipient.notify" "Message to the recipient" "Mensagem ao destinatário",
    /// No courier was found in time.
    Expired "order.expired" "No courier was found in time" "Nenhum entregador foi encontrado a tempo",
    /// The order was cancelled.
    Cancelled "order.cancelled" "Order cancelled" "Pedido cancelado",
}

/// An event of an order's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The order.
    pub order: OrderId,
    /// The order's store.
    pub store: StoreId,
    /// Position in the order's history: 1, 2, 3, without gaps.
    pub sequence: u32,
    /// Time of the event.
    pub at: Timestamp,
    /// Time at which the service received the event, if the courier sent it late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_at: Option<Timestamp>,
    /// The kind of the event.
    pub kind: EventKind,
    /// Status of the order, or of the affected delivery, after the event.
    #[serde(rename = "situation")]
    pub status: u16,
    /// The affected delivery. `None` if the event concerns the whole order.
    pub delivery: Option<DeliveryId>,
    /// The courier that was assigned to the order.
    pub courier: Option<Person>,
    /// The person or system that caused the event.
    pub by: Person,
    /// Position of the courier.
    pub point: Option<Point>,
    /// The reason given, if one was requested.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An event with the ID that the commit assigned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvent {
    /// The event's ID.
    pub id: EventId,
    /// The event.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_kind_names_round_trip() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), Some(*kind));
            assert!(!kind.description().pt.is_empty());
        }
    }
}

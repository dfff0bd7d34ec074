//! The history of an order: what happened, when, and who caused it.

use serde::{Deserialize, Serialize};

use crate::model::{DeliveryId, EventId, OrderId, Person, Point, StoreId, Text, Timestamp};

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $en:literal $pt:literal,)*) => {
        /// What happened. The names are the `type` of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum EventKind { $($(#[$doc])* #[serde(rename = $name)] $variant,)* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$variant,)*];

            /// The kind's name: `order.created`.
            pub fn name(self) -> &'static str {
                match self { $(EventKind::$variant => $name,)* }
            }

            /// The kind of a name.
            pub fn from_name(name: &str) -> Option<EventKind> {
                match name { $($name => Some(EventKind::$variant),)* _ => None }
            }

            /// What people read.
            pub fn description(self) -> Text {
                match self { $(EventKind::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

event_kinds! {
    /// The order was created.
    Created "order.created" "Order created" "Pedido criado",
    /// Its goods will be ready at another time.
    Delayed "order.delayed" "New ready time" "Novo horário de preparo",
    /// Its goods are ready.
    Ready "order.ready" "Order ready for pickup" "Pedido pronto para coleta",
    /// A courier is being looked for.
    Searching "order.searching" "Looking for a courier" "Procurando entregador",
    /// A courier was assigned.
    Allocated "order.allocated" "Courier on the way to the pickup" "Entregador a caminho da coleta",
    /// The courier is at the pickup.
    CourierArrived "order.courier_arrived" "Courier at the pickup" "Entregador no local de coleta",
    /// The courier does not come; another one is looked for.
    CourierReleased "order.courier_released" "Courier released; looking for another" "Entregador liberado; procurando outro",
    /// The courier has the goods.
    PickedUp "order.picked_up" "Picked up" "Pedido coletado",
    /// The courier is on the way to a stop.
    EnRoute "delivery.en_route" "On the way to the stop" "A caminho da entrega",
    /// Another stop comes first.
    Resequenced "delivery.resequenced" "Another stop comes first" "Outra entrega vem antes",
    /// The courier is at the door.
    Arrived "delivery.arrived" "Courier at the door" "Entregador no local da entrega",
    /// It was handed over.
    Delivered "delivery.delivered" "Delivered" "Entregue",
    /// It could not be handed over, and the merchant does not want it back.
    Discarded "delivery.discarded" "Discarded" "Descartada",
    /// It is on the way back.
    ReturnStarted "delivery.returning" "On the way back to the pickup" "Retornando ao local de coleta",
    /// The courier is back at the pickup.
    CourierAtReturn "order.courier_at_return" "Courier back at the pickup" "Entregador de volta ao local de coleta",
    /// Goods or payment were handed back.
    Returned "order.returned" "Handed back to the merchant" "Devolvido à loja",
    /// The merchant does without what was to come back.
    ReturnWaived "order.return_waived" "Return waived by the merchant" "Retorno dispensado pela loja",
    /// Lost or stolen.
    Lost "delivery.lost" "Lost" "Extraviada",
    /// A stop was cancelled before pickup.
    DeliveryCancelled "delivery.cancelled" "Stop cancelled" "Entrega cancelada",
    /// No courier was found in time.
    Expired "order.expired" "No courier was found in time" "Nenhum entregador foi encontrado a tempo",
    /// It was cancelled.
    Cancelled "order.cancelled" "Order cancelled" "Pedido cancelado",
}

/// One event of an order's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Whose history.
    pub order: OrderId,
    /// The order's store.
    pub store: StoreId,
    /// Its place in the order's history: 1, 2, 3, without a gap.
    pub sequence: u32,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// Where the order, or the delivery that the event is about, stood afterwards.
    #[serde(rename = "situation")]
    pub status: u16,
    /// The delivery that it is about; `None` for the whole order.
    pub delivery: Option<DeliveryId>,
    /// The courier that had the order.
    pub courier: Option<Person>,
    /// Who caused it.
    pub by: Person,
    /// Where the courier was.
    pub point: Option<Point>,
    /// Why, in the words of who caused it, where one was asked for.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An event with its place in the journal of the whole service, which the commit gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvent {
    /// The place in the journal.
    pub id: EventId,
    /// The event.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_by_its_name() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), Some(*kind));
            assert!(!kind.description().pt.is_empty());
        }
    }
}

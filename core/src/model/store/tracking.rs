//! A store's settings for the pages of its recipients.

use serde::{Deserialize, Serialize};

use crate::model::{Phone, Text};

macro_rules! choices {
    ($($(#[$doc:meta])* $variant:ident $name:literal $en:literal $pt:literal,)*) => {
        /// What a recipient who is not at home requests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum RecipientChoice { $($(#[$doc])* #[serde(rename = $name)] $variant,)* }

        impl RecipientChoice {
            /// All choices.
            pub const ALL: &'static [RecipientChoice] = &[$(RecipientChoice::$variant,)*];

            /// Returns the name in the API.
            pub fn name(self) -> &'static str {
                match self { $(RecipientChoice::$variant => $name,)* }
            }

            /// Returns the choice with a name.
            pub fn from_name(name: &str) -> Option<RecipientChoice> {
                RecipientChoice::ALL.iter().copied().find(|choice| choice.name() == name)
            }

            /// Returns the text for recipients.
            pub fn text(self) -> Text {
                match self { $(RecipientChoice::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

choices! {
    /// The courier leaves the delivery with the doorman.
    Doorman "DOORMAN" "Leave it with the doorman" "Deixar na portaria",
    /// The courier leaves the delivery with a neighbour.
    Neighbour "NEIGHBOUR" "Leave it with a neighbour" "Deixar com um vizinho",
    /// The courier leaves the delivery at the door.
    AtDoor "AT_DOOR" "Leave it at the door" "Deixar na porta",
    /// The courier calls the store.
    CallStore "CALL_STORE" "Talk to the store first" "Falar com a loja antes",
}

/// A step after which the recipient gets a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NotifyAt {
    /// The order was created.
    #[serde(rename = "CREATED")]
    Created,
    /// The courier has the goods.
    #[serde(rename = "PICKED_UP")]
    PickedUp,
    /// The courier is on the way to the recipient.
    #[serde(rename = "EN_ROUTE")]
    EnRoute,
}

impl NotifyAt {
    /// All steps, in their order.
    pub const ALL: &'static [NotifyAt] =
        &[NotifyAt::Created, NotifyAt::PickedUp, NotifyAt::EnRoute];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            NotifyAt::Created => "CREATED",
            NotifyAt::PickedUp => "PICKED_UP",
            NotifyAt::EnRoute => "EN_ROUTE",
        }
    }

    /// Returns the step with a name.
    pub fn from_name(name: &str) -> Option<NotifyAt> {
        NotifyAt::ALL
            .iter()
            .copied()
            .find(|step| step.name() == name)
    }
}

/// A store's settings for the pages of its recipients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreTracking {
    /// Whether the deliveries of new orders have links.
    pub enabled: bool,
    /// The contact that the pages show.
    pub contact: TrackingContact,
    /// What a recipient who is not at home can choose.
    pub choices: Vec<RecipientChoice>,
    /// The steps after which a recipient gets a message.
    pub notify_at: Vec<NotifyAt>,
}

/// The contact of a store for its recipients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrackingContact {
    /// Name of a person or a counter. The pages show the store's name without it.
    pub name: Option<String>,
    /// The phone number for recipients.
    pub phone: Option<Phone>,
    /// A text for recipients, such as the opening hours.
    pub text: Option<String>,
}

impl StoreTracking {
    pub(super) fn is_default(&self) -> bool {
        *self == StoreTracking::default()
    }
}

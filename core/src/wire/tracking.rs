//! Settings, links and contents of recipients' pages.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{LinkAction, StopNumber};
use super::{Id, PixView};
#[cfg(feature = "openapi")]
use crate::model::{order::DeliveryStatus, store::RecipientChoice};
#[cfg(feature = "openapi")]
use crate::rules::recipient::TrackingState;
use crate::{
    model::{
        Language, Point,
        order::{Delivery, Rating},
        store::{NotifyAt, StoreTracking, TrackingContact},
    },
    rules::{recipient::RecipientStatus, webhooks::without_links},
};

/// Settings for the pages of a store's recipients. They replace the previous settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetStoreTracking {
    /// Whether the deliveries of new orders have links. Defaults to false.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub enabled: Option<bool>,
    /// The contact that the pages show.
    pub contact: Option<TrackingContactBody>,
    /// What a recipient who is not at home can choose. Defaults to nothing.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<RecipientChoice>>))]
    pub choices: Option<Vec<String>>,
    /// The steps after which a `recipient.notify` event is due. Defaults to none.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<NotifyAt>>))]
    pub notify_at: Option<Vec<String>>,
}

/// The contact of a store for its recipients.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = TrackingContact))]
#[serde(rename_all = "camelCase", default)]
pub struct TrackingContactBody {
    /// Name of a person or a counter.
    #[cfg_attr(feature = "openapi", schema(example = "Balcão"))]
    pub name: Option<String>,
    /// A phone number in E.164 format.
    #[cfg_attr(
        feature = "openapi",
        schema(format = "phone", example = "+551130000000")
    )]
    pub phone: Option<String>,
    /// A text for recipients.
    #[cfg_attr(feature = "openapi", schema(example = "Todos os dias, das 11h às 23h"))]
    pub text: Option<String>,
}

/// The settings for the pages of a store's recipients.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StoreTracking))]
#[serde(rename_all = "camelCase")]
pub struct StoreTrackingView {
    /// Whether the deliveries of new orders have links. The deployment also needs a `public-url`.
    pub enabled: bool,
    /// The contact that the pages show.
    pub contact: TrackingContactBody,
    /// What a recipient who is not at home can choose.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<RecipientChoice>))]
    pub choices: Vec<&'static str>,
    /// The steps after which a `recipient.notify` event is due.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<NotifyAt>))]
    pub notify_at: Vec<&'static str>,
}

/// A change to the link of a delivery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeLink {
    /// The delivery's ID.
    #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
    pub delivery_id: Option<Id>,
    /// What to do with the link.
    #[cfg_attr(feature = "openapi", schema(value_type = LinkAction, required = true))]
    pub action: Option<String>,
}

/// The link of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DeliveryLink))]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// The delivery's ID.
    pub delivery_id: u64,
    /// URL of the recipient's page. Null if the link was revoked.
    pub tracking_url: Option<String>,
}

/// A recipient's choice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChooseDelivery {
    /// One of the `choices`.
    #[cfg_attr(feature = "openapi", schema(value_type = RecipientChoice, required = true))]
    pub choice: Option<String>,
}

/// A recipient's rating.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RateDelivery {
    /// 1 to 5, as a whole number.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, required = true, example = 5))]
    pub stars: Option<f64>,
    /// A text.
    pub text: Option<String>,
}

/// A recipient's rating of a delivery.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Rating))]
#[serde(rename_all = "camelCase")]
pub struct RatingView {
    /// 1 to 5.
    pub stars: u8,
    /// The recipient's text.
    pub text: Option<String>,
    /// Time of the rating.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub rated_at: String,
}

/// The content of a recipient's page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecipientTracking {
    /// The state of the delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = TrackingState))]
    pub state: &'static str,
    /// The state in words, in the language of the request.
    pub text: String,
    /// Status of the delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = DeliveryStatus))]
    pub situation: u16,
    /// Name of the store.
    pub store_name: String,
    /// The contact that the store set.
    pub contact: TrackingContactBody,
    /// The live estimate. Null if it is unknown, and after the arrival.
    pub estimate: Option<TrackingWindow>,
    /// The courier. Null until one is assigned.
    pub courier: Option<TrackingCourier>,
    /// The code for a payment by Pix. Null if none is due, when a payment by Pix was recorded, and
    /// at the end.
    pub pix: Option<PixView>,
    /// The code that the recipient gives to the courier. Null if none is required, and at the end.
    pub delivery_code: Option<String>,
    /// What the recipient can choose now.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<RecipientChoice>))]
    pub choices: Vec<&'static str>,
    /// What the recipient chose.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<RecipientChoice>))]
    pub choice: Option<&'static str>,
    /// Whether the recipient can rate the delivery now.
    pub can_rate: bool,
    /// The recipient's rating.
    pub rating: Option<RatingView>,
    /// Time at which the link ends. Null before the delivery's end.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub ends_at: Option<String>,
}

/// A period in which the delivery is expected.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TrackingWindow {
    /// Start of the period.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub from: String,
    /// End of the period.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub to: String,
}

/// The courier, as shown to a recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrackingCourier {
    /// First name.
    pub first_name: String,
    /// Latitude, rounded to about 100 m. Null unless the courier is on the way to this delivery.
    pub latitude: Option<f64>,
    /// Longitude, rounded in the same way.
    pub longitude: Option<f64>,
}

/// The recipient of a message, with its text in Portuguese.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotifiedRecipient {
    /// The recipient's name.
    pub name: Option<String>,
    /// Phone number in E.164 format.
    pub phone: Option<String>,
    /// Email address.
    pub email: Option<String>,
    /// The channels by which the recipient can be reached: `WHATSAPP`, `SMS` and `EMAIL`.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub channels: Vec<&'static str>,
    /// URL of the recipient's page. Null if the link was revoked.
    pub tracking_url: Option<String>,
    /// Name of the store.
    pub store_name: String,
    /// Subject of the message.
    pub subject: String,
    /// Text of the message, with the URL.
    pub text: String,
}

impl StoreTrackingView {
    /// Builds the API representation of a store's settings.
    pub fn of(tracking: &StoreTracking) -> StoreTrackingView {
        StoreTrackingView {
            enabled: tracking.enabled,
            contact: TrackingContactBody::of(&tracking.contact),
            choices: tracking
                .choices
                .iter()
                .map(|choice| choice.name())
                .collect(),
            notify_at: tracking.notify_at.iter().map(|step| step.name()).collect(),
        }
    }
}

impl TrackingContactBody {
    fn of(contact: &TrackingContact) -> TrackingContactBody {
        TrackingContactBody {
            name: contact.name.clone(),
            phone: contact
                .phone
                .as_ref()
                .map(|phone| phone.as_str().to_owned()),
            text: contact.text.clone(),
        }
    }
}

impl RatingView {
    /// Builds the API representation of a rating.
    pub fn of(rating: &Rating) -> RatingView {
        RatingView {
            stars: rating.stars,
            text: rating.text.clone(),
            rated_at: rating.at.to_string(),
        }
    }
}

impl NotifiedRecipient {
    /// Builds the message to a recipient. It is in Portuguese, because the recipient's language is
    /// unknown.
    pub fn of(
        delivery: &Delivery,
        store_name: String,
        tracking_url: Option<String>,
        due: Option<NotifyAt>,
    ) -> NotifiedRecipient {
        let mut channels = Vec::new();
        if delivery.phone.is_some() {
            channels.extend(["WHATSAPP", "SMS"]);
        }
        if delivery.email.is_some() {
            channels.push("EMAIL");
        }
        let (subject, state) = match due {
            Some(NotifyAt::PickedUp) => ("seu pedido saiu para entrega", "saiu para entrega"),
            Some(NotifyAt::EnRoute) => ("seu pedido está a caminho", "está a caminho"),
            Some(NotifyAt::Created) | None => ("recebemos seu pedido", "foi recebido"),
        };
        let first_name = delivery
            .name
            .as_deref()
            .and_then(|name| name.split_whitespace().next());
        let greeting = first_name
            .map(without_links)
            .filter(|name| !name.is_empty());
        let greeting = greeting.map_or_else(|| "Olá!".to_owned(), |name| format!("Olá, {name}!"));
        let sender = without_links(&store_name);
        let follow = tracking_url
            .as_ref()
            .map_or_else(String::new, |url| format!(" Acompanhe a entrega: {url}"));
        NotifiedRecipient {
            name: delivery.name.clone(),
            phone: delivery
                .phone
                .as_ref()
                .map(|phone| phone.as_str().to_owned()),
            email: delivery
                .email
                .as_ref()
                .map(|email| email.as_str().to_owned()),
            channels,
            subject: format!("{sender}: {subject}"),
            text: format!("{greeting} Seu pedido de {sender} {state}.{follow}"),
            tracking_url,
            store_name,
        }
    }
}

impl RecipientTracking {
    /// Builds the content of a recipient's page in a language.
    pub fn of(status: &RecipientStatus, language: Language) -> RecipientTracking {
        RecipientTracking {
            state: status.state.name(),
            text: status.state.text().get(language).to_owned(),
            situation: status.situation.number(),
            store_name: status.store_name.clone(),
            contact: TrackingContactBody::of(&status.contact),
            estimate: status.estimate.map(|(from, to)| TrackingWindow {
                from: from.to_string(),
                to: to.to_string(),
            }),
            courier: status.courier.clone().map(|first_name| TrackingCourier {
                first_name,
                latitude: status.position.map(Point::latitude),
                longitude: status.position.map(Point::longitude),
            }),
            pix: status.pix.as_ref().map(PixView::of_recipient),
            delivery_code: status.delivery_code.clone(),
            choices: status.choices.iter().map(|choice| choice.name()).collect(),
            choice: status.choice.map(|choice| choice.name()),
            can_rate: status.can_rate,
            rating: status.rating.as_ref().map(RatingView::of),
            ends_at: status.ends_at.map(|at| at.to_string()),
        }
    }
}

//! Settings of recipients' pages, links, choices and ratings.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{
        DeliveryId,
        store::{NotifyAt, RecipientChoice, StoreTracking, TrackingContact},
    },
    wire::{ChangeLink, ChooseDelivery, RateDelivery, SetStoreTracking, TrackingContactBody},
};

/// What to do with a delivery's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChange {
    /// Replace it.
    Rotate,
    /// End it.
    Revoke,
}

/// Validates a store's settings for recipients' pages.
///
/// # Errors
/// Every invalid field.
pub fn store_tracking(body: Body<SetStoreTracking>) -> Result<StoreTracking, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let contact = sent
        .contact
        .map(|contact| checker.tracking_contact(&root.member("contact"), &contact));
    let choices = checker.names(
        &root.member("choices"),
        sent.choices,
        RecipientChoice::ALL,
        RecipientChoice::name,
    );
    let notify_at = checker.names(
        &root.member("notifyAt"),
        sent.notify_at,
        NotifyAt::ALL,
        NotifyAt::name,
    );
    let enabled = sent.enabled.unwrap_or(false);
    checker.finish(Some(StoreTracking {
        enabled,
        contact: contact.unwrap_or_default(),
        choices,
        notify_at,
    }))
}

/// Validates a change to a link. The inner `None` is a number that is not a valid delivery ID.
///
/// # Errors
/// Every invalid field.
pub fn link_change(body: Body<ChangeLink>) -> Result<(Option<DeliveryId>, LinkChange), Problem> {
    let mut checker = Checker::new(body.wrong);
    let stop = checker.stop_id(body.value.delivery_id);
    let path = Path::Root.member("action");
    let action = checker.required_text(&path, body.value.action.as_ref(), bounds::FORMATTED);
    let action = action.and_then(|text| match text.as_str() {
        "ROTATE" => Some(LinkChange::Rotate),
        "REVOKE" => Some(LinkChange::Revoke),
        _ => checker.unknown_value(&path, "ROTATE, REVOKE"),
    });
    checker.finish(stop.zip(action))
}

/// Validates a recipient's choice, which must be one of `allowed`.
///
/// # Errors
/// Every invalid field.
pub fn choice(
    body: Body<ChooseDelivery>,
    allowed: &[RecipientChoice],
) -> Result<RecipientChoice, Problem> {
    let mut checker = Checker::new(body.wrong);
    let path = Path::Root.member("choice");
    let text = checker.required_text(&path, body.value.choice.as_ref(), bounds::FORMATTED);
    let choice = text.and_then(|text| {
        let known = RecipientChoice::from_name(&text).filter(|choice| allowed.contains(choice));
        let names: Vec<&str> = allowed.iter().map(|choice| choice.name()).collect();
        known.or_else(|| checker.unknown_value(&path, &names.join(", ")))
    });
    checker.finish(choice)
}

/// Validates a rating.
///
/// # Errors
/// Every invalid field.
pub fn rating(body: Body<RateDelivery>) -> Result<(u8, Option<String>), Problem> {
    let mut checker = Checker::new(body.wrong);
    let path = Path::Root.member("stars");
    if body.value.stars.is_none() {
        checker.required(&path);
    }
    let stars = checker
        .integer(&path, body.value.stars, bounds::STARS)
        .and_then(|stars| u8::try_from(stars).ok());
    let text = checker.text(
        &Path::Root.member("text"),
        body.value.text.as_ref(),
        bounds::NOTE,
    );
    checker.finish(stars.map(|stars| (stars, text)))
}

impl Checker {
    fn tracking_contact(&mut self, path: &Path<'_>, sent: &TrackingContactBody) -> TrackingContact {
        let phone = self.text(&path.member("phone"), sent.phone.as_ref(), bounds::NAME);
        TrackingContact {
            name: self.text(&path.member("name"), sent.name.as_ref(), bounds::NAME),
            phone: self.phone(&path.member("phone"), phone),
            text: self.text(
                &path.member("text"),
                sent.text.as_ref(),
                bounds::CONTACT_TEXT,
            ),
        }
    }

    /// Reads a list of names of the values in `all`. A name that is sent twice counts once.
    fn names<T: Copy + PartialEq>(
        &mut self,
        path: &Path<'_>,
        sent: Option<Vec<String>>,
        all: &[T],
        name_of: fn(T) -> &'static str,
    ) -> Vec<T> {
        let mut values = Vec::new();
        let sent = sent.unwrap_or_default();
        if !self.has_at_most(path, sent.len(), 0..=all.len()) {
            return values;
        }
        for (index, name) in sent.iter().enumerate() {
            match all.iter().copied().find(|value| name_of(*value) == name) {
                Some(value) if values.contains(&value) => {}
                Some(value) => values.push(value),
                None => {
                    let names: Vec<&str> = all.iter().copied().map(name_of).collect();
                    let _: Option<T> = self.unknown_value(&path.item(index), &names.join(", "));
                    break;
                }
            }
        }
        values
    }

    pub(super) fn unknown_value<T>(&mut self, path: &Path<'_>, values: &str) -> Option<T> {
        let (en, pt) = match values {
            "" => (
                "Nothing can be chosen.".to_owned(),
                "Não há opções para escolher.".to_owned(),
            ),
            values => (
                format!("Expected one of: {values}."),
                format!("Esperado um destes valores: {values}."),
            ),
        };
        self.reject(path, "invalid_value", en, pt);
        None
    }
}

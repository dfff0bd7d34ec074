//! Personal data of recipients: what is stored of it, what an erasure removes, and what remains as a record.
//!
//! Names, phones, addresses, observations, reasons and coordinates are erased. Money, codes, situations, times, the municipality and the
//! state stay, so that prices, statements and counts do not change. [`crate::drivers::erasure`] is the driver.

use super::settings::Secret;
use crate::{
    geo,
    model::{
        Address, Located, OrderId, Phone, Point, Precision, hex, hmac_sha256,
        order::{Delivery, Erasure, Event, Order, Place},
        store::Notification,
        webhook::Subject,
    },
};

pub use crate::model::privacy::{
    Erased, ErasureCause, ErasureRecord, Found, FoundOrder, PersonalData, PersonalQuery, Redaction, StoredRecord,
};

/// The keyed hash of a phone in records. Phones can be compared with it only with the deployment's secret.
pub fn subject(phone: &Phone, secret: &Secret) -> String {
    hex(&hmac_sha256(&secret.0, &[b"despacho erasure subject", phone.as_str().as_bytes()]))
}

impl Order {
    /// Whether it was created from the content with this fingerprint, also after an erasure.
    pub fn has_content(&self, fingerprint: &str, secret: &Secret) -> bool {
        is_fingerprint(&self.fingerprint, fingerprint, secret)
    }

    /// Whether one of its recipients has this phone.
    pub fn delivers_to(&self, phone: &Phone) -> bool {
        self.deliveries.iter().any(|delivery| delivery.phone.as_ref() == Some(phone))
    }
}

const KEYED: &str = "keyed-";

/// Whether a stored fingerprint is this one, also after an erasure.
pub fn is_fingerprint(stored: &str, fingerprint: &str, secret: &Secret) -> bool {
    stored == fingerprint || stored == keyed(fingerprint, secret)
}

/// The keyed digest that an erasure stores in place of a fingerprint; a keyed one stays.
pub fn keyed(fingerprint: &str, secret: &Secret) -> String {
    if fingerprint.starts_with(KEYED) {
        return fingerprint.to_owned();
    }
    let tag = hmac_sha256(&secret.0, &[b"despacho order content", fingerprint.as_bytes()]);
    format!("{KEYED}{}", hex(&tag))
}

/// Erases the courier's position from an ended order.
pub fn erase_positions(order: &mut Order) {
    if let Some(courier) = &mut order.courier {
        courier.position = None;
    }
    order.erasure = order.erasure.max(Erasure::Positions);
}

/// Erases the matching recipients, and the courier's position, from an ended order. Returns the number of recipients.
pub fn erase_recipients(order: &mut Order, secret: &Secret, matches: impl Fn(&Delivery) -> bool) -> u32 {
    let mut count = 0;
    for delivery in order.deliveries.iter_mut().filter(|delivery| !delivery.erased) {
        if matches(delivery) {
            delivery.name = None;
            delivery.phone = None;
            delivery.observation = None;
            delivery.place = coarse(&delivery.place);
            delivery.erased = true;
            count += 1;
        }
    }
    if count > 0 {
        order.fingerprint = keyed(&order.fingerprint, secret);
    }
    erase_positions(order);
    if order.deliveries.iter().all(|delivery| delivery.erased) {
        order.erasure = Erasure::Recipients;
    }
    count
}

/// The municipality of a place. Where it is not known, the coordinates are 0, 0.
fn coarse(place: &Place) -> Place {
    let Address { city, state, .. } = place.address.clone();
    let address = Address { city, state, ..Address::default() };
    let nowhere =
        Located { point: Point { lat_e7: 0, lon_e7: 0 }, precision: Precision::Municipality, radius_m: 50_000 };
    Place { located: geo::locate(&address).unwrap_or(nowhere), address }
}

/// Erases the coordinates and the reason, which is free text, from an event. Returns whether there was one.
pub fn erase_event(event: &mut Event) -> bool {
    let had = event.point.is_some() || event.reason.is_some();
    event.point = None;
    event.reason = None;
    had
}

/// Does the same in the copy that a message or an attempt holds.
pub fn erase_subject(subject: &mut Subject) -> bool {
    match subject {
        Subject::Event(entry) => erase_event(&mut entry.recorded.event),
        Subject::Test => false,
    }
}

/// Whether a message or an attempt is about this order.
pub fn is_about(subject: &Subject, order: OrderId) -> bool {
    matches!(subject, Subject::Event(entry) if entry.recorded.event.order == order)
}

/// Erases a phone from the texts of a notification: a rejected field's hint repeats it. Returns whether it was there.
pub fn erase_mention(notification: &mut Notification, phone: &Phone) -> bool {
    let Some(reason) = &mut notification.reason else { return false };
    let details = std::iter::once(&mut reason.detail).chain(reason.fields.iter_mut().map(|field| &mut field.detail));
    let mut found = false;
    for text in details.flat_map(|detail| [&mut detail.en, &mut detail.pt]) {
        if text.contains(phone.as_str()) {
            *text = text.replace(phone.as_str(), "+…");
            found = true;
        }
    }
    found
}

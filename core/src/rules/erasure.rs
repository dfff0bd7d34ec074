//! Erasure of recipients' personal data.
//!
//! Names, phones, emails, addresses, observations, instructions at the pickup, reasons, choices,
//! ratings, coordinates, and proofs with their photos are erased. Money, codes, statuses, times,
//! the municipality and the state are kept, so prices, statements and counts do not change.
//! [`crate::drivers::erasure`] runs erasures.

use super::settings::Secret;
use crate::{
    geo::Gazetteer,
    model::{
        Address, Located, OrderId, Phone, PhotoId, Point, Precision, Timestamp, hex, hmac_sha256,
        order::{
            Delivery, Erasure, Event, Order, OrderProof, Photo, Place, Proof, ProofParts,
            TrackingLink,
        },
        store::Notification,
        webhook::Subject,
    },
};

pub use crate::model::privacy::{
    ErasureCause, ErasureRecord, ErasureSummary, PersonalData, PersonalQuery, RecipientData,
    RecipientOrder, Redaction, StoredRecord,
};

/// Returns the keyed hash of a phone number for records. Comparing a phone number with it requires
/// the deployment's secret.
pub fn subject(phone: &Phone, secret: &Secret) -> String {
    hex(&hmac_sha256(
        &secret.0,
        &[b"despacho erasure subject", phone.as_str().as_bytes()],
    ))
}

impl Order {
    /// Returns whether the order was created from the content with this fingerprint, also after an
    /// erasure.
    pub fn has_content(&self, fingerprint: &str, secret: &Secret) -> bool {
        is_fingerprint(&self.fingerprint, fingerprint, secret)
    }

    /// Returns whether one of the recipients has this phone number.
    pub fn delivers_to(&self, phone: &Phone) -> bool {
        self.deliveries
            .iter()
            .any(|delivery| delivery.phone.as_ref() == Some(phone))
    }
}

const KEYED: &str = "keyed-";

/// Returns whether a stored fingerprint is equal to this one, also after an erasure.
pub fn is_fingerprint(stored: &str, fingerprint: &str, secret: &Secret) -> bool {
    stored == fingerprint || stored == keyed(fingerprint, secret)
}

/// Returns the keyed digest by which an erasure replaces a fingerprint. A digest that is already
/// keyed is returned unchanged.
pub fn keyed(fingerprint: &str, secret: &Secret) -> String {
    if fingerprint.starts_with(KEYED) {
        return fingerprint.to_owned();
    }
    let tag = hmac_sha256(
        &secret.0,
        &[b"despacho order content", fingerprint.as_bytes()],
    );
    format!("{KEYED}{}", hex(&tag))
}

/// Erases the courier's position from an ended order.
pub fn erase_positions(order: &mut Order) {
    if let Some(courier) = &mut order.courier {
        courier.position = None;
    }
    order
        .proof
        .steps
        .iter_mut()
        .for_each(|proof| proof.parts.position = None);
    order.erasure = order.erasure.max(Erasure::Positions);
}

/// What an erasure uses besides the order.
#[derive(Clone, Copy, Debug)]
pub struct ErasureBasis<'a> {
    /// The deployment's secret, for keyed digests.
    pub secret: &'a Secret,
    /// The municipalities, to which addresses are reduced.
    pub gazetteer: Gazetteer,
    /// The time of the erasure, at which the links end.
    pub now: Timestamp,
}

/// Erases matching proofs from an ended order, and returns the photos to remove: all that no
/// remaining proof contains.
pub fn erase_proofs(order: &mut Order, matches: impl Fn(&Proof) -> bool) -> Vec<PhotoId> {
    let OrderProof { photos, steps, .. } = &mut order.proof;
    for proof in steps.iter_mut().filter(|proof| matches(proof)) {
        proof.parts = ProofParts::default();
        proof.erased = true;
    }
    let is_kept = |photo: &Photo| {
        steps
            .iter()
            .any(|proof| proof.parts.photos.contains(&photo.id))
    };
    let removed = photos
        .iter()
        .filter(|photo| !is_kept(photo))
        .map(|photo| photo.id)
        .collect();
    photos.retain(is_kept);
    removed
}

/// Erases matching recipients and the courier's position from an ended order. Returns the number of
/// erased recipients, and their links, which end. [`erase_recipient_proofs`] erases their proofs.
pub fn erase_recipients(
    order: &mut Order,
    ErasureBasis {
        secret,
        gazetteer,
        now,
    }: ErasureBasis<'_>,
    matches: impl Fn(&Delivery) -> bool,
) -> (u32, Vec<TrackingLink>) {
    let (mut count, mut links, id) = (0, Vec::new(), order.id);
    for delivery in order
        .deliveries
        .iter_mut()
        .filter(|delivery| !delivery.erased)
    {
        if matches(delivery) {
            delivery.name = None;
            delivery.phone = None;
            delivery.email = None;
            delivery.observation = None;
            for payment in &mut delivery.received {
                payment.reference = None;
            }
            delivery.place = coarse(&delivery.place, gazetteer);
            delivery.place = coarse(&delivery.place, gazetteer);
            links.extend(delivery.end_link(id, now));
            delivery.tracking = None;
            delivery.erased = true;
            count += 1;
        }
    }
    if count > 0 {
        order.pickup_instructions = None;
        order.fingerprint = keyed(&order.fingerprint, secret);
    }
    erase_positions(order);
    if order.deliveries.iter().all(|delivery| delivery.erased) {
        order.erasure = Erasure::Recipients;
    }
    (count, links)
}

/// Erases the proofs of erased deliveries, and those of the pickup and the return, which can show
/// the same recipients. Returns the photos to remove.
pub fn erase_recipient_proofs(order: &mut Order) -> Vec<PhotoId> {
    let erased: Vec<_> = order
        .deliveries
        .iter()
        .filter(|delivery| delivery.erased)
        .map(|delivery| delivery.id)
        .collect();
    erase_proofs(order, |proof| {
        proof.delivery.is_none_or(|id| erased.contains(&id))
    })
}

/// Reduces a location to its municipality. If that is unknown, the coordinates are 0, 0.
fn coarse(place: &Place, gazetteer: Gazetteer) -> Place {
    let Address { city, state, .. } = place.address.clone();
    let address = Address {
        city,
        state,
        ..Address::default()
    };
    let nowhere = Located {
        point: Point {
            lat_e7: 0,
            lon_e7: 0,
        },
        precision: Precision::Municipality,
        radius_m: 50_000,
    };
    Place {
        located: gazetteer.locate(&address).unwrap_or(nowhere),
        address,
    }
}

/// Erases the coordinates and the reason, which is free text, from an event. Returns whether the
/// event changed.
pub fn erase_event(event: &mut Event) -> bool {
    let had = event.point.is_some() || event.reason.is_some();
    event.point = None;
    event.reason = None;
    had
}

/// Erases the same data from the copy of an event in a message or an attempt.
pub fn erase_subject(subject: &mut Subject) -> bool {
    match subject {
        Subject::Event(entry) => erase_event(&mut entry.recorded.event),
        Subject::Test => false,
    }
}

/// Returns whether a message or an attempt concerns this order.
pub fn is_about(subject: &Subject, order: OrderId) -> bool {
    matches!(subject, Subject::Event(entry) if entry.recorded.event.order == order)
}

/// Erases a phone number from the texts of a notification, such as the hint of a rejected field.
/// Returns whether the notification changed.
pub fn erase_mention(notification: &mut Notification, phone: &Phone) -> bool {
    let Some(reason) = &mut notification.reason else {
        return false;
    };
    let details = std::iter::once(&mut reason.detail)
        .chain(reason.fields.iter_mut().map(|field| &mut field.detail));
    let mut found = false;
    for text in details.flat_map(|detail| [&mut detail.en, &mut detail.pt]) {
        if text.contains(phone.as_str()) {
            *text = text.replace(phone.as_str(), "+…");
            found = true;
        }
    }
    found
}

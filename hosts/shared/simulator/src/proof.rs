//! The proofs that simulated couriers send, so that sandbox orders of a store with rules for proofs
//! are delivered.

use despacho_core::{
    changes::Changes,
    model::{
        IdBlock, Point, Timestamp,
        courier::Courier,
        order::{Order, PhotoFormat, ProofPart, ProofParts},
    },
    rules::{
        lifecycle::Carry,
        photos,
        proofs::{PhotoOutcome, add_photo},
    },
};

/// A PNG file of one grey pixel.
const PHOTO: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\n\
    IDATx\xdach\0\0\0\x82\0\x81\xdaE\x08;\0\0\0\0IEND\xaeB`\x82";

/// Returns whether a step needs an ID for a photo.
pub(crate) fn has_photo(order: &Order, carry: &Carry) -> bool {
    carry.required_proof(order).contains(&ProofPart::Photo)
}

/// Returns the order with the photo that the step requires, the proof, and the changes that store
/// the photo.
pub(crate) fn proven(
    order: &Order,
    courier: &Courier,
    (carry, at): (&Carry, Point),
    ids: &mut IdBlock,
    now: Timestamp,
) -> Option<(Order, ProofParts, Changes)> {
    let mut parts = ProofParts::default();
    let (mut order, mut changes) = (order.clone(), Changes::default());
    for part in carry.required_proof(&order) {
        match part {
            ProofPart::Photo => {
                let clean = photos::clean(PHOTO, PhotoFormat::Png).ok()?;
                match add_photo(&order, courier.id, (clean, PhotoFormat::Png), ids, now)? {
                    PhotoOutcome::Existing(photo) => parts.photos.push(photo.id),
                    PhotoOutcome::Added(photo, added) => {
                        parts.photos.push(photo.id);
                        order.proof.photos.push(photo);
                        changes.blobs = added.blobs;
                    }
                    PhotoOutcome::TooMany => return None,
                }
            }
            ProofPart::Name => parts.received_by = Some("Simulated recipient".to_owned()),
            ProofPart::Note => parts.note = Some("Simulated delivery".to_owned()),
            ProofPart::Position => parts.position = Some(at),
        }
    }
    Some((order, parts, changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_photo_is_clean() {
        assert_eq!(
            photos::clean(PHOTO, PhotoFormat::Png).map(|photo| photo.bytes),
            Ok(PHOTO.to_vec())
        );
    }
}

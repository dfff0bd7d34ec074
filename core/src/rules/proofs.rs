//! Proofs of steps: the photos of an order, and the signature of the proof that a third party
//! verifies.

use super::{photos::CleanPhoto, settings::Secret};
use crate::{
    changes::{Changes, Write},
    model::{
        CourierId, IdBlock, PhotoId, Timestamp, hex, hmac_sha256,
        order::{Blob, Order, OrderProof, Photo, PhotoFormat},
        p256_public_key, p256_sign, sha256,
    },
};

/// The result of a photo for an order.
#[derive(Clone, Debug, PartialEq)]
pub enum PhotoOutcome {
    /// The courier sent the same photo before. Nothing changes.
    Existing(Photo),
    /// The photo is added.
    Added(Photo, Box<Changes>),
    /// The order has [`OrderProof::MAX_PHOTOS`] photos.
    TooMany,
}

/// Adds a photo to an order. Returns `None` if no identifier is left. The caller must have checked
/// that the courier carries the order.
pub fn add_photo(
    order: &Order,
    courier: CourierId,
    (clean, format): (CleanPhoto, PhotoFormat),
    ids: &mut IdBlock,
    now: Timestamp,
) -> Option<PhotoOutcome> {
    let digest = hex(&sha256(&clean.bytes));
    let is_same = |photo: &&Photo| photo.sha256 == digest && photo.courier == courier;
    if let Some(photo) = order.proof.photos.iter().find(is_same) {
        return Some(PhotoOutcome::Existing(photo.clone()));
    }
    if order.proof.photos.len() >= OrderProof::MAX_PHOTOS {
        return Some(PhotoOutcome::TooMany);
    }
    let bytes = u32::try_from(clean.bytes.len()).ok()?;
    let photo = Photo {
        id: ids.take(PhotoId::new)?,
        sha256: digest,
        bytes,
        format,
        courier,
        at: now,
    };
    let mut changed = Order {
        version: order.version + 1,
        ..order.clone()
    };
    changed.proof.photos.push(photo.clone());
    let blob = Blob {
        id: photo.id,
        order: order.id,
        created_at: now,
        bytes: clean.bytes.into(),
    };
    let changes = Changes {
        at: now,
        orders: vec![Write {
            expected: order.version,
            value: changed,
        }],
        blobs: vec![blob],
        ..Changes::default()
    };
    Some(PhotoOutcome::Added(photo, Box::new(changes)))
}

/// Returns the private key with which the deployment signs proofs. `None` cannot occur in practice:
/// fewer than one of 2³² numbers is outside the range of private keys.
fn private_key(secret: &Secret) -> Option<[u8; 32]> {
    let key = |attempt: u8| hmac_sha256(&secret.0, &[b"despacho proof signature", &[attempt]]);
    (0..4).map(key).find(|key| p256_public_key(key).is_some())
}

/// Signs a text with ECDSA on the curve P-256 and SHA-256, as DER, which OpenSSL reads.
pub fn sign(secret: &Secret, text: &[u8]) -> Option<Vec<u8>> {
    let signature = p256_sign(&private_key(secret)?, text)?;
    let (r, s) = signature.split_at(32);
    let numbers = [integer(r), integer(s)].concat();
    Some(element(0x30, &numbers))
}

/// Returns the public key as a `SubjectPublicKeyInfo`.
pub fn public_key(secret: &Secret) -> Option<Vec<u8>> {
    /// The identifiers `id-ecPublicKey` and `prime256v1` (RFC 5480).
    const ALGORITHM: [u8; 21] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
        0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ];
    // A bit string begins with the number of its unused bits.
    let point = [&[0], &p256_public_key(&private_key(secret)?)?[..]].concat();
    Some(element(
        0x30,
        &[&ALGORITHM[..], &element(0x03, &point)].concat(),
    ))
}

/// Encodes a positive number in DER: without leading zeros, except one before a number whose first
/// bit is set.
fn integer(number: &[u8]) -> Vec<u8> {
    let start = number.iter().position(|byte| *byte != 0).unwrap_or(0);
    let digits = number.get(start..).unwrap_or_default();
    let is_negative = digits.first().is_some_and(|first| *first >= 0x80);
    element(
        0x02,
        &[if is_negative { &[0][..] } else { &[] }, digits].concat(),
    )
}

/// Encodes an element of less than 128 bytes in DER.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap_or(u8::MAX);
    [&[tag, length], content].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_encoded_without_leading_zeros() {
        assert_eq!(integer(&[0, 0, 5]), [2, 1, 5]);
        assert_eq!(integer(&[0, 0x80]), [2, 2, 0, 0x80]);
        assert_eq!(integer(&[0x7F, 1]), [2, 2, 0x7F, 1]);
    }

    #[test]
    fn signature_depends_on_text_and_secret() {
        let signed = |secret, text: &[u8]| sign(&Secret([secret; 32]), text).unwrap();
        assert_eq!(
            signed(1, b"text"),
            signed(1, b"text"),
            "the signature is deterministic"
        );
        assert_ne!(signed(1, b"text"), signed(1, b"texT"));
        assert_ne!(signed(1, b"text"), signed(2, b"text"));
        assert_eq!(public_key(&Secret([1; 32])).unwrap().len(), 91);
    }
}

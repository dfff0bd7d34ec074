//! Proofs of an order's steps: photos, names, notes and positions.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::model::{CourierId, DeliveryId, OrderId, PhotoId, Point, Timestamp};

/// The proofs of an order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OrderProof {
    /// The store's rules when the order was created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ProofRule>,
    /// The photos of the order, oldest first, at most [`OrderProof::MAX_PHOTOS`]. Their bytes are
    /// [`Blob`]s.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<Photo>,
    /// The proofs, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Proof>,
}

/// Data that a step requires from the courier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRule {
    /// The step.
    pub step: ProofStep,
    /// The reason to which the rule is limited, compared without case. Without a reason, the rule
    /// applies to every step of this kind.
    pub reason: Option<String>,
    /// The required parts, each once.
    pub requires: Vec<ProofPart>,
}

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// Returns the name in the API and in databases.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// Returns the value with this name.
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.name() == text)
            }
        }
    };
}

names! {
    /// A step of which a courier can send a proof.
    ProofStep {
        /// The courier received the goods.
        Pickup "PICKUP",
        /// The courier handed the goods over.
        Delivery "DELIVERY",
        /// The courier could not deliver.
        Failure "FAILURE",
        /// The courier handed the goods or the payment back.
        Return "RETURN",
    }
}

names! {
    /// A part of a proof.
    ProofPart {
        /// At least one photo.
        Photo "PHOTO",
        /// The name of the person who received the goods.
        Name "NAME",
        /// A note.
        Note "NOTE",
        /// The position of the courier's device.
        Position "POSITION",
    }
}

names! {
    /// The format of a photo, by its media type.
    PhotoFormat {
        /// JPEG.
        Jpeg "image/jpeg",
        /// PNG.
        Png "image/png",
        /// WebP.
        Webp "image/webp",
    }
}

/// A photo of an order, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// The ID, also of the [`Blob`] with the bytes.
    pub id: PhotoId,
    /// SHA-256 of the bytes in hexadecimal.
    pub sha256: String,
    /// Number of bytes.
    pub bytes: u32,
    /// The format.
    pub format: PhotoFormat,
    /// The courier who sent it.
    pub courier: CourierId,
    /// Time at which it was received.
    pub at: Timestamp,
}

/// The proof of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Sequence of the step's event.
    pub sequence: u32,
    /// The step.
    pub step: ProofStep,
    /// The delivery, if the step concerns one.
    pub delivery: Option<DeliveryId>,
    /// Time of the step's event.
    pub at: Timestamp,
    /// What the courier sent.
    pub parts: ProofParts,
    /// Whether the parts were erased.
    #[serde(default)]
    pub erased: bool,
}

/// The parts of a proof that a courier sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProofParts {
    /// Photos of the order, at most [`ProofParts::MAX_PHOTOS`].
    pub photos: Vec<PhotoId>,
    /// The name of the person who received the goods.
    pub received_by: Option<String>,
    /// A note.
    pub note: Option<String>,
    /// The position of the courier's device.
    pub position: Option<Point>,
}

/// Bytes that are stored separately from their order, because they are large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The ID.
    pub id: PhotoId,
    /// The order to which the bytes belong.
    pub order: OrderId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The bytes.
    pub bytes: Bytes,
}

impl OrderProof {
    /// Maximum number of photos of an order.
    pub const MAX_PHOTOS: usize = 20;

    /// Returns whether there are photos, names, notes or positions, which are personal data.
    pub fn is_personal(&self) -> bool {
        !self.photos.is_empty()
            || self
                .steps
                .iter()
                .any(|proof| proof.parts != ProofParts::default())
    }

    /// Returns the photo with this ID.
    pub fn photo(&self, id: PhotoId) -> Option<&Photo> {
        self.photos.iter().find(|photo| photo.id == id)
    }

    /// Returns the parts that a step requires, each once. `reason` is the reason of a failure.
    pub fn required(&self, step: ProofStep, reason: Option<&str>) -> Vec<ProofPart> {
        let same =
            |one: &str, other: &str| one.trim().to_lowercase() == other.trim().to_lowercase();
        let applies = |rule: &&ProofRule| {
            let matches = |wanted: &String| reason.is_some_and(|reason| same(wanted, reason));
            rule.step == step && rule.reason.as_ref().is_none_or(matches)
        };
        let requires = |part: &ProofPart| {
            self.rules
                .iter()
                .filter(applies)
                .any(|rule| rule.requires.contains(part))
        };
        ProofPart::ALL.iter().copied().filter(requires).collect()
    }
}

impl ProofParts {
    /// Maximum number of photos of a proof.
    pub const MAX_PHOTOS: usize = 4;

    /// Returns whether a part was sent.
    pub fn has(&self, part: ProofPart) -> bool {
        match part {
            ProofPart::Photo => !self.photos.is_empty(),
            ProofPart::Name => self.received_by.is_some(),
            ProofPart::Note => self.note.is_some(),
            ProofPart::Position => self.position.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(step: ProofStep, reason: Option<&str>, requires: &[ProofPart]) -> ProofRule {
        ProofRule {
            step,
            reason: reason.map(str::to_owned),
            requires: requires.to_vec(),
        }
    }

    #[test]
    fn rule_with_reason_applies_to_that_reason() {
        let rules = vec![
            rule(ProofStep::Failure, None, &[ProofPart::Note]),
            rule(
                ProofStep::Failure,
                Some("Ausente"),
                &[ProofPart::Position, ProofPart::Photo, ProofPart::Note],
            ),
            rule(ProofStep::Delivery, None, &[ProofPart::Name]),
        ];
        let proof = OrderProof {
            rules,
            ..OrderProof::default()
        };
        let all = [ProofPart::Photo, ProofPart::Note, ProofPart::Position];
        assert_eq!(proof.required(ProofStep::Failure, Some(" AUSENTE ")), all);
        assert_eq!(
            proof.required(ProofStep::Failure, Some("recusado")),
            [ProofPart::Note]
        );
        assert_eq!(proof.required(ProofStep::Delivery, None), [ProofPart::Name]);
        assert_eq!(proof.required(ProofStep::Pickup, None), []);
    }

    #[test]
    fn proof_is_read_as_written() {
        let proof = Proof {
            sequence: 7,
            step: ProofStep::Return,
            delivery: None,
            at: Timestamp::from_millis(5),
            parts: ProofParts {
                received_by: Some("Ana".to_owned()),
                ..ProofParts::default()
            },
            erased: false,
        };
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(
            crate::json::from_str::<Proof>(&text).unwrap(),
            proof,
            "{text}"
        );
    }
}

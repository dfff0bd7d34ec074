//! Proofs of steps, their rules and photos.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{PhotoNumber, ProofPartName, ProofStepName};
use super::{Id, objects};
use crate::model::{
    PhotoId, Point,
    order::{OrderProof, Photo, Proof, ProofRule},
};

/// The proof of a step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SendProof {
    /// IDs of photos that you sent for this order.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<PhotoNumber>>))]
    pub photo_ids: Option<Vec<Id>>,
    /// Name of the person who received the goods.
    #[cfg_attr(feature = "openapi", schema(example = "Maria Silva"))]
    pub received_by: Option<String>,
    /// A note.
    #[cfg_attr(feature = "openapi", schema(example = "left with the doorman"))]
    pub note: Option<String>,
    /// Latitude of the device in degrees. Send both coordinates or neither.
    #[cfg_attr(feature = "openapi", schema(example = -23.5578))]
    pub latitude: Option<f64>,
    /// Longitude of the device in degrees.
    #[cfg_attr(feature = "openapi", schema(example = -46.66))]
    pub longitude: Option<f64>,
}

/// The rules for proofs of a store's steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetProofRules {
    /// The rules. An empty list requires no proof.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub rules: Option<Vec<SetProofRule>>,
}

/// A rule for proofs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetProofRule {
    /// The step.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<ProofStepName>, required = true))]
    pub step: Option<String>,
    /// The reason to which the rule is limited; upper and lower case are equal. Only for `FAILURE`.
    /// Without a reason the rule applies to every step of this kind.
    #[cfg_attr(feature = "openapi", schema(example = "recipient not at home"))]
    pub reason: Option<String>,
    /// The required parts, at least one.
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Option<Vec<ProofPartName>>, required = true)
    )]
    pub requires: Option<Vec<String>>,
}

/// The rules for proofs of a store's steps. They apply to orders that are created from now on.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ProofRules))]
pub struct ProofRulesView {
    /// The rules.
    pub rules: Vec<ProofRuleView>,
}

/// A rule for proofs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ProofRule))]
pub struct ProofRuleView {
    /// The step.
    #[cfg_attr(feature = "openapi", schema(value_type = ProofStepName))]
    pub step: &'static str,
    /// The reason to which the rule is limited, or null.
    pub reason: Option<String>,
    /// The required parts.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<ProofPartName>))]
    pub requires: Vec<&'static str>,
}

/// A photo of an order, without metadata.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Photo))]
#[serde(rename_all = "camelCase")]
pub struct PhotoView {
    /// The photo's ID.
    pub photo_id: u64,
    /// SHA-256 of the stored file in hexadecimal.
    pub sha256: String,
    /// Size of the stored file in bytes.
    pub bytes: u32,
    /// Media type of the stored file.
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^image/(jpeg|png|webp)$", example = "image/jpeg")
    )]
    pub content_type: &'static str,
}

/// The proof of a step that was taken.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Proof))]
#[serde(rename_all = "camelCase")]
pub struct ProofView {
    /// Sequence of the step's event in the order's history.
    pub sequence: u32,
    /// The step.
    #[cfg_attr(feature = "openapi", schema(value_type = ProofStepName))]
    pub step: &'static str,
    /// The delivery's ID. Null if the step does not concern one.
    pub delivery_id: Option<u64>,
    /// Time of the step.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// The photos. `GET /delivery/photos/{photoId}` returns them.
    pub photos: Vec<PhotoView>,
    /// Name of the person who received the goods.
    pub received_by: Option<String>,
    /// The courier's note.
    pub note: Option<String>,
    /// Latitude of the courier's device.
    pub latitude: Option<f64>,
    /// Longitude of the courier's device.
    pub longitude: Option<f64>,
    /// Whether the proof was erased, because its retention period is over or the recipient
    /// requested it.
    pub erased: bool,
}

impl ProofRulesView {
    /// Builds the API representation of rules.
    pub fn of(rules: &[ProofRule]) -> ProofRulesView {
        ProofRulesView {
            rules: rules.iter().map(ProofRuleView::of).collect(),
        }
    }
}

impl ProofRuleView {
    /// Builds the API representation of a rule.
    pub fn of(rule: &ProofRule) -> ProofRuleView {
        let requires = rule.requires.iter().map(|part| part.name()).collect();
        ProofRuleView {
            step: rule.step.name(),
            reason: rule.reason.clone(),
            requires,
        }
    }
}

impl PhotoView {
    /// Builds the API representation of a photo.
    pub fn of(photo: &Photo) -> PhotoView {
        PhotoView {
            photo_id: photo.id.get(),
            sha256: photo.sha256.clone(),
            bytes: photo.bytes,
            content_type: photo.format.name(),
        }
    }
}

impl ProofView {
    /// Builds the API representation of an order's proofs.
    pub fn all(proof: &OrderProof) -> Vec<ProofView> {
        proof
            .steps
            .iter()
            .map(|step| ProofView::of(step, proof))
            .collect()
    }

    fn of(step: &Proof, proof: &OrderProof) -> ProofView {
        let photo = |id: &PhotoId| proof.photo(*id).map(PhotoView::of);
        ProofView {
            sequence: step.sequence,
            step: step.step.name(),
            delivery_id: step.delivery.map(|id| id.get()),
            created_at: step.at.to_string(),
            photos: step.parts.photos.iter().filter_map(photo).collect(),
            received_by: step.parts.received_by.clone(),
            note: step.parts.note.clone(),
            latitude: step.parts.position.map(Point::latitude),
            longitude: step.parts.position.map(Point::longitude),
            erased: step.erased,
        }
    }
}

/// The proof of an order, with the service's signature.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderProof))]
pub struct OrderProofView {
    /// The signed text: JSON with the order, its events, proofs, photos' digests and price lines.
    pub document: String,
    /// SHA-256 of `document` in hexadecimal.
    pub digest: String,
    /// ECDSA signature of `document` on the curve P-256 with SHA-256, DER in base64.
    /// `GET /delivery/proof-key` returns the public key.
    pub signature: String,
}

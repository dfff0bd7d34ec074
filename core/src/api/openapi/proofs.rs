//! The descriptions of the endpoints for photos and proofs.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for photos or proofs.
pub(super) fn proofs(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::UploadPhoto => Operation {
            tag: "Couriers",
            id: "uploadPhoto",
            summary: "Send a photo",
            description: "The body is a JPEG, PNG or WebP file of at most 1 MiB, unless the deployment sets another limit. Metadata is \
                removed before the photo is stored: EXIF with position and orientation, XMP, colour profiles, comments, thumbnails and \
                data after the end. Turn the pixels upright before you send the photo. A photo has at most 8192 pixels per side and \
                33554432 in total, and an order at most 20 photos. The same photo again returns the stored one. Send its `photoId` in \
                the `proof` of a step.",
            request: Some("PhotoFile"),
            documented: &[(201, Some("Photo"), "The photo is stored.")],
            parameters: &["platformOrderId"],
            codes: &[
                ProblemCode::OrderNotFound,
                ProblemCode::TooManyPhotos,
                ProblemCode::PhotoInvalid,
            ],
        },
        Endpoint::CourierPhoto => photo(
            "Couriers",
            "courierPhoto",
            "Only while you carry the photo's order.",
        ),
        Endpoint::GetPhoto => photo(
            "Orders",
            "getPhoto",
            "Of an order of the calling store or of one of its branches.",
        ),
        Endpoint::AdminPhoto => photo("Operator", "adminPhoto", "Of any order."),
        Endpoint::GetProofRules => Operation {
            tag: "Stores",
            id: "getProofRules",
            summary: "Get the rules for proofs",
            description: "Returns what the store requires as a proof of the couriers' steps.",
            request: None,
            documented: &[(200, Some("ProofRules"), "The rules.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::SetProofRules => Operation {
            tag: "Stores",
            id: "setProofRules",
            summary: "Set the rules for proofs",
            description: "Replaces the rules of the calling store or of one of its branches. They apply to orders that are created from \
                now on. A step that lacks a required part is rejected with `proof_required`, which lists every missing part.",
            request: Some("SetProofRules"),
            documented: &[(200, Some("ProofRules"), "The new rules.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
        },
        Endpoint::GetProof => Operation {
            tag: "Orders",
            id: "getProof",
            summary: "Get the signed proof of an order",
            description: "Returns the order's events, proofs, photos' digests and price lines with the service's signature, so that a \
                third party can verify them offline. With `Accept: text/html`, returns a page to save or print, which contains the \
                photos. PROOFS.md in the repository has the commands.",
            request: None,
            documented: &[(200, Some("OrderProof"), "The proof.")],
            parameters: &["platformOrderId"],
            codes: &[ProblemCode::OrderNotFound],
        },
        _ => Operation {
            tag: "Orders",
            id: "getProofKey",
            summary: "Get the key that verifies proofs",
            description: "Returns the public key of this deployment in PEM format. It changes only with the deployment's secret.",
            request: None,
            documented: &[(200, Some("Document"), "The public key.")],
            parameters: &[],
            codes: &[],
        },
    }
}

fn photo(tag: &'static str, id: &'static str, description: &'static str) -> Operation {
    Operation {
        tag,
        id,
        summary: "Get a photo",
        description,
        request: None,
        documented: &[(200, Some("Document"), "The photo, without metadata.")],
        parameters: &["photoId"],
        codes: &[ProblemCode::PhotoNotFound],
    }
}

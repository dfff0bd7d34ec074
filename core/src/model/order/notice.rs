//! Notices: what the service did differently from what an accepted request asks for or leaves open.

use serde::{Deserialize, Serialize};

use crate::model::Text;

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    /// The fee was calculated from a distance that is only an estimate.
    PriceEstimated,
    /// The fee is the lower end of the range in which it probably is with exact locations.
    PriceLowered,
    /// An optional contact was invalid and was left out.
    ContactOmitted,
}

impl NoticeCode {
    /// Every code, in the order of the documentation.
    pub const ALL: [NoticeCode; 3] = [
        NoticeCode::PriceEstimated,
        NoticeCode::PriceLowered,
        NoticeCode::ContactOmitted,
    ];

    /// Returns the code as the API writes it.
    pub fn name(self) -> &'static str {
        match self {
            NoticeCode::PriceEstimated => "price_estimated",
            NoticeCode::PriceLowered => "price_lowered",
            NoticeCode::ContactOmitted => "contact_omitted",
        }
    }

    /// Returns the condition for this code, as a sentence of the API documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            NoticeCode::PriceEstimated => {
                "An address was located only roughly, so the distance and the fee are estimates."
            }
            NoticeCode::PriceLowered => {
                "An address was located only roughly, so the fee is the lower end of its range."
            }
            NoticeCode::ContactOmitted => {
                "An optional contact is invalid. The order was created without it."
            }
        }
    }
}

/// What the caller should know about an accepted request. It contains no personal data, because
/// erasures keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The kind of the notice.
    pub code: NoticeCode,
    /// JSON pointer (RFC 6901) to the field in the request body; empty if it concerns the whole
    /// request.
    pub pointer: String,
    /// What happened, and what to do about it.
    pub detail: Text,
}

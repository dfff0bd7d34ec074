//! Figures about the deployment's work.

use serde::Serialize;

use crate::{
    model::{Language, Timestamp},
    rules::health::Judged,
};

/// Whether a value needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum HealthStatus {
    /// No attention needed.
    Ok,
    /// Attention needed; `advice` describes what to do.
    Degraded,
}

/// Figures about stored work.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Health))]
#[serde(rename_all = "camelCase")]
pub struct HealthView {
    /// `DEGRADED` if any figure is.
    pub status: HealthStatus,
    /// Time of the figures.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub at: String,
    /// The figures. New names can be added.
    pub figures: Vec<HealthFigure>,
}

/// A figure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthFigure {
    /// Name, such as `lateOrders`.
    #[cfg_attr(feature = "openapi", schema(example = "lateOrders"))]
    pub name: &'static str,
    /// The value.
    pub value: u64,
    /// Whether the value needs attention.
    pub status: HealthStatus,
    /// What to do, in the language of `Accept-Language`. Null if the value needs no attention.
    pub advice: Option<String>,
}

impl HealthView {
    /// Returns the response.
    pub fn of(judged: &[Judged], at: Timestamp, language: Language) -> HealthView {
        let status = |is_bad| {
            if is_bad {
                HealthStatus::Degraded
            } else {
                HealthStatus::Ok
            }
        };
        let figures = judged.iter().map(|one| HealthFigure {
            name: one.name,
            value: one.value,
            status: status(one.advice.is_some()),
            advice: one
                .advice
                .as_ref()
                .map(|advice| advice.get(language).to_owned()),
        });
        HealthView {
            status: status(judged.iter().any(|one| one.advice.is_some())),
            at: at.to_string(),
            figures: figures.collect(),
        }
    }
}

//! Notices about accepted requests.

use serde::Serialize;

#[cfg(feature = "openapi")]
use crate::model::order::NoticeCode;
use crate::model::{Language, order::Notice};

/// What the caller should know about an accepted request. Unlike an error, it does not prevent the
/// order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Notice))]
pub struct NoticeView {
    /// The kind of the notice. New codes may be added: ignore unknown codes.
    #[cfg_attr(feature = "openapi", schema(value_type = NoticeCode))]
    pub code: &'static str,
    /// RFC 6901 pointer into the request's body; empty if the notice concerns the whole request.
    pub pointer: String,
    /// What happened, and what to do about it, in the language of the request.
    pub detail: String,
}

impl NoticeView {
    /// Builds the notices in a language.
    pub fn all(notices: &[Notice], language: Language) -> Vec<NoticeView> {
        let view = |notice: &Notice| NoticeView {
            code: notice.code.name(),
            pointer: notice.pointer.clone(),
            detail: notice.detail.get(language).to_owned(),
        };
        notices.iter().map(view).collect()
    }
}

//! Responses as CSV.

use super::{
    call::HandlerError,
    media::{parameter, wants_csv},
    response::ApiResponse,
};
use crate::{host::HostError, wire::CsvForm};

/// Returns the form of the response as CSV, or `None` for JSON: the caller does not accept CSV, or
/// lists JSON instead.
pub(super) fn wanted_csv(headers: &http::HeaderMap) -> Option<CsvForm> {
    if !wants_csv(headers) {
        return None;
    }
    let is_brazilian = parameter(headers, "text/csv", "locale")
        .is_some_and(|value| value.eq_ignore_ascii_case("pt-BR"));
    Some(if is_brazilian {
        CsvForm::Brazilian
    } else {
        CsvForm::Program
    })
}

/// Returns a file as the response.
pub(super) fn csv_response(
    form: CsvForm,
    file: Result<Vec<u8>, csv::Error>,
) -> Result<ApiResponse, HandlerError> {
    let file = file.map_err(|error| HostError::Internal {
        detail: format!("writing CSV: {error}"),
    })?;
    Ok(ApiResponse {
        media: form.media(),
        ..ApiResponse::of(200, file)
    })
}

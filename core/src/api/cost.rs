//! How many requests of its quota a request counts as.
//!
//! Quotas bound the work of a merchant, so a request that takes the work of many counts as many.
//! The numbers are processor time in units of about two milliseconds, in the worst case that the
//! endpoint permits.

use http::request::Parts;

use super::{media::wants_csv, routes::Endpoint};

/// A report reads up to 20,000 orders.
const REPORT: u32 = 60;
/// A statement in one file has up to 50,000 entries.
const STATEMENT_FILE: u32 = 60;
/// A signed page contains up to 8 MiB of photos.
const PROOF: u32 = 15;
/// A search compares its words with the newest 10,000 orders.
const SEARCH: u32 = 10;
/// The compressed data of a photo is decompressed to find its end.
const PHOTO: u32 = 2;
/// Each of these bytes of a body counts as a further request.
const BODY_BYTES: usize = 16 * 1024;

/// Returns the cost of a request.
pub(super) fn cost(endpoint: Endpoint, parts: &Parts, body: &[u8]) -> u32 {
    match endpoint {
        Endpoint::DayReport => REPORT,
        Endpoint::GetStatement if wants_csv(&parts.headers) => STATEMENT_FILE,
        Endpoint::GetProof => PROOF,
        Endpoint::ListOrders if has_parameter(parts, "q") => SEARCH,
        Endpoint::UploadPhoto => PHOTO,
        _ => u32::try_from(body.len() / BODY_BYTES)
            .unwrap_or(u32::MAX)
            .saturating_add(1),
    }
}

fn has_parameter(parts: &Parts, name: &str) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .any(|(found, value)| found == name && !value.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn requests_that_take_more_work_count_as_several() {
        let cost = |endpoint, uri: &str, accept: &str, body: usize| {
            let request = Request::get(uri)
                .header("accept", accept)
                .body(())
                .expect("a request");
            super::cost(endpoint, &request.into_parts().0, &vec![b' '; body])
        };
        for (endpoint, uri, accept, body, expected) in [
            (Endpoint::DayReport, "/", "text/csv", 0, REPORT),
            (Endpoint::GetStatement, "/", "text/csv", 0, STATEMENT_FILE),
            (Endpoint::GetStatement, "/", "application/json", 0, 1),
            (Endpoint::GetProof, "/", "text/html", 0, PROOF),
            (Endpoint::ListOrders, "/?limit=20", "application/json", 0, 1),
            (
                Endpoint::ListOrders,
                "/?q=Maria",
                "application/json",
                0,
                SEARCH,
            ),
            (
                Endpoint::ListOrders,
                "/?%71=Maria",
                "application/json",
                0,
                SEARCH,
            ),
            (Endpoint::ListOrders, "/?q=", "application/json", 0, 1),
            (Endpoint::UploadPhoto, "/", "*/*", 1 << 20, PHOTO),
            (Endpoint::CreateOrder, "/", "*/*", 2_000, 1),
            (Endpoint::CreateOrder, "/", "*/*", BODY_BYTES, 2),
            (Endpoint::PreviewOrder, "/", "*/*", 256 * 1024, 17),
        ] {
            assert_eq!(
                cost(endpoint, uri, accept, body),
                expected,
                "{endpoint:?} {uri} {accept} {body}"
            );
        }
    }
}

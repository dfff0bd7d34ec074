//! The core as a wasm guest, and problems whose results must be identical natively and on wasm.

#[cfg(feature = "wasm")]
pub mod guest;
pub mod problems;
pub mod responses;

use despacho_core::route::line::{LineError, assign_line, route_line};

/// Solves one line as the guest does: `route {…}` or `assign {…}`.
pub fn solve_natively(line: &str) -> String {
    match line.split_once(' ') {
        Some(("route", problem)) => render(route_line(problem)),
        Some(("assign", problem)) => render(assign_line(problem)),
        _ => "unknown request".to_owned(),
    }
}

fn render<T: serde::Serialize>(response: Result<T, LineError>) -> String {
    response
        .map(|response| serde_json::to_string(&response).unwrap_or_else(|error| error.to_string()))
        .unwrap_or_else(|error| error.to_json())
}

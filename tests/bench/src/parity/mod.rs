//! The core as a wasm guest, and the questions that it and the native core must answer alike.

pub mod answers;
pub mod deck;
#[cfg(feature = "wasm")]
pub mod guest;

use despacho_core::route::line::{LineError, assign_line, route_line};

/// Answers one line as the guest does: `route {…}` or `assign {…}`.
pub fn answer_natively(line: &str) -> String {
    match line.split_once(' ') {
        Some(("route", question)) => render(route_line(question)),
        Some(("assign", question)) => render(assign_line(question)),
        _ => "unknown question".to_owned(),
    }
}

fn render<T: serde::Serialize>(answer: Result<T, LineError>) -> String {
    answer
        .map(|answer| serde_json::to_string(&answer).unwrap_or_else(|error| error.to_string()))
        .unwrap_or_else(|error| error.to_json())
}

//! The core's pure functions for JavaScript: JSON strings in, JSON strings or plain objects out.
//!
//! Errors are thrown as the JSON of `{error, detail}`, as on the command line. No panic crosses the
//! boundary.

mod page;

pub use page::{
    PagePreviewer, apply_event, load_gazetteer, lookup_postcode, validate_order, validate_store,
};

use despacho_core::{
    json,
    route::line::{AssignRequest, LineError, RouteRequest, solve_assign, solve_route},
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

#[cfg(target_family = "wasm")]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Finds the best visiting order: JSON of `{matrix, closed?, start?, pins?, work?}` to
/// `{order, cost, proven, bound}`.
#[wasm_bindgen(js_name = bestRoute)]
pub fn best_route(request: &str) -> Result<JsValue, String> {
    solve::<RouteRequest, _>(request, solve_route)
}

/// Finds the minimum-cost assignment: JSON of `{costs, unassigned?}` to `{assign, cost}`.
#[wasm_bindgen]
pub fn assign(request: &str) -> Result<JsValue, String> {
    solve::<AssignRequest, _>(request, solve_assign)
}

/// Solves a request. It is passed as a string, because that needs one call and the existing JSON
/// parser. The response is an object.
fn solve<Q: DeserializeOwned, R: Serialize>(
    request: &str,
    solver: impl Fn(&Q) -> Result<R, LineError>,
) -> Result<JsValue, String> {
    let request =
        json::from_str(request).map_err(|error| error_json(LineError::Malformed(error)))?;
    let response = solver(&request).map_err(error_json)?;
    response
        .serialize(&Serializer::json_compatible())
        .map_err(|error| error.to_string())
}

fn error_json(error: LineError) -> String {
    page::error_json(error.code(), &error)
}

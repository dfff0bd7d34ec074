//! The core's pure functions for JavaScript: JSON in, JSON or plain objects out.
//!
//! A fault is thrown as the JSON of `{error, detail}`, the same that the command line writes; nothing panics across the border.

mod page;

pub use page::{PagePreviewer, apply_event, load_gazetteer, lookup_postcode, validate_order, validate_store};

use despacho_core::{
    json::{self, Tree},
    route::line::{AssignRequest, LineError, RouteRequest, solve_assign, solve_route},
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

#[cfg(target_family = "wasm")]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// The best order of visit: the JSON of `{matrix, closed?, start?, pins?, work?}` to `{order, cost, proven, bound}`.
#[wasm_bindgen(js_name = bestRoute)]
pub fn best_route(request: &str) -> Result<JsValue, String> {
    response::<RouteRequest, _>(request, solve_route)
}

/// The assignment of least cost: the JSON of `{costs, unassigned?}` to `{assign, cost}`.
#[wasm_bindgen]
pub fn assign(request: &str) -> Result<JsValue, String> {
    response::<AssignRequest, _>(request, solve_assign)
}

/// The question as text, which one call hands over whole and the reader of every other JSON reads; the answer as an object.
fn response<Q: DeserializeOwned, A: Serialize>(
    request: &str,
    engine: impl Fn(&Q) -> Result<A, LineError>,
) -> Result<JsValue, String> {
    let request = json::from_str(request).map_err(|error| thrown(LineError::Malformed(error)))?;
    given(&page::json(&engine(&request).map_err(thrown)?))
}

/// As a tree: all that JavaScript is given then is of one type, which is written in one way.
fn given(response: &str) -> Result<JsValue, String> {
    let tree = Tree::parse(response).unwrap_or(Tree::Null);
    tree.serialize(&Serializer::json_compatible()).map_err(|error| error.to_string())
}

fn thrown(error: LineError) -> String {
    page::error_response(error.code(), &error)
}

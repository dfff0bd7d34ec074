//! The core's pure functions for JavaScript: plain objects in, plain objects out.
//!
//! A fault is thrown as `{error, detail}`, the same object that the command line writes; nothing panics across the border.

mod page;

pub use page::{PagePreviewer, lookup_postcode, validate_order, validate_store};

use despacho_core::route::line::{AssignQuestion, LineFault, RouteQuestion, answer_assign, answer_route};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// The best order of visit: `{matrix, closed?, start?, pins?, work?}` to `{order, cost, proven, bound}`.
#[wasm_bindgen(js_name = bestRoute)]
pub fn best_route(question: JsValue) -> Result<JsValue, JsValue> {
    answer::<RouteQuestion, _>(question, answer_route)
}

/// The assignment of least cost: `{costs, unassigned?}` to `{assign, cost}`.
#[wasm_bindgen]
pub fn assign(question: JsValue) -> Result<JsValue, JsValue> {
    answer::<AssignQuestion, _>(question, answer_assign)
}

/// A fault as JavaScript sees it.
#[derive(Serialize)]
struct Thrown {
    error: &'static str,
    detail: String,
}

fn answer<Q: DeserializeOwned, A: Serialize>(
    question: JsValue,
    engine: impl Fn(&Q) -> Result<A, LineFault>,
) -> Result<JsValue, JsValue> {
    let question =
        serde_wasm_bindgen::from_value(question).map_err(|fault| throw(&LineFault::Malformed(fault.to_string())))?;
    let answer = engine(&question).map_err(|fault| throw(&fault))?;
    answer.serialize(&Serializer::json_compatible()).map_err(JsValue::from)
}

fn throw(fault: &LineFault) -> JsValue {
    let thrown = Thrown { error: fault.code(), detail: fault.to_string() };
    thrown.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

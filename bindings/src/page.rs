//! Previews, validation and postcodes for a merchant's page: JSON text in, JSON text out.
//!
//! Text, because the core reads and writes JSON by itself: a page gets the service's own bytes, and what JavaScript has beyond JSON
//! (dates, undefined, NaN) is settled by `JSON.stringify` before it comes here.

use std::sync::OnceLock;

use despacho_core::{
    api::{
        follow,
        page::{self, Previewer},
        problem::{Problem, ProblemCode},
    },
    geo::{
        Gazetteer,
        pack::{Pack, PackError},
    },
    json,
    model::{Cep, Language, Timestamp},
    rules::limits::Limits,
    wire::PreviewContext,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Where the service would have answered.
const PREVIEW: &str = "/delivery/orders/preview";
const ORDERS: &str = "/delivery/orders";
const STORES: &str = "/delivery/stores";
const CONTEXT: &str = "/delivery/preview-context";
/// The request's identifier in problems of a page, where there is no request.
const REQUEST_ID: &str = "page";

/// Empty until [`load_gazetteer`] is called: the gazetteer is a file of its own, which not every page needs.
static GAZETTEER: OnceLock<Gazetteer> = OnceLock::new();

fn gazetteer() -> Gazetteer {
    GAZETTEER.get().copied().unwrap_or_else(Gazetteer::empty)
}

/// Opens the bytes of `gazetteer.bin` for all later calls; throws a text if they are damaged.
#[wasm_bindgen(js_name = loadGazetteer)]
pub fn load_gazetteer(bytes: Vec<u8>) -> Result<(), String> {
    let length = bytes.len();
    let opened = Gazetteer::open(Box::leak(bytes.into_boxed_slice()));
    let opened = opened.ok_or_else(|| format!("the gazetteer of {length} bytes is damaged"))?;
    GAZETTEER.set(opened).map_err(|_| "the gazetteer is already loaded".to_owned())
}

/// A previewer on one context.
#[wasm_bindgen(js_name = Previewer)]
pub struct PagePreviewer(Previewer);

/// What cannot be used, or has no answer, as JavaScript sees it: `{error, detail}`.
pub(crate) fn error_response(error: &'static str, detail: &dyn std::fmt::Display) -> String {
    #[derive(Serialize)]
    struct ErrorResponse {
        error: &'static str,
        detail: String,
    }
    json(&ErrorResponse { error, detail: detail.to_string() })
}

#[wasm_bindgen(js_class = Previewer)]
impl PagePreviewer {
    /// A previewer on a context's JSON; throws a problem document's JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &str, language: &str) -> Result<PagePreviewer, String> {
        let thrown = |problem: Problem| thrown(&problem, CONTEXT, language);
        let context: PreviewContext = json::from_str(context).map_err(|error| {
            thrown(Problem::new(
                ProblemCode::MalformedRequest,
                format!("This is not a context: {error}. Ask for a new one."),
                format!("Isto não é um contexto: {error}. Peça um novo."),
            ))
        })?;
        Previewer::new(context, gazetteer()).map(PagePreviewer).map_err(thrown)
    }

    /// Adds a gazetteer pack's bytes; throws `{error, detail}` as JSON for a pack that is damaged or from the future.
    ///
    /// The bytes stay in memory as long as the module: a page opens its packs once.
    #[wasm_bindgen(js_name = loadPack)]
    pub fn load_pack(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        let error_response = |error: PackError| error_response(code(&error), &error);
        // Opened before it is kept, so that a damaged one leaves nothing behind.
        Pack::open(&bytes).map_err(error_response)?;
        let pack = Pack::open(Box::leak(bytes.into_boxed_slice())).map_err(error_response)?;
        self.0.add_pack(pack);
        Ok(())
    }

    /// The preview of a request's JSON at `now`, milliseconds since 1970; throws a problem document's JSON.
    pub fn preview(&self, request: &str, now: f64, language: &str) -> Result<String, String> {
        let view = self.0.preview(request.as_bytes(), instant(now));
        view.map(|view| json(&view)).map_err(|problem| thrown(&problem, PREVIEW, language))
    }
}

/// Throws the problem that an order's JSON would meet, as far as its text alone says.
#[wasm_bindgen(js_name = validateOrder)]
pub fn validate_order(order: &str, language: &str) -> Result<(), String> {
    page::validate_order(order.as_bytes(), &Limits::default()).map_err(|problem| thrown(&problem, ORDERS, language))
}

/// Throws the problem that a store's JSON would meet, as far as its text alone says.
#[wasm_bindgen(js_name = validateStore)]
pub fn validate_store(store: &str, language: &str) -> Result<(), String> {
    page::validate_store(store.as_bytes()).map_err(|problem| thrown(&problem, STORES, language))
}

/// An order's JSON after an event's, by the service's own table; throws a problem document's JSON where the event does not follow on what
/// the order knows.
#[wasm_bindgen(js_name = applyEvent)]
pub fn apply_event(order: &str, event: &str, language: &str) -> Result<String, String> {
    follow::apply_event(order.as_bytes(), event.as_bytes()).map_err(|problem| thrown(&problem, ORDERS, language))
}

/// The municipality of a CEP as JSON, or nothing where none has it.
#[wasm_bindgen(js_name = lookupPostcode)]
#[must_use]
pub fn lookup_postcode(text: &str) -> Option<String> {
    let cep = Cep::parse(text)?;
    let town = gazetteer().municipality_by_cep(cep)?;
    let located = town.located();
    Some(json(&Town {
        city: town.name(),
        state: town.uf().code().to_owned(),
        ibge_code: town.ibge(),
        latitude: located.point.latitude(),
        longitude: located.point.longitude(),
        radius_m: located.radius_m,
    }))
}

/// A municipality as a page sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Town {
    city: String,
    state: String,
    ibge_code: u32,
    latitude: f64,
    longitude: f64,
    radius_m: u32,
}

fn code(error: &PackError) -> &'static str {
    match error {
        PackError::NotAPack => "not_a_pack",
        PackError::FutureVersion { .. } => "pack_from_the_future",
        PackError::Truncated { .. } => "pack_truncated",
        PackError::Damaged => "pack_damaged",
    }
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn thrown(problem: &Problem, instance: &str, language: &str) -> String {
    json(&problem.document(Language::of(language), instance, REQUEST_ID))
}

/// Whole milliseconds; what is no number, or beyond the calendar, is 1970.
fn instant(millis: f64) -> Timestamp {
    const FURTHEST: f64 = 8.64e15;
    let sane = millis.is_finite() && millis.abs() <= FURTHEST;
    #[expect(clippy::cast_possible_truncation, reason = "within the range of JavaScript's dates, far below 2^63")]
    let millis = if sane { millis as i64 } else { 0 };
    Timestamp::from_millis(millis)
}

//! Previews, validation and postcodes for a merchant's page: JSON strings in, JSON strings out.
//!
//! Strings are used because the core has its own JSON reader and writer: a page gets the same bytes
//! as from the service. `JSON.stringify` converts JavaScript values that are not JSON (dates,
//! undefined, NaN).

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

/// The paths of the corresponding endpoints, for the problems' `instance`.
const PREVIEW: &str = "/delivery/orders/preview";
const ORDERS: &str = "/delivery/orders";
const STORES: &str = "/delivery/stores";
const CONTEXT: &str = "/delivery/preview-context";
/// The request ID in problems of a page, which has no requests.
const REQUEST_ID: &str = "page";

/// Empty until [`load_gazetteer`] is called: the gazetteer is a file of its own, which not every
/// page needs.
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
    GAZETTEER
        .set(opened)
        .map_err(|_| "the gazetteer is already loaded".to_owned())
}

/// A previewer on one context.
#[wasm_bindgen(js_name = Previewer)]
pub struct PagePreviewer(Previewer);

/// Returns an error as JSON for JavaScript: `{error, detail}`.
pub(crate) fn error_json(error: &'static str, detail: &dyn std::fmt::Display) -> String {
    #[derive(Serialize)]
    struct ErrorDocument {
        error: &'static str,
        detail: String,
    }
    json(&ErrorDocument {
        error,
        detail: detail.to_string(),
    })
}

#[wasm_bindgen(js_class = Previewer)]
impl PagePreviewer {
    /// Creates a previewer from the JSON of a preview context. Throws a problem document's JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &str, language: &str) -> Result<PagePreviewer, String> {
        let thrown = |problem: Problem| problem_json(&problem, CONTEXT, language);
        let context: PreviewContext = json::from_str(context).map_err(|error| {
            thrown(Problem::new(
                ProblemCode::MalformedRequest,
                format!("The preview context is invalid: {error}. Request a new one."),
                format!("O contexto de prévia é inválido: {error}. Solicite um novo."),
            ))
        })?;
        Previewer::new(context, gazetteer())
            .map(PagePreviewer)
            .map_err(thrown)
    }

    /// Adds a gazetteer pack. Throws `{error, detail}` as JSON if the pack is damaged or has an
    /// unsupported version.
    ///
    /// The bytes stay in memory for the lifetime of the module, so load each pack once.
    #[wasm_bindgen(js_name = loadPack)]
    pub fn load_pack(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        let to_json = |error: PackError| error_json(code(&error), &error);
        // Validated before it is leaked, so a damaged pack uses no memory.
        Pack::open(&bytes).map_err(to_json)?;
        let pack = Pack::open(Box::leak(bytes.into_boxed_slice())).map_err(to_json)?;
        self.0.add_pack(pack);
        Ok(())
    }

    /// Returns the preview of a request's JSON at `now`, in milliseconds since 1970. Throws a
    /// problem document's JSON.
    pub fn preview(&self, request: &str, now: f64, language: &str) -> Result<String, String> {
        let preview = self
            .0
            .preview(request.as_bytes(), timestamp(now), Language::of(language));
        preview
            .map(|preview| json(&preview))
            .map_err(|problem| problem_json(&problem, PREVIEW, language))
    }
}

/// Throws the problem that the service would return for an order's JSON, as far as it can be
/// checked without stored data.
#[wasm_bindgen(js_name = validateOrder)]
pub fn validate_order(order: &str, language: &str) -> Result<(), String> {
    page::validate_order(order.as_bytes(), &Limits::default())
        .map_err(|problem| problem_json(&problem, ORDERS, language))
}

/// Throws the problem that the service would return for a store's JSON, as far as it can be checked
/// without stored data.
#[wasm_bindgen(js_name = validateStore)]
pub fn validate_store(store: &str, language: &str) -> Result<(), String> {
    page::validate_store(store.as_bytes())
        .map_err(|problem| problem_json(&problem, STORES, language))
}

/// Returns an order's JSON after an event, by the service's transition table. Throws a problem
/// document's JSON if the event cannot be applied to the order.
#[wasm_bindgen(js_name = applyEvent)]
pub fn apply_event(order: &str, event: &str, language: &str) -> Result<String, String> {
    follow::apply_event(order.as_bytes(), event.as_bytes())
        .map_err(|problem| problem_json(&problem, ORDERS, language))
}

/// Returns the municipality of a CEP as JSON, if there is one.
#[wasm_bindgen(js_name = lookupPostcode)]
#[must_use]
pub fn lookup_postcode(text: &str) -> Option<String> {
    let cep = Cep::parse(text)?;
    let municipality = gazetteer().municipality_by_cep(cep)?;
    let located = municipality.located();
    Some(json(&Municipality {
        city: municipality.name(),
        state: municipality.uf().code().to_owned(),
        ibge_code: municipality.ibge(),
        latitude: located.point.latitude(),
        longitude: located.point.longitude(),
        radius_m: located.radius_m,
    }))
}

/// The JSON of a municipality.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Municipality {
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

fn problem_json(problem: &Problem, instance: &str, language: &str) -> String {
    json(&problem.document(Language::of(language), instance, REQUEST_ID))
}

/// Converts to whole milliseconds. Values that are not finite or out of range become 1970.
fn timestamp(millis: f64) -> Timestamp {
    const MAX_MILLIS: f64 = 8.64e15;
    let is_valid = millis.is_finite() && millis.abs() <= MAX_MILLIS;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the range of JavaScript's dates, far below 2^63"
    )]
    let millis = if is_valid { millis as i64 } else { 0 };
    Timestamp::from_millis(millis)
}

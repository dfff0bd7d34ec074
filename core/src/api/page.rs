//! Previews and validation in a merchant's web page, by the service's rules.
//!
//! A page needs a [`PreviewContext`] but no host: it locates addresses and measures distances with
//! embedded data, as the service does if `exact` is true. The result then equals the service's
//! response byte for byte, except the quote, which only the service can sign.

use super::{
    media::too_large,
    planning::{Draft, Terms, check_open, preview_view},
    problem::{FieldError, Problem, ProblemCode},
    read::read,
    tariff::EffectiveTariff,
    validate::{self, Checker, Need, Path},
};
use crate::{
    geo::{self, Gazetteer, pack::Pack},
    model::{
        Language, Located, Point, StoreId, Timestamp,
        order::Place,
        store::{ServiceArea, Store, StoreHours},
    },
    rules::{limits::Limits, pricing::Tariff, settings::Settings},
    wire::{
        AreaGeometry, ContextLimits, ContextStore, CreateOrder, PreviewContext, PreviewView,
        StoreHoursBody,
    },
};

/// The supported format of a context.
const FORMAT: u32 = 1;

/// Returns the context of a store. `exact` is whether the service itself uses only embedded data.
pub(super) fn context(
    store: &Store,
    settings: &Settings,
    tariff: &EffectiveTariff<'_>,
    exact: bool,
    now: Timestamp,
) -> PreviewContext {
    let limits = &settings.limits;
    PreviewContext {
        format: FORMAT,
        issued_at: now.to_string(),
        valid_until: tariff.valid_until.map(|until| until.to_string()),
        exact,
        store: ContextStore {
            id: store.id.get(),
            address: (&store.address).into(),
            location: store.located.into(),
            lead_minutes: settings.dispatch.lead(store),
            estimates: settings.pricing.estimates(store),
            settle: store.payments.settle,
            hours: (store.hours != StoreHours::default()).then(|| StoreHoursBody::of(&store.hours)),
            service_area: store.area.as_ref().map(AreaGeometry::of),
        },
        tariff: Tariff::clone(tariff),
        limits: ContextLimits {
            deliveries: limits.deliveries,
            body_bytes: limits.body_bytes,
            preparation_minutes: limits.preparation_minutes,
            min_precision: settings.places.min_precision,
        },
    }
}

/// Computes previews in a page.
///
/// ```
/// use despacho_core::{
///     geo::Gazetteer,
///     model::{Language, Timestamp},
///     preview::{PreviewContext, Previewer},
///     settings::Tariff,
/// };
///
/// // A page gets the context from `GET /delivery/preview-context`.
/// let context: PreviewContext = serde_json::from_value(serde_json::json!({
///     "format": 1, "issuedAt": "2026-11-21T14:00:00.000Z", "exact": true,
///     "store": {
///         "id": 1000,
///         "address": { "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP" },
///         "location": {
///             "latitude": -23.553, "longitude": -46.656, "precision": "coordinates", "radiusM": 0,
///         },
///     },
///     "tariff": Tariff::default(),
///     "limits": {
///         "deliveries": 50, "bodyBytes": 262144, "preparationMinutes": 1440,
///         "minPrecision": "municipality",
///     },
/// }))?;
/// let previewer = Previewer::new(context, Gazetteer::embedded()).expect("a valid context");
/// let body = br#"{"deliveries": [{"address": {"latitude": -23.558, "longitude": -46.66}}]}"#;
/// let now = Timestamp::parse("2026-11-21T14:05:00Z").expect("RFC 3339");
/// let preview = previewer.preview(body, now, Language::English).expect("the stop is near");
/// assert_eq!(preview.deliveries.len(), 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Previewer {
    context: PreviewContext,
    id: StoreId,
    valid_until: Option<Timestamp>,
    pickup: Place,
    hours: StoreHours,
    area: Option<ServiceArea>,
    limits: Limits,
    gazetteer: Gazetteer,
    packs: Vec<Pack<'static>>,
}

impl Previewer {
    /// Creates a previewer with a context from `GET /delivery/preview-context`.
    ///
    /// # Errors
    /// A context of another format or with invalid values, with a pointer to each.
    pub fn new(context: PreviewContext, gazetteer: Gazetteer) -> Result<Previewer, Problem> {
        if context.format != FORMAT {
            let found = context.format;
            return Err(Problem::new(
                ProblemCode::ValidationFailed,
                format!(
                    "The context has format {found}, but this package supports format {FORMAT}. Update the package or load a new context."
                ),
                format!(
                    "O contexto tem o formato {found}, mas este pacote aceita o formato {FORMAT}. Atualize o pacote ou carregue um novo contexto."
                ),
            ));
        }
        let root = Path::Root;
        let store = root.member("store");
        let mut checker = Checker::default();
        let address = checker.address(
            &store.member("address"),
            &context.store.address,
            Need::Locate,
        );
        let hours = context
            .store
            .hours
            .as_ref()
            .map(|hours| checker.hours(&store.member("hours"), hours));
        let area = context.store.service_area.as_ref();
        let area = area.map(|area| checker.area(&store.member("serviceArea"), area));
        let location = &context.store.location;
        let point = Point::from_degrees(location.latitude, location.longitude);
        let mut errors = context.tariff.errors();
        errors.truncate(20);
        let errors = errors.into_iter().map(|error| FieldError {
            pointer: format!("/tariff{}", error.pointer()),
            code: "invalid_context",
            detail: error.detail,
        });
        let errors: Vec<FieldError> = errors.collect();
        let valid_until = context.valid_until.as_deref().map(Timestamp::parse);
        let known = StoreId::new(context.store.id)
            .zip(point)
            .filter(|_| errors.is_empty() && valid_until != Some(None));
        let Some((id, point)) = checker.finish(Some(known))? else {
            return Err(Problem::new(
                ProblemCode::ValidationFailed,
                "The context is invalid. Load a new one.",
                "O contexto é inválido. Carregue um novo.",
            )
            .with_errors(errors));
        };
        let located = Located {
            point,
            precision: location.precision,
            radius_m: location.radius_m,
        };
        let limits = Limits {
            deliveries: context.limits.deliveries,
            body_bytes: context.limits.body_bytes,
            preparation_minutes: context.limits.preparation_minutes,
            ..Limits::default()
        };
        let valid_until = valid_until.flatten();
        Ok(Previewer {
            context,
            id,
            valid_until,
            pickup: Place { address, located },
            hours: hours.unwrap_or_default(),
            area,
            limits,
            gazetteer,
            packs: Vec::new(),
        })
    }

    /// Adds a gazetteer pack for locating addresses. Of several results the most precise one is
    /// used, and among equals the one from the pack that was added first.
    pub fn add_pack(&mut self, pack: Pack<'static>) {
        self.packs.push(pack);
    }

    /// Returns the preview for a body of `POST /delivery/orders/preview` at the time `now`, without
    /// a quote and with notices in a language.
    ///
    /// # Errors
    /// The problem that the service would return, or a problem after `validUntil` of the context.
    pub fn preview(
        &self,
        body: &[u8],
        now: Timestamp,
        language: Language,
    ) -> Result<PreviewView, Problem> {
        if let Some(until) = self.valid_until.filter(|until| *until <= now) {
            return Err(Problem::new(
                ProblemCode::ValidationFailed,
                format!("A new tariff is in effect since {until}. Load a new context."),
                format!("Uma nova tarifa está em vigor desde {until}. Carregue um novo contexto."),
            ));
        }
        check_size(body, &self.limits)?;
        let inquiry = validate::preview(read(body)?, &self.limits)?;
        if inquiry.store.is_some_and(|store| store != self.id) {
            return Err(super::planning::not_allowed());
        }
        let terms = Terms {
            own: Some(self.pickup.clone()),
            area: self.area.as_ref(),
            estimates: self.context.store.estimates,
            settle: self.context.store.settle,
            lead_minutes: self.context.store.lead_minutes,
            min_precision: self.context.limits.min_precision,
        };
        let draft = Draft::new(&inquiry, terms, now)?;
        let results = draft
            .addresses()
            .into_iter()
            .map(|address| self.gazetteer.locate_with(&self.packs, address))
            .collect();
        let route = draft.located(results)?;
        let matrix = geo::matrix(&route.places());
        let planned = route.plan(&self.context.tariff, matrix, self.gazetteer)?;
        check_open(
            &self.hours,
            geo::zone(&self.pickup.address).unwrap_or_default(),
            planned.plan.times.ready,
        )?;
        preview_view(&inquiry, &planned, None, language)
    }
}

/// Validates the format of a body of `POST /delivery/orders`.
///
/// ```
/// use despacho_core::{preview::validate_order, settings::Limits};
///
/// let problem = validate_order(br#"{"code": "1042"}"#, &Limits::default()).unwrap_err();
/// assert_eq!(problem.errors[0].pointer, "/deliveries");
/// ```
///
/// # Errors
/// The problem that the service would return.
pub fn validate_order(body: &[u8], limits: &Limits) -> Result<(), Problem> {
    check_size(body, limits)?;
    validate::order(read::<CreateOrder>(body)?, limits).map(|_| ())
}

/// Validates the format of a body of `POST /delivery/stores`.
///
/// ```
/// let problem = despacho_core::preview::validate_store(br#"{"name": "Cantina"}"#).unwrap_err();
/// assert!(problem.errors.iter().any(|error| error.pointer == "/cnpj"));
/// ```
///
/// # Errors
/// The problem that the service would return.
pub fn validate_store(body: &[u8]) -> Result<(), Problem> {
    check_size(body, &Limits::default())?;
    validate::store(read(body)?).map(|_| ())
}

fn check_size(body: &[u8], limits: &Limits) -> Result<(), Problem> {
    if body.len() > limits.body_bytes {
        Err(too_large(limits.body_bytes))
    } else {
        Ok(())
    }
}

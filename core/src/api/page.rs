//! Previews and validation in a merchant's web page, by the service's rules.
//!
//! A page needs a [`PreviewContext`] but no host: it locates addresses and measures distances with
//! embedded data, as the service does if `exact` is true. The result then equals the service's
//! response byte for byte, except the quote, which only the service can sign.

use super::{
    media::too_large,
    places::every_place,
    planning::{Route, check_open, inquired, own_pickup, preview_view},
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
        validate::times(&inquiry, now)?;
        let (addresses, pointer) = inquired(&inquiry);
        let responses = addresses
            .iter()
            .map(|address| self.gazetteer.locate_with(&self.packs, address))
            .collect();
        let min = self.context.limits.min_precision;
        let error = own_pickup(&inquiry, &self.pickup, min);
        let located = every_place(&addresses, responses, min, pointer, error)?;
        let policy = self.context.store.estimates;
        let route = Route::new(
            &inquiry,
            self.pickup.clone(),
            located,
            self.area.as_ref(),
            policy,
        );
        let matrix = route.with_texts(self.gazetteer, geo::matrix(&route.places()));
        let planned = route.plan(
            &self.context.tariff,
            &matrix,
            self.context.store.lead_minutes,
            now,
        )?;
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
/// # Errors
/// The problem that the service would return.
pub fn validate_order(body: &[u8], limits: &Limits) -> Result<(), Problem> {
    check_size(body, limits)?;
    validate::order(read::<CreateOrder>(body)?, limits).map(|_| ())
}

/// Validates the format of a body of `POST /delivery/stores`.
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

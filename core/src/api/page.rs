//! What a merchant's web page does itself: previews and validation over plain data, by the rules that the service goes by.
//!
//! A page holds a [`PreviewContext`] and needs no host: addresses are located and roads measured by embedded data, as the service does
//! where `exact` is true. The answer is then the service's, byte for byte, but for the quote, which only the service can sign.

use super::{
    media::too_large,
    places::every_place,
    planning::{Route, inquired, own_pickup, preview_view},
    problem::{FieldError, Problem, ProblemCode},
    read::read,
    validate::{self, Checker, Need, Path},
};
use crate::{
    geo::{self, Gazetteer, pack::Pack},
    model::{Located, Point, StoreId, Text, Timestamp, order::Place, store::Store},
    rules::{limits::Limits, settings::Settings},
    wire::{ContextLimits, ContextStore, CreateOrder, PreviewContext, PreviewView},
};

/// The only shape of a context that is known so far.
const FORMAT: u32 = 1;

/// The context of a store; `exact` says whether the service itself goes by embedded data alone.
pub(super) fn context(store: &Store, settings: &Settings, exact: bool, now: Timestamp) -> PreviewContext {
    let limits = &settings.limits;
    PreviewContext {
        format: FORMAT,
        issued_at: now.to_string(),
        exact,
        store: ContextStore { id: store.id.get(), address: (&store.address).into(), location: store.located.into() },
        tariff: settings.tariff.clone(),
        limits: ContextLimits {
            deliveries: limits.deliveries,
            body_bytes: limits.body_bytes,
            preparation_minutes: limits.preparation_minutes,
            min_precision: settings.places.min_precision,
        },
    }
}

/// Previews that a page computes itself.
#[derive(Clone, Debug)]
pub struct Previewer {
    context: PreviewContext,
    id: StoreId,
    pickup: Place,
    limits: Limits,
    gazetteer: Gazetteer,
    packs: Vec<Pack<'static>>,
}

impl Previewer {
    /// A previewer on a context of `GET /delivery/preview-context`, which may have been saved, that locates addresses by this gazetteer.
    ///
    /// # Errors
    /// A context of another format, or one whose values are not valid, with a pointer to each fault.
    pub fn new(context: PreviewContext, gazetteer: Gazetteer) -> Result<Previewer, Problem> {
        if context.format != FORMAT {
            let (found, en) = (context.format, "Update the package, or ask for a new context.");
            return Err(Problem::new(
                ProblemCode::ValidationFailed,
                format!("The context has format {found}; this package knows format {FORMAT}. {en}"),
                format!("O contexto tem o formato {found}; este pacote conhece o {FORMAT}. Atualize o pacote."),
            ));
        }
        let root = Path::Root;
        let store = root.member("store");
        let mut checker = Checker::default();
        let address = checker.address(&store.member("address"), &context.store.address, Need::Locate);
        let location = &context.store.location;
        let point = Point::from_degrees(location.latitude, location.longitude);
        let mut errors = context.tariff.errors();
        errors.truncate(20);
        let errors = errors.into_iter().map(|error| FieldError {
            pointer: format!("/tariff/{}", error.field),
            code: "invalid_context",
            detail: Text::new(error.detail.clone(), error.detail),
        });
        let errors: Vec<FieldError> = errors.collect();
        let known = StoreId::new(context.store.id).zip(point).filter(|_| errors.is_empty());
        let Some((id, point)) = checker.finish(Some(known))? else {
            return Err(Problem::new(
                ProblemCode::ValidationFailed,
                "The context is damaged. Ask for a new one.",
                "O contexto está danificado. Peça um novo.",
            )
            .with_errors(errors));
        };
        let located = Located { point, precision: location.precision, radius_m: location.radius_m };
        let limits = Limits {
            deliveries: context.limits.deliveries,
            body_bytes: context.limits.body_bytes,
            preparation_minutes: context.limits.preparation_minutes,
            ..Limits::default()
        };
        Ok(Previewer { context, id, pickup: Place { address, located }, limits, gazetteer, packs: Vec::new() })
    }

    /// Locates addresses by one more gazetteer pack too, as a service that has the pack. Of several packs the most precise place counts,
    /// of equal ones the earlier pack's.
    pub fn add_pack(&mut self, pack: Pack<'static>) {
        self.packs.push(pack);
    }

    /// The preview of a body as `POST /delivery/orders/preview` takes it, at this moment, without a quote.
    ///
    /// # Errors
    /// The problem that the service would answer with.
    pub fn preview(&self, body: &[u8], now: Timestamp) -> Result<PreviewView, Problem> {
        within(body, &self.limits)?;
        let inquiry = validate::preview(read(body)?, &self.limits)?;
        if inquiry.store.is_some_and(|store| store != self.id) {
            return Err(super::planning::not_allowed());
        }
        let (addresses, pointer) = inquired(&inquiry);
        let responses = addresses.iter().map(|address| self.gazetteer.locate_with(&self.packs, address)).collect();
        let min = self.context.limits.min_precision;
        let error = own_pickup(&inquiry, &self.pickup, min);
        let located = every_place(&addresses, responses, min, pointer, error)?;
        let route = Route::new(&inquiry, &self.pickup, located);
        let matrix = geo::matrix(&route.places());
        Ok(preview_view(&inquiry, &route.plan(&self.context.tariff, &matrix, now)?, None))
    }
}

/// Whether the service would take a body of `POST /delivery/orders`, as far as its text alone says.
///
/// # Errors
/// The problem that the service would answer with.
pub fn validate_order(body: &[u8], limits: &Limits) -> Result<(), Problem> {
    within(body, limits)?;
    validate::order(read::<CreateOrder>(body)?, limits).map(|_| ())
}

/// Whether the service would take a body of `POST /delivery/stores`, as far as its text alone says.
///
/// # Errors
/// The problem that the service would answer with.
pub fn validate_store(body: &[u8]) -> Result<(), Problem> {
    within(body, &Limits::default())?;
    validate::store(read(body)?).map(|_| ())
}

fn within(body: &[u8], limits: &Limits) -> Result<(), Problem> {
    if body.len() > limits.body_bytes { Err(too_large(limits.body_bytes)) } else { Ok(()) }
}

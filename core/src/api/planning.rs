//! Plans the route of a validated inquiry: finds its store, locates its addresses, and converts
//! plan errors to problems.

use std::{borrow::Cow, collections::BTreeMap};

use rust_decimal::Decimal;

use super::{
    call::{Call, plain},
    places::{every_place, imprecise},
    problem::{FieldError, Problem, ProblemCode},
    tariff, validate,
};
use crate::{
    geo::{self, Gazetteer, LocateError, WrittenPlace},
    host::Host,
    model::{
        Address, Day, Distance, DistanceMatrix, Duration, Language, Leg, Located, Money, Precision,
        Text, Timestamp, Zone, local_rfc3339,
        order::{Notice, NoticeCode, Place},
        price::EstimatePolicy,
        store::{ServiceArea, Settle, Store, StoreHours},
        time_of_day,
    },
    rules::{
        hours::next_opening,
        pricing::{Inquiry, Plan, PlanError, PriceBasis, Request, Stop, Tariff, plan},
    },
    wire::{Kilometres, NoticeView, PreviewStopView, PreviewView, PriceLineView, QuoteView, Reais},
};

/// A planned route.
pub(super) struct Planned {
    pub pickup: Place,
    /// The locations of the stops, in the order sent.
    pub located: Vec<Located>,
    pub plan: Plan,
    /// Version of the tariff of the plan.
    pub tariff_version: String,
    /// What the price was calculated from.
    pub basis: PriceBasis,
    /// Whether the courier brings something back after each stop, in the order sent.
    pub returns: Vec<bool>,
    /// What the merchant should know about the price.
    pub notices: Vec<Notice>,
}

/// Returns the store of an inquiry: the caller, or the branch that the inquiry names.
pub(super) async fn acting_store<'c, H: Host>(
    call: &'c Call<'_, H>,
    inquiry: &Inquiry,
) -> Result<Cow<'c, Store>, Problem> {
    let caller = &call.caller()?.store;
    let Some(id) = inquiry.store.filter(|id| *id != caller.id) else {
        return Ok(Cow::Borrowed(caller));
    };
    match call
        .host
        .store(id)
        .await?
        .filter(|store| caller.oversees(store))
    {
        Some(store) => Ok(Cow::Owned(store)),
        None => Err(not_allowed()),
    }
}

/// Returns the problem for a store that the caller is not allowed to act for.
pub(super) fn not_allowed() -> Problem {
    let en = "This key is not allowed to act for this store. Use a key of the store or of its parent store.";
    let pt =
        "Esta chave não pode agir por esta loja. Use uma chave da própria loja ou da loja matriz.";
    let errors = vec![FieldError {
        pointer: "/store/userPlatformId".to_owned(),
        code: "store_not_allowed",
        detail: Text::new(en, pt),
    }];
    Problem::new(ProblemCode::StoreNotAllowed, en, pt).with_errors(errors)
}

/// Locates the addresses, measures the distances and plans the route of an order that the store's
/// hours permit.
pub(super) async fn planned<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    inquiry: &Inquiry,
) -> Result<Planned, Problem> {
    let planned = planned_at_any_time(call, store, inquiry).await?;
    check_open(
        &store.hours,
        geo::zone(&store.address).unwrap_or_default(),
        planned.plan.times.ready,
    )?;
    Ok(planned)
}

/// Rejects goods that are ready while the store is closed.
pub(super) fn check_open(hours: &StoreHours, zone: Zone, ready: Timestamp) -> Result<(), Problem> {
    let next = next_opening(hours, ready, zone);
    if next == Some(ready) {
        return Ok(());
    }
    let opening = next.unwrap_or(ready);
    let (day, time) = (Day::of(opening, zone), time_of_day(opening, zone));
    let problem = Problem::new(
        ProblemCode::StoreClosed,
        format!(
            "The store is closed when the goods are ready. It opens on {day} at {time} (local time)."
        ),
        format!(
            "A loja está fechada quando o pedido fica pronto. Ela abre em {} às {time} (horário local).",
            day.in_portuguese()
        ),
    );
    Err(Problem {
        next_opening: next,
        ..problem
    })
}

/// Like [`planned`], but also while the store is closed.
pub(super) async fn planned_at_any_time<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    inquiry: &Inquiry,
) -> Result<Planned, Problem> {
    let terms = Terms {
        own: Some(Place {
            address: store.address.clone(),
            located: store.located,
        }),
        area: store.area.as_ref(),
        estimates: call.settings.pricing.estimates(store),
        settle: store.payments.settle,
        lead_minutes: call.settings.dispatch.lead(store),
        min_precision: call.settings.places.min_precision,
    };
    let draft = Draft::new(inquiry, terms, call.context.now)?;
    let results = call
        .host
        .locate(call.merchant(), &draft.addresses())
        .await?;
    let route = draft.located(results)?;
    let matrix = call.host.distance_matrix(&route.places()).await?;
    let tariff = tariff::effective(call).await?;
    route.plan(&tariff, matrix, Gazetteer::embedded())
}

/// What the plan of an order depends on besides the inquiry, the tariff and the distances.
pub(super) struct Terms<'a> {
    /// The store's address, the pickup of an inquiry without its own.
    pub own: Option<Place>,
    /// The store's service area.
    pub area: Option<&'a ServiceArea>,
    /// What to do with an uncertain price.
    pub estimates: EstimatePolicy,
    /// When couriers bring the store the cash.
    pub settle: Settle,
    /// Minutes before the ready time from which a courier is searched.
    pub lead_minutes: u32,
    /// The minimum precision of an address.
    pub min_precision: Precision,
}

/// An inquiry whose addresses are to be located. The service and a page plan an order in the same
/// steps: [`Draft::new`], [`Draft::located`], [`Route::plan`], [`check_open`]. Between them each
/// locates the addresses and measures the distances in its own way.
pub(super) struct Draft<'a> {
    inquiry: &'a Inquiry,
    terms: Terms<'a>,
    now: Timestamp,
}

impl<'a> Draft<'a> {
    /// Creates the draft of an inquiry.
    ///
    /// # Errors
    /// Every requested time that has passed or is too far ahead.
    pub(super) fn new(
        inquiry: &'a Inquiry,
        terms: Terms<'a>,
        now: Timestamp,
    ) -> Result<Draft<'a>, Problem> {
        validate::times(inquiry, now)?;
        Ok(Draft {
            inquiry,
            terms,
            now,
        })
    }

    /// Returns the addresses to locate: the pickup, if it was sent, and the stops.
    pub(super) fn addresses(&self) -> Vec<&'a Address> {
        let stops = self.inquiry.stops.iter().map(|stop| &stop.address);
        self.inquiry.pickup.iter().chain(stops).collect()
    }

    /// Returns the route through the locations of [`Draft::addresses`].
    ///
    /// # Errors
    /// Every address that was not located precisely enough. The store's own is among them if it is
    /// the pickup: the store may have been created when the minimum precision was lower.
    pub(super) fn located(
        self,
        results: Vec<Result<Located, LocateError>>,
    ) -> Result<Route<'a>, Problem> {
        let (addresses, sent) = (self.addresses(), self.inquiry.pickup.as_ref());
        let Draft {
            inquiry,
            terms,
            now,
        } = self;
        let pointer = |index| place_pointer(index + usize::from(sent.is_none()));
        let own = terms.own.as_ref().filter(|_| sent.is_none());
        let own = own.and_then(|own| imprecise(&own.address, &own.located, terms.min_precision));
        let own = own.map(|(code, detail)| FieldError {
            pointer: place_pointer(0),
            code,
            detail,
        });
        let mut located = every_place(&addresses, results, terms.min_precision, pointer, own)?;
        let pickup = match (sent, &terms.own) {
            (Some(address), _) => Place {
                address: address.clone(),
                located: located.remove(0),
            },
            (None, Some(own)) => own.clone(),
            (None, None) => return Err(plain(ProblemCode::AddressNotFound)),
        };
        Ok(Route {
            inquiry,
            terms,
            now,
            pickup,
            located,
        })
    }
}

/// The located pickup and stops of an inquiry.
pub(super) struct Route<'a> {
    inquiry: &'a Inquiry,
    pickup: Place,
    /// The stops, in the order sent.
    located: Vec<Located>,
    terms: Terms<'a>,
    now: Timestamp,
}

impl Route<'_> {
    /// Returns the locations to measure between: the pickup, then the stops in the order sent.
    pub(super) fn places(&self) -> Vec<Located> {
        std::iter::once(self.pickup.located)
            .chain(self.located.iter().copied())
            .collect()
    }

    /// Completes the distances between [`Route::places`] by what the texts of the addresses show.
    fn with_texts(&self, gazetteer: Gazetteer, matrix: DistanceMatrix) -> DistanceMatrix {
        let stops = self.inquiry.stops.iter().map(|stop| &stop.address);
        let texts = std::iter::once(&self.pickup.address).chain(stops);
        let texts: Vec<WrittenPlace> = texts
            .map(|address| WrittenPlace::of(gazetteer, address))
            .collect();
        geo::with_texts(matrix, &self.places(), &texts)
    }

    /// Plans the route with the distances between [`Route::places`].
    pub(super) fn plan(
        self,
        tariff: &Tariff,
        matrix: DistanceMatrix,
        gazetteer: Gazetteer,
    ) -> Result<Planned, Problem> {
        let matrix = self.with_texts(gazetteer, matrix);
        let Route {
            inquiry,
            terms,
            now,
            pickup,
            located,
        } = self;
        let stops: Vec<Stop> = located
            .iter()
            .zip(&inquiry.stops)
            .map(|(located, requested)| Stop {
                located: *located,
                returns: requested.returns.applies(terms.settle),
                pin: requested.pin,
                window: requested.window,
            })
            .collect();
        let request = Request {
            pickup: pickup.located,
            stops: &stops,
            matrix: &matrix,
            best_route: inquiry.best_route,
            preparation_minutes: inquiry.preparation_minutes,
            lead_minutes: terms.lead_minutes,
            deliver_at: inquiry.deliver_at,
            now,
            // The store's, if the pickup's address has no state.
            zone: geo::zone(&pickup.address)
                .or_else(|| geo::zone(&terms.own.as_ref()?.address))
                .unwrap_or_default(),
            vehicle: inquiry.vehicle,
            estimates: terms.estimates,
        };
        let is_outside =
            |located: &Located| terms.area.is_some_and(|area| !area.may_contain(located));
        let outside: Vec<usize> = (0..located.len())
            .filter(|stop| located.get(*stop).is_some_and(is_outside))
            .collect();
        let plan = match plan(tariff, &request) {
            Err(PlanError::OutOfArea { stops }) => Err(out_of_area(tariff, &stops, &outside)),
            _ if !outside.is_empty() => Err(out_of_area(tariff, &[], &outside)),
            Err(PlanError::Estimated { places }) => {
                Err(estimated(&places, &request.pickup, &located))
            }
            result => result.map_err(|error| plan_problem(tariff, &error, request.zone)),
        }?;
        let notices = notices(&plan, &pickup.located, &located);
        let basis = PriceBasis::new(inquiry, &pickup, &located, (request.zone, terms.settle));
        let basis = if plan.has_near_leg {
            basis.with_near(plan.total_distance)
        } else {
            basis
        };
        Ok(Planned {
            pickup,
            located,
            plan,
            tariff_version: tariff.version.clone(),
            basis,
            returns: stops.iter().map(|stop| stop.returns).collect(),
            notices,
        })
    }
}

/// Returns the problem of stops that are too far from the pickup, with their distances, or outside
/// the store's service area.
fn out_of_area(tariff: &Tariff, far: &[(usize, Distance)], outside: &[usize]) -> Problem {
    let radius = limit(tariff.service_radius_km);
    let too_far = |distance: Distance| {
        let km = km(distance);
        Text::new(
            format!(
                "The stop is {km} km from the pickup in a straight line; the maximum is {radius} km."
            ),
            format!(
                "A parada fica a {} km da coleta em linha reta; o máximo é {} km.",
                comma(km),
                comma(radius)
            ),
        )
    };
    let (en, pt) = (
        "The address is outside the store's service area.",
        "O endereço fica fora da área de entrega da loja.",
    );
    let mut details: BTreeMap<usize, Text> = outside
        .iter()
        .map(|stop| (*stop, Text::new(en, pt)))
        .collect();
    // Of a stop that is both, the distance says more.
    details.extend(
        far.iter()
            .map(|(stop, distance)| (*stop, too_far(*distance))),
    );
    let errors = details.into_iter().map(|(stop, detail)| FieldError {
        pointer: format!("/deliveries/{stop}/address"),
        code: ProblemCode::OutOfArea.name(),
        detail,
    });
    let errors = errors.collect();
    if !outside.is_empty() {
        let en =
            "At least one delivery is outside the store's service area; `errors` lists each one.";
        let pt =
            "Ao menos uma entrega fica fora da área de entrega da loja; `errors` lista cada uma.";
        return Problem::new(ProblemCode::OutOfArea, en, pt).with_errors(errors);
    }
    let en = format!(
        "The service area ends {radius} km from the pickup; `errors` lists the deliveries outside it."
    );
    let pt = format!(
        "A área de atendimento vai até {} km da coleta; `errors` lista as entregas fora dela.",
        comma(radius)
    );
    Problem::new(ProblemCode::OutOfArea, en, pt).with_errors(errors)
}

fn km(distance: Distance) -> Decimal {
    distance.kilometres().normalize()
}

fn limit(km: Decimal) -> Decimal {
    km.round_dp(9).normalize()
}

fn comma(number: Decimal) -> String {
    number.to_string().replace('.', ",")
}

/// Converts a plan error to a problem.
pub(super) fn plan_problem(tariff: &Tariff, error: &PlanError, zone: Zone) -> Problem {
    match error {
        PlanError::OutOfArea { stops } => out_of_area(tariff, stops, &[]),
        PlanError::DistanceExceeded { distance } => {
            let (max, km) = (limit(tariff.max_distance_km), km(*distance));
            let en = format!(
                "The route is {km} km long; the maximum is {max} km. Split the deliveries into several orders."
            );
            let (km, max) = (comma(km), comma(max));
            let pt = format!(
                "A rota tem {km} km; o máximo é {max} km. Divida as entregas em mais de um pedido."
            );
            Problem::new(ProblemCode::DistanceExceeded, en, pt)
        }
        PlanError::TooSoon { earliest } => too_soon(*earliest, zone),
        PlanError::WindowUnreachable { stops } => unreachable(stops, zone),
        PlanError::Estimated { .. } => plain(ProblemCode::AddressImprecise),
        PlanError::NoRoad | PlanError::Stops => Problem::new(
            ProblemCode::OutOfArea,
            "No road connects the pickup and the deliveries. Check the addresses.",
            "Nenhuma via liga a coleta às entregas. Confira os endereços.",
        ),
    }
}

/// Returns the pointer to the address of a place of a route: 0 is the pickup, and the stops follow
/// in the order sent.
fn place_pointer(place: usize) -> String {
    match place.checked_sub(1) {
        None => "/pickupAddress".to_owned(),
        Some(stop) => format!("/deliveries/{stop}/address"),
    }
}

/// Returns the radii of the places of a route.
fn radii<'a>(
    places: &'a [usize],
    pickup: &'a Located,
    located: &'a [Located],
) -> impl Iterator<Item = (usize, u32)> {
    places.iter().map(move |place| {
        let known = place
            .checked_sub(1)
            .map_or(Some(pickup), |stop| located.get(stop));
        (*place, known.map_or(0, |known| known.radius_m))
    })
}

/// Returns the problem of a price that is an estimate, for a store that accepts none.
fn estimated(places: &[usize], pickup: &Located, located: &[Located]) -> Problem {
    let errors = radii(places, pickup, located).map(|(place, radius_m)| FieldError {
        pointer: place_pointer(place),
        code: ProblemCode::AddressImprecise.name(),
        detail: Text::new(
            format!(
                "The address was located only by its municipality, within about {radius_m} m, and this store accepts no estimated \
                 prices. Send latitude and longitude. The operator can install the addresses of the city with `despacho places install`."
            ),
            format!(
                "O endereço foi localizado somente pelo município, com erro de cerca de {radius_m} m, e esta loja não aceita preços \
                 estimados. Envie latitude e longitude. O operador pode instalar os endereços da cidade com `despacho places install`."
            ),
        ),
    });
    plain(ProblemCode::AddressImprecise).with_errors(errors.collect())
}

/// Returns the notices of a price that is an estimate: one for each address that was located only
/// roughly.
fn notices(plan: &Plan, pickup: &Located, located: &[Located]) -> Vec<Notice> {
    let code = if plan.lowered {
        NoticeCode::PriceLowered
    } else {
        NoticeCode::PriceEstimated
    };
    let (en, pt) = match plan.lowered {
        true => (
            "the fee is the lower end of its range",
            "a taxa é o valor mais baixo da faixa",
        ),
        false => ("the fee is an estimate", "a taxa é uma estimativa"),
    };
    let notice = |(place, radius_m)| Notice {
        code,
        pointer: place_pointer(place),
        detail: Text::new(
            format!(
                "The address was located only by its municipality, within about {radius_m} m, so {en}. Send latitude and longitude. \
                 The operator can install the addresses of the city with `despacho places install`."
            ),
            format!(
                "O endereço foi localizado somente pelo município, com erro de cerca de {radius_m} m, por isso {pt}. Envie latitude e \
                 longitude. O operador pode instalar os endereços da cidade com `despacho places install`."
            ),
        ),
    };
    radii(&plan.rough_places, pickup, located)
        .map(notice)
        .collect()
}

fn too_soon(earliest: Timestamp, zone: Zone) -> Problem {
    // Rounded up by one to two minutes, so that the time is still possible when it is sent.
    let possible = earliest.after(Duration::millis(119_999)).millis();
    let at = local_rfc3339(Timestamp::from_millis(possible - possible % 60_000), zone);
    let error = FieldError {
        pointer: "/deliverAt".to_owned(),
        code: "too_soon",
        detail: Text::new(
            format!(
                "The preparation and the route take longer. The earliest possible time is {at}."
            ),
            format!("O preparo e o trajeto levam mais tempo. O primeiro horário possível é {at}."),
        ),
    };
    plain(ProblemCode::ValidationFailed).with_errors(vec![error])
}

/// Returns the problem of windows that the courier misses, with the expected arrivals.
fn unreachable(stops: &[(usize, Timestamp)], zone: Zone) -> Problem {
    let code = ProblemCode::WindowUnreachable;
    let errors = stops.iter().map(|(stop, at)| {
        let at = local_rfc3339(*at, zone);
        let detail = Text::new(
            format!("The expected arrival on this route is {at}. Send a window that contains it."),
            format!("A chegada prevista nesta rota é {at}. Envie uma janela que a contenha."),
        );
        FieldError {
            pointer: format!("/deliveries/{stop}/window"),
            code: code.name(),
            detail,
        }
    });
    plain(code).with_errors(errors.collect())
}

/// Returns the response to a preview, with the quote if one was signed.
///
/// # Errors
/// The fee is above the highest that the client accepts.
pub(super) fn preview_view(
    inquiry: &Inquiry,
    planned: &Planned,
    quote: Option<QuoteView>,
    language: Language,
) -> Result<PreviewView, Problem> {
    let plan = &planned.plan;
    if let Some(max) = inquiry.max_fee.filter(|max| plan.fee > *max) {
        return Err(fee_above_maximum(plan.fee, max));
    }
    let stop = |(at, (sent, leg)): (usize, (&usize, &Leg))| {
        let requested = inquiry.stops.get(*sent)?;
        Some(PreviewStopView {
            order_route: at + 1,
            address: (&requested.address).into(),
            online_payment: requested.online_payment,
            returns: planned.returns.get(*sent).copied()?,
            distance: Kilometres(Distance(leg.metres)),
            precision: planned.located.get(*sent)?.precision,
            radius_m: planned.located.get(*sent)?.radius_m,
        })
    };
    let times = (inquiry.with_times || inquiry.is_scheduled()).then_some(plan.times);
    Ok(PreviewView {
        deliveries: plan
            .order
            .iter()
            .zip(&plan.legs)
            .enumerate()
            .filter_map(stop)
            .collect(),
        total_distance: Kilometres(plan.total_distance),
        online_payment: inquiry.stops.iter().all(|stop| stop.online_payment),
        delivery_fee: Reais(plan.fee),
        delivery_fee_min: plan.fee_range.map(|range| Reais(range.min)),
        delivery_fee_max: plan.fee_range.map(|range| Reais(range.max)),
        price_breakdown: plan.lines.iter().map(PriceLineView::of).collect(),
        expected_delivery: times.map(|times| times.delivery.to_string()),
        expected_pickup: times.map(|times| times.pickup.to_string()),
        estimated: plan.estimated,
        notices: NoticeView::all(&planned.notices, language),
        quote,
    })
}

/// Returns the problem of a fee above the highest that the client accepts.
pub(super) fn fee_above_maximum(fee: Money, max: Money) -> Problem {
    let en = format!(
        "The fee is R$ {fee}, above maxDeliveryFee, R$ {max}. Send a higher maximum, or omit it."
    );
    let (fee, max) = (fee.in_portuguese(), max.in_portuguese());
    let pt = format!(
        "A taxa é de R$ {fee}, acima de maxDeliveryFee, R$ {max}. Envie um máximo maior ou nenhum."
    );
    let (detail, code) = (
        Text::new(en.clone(), pt.clone()),
        ProblemCode::FeeAboveMaximum,
    );
    let error = FieldError {
        pointer: "/maxDeliveryFee".to_owned(),
        code: code.name(),
        detail,
    };
    Problem::new(code, en, pt).with_errors(vec![error])
}

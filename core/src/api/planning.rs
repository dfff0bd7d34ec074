//! From a valid inquiry to a planned route: the store it is for, where everything is, and what the plan's faults mean to a caller.

use super::{
    call::Call,
    problem::{Code, FieldError, Problem},
};
use crate::{
    domain::{Address, Distance, Located, Matrix, Text, Timestamp, Uf},
    geo::{LocateFault, Municipality},
    host::Host,
    order::Place,
    quote::{Inquiry, Plan, PlanFault, Request, Stop, Tariff, plan},
    store::Store,
};

/// A planned route.
pub(super) struct Planned {
    pub pickup: Place,
    /// Where the stops are, in the order sent.
    pub located: Vec<Located>,
    pub plan: Plan,
}

/// The store that an inquiry is for: the caller, or the branch that it names.
pub(super) async fn acting_store<H: Host>(call: &Call<'_, H>, inquiry: &Inquiry) -> Result<Store, Problem> {
    let caller = &call.caller()?.store;
    let Some(id) = inquiry.store.filter(|id| *id != caller.id) else { return Ok(caller.clone()) };
    match call.host.store(id).await?.filter(|store| caller.oversees(store)) {
        Some(store) => Ok(store),
        None => Err(not_allowed()),
    }
}

/// A store that the caller may not act for.
pub(super) fn not_allowed() -> Problem {
    let en = "The caller is neither this store nor its matrix.";
    let pt = "Quem chama não é esta loja nem a matriz dela.";
    let errors = vec![FieldError {
        pointer: "/store/userPlatformId".to_owned(),
        code: "store_not_allowed",
        detail: Text::new(en, pt),
    }];
    Problem::new(Code::StoreNotAllowed, en, pt).with_errors(errors)
}

/// Locates, measures and plans.
pub(super) async fn planned<H: Host>(call: &Call<'_, H>, store: &Store, inquiry: &Inquiry) -> Result<Planned, Problem> {
    let (addresses, pointer) = inquired(inquiry);
    let mut located = locate(call, &addresses, pointer).await?;
    let pickup = match &inquiry.pickup {
        Some(address) => Place { address: address.clone(), located: located.remove(0) },
        None => Place { address: store.address.clone(), located: store.located },
    };
    let places: Vec<Located> = std::iter::once(pickup.located).chain(located.iter().copied()).collect();
    let matrix = call.host.matrix(&places).await?;
    let tariff = &call.settings.tariff;
    let route = Route { tariff, pickup, located, matrix: &matrix, store_uf: store.address.uf(), now: call.moment.now };
    routed(route, inquiry)
}

/// What a route is planned on.
pub(super) struct Route<'a> {
    pub tariff: &'a Tariff,
    pub pickup: Place,
    /// Where the stops are, in the order sent.
    pub located: Vec<Located>,
    /// Legs between the pickup and the stops.
    pub matrix: &'a Matrix,
    /// The federative unit of the store, which counts where the pickup does not say its own.
    pub store_uf: Option<Uf>,
    pub now: Timestamp,
}

/// Plans what was located and measured.
pub(super) fn routed(route: Route<'_>, inquiry: &Inquiry) -> Result<Planned, Problem> {
    let Route { tariff, pickup, located, matrix, store_uf, now } = route;
    let stops: Vec<Stop> = located
        .iter()
        .zip(&inquiry.stops)
        .map(|(located, asked)| Stop { located: *located, online_payment: asked.online_payment, pin: asked.pin })
        .collect();
    let request = Request {
        pickup: pickup.located,
        stops: &stops,
        matrix,
        best_route: inquiry.best_route,
        preparation_minutes: inquiry.preparation_minutes,
        now,
        uf: pickup.address.uf().or(store_uf),
    };
    let plan = plan(tariff, &request).map_err(|fault| refused(tariff, &fault))?;
    Ok(Planned { pickup, located, plan })
}

/// The addresses that an inquiry names, the pickup first where it is among them, and the pointer to each.
pub(super) fn inquired(inquiry: &Inquiry) -> (Vec<&Address>, impl Fn(usize) -> String) {
    let sent = inquiry.pickup.as_ref();
    let before = usize::from(sent.is_some());
    let pointer = move |index: usize| match index.checked_sub(before) {
        None => "/pickupAddress".to_owned(),
        Some(stop) => format!("/deliveries/{stop}/address"),
    };
    (sent.into_iter().chain(inquiry.stops.iter().map(|stop| &stop.address)).collect(), pointer)
}

/// Where addresses are; every one that has no place is named at once.
pub(super) async fn locate<H: Host>(
    call: &Call<'_, H>,
    addresses: &[&Address],
    pointer: impl Fn(usize) -> String,
) -> Result<Vec<Located>, Problem> {
    every_place(call.host.locate(addresses).await?, pointer)
}

/// The places, or every address without one named at once.
pub(super) fn every_place(
    answers: Vec<Result<Located, LocateFault>>,
    pointer: impl Fn(usize) -> String,
) -> Result<Vec<Located>, Problem> {
    let mut located = Vec::with_capacity(answers.len());
    let mut faults = Vec::new();
    for (index, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(place) => located.push(place),
            Err(fault) => faults.push((index, fault)),
        }
    }
    let Some((_, first)) = faults.first() else { return Ok(located) };
    let (code, _) = located_code(first);
    let title = code.title();
    let errors = faults.iter().map(|(index, fault)| FieldError {
        pointer: pointer(*index),
        code: located_code(fault).1,
        detail: located_detail(fault),
    });
    let detail =
        (format!("{}; `errors` says which and why.", title.en), format!("{}; `errors` diz qual e por quê.", title.pt));
    Err(Problem::new(code, detail.0, detail.1).with_errors(errors.collect()))
}

/// The problem's code, and the field's own.
fn located_code(fault: &LocateFault) -> (Code, &'static str) {
    match fault {
        LocateFault::NothingToGoBy => (Code::AddressNotFound, "not_locatable"),
        LocateFault::NotFound => (Code::AddressNotFound, "city_unknown"),
        LocateFault::CepUnknown => (Code::AddressNotFound, "zip_code_unknown"),
        LocateFault::CityNotInState { .. } => (Code::AddressNotFound, "city_not_in_state"),
        LocateFault::CepElsewhere { .. } => (Code::AddressNotFound, "zip_code_mismatch"),
        LocateFault::CoordinatesMismatch { .. } => (Code::CoordinatesMismatch, "coordinates_mismatch"),
        LocateFault::CoordinatesOutside { .. } => (Code::CoordinatesMismatch, "coordinates_outside"),
    }
}

fn located_detail(fault: &LocateFault) -> Text {
    let name = |town: &Municipality| format!("{} ({})", town.name(), town.uf().code());
    match fault {
        LocateFault::NothingToGoBy => Text::new(
            "Send latitude and longitude, or zipCode, or city and state.",
            "Envie latitude e longitude, ou zipCode, ou city e state.",
        ),
        LocateFault::NotFound => Text::new(
            "No municipality has this name. Check city and state, or send zipCode or latitude and longitude.",
            "Nenhum município tem este nome. Confira city e state, ou envie zipCode ou latitude e longitude.",
        ),
        LocateFault::CepUnknown => Text::new(
            "No municipality has this CEP. Check zipCode, or send city and state or latitude and longitude.",
            "Nenhum município tem este CEP. Confira zipCode, ou envie city e state ou latitude e longitude.",
        ),
        LocateFault::CityNotInState { elsewhere } => Text::new(
            format!("The city is not in this state. Did you mean {}?", name(elsewhere)),
            format!("A cidade não fica neste estado. Seria {}?", name(elsewhere)),
        ),
        LocateFault::CepElsewhere { belongs_to } => Text::new(
            format!("This CEP belongs to {}. Check zipCode and city.", name(belongs_to)),
            format!("Este CEP é de {}. Confira zipCode e city.", name(belongs_to)),
        ),
        LocateFault::CoordinatesMismatch { municipality, distance_m } => {
            let (km, name) = (distance_m / 1_000, name(municipality));
            Text::new(
                format!("The coordinates lie {km} km from {name}. Check them, or city, state and zipCode."),
                format!("As coordenadas ficam a {km} km de {name}. Confira-as, ou city, state e zipCode."),
            )
        }
        LocateFault::CoordinatesOutside { swapped: Some(point), .. } => {
            let (latitude, longitude) = (point.latitude(), point.longitude());
            Text::new(
                format!(
                    "The coordinates lie outside Brazil. Are they exchanged? Latitude {latitude}, longitude {longitude}."
                ),
                format!(
                    "As coordenadas ficam fora do Brasil. Estão trocadas? Latitude {latitude}, longitude {longitude}."
                ),
            )
        }
        LocateFault::CoordinatesOutside { sign_lost: true, .. } => Text::new(
            "The coordinates lie outside Brazil. Is a minus sign missing?",
            "As coordenadas ficam fora do Brasil. Falta um sinal de menos?",
        ),
        LocateFault::CoordinatesOutside { .. } => Text::new(
            "The coordinates lie outside Brazil, or in the sea.",
            "As coordenadas ficam fora do Brasil, ou no mar.",
        ),
    }
}

fn refused(tariff: &Tariff, fault: &PlanFault) -> Problem {
    let km = |distance: &Distance| rust_decimal::Decimal::new(i64::from(distance.metres()), 3).normalize();
    match fault {
        PlanFault::OutOfArea { stops } => {
            let radius = tariff.service_radius_km.normalize();
            let errors = stops.iter().map(|(stop, distance)| FieldError {
                pointer: format!("/deliveries/{stop}/address"),
                code: Code::OutOfArea.name(),
                detail: Text::new(
                    format!("{} km from the pickup in a straight line; at most {radius} km are served.", km(distance)),
                    format!("A {} km da coleta em linha reta; são atendidos no máximo {radius} km.", km(distance)),
                ),
            });
            Problem::new(
                Code::OutOfArea,
                format!("Deliveries are made up to {radius} km from the pickup; `errors` names those beyond."),
                format!("Entregas são feitas até {radius} km da coleta; `errors` aponta as que passam disso."),
            )
            .with_errors(errors.collect())
        }
        PlanFault::DistanceExceeded { distance } => {
            let (most, km) = (tariff.max_distance_km.normalize(), km(distance));
            let en = format!("The route has {km} km; at most {most} km are allowed. Send more than one order.");
            let pt = format!("A rota tem {km} km; são permitidos no máximo {most} km. Envie mais de um pedido.");
            Problem::new(Code::DistanceExceeded, en, pt)
        }
        PlanFault::NoRoad | PlanFault::Stops => Problem::new(
            Code::OutOfArea,
            "No road joins the pickup and the deliveries.",
            "Nenhuma via liga a coleta às entregas.",
        ),
    }
}

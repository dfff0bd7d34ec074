//! From a valid inquiry to a planned route: the store it is for, where everything is, and what the plan's faults mean to a caller.

use super::{
    call::Call,
    places::{self, locate},
    problem::{Code, FieldError, Problem},
};
use crate::{
    domain::{Address, Distance, Located, Text},
    host::Host,
    order::Place,
    quote::{Inquiry, Plan, PlanFault, Request, Stop, plan},
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
        None => {
            let en = "The caller is neither this store nor its matrix.";
            let pt = "Quem chama não é esta loja nem a matriz dela.";
            let errors = vec![FieldError {
                pointer: "/store/userPlatformId".to_owned(),
                code: "store_not_allowed",
                detail: Text::new(en, pt),
            }];
            Err(Problem::new(Code::StoreNotAllowed, en, pt).with_errors(errors))
        }
    }
}

/// Locates, measures and plans.
pub(super) async fn planned<H: Host>(call: &Call<'_, H>, store: &Store, inquiry: &Inquiry) -> Result<Planned, Problem> {
    let (pickup, located) = places(call, store, inquiry).await?;
    let mut places = vec![pickup.located];
    places.extend(&located);
    let matrix = call.host.matrix(&places).await?;
    let stops: Vec<Stop> = located
        .iter()
        .zip(&inquiry.stops)
        .map(|(located, asked)| Stop { located: *located, online_payment: asked.online_payment, pin: asked.pin })
        .collect();
    let request = Request {
        pickup: pickup.located,
        stops: &stops,
        matrix: &matrix,
        best_route: inquiry.best_route,
        preparation_minutes: inquiry.preparation_minutes,
        now: call.moment.now,
        uf: pickup.address.uf().or(store.address.uf()),
    };
    let plan = plan(&call.settings.tariff, &request).map_err(|fault| refused(call, &fault))?;
    Ok(Planned { pickup, located, plan })
}

async fn places<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    inquiry: &Inquiry,
) -> Result<(Place, Vec<Located>), Problem> {
    let sent = inquiry.pickup.as_ref();
    let addresses: Vec<&Address> = sent.into_iter().chain(inquiry.stops.iter().map(|stop| &stop.address)).collect();
    let pointer = |index: usize| match (index, sent) {
        (0, Some(_)) => "/pickupAddress".to_owned(),
        (index, sent) => format!("/deliveries/{}/address", index - usize::from(sent.is_some())),
    };
    // A store may have been opened when less was asked of its address.
    let own = sent.is_none().then(|| places::imprecise(&store.address, &store.located, call.settings)).flatten();
    let own = own.map(|(code, detail)| FieldError { pointer: "/pickupAddress".to_owned(), code, detail });
    let mut located = locate(call, &addresses, pointer, own).await?;
    let pickup = match sent {
        Some(address) => Place { address: address.clone(), located: located.remove(0) },
        None => Place { address: store.address.clone(), located: store.located },
    };
    Ok((pickup, located))
}

fn refused<H: Host>(call: &Call<'_, H>, fault: &PlanFault) -> Problem {
    let tariff = &call.settings.tariff;
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

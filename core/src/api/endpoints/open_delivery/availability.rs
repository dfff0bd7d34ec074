//! `POST /v1/logistics/availability`. Without a token, the tariff applies, but no store's
//! hours and area. Strangers must not use up the operator's geocoder and road service, so without a
//! token only embedded data is used.

use super::standard::standard_problem;
use crate::{
    api::{
        call::{Call, HandlerError},
        caller::CallerAddress,
        endpoints::orders::creation::check_limits,
        guards,
        operation::{Operation, RequestBody},
        planning::{Draft, Terms, planned},
        problem::{Problem, ProblemCode},
        read::read,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        tariff, validate,
    },
    geo::{self, Gazetteer},
    host::Host,
    model::{Precision, store::Settle},
    rules::{
        limits::Usage,
        pricing::{Inquiry, Plan, total},
    },
    wire::open_delivery::{AvailabilityView, PricedView, TimesView},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::OptionalConnection,
    "POST /v1/logistics/availability",
)
.quota(Usage::Preview)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "getAvailability",
    summary: "Availability and price",
    description: "Returns the price and the expected times of a delivery; creates nothing. With a \
        token, the store's opening hours and service area also apply.",
    request: RequestBody::Required("AvailabilityRequest"),
    responses: &[(
        200,
        Some("AvailabilityView"),
        "The price and the expected times.",
    )],
    codes: &[
        ProblemCode::RateLimited,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
        ProblemCode::OutOfArea,
        ProblemCode::StoreClosed,
        ProblemCode::WindowUnreachable,
        ProblemCode::DistanceExceeded,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let has_token = call.parts.headers.contains_key(http::header::AUTHORIZATION);
    if has_token {
        guards::authenticate_connection(call).await?;
    }
    let bucket = match (&call.caller, call.parts.extensions.get::<CallerAddress>()) {
        (Some(caller), _) => caller.store.merchant().to_string(),
        (None, Some(address)) => format!("from/{}", address.name()),
        (None, None) => "public".to_owned(),
    };
    guards::check_rate(
        call,
        Usage::Preview,
        format!("{}/{bucket}", Usage::Preview.name()),
    )
    .await?;
    let (inquiry, limits) = validate::availability_request(read(call.body)?)?;
    let plan = plan(call, &inquiry).await.map_err(standard_problem)?;
    check_limits(
        &limits,
        plan.times.pickup,
        plan.times.delivery,
        call.context.now,
    )?;
    let until = limits.delivery.map(|limit| call.context.now.after(limit));
    let times = TimesView::of(
        plan.times.pickup,
        plan.times.delivery,
        until,
        true,
        call.context.now,
    );
    let fee = total(&plan.lines);
    Ok(ApiResponse::json(
        200,
        &AvailabilityView {
            delivery_price: PricedView::of(fee),
            times,
        },
    )?)
}

async fn plan<H: Host>(call: &mut Call<'_, H>, inquiry: &Inquiry) -> Result<Plan, Problem> {
    if let Some(caller) = &call.caller {
        return Ok(planned(call, &caller.store, inquiry).await?.plan);
    }
    let terms = Terms {
        own: None,
        area: None,
        estimates: call.settings.pricing.estimates,
        settle: Settle::default(),
        lead_minutes: call.settings.dispatch.lead_minutes,
        min_precision: Precision::Municipality,
    };
    let draft = Draft::new(inquiry, terms, call.context.now)?;
    let gazetteer = Gazetteer::embedded();
    let results = draft
        .addresses()
        .into_iter()
        .map(|address| gazetteer.locate(address))
        .collect();
    let route = draft.located(results)?;
    let matrix = geo::matrix(&route.places());
    let tariff = tariff::effective(call).await?;
    Ok(route.plan(&tariff, matrix, gazetteer)?.plan)
}

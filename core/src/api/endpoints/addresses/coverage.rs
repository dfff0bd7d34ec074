//! `GET /delivery/coverage`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::stores::access::named_store,
        operation::Operation,
        planning::{check_open, planned_at_any_time},
        problem::{FieldError, Problem, ProblemCode},
        read::read,
        response::ApiResponse,
        route::{Access, Route},
        validate,
    },
    geo,
    host::Host,
    json::Tree,
    model::Duration,
    rules::{hours::next_opening, limits::Usage, pricing::Inquiry},
    wire::{CoverageView, Kilometres, Reais},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/coverage")
    .quota(Usage::Preview)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getCoverage",
    summary: "Check whether a store delivers to an address",
    description: "Applies the rules of a preview with one paid delivery, and creates nothing. An \
        address that is not covered is no error: `covered` is false and `reasons` lists the codes \
        with which a preview is rejected. Send coordinates, `zipCode`, or `city` and `state`; the \
        most precise of these is used. In an error, `pointer` is `/` and the parameter's name.",
    responses: &[(
        200,
        Some("Coverage"),
        "Whether the store delivers to the address.",
    )],
    parameters: &[
        "storeIdOfCoverage",
        "coverageStreet",
        "coverageNumber",
        "coverageComplement",
        "coverageNeighborhood",
        "coverageCity",
        "coverageState",
        "coverageZipCode",
        "coverageLatitude",
        "coverageLongitude",
        "coveragePreparation",
    ],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let inquiry = inquiry(call)?;
    let store = named_store(call).await?;
    let (now, zone) = (
        call.context.now,
        geo::zone(&store.address).unwrap_or_default(),
    );
    let ready = now.after(Duration::minutes(inquiry.preparation_minutes.into()));
    let (planned, rejected) = match planned_at_any_time(call, &store, &inquiry).await {
        Ok(planned) => (Some(planned), None),
        Err(problem) if problem.code.status() == 422 => (None, Some(problem)),
        Err(problem) => return Err(problem.into()),
    };
    let closed = check_open(&store.hours, zone, ready).err();
    let next_opening_at = closed.as_ref().and_then(|problem| problem.next_opening);
    let reasons: Vec<_> = [rejected, closed]
        .into_iter()
        .flatten()
        .map(|problem| problem.code.name())
        .collect();
    let planned = planned.as_ref();
    let view = CoverageView {
        covered: reasons.is_empty(),
        reasons,
        distance: planned.map(|planned| Kilometres(planned.plan.total_distance)),
        delivery_fee: planned.map(|planned| Reais(planned.plan.fee)),
        precision: planned.and_then(|planned| Some(planned.located.first()?.precision)),
        estimated: planned.map(|planned| planned.plan.estimated),
        open_now: next_opening(&store.hours, now, zone) == Some(now),
        next_opening: next_opening_at.map(|at| at.to_string()),
        next_slot: next_opening(&store.hours, ready, zone).map(|at| at.to_string()),
    };
    Ok(ApiResponse::json(200, &view)?)
}

/// The parameters of an address that are texts.
const TEXTS: [&str; 7] = [
    "street",
    "number",
    "complement",
    "neighborhood",
    "city",
    "state",
    "zipCode",
];

/// Reads the query as a preview with one delivery, so that both accept the same addresses.
fn inquiry<H: Host>(call: &Call<'_, H>) -> Result<Inquiry, Problem> {
    let text = |name: &'static str| Some((name.into(), Tree::Text(call.query(name)?.into())));
    let number = |name: &'static str| {
        let sent = call.query(name)?;
        let number = Tree::parse(sent.trim()).ok();
        let number = number
            .filter(|value| matches!(value, Tree::Whole(_) | Tree::Negative(_) | Tree::Float(_)));
        // Another value is rejected as a text.
        Some((
            name.into(),
            number.map_or_else(|| Tree::Text(sent.clone().into()), into_owned),
        ))
    };
    let address = TEXTS
        .into_iter()
        .filter_map(text)
        .chain(["latitude", "longitude"].into_iter().filter_map(number));
    let delivery = Tree::Object(vec![("address".into(), Tree::Object(address.collect()))]);
    let mut preview = vec![("deliveries".into(), Tree::List(vec![delivery]))];
    preview.extend(number("preparationTime"));
    let body = read(Tree::Object(preview).to_json().as_bytes());
    body.and_then(|body| validate::preview(body, &call.settings.limits))
        .map_err(|problem| {
            let errors = problem.errors.into_iter().map(|error| {
                let pointer = error
                    .pointer
                    .strip_prefix("/deliveries/0/address")
                    .unwrap_or(&error.pointer)
                    .to_owned();
                FieldError { pointer, ..error }
            });
            plain(ProblemCode::ValidationFailed)
                .with_errors(errors.collect())
                .in_query()
        })
}

/// Returns a number that borrows nothing.
fn into_owned(number: Tree<'_>) -> Tree<'static> {
    match number {
        Tree::Whole(number) => Tree::Whole(number),
        Tree::Negative(number) => Tree::Negative(number),
        Tree::Float(number) => Tree::Float(number),
        _ => Tree::Null,
    }
}

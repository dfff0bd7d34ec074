//! Dispatch passes, their explanation, and the dispatch terms of stores.

use super::stores::in_path;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        problem::{FieldError, ProblemCode},
        routes::Endpoint,
        validate,
    },
    drivers::{clock, dispatch, erasure},
    host::Host,
    model::{OrderId, Text, order::OrderStatus, store::Store},
    rules::{settings::Settings, stores},
    wire::{
        DecisionView, DispatchComparison, DispatchPassView, DispatchSettings, OrderDispatchView,
        StoreDispatchView,
    },
};

/// `POST /admin/dispatch?dryRun=`
pub(super) async fn run<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    match call.query("dryRun").as_deref() {
        None | Some("false") => {}
        Some("true") => return dry_run(call).await,
        Some(_) => {
            let detail = Text::new("Expected true or false.", "Esperado true ou false.");
            let error = FieldError {
                pointer: "/dryRun".to_owned(),
                code: "invalid_value",
                detail,
            };
            return Err(plain(ProblemCode::ValidationFailed)
                .with_errors(vec![error])
                .in_query()
                .into());
        }
    }
    let mut done = dispatch::run_pass(call.host, call.settings, &mut call.context).await?;
    // A host without background tasks applies the retention here.
    done.more |= erasure::retain(call.host, call.settings, call.context.now)
        .await?
        .more;
    Ok(ApiResponse::json(200, &DispatchPassView::from(done))?)
}

/// `GET /admin/dispatch`
pub(super) async fn settings<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(
        200,
        &DispatchSettings::of(&call.settings.dispatch),
    )?)
}

/// `POST /admin/dispatch/what-if`
pub(super) async fn compare<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let dispatch = validate::dispatch_draft(call.read()?, &call.settings.dispatch)?;
    let settings = DispatchSettings::of(&dispatch);
    let draft = Settings {
        dispatch,
        ..call.settings.clone()
    };
    // Both passes draw the same random orders if there are more than a pass matches.
    let current =
        dispatch::decide_pass(call.host, call.settings, &mut call.context.clone()).await?;
    let drafted = dispatch::decide_pass(call.host, &draft, &mut call.context).await?;
    let view = DispatchComparison::of(settings, &current, &drafted, call.context.now);
    Ok(ApiResponse::json(200, &view)?)
}

async fn dry_run<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let decided = dispatch::decide_pass(call.host, call.settings, &mut call.context).await?;
    let now = call.context.now;
    let allocated = decided
        .iter()
        .filter(|(_, decision)| decision.open.is_none())
        .count();
    let decisions = decided
        .iter()
        .map(|(order, decision)| DecisionView::of(order.id, Some(decision), now))
        .collect();
    let allocated = u32::try_from(allocated).unwrap_or(u32::MAX);
    Ok(ApiResponse::json(
        200,
        &DispatchPassView {
            allocated,
            decisions: Some(decisions),
            ..DispatchPassView::default()
        },
    )?)
}

/// `GET /admin/orders/{platformOrderId}/dispatch`
pub(super) async fn explain<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let order = order.ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let mut passes = DecisionView::stored(&order);
    if order.status <= OrderStatus::Searching {
        let decided = dispatch::decide_pass(call.host, call.settings, &mut call.context).await?;
        let own = decided
            .iter()
            .find(|(other, _)| other.id == order.id)
            .map(|(_, decision)| decision);
        passes.push(DecisionView::of(order.id, own, call.context.now));
    }
    Ok(ApiResponse::json(200, &OrderDispatchView { passes })?)
}

/// `GET` and `PUT /admin/stores/{storeId}/dispatch`
pub(super) async fn store_terms<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let terms = match endpoint {
        Endpoint::SetStoreDispatch => Some(validate::store_dispatch(call.read()?)?),
        _ => None,
    };
    let store = in_path(call).await?;
    let view = |store: &Store| {
        ApiResponse::json(200, &StoreDispatchView::of(store, &call.settings.dispatch))
    };
    let Some(dispatch) = terms else {
        return Ok(view(&store)?);
    };
    let (changed, changes) = stores::replace(Store { dispatch, ..store }, call.context.now);
    let response = view(&changed)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

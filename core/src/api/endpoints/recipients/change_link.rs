//! `POST /delivery/orders/{platformOrderId}/tracking`

use super::links::add_links;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::{
            access::visible,
            steps::{known, step_problem},
        },
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate::{self, LinkChange},
    },
    host::Host,
    model::OrderId,
    rules::{
        lifecycle::StepError,
        tracking::{new_link, replace_link},
    },
    wire::{LinkView, OrderView},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/orders/{platformOrderId}/tracking",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "changeLink",
    summary: "Replace or revoke the link of a delivery",
    description: "`ROTATE` ends the current link, if there is one, and creates a new one; also for \
        a delivery that has none. `REVOKE` ends it. The previous link stops working at once.",
    request: RequestBody::Required("ChangeLink"),
    responses: &[(200, Some("DeliveryLink"), "The new link, or null.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let (stop, change) = validate::link_change(call.read()?)?;
    let stop = known(stop)?;
    let key = match (change, &call.settings.public_url) {
        (LinkChange::Rotate, Some(_)) => Some(new_link(&call.settings.secret, &mut call.context)),
        (LinkChange::Rotate, None) => {
            return Err(Problem::new(
                ProblemCode::Unavailable,
                "This deployment has no public URL, so it has no links. The operator must set `public-url`.",
                "Esta instalação não tem URL pública e, por isso, não tem links. O operador deve definir `public-url`.",
            )
            .into());
        }
        (LinkChange::Revoke, _) => None,
    };
    let replaced = replace_link(&order, stop, key, call.context.now);
    let Some((changed, changes)) = replaced else {
        return Err(step_problem(&StepError::UnknownStop, call.context.now).into());
    };
    let mut view = OrderView::of(&changed, call.language);
    let mut links = add_links(call.settings, &mut view, &changed);
    let own = view
        .deliveries
        .into_iter()
        .find(|delivery| delivery.id == stop.get());
    let tracking_url = own.and_then(|delivery| delivery.tracking_url);
    links.retain(|link| {
        tracking_url
            .as_ref()
            .is_some_and(|url| url.ends_with(&link.text))
    });
    let view = LinkView {
        delivery_id: stop.get(),
        tracking_url,
    };
    let response = ApiResponse {
        links,
        ..ApiResponse::json(200, &view)?
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

//! `PUT /delivery/stores/{storeId}/hours`

use super::{access::overseen, get_hours::hours_response};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::store::Store,
    rules::stores,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "PUT /delivery/stores/{storeId}/hours")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("hours.set", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "setStoreHours",
    summary: "Set the opening hours",
    description: "Replaces the hours of the calling store or of one of its branches. Times are \
        local times of the store's municipality. A period belongs to the day on which it starts, \
        and an exception replaces all periods that start on its date. Previews and new orders \
        whose goods are ready while the store is closed are rejected with `store_closed`. Without \
        `hours` a store is open all day, except on the dates in `exceptions`.",
    request: RequestBody::Required("StoreHours"),
    responses: &[(
        200,
        Some("StoreHours"),
        "The new hours, exceptions by date.",
    )],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (hours, preparation_minutes) = validate::store_hours(call.read()?, &call.settings.limits)?;
    let store = Store {
        hours,
        preparation_minutes,
        ..overseen(call).await?
    };
    let (changed, changes) = stores::replace(store, call.context.now);
    let response = hours_response(&changed)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

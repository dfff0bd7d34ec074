//! `POST /delivery/notifications/{notificationId}/read`

use super::list::view_for;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    changes::Changes,
    host::Host,
    model::{NotificationId, store::Notification},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "POST /delivery/notifications/{notificationId}/read",
)
.leaves(Lasting::Nothing)
.without_body();

pub(crate) const DOC: Operation = Operation {
    tag: "Notifications",
    id: "readNotification",
    summary: "Mark a notification as read",
    description: "Has no request body. Marking a notification again has no effect.",
    responses: &[(
        200,
        Some("Notification"),
        "The notification, marked as read.",
    )],
    parameters: &["notificationId"],
    codes: &[ProblemCode::NotificationNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (store, role) = (call.caller()?.store.id, call.caller()?.key.role());
    let found = match NotificationId::parse(call.id) {
        // Pages are newest first: the page before ID + 1 starts with the ID.
        Some(id) => {
            let before = id.get().checked_add(1).and_then(NotificationId::new);
            let page = call.host.notifications(store, before, 1).await?;
            page.into_iter().find(|notification| notification.id == id)
        }
        None => None,
    };
    let found = found.ok_or_else(|| plain(ProblemCode::NotificationNotFound))?;
    if found.read_at.is_some() {
        return Ok(ApiResponse::json(
            200,
            &view_for(&found, call.language, role),
        )?);
    }
    let marked = Notification {
        read_at: Some(call.context.now),
        ..found
    };
    let response = ApiResponse::json(200, &view_for(&marked, call.language, role))?;
    call.commit(
        Changes {
            at: call.context.now,
            notifications: vec![marked],
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}

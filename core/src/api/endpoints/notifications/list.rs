//! `GET /delivery/notifications`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging::{cursor, limit, page_response},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::{
        Language, NotificationId,
        store::{Notification, Role},
    },
    wire::{NotificationList, NotificationView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/notifications").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Notifications",
    id: "listNotifications",
    summary: "List notifications",
    description: "Returns the calling store's notifications, newest first. For the next page, send \
        `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("NotificationList"), "A page of notifications.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (store, role) = (call.caller()?.store.id, call.caller()?.key.role());
    let (limit, before) = (limit(call)?, cursor(call, NotificationId::parse)?);
    let page = call.host.notifications(store, before, limit + 1).await?;
    let cursor = |notification: &Notification| notification.id.to_string();
    let view = |page: &[Notification], next_cursor| NotificationList {
        notifications: page
            .iter()
            .map(|one| view_for(one, call.language, role))
            .collect(),
        next_cursor,
    };
    Ok(page_response(page, limit, false, cursor, view)?)
}

/// Returns a notification without the store's balance if a clerk reads it.
pub(super) fn view_for(
    notification: &Notification,
    language: Language,
    role: Role,
) -> NotificationView {
    let view = NotificationView::of(notification, language);
    let code = ProblemCode::InsufficientBalance;
    if role == Role::Owner || view.code.as_deref() != Some(code.name()) {
        return view;
    }
    NotificationView {
        detail: Some(code.detail().get(language).to_owned()),
        ..view
    }
}

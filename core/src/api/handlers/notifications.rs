//! A store's notifications.

use super::pages::{cursor, limit, respond};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        problem::ProblemCode,
        routes::Endpoint,
    },
    changes::Changes,
    host::Host,
    model::{
        Language, NotificationId,
        store::{Notification, Role},
    },
    wire::{NotificationList, NotificationView},
};

/// Handles an endpoint for notifications.
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    if endpoint == Endpoint::ListNotifications {
        list(call).await
    } else {
        read(call).await
    }
}

/// Returns a notification without the store's balance if a clerk reads it.
fn view_for(notification: &Notification, language: Language, role: Role) -> NotificationView {
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

/// `GET /delivery/notifications?cursor=&limit=`
async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
    Ok(respond(page, limit, false, cursor, view)?)
}

/// `POST /delivery/notifications/{notificationId}/read`
async fn read<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

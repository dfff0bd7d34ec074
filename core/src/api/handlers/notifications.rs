//! What a store is told.

use super::page;
use crate::{
    api::{
        call::{Answer, Call, Stop, plain},
        problem::{Code, Problem},
        wire::{NotificationList, NotificationView},
    },
    domain::NotificationId,
    host::{Changes, Host},
    store::Notification,
};

/// `GET /delivery/notifications?cursor=&limit=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let store = call.caller()?.store.id;
    let limit = page::limit(call)?;
    let before = match call.query("cursor") {
        None => None,
        Some(text) => Some(NotificationId::parse(&text).ok_or_else(|| {
            let en = "`cursor` must be the `nextCursor` of the page before.";
            Problem::new(Code::ValidationFailed, en, "`cursor` deve ser o `nextCursor` da página anterior.")
        })?),
    };
    let mut page = call.host.notifications(store, before, limit + 1).await?;
    let more = page.len() > limit as usize;
    page.truncate(limit as usize);
    let next_cursor = page.last().filter(|_| more).map(|last| last.id.to_string());
    let notifications = page.iter().map(|notification| NotificationView::of(notification, call.language)).collect();
    Ok(Answer::json(200, &NotificationList { notifications, next_cursor })?)
}

/// `POST /delivery/notifications/{notificationId}/read`
pub(super) async fn read<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let store = call.caller()?.store.id;
    let found = match NotificationId::parse(call.id) {
        // The page that starts right behind a number begins with that number.
        Some(id) => {
            let behind = id.get().checked_add(1).and_then(NotificationId::new);
            let page = call.host.notifications(store, behind, 1).await?;
            page.into_iter().find(|notification| notification.id == id)
        }
        None => None,
    };
    let found = found.ok_or_else(|| plain(Code::NotificationNotFound))?;
    if found.read_at.is_some() {
        return Ok(Answer::json(200, &NotificationView::of(&found, call.language))?);
    }
    let marked = Notification { read_at: Some(call.moment.now), ..found };
    let answer = Answer::json(200, &NotificationView::of(&marked, call.language))?;
    call.commit(Changes { at: call.moment.now, notifications: vec![marked], ..Changes::default() }, &answer).await?;
    Ok(answer)
}

//! The audit log.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        routes::Endpoint,
    },
    host::{AuditQuery, Host, StoreQuery},
    model::StoreId,
    wire::{AuditList, AuditView},
};

/// `GET /delivery/audit?cursor=&limit=` and `GET /admin/audit?storeId=&cursor=&limit=`
pub(super) async fn list<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let store = match call.query("storeId") {
        _ if endpoint == Endpoint::ListAudit => Some(call.caller()?.store.clone()),
        None => None,
        Some(text) => {
            let store = match StoreId::parse(&text) {
                Some(id) => call
                    .host
                    .find_stores(StoreQuery::IdOrRemoved(id))
                    .await?
                    .pop(),
                None => None,
            };
            Some(store.ok_or_else(pages::unknown_store)?)
        }
    };
    let limit = pages::limit(call)?;
    let before = pages::cursor(call, |text| {
        text.parse()
            .ok()
            .filter(|number| (1..1 << 53).contains(number))
    })?;
    let query = AuditQuery {
        merchant: store
            .as_ref()
            .filter(|store| store.is_parent())
            .map(|store| store.id),
        store: store
            .as_ref()
            .filter(|store| !store.is_parent())
            .map(|store| store.id),
        before,
        limit: limit + 1,
    };
    let mut page = call.host.audit(query).await?;
    let next_cursor = pages::truncate(&mut page, limit, |last| last.id.to_string());
    Ok(ApiResponse::json(
        200,
        &AuditList {
            entries: page.iter().map(AuditView::of).collect(),
            next_cursor,
        },
    )?)
}

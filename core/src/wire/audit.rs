//! The audit log.

use serde::Serialize;

#[cfg(feature = "openapi")]
use super::schema::AuditAction;
#[cfg(feature = "openapi")]
use crate::model::audit::ActorKind;
use crate::model::audit::{Actor, AuditRecord};

/// A page of the audit log, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditList {
    /// The entries.
    pub entries: Vec<AuditView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = AuditEntry))]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    /// The entry's ID.
    pub id: u64,
    /// Time of the change.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// The login or key that sent the request.
    pub actor: ActorView,
    /// ID of the store that the change concerns. Null for couriers and tariffs.
    pub store_id: Option<u64>,
    /// The change. New actions may be added: ignore unknown actions.
    #[cfg_attr(feature = "openapi", schema(value_type = AuditAction))]
    pub action: String,
    /// ID of the changed object. 0 if there is none: the operator's sign-in, and exports over all
    /// stores.
    pub subject_id: u64,
}

/// The login or key that sent a request.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Actor))]
pub struct ActorView {
    /// The kind.
    #[cfg_attr(feature = "openapi", schema(value_type = ActorKind))]
    pub kind: &'static str,
    /// ID of the store, the user, the key or the courier. Null for the operator.
    pub id: Option<u64>,
    /// Its name at that time. Null for the operator, for couriers and for keys without a name.
    pub name: Option<String>,
}

impl ActorView {
    /// Builds the API representation of an actor.
    pub fn of(actor: &Actor) -> ActorView {
        ActorView {
            kind: actor.kind.name(),
            id: actor.id,
            name: actor.name.clone(),
        }
    }
}

impl AuditView {
    /// Builds the API representation of an entry.
    pub fn of(record: &AuditRecord) -> AuditView {
        let entry = &record.entry;
        AuditView {
            id: record.id,
            at: entry.at.to_string(),
            actor: ActorView::of(&entry.actor),
            store_id: entry.store.map(|store| store.get()),
            action: entry.action.clone().into_owned(),
            subject_id: entry.subject,
        }
    }
}

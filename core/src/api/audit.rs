//! The audit log's entries, which [`Call::commit`](super::call::Call::commit) adds to the changes
//! of a request.

use std::borrow::Cow;

use super::route::{Access, Action, Audit, Subject};
use crate::{
    changes::{Changes, PayPlanChange, TariffChange, Write},
    model::{
        StoreId, Timestamp,
        audit::{Actor, ActorKind, AuditEntry},
        store::{Key, KeyHolder, KeyKind, Store, User},
    },
};

/// Every action with its description.
#[cfg(feature = "openapi")]
pub(super) const ACTIONS: [(&str, &str); 49] = [
    ("store.created", "A store was created."),
    (
        "store.updated",
        "A store's name, contact, email or address was changed.",
    ),
    (
        "store.operator-settings-set",
        "The operator disabled or enabled a store, or set its prepaid floor.",
    ),
    ("store.removed", "A branch was removed."),
    (
        "payments.set",
        "The settings of payments at the door were set.",
    ),
    ("proof-rules.set", "The rules for proofs were set."),
    (
        "tracking.set",
        "The settings for recipients' pages were set.",
    ),
    ("hours.set", "The store's opening hours were set."),
    (
        "service-area.set",
        "The store's service area was set or removed.",
    ),
    ("dispatch-terms.set", "The store's dispatch terms were set."),
    (
        "top-up",
        "The balance was topped up. `subjectId` is the store.",
    ),
    (
        "top-up.requested",
        "A store requested a top-up by Pix. `subjectId` is the store.",
    ),
    (
        "cash.float-given",
        "A store gave a courier change. `subjectId` is the courier.",
    ),
    (
        "cash.handed-over",
        "A courier handed cash over to a store. `subjectId` is the courier.",
    ),
    (
        "cash.closed",
        "A courier's cash was counted and closed. `subjectId` is the courier.",
    ),
    (
        "cash.explained",
        "A difference of cash got a reason. `subjectId` is the courier.",
    ),
    ("key.issued", "An API key was issued."),
    ("key.revoked", "An API key was revoked."),
    (
        "session.started",
        "A login succeeded. `subjectId` is the session.",
    ),
    (
        "session.confirmed",
        "The person of a session was confirmed by the password. `subjectId` is the session.",
    ),
    (
        "session.ended",
        "A session was ended, by a logout or by another login.",
    ),
    (
        "operator.signed-in",
        "The operator's token started a session. `subjectId` is 0.",
    ),
    (
        "password.changed",
        "A password was changed by its login. `subjectId` is the store or the user.",
    ),
    (
        "password.reset",
        "A password was set with a link. `subjectId` is the store or the user.",
    ),
    (
        "password-link.issued",
        "A link that sets a password was issued. `subjectId` is the store or the user.",
    ),
    ("user.created", "A user was created."),
    ("user.updated", "A user's name or role was changed."),
    ("user.removed", "A user was removed."),
    ("webhook.created", "A webhook was created."),
    ("webhook.removed", "A webhook was removed."),
    ("webhook.rotated", "A webhook got a new secret."),
    ("webhook.enabled", "A webhook was enabled."),
    ("courier.created", "A courier was registered."),
    (
        "courier.updated",
        "A courier was changed, which includes a new key.",
    ),
    ("courier.removed", "A courier was removed."),
    (
        "courier.sign-in-issued",
        "A sign-in link for a courier was issued.",
    ),
    ("courier.signed-in", "A courier signed in with a link."),
    (
        "courier.signed-out",
        "A courier's sessions were ended by the courier.",
    ),
    (
        "courier.device-key-issued",
        "A device key was issued, which reports a courier's position.",
    ),
    (
        "courier.device-key-removed",
        "A courier's device key was removed.",
    ),
    ("courier.pay-set", "A courier's terms of pay were set."),
    (
        "courier.pay-entry-created",
        "The operator added an entry to a courier's pay. `subjectId` is the courier.",
    ),
    ("pay-plan.created", "A version of a pay plan was created."),
    (
        "pay-plan.removed",
        "A scheduled version of a pay plan was removed.",
    ),
    ("tariff.created", "A tariff was created."),
    ("tariff.removed", "A scheduled tariff was removed."),
    (
        "statement.exported",
        "A statement was exported as CSV. `subjectId` is the store.",
    ),
    (
        "report.exported",
        "A report was exported as CSV. `subjectId` is the store; 0 for all stores.",
    ),
    (
        "recipient.exported",
        "The operator exported a recipient's personal data. `subjectId` is 0: the phone is not recorded.",
    ),
];

/// Returns the entry for the changes of a request, or `None` if nothing changes.
pub(super) fn entry(
    Audit { action, subject }: Audit,
    access: Access,
    caller: Option<&KeyHolder>,
    changes: &Changes,
) -> Option<AuditEntry> {
    let action = match action {
        Action::Always(action) => action,
        Action::Of(action) => action(changes),
    };
    let first_store = || changes.stores.first().map(|write| &write.value);
    let of_user = |write: &Write<User>| (write.value.id.get(), Some(write.value.store));
    let of_store = |store: &Store| (store.id.get(), Some(store.id));
    let (id, store): (u64, Option<StoreId>) = match subject {
        Subject::Store => first_store().map(of_store)?,
        Subject::User => changes.users.first().map(of_user)?,
        Subject::Login => changes
            .users
            .first()
            .map(of_user)
            .or_else(|| first_store().map(of_store))?,
        Subject::Key => changes
            .keys
            .last()
            .map(|write| (write.value.id.get(), Some(write.value.store)))?,
        Subject::Webhook => changes
            .webhooks
            .first()
            .map(|write| (write.value.id.get(), Some(write.value.store)))?,
        Subject::Courier => changes
            .couriers
            .first()
            .map(|write| (write.value.id.get(), None))?,
        Subject::TopUp => changes
            .top_ups
            .first()
            .map(|top_up| (top_up.store.get(), Some(top_up.store)))?,
        Subject::Cash => changes
            .cash
            .first()
            .map(|entry| (entry.courier.get(), Some(entry.store)))?,
        Subject::PayPlan => match changes.pay_plans.first()? {
            PayPlanChange::Insert(plan) => (plan.id.get(), None),
            PayPlanChange::Remove(id) => (id.get(), None),
        },
        Subject::PayEntry => (changes.pay.first()?.courier.get(), None),
        Subject::Tariff => match &changes.tariffs.as_ref()?.change {
            TariffChange::Insert(tariff) => (tariff.id.get(), None),
            TariffChange::Remove(id) => (id.get(), None),
        },
    };
    let actor = match (caller, access, subject) {
        (Some(KeyHolder { key, store, .. }), ..) => calling(key, store),
        (None, Access::Operator, _) => operator(),
        // A courier's requests write the courier.
        (None, _, Subject::Courier) => actor(ActorKind::Courier, id, None),
        // The login that starts a session, or sets a password with a link, is written with it.
        (None, ..) => match changes.users.first() {
            Some(user) => actor(
                ActorKind::User,
                user.value.id.get(),
                Some(user.value.name.clone()),
            ),
            None => first_store().map(own_login)?,
        },
    };
    Some(AuditEntry {
        at: changes.at,
        actor,
        store,
        action: Cow::Borrowed(action),
        subject: id,
    })
}

/// Returns the entry of a request that changes nothing else: an export of a store's data or of all
/// stores, or the operator's sign-in.
pub(super) fn event(
    action: &'static str,
    store: Option<StoreId>,
    caller: Option<&KeyHolder>,
    at: Timestamp,
) -> AuditEntry {
    let actor = caller.map_or_else(operator, |holder| calling(&holder.key, &holder.store));
    AuditEntry {
        at,
        actor,
        store,
        action: Cow::Borrowed(action),
        subject: store.map_or(0, StoreId::get),
    }
}

/// Returns the login or key of a store's request.
pub(super) fn login(caller: &KeyHolder) -> Actor {
    calling(&caller.key, &caller.store)
}

/// Returns the operator.
pub(super) fn operator() -> Actor {
    Actor {
        kind: ActorKind::Operator,
        id: None,
        name: None,
    }
}

fn actor(kind: ActorKind, id: u64, name: Option<String>) -> Actor {
    Actor {
        kind,
        id: Some(id),
        name,
    }
}

fn own_login(store: &Store) -> Actor {
    actor(
        ActorKind::StoreLogin,
        store.id.get(),
        Some(store.name.clone()),
    )
}

fn calling(key: &Key, store: &Store) -> Actor {
    match (&key.user, key.kind) {
        (Some(user), _) => actor(ActorKind::User, user.id.get(), Some(user.name.clone())),
        (None, KeyKind::Panel) => own_login(store),
        (None, KeyKind::Integration) => actor(ActorKind::Key, key.id.get(), key.name.clone()),
    }
}

//! Creation and changes of stores and keys.
//!
//! A disabled parent store is a mark on each branch, so that authentication reads one store. The
//! branches are written in pages before the parent store, and a repeated request completes an
//! interrupted one.

use super::settings::Secret;
use crate::{
    changes::{Changes, Write},
    model::{
        Address, Cnpj, Duration, Email, ExecContext, IdBlock, KeyId, Located, Money, Person,
        StoreId, Timestamp, WebhookId,
        price::EstimatePolicy,
        store::{
            Billing, EntryKind, Key, KeyHash, KeyKind, LedgerEntry, SessionUser, Store,
            StoreDispatch, StoreHours, StorePayments, StoreTracking, TopUpRequests,
        },
    },
};

/// The data that a store can change.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Trade name.
    pub name: String,
    /// The contact person.
    pub responsible: Person,
    /// Email address for contact and login.
    pub email: Email,
    /// Address of the store.
    pub address: Address,
}

/// A valid new store.
#[derive(Clone, PartialEq)]
pub struct NewStore {
    /// Business registration number.
    pub cnpj: Cnpj,
    /// Name, contact person, email and address.
    pub contact: Contact,
    /// The password in plain text, which is hashed before it is stored.
    pub password: String,
    /// Number of the category.
    pub category: u8,
    /// How fees are paid.
    pub billing: Billing,
    /// Whether it is a sandbox store.
    pub sandbox: bool,
}

/// A valid request for a key.
#[derive(Clone, PartialEq)]
pub struct KeyRequest {
    /// The store, if specified.
    pub store: Option<StoreId>,
    /// Name of the key.
    pub name: Option<String>,
    /// Validity in days, if specified.
    pub days: Option<u32>,
}

/// Parameters of a new key.
#[derive(Clone, Debug)]
pub struct KeyParams<'a> {
    /// The store that the key authenticates.
    pub store: StoreId,
    /// The store that issues the key.
    pub integrator: StoreId,
    /// The kind of the key.
    pub kind: KeyKind,
    /// Name of the key.
    pub name: Option<String>,
    /// The user of a panel session.
    pub user: Option<SessionUser>,
    /// The Open Delivery connection to which the key is limited.
    pub connection: Option<WebhookId>,
    /// Validity of the key.
    pub validity: Duration,
    /// The deployment's secret, from which the key value is derived.
    pub secret: &'a Secret,
}

/// Issues a key. Returns its stored part and the nonce from which the value is derived, or `None`
/// if no identifier is left.
pub fn issue(
    opening: KeyParams<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Option<(Key, [u8; 32])> {
    let nonce = context.entropy.bytes::<32>();
    Some((key(opening, nonce, ids, context.now)?, nonce))
}

/// Issues the key of a nonce. Returns its stored part, or `None` if no identifier is left.
pub fn key(
    opening: KeyParams<'_>,
    nonce: [u8; 32],
    ids: &mut IdBlock,
    now: Timestamp,
) -> Option<Key> {
    Some(Key {
        id: ids.take(KeyId::new)?,
        version: 1,
        store: opening.store,
        hash: KeyHash::of(&Key::text(&opening.secret.0, &nonce)),
        kind: opening.kind,
        name: opening.name,
        user: opening.user,
        integrator: opening.integrator,
        created_at: now,
        expires_at: now.after(opening.validity),
        deleted_at: None,
        connection: opening.connection,
        confirmed_until: None,
    })
}

/// Creates a parent store, or a branch of `parent` with its billing and sandbox settings. Returns
/// `None` if no identifier is left. The caller issues the first key with [`issue`].
pub fn open(
    new: NewStore,
    parent: Option<&Store>,
    located: Located,
    password_hash: String,
    ids: &mut IdBlock,
    now: Timestamp,
) -> Option<Store> {
    let Contact {
        name,
        responsible,
        email,
        address,
    } = new.contact;
    Some(Store {
        id: ids.take(StoreId::new)?,
        version: 1,
        parent: parent.map(|parent| parent.id),
        cnpj: new.cnpj,
        name,
        responsible,
        email,
        password_hash,
        link: None,
        origins: Vec::new(),
        address,
        located,
        category: new.category,
        billing: parent.map_or(new.billing, |parent| parent.billing),
        balance: Money::ZERO,
        sandbox: parent.map_or(new.sandbox, |parent| parent.sandbox),
        created_at: now,
        dispatch: StoreDispatch::default(),
        estimates: parent.and_then(|parent| parent.estimates),
        tracking: StoreTracking::default(),
        proofs: Vec::new(),
        payments: StorePayments::default(),
        top_ups: TopUpRequests::default(),
        preparation_minutes: None,
        hours: StoreHours::default(),
        area: None,
        disabled_at: None,
        parent_disabled: false,
        deleted_at: None,
    })
}

/// Changes the contact data of a store.
pub fn update(
    store: &Store,
    contact: Contact,
    located: Located,
    now: Timestamp,
) -> (Store, Changes) {
    let Contact {
        name,
        responsible,
        email,
        address,
    } = contact;
    let mut changed = store.clone();
    changed.version += 1;
    (changed.name, changed.responsible, changed.email) = (name, responsible, email);
    (changed.address, changed.located) = (address, located);
    let write = Write {
        expected: store.version,
        value: changed.clone(),
    };
    (
        changed,
        Changes {
            at: now,
            stores: vec![write],
            ..Changes::default()
        },
    )
}

/// Replaces a store with its changed settings. Returns it as it is stored.
pub fn replace(changed: Store, now: Timestamp) -> (Store, Changes) {
    let expected = changed.version;
    let changed = Store {
        version: expected + 1,
        ..changed
    };
    let write = Write {
        expected,
        value: changed.clone(),
    };
    (
        changed,
        Changes {
            at: now,
            stores: vec![write],
            ..Changes::default()
        },
    )
}

/// The operator's changes to a store. Absent fields stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreChange {
    /// Whether the store is disabled.
    pub disabled: Option<bool>,
    /// The minimum balance of a prepaid parent store.
    pub floor: Option<Money>,
    /// What to do with uncertain prices; the inner `None` is the deployment's setting.
    pub estimates: Option<Option<EstimatePolicy>>,
}

/// Returns a store with the operator's changes, or `None` if the floor is not the store's own: it
/// is invoiced, or a branch.
pub fn alter(store: &Store, change: StoreChange, now: Timestamp) -> Option<Store> {
    let mut changed = store.clone();
    match change.disabled {
        Some(true) => changed.disabled_at = store.disabled_at.or(Some(now)),
        Some(false) => changed.disabled_at = None,
        None => {}
    }
    changed.estimates = change.estimates.unwrap_or(store.estimates);
    if let Some(floor) = change.floor {
        if !store.is_parent() || store.billing == Billing::Invoiced {
            return None;
        }
        changed.billing = Billing::Prepaid { floor };
    }
    Some(changed)
}

/// Returns the write of a branch after its parent store was changed, or `None` if the branch does
/// not change.
pub fn follow_parent(branch: &Store, parent: &Store) -> Option<Write<Store>> {
    let parent_disabled = parent.disabled_at.is_some();
    if branch.parent != Some(parent.id)
        || (branch.billing, branch.parent_disabled) == (parent.billing, parent_disabled)
    {
        return None;
    }
    let value = Store {
        billing: parent.billing,
        parent_disabled,
        version: branch.version + 1,
        ..branch.clone()
    };
    Some(Write {
        expected: branch.version,
        value,
    })
}

/// Removes a branch of a parent store. If the branch has its own balance, the balance is
/// transferred to the parent store.
pub fn remove(branch: &Store, parent: StoreId, now: Timestamp) -> Changes {
    let removed = Store {
        deleted_at: Some(now),
        version: branch.version + 1,
        ..branch.clone()
    };
    let transfer = |account, amount| LedgerEntry {
        store: branch.id,
        account: Some(account),
        order: None,
        kind: EntryKind::Transfer,
        amount,
        at: now,
        floor: None,
    };
    let settles = branch.account() == branch.id && branch.balance != Money::ZERO;
    let transfers = [
        transfer(branch.id, branch.balance.negated()),
        transfer(parent, branch.balance),
    ];
    Changes {
        at: now,
        stores: vec![Write {
            expected: branch.version,
            value: removed,
        }],
        ledger: if settles {
            transfers.to_vec()
        } else {
            Vec::new()
        },
        ..Changes::default()
    }
}

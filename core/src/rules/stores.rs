//! The creation and change of stores and keys, as decisions.

use super::settings::Secret;
use crate::{
    changes::{Changes, Write},
    model::{
        Address, Cnpj, Duration, Email, ExecContext, IdBlock, KeyId, Located, Money, Person, StoreId, Timestamp,
        store::{Billing, EntryKind, Key, KeyHash, KeyKind, LedgerEntry, Store},
    },
};

/// What a store says of itself and may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Trade name.
    pub name: String,
    /// Whom to call.
    pub responsible: Person,
    /// Contact and login address.
    pub email: Email,
    /// Where the store is.
    pub address: Address,
}

/// A valid new store.
#[derive(Clone, PartialEq)]
pub struct NewStore {
    /// Business registration number.
    pub cnpj: Cnpj,
    /// What it says of itself.
    pub contact: Contact,
    /// Its password, until it is hashed.
    pub password: String,
    /// What it sells.
    pub category: u8,
    /// How it pays.
    pub billing: Billing,
    /// Whether it is a sandbox store.
    pub sandbox: bool,
}

/// A valid wish for a key.
#[derive(Clone, PartialEq)]
pub struct KeyRequest {
    /// The store that it is for, where one was named.
    pub store: Option<StoreId>,
    /// What people call it.
    pub name: Option<String>,
    /// Days that it is valid, where that was said.
    pub days: Option<u32>,
    /// The caller's password, where it was sent.
    pub current_password: Option<String>,
}

/// What a new key is issued with.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// The store that it is for.
    pub store: StoreId,
    /// The store that asked for it.
    pub integrator: StoreId,
    /// What it is for.
    pub kind: KeyKind,
    /// What people call it.
    pub name: Option<String>,
    /// How long it is valid.
    pub validity: Duration,
    /// What its text is derived from.
    pub secret: &'a Secret,
}

/// Issues a key: what is kept of it, and the nonce that its text is derived from. `None` where no identifier is left.
pub fn issue(opening: Opening<'_>, ids: &mut IdBlock, context: &mut ExecContext) -> Option<(Key, [u8; 32])> {
    let nonce = context.entropy.bytes::<32>();
    let key = Key {
        id: ids.take(KeyId::new)?,
        version: 1,
        store: opening.store,
        hash: KeyHash::of(&Key::text(&opening.secret.0, &nonce)),
        kind: opening.kind,
        name: opening.name,
        integrator: opening.integrator,
        created_at: context.now,
        expires_at: context.now.after(opening.validity),
        deleted_at: None,
    };
    Some((key, nonce))
}

/// Opens a store: a parent store, or a branch of one, which has its billing terms and is a sandbox if it is one. Its first key is issued with it, by [`issue`].
pub fn open(
    new: NewStore,
    parent: Option<&Store>,
    located: Located,
    password_hash: String,
    ids: &mut IdBlock,
    now: Timestamp,
) -> Option<Store> {
    let Contact { name, responsible, email, address } = new.contact;
    Some(Store {
        id: ids.take(StoreId::new)?,
        version: 1,
        matrix: parent.map(|parent| parent.id),
        cnpj: new.cnpj,
        name,
        responsible,
        email,
        password_hash,
        address,
        located,
        category: new.category,
        billing: parent.map_or(new.billing, |parent| parent.billing),
        balance: Money::ZERO,
        sandbox: parent.map_or(new.sandbox, |parent| parent.sandbox),
        created_at: now,
        deleted_at: None,
    })
}

/// Changes what a store says of itself.
pub fn update(store: &Store, contact: Contact, located: Located, now: Timestamp) -> (Store, Changes) {
    let Contact { name, responsible, email, address } = contact;
    let mut changed = store.clone();
    changed.version += 1;
    (changed.name, changed.responsible, changed.email) = (name, responsible, email);
    (changed.address, changed.located) = (address, located);
    let write = Write { expected: store.version, value: changed.clone() };
    (changed, Changes { at: now, stores: vec![write], ..Changes::default() })
}

/// Removes a branch of a parent store. What it has or owes on a balance of its own moves to its parent's.
pub fn remove(branch: &Store, parent: StoreId, now: Timestamp) -> Changes {
    let removed = Store { deleted_at: Some(now), version: branch.version + 1, ..branch.clone() };
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
    let transfers = [transfer(branch.id, branch.balance.negated()), transfer(parent, branch.balance)];
    Changes {
        at: now,
        stores: vec![Write { expected: branch.version, value: removed }],
        ledger: if settles { transfers.to_vec() } else { Vec::new() },
        ..Changes::default()
    }
}

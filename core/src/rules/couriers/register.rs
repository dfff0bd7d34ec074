//! Registering, changing and removing couriers, by the operator.

use crate::{
    changes::{Changes, Write},
    model::{
        CourierId, Duration, Email, ExecContext, IdBlock, OrderId, Phone,
        courier::{Courier, CourierKey},
        order::Order,
        store::{Key, KeyHash},
    },
    rules::{
        lifecycle::{platform, release},
        settings::Secret,
    },
};

/// A valid new courier.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCourier {
    /// The courier's profile in the operator's own records; the courier's number where the operator keeps none. Two couriers may share a
    /// profile: somebody may ride two vehicles, each with a telephone of its own.
    pub profile_id: Option<u64>,
    /// Full name.
    pub name: String,
    /// Where to call.
    pub phone: Phone,
    /// Contact address.
    pub email: Option<Email>,
    /// CPF or another document.
    pub document: Option<String>,
    /// Whether the courier takes orders from the start.
    pub available: bool,
    /// Whether the courier carries orders of sandbox stores, and only these.
    pub sandbox: bool,
}

/// What a new key of a courier is made with.
#[derive(Clone, Copy, Debug)]
pub struct CourierTerms<'a> {
    /// Days that it is valid.
    pub days: u32,
    /// What its text is derived from.
    pub secret: &'a Secret,
}

/// What the operator changes of a courier; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alteration {
    /// Full name.
    pub name: Option<String>,
    /// Where to call.
    pub phone: Option<Phone>,
    /// Contact address.
    pub email: Option<Email>,
    /// CPF or another document.
    pub document: Option<String>,
    /// The profile in the operator's own records.
    pub profile_id: Option<u64>,
    /// Whether the courier takes orders.
    pub available: Option<bool>,
    /// Whether a new key takes the place of the old one, which ends.
    pub new_key: bool,
    /// Whether the courier is removed.
    pub removed: bool,
}

/// A courier as it stands after a change.
#[derive(Clone, Debug)]
pub struct Altered {
    /// The courier.
    pub courier: Courier,
    /// The nonce of the new key, where there is one.
    pub nonce: Option<[u8; 32]>,
    /// What is to be committed; `None` where nothing changes.
    pub changes: Option<Changes>,
}

/// Registers a courier with a key: the courier, the nonce that the key's text is derived from, and what is to be committed. `None`
/// where no identifier is left.
pub fn register(
    new: NewCourier,
    terms: CourierTerms<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Option<(Courier, [u8; 32], Changes)> {
    let id = ids.take(CourierId::new)?;
    let (key, nonce) = issue(terms, context);
    let courier = Courier {
        id,
        version: 1,
        profile_id: new.profile_id.unwrap_or(id.get()),
        name: new.name,
        phone: new.phone,
        email: new.email,
        document: new.document,
        position: None,
        position_at: None,
        available: new.available,
        order: None,
        key: Some(key),
        sandbox: new.sandbox,
        removed_at: None,
    };
    let couriers = vec![Write::insert(courier.clone())];
    Some((courier, nonce, Changes { at: context.now, couriers, ..Changes::default() }))
}

/// Changes a courier; `order` is the one that the courier has. A courier who is removed before the pickup lets the order go to somebody
/// else in the same commit.
///
/// # Errors
/// The order of a courier who carries its goods: such a courier cannot be removed.
pub fn alter(
    courier: &Courier,
    order: Option<&Order>,
    alteration: Alteration,
    terms: CourierTerms<'_>,
    context: &mut ExecContext,
) -> Result<Altered, OrderId> {
    let mut changed = courier.clone();
    let Alteration { name, phone, email, document, profile_id, available, new_key, removed } = alteration;
    changed.name = name.unwrap_or(changed.name);
    changed.phone = phone.unwrap_or(changed.phone);
    changed.email = email.or(changed.email);
    changed.document = document.or(changed.document);
    changed.profile_id = profile_id.unwrap_or(changed.profile_id);
    changed.available = available.unwrap_or(changed.available);
    let mut nonce = None;
    if new_key {
        let (key, fresh) = issue(terms, context);
        (changed.key, nonce) = (Some(key), Some(fresh));
    }
    if removed && changed.removed_at.is_none() {
        changed.removed_at = Some(context.now);
        changed.available = false;
    }
    if changed == *courier {
        return Ok(Altered { courier: changed, nonce, changes: None });
    }
    if let Some(id) = courier.order.filter(|_| changed.removed_at.is_some()) {
        let released = order.and_then(|order| release(order, &changed, platform(), context));
        let (_, changes) = released.ok_or(id)?;
        let written = changes.couriers.first().map(|write| write.value.clone());
        return Ok(Altered { courier: written.unwrap_or(changed), nonce, changes: Some(changes) });
    }
    changed.version += 1;
    let couriers = vec![Write { expected: courier.version, value: changed.clone() }];
    let changes = Changes { at: context.now, couriers, ..Changes::default() };
    Ok(Altered { courier: changed, nonce, changes: Some(changes) })
}

/// A new key: what is kept of it, and its nonce.
fn issue(terms: CourierTerms<'_>, context: &mut ExecContext) -> (CourierKey, [u8; 32]) {
    let nonce = context.entropy.bytes::<32>();
    let hash = KeyHash::of(&Key::text(&terms.secret.0, &nonce));
    let validity = Duration::minutes(i64::from(terms.days) * 24 * 60);
    (CourierKey { hash, expires_at: context.now.after(validity) }, nonce)
}

//! Registration, changes and removal of couriers by the operator.

use crate::{
    changes::{Changes, Write},
    model::{
        CourierId, Duration, Email, Equipment, ExecContext, IdBlock, Money, OrderId, Phone,
        Vehicle,
        courier::{Courier, CourierKey, Shift},
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
    /// ID of the courier's profile in the operator's records; the courier's ID if absent. Two
    /// couriers can share a profile, for example for one person with two vehicles, each with its
    /// own phone.
    pub profile_id: Option<u64>,
    /// Full name.
    pub name: String,
    /// Phone number.
    pub phone: Phone,
    /// Email address.
    pub email: Option<Email>,
    /// CPF or another document.
    pub document: Option<String>,
    /// Whether the courier is available for orders immediately.
    pub available: bool,
    /// Whether the courier carries only orders of sandbox stores.
    pub sandbox: bool,
    /// The vehicle.
    pub vehicle: Vehicle,
    /// The courier's own maximum weight in grams.
    pub max_weight_g: Option<u32>,
    /// The courier's own maximum volume in millilitres.
    pub max_volume_ml: Option<u32>,
    /// The equipment.
    pub equipment: Equipment,
    /// The maximum of cash in hand.
    pub cash_limit: Option<Money>,
}

/// Parameters of a new courier key.
#[derive(Clone, Copy, Debug)]
pub struct CourierKeyParams<'a> {
    /// Validity in days.
    pub days: u32,
    /// The deployment's secret, from which the key value is derived.
    pub secret: &'a Secret,
}

/// Changes to a courier by the operator. `None` keeps the value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CourierUpdate {
    /// Full name.
    pub name: Option<String>,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Email address.
    pub email: Option<Email>,
    /// CPF or another document.
    pub document: Option<String>,
    /// ID of the courier's profile in the operator's records.
    pub profile_id: Option<u64>,
    /// Whether the courier is available for orders.
    pub available: Option<bool>,
    /// The vehicle. A new one ends the courier's own limits.
    pub vehicle: Option<Vehicle>,
    /// The courier's own maximum weight in grams.
    pub max_weight_g: Option<u32>,
    /// The courier's own maximum volume in millilitres.
    pub max_volume_ml: Option<u32>,
    /// The equipment.
    pub equipment: Option<Equipment>,
    /// The maximum of cash in hand. The inner `None` removes it.
    pub cash_limit: Option<Option<Money>>,
    /// Whether to suspend the courier, or to end the suspension.
    pub suspended: Option<bool>,
    /// Whether to issue a new key and revoke the old one.
    pub new_key: bool,
    /// Whether to remove the courier.
    pub removed: bool,
}

/// The result of a change to a courier.
#[derive(Clone, Debug)]
pub struct CourierChange {
    /// The changed courier.
    pub courier: Courier,
    /// Nonce of the new key, if one was issued.
    pub nonce: Option<[u8; 32]>,
    /// The changes to commit. `None` if nothing changes.
    pub changes: Option<Changes>,
}

/// Registers a courier with a key. Returns the courier, the nonce from which the key value is
/// derived, and the changes to commit. Returns `None` if no identifier is left.
pub fn register(
    new: NewCourier,
    terms: CourierKeyParams<'_>,
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
        trip: Vec::new(),
        shift: None,
        key: Some(key),
        device: None,
        push: Vec::new(),
        sign_in: None,
        sessions: Vec::new(),
        vehicle: new.vehicle,
        max_weight_g: new.max_weight_g,
        max_volume_ml: new.max_volume_ml,
        equipment: new.equipment,
        cash_limit: new.cash_limit,
        sandbox: new.sandbox,
        handovers: Vec::new(),
        pay: Vec::new(),
        suspended_at: None,
        removed_at: None,
    };
    let couriers = vec![Write::insert(courier.clone())];
    Some((
        courier,
        nonce,
        Changes {
            at: context.now,
            couriers,
            ..Changes::default()
        },
    ))
}

/// Changes a courier who carries these orders. If the courier is removed before the pickup, the
/// orders are released in the same commit.
///
/// # Errors
/// An order whose goods the courier has, so that the courier cannot be removed.
pub fn alter(
    courier: &Courier,
    orders: &[Order],
    alteration: CourierUpdate,
    terms: CourierKeyParams<'_>,
    context: &mut ExecContext,
) -> Result<CourierChange, OrderId> {
    let mut changed = courier.clone();
    let CourierUpdate {
        name,
        phone,
        email,
        document,
        profile_id,
        available,
        vehicle,
        ..
    } = alteration;
    let CourierUpdate {
        max_weight_g,
        max_volume_ml,
        equipment,
        cash_limit,
        suspended,
        new_key,
        removed,
        ..
    } = alteration;
    changed.name = name.unwrap_or(changed.name);
    changed.phone = phone.unwrap_or(changed.phone);
    changed.email = email.or(changed.email);
    changed.document = document.or(changed.document);
    changed.profile_id = profile_id.unwrap_or(changed.profile_id);
    changed.available = available.unwrap_or(changed.available);
    if let Some(vehicle) = vehicle.filter(|vehicle| *vehicle != changed.vehicle) {
        (changed.vehicle, changed.max_weight_g, changed.max_volume_ml) = (vehicle, None, None);
    }
    changed.max_weight_g = max_weight_g.or(changed.max_weight_g);
    changed.max_volume_ml = max_volume_ml.or(changed.max_volume_ml);
    changed.equipment = equipment.unwrap_or(changed.equipment);
    changed.cash_limit = cash_limit.unwrap_or(changed.cash_limit);
    if let Some(suspended) = suspended {
        changed.suspended_at = suspended.then(|| changed.suspended_at.unwrap_or(context.now));
        changed.available &= !suspended;
    }
    // The operator makes the courier available until further notice.
    let has_ended = |shift: &Shift| shift.until.is_some_and(|until| until < context.now);
    changed.shift = changed
        .shift
        .filter(|shift| available.is_none() || !has_ended(shift));
    let mut nonce = None;
    if new_key {
        let (key, fresh) = issue(terms, context);
        (changed.key, nonce) = (Some(key), Some(fresh));
        end_credentials(&mut changed);
    }
    if removed && changed.removed_at.is_none() {
        changed.removed_at = Some(context.now);
        changed.available = false;
        end_credentials(&mut changed);
    }
    if changed == *courier {
        return Ok(CourierChange {
            courier: changed,
            nonce,
            changes: None,
        });
    }
    if changed.removed_at.is_some() && !courier.trip.is_empty() {
        let changes = release_all(&changed, orders, context)?;
        let written = changes.couriers.first().map(|write| write.value.clone());
        return Ok(CourierChange {
            courier: written.unwrap_or(changed),
            nonce,
            changes: Some(changes),
        });
    }
    changed.version += 1;
    let couriers = vec![Write {
        expected: courier.version,
        value: changed.clone(),
    }];
    let changes = Changes {
        at: context.now,
        couriers,
        ..Changes::default()
    };
    Ok(CourierChange {
        courier: changed,
        nonce,
        changes: Some(changes),
    })
}

/// Releases all orders of a courier in one commit.
fn release_all(
    courier: &Courier,
    orders: &[Order],
    context: &mut ExecContext,
) -> Result<Changes, OrderId> {
    let mut all = Changes {
        at: context.now,
        ..Changes::default()
    };
    let mut idle = courier.clone();
    for id in courier.trip.iter().map(|one| one.id) {
        let released = orders.iter().find(|order| order.id == id);
        let released = released.and_then(|order| release(order, &idle, platform(), context));
        let (_, changes) = released.ok_or(id)?;
        idle = changes
            .couriers
            .first()
            .map_or(idle, |write| write.value.clone());
        all.orders.extend(changes.orders);
        all.events.extend(changes.events);
    }
    all.couriers.push(Write {
        expected: courier.version,
        value: idle,
    });
    Ok(all)
}

/// Ends the credentials that depend on the courier's key: the device key, the sign-in code and all
/// sessions.
fn end_credentials(courier: &mut Courier) {
    courier.device = None;
    courier.sign_in = None;
    courier.sessions.clear();
    courier.push.clear();
}

/// Issues a key. Returns its stored part and its nonce.
fn issue(terms: CourierKeyParams<'_>, context: &mut ExecContext) -> (CourierKey, [u8; 32]) {
    let nonce = context.entropy.bytes::<32>();
    let hash = KeyHash::of(&Key::text(&terms.secret.0, &nonce));
    let validity = Duration::minutes(i64::from(terms.days) * 24 * 60);
    (
        CourierKey {
            hash,
            expires_at: context.now.after(validity),
        },
        nonce,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            Entropy, Timestamp,
            order::{DeliveryStatus, OrderStatus},
        },
        rules::trips::tests::{courier, template},
    };

    /// Returns orders of a trip with these statuses, and their courier.
    fn trip(statuses: &[OrderStatus]) -> (Courier, Vec<Order>) {
        let with = |(id, status): (u64, &OrderStatus)| Order {
            id: OrderId::new(id).unwrap(),
            status: *status,
            ..template()
        };
        let mut orders: Vec<Order> = (1..).zip(statuses).map(with).collect();
        let courier = courier(
            7,
            None,
            Timestamp::default(),
            &orders.iter().collect::<Vec<_>>(),
        );
        for order in &mut orders {
            order.courier = Some(courier.assigned());
            if !order.status.is_before_pickup() {
                order.deliveries[0].status = DeliveryStatus::OnBoard;
            }
        }
        (courier, orders)
    }

    fn remove(courier: &Courier, orders: &[Order]) -> Result<CourierChange, OrderId> {
        let mut context = ExecContext {
            now: Timestamp::from_millis(1),
            entropy: Entropy::new([7; 32]),
        };
        let terms = CourierKeyParams {
            days: 1,
            secret: &Secret([7; 32]),
        };
        alter(
            courier,
            orders,
            CourierUpdate {
                removed: true,
                ..CourierUpdate::default()
            },
            terms,
            &mut context,
        )
    }

    #[test]
    fn removed_courier_releases_the_whole_trip_in_one_commit() {
        let (courier, orders) = trip(&[
            OrderStatus::Allocated,
            OrderStatus::CourierAtPickup,
            OrderStatus::Allocated,
        ]);
        let change = remove(&courier, &orders).unwrap();
        let changes = change.changes.unwrap();
        let [write] = &changes.couriers[..] else {
            panic!("the courier is written once")
        };
        assert_eq!(
            (write.expected, &write.value),
            (courier.version, &change.courier)
        );
        assert!(write.value.version > courier.version && write.value.trip.is_empty());
        assert!(write.value.removed_at.is_some() && !write.value.available);
        assert_eq!((changes.orders.len(), changes.events.len()), (3, 3));
        for (write, order) in changes.orders.iter().zip(&orders) {
            assert_eq!(
                (write.expected, write.value.version),
                (order.version, order.version + 1)
            );
            assert_eq!(
                (write.value.status, &write.value.courier),
                (OrderStatus::Searching, &None)
            );
            assert_eq!(write.value.released, [courier.id]);
        }
    }

    #[test]
    fn courier_with_goods_cannot_be_removed() {
        let (courier, orders) = trip(&[OrderStatus::Allocated, OrderStatus::OutForDelivery]);
        assert_eq!(remove(&courier, &orders).unwrap_err(), orders[1].id);
        let (courier, orders) = trip(&[OrderStatus::Allocated, OrderStatus::Allocated]);
        assert_eq!(
            remove(&courier, &orders[..1]).unwrap_err(),
            orders[1].id,
            "an order was not read"
        );
    }
}

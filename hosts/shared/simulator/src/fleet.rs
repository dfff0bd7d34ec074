//! Sends simulated couriers to orders that search for a courier.

use std::collections::{BTreeMap, BTreeSet};

use despacho_core::{
    changes::{Changes, Write},
    drivers::dispatch,
    host::{CourierQuery, Host, HostError},
    model::{
        Capacity, CourierId, Load, Phone, Point, StoreId, Timestamp, Vehicle,
        courier::{Courier, CourierKey, Position},
        order::Order,
        store::KeyHash,
    },
    rules::settings::Settings,
};

use crate::{courier::position_time, simulation::Simulation};

/// Maximum number of couriers that one pass sends.
const MAX_SENT: usize = 100;
/// Distance north of the pickup at which a courier appears: about 450 m, so its trip is visible.
const NORTH_E7: i32 = 40_000;

const NAMES: [&str; 10] = [
    "Ana Souza",
    "Bruno Lima",
    "Carla Dias",
    "Diego Alves",
    "Elisa Prado",
    "Fábio Nunes",
    "Gabi Rocha",
    "Hugo Reis",
    "Iara Melo",
    "Jonas Luz",
];

/// Couriers that this pass has read, by store and number.
type Fleets = BTreeMap<StoreId, Vec<Option<Courier>>>;

/// Sends a free simulated courier of the store to each order that no free courier can take now.
///
/// The courier gets a position near the pickup, and the next dispatch pass allocates the order.
/// Couriers are registered when they are needed, up to the limit per store. Orders of a store
/// without a free courier wait.
pub(crate) async fn send_couriers<H: Host>(
    host: &H,
    settings: &Settings,
    searching: &[&Order],
    simulation: Simulation,
    now: Timestamp,
) -> Result<Vec<Changes>, HostError> {
    if searching.is_empty() || simulation.couriers_per_store == 0 {
        return Ok(Vec::new());
    }
    let (mut fleets, mut sent, mut decided) = (Fleets::new(), BTreeSet::new(), Vec::new());
    for order in dispatch::out_of_reach(host, searching, settings, now)
        .await?
        .into_iter()
        .take(MAX_SENT)
    {
        let fleet = fleets.entry(order.store).or_default();
        decided.extend(send(host, order, fleet, &mut sent, simulation, now).await?);
    }
    Ok(decided)
}

/// Sends the store's first free courier to the order, or registers one.
async fn send<H: Host>(
    host: &H,
    order: &Order,
    fleet: &mut Vec<Option<Courier>>,
    sent: &mut BTreeSet<CourierId>,
    simulation: Simulation,
    now: Timestamp,
) -> Result<Option<Changes>, HostError> {
    let vehicle = smallest_vehicle(order);
    for number in 0..simulation.couriers_per_store as usize {
        let hash = slot(order.store, number);
        if fleet.len() <= number {
            fleet.push(host.find_couriers(CourierQuery::Key(&hash)).await?.pop());
        }
        let Some(slot) = fleet.get_mut(number) else {
            break;
        };
        let can_go = |courier: &Courier| {
            courier.is_free()
                && !order.released.contains(&courier.id)
                && !sent.contains(&courier.id)
        };
        let (courier, couriers) = match slot {
            Some(courier) if can_go(courier) && courier.vehicle == vehicle => {
                (courier.clone(), Vec::new())
            }
            Some(courier) if can_go(courier) => {
                let changed = Courier {
                    vehicle,
                    version: courier.version + 1,
                    ..courier.clone()
                };
                let write = Write {
                    expected: courier.version,
                    value: changed.clone(),
                };
                *courier = changed.clone();
                (changed, vec![write])
            }
            Some(_) => continue,
            None => {
                let id = host.ids(1).await?.take(CourierId::new);
                let Some(courier) = id.and_then(|id| new_courier(id, number, hash, vehicle)) else {
                    return Ok(None);
                };
                *slot = Some(courier.clone());
                (courier.clone(), vec![Write::insert(courier)])
            }
        };
        sent.insert(courier.id);
        let pickup = order.pickup.located.point;
        let point = Point {
            lat_e7: pickup.lat_e7.saturating_add(NORTH_E7).min(900_000_000),
            ..pickup
        };
        let positions = vec![Position {
            courier: courier.id,
            point,
            at: position_time(courier.position_at, now),
        }];
        return Ok(Some(Changes {
            at: now,
            couriers,
            positions,
            ..Changes::default()
        }));
    }
    Ok(None)
}

/// Returns the default vehicle if it carries the order, or else the smallest one that does.
fn smallest_vehicle(order: &Order) -> Vehicle {
    let carries = |kind: &Vehicle| {
        Capacity::of(*kind)
            .misfit(&order.requirements, Load::default())
            .is_none()
    };
    let kinds = [Vehicle::default()].into_iter().chain(Vehicle::ALL);
    kinds.into_iter().find(carries).unwrap_or_default()
}

/// Returns the key hash of this courier of the store. Key hashes are unique, so two instances never
/// register the same courier twice. The key itself is always expired.
fn slot(store: StoreId, number: usize) -> KeyHash {
    KeyHash::of(&format!("simulated courier {number} of store {store}"))
}

fn new_courier(id: CourierId, number: usize, hash: KeyHash, vehicle: Vehicle) -> Option<Courier> {
    Some(Courier {
        id,
        version: 1,
        profile_id: id.get(),
        name: NAMES
            .get(number % NAMES.len())
            .map(|name| format!("{name} (sandbox)"))?,
        phone: Phone::parse(&format!("+551199000{:04}", number % 10_000)).ok()?,
        email: None,
        document: None,
        position: None,
        position_at: None,
        available: true,
        trip: Vec::new(),
        shift: None,
        key: Some(CourierKey {
            hash,
            expires_at: Timestamp::default(),
        }),
        device: None,
        push: Vec::new(),
        sign_in: None,
        sessions: Vec::new(),
        vehicle,
        max_weight_g: None,
        max_volume_ml: None,
        equipment: despacho_core::model::Equipment::ALL,
        cash_limit: None,
        handovers: Vec::new(),
        pay: Vec::new(),
        suspended_at: None,
        sandbox: true,
        removed_at: None,
    })
}

//! A pass at the size of a large city.

use despacho_bench::BoxError;
use despacho_core::{
    changes::{Changes, Write},
    host::{Host, Storage},
    model::{
        CourierId, DeliveryId, Duration, OrderId,
        courier::{Courier, Position},
        order::{Order, OrderStatus},
    },
    rules::matching::Dispatch,
};
use serde_json::Value;

use super::{
    Options,
    area::{Travel, point},
    client::{Api, poll_once, timestamp},
    day::thread_time,
    host::DayHost,
    instance::{Instance, MINUTE, Place},
    measures::milliseconds,
    random::Random,
    settings::{OPERATOR, settings},
};

const COURIERS: u64 = 3_000;
const ORDERS: u64 = 2_000;
const STORES: u64 = 200;
/// Radius of the city in metres.
const RADIUS_M: i32 = 10_000;
/// Middle of the city in metres.
const CENTRE: Place = (20_000, 20_000);
/// Time of the pass in seconds since midnight.
const NOON: i64 = 12 * 60 * MINUTE;
/// Target of a pass in milliseconds.
const TARGET_MS: u32 = 100;

/// Measures passes with orders that are ready, and with orders that become ready within the lead
/// time.
pub(crate) fn run(options: &Options) -> Result<(), BoxError> {
    println!(
        "dispatch: a pass with {COURIERS} couriers and {ORDERS} orders of {STORES} stores within {RADIUS_M} m, lead {} min (target: {TARGET_MS} ms)",
        options.lead
    );
    for (name, spread) in [
        ("all orders are ready", 0),
        ("orders are ready in 0 to 30 min", 30 * MINUTE),
    ] {
        let api = city(options, spread)?;
        for pass in 1..=3 {
            api.host
                .set_now(timestamp(NOON + (pass - 1) * i64::from(options.every)));
            let (start, before) = (thread_time(), api.host.commit_time());
            let done = api.post("/admin/dispatch", OPERATOR, String::new())?;
            let took = milliseconds(thread_time().saturating_sub(start));
            let commits = (api.host.commit_time() - before).as_secs_f64() * 1e3;
            let done: Value = serde_json::from_slice(&done)?;
            println!(
                "  {name}, pass {pass}: {took:.0} ms CPU, of which commits {commits:.0} ms; {done}"
            );
        }
    }
    Ok(())
}

/// Creates a host with the couriers and orders. One courier and one order of each store are created
/// by the API and copied.
fn city(options: &Options, spread: i64) -> Result<Api, BoxError> {
    let instance = Instance {
        name: String::new(),
        metres_per_minute: 320,
        half_pickup: 2 * MINUTE,
        half_delivery: 2 * MINUTE,
        target: 40 * MINUTE,
        pay_per_order: 10.0,
        pay_per_hour: 15.0,
        orders: Vec::new(),
        restaurants: Vec::new(),
        couriers: Vec::new(),
    };
    let mut settings = settings(options, &instance)?;
    if options.set.iter().all(|(name, _)| name != "radius-km") {
        settings.dispatch.radius_km = Dispatch::default().radius_km;
    }
    let travel = Travel {
        metres_per_minute: instance.metres_per_minute,
    };
    let api = Api {
        host: DayHost::new(travel, settings.timing.clone()),
        settings,
    };
    let mut random = Random::of("size", &[]);
    api.host.set_now(timestamp(NOON));
    for number in 0..STORES {
        let key = api.register_store(usize::try_from(number)?, somewhere(&mut random))?;
        api.create_order(
            &key,
            (&format!("S-{number}"), "0000"),
            0,
            somewhere(&mut random),
        )?;
    }
    let templates = api.host.orders();
    let orders = (STORES..ORDERS).zip(templates.iter().cycle());
    let orders = orders.map(|(number, template)| order(template, number, spread, &mut random));
    let orders = orders.collect::<Result<Vec<_>, _>>()?;
    insert(
        &api,
        Changes {
            orders: orders.into_iter().map(Write::insert).collect(),
            ..Changes::default()
        },
    )?;
    let (id, _) = api.register_courier("Ana Souza")?;
    let id = CourierId::new(id).ok_or("the courier has no ID")?;
    let template = poll_once(api.host.courier(id))??.ok_or("the courier was not stored")?;
    let (mut couriers, mut positions) = (Vec::new(), Vec::new());
    for number in 0..COURIERS {
        let id = CourierId::new(2_000_000 + number).ok_or("0 is not a valid ID")?;
        let courier = Courier {
            id,
            version: 1,
            available: true,
            key: None,
            ..template.clone()
        };
        couriers.push(Write::insert(courier));
        positions.push(Position {
            courier: id,
            point: point(somewhere(&mut random)),
            at: timestamp(NOON),
        });
    }
    insert(
        &api,
        Changes {
            couriers,
            positions,
            ..Changes::default()
        },
    )?;
    Ok(api)
}

fn order(
    template: &Order,
    number: u64,
    spread: i64,
    random: &mut Random,
) -> Result<Order, BoxError> {
    let ready_at = timestamp(NOON).after(Duration::seconds(
        random.symmetric(1_000).abs() * spread / 1_000,
    ));
    let status = if spread == 0 {
        OrderStatus::Searching
    } else {
        OrderStatus::Preparing
    };
    let mut order = Order {
        id: OrderId::new(1_000_000 + number).ok_or("0 is not a valid ID")?,
        version: 1,
        code: format!("L-{number}"),
        status,
        status_since: timestamp(NOON),
        ready_at,
        ..template.clone()
    };
    for delivery in &mut order.deliveries {
        delivery.id = DeliveryId::new(3_000_000 + number).ok_or("0 is not a valid ID")?;
        delivery.place.located.point = point(somewhere(random));
    }
    Ok(order)
}

fn insert(api: &Api, changes: Changes) -> Result<(), BoxError> {
    poll_once(api.host.commit(&Changes {
        at: timestamp(NOON),
        ..changes
    }))??;
    Ok(())
}

/// Returns a place in the city.
fn somewhere(random: &mut Random) -> Place {
    loop {
        let mut metres = || i32::try_from(random.symmetric(RADIUS_M)).unwrap_or(0);
        let (x, y) = (metres(), metres());
        if i64::from(x) * i64::from(x) + i64::from(y) * i64::from(y)
            <= i64::from(RADIUS_M) * i64::from(RADIUS_M)
        {
            return (CENTRE.0 + x, CENTRE.1 + y);
        }
    }
}

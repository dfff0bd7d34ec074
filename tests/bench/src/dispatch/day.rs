//! One simulated day: orders are created when they are placed, and a dispatch pass runs every
//! minute.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use despacho_bench::BoxError;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use super::{
    Options,
    area::{Travel, place, point},
    client::{Api, timestamp},
    courier::Courier,
    host::DayHost,
    instance::{Instance, MINUTE},
    random::Random,
    record::Record,
    settings::{OPERATOR, settings},
};

/// Maximum number of passes at the same time. Another pass follows if the core requests it.
const MAX_REPEATED_PASSES: u32 = 20;

/// Something that happens at a certain time, in the sequence in which simultaneous events happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A courier's shift ends.
    ShiftEnd(usize),
    /// An order is placed.
    Place(usize),
    /// An order is ready earlier than expected.
    Ready(usize),
    /// The current activity of a courier ends.
    Step(usize),
    /// A courier's shift starts.
    ShiftStart(usize),
}

/// An order of the day.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// The platform's ID. 0 before the order is placed.
    pub(crate) id: u64,
    pub(crate) delivery: u64,
    pub(crate) pickup_code: String,
    /// Time at which the order is really ready.
    pub(crate) ready: i64,
    pub(crate) picked_at: Option<i64>,
    pub(crate) dropped_at: Option<i64>,
}

/// The state of the simulation.
pub(crate) struct Day<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) options: &'a Options,
    pub(crate) api: Api,
    pub(crate) travel: Travel,
    pub(crate) now: i64,
    pub(crate) orders: Vec<Order>,
    pub(crate) couriers: Vec<Courier>,
    /// Indices of orders by the platform's ID.
    pub(crate) by_id: BTreeMap<u64, usize>,
    pub(crate) record: Record,
    stores: Vec<String>,
    events: BinaryHeap<Reverse<(i64, Event)>>,
    couriers_by_id: BTreeMap<u64, usize>,
    /// Orders that are placed and not delivered, and orders to be placed.
    open: usize,
}

/// Simulates a day and returns what happened.
pub(crate) fn simulate(instance: &Instance, options: &Options) -> Result<Record, BoxError> {
    let mut day = Day::new(instance, options)?;
    day.run()
        .map_err(|error| format!("{} at minute {}: {error}", instance.name, day.now / MINUTE))?;
    let undelivered = day
        .orders
        .iter()
        .filter(|order| order.dropped_at.is_none())
        .count();
    if undelivered != day.open {
        return Err(format!(
            "{}: {undelivered} orders are undelivered, counted {}",
            instance.name, day.open
        )
        .into());
    }
    day.record.orders = day.orders;
    Ok(day.record)
}

impl<'a> Day<'a> {
    fn new(instance: &'a Instance, options: &'a Options) -> Result<Day<'a>, BoxError> {
        let orders = instance.orders.iter().map(|order| order.at);
        let restaurants = instance.restaurants.iter().map(|restaurant| restaurant.at);
        let places = orders
            .chain(restaurants)
            .chain(instance.couriers.iter().map(|courier| courier.at));
        if let Some((x, y)) = places.into_iter().find(|at| place(point(*at)) != *at) {
            return Err(format!(
                "{}: ({x}, {y}) has no reversible coordinates",
                instance.name
            )
            .into());
        }
        let travel = Travel {
            metres_per_minute: instance.metres_per_minute,
        };
        let settings = settings(options, instance)?;
        let host = DayHost::new(travel, settings.timing.clone());
        let api = Api { host, settings };
        let first = instance.orders.iter().map(|order| order.placed);
        let first = first
            .chain(instance.couriers.iter().map(|courier| courier.on))
            .min()
            .unwrap_or(0);
        api.host.set_now(timestamp(first));
        let stores = instance.restaurants.iter().enumerate();
        let stores = stores
            .map(|(number, one)| api.register_store(number, one.at))
            .collect::<Result<_, _>>()?;
        let mut day = Day {
            instance,
            options,
            api,
            travel,
            now: first,
            orders: Vec::new(),
            couriers: Vec::new(),
            by_id: BTreeMap::new(),
            record: Record::default(),
            stores,
            events: BinaryHeap::new(),
            couriers_by_id: BTreeMap::new(),
            open: instance.orders.len(),
        };
        day.register_couriers()?;
        day.plan_orders();
        Ok(day)
    }

    fn register_couriers(&mut self) -> Result<(), BoxError> {
        for (index, row) in self.instance.couriers.iter().enumerate() {
            let (id, key) = self.api.register_courier(&row.name)?;
            self.couriers_by_id.insert(id, index);
            self.couriers.push(Courier::new(key, row.at));
            self.announce_shift(index)?;
            self.schedule(row.on, Event::ShiftStart(index));
            self.schedule(row.off, Event::ShiftEnd(index));
        }
        Ok(())
    }

    fn plan_orders(&mut self) {
        for (index, row) in self.instance.orders.iter().enumerate() {
            let mut random =
                Random::of(&self.instance.name, &[1, u64::try_from(index).unwrap_or(0)]);
            let deviation = random.normal(self.options.ready * MINUTE);
            // The instances' times are whole minutes.
            let ready =
                (row.ready + (deviation + MINUTE / 2).div_euclid(MINUTE) * MINUTE).max(row.placed);
            self.orders.push(Order {
                ready,
                ..Order::default()
            });
            self.schedule(row.placed, Event::Place(index));
            if ready < row.ready {
                self.schedule(ready, Event::Ready(index));
            }
        }
    }

    pub(crate) fn schedule(&mut self, at: i64, event: Event) {
        self.events.push(Reverse((at, event)));
    }

    fn run(&mut self) -> Result<(), BoxError> {
        let last_shift = self
            .instance
            .couriers
            .iter()
            .map(|courier| courier.off)
            .max()
            .unwrap_or(0);
        let every = i64::from(self.options.every);
        let mut pass = self.now;
        while self.open > 0 && (pass <= last_shift || self.couriers.iter().any(Courier::is_busy)) {
            while let Some(&Reverse((at, event))) = self.events.peek()
                && at <= pass
            {
                self.events.pop();
                self.set_now(at);
                self.handle(event)?;
            }
            self.set_now(pass);
            self.dispatch()?;
            pass += every;
        }
        Ok(())
    }

    fn set_now(&mut self, now: i64) {
        self.now = now;
        self.api.host.set_now(timestamp(now));
    }

    fn handle(&mut self, event: Event) -> Result<(), BoxError> {
        match event {
            Event::ShiftEnd(index) => {
                self.end_shift(index);
                Ok(())
            }
            Event::ShiftStart(index) => self.start_shift(index),
            Event::Place(index) => self.place(index),
            Event::Ready(index) => self.signal_ready(index),
            Event::Step(index) => self.step(index),
        }
    }

    fn place(&mut self, index: usize) -> Result<(), BoxError> {
        let row = &self.instance.orders[index];
        let preparation = (row.ready - row.placed) / MINUTE;
        // A code of the merchant stays valid if a courier declines the order.
        let code = format!("{index:04}");
        let key = &self.stores[row.restaurant];
        let created = self
            .api
            .create_order(key, (&row.name, &code), preparation, row.at)?;
        let order = &mut self.orders[index];
        order.id = created["id"].as_u64().ok_or("the order has no ID")?;
        order.delivery = created["deliveries"][0]["id"]
            .as_u64()
            .ok_or("the delivery has no ID")?;
        order.pickup_code = code;
        self.by_id.insert(order.id, index);
        Ok(())
    }

    /// Signals that an order is ready early. The signal has no effect after the pickup.
    fn signal_ready(&mut self, index: usize) -> Result<(), BoxError> {
        let (order, row) = (&self.orders[index], &self.instance.orders[index]);
        if order.picked_at.is_some() {
            return Ok(());
        }
        let path = format!("/delivery/orders/{}/ready", order.id);
        self.api
            .post(&path, &self.stores[row.restaurant], String::new())
            .map(|_| ())
    }

    /// Runs dispatch passes, and sends the couriers that they changed on their way.
    fn dispatch(&mut self) -> Result<(), BoxError> {
        for _ in 0..MAX_REPEATED_PASSES {
            self.api.host.take_changed();
            let start = thread_time();
            let done = self.api.post("/admin/dispatch", OPERATOR, String::new())?;
            self.record.passes.push(thread_time().saturating_sub(start));
            let repeats = serde_json::from_slice::<Value>(&done)?["more"] == true;
            for id in self.api.host.take_changed() {
                let index = self
                    .couriers_by_id
                    .get(&id.get())
                    .copied()
                    .ok_or("an unknown courier was changed")?;
                self.read_assignment(index)?;
            }
            if !repeats {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn delivered(&mut self, index: usize) -> Result<(), BoxError> {
        self.open = self
            .open
            .checked_sub(1)
            .ok_or("an order was delivered twice")?;
        match self.orders[index].dropped_at.is_some() {
            true => Ok(()),
            false => Err("an order without a drop-off was delivered".into()),
        }
    }
}

/// Returns the CPU time of this thread in nanoseconds.
pub(crate) fn thread_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
}

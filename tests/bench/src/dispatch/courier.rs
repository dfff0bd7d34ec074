//! The couriers of a day: they follow the trips that the core assigns and report each step.

use bytes::Bytes;
use despacho_bench::BoxError;
use http::Method;
use serde_json::{Value, json};

use super::{
    client::timestamp,
    day::{Day, Event},
    instance::Place,
    random::Random,
    record::{Movement, Site, Trip},
};

/// The activity of a courier. It ends at the time of the courier's next [`Event::Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Activity {
    OffDuty,
    Idle,
    TravellingToPickup,
    WaitingAtPickup,
    LeavingPickup,
    TravellingToDoor,
    AtDoor,
}

/// A courier of the day.
#[derive(Clone, Debug)]
pub(crate) struct Courier {
    key: String,
    activity: Activity,
    site: Site,
    place: Place,
    /// The restaurant of the trip.
    restaurant: usize,
    /// Indices of the trip's orders, from the pickup on in the sequence of their deliveries.
    orders: Vec<usize>,
    /// Number of delivered orders of the trip.
    delivered: usize,
    assigned_at: i64,
    picked_at: i64,
    movements: Vec<Movement>,
}

impl Courier {
    pub(crate) fn new(key: String, place: Place) -> Courier {
        Courier {
            key,
            activity: Activity::OffDuty,
            site: Site::ShiftStart,
            place,
            restaurant: 0,
            orders: Vec::new(),
            delivered: 0,
            assigned_at: 0,
            picked_at: 0,
            movements: Vec::new(),
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.activity, Activity::OffDuty | Activity::Idle)
    }
}

/// The trip that the core assigned to a courier: the orders in the sequence of their deliveries.
type Assigned = Vec<usize>;

impl Day<'_> {
    /// Announces a shift in advance, with the place where it starts.
    pub(crate) fn announce_shift(&self, index: usize) -> Result<(), BoxError> {
        let (row, key) = (&self.instance.couriers[index], &self.couriers[index].key);
        let shift = json!({
            "available": true,
            "availableFrom": timestamp(row.on).to_string(),
            "availableUntil": timestamp(row.off).to_string(),
        });
        self.post_as(key, "/courier/availability", shift.to_string())?;
        self.api.report_position(key, row.at)
    }

    pub(crate) fn start_shift(&mut self, index: usize) -> Result<(), BoxError> {
        if self.couriers[index].activity == Activity::OffDuty {
            self.couriers[index].activity = Activity::Idle;
        }
        self.report_position(index)
    }

    pub(crate) fn end_shift(&mut self, index: usize) {
        if self.couriers[index].activity == Activity::Idle {
            self.couriers[index].activity = Activity::OffDuty;
        }
    }

    /// Reads the trip of a courier after a pass changed it.
    pub(crate) fn read_assignment(&mut self, index: usize) -> Result<(), BoxError> {
        let assigned = self.assigned(index)?;
        let courier = &self.couriers[index];
        match courier.activity {
            _ if assigned.is_empty() && !courier.is_busy() => Ok(()),
            Activity::OffDuty => Err("a courier who is off duty got a trip".into()),
            Activity::Idle => self.begin_trip(index, assigned),
            Activity::TravellingToPickup | Activity::WaitingAtPickup => {
                self.grow_trip(index, assigned)
            }
            _ if assigned.iter().all(|order| courier.orders.contains(order)) => Ok(()),
            _ => Err("a courier got an order after the pickup".into()),
        }
    }

    /// Starts the travel to the pickup.
    fn begin_trip(&mut self, index: usize, assigned: Assigned) -> Result<(), BoxError> {
        let first = *assigned.first().ok_or("a trip has no orders")?;
        let restaurant = self.instance.orders[first].restaurant;
        let (from, to) = (
            self.couriers[index].place,
            self.instance.restaurants[restaurant].at,
        );
        let arrives = self.now + i64::from(self.travel.seconds(from, to));
        let expected = assigned.iter().map(|order| {
            self.instance.orders[*order]
                .ready
                .min(self.orders[*order].ready)
        });
        let pickup = expected
            .max()
            .unwrap_or(0)
            .max(arrives + self.instance.half_pickup);
        if pickup > self.instance.couriers[index].off {
            return Err("a courier would arrive at the pickup after the shift".into());
        }
        let courier = &mut self.couriers[index];
        courier.restaurant = restaurant;
        courier.orders.clear();
        courier.delivered = 0;
        self.grow_trip(index, assigned)?;
        self.travel_to(
            index,
            Site::Restaurant(restaurant),
            Activity::TravellingToPickup,
        );
        Ok(())
    }

    /// Replaces the orders of a trip before the pickup. It keeps its restaurant and its orders.
    fn grow_trip(&mut self, index: usize, assigned: Assigned) -> Result<(), BoxError> {
        let courier = &mut self.couriers[index];
        if assigned
            .iter()
            .any(|order| self.instance.orders[*order].restaurant != courier.restaurant)
        {
            return Err("a courier was diverted on the way to a pickup".into());
        }
        if courier.orders.iter().any(|order| !assigned.contains(order)) {
            return Err("an order was taken from a courier on the way to the pickup".into());
        }
        if assigned.len() != courier.orders.len() {
            courier.assigned_at = self.now;
        }
        courier.orders = assigned;
        Ok(())
    }

    /// Ends the current activity of a courier and starts the next one.
    pub(crate) fn step(&mut self, index: usize) -> Result<(), BoxError> {
        match self.couriers[index].activity {
            Activity::OffDuty | Activity::Idle => {
                Err("a courier without a trip took a step".into())
            }
            Activity::TravellingToPickup => self.reach_pickup(index),
            Activity::WaitingAtPickup => self.pick_up(index),
            Activity::LeavingPickup => self.set_out(index),
            Activity::TravellingToDoor => self.reach_door(index),
            Activity::AtDoor => self.deliver(index),
        }
    }

    fn reach_pickup(&mut self, index: usize) -> Result<(), BoxError> {
        self.report_position(index)?;
        for order in self.couriers[index].orders.clone() {
            self.take_step(index, order, "arrive", String::new())?;
        }
        let ready = self
            .latest_ready(index)
            .max(self.now + self.instance.half_pickup);
        self.begin(index, Activity::WaitingAtPickup, ready);
        Ok(())
    }

    fn latest_ready(&self, index: usize) -> i64 {
        self.couriers[index]
            .orders
            .iter()
            .map(|order| self.orders[*order].ready)
            .max()
            .unwrap_or(0)
    }

    /// Picks up the trip as it is now, or waits longer if another order was added to it.
    fn pick_up(&mut self, index: usize) -> Result<(), BoxError> {
        let assigned = self.assigned(index)?;
        self.grow_trip(index, assigned)?;
        let ready = self.latest_ready(index);
        if ready > self.now {
            self.begin(index, Activity::WaitingAtPickup, ready);
            return Ok(());
        }
        let off = self.instance.couriers[index].off;
        if self.now > off {
            if !self.options.deviates() {
                return Err("a trip was picked up after the shift".into());
            }
            self.record.late_pickups += 1;
        }
        self.report_position(index)?;
        for order in self.couriers[index].orders.clone() {
            // An order that was added after the courier's arrival has no arrival yet. Repeating the
            // step has no effect.
            self.take_step(index, order, "arrive", String::new())?;
            let body = format!(r#"{{"code":"{}"}}"#, self.orders[order].pickup_code);
            self.take_step(index, order, "pickup", body)?;
            self.orders[order].picked_at = Some(self.now);
        }
        self.couriers[index].picked_at = self.now;
        self.begin(
            index,
            Activity::LeavingPickup,
            self.now + self.instance.half_pickup,
        );
        Ok(())
    }

    /// Departs to the next stop.
    fn set_out(&mut self, index: usize) -> Result<(), BoxError> {
        let order = self.next_order(index)?;
        self.report_position(index)?;
        self.take_step(index, order, "en-route", self.stop_body(order))?;
        self.travel_to(index, Site::Order(order), Activity::TravellingToDoor);
        Ok(())
    }

    fn reach_door(&mut self, index: usize) -> Result<(), BoxError> {
        let order = self.next_order(index)?;
        self.report_position(index)?;
        self.take_step(index, order, "at-door", self.stop_body(order))?;
        self.orders[order].dropped_at = Some(self.now + self.instance.half_delivery);
        self.begin(
            index,
            Activity::AtDoor,
            self.now + 2 * self.instance.half_delivery,
        );
        Ok(())
    }

    /// Reports the delivery at the end of the service time, when the courier is free again.
    fn deliver(&mut self, index: usize) -> Result<(), BoxError> {
        let order = self.next_order(index)?;
        self.report_position(index)?;
        self.take_step(index, order, "deliver", self.stop_body(order))?;
        self.delivered(order)?;
        let courier = &mut self.couriers[index];
        courier.delivered += 1;
        if courier.delivered < courier.orders.len() {
            return self.set_out(index);
        }
        self.record.trips.push(Trip {
            courier: index,
            assigned_at: courier.assigned_at,
            picked_at: courier.picked_at,
            orders: std::mem::take(&mut courier.orders),
            movements: std::mem::take(&mut courier.movements),
        });
        let is_over = self.instance.couriers[index].off <= self.now;
        courier.activity = if is_over {
            Activity::OffDuty
        } else {
            Activity::Idle
        };
        Ok(())
    }

    fn next_order(&self, index: usize) -> Result<usize, BoxError> {
        let courier = &self.couriers[index];
        courier
            .orders
            .get(courier.delivered)
            .copied()
            .ok_or_else(|| "the trip has no further stop".into())
    }

    fn begin(&mut self, index: usize, activity: Activity, until: i64) {
        self.couriers[index].activity = activity;
        self.schedule(until, Event::Step(index));
    }

    /// Departs to a place. The real travel time deviates from the estimate.
    fn travel_to(&mut self, index: usize, to: Site, activity: Activity) {
        let place = to.place(self.instance, index);
        let courier = &mut self.couriers[index];
        let estimate = i64::from(self.travel.seconds(courier.place, place));
        let key = [
            2,
            u64::try_from(index).unwrap_or(0),
            u64::try_from(self.now).unwrap_or(0),
        ];
        let hundredths =
            Random::of(&self.instance.name, &key).symmetric(i32::from(self.options.rides) * 100);
        let arrived_at = self.now + estimate + estimate * hundredths / 10_000;
        courier.movements.push(Movement {
            departed_at: self.now,
            arrived_at,
            from: courier.site,
            to,
        });
        (courier.site, courier.place) = (to, place);
        self.begin(index, activity, arrived_at);
    }

    fn report_position(&self, index: usize) -> Result<(), BoxError> {
        let courier = &self.couriers[index];
        self.api.report_position(&courier.key, courier.place)
    }

    fn step_path(&self, order: usize, step: &str) -> String {
        format!("/courier/orders/{}/{step}", self.orders[order].id)
    }

    fn stop_body(&self, order: usize) -> String {
        format!(r#"{{"deliveryId":{}}}"#, self.orders[order].delivery)
    }

    fn take_step(
        &self,
        index: usize,
        order: usize,
        step: &str,
        body: String,
    ) -> Result<(), BoxError> {
        self.post_as(
            &self.couriers[index].key,
            &self.step_path(order, step),
            body,
        )
        .map(|_| ())
    }

    fn post_as(&self, key: &str, path: &str, body: String) -> Result<Bytes, BoxError> {
        self.api.post(path, key, body)
    }

    /// Reads a courier's trip.
    fn assigned(&self, index: usize) -> Result<Assigned, BoxError> {
        let response = self.api.send(
            Method::GET,
            "/courier/trip",
            &self.couriers[index].key,
            String::new(),
        )?;
        let body: Value = serde_json::from_slice(response.body())?;
        let stops = body["trip"]["stops"].as_array().into_iter().flatten();
        let deliveries = stops.filter(|stop| stop["type"] == "DELIVERY");
        let deliveries: Vec<u64> = deliveries
            .filter_map(|stop| stop["orderId"].as_u64())
            .collect();
        let known = |id: &u64| {
            self.by_id
                .get(id)
                .copied()
                .ok_or_else(|| format!("order {id} is unknown").into())
        };
        let orders = deliveries
            .iter()
            .map(known)
            .collect::<Result<Assigned, BoxError>>()?;
        let listed = body["trip"]["orders"]
            .as_array()
            .map_or(orders.len(), Vec::len);
        let is_before_pickup = self.couriers[index].activity <= Activity::WaitingAtPickup;
        if is_before_pickup && listed != orders.len() {
            return Err(format!(
                "the trip lists {listed} orders and {} deliveries",
                orders.len()
            )
            .into());
        }
        Ok(orders)
    }
}

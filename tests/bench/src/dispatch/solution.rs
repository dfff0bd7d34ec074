//! The solution files that the public evaluator reads.

use std::{fmt::Write as _, fs, path::Path};

use despacho_bench::BoxError;

use super::{
    instance::{Instance, MINUTE},
    record::{Record, Site, Trip},
};

/// Writes the three files of an instance into a folder of its name. Times are whole minutes.
pub(crate) fn write(out: &Path, instance: &Instance, record: &Record) -> Result<(), BoxError> {
    let folder = out.join(&instance.name);
    fs::create_dir_all(&folder)?;
    fs::write(
        folder.join("solution_info_assignments.txt"),
        assignments(instance, record)?,
    )?;
    fs::write(
        folder.join("solution_info_orders.txt"),
        orders(instance, record)?,
    )?;
    fs::write(
        folder.join("solution_info_couriers.txt"),
        movements(instance, record)?,
    )?;
    Ok(())
}

fn assignments(instance: &Instance, record: &Record) -> Result<String, BoxError> {
    let mut text = "assignment_time pickup_time courier orders\n".to_owned();
    let mut trips: Vec<&Trip> = record.trips.iter().collect();
    trips.sort_by_key(|trip| (trip.assigned_at, trip.picked_at, trip.courier));
    for trip in trips {
        let (assigned, picked) = (minutes(trip.assigned_at), minutes(trip.picked_at));
        write!(
            text,
            "{assigned} {picked} {}",
            instance.couriers[trip.courier].name
        )?;
        for order in &trip.orders {
            write!(text, " {}", instance.orders[*order].name)?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn orders(instance: &Instance, record: &Record) -> Result<String, BoxError> {
    let mut couriers = vec![None; instance.orders.len()];
    for trip in &record.trips {
        for order in &trip.orders {
            couriers[*order] = Some(trip.courier);
        }
    }
    let mut text =
        "order placement_time restaurant ready_time pickup_time dropoff_time courier\n".to_owned();
    for ((row, order), courier) in instance.orders.iter().zip(&record.orders).zip(couriers) {
        let (Some(courier), Some(picked), Some(dropped)) =
            (courier, order.picked_at, order.dropped_at)
        else {
            continue;
        };
        let restaurant = &instance.restaurants[row.restaurant].name;
        let (placed, ready) = (minutes(row.placed), minutes(row.ready));
        let (picked, dropped) = (minutes(picked), minutes(dropped));
        let courier = &instance.couriers[courier].name;
        writeln!(
            text,
            "{} {placed} {restaurant} {ready} {picked} {dropped} {courier}",
            row.name
        )?;
    }
    Ok(text)
}

fn movements(instance: &Instance, record: &Record) -> Result<String, BoxError> {
    let mut trips: Vec<&Trip> = record.trips.iter().collect();
    trips.sort_by_key(|trip| (trip.courier, trip.picked_at));
    let mut text = "courier departure_time origin destination\n".to_owned();
    for trip in trips {
        for movement in &trip.movements {
            let (from, to) = (name(instance, movement.from), name(instance, movement.to));
            let courier = &instance.couriers[trip.courier].name;
            writeln!(
                text,
                "{courier} {} {from} {to}",
                minutes(movement.departed_at)
            )?;
        }
    }
    Ok(text)
}

fn name(instance: &Instance, site: Site) -> &str {
    match site {
        Site::ShiftStart => "0",
        Site::Restaurant(index) => &instance.restaurants[index].name,
        Site::Order(index) => &instance.orders[index].name,
    }
}

/// Returns whole minutes, rounded up. Times are whole unless travel times deviate.
fn minutes(seconds: i64) -> i64 {
    (seconds + MINUTE - 1).div_euclid(MINUTE)
}

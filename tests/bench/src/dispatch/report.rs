//! The printed tables.

use super::{
    measures::{Measures, milliseconds},
    published::{Published, RESULTS, Set},
    record::Record,
};

/// A measured instance.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) measures: Measures,
    pub(crate) passes: Vec<u64>,
}

impl Measured {
    pub(crate) fn new(name: String, measures: Measures, record: Record) -> Measured {
        Measured {
            name,
            measures,
            passes: record.passes,
        }
    }

    /// Returns whether the optimum of the instance is known.
    fn has_optimum(&self) -> bool {
        self.name.starts_with("0o50") || self.name.starts_with("0r50")
    }
}

/// Number of instances with a known optimum.
const OPTIMA: usize = 16;
/// Maximum number of instances that are printed one by one.
const MAX_LISTED: usize = 24;

/// Prints the means of all instances and of those with a known optimum, compared with published
/// results.
pub(crate) fn print(all: &[Measured]) {
    println!(
        "  CtD: minutes from placement to drop-off. RtP: minutes from ready to pickup. Excess: CtD above the floor, the CtD if \
         every order\n  is picked up when it is ready and delivered directly. Means over the instances.\n"
    );
    header();
    if all.len() <= MAX_LISTED {
        for one in all {
            measured(&one.name, "", &one.measures);
        }
    }
    means("Despacho, measured now", all);
    published(&[Set::Seeds0To5, Set::All240]);
    let with_optimum: Vec<&Measured> = all.iter().filter(|one| one.has_optimum()).collect();
    if with_optimum.len() == OPTIMA {
        println!();
        header();
        let measures: Vec<Measures> = with_optimum.iter().map(|one| one.measures).collect();
        measured(
            "Despacho, measured now",
            Set::Sixteen.name(),
            &Measures::mean(&measures),
        );
        published(&[Set::Sixteen]);
    }
    println!(
        "\n  The programs of FoodMatch do not round travel times to whole minutes, half a minute per order in their favour: compare \
         the excess."
    );
    passes(all);
}

fn means(name: &str, all: &[Measured]) {
    let measures: Vec<Measures> = all.iter().map(|one| one.measures).collect();
    let mean = Measures::mean(&measures);
    measured(name, &all.len().to_string(), &mean);
}

fn header() {
    println!(
        "  {:<42} {:>9} {:>8} {:>6} {:>6} {:>8} {:>6} {:>7} {:>10} {:>6}",
        "",
        "instances",
        "undel. %",
        "CtD",
        "CtD90",
        "overage",
        "RtP",
        "excess",
        "cost/order",
        "o/trip"
    );
}

fn measured(name: &str, instances: &str, one: &Measures) {
    println!(
        "  {name:<42} {instances:>9} {:>8.3} {:>6.2} {:>6.1} {:>8.2} {:>6.2} {:>7.2} {:>10.2} {:>6.3}",
        one.undelivered_percent,
        one.click_to_door,
        one.click_to_door_90,
        one.overage,
        one.ready_to_pickup,
        one.click_to_door - one.floor,
        one.cost_per_order,
        one.orders_per_trip,
    );
}

fn published(sets: &[Set]) {
    for Published {
        method,
        set,
        values,
        floor,
    } in RESULTS.iter().filter(|one| sets.contains(&one.set))
    {
        let [undelivered, ctd, ctd90, overage, rtp, cost] = *values;
        let text = |value: Option<f64>, decimals: usize| {
            value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
        };
        println!(
            "  {method:<42} {:>9} {:>8} {:>6} {:>6} {:>8} {:>6} {:>7} {:>10}",
            set.name(),
            text(undelivered, 2),
            text(ctd, 2),
            text(ctd90, 1),
            text(overage, 2),
            text(rtp, 2),
            text(ctd.map(|ctd| ctd - floor), 2),
            text(cost, 2),
        );
    }
}

/// Prints the floors and the CPU times of the passes.
fn passes(all: &[Measured]) {
    let measures: Vec<Measures> = all.iter().map(|one| one.measures).collect();
    let mean = Measures::mean(&measures);
    if mean.late_pickups > 0.0 {
        println!(
            "  Per instance: {:.1} pickups after a shift.",
            mean.late_pickups
        );
    }
    println!(
        "  Floor of these instances: {:.2} min, {:.2} min unrounded.",
        mean.floor, mean.unrounded_floor
    );
    let slowest_day = all
        .iter()
        .max_by(|a, b| a.measures.pass_ms.total_cmp(&b.measures.pass_ms));
    let slowest_pass = all
        .iter()
        .filter_map(|one| Some((*one.passes.iter().max()?, &one.name)))
        .max();
    let (Some(day), Some((pass, name))) = (slowest_day, slowest_pass) else {
        return;
    };
    println!(
        "  CPU time of a pass (POST /admin/dispatch): {:.3} ms in the mean of all days, {:.3} ms in the mean of the slowest day ({}), \
         {:.1} ms at most ({name}).",
        mean.pass_ms,
        day.measures.pass_ms,
        day.name,
        milliseconds(pass),
    );
}

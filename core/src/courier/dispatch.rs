//! One round of dispatch, for whoever drives it: a scheduler every few seconds, or a request by any cron.
//!
//! A round changes one order at a time, each in a commit of its own against the versions that were read, so that rounds that run
//! at once, on several instances over one database, do everything once: who comes second loses that one order and goes on.

use super::matching::matches;
use crate::{
    domain::Moment,
    host::{Changes, Fault, Host},
    order::{allocate, drive, platform, release},
    settings::Settings,
};

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Orders that time moved on, those that expired among them.
    pub moved: u32,
    /// Orders that a courier was given.
    pub allocated: u32,
    /// Orders that were taken from couriers that are not heard of.
    pub released: u32,
    /// Orders that no courier was found for in time.
    pub expired: u32,
    /// Whether a limit ended the round before the work did: run another one at once.
    pub more: bool,
}

/// Orders that time moves on in one round.
const DUE_PER_ROUND: u32 = 1_000;
/// Couriers in one round that are found silent.
const SILENT_PER_ROUND: u32 = 500;

/// Moves on what is due, takes orders from silent couriers, and gives waiting orders to free couriers.
///
/// # Errors
/// A fault of the host. What was done before it stands, and the next round goes on from there.
pub async fn round<H: Host>(host: &H, settings: &Settings, moment: &mut Moment) -> Result<Round, Fault> {
    let due = drive::due(host, settings, moment.now, DUE_PER_ROUND).await?;
    let done = Round { moved: due.moved, expired: due.expired, more: due.more, ..Round::default() };
    let (released, more_silent) = release_silent(host, settings, moment).await?;
    let (allocated, more_waiting) = allocate_waiting(host, settings, moment).await?;
    Ok(Round { released, allocated, more: done.more || more_silent || more_waiting, ..done })
}

/// Takes orders before pickup from couriers that said nothing for too long; how many, and whether there may be more.
async fn release_silent<H: Host>(host: &H, settings: &Settings, moment: &mut Moment) -> Result<(u32, bool), Fault> {
    let silence = settings.dispatch.silence();
    let silent = host.silent_couriers(moment.now.before(silence), SILENT_PER_ROUND).await?;
    let (found, mut decided) = (silent.len(), Vec::new());
    for courier in silent {
        let Some(id) = courier.order else { continue };
        let Some(order) = host.order(id).await? else { continue };
        // A courier who came to the order a moment ago has not been silent on it yet, and a step counts as a word.
        if moment.now.since(order.situation_since) < silence {
            continue;
        }
        decided.extend(release(&order, &courier, platform(), moment).map(|(_, changes)| changes));
    }
    let released = committed(host, &decided).await?;
    // Only where each of them was a loss is it likely that there are more: otherwise the same ones would come again.
    let more = released > 0 && found >= usize::try_from(SILENT_PER_ROUND).unwrap_or(usize::MAX);
    Ok((released, more))
}

/// Matches waiting orders with free couriers; how many pairs came about, and whether another round would find more.
async fn allocate_waiting<H: Host>(host: &H, settings: &Settings, moment: &Moment) -> Result<(u32, bool), Fault> {
    let (terms, now) = (&settings.dispatch, moment.now);
    let orders = host.searching_orders(terms.orders()).await?;
    if orders.is_empty() {
        return Ok((0, false));
    }
    let couriers = host.free_couriers(now.before(terms.seen()), terms.couriers()).await?;
    let mut decided = Vec::new();
    for (order, courier) in matches(&orders, &couriers, terms, &settings.timing, now) {
        let pair = orders.get(order).zip(couriers.get(courier));
        let allocated = pair.and_then(|(order, courier)| allocate(order, courier, moment));
        decided.extend(allocated.map(|(_, changes)| changes));
    }
    let allocated = committed(host, &decided).await?;
    let full = |found: usize, limit: u32| u32::try_from(found).is_ok_and(|found| found >= limit);
    let cut_short = full(orders.len(), terms.orders()) || full(couriers.len(), terms.couriers());
    Ok((allocated, cut_short && allocated > 0))
}

/// Commits each change by itself, and says how many went through. One that somebody else came before did not, and is theirs.
async fn committed<H: Host>(host: &H, decided: &[Changes]) -> Result<u32, Fault> {
    let mut count = 0;
    for chunk in decided.chunks(drive::AT_ONCE) {
        for result in host.commit_each(chunk).await {
            match result {
                Ok(()) => count += 1,
                Err(Fault::Conflict) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(count)
}

//! How bad the world is in a run: which faults there are, and how often.

use crate::rng::Rng;

/// Faults by their frequency, in a thousand occasions each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultRates {
    /// Calls of the host that wait at all, so that others run meanwhile.
    pub yields: u32,
    /// Waits that are long: up to some seconds.
    pub slow: u32,
    /// Reads that find the database unavailable.
    pub unread: u32,
    /// Commits that are refused as unavailable and not carried out.
    pub rejected: u32,
    /// Commits that are carried out, and whose confirmation is lost between database and instance.
    pub unconfirmed: u32,
    /// Commits that meet a conflict that nobody else caused, as a database's serialisation failures are.
    pub conflict: u32,
    /// Commits before which the instance dies.
    pub fails_before: u32,
    /// Commits after which the instance dies, before anybody is told.
    pub fails_after: u32,
    /// Questions to the geocoder or the roads that fail.
    pub lost_way: u32,
    /// Questions to the geocoder or the roads that take up to two minutes.
    pub slow_way: u32,
    /// Requests that the network delivers twice.
    pub doubled: u32,
    /// Requests that the network delays long, so that later ones overtake them.
    pub delayed: u32,
    /// Answers that the network loses.
    pub pending: u32,
    /// Steps at which an instance is killed in the middle of whatever it does.
    pub kills: u32,
    /// Steps at which the clock of all machines is set, forward or back.
    pub clock_steps: u32,
    /// Webhooks whose receiver fails.
    pub deaf: u32,
}

impl FaultRates {
    /// No fault at all; calls still wait, so that requests interleave.
    pub(crate) const CALM: FaultRates = FaultRates {
        yields: 300,
        slow: 0,
        unread: 0,
        rejected: 0,
        unconfirmed: 0,
        conflict: 0,
        fails_before: 0,
        fails_after: 0,
        lost_way: 0,
        slow_way: 0,
        doubled: 0,
        delayed: 0,
        pending: 0,
        kills: 0,
        clock_steps: 0,
        deaf: 0,
    };

    /// The weather of a seed: one in eight is calm; in the others each fault is there in every other run, rare or frequent.
    pub(crate) fn of(rng: &mut Rng) -> FaultRates {
        if rng.often(125) {
            return FaultRates::CALM;
        }
        let mut fault = |max: u32| {
            if rng.often(500) { u32::try_from(rng.below(u64::from(max))).unwrap_or_default() + 1 } else { 0 }
        };
        FaultRates {
            yields: 500 + fault(400),
            slow: fault(60),
            unread: fault(15),
            rejected: fault(40),
            unconfirmed: fault(40),
            conflict: fault(80),
            fails_before: fault(15),
            fails_after: fault(15),
            lost_way: fault(100),
            slow_way: fault(100),
            doubled: fault(200),
            delayed: fault(150),
            pending: fault(80),
            kills: fault(4),
            clock_steps: fault(6),
            deaf: fault(400),
        }
    }
}

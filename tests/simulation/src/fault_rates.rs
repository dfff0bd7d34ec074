//! The rates of injected faults in a run.

use crate::rng::Rng;

/// The rates of faults, each per thousand occasions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultRates {
    /// Calls of the host that wait, so that other tasks run meanwhile.
    pub yields: u32,
    /// Waits of up to some seconds.
    pub long_waits: u32,
    /// Reads that fail because the database is unavailable.
    pub failed_reads: u32,
    /// Commits that fail without effect because the database is unavailable.
    pub failed_commits: u32,
    /// Commits that succeed, but whose confirmation is lost.
    pub unconfirmed_commits: u32,
    /// Commits that return a conflict without a concurrent write, like serialisation failures of a
    /// database.
    pub spurious_conflicts: u32,
    /// Crashes of an instance before a commit.
    pub crashes_before_commit: u32,
    /// Crashes of an instance after a commit, before its response.
    pub crashes_after_commit: u32,
    /// Calls of the geocoder or the road service that fail.
    pub failed_services: u32,
    /// Calls of the geocoder or the road service that take up to two minutes.
    pub slow_services: u32,
    /// Requests that the network delivers twice.
    pub duplicated_requests: u32,
    /// Requests that the network delays, so that later ones overtake them.
    pub delayed_requests: u32,
    /// Responses that the network loses.
    pub lost_responses: u32,
    /// Steps in which an instance is killed.
    pub kills: u32,
    /// Steps in which the clock of all machines is set forward or back.
    pub clock_steps: u32,
    /// Webhook requests to a failing receiver.
    pub failing_receivers: u32,
}

impl FaultRates {
    /// No faults. Calls still wait, so that requests interleave.
    pub(crate) const NONE: FaultRates = FaultRates {
        yields: 300,
        long_waits: 0,
        failed_reads: 0,
        failed_commits: 0,
        unconfirmed_commits: 0,
        spurious_conflicts: 0,
        crashes_before_commit: 0,
        crashes_after_commit: 0,
        failed_services: 0,
        slow_services: 0,
        duplicated_requests: 0,
        delayed_requests: 0,
        lost_responses: 0,
        kills: 0,
        clock_steps: 0,
        failing_receivers: 0,
    };

    /// Returns random rates. One in eight runs has no faults. In the others, each kind of fault has
    /// a probability of one half and a random rate.
    pub(crate) fn random(rng: &mut Rng) -> FaultRates {
        if rng.often(125) {
            return FaultRates::NONE;
        }
        let mut fault = |max: u32| {
            if rng.often(500) {
                u32::try_from(rng.below(u64::from(max))).unwrap_or_default() + 1
            } else {
                0
            }
        };
        FaultRates {
            yields: 500 + fault(400),
            long_waits: fault(60),
            failed_reads: fault(15),
            failed_commits: fault(40),
            unconfirmed_commits: fault(40),
            spurious_conflicts: fault(80),
            crashes_before_commit: fault(15),
            crashes_after_commit: fault(15),
            failed_services: fault(100),
            slow_services: fault(100),
            duplicated_requests: fault(200),
            delayed_requests: fault(150),
            lost_responses: fault(80),
            kills: fault(4),
            clock_steps: fault(6),
            failing_receivers: fault(400),
        }
    }
}

//! The state that all instances share, and the context of one task.

use std::cell::{Cell, RefCell};

use despacho_core::{
    changes::Changes,
    host::HostError,
    model::{OrderId, Timestamp, store::KeyHash},
    rules::settings::{Secret, Settings, operator_token},
};

use crate::{
    backend::Backend, fault_rates::FaultRates, mutation::Mutation, rng::Rng, waits::Waits,
};

/// The operator's token in every run.
pub(crate) const OPERATOR: &str = "operator-token-of-the-simulation";
/// The deployment's secret in every run.
pub(crate) const SECRET: [u8; 32] = [7; 32];
/// The start of the clock: 12:00 UTC on 21 November 2026, in milliseconds since 1970.
const START_MS: i64 = 1_795_262_400_000;

/// The service: its database, settings, clock and fault rates.
pub(crate) struct Service {
    pub(crate) backend: Backend,
    pub(crate) settings: Settings,
    pub(crate) fault_rates: Cell<FaultRates>,
    pub(crate) rng: RefCell<Rng>,
    /// The elapsed time in milliseconds, without the clocks' offset.
    pub(crate) time_ms: Cell<i64>,
    /// The offset of all machines' clocks, in milliseconds.
    pub(crate) offset_ms: Cell<i64>,
    /// The commits that are not yet applied to the model.
    pub(crate) log: RefCell<Vec<Commit>>,
    /// The instances that crash in the current step.
    pub(crate) crashed: RefCell<Vec<u32>>,
    /// The number of injected faults.
    pub(crate) faults: Cell<u64>,
}

/// A commit.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    /// The task that committed it.
    pub(crate) work: u32,
    pub(crate) changes: Changes,
}

/// The context of a request or a background pass on an instance.
#[derive(Debug)]
pub(crate) struct TaskContext {
    /// The task's number in the run.
    pub(crate) work: u32,
    /// The instance.
    pub(crate) instance: u32,
    /// The skew of the instance's clock, in milliseconds.
    pub(crate) skew_ms: i64,
    /// Whether the task runs without waits and faults.
    pub(crate) is_fault_free: bool,
    /// The elapsed time until which the task waits.
    pub(crate) wake_ms: Cell<i64>,
    /// The time of the instance's clock that the task uses.
    pub(crate) now: Cell<Timestamp>,
    /// The number of faults injected into the task.
    pub(crate) faults: Cell<u32>,
    /// Whether the task is a background pass, for mutations.
    pub(crate) is_pass: bool,
    /// The time of a dispatch pass.
    pub(crate) dispatched_at: Cell<Option<Timestamp>>,
    /// The orders that do not search yet at the start of a pass, with their versions.
    pub(crate) waiting: Vec<(OrderId, u32)>,
    /// The searching orders and the idle couriers at the start of a pass.
    pub(crate) waits: Waits,
    /// The number of commits of the task.
    pub(crate) commits: Cell<u64>,
    /// Whether the request is a preview, for mutations.
    pub(crate) is_preview: bool,
    /// Whether the request contains a quote, for mutations.
    pub(crate) has_quote: bool,
    /// Whether the request is a pickup, for mutations.
    pub(crate) is_pickup: bool,
    /// The caller's store, after the lookup of its key.
    pub(crate) caller: Cell<Option<despacho_core::model::StoreId>>,
}

impl Service {
    /// Creates a service without data.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Service {
        let mut rng = Rng::new(seed, 1);
        let mut settings = Settings {
            operator: operator_token(OPERATOR).ok(),
            secret: Secret(SECRET),
            ..Settings::default()
        };
        // In some runs, a failing webhook is disabled within the run.
        settings.webhooks.disable_after = [300, 6].get(rng.index(2)).copied().unwrap_or(300);
        settings.dispatch.silence_timeout_minutes =
            [10, 3].get(rng.index(2)).copied().unwrap_or(10);
        settings.limits.writes_per_minute =
            [120, 120, 12].get(rng.index(3)).copied().unwrap_or(120);
        Service {
            backend: Backend::new(seed, mutation),
            settings,
            fault_rates: Cell::new(FaultRates::random(&mut rng)),
            rng: RefCell::new(rng),
            time_ms: Cell::new(0),
            offset_ms: Cell::new(0),
            log: RefCell::new(Vec::new()),
            crashed: RefCell::new(Vec::new()),
            faults: Cell::new(0),
        }
    }

    /// Returns the time of the clocks without an instance's skew.
    pub(crate) fn clock(&self) -> Timestamp {
        Timestamp::from_millis(START_MS + self.time_ms.get() + self.offset_ms.get())
    }

    /// Decides whether to inject a fault with this rate, and counts it.
    pub(crate) fn injects_fault(&self, context: &TaskContext, per_mille: u32) -> bool {
        let is_injected =
            !context.is_fault_free && per_mille > 0 && self.rng.borrow_mut().often(per_mille);
        if is_injected {
            context.faults.set(context.faults.get() + 1);
            self.faults.set(self.faults.get() + 1);
        }
        is_injected
    }

    /// Commits changes and logs them for the model.
    pub(crate) fn apply(&self, context: &TaskContext, changes: &Changes) -> Result<(), HostError> {
        let result = self.backend.commit(changes);
        context.commits.set(context.commits.get() + 1);
        if result.is_ok() {
            self.log.borrow_mut().push(Commit {
                work: context.work,
                changes: changes.clone(),
            });
        }
        result
    }

    /// Returns the stored hash of a key.
    pub(crate) fn hash(text: &str) -> KeyHash {
        KeyHash::of(text)
    }
}

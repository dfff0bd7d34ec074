//! What all instances share, and what one request has to itself.

use std::cell::{Cell, RefCell};

use despacho_core::{
    changes::Changes,
    host::HostError,
    model::{Timestamp, store::KeyHash},
    rules::settings::{Secret, Settings, operator_token},
};

use crate::{backend::Backend, fault_rates::FaultRates, mutation::Mutation, rng::Rng};

/// The operator's token in every run.
pub(crate) const OPERATOR: &str = "operator-token-of-the-simulation";
/// The deployment's secret in every run.
pub(crate) const SECRET: [u8; 32] = [7; 32];
/// Where the clock starts: 12:00 UTC of 21 November 2026, in milliseconds since 1970.
const START_MS: i64 = 1_795_262_400_000;

/// The service: its database, its settings, its clock, and the weather that it runs in.
pub(crate) struct Service {
    pub(crate) backend: Backend,
    pub(crate) settings: Settings,
    pub(crate) fault_rates: Cell<FaultRates>,
    pub(crate) rng: RefCell<Rng>,
    /// Milliseconds that have really passed.
    pub(crate) time_ms: Cell<i64>,
    /// How far the machines' clocks were set off since.
    pub(crate) offset_ms: Cell<i64>,
    /// Commits that took place and that the model has not seen yet.
    pub(crate) log: RefCell<Vec<Committed>>,
    /// Instances that died in the step that is running.
    pub(crate) doomed: RefCell<Vec<u32>>,
    /// Faults that were injected.
    pub(crate) faults: Cell<u64>,
}

/// A commit that took place.
#[derive(Clone, Debug)]
pub(crate) struct Committed {
    /// The request, or the round, that it came from.
    pub(crate) work: u32,
    pub(crate) changes: Changes,
}

/// One request, or one round in the background, on one instance.
#[derive(Debug)]
pub(crate) struct Own {
    /// Its number in the run.
    pub(crate) work: u32,
    /// Where it runs.
    pub(crate) instance: u32,
    /// How far the instance's clock is off, in milliseconds.
    pub(crate) skew_ms: i64,
    /// Whether it meets no fault and does not wait.
    pub(crate) calm: bool,
    /// Until when it waits, by the time that has really passed.
    pub(crate) wake_ms: Cell<i64>,
    /// When it happens, by its instance's clock: the one moment that a request draws.
    pub(crate) now: Cell<Timestamp>,
    /// Faults that it met.
    pub(crate) faults: Cell<u32>,
    /// Whether it is a preview, whether it names a quote, and whether it picks up: mutations ask.
    pub(crate) preview: bool,
    pub(crate) quoted: bool,
    pub(crate) picks_up: bool,
    /// The caller's store and its matrix, once the key was looked up.
    pub(crate) caller: Cell<Option<despacho_core::model::StoreId>>,
}

impl Service {
    /// A service without data.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Service {
        let mut rng = Rng::new(seed, 1);
        let mut settings =
            Settings { operator: operator_token(OPERATOR).ok(), secret: Secret(SECRET), ..Settings::default() };
        // A receiver that stays deaf is given up within a run, in some runs.
        settings.webhooks.disable_after = [300, 6].get(rng.index(2)).copied().unwrap_or(300);
        settings.dispatch.silence_timeout_minutes = [10, 3].get(rng.index(2)).copied().unwrap_or(10);
        settings.limits.writes_per_minute = [120, 120, 12].get(rng.index(3)).copied().unwrap_or(120);
        Service {
            backend: Backend::new(seed, mutation),
            settings,
            fault_rates: Cell::new(FaultRates::of(&mut rng)),
            rng: RefCell::new(rng),
            time_ms: Cell::new(0),
            offset_ms: Cell::new(0),
            log: RefCell::new(Vec::new()),
            doomed: RefCell::new(Vec::new()),
            faults: Cell::new(0),
        }
    }

    /// What the clocks tell, but for an instance's own skew.
    pub(crate) fn clock(&self) -> Timestamp {
        Timestamp::from_millis(START_MS + self.time_ms.get() + self.offset_ms.get())
    }

    /// Whether a fault of this frequency strikes now.
    pub(crate) fn strikes(&self, own: &Own, per_mille: u32) -> bool {
        let strikes = !own.calm && per_mille > 0 && self.rng.borrow_mut().often(per_mille);
        if strikes {
            own.faults.set(own.faults.get() + 1);
            self.faults.set(self.faults.get() + 1);
        }
        strikes
    }

    /// Carries a commit out and tells the model.
    pub(crate) fn apply(&self, own: &Own, changes: &Changes) -> Result<(), HostError> {
        let done = self.backend.commit(changes);
        if done.is_ok() {
            self.log.borrow_mut().push(Committed { work: own.work, changes: changes.clone() });
        }
        done
    }

    /// What is kept of a key's text.
    pub(crate) fn hash(text: &str) -> KeyHash {
        KeyHash::of(text)
    }
}

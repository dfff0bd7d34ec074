//! The health of writes, by this process's clock.

use std::{sync::Arc, time::Instant};

use despacho_core::host::HostError;
use despacho_sql::{WriteHealth, WriteState};

/// The writer records results, and readiness reads the state.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    writes: Arc<WriteHealth>,
    opened: Instant,
}

impl Health {
    pub(crate) fn new() -> Health {
        Health {
            writes: Arc::default(),
            opened: Instant::now(),
        }
    }

    pub(crate) fn record(&self, result: Result<(), &HostError>) {
        self.writes.record(result, self.opened.elapsed());
    }

    pub(crate) fn state(&self) -> WriteState {
        self.writes.state(self.opened.elapsed())
    }
}

//! An order's life: which steps there are, who takes them, and what each changes.

mod allocation;
mod cancel;
mod carry;
mod clock;
mod codes;
mod create;
mod progress;
mod signal;
mod step;
pub mod table;

pub use allocation::{allocate, decline, release};
pub use cancel::{
    Cancellation, CancellationTerms, Mode, Repriced, cancel, cancel_by_platform, cancel_stop, stop_terms, terms,
    without,
};
pub use carry::{Carry, FailedStep, carry, next_steps};
pub use clock::{Timing, expire, next_deadline, platform};
pub use codes::{LOCK, TRIES};
pub use create::{CreateOrderError, CreateOrderInput, NewOrder, NewStop, create};
pub use progress::{Progress, ReplayError, StopProgress, TransitionEvent};
pub use signal::{Signal, lose, signal};
pub use step::{StepError, StepOutcome};

//! The order lifecycle: all steps, the actors that may take them, and their effects.

mod allocation;
mod cancel;
mod carry;
mod clock;
mod codes;
mod create;
mod estimate;
mod payment;
mod progress;
mod recipient;
mod signal;
mod step;
pub mod table;

pub use allocation::{ChosenCourier, ReassignError, allocate, decline, reassign, release};
pub use cancel::{
    Cancellation, CancellationTerms, Mode, Repricing, cancel, cancel_by_platform, cancel_stop,
    stop_terms, terms, without,
};
pub use carry::{Carry, CodeCheck, CourierStep, FailedStep, carry, next_steps};
pub use clock::{Timing, expire, next_deadline, platform};
pub use codes::{LOCKOUT, MAX_WRONG_CODES};
pub use create::{CreateOrderError, CreateOrderInput, NewOrder, NewStop, TimeLimits, create};
pub use estimate::estimate;
pub use payment::{Receipt, record_payment};
pub use progress::{Progress, ReplayError, StopProgress, TransitionEvent};
pub use recipient::{RecipientStep, RecipientStepError, recipient_step};
pub use signal::{Carrier, Signal, lose, signal};
pub use step::{StepError, StepOutcome};

//! What couriers earn: plans, the terms of each courier, and the entries of their pay.
//!
//! A plan is a name with versions. Each version is immutable and has a time from which it applies,
//! like a tariff. An order keeps the version that was in force when it was assigned, so a later
//! change moves nothing that a courier was shown.

mod check;
mod entry;
mod order;
mod plan;
mod terms;

pub use check::PayPlanError;
pub use entry::{PayEntry, PayKind, PayLine, PayPeriod, PaySource, RecordedPayEntry};
pub use order::{OrderPay, TripPosition};
pub use plan::{
    Band, Bonus, CancelledPercent, Combine, Commission, PayPlan, ReturnPay, ShiftPay,
    StoredPayPlan, WaitingPay,
};
pub use terms::{PayTerms, Payer};

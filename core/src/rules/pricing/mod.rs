//! What an order costs and when it arrives.

mod fee;
mod inquiry;
mod plan;
mod seal;
mod tariff;

pub use fee::{Priced, price, total};
pub use inquiry::{InquiredStop, Inquiry};
pub use plan::{Plan, PlanError, Request, Stop, Times, plan};
pub use seal::{Quote, SealError};
pub use tariff::{Tariff, TariffError, Window};

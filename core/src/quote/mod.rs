//! What an order costs and when it arrives.

mod fee;
mod plan;
mod seal;
mod tariff;

pub use fee::{PriceLine, Rule, price, total};
pub use plan::{Plan, PlanFault, Request, Stop, Times, plan};
pub use seal::{Quote, SealFault};
pub use tariff::{Tariff, TariffFault, Window};

//! Fees and expected times of orders.

mod basis;
mod compare;
mod fee;
mod inquiry;
mod plan;
mod range;
mod request;
mod schedule;
mod seal;

pub use crate::model::tariff::{Tariff, TariffError, VehicleSurcharge, Window};
pub use basis::{PriceBasis, QuoteDifference};
pub use compare::{Comparison, FeeSums};
pub use fee::{FeeInput, price, total};
pub use inquiry::{Inquiry, InquiryStop, Returns};
pub use plan::{Plan, plan};
pub use range::FeeRange;
pub use request::{PlanError, Request, Stop};
pub use schedule::Times;
pub use seal::{Quote, SealError};

//! Registering, changing and locating couriers.

mod presence;
mod register;

pub use presence::{Noted, note, set_available};
pub use register::{Alteration, Altered, CourierTerms, NewCourier, alter, register};

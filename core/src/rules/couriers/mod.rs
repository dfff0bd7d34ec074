//! Registering, changing and locating couriers.

mod presence;
mod register;

pub use presence::{PositionUpdate, note, set_available};
pub use register::{Alteration, Altered, CourierTerms, NewCourier, alter, register};

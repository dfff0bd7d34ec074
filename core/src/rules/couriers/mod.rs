//! Registration and changes of couriers, and updates of their positions.

mod presence;
mod register;

pub use presence::{PositionUpdate, record_position, set_available};
pub use register::{CourierChange, CourierKeyParams, CourierUpdate, NewCourier, alter, register};

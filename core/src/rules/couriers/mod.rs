//! Registration and changes of couriers, keys of their devices, and updates of their positions.

mod device;
mod presence;
mod register;

pub use device::{accepts_device_key, device_courier, device_key_text, issue_device_key, remove_device_key};
pub use presence::{PositionUpdate, record_position, set_available};
pub use register::{CourierChange, CourierKeyParams, CourierUpdate, NewCourier, alter, register};

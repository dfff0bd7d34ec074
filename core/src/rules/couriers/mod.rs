//! Registration and changes of couriers, their sessions, keys of their devices, and updates of
//! their positions.

mod credential;
mod device;
mod presence;
mod register;
mod session;
mod state;

pub use credential::Credential;
pub use device::{accepts_device_key, issue_device_key, remove_device_key};
pub use presence::{PositionUpdate, record_position, set_available};
pub use register::{CourierChange, CourierKeyParams, CourierUpdate, NewCourier, alter, register};
pub use session::{end_sessions, find_session, issue_sign_in_code, start_session};
pub use state::{CourierState, CourierStatus};

//! Every rule of Despacho, without I/O.
//!
//! The crate knows no clock, no network, no database and no thread: time and entropy come as a [`domain::Moment`].

pub mod domain;
pub mod geo;
pub mod route;

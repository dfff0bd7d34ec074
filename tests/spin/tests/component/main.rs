//! The built component on a test host: what no case of tests/cases can show.

mod configuration;
mod faults;
mod limits;
mod postgres;
mod side_by_side;
mod support;
mod surface;

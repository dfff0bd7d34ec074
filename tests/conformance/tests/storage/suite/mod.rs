//! The cases, by theme. Each takes an empty backend.

pub(crate) mod aggregates;
pub(crate) mod changes;
pub(crate) mod dispatch;
pub(crate) mod exactness;
pub(crate) mod fairness;
pub(crate) mod journal;
pub(crate) mod lists;
mod model;
pub(crate) mod money;
pub(crate) mod notices;
pub(crate) mod outward;
pub(crate) mod privacy;

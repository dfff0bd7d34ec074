//! Tests of the route engine on random problems from fixed seeds, compared with an exhaustive
//! search.

mod assignments;
mod instances;
mod lines;
mod orders;

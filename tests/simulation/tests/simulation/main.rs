//! Short runs of the simulation, its mutations and the fuzz targets.

mod fuzz;
mod mutations;
mod night;
mod short;

//! Short runs of the simulation and of the fuzz targets, and the broken rules that the simulation finds.

mod fuzz;
mod mutations;
mod short;

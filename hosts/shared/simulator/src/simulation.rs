//! Configuration of the simulation.

/// Configuration of the simulated couriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Simulation {
    /// Maximum number of simulated couriers per sandbox store.
    pub couriers_per_store: u32,
    /// Speed as a multiple of real time, at least 1.
    pub speed: u32,
}

impl Default for Simulation {
    fn default() -> Simulation {
        Simulation {
            couriers_per_store: 5,
            speed: 30,
        }
    }
}

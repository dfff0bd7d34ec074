//! How couriers are simulated.

/// How couriers are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Simulation {
    /// The maximum number of simulated couriers of each sandbox store.
    pub couriers_per_store: u32,
    /// Speed as a multiple of real time, from 1.
    pub speed: u32,
}

impl Default for Simulation {
    fn default() -> Simulation {
        Simulation { couriers_per_store: 5, speed: 30 }
    }
}

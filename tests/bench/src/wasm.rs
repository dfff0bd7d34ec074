//! The same questions asked to the core as a wasm guest, where this command is built with one.

use std::error::Error;

/// The guest, compiled once.
pub(crate) struct Wasm {
    #[cfg(feature = "wasm")]
    guest: despacho_bench::parity::guest::Guest,
}

impl Wasm {
    /// Builds and compiles the guest; none where this command was built without it.
    #[cfg(feature = "wasm")]
    pub(crate) fn build() -> Result<Option<Wasm>, Box<dyn Error>> {
        Ok(Some(Wasm { guest: despacho_bench::parity::guest::Guest::build()? }))
    }

    /// None: this command was built without it.
    #[cfg(not(feature = "wasm"))]
    pub(crate) fn build() -> Result<Option<Wasm>, Box<dyn Error>> {
        println!("built without the feature `wasm`: native times alone");
        Ok(None)
    }

    /// Milliseconds that the guest takes for one line, the least of some rounds of `repeats` each.
    #[cfg(feature = "wasm")]
    pub(crate) fn ms(&self, line: &str, rounds: u32, repeats: u32) -> Result<f64, Box<dyn Error>> {
        let requests: Vec<String> = (0..rounds).map(|_| format!("repeat {repeats} {line}")).collect();
        let responses = self.guest.response(&requests)?;
        let times = responses.iter().map(|response| response.took.as_secs_f64() * 1e3 / f64::from(repeats));
        Ok(times.fold(f64::MAX, f64::min))
    }

    /// Never called: there is no guest.
    #[cfg(not(feature = "wasm"))]
    pub(crate) fn ms(&self, _line: &str, _rounds: u32, _repeats: u32) -> Result<f64, Box<dyn Error>> {
        Err("built without the feature `wasm`".into())
    }
}

//! Runs the same problems on the core as a wasm guest, if this command is built with the feature
//! `wasm`.

use std::error::Error;

/// The compiled guest.
pub(crate) struct Wasm {
    #[cfg(feature = "wasm")]
    guest: despacho_bench::parity::guest::Guest,
}

impl Wasm {
    /// Builds and compiles the guest.
    #[cfg(feature = "wasm")]
    pub(crate) fn build() -> Result<Option<Wasm>, Box<dyn Error>> {
        Ok(Some(Wasm {
            guest: despacho_bench::parity::guest::Guest::build()?,
        }))
    }

    /// Returns `None`: this command was built without the feature `wasm`.
    #[cfg(not(feature = "wasm"))]
    pub(crate) fn build() -> Result<Option<Wasm>, Box<dyn Error>> {
        println!("built without the feature `wasm`: only native times");
        Ok(None)
    }

    /// Returns the guest's milliseconds for one line: the minimum of `rounds` rounds of `repeats`
    /// each.
    #[cfg(feature = "wasm")]
    pub(crate) fn ms(&self, line: &str, rounds: u32, repeats: u32) -> Result<f64, Box<dyn Error>> {
        let requests: Vec<String> = (0..rounds)
            .map(|_| format!("repeat {repeats} {line}"))
            .collect();
        let responses = self.guest.run(&requests)?;
        let times = responses
            .iter()
            .map(|response| response.elapsed.as_secs_f64() * 1e3 / f64::from(repeats));
        Ok(times.fold(f64::MAX, f64::min))
    }

    /// Never called, because there is no guest.
    #[cfg(not(feature = "wasm"))]
    pub(crate) fn ms(
        &self,
        _line: &str,
        _rounds: u32,
        _repeats: u32,
    ) -> Result<f64, Box<dyn Error>> {
        Err("built without the feature `wasm`".into())
    }
}

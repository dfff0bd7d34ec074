//! The fuzz target `photo` for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| despacho_simulation::fuzz::panic_on_failure("photo", bytes));

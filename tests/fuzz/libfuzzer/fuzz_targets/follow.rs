//! The target `follow` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| despacho_simulation::fuzz::crash_if_wrong("follow", bytes));

//! Order lifecycle: the transition table, all paths through it, and the steps over the API.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests panic on failure")]

mod cancel_paths;
mod cash;
mod coverage;
mod devices;
#[path = "../../examples/embed.rs"]
mod embed;
mod follow;
mod lead;
mod model;
mod money;
mod notify;
mod open_delivery;
mod page;
mod photo_files;
mod photos;
mod privacy;
mod proofs;
mod recipient;
mod rejected;
mod schedule;
mod sign_in;
mod step_time;
mod steps;
mod support;
mod tariffs;
mod texts;
mod trip_state;
mod trips;

#[test]
fn embedded_host_completes_an_order() {
    embed::main();
}

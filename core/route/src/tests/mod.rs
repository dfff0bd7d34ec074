//! Tests of the route engine on random questions from a fixed seed, beside a brute force that tries every order.

mod assignments;
mod deck;
mod lines;
mod orders;

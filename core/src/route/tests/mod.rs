//! Tests of the route engine on random questions from a fixed seed, beside a brute force that tries every order.

mod deck;
mod orders;

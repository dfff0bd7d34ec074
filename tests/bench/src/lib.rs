//! Shared parts of the benchmarks: a client with little overhead, orders to send, and problems for
//! the route engine.

pub mod client;
pub mod orders;
pub mod parity;

/// Any error of a benchmark.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Returns the median, or the default value of an empty list.
pub fn median<T: Copy + PartialOrd + Default>(values: &[T]) -> T {
    let mut values = values.to_vec();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

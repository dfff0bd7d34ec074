//! The rate limiter's memory: one instant for each bucket, for as long as it matters.

use std::collections::HashMap;

use despacho_core::{
    model::Timestamp,
    rules::limits::{Admission, Bucket, TheoreticalArrival},
};

/// Buckets that are remembered; some 10 MB.
const CAPACITY: usize = 100_000;

/// Every bucket's state, in this process alone.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    arrivals: HashMap<String, TheoreticalArrival>,
}

impl Admissions {
    pub(crate) fn admit(&mut self, bucket: &Bucket, now: Timestamp) -> Admission {
        let stored = self.arrivals.get(&bucket.name).copied();
        let (admission, next) = bucket.admit(stored, now);
        if let Some(next) = next {
            if stored.is_none() && self.arrivals.len() >= CAPACITY {
                self.make_room(now);
            }
            self.arrivals.insert(bucket.name.clone(), next);
        }
        admission
    }

    /// Forgets the buckets that are full again, which changes nothing; and where none is, the tenth that is nearest to it, so that
    /// a flood of callers cannot take all memory.
    fn make_room(&mut self, now: Timestamp) {
        self.arrivals.retain(|_, arrival| *arrival > TheoreticalArrival::at(now));
        if self.arrivals.len() < CAPACITY - CAPACITY / 10 {
            return;
        }
        let mut arrivals: Vec<TheoreticalArrival> = self.arrivals.values().copied().collect();
        let (_, bound, _) = arrivals.select_nth_unstable(CAPACITY / 10);
        let bound = *bound;
        self.arrivals.retain(|_, arrival| *arrival > bound);
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::{model::Duration, rules::limits::Usage};

    use super::*;

    #[test]
    fn a_flood_of_callers_takes_bounded_memory_and_forgets_the_idle_first() {
        let mut admissions = Admissions::default();
        let bucket = |name: String| Bucket { name, usage: Usage::Read, quota: 2, window: Duration::minutes(1) };
        let now = Timestamp::from_millis(1_000_000_000);
        let busy = bucket("busy".to_owned());
        admissions.admit(&busy, now);
        admissions.admit(&busy, now);
        for caller in 0..2 * CAPACITY {
            assert!(admissions.admit(&bucket(caller.to_string()), now).admitted);
            assert!(admissions.arrivals.len() <= CAPACITY);
        }
        let mut later = admissions;
        for caller in 0..CAPACITY {
            later.admit(&bucket(format!("later {caller}")), now.after(Duration::minutes(2)));
        }
        assert!(later.arrivals.len() <= CAPACITY);
    }
}

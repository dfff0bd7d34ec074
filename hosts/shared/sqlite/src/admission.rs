//! The rate limiter's state in memory: the theoretical arrival of each bucket that is not full.

use std::collections::HashMap;

use despacho_core::{
    model::Timestamp,
    rules::limits::{Admission, Bucket, TheoreticalArrival},
};

/// Maximum buckets, of about 10 MB.
const MAX_BUCKETS: usize = 100_000;

/// The state of every bucket, in this process only.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    arrivals: HashMap<String, TheoreticalArrival>,
}

impl Admissions {
    pub(crate) fn admit(&mut self, bucket: &Bucket, now: Timestamp) -> Admission {
        let stored = self.arrivals.get(&bucket.name).copied();
        let (admission, next) = bucket.admit(stored, now);
        if let Some(next) = next {
            if stored.is_none() && self.arrivals.len() >= MAX_BUCKETS {
                self.make_room(now);
            }
            self.arrivals.insert(bucket.name.clone(), next);
        }
        admission
    }

    /// Removes the buckets that are full, which have the same effect as missing ones. If too few
    /// are full, also removes the tenth that are nearest to full, so that many callers cannot
    /// exhaust the memory.
    fn make_room(&mut self, now: Timestamp) {
        self.arrivals
            .retain(|_, arrival| *arrival > TheoreticalArrival::at(now));
        if self.arrivals.len() < MAX_BUCKETS - MAX_BUCKETS / 10 {
            return;
        }
        let mut arrivals: Vec<TheoreticalArrival> = self.arrivals.values().copied().collect();
        let (_, bound, _) = arrivals.select_nth_unstable(MAX_BUCKETS / 10);
        let bound = *bound;
        self.arrivals.retain(|_, arrival| *arrival > bound);
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::{model::Duration, rules::limits::Usage};

    use super::*;

    #[test]
    fn many_callers_use_bounded_memory() {
        let mut admissions = Admissions::default();
        let bucket = |name: String| Bucket {
            name,
            usage: Usage::Read,
            quota: 2,
            window: Duration::minutes(1),
        };
        let now = Timestamp::from_millis(1_000_000_000);
        let busy = bucket("busy".to_owned());
        admissions.admit(&busy, now);
        admissions.admit(&busy, now);
        for caller in 0..2 * MAX_BUCKETS {
            assert!(admissions.admit(&bucket(caller.to_string()), now).admitted);
            assert!(admissions.arrivals.len() <= MAX_BUCKETS);
        }
        let mut later = admissions;
        for caller in 0..MAX_BUCKETS {
            later.admit(
                &bucket(format!("later {caller}")),
                now.after(Duration::minutes(2)),
            );
        }
        assert!(later.arrivals.len() <= MAX_BUCKETS);
    }
}

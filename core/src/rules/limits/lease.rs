//! Leases of several tokens of a bucket. An instance that serves a busy client reads the shared
//! counter only now and then instead of for each request.
//!
//! Tokens are counted when they are leased, so all instances together never admit more requests
//! than the bucket allows. Tokens that are not used within [`Lease::TTL`] are lost until the bucket
//! refills. A lease is therefore no larger than what the client used in a second during the
//! previous one, and only taken while half of the quota would remain. The second half, and every
//! small quota, is counted request by request.

use super::{Admission, Bucket, Count, TheoreticalArrival};
use crate::model::{Duration, Timestamp};

/// Leased tokens of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The bucket's arrival time with all leased tokens counted.
    arrival: TheoreticalArrival,
    tokens: u32,
    left: u32,
    taken_at: Timestamp,
}

impl Lease {
    /// Time during which the tokens can be used.
    pub const TTL: Duration = Duration::seconds(1);
    /// Maximum number of tokens of a lease. For small quotas it is a sixteenth of the quota.
    pub const MAX_TOKENS: u32 = 64;
    /// A lease has at most this many times the tokens of the previous one.
    const GROWTH: u32 = 4;

    /// Creates a lease of tokens for which the shared counter returned this arrival time. The first
    /// token is used by the current request.
    pub fn taken(tokens: u32, arrival: TheoreticalArrival, now: Timestamp) -> Lease {
        Lease {
            arrival,
            tokens,
            left: tokens.saturating_sub(1),
            taken_at: now,
        }
    }

    /// Merges the lease with one that a concurrent request obtained. The result expires with the
    /// older one.
    #[must_use]
    pub fn merge(self, held: Lease, now: Timestamp) -> Lease {
        let tokens = self.tokens.max(held.tokens);
        if held.left == 0 || !held.is_valid(now) {
            return Lease {
                tokens,
                arrival: self.arrival.max(held.arrival),
                ..self
            };
        }
        Lease {
            arrival: self.arrival.max(held.arrival),
            tokens,
            left: self.left.saturating_add(held.left),
            taken_at: self.taken_at.min(held.taken_at),
        }
    }

    /// Uses a token, if one is left and the lease has not expired.
    pub fn give(&mut self, bucket: &Bucket, now: Timestamp) -> Option<Admission> {
        self.left = self.left.checked_sub(1).filter(|_| self.is_valid(now))?;
        Some(self.admission(bucket, now))
    }

    /// Returns the number of tokens to request next: as many as the client needs within
    /// [`Lease::TTL`] at its present rate, up to four times those of this lease. If this lease was
    /// not used up before it expired, it is one. Marks them as requested, so concurrent requests
    /// take one each until they arrive.
    pub fn request_next(&mut self, bucket: &Bucket, now: Timestamp) -> u32 {
        let tokens = self.next_token_count(bucket, now);
        self.tokens = 0;
        tokens
    }

    fn next_token_count(&self, bucket: &Bucket, now: Timestamp) -> u32 {
        let max = Lease::MAX_TOKENS.min(bucket.quota / 16).max(1);
        let used_up = self.left == 0 && self.is_valid(now);
        let grown = self
            .tokens
            .saturating_mul(Lease::GROWTH)
            .min(self.needed(now))
            .clamp(1, max);
        let mut tokens = if used_up { grown } else { 1 };
        // The tokens must fit in addition to those known; other instances may have counted more.
        while tokens > 1
            && bucket
                .count_several(tokens, now)
                .is_none_or(|count| self.arrival > count.last)
        {
            tokens /= Lease::GROWTH;
        }
        tokens.max(1)
    }

    /// Returns how many tokens the client needs within [`Lease::TTL`] at its rate during this
    /// lease.
    fn needed(&self, now: Timestamp) -> u32 {
        let elapsed = now.since(self.taken_at).as_millis().max(1);
        let needed = i64::from(self.tokens).saturating_mul(Lease::TTL.as_millis()) / elapsed;
        u32::try_from(needed).unwrap_or(u32::MAX)
    }

    /// Returns the admission for the client. Unused tokens of the lease count as available.
    pub fn admission(&self, bucket: &Bucket, now: Timestamp) -> Admission {
        let left = i64::from(self.left) * bucket.count(now).step_micros;
        bucket.counted(TheoreticalArrival(self.arrival.micros() - left), now)
    }

    /// Returns whether the lease has not expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        // If the clock was set back, the lease's age is unknown.
        now >= self.taken_at && now.since(self.taken_at) <= Lease::TTL
    }
}

impl Bucket {
    /// Returns how to count several requests at once so that half of the quota remains, or `None`
    /// if they exceed the first half. A single request is counted as in [`Bucket::count`], up to
    /// the full quota.
    pub fn count_several(&self, tokens: u32, now: Timestamp) -> Option<Count> {
        let one = self.count(now);
        if tokens == 1 {
            return Some(one);
        }
        let step_micros = one.step_micros.saturating_mul(tokens.into());
        let from = one.from.micros();
        let last = from + (one.full.micros() - from) / 2 - step_micros;
        let count = Count {
            fresh: TheoreticalArrival(from + step_micros),
            last: TheoreticalArrival(last),
            step_micros,
            ..one
        };
        (last >= from).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::limits::Usage;

    fn start() -> Timestamp {
        Timestamp::from_millis(1_000_000)
    }

    fn bucket(quota: u32) -> Bucket {
        Bucket {
            name: "preview/1".into(),
            usage: Usage::Preview,
            quota,
            window: Duration::minutes(1),
        }
    }

    /// The shared counter, as implemented by databases.
    #[derive(Default)]
    struct Shared {
        arrival: Option<TheoreticalArrival>,
        requests: u32,
        tokens: u32,
    }

    impl Shared {
        fn count(
            &mut self,
            bucket: &Bucket,
            tokens: u32,
            now: Timestamp,
        ) -> Option<TheoreticalArrival> {
            self.requests += 1;
            let count = bucket.count_several(tokens, now)?;
            let next = match self.arrival {
                Some(stored) if stored > count.last && stored <= count.full => return None,
                Some(stored) if stored >= count.from && stored <= count.last => {
                    TheoreticalArrival(stored.micros() + count.step_micros)
                }
                _ => count.fresh,
            };
            self.arrival = Some(next);
            self.tokens += tokens;
            Some(next)
        }
    }

    /// Handles a request in an instance. Returns the admission, or `None` if it is rejected.
    fn admit(
        lease: &mut Option<Lease>,
        shared: &mut Shared,
        bucket: &Bucket,
        now: Timestamp,
    ) -> Option<Admission> {
        if let Some(admission) = lease.as_mut().and_then(|lease| lease.give(bucket, now)) {
            return Some(admission);
        }
        let tokens = lease
            .as_mut()
            .map_or(1, |lease| lease.request_next(bucket, now));
        let several = (tokens > 1)
            .then(|| shared.count(bucket, tokens, now))
            .flatten()
            .map(|next| (tokens, next));
        let (tokens, next) =
            several.or_else(|| shared.count(bucket, 1, now).map(|next| (1, next)))?;
        let taken = Lease::taken(tokens, next, now);
        *lease = Some(taken);
        Some(taken.admission(bucket, now))
    }

    #[test]
    fn single_instance_admits_the_quota_and_counts_down() {
        for quota in [1, 5, 31, 120, 600, 10_000] {
            let (bucket, mut lease, mut shared) = (bucket(quota), None, Shared::default());
            for left in (0..quota).rev() {
                let admission = admit(&mut lease, &mut shared, &bucket, start()).unwrap();
                assert_eq!(
                    (admission.admitted, admission.remaining),
                    (true, left),
                    "of {quota}"
                );
            }
            assert_eq!(admit(&mut lease, &mut shared, &bucket, start()), None);
            assert!(
                quota < 600 || shared.requests < quota * 3 / 5,
                "{} shared requests for {quota}",
                shared.requests
            );
        }
    }

    #[test]
    fn busy_client_with_large_quota_needs_few_shared_requests() {
        let (bucket, mut lease, mut shared) = (bucket(1_000_000), None, Shared::default());
        for request in 0..10_000 {
            assert!(
                admit(
                    &mut lease,
                    &mut shared,
                    &bucket,
                    start().after(Duration::millis(request / 4))
                )
                .is_some()
            );
        }
        assert!(shared.requests <= 10_000 / 64 + 4, "{}", shared.requests);
    }

    #[test]
    fn steady_client_loses_few_tokens() {
        for (rate, quota) in [(6, 600), (8, 600), (20, 2_400), (70, 12_000)] {
            let (bucket, mut lease, mut shared) = (bucket(quota), None, Shared::default());
            let requests = 60 * rate;
            for request in 0..requests {
                let at = start().after(Duration::millis(i64::from(request * 1_000 / rate)));
                assert!(admit(&mut lease, &mut shared, &bucket, at).is_some());
            }
            assert!(
                shared.tokens <= requests * 11 / 10,
                "{} tokens for {requests} requests",
                shared.tokens
            );
            assert!(
                shared.requests <= requests * 2 / 3,
                "{} shared requests for {requests}",
                shared.requests
            );
        }
    }

    #[test]
    fn several_instances_never_exceed_the_algorithm() {
        let mut random = 7_u64;
        let mut random_below = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for run in 0..400_u64 {
            let quota = [3, 16, 47, 120, 600, 5_000][usize::try_from(run % 6).unwrap()];
            let (bucket, mut shared) = (bucket(quota), Shared::default());
            let mut instances = vec![None; usize::try_from(1 + random_below(9)).unwrap()];
            let (mut now, mut admitted, pace) = (start(), Vec::new(), 1 + random_below(60));
            for _ in 0..3 * quota {
                now = now.after(Duration::millis(i64::try_from(random_below(pace)).unwrap()));
                let one = usize::try_from(random_below(instances.len() as u64)).unwrap();
                if random_below(100) == 0 {
                    instances[one] = None;
                }
                if admit(&mut instances[one], &mut shared, &bucket, now).is_some() {
                    admitted.push(now.millis());
                }
            }
            // The algorithm admits a quota at once and then one request per step. A leased token
            // can be used up to the lease's TTL later.
            let step = 60_000.0 / f64::from(quota);
            for (first, from) in admitted.iter().enumerate() {
                let max = |to: i64| f64::from(quota) + ((to - from + 1_000) as f64) / step + 1.0;
                for (passed, to) in admitted[first..].iter().enumerate() {
                    assert!(
                        passed as f64 + 1.0 <= max(*to),
                        "{passed} of {quota} from {from} to {to}"
                    );
                }
                if first > 200 {
                    break;
                }
            }
        }
    }

    #[test]
    fn expired_tokens_are_lost_and_next_lease_is_small() {
        let bucket = bucket(600);
        let mut lease = Lease::taken(8, bucket.count_several(8, start()).unwrap().fresh, start());
        assert_eq!(lease.admission(&bucket, start()).remaining, 599);
        assert_eq!(
            lease
                .give(&bucket, start())
                .map(|admission| admission.remaining),
            Some(598)
        );
        let in_time = start().after(Lease::TTL);
        assert!(lease.give(&bucket, in_time).is_some());
        let late = in_time.after(Duration::millis(1));
        assert_eq!(lease.give(&bucket, late), None);
        assert_eq!(lease.request_next(&bucket, late), 1);
        assert_eq!(
            lease.give(&bucket, start().before(Duration::millis(1))),
            None,
            "clock set back"
        );
    }

    #[test]
    fn leases_of_concurrent_requests_are_merged() {
        let (bucket, mut shared) = (bucket(10_000), Shared::default());
        let mut held = Lease::taken(4, shared.count(&bucket, 4, start()).unwrap(), start());
        while held.give(&bucket, start()).is_some() {}
        assert_eq!(
            (
                held.request_next(&bucket, start()),
                held.request_next(&bucket, start())
            ),
            (16, 1),
            "only the first request takes several"
        );
        let one = Lease::taken(1, shared.count(&bucket, 1, start()).unwrap(), start())
            .merge(held, start());
        let later = start().after(Duration::millis(900));
        let both =
            Lease::taken(8, shared.count(&bucket, 8, later).unwrap(), later).merge(one, later);
        let mut both = both.merge(
            Lease::taken(3, shared.count(&bucket, 3, start()).unwrap(), start()),
            later,
        );
        for _ in 0..7 + 2 {
            assert!(both.give(&bucket, later).is_some());
        }
        assert_eq!(
            (both.give(&bucket, later), both.request_next(&bucket, later)),
            (None, 8)
        );
    }

    #[test]
    fn second_half_of_quota_is_counted_per_request() {
        let bucket = bucket(600);
        let half = TheoreticalArrival(TheoreticalArrival::at(start()).micros() + 30_000_000);
        let mut lease = Lease::taken(16, half, start());
        while lease.give(&bucket, start()).is_some() {}
        assert_eq!(lease.request_next(&bucket, start()), 1);
        let several = bucket.count_several(32, start()).unwrap();
        assert_eq!(several.last.micros() + several.step_micros, half.micros());
        assert_eq!(
            bucket.count_several(1, start()),
            Some(bucket.count(start()))
        );
        assert_eq!(bucket.count_several(301, start()), None);
    }
}

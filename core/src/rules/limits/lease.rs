//! Places of a bucket that one instance takes at once and gives out by itself, so that a busy caller costs a question to the shared
//! counter now and then in place of one for each request.
//!
//! A place is counted when it is taken, so that all instances together never give out more than the bucket has. What is not given out
//! within [`Lease::LIFE`] is lost to the caller until the bucket has refilled; so a lease grows with its caller's pace only, and only
//! while half of the quota would be left. The second half, and every small quota, is counted request by request.

use super::{Admission, Bucket, Count, TheoreticalArrival};
use crate::model::{Duration, Timestamp};

/// Places of one bucket that were taken and are still to be given out, and how many were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The bucket's arrival with all of them counted.
    arrival: TheoreticalArrival,
    places: u32,
    left: u32,
    taken_at: Timestamp,
}

impl Lease {
    /// How long its places may be given out.
    pub const LIFE: Duration = Duration::seconds(1);
    /// Places of one lease at most; of small quotas a sixteenth.
    pub const MAX_TOKENS: u32 = 32;

    /// So many places, which the shared counter answered with this arrival. The first is that of the request that asked.
    pub fn taken(places: u32, arrival: TheoreticalArrival, now: Timestamp) -> Lease {
        Lease { arrival, places, left: places.saturating_sub(1), taken_at: now }
    }

    /// The same and what another request has taken meanwhile, for as long as the older of them holds.
    #[must_use]
    pub fn merge(self, held: Lease, now: Timestamp) -> Lease {
        let places = self.places.max(held.places);
        if held.left == 0 || !held.holds(now) {
            return Lease { places, arrival: self.arrival.max(held.arrival), ..self };
        }
        Lease {
            arrival: self.arrival.max(held.arrival),
            places,
            left: self.left.saturating_add(held.left),
            taken_at: self.taken_at.min(held.taken_at),
        }
    }

    /// Gives out a place where one is left and still holds.
    pub fn give(&mut self, bucket: &Bucket, now: Timestamp) -> Option<Admission> {
        self.left = self.left.checked_sub(1).filter(|_| self.holds(now))?;
        Some(self.admission(bucket, now))
    }

    /// Returns how many places to request next: twice as many if this lease was used up in its life, otherwise one. Marks them as requested,
    /// so that concurrent requests take one each until they arrive.
    pub fn request_next(&mut self, bucket: &Bucket, now: Timestamp) -> u32 {
        let places = self.next_places(bucket, now);
        self.places = 0;
        places
    }

    fn next_places(&self, bucket: &Bucket, now: Timestamp) -> u32 {
        let max = Lease::MAX_TOKENS.min(bucket.quota / 16).max(1);
        let used_up = self.left == 0 && self.holds(now);
        let places = if used_up { self.places.saturating_mul(2).clamp(1, max) } else { 1 };
        // Whether so many fit beside those that are known of; others may have been counted meanwhile.
        let fits = bucket.count_several(places, now).is_some_and(|count| self.arrival <= count.last);
        if fits { places } else { 1 }
    }

    /// What to tell the caller after the places that were given out: those that are left count as not taken.
    pub fn admission(&self, bucket: &Bucket, now: Timestamp) -> Admission {
        let left = i64::from(self.left) * bucket.count(now).step_micros;
        bucket.counted(TheoreticalArrival(self.arrival.micros() - left), now)
    }

    /// Whether its places may be given out still.
    pub fn holds(&self, now: Timestamp) -> bool {
        // A clock that stepped back says nothing of its age.
        now >= self.taken_at && now.since(self.taken_at) <= Lease::LIFE
    }
}

impl Bucket {
    /// How to count several requests at once, so that half of the quota is left; `None` where so many are more than that half. One is
    /// counted as [`Bucket::count`] does, to the last.
    pub fn count_several(&self, places: u32, now: Timestamp) -> Option<Count> {
        let one = self.count(now);
        if places == 1 {
            return Some(one);
        }
        let step_micros = one.step_micros.saturating_mul(places.into());
        let from = one.from.micros();
        let last = from + (one.full.micros() - from) / 2 - step_micros;
        let count =
            Count { fresh: TheoreticalArrival(from + step_micros), last: TheoreticalArrival(last), step_micros, ..one };
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
        Bucket { name: "preview/1".into(), usage: Usage::Preview, quota, window: Duration::minutes(1) }
    }

    /// The shared counter, as a database carries it out.
    #[derive(Default)]
    struct Shared {
        arrival: Option<TheoreticalArrival>,
        requests: u32,
    }

    impl Shared {
        fn count(&mut self, bucket: &Bucket, places: u32, now: Timestamp) -> Option<TheoreticalArrival> {
            self.requests += 1;
            let count = bucket.count_several(places, now)?;
            let next = match self.arrival {
                Some(stored) if stored > count.last && stored <= count.full => return None,
                Some(stored) if stored >= count.from && stored <= count.last => {
                    TheoreticalArrival(stored.micros() + count.step_micros)
                }
                _ => count.fresh,
            };
            self.arrival = Some(next);
            Some(next)
        }
    }

    /// What an instance does with a request: whether it passes.
    fn admit(lease: &mut Option<Lease>, shared: &mut Shared, bucket: &Bucket, now: Timestamp) -> Option<Admission> {
        if let Some(admission) = lease.as_mut().and_then(|lease| lease.give(bucket, now)) {
            return Some(admission);
        }
        let places = lease.as_mut().map_or(1, |lease| lease.request_next(bucket, now));
        let several = (places > 1).then(|| shared.count(bucket, places, now)).flatten().map(|next| (places, next));
        let (places, next) = several.or_else(|| shared.count(bucket, 1, now).map(|next| (1, next)))?;
        let taken = Lease::taken(places, next, now);
        *lease = Some(taken);
        Some(taken.admission(bucket, now))
    }

    #[test]
    fn one_instance_gives_out_the_quota_and_tells_of_each_place() {
        for quota in [1, 5, 31, 120, 600, 10_000] {
            let (bucket, mut lease, mut shared) = (bucket(quota), None, Shared::default());
            for left in (0..quota).rev() {
                let admission = admit(&mut lease, &mut shared, &bucket, start()).unwrap();
                assert_eq!((admission.admitted, admission.remaining), (true, left), "of {quota}");
            }
            assert_eq!(admit(&mut lease, &mut shared, &bucket, start()), None);
            assert!(quota < 600 || shared.requests < quota * 3 / 5, "{} questions of {quota}", shared.requests);
        }
    }

    #[test]
    fn a_busy_caller_of_a_large_quota_costs_few_questions() {
        let (bucket, mut lease, mut shared) = (bucket(1_000_000), None, Shared::default());
        for request in 0..10_000 {
            assert!(admit(&mut lease, &mut shared, &bucket, start().after(Duration::millis(request / 4))).is_some());
        }
        assert!(shared.requests <= 10_000 / 32 + 6, "{}", shared.requests);
    }

    #[test]
    fn many_instances_at_any_pace_never_give_out_more_than_the_algorithm() {
        let mut random = 7_u64;
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for round in 0..400_u64 {
            let quota = [3, 16, 47, 120, 600, 5_000][usize::try_from(round % 6).unwrap()];
            let (bucket, mut shared) = (bucket(quota), Shared::default());
            let mut instances = vec![None; usize::try_from(1 + draw(9)).unwrap()];
            let (mut now, mut admitted, pace) = (start(), Vec::new(), 1 + draw(60));
            for _ in 0..3 * quota {
                now = now.after(Duration::millis(i64::try_from(draw(pace)).unwrap()));
                let one = usize::try_from(draw(instances.len() as u64)).unwrap();
                if draw(100) == 0 {
                    instances[one] = None;
                }
                if admit(&mut instances[one], &mut shared, &bucket, now).is_some() {
                    admitted.push(now.millis());
                }
            }
            // The algorithm passes a quota at once and then one a step; a place that was taken may be used a lease's life later.
            let step = 60_000.0 / f64::from(quota);
            for (first, from) in admitted.iter().enumerate() {
                let max = |to: i64| f64::from(quota) + ((to - from + 1_000) as f64) / step + 1.0;
                for (passed, to) in admitted[first..].iter().enumerate() {
                    assert!(passed as f64 + 1.0 <= max(*to), "{passed} of {quota} from {from} to {to}");
                }
                if first > 200 {
                    break;
                }
            }
        }
    }

    #[test]
    fn what_is_not_given_out_in_time_is_gone_and_the_next_lease_is_small() {
        let bucket = bucket(600);
        let mut lease = Lease::taken(8, bucket.count_several(8, start()).unwrap().fresh, start());
        assert_eq!(lease.admission(&bucket, start()).remaining, 599);
        assert_eq!(lease.give(&bucket, start()).map(|admission| admission.remaining), Some(598));
        let in_time = start().after(Lease::LIFE);
        assert!(lease.give(&bucket, in_time).is_some());
        let late = in_time.after(Duration::millis(1));
        assert_eq!(lease.give(&bucket, late), None);
        assert_eq!(lease.request_next(&bucket, late), 1);
        assert_eq!(lease.give(&bucket, start().before(Duration::millis(1))), None, "a clock that stepped back");
    }

    #[test]
    fn what_two_requests_took_at_once_is_given_out_together() {
        let (bucket, mut shared) = (bucket(10_000), Shared::default());
        let mut held = Lease::taken(4, shared.count(&bucket, 4, start()).unwrap(), start());
        while held.give(&bucket, start()).is_some() {}
        assert_eq!(
            (held.request_next(&bucket, start()), held.request_next(&bucket, start())),
            (8, 1),
            "one of them takes more"
        );
        let one = Lease::taken(1, shared.count(&bucket, 1, start()).unwrap(), start()).merge(held, start());
        let later = start().after(Duration::millis(900));
        let both = Lease::taken(8, shared.count(&bucket, 8, later).unwrap(), later).merge(one, later);
        let mut both = both.merge(Lease::taken(3, shared.count(&bucket, 3, start()).unwrap(), start()), later);
        for _ in 0..7 + 2 {
            assert!(both.give(&bucket, later).is_some());
        }
        assert_eq!((both.give(&bucket, later), both.request_next(&bucket, later)), (None, 16));
    }

    #[test]
    fn the_second_half_of_a_quota_is_counted_one_by_one() {
        let bucket = bucket(600);
        let half = TheoreticalArrival(TheoreticalArrival::at(start()).micros() + 30_000_000);
        let mut lease = Lease::taken(16, half, start());
        while lease.give(&bucket, start()).is_some() {}
        assert_eq!(lease.request_next(&bucket, start()), 1);
        let several = bucket.count_several(32, start()).unwrap();
        assert_eq!(several.last.micros() + several.step_micros, half.micros());
        assert_eq!(bucket.count_several(1, start()), Some(bucket.count(start())));
        assert_eq!(bucket.count_several(301, start()), None);
    }
}

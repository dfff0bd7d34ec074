//! Limits on what one caller may do, and the rate limiter that keeps them.

mod lease;

use serde::{Deserialize, Serialize};

pub use lease::Lease;

use crate::model::{Duration, Timestamp};

/// How large things may be. Every limit has its own error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Deliveries in one order, 1 to 200.
    pub deliveries: u32,
    /// Bytes of a request body.
    pub body_bytes: usize,
    /// Minutes of preparation, at most.
    pub preparation_minutes: u32,
    /// Previews of one merchant, a parent store with its branches, per minute.
    pub previews_per_minute: u32,
    /// Order and store writes of one merchant per minute.
    pub writes_per_minute: u32,
    /// Reads of one merchant per minute.
    pub reads_per_minute: u32,
    /// Failed and successful logins for each email and quarter of an hour.
    pub logins_per_15_minutes: u32,
    /// The same for each caller's address, where the host knows it: more than for an email, since an office shares one.
    pub logins_per_address: u32,
    /// Branches that a parent store may have.
    pub branches: u32,
    /// Attempts of one merchant per day to create a branch or change a store's email: each one that fails may tell that another merchant
    /// has that email or CNPJ.
    pub registrations_per_day: u32,
    /// Responses that are stored for the idempotency keys of one merchant, or one courier, within 24 hours.
    pub idempotency_records: u32,
    /// Their megabytes.
    pub idempotency_mib: u32,
    /// Requests with a key that nobody has, for each caller's address and minute, where the host knows it.
    pub unknown_keys_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            deliveries: 50,
            body_bytes: 256 * 1024,
            preparation_minutes: 1_440,
            previews_per_minute: 600,
            writes_per_minute: 120,
            reads_per_minute: 600,
            logins_per_15_minutes: 10,
            logins_per_address: 100,
            branches: 1_000,
            registrations_per_day: 200,
            idempotency_records: 50_000,
            idempotency_mib: 64,
            unknown_keys_per_minute: 600,
        }
    }
}

/// What a rate is counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usage {
    /// Previews.
    Preview,
    /// Creation and change of orders and stores.
    Create,
    /// Reads.
    Read,
    /// Logins.
    Login,
    /// Keys that nobody has.
    UnknownKey,
}

impl Usage {
    /// The policy's name in the `RateLimit-Policy` header.
    pub fn name(self) -> &'static str {
        match self {
            Usage::Preview => "preview",
            Usage::Create => "create",
            Usage::Read => "read",
            Usage::Login => "login",
            Usage::UnknownKey => "unknown_key",
        }
    }
}

/// A quota of one caller for one usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The usage and who is counted: the merchant's ID, a courier's ID, a hash of the email, or the caller's address.
    pub name: String,
    /// What it counts.
    pub usage: Usage,
    /// Requests in a window.
    pub quota: u32,
    /// The window's length.
    pub window: Duration,
}

/// Whether a request may pass, and what to tell the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether it passes.
    pub admitted: bool,
    /// Requests in a window.
    pub quota: u32,
    /// Requests that would pass right after it.
    pub remaining: u32,
    /// When a request passes again (where it did not), or when the whole quota is there again.
    pub reset: Duration,
}

/// What is kept of a bucket: its theoretical arrival time, in microseconds since 1970. In milliseconds no quota could be told from
/// one of 60,000 a minute that lies above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TheoreticalArrival(i64);

impl TheoreticalArrival {
    /// The arrival of these microseconds since 1970.
    pub fn from_micros(micros: i64) -> TheoreticalArrival {
        TheoreticalArrival(micros)
    }

    /// An arrival at an instant; a bucket that has it there, or earlier, is full.
    pub fn at(now: Timestamp) -> TheoreticalArrival {
        TheoreticalArrival(now.millis().saturating_mul(1_000))
    }

    /// Microseconds since 1970.
    pub fn micros(self) -> i64 {
        self.0
    }
}

/// What [`Bucket::admit`] does with a stored arrival, as data: a database counts by it in one statement, however many ask at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is stored for a new bucket, and in place of everything that the other members do not speak of.
    pub fresh: TheoreticalArrival,
    /// An arrival from this one on moves by `step_micros`,
    pub from: TheoreticalArrival,
    /// up to this one.
    pub last: TheoreticalArrival,
    /// A later one, up to this one, stays: the request is refused.
    pub full: TheoreticalArrival,
    /// Microseconds that one request takes of the window.
    pub step_micros: i64,
}

impl Bucket {
    /// The algorithm of [`Bucket::admit`] at this instant.
    pub fn count(&self, now: Timestamp) -> Count {
        let window = self.window.as_millis().max(1) * 1_000;
        let step_micros = (window / i64::from(self.quota.max(1))).max(1);
        let now = TheoreticalArrival::at(now).micros();
        Count {
            fresh: TheoreticalArrival(now + step_micros),
            from: TheoreticalArrival(now),
            last: TheoreticalArrival(now + window - step_micros),
            full: TheoreticalArrival(now + window),
            step_micros,
        }
    }

    /// What to tell of a request that was counted by [`Bucket::count`], so that `next` is stored.
    pub fn counted(&self, next: TheoreticalArrival, now: Timestamp) -> Admission {
        let before = next.micros() - self.count(now).step_micros;
        self.admit(Some(TheoreticalArrival(before)), now).0
    }

    /// The generic cell rate algorithm (ITU-T I.371): `stored` is the theoretical arrival time that the host kept for this
    /// bucket, `None` for a new one. Gives the decision, and the time to store where the request passes.
    ///
    /// One number for each bucket is all the state there is, so that a database can hold it as well as a map.
    pub fn admit(&self, stored: Option<TheoreticalArrival>, now: Timestamp) -> (Admission, Option<TheoreticalArrival>) {
        let window = self.window.as_millis().max(1) * 1_000;
        let interval = (window / i64::from(self.quota.max(1))).max(1);
        let now = TheoreticalArrival::at(now).micros();
        // The algorithm never stores more than a window ahead: a time beyond that says that the clock stepped back.
        let stored = stored.map(TheoreticalArrival::micros).filter(|time| time.saturating_sub(now) <= window);
        let ahead = stored.map_or(now, |time| time.max(now)) + interval - now;
        // Rounded up, so that who comes back then is not a moment early.
        let millis = |micros: i64| Duration::millis((micros + 999) / 1_000);
        if ahead > window {
            let reset = millis(ahead - window);
            return (Admission { admitted: false, quota: self.quota, remaining: 0, reset }, None);
        }
        let remaining = u32::try_from((window - ahead) / interval).unwrap_or(u32::MAX);
        let admission = Admission { admitted: true, quota: self.quota, remaining, reset: millis(ahead) };
        (admission, Some(TheoreticalArrival(now + ahead)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(quota: u32) -> Bucket {
        Bucket { name: "create/1".into(), usage: Usage::Create, quota, window: Duration::minutes(1) }
    }

    #[test]
    fn a_burst_of_the_quota_passes_and_not_one_more() {
        let (bucket, now) = (bucket(120), Timestamp::from_millis(1_000_000));
        let mut stored = None;
        for left in (0..120).rev() {
            let (admission, next) = bucket.admit(stored, now);
            assert_eq!((admission.admitted, admission.remaining), (true, left));
            stored = next;
        }
        let (rejected, next) = bucket.admit(stored, now);
        assert_eq!((rejected.admitted, rejected.reset, next), (false, Duration::millis(500), None));
        assert!(bucket.admit(stored, now.after(rejected.reset)).0.admitted);
    }

    #[test]
    fn a_quota_of_a_million_a_minute_is_one() {
        let (bucket, now) = (bucket(1_000_000), Timestamp::from_millis(1_000_000));
        let (mut stored, mut passed) = (None, 0_u32);
        while let (_, Some(next)) = bucket.admit(stored, now) {
            stored = Some(next);
            passed += 1;
        }
        assert_eq!(passed, 1_000_000);
        let later = now.after(Duration::seconds(1));
        passed = 0;
        while let (_, Some(next)) = bucket.admit(stored, later) {
            stored = Some(next);
            passed += 1;
        }
        assert!((16_666..=16_668).contains(&passed), "{passed} in a second");
    }

    #[test]
    fn counting_by_data_is_the_algorithm() {
        let now = Timestamp::from_millis(1_000_000);
        for quota in [1, 7, 120, 1_000_000] {
            let (bucket, minute) = (bucket(quota), 60_000_000);
            let Count { fresh, from, last, full, step_micros } = bucket.count(now);
            let offsets = [-1, 0, 1, step_micros, minute - step_micros, minute - step_micros + 1, minute, minute + 1];
            for stored in offsets.map(|offset| TheoreticalArrival(TheoreticalArrival::at(now).micros() + offset)) {
                let next = match stored {
                    _ if stored > last && stored <= full => None,
                    _ if stored >= from && stored <= last => Some(TheoreticalArrival(stored.micros() + step_micros)),
                    _ => Some(fresh),
                };
                let (admission, by_algorithm) = bucket.admit(Some(stored), now);
                assert_eq!(by_algorithm, next, "{quota}, {stored:?}");
                assert!(next.is_none_or(|next| bucket.counted(next, now) == admission), "{quota}, {stored:?}");
            }
            assert_eq!(bucket.admit(None, now), (bucket.counted(fresh, now), Some(fresh)));
        }
    }

    #[test]
    fn a_clock_that_steps_back_locks_nobody_out_for_long() {
        let bucket = bucket(60);
        let later = Timestamp::from_millis(10_000_000);
        let (_, stored) = bucket.admit(None, later);
        assert!(bucket.admit(stored, Timestamp::from_millis(9_000_000)).0.admitted);
    }

    #[test]
    fn over_any_minute_at_most_twice_the_quota_passes() {
        let bucket = bucket(60);
        let (mut stored, mut passed) = (None, 0);
        for tenth in 0..600 {
            let (admission, next) = bucket.admit(stored, Timestamp::from_millis(tenth * 100));
            passed += u32::from(admission.admitted);
            stored = next.or(stored);
        }
        assert!((118..=120).contains(&passed), "{passed}");
    }
}

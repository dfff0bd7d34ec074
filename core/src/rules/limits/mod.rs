//! Limits on clients, and the rate limiter.

mod lease;

use serde::{Deserialize, Serialize};

pub use lease::Lease;

use crate::model::{Duration, Timestamp};

/// Limits on requests and stored data. Every limit has its own problem code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Maximum number of deliveries in an order, 1 to 200.
    pub deliveries: u32,
    /// Maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// Maximum size of a photo in bytes.
    pub photo_bytes: usize,
    /// Maximum preparation time in minutes.
    pub preparation_minutes: u32,
    /// Previews per minute of one merchant, which is a parent store with its branches.
    pub previews_per_minute: u32,
    /// Writes of orders and stores per minute of one merchant.
    pub writes_per_minute: u32,
    /// Reads per minute of one merchant.
    pub reads_per_minute: u32,
    /// Failed and successful logins per 15 minutes for one email address.
    pub logins_per_15_minutes: u32,
    /// Failed and successful logins per 15 minutes from one IP address, if the host provides it.
    /// The limit is higher than for an email address, because offices share IP addresses.
    pub logins_per_address: u32,
    /// Maximum number of branches of a parent store.
    pub branches: u32,
    /// Maximum number of users of a store.
    pub users: u32,
    /// Attempts per day of one merchant to create a branch or a user, or change a store's email
    /// address. A failed attempt can reveal that another merchant uses that email address or CNPJ.
    pub registrations_per_day: u32,
    /// Mails per day of one merchant, each to one recipient.
    pub mails_per_day: u32,
    /// Maximum number of responses stored for the idempotency keys of one merchant or one courier
    /// within 24 hours.
    pub idempotency_records: u32,
    /// Maximum size of these responses in MiB.
    pub idempotency_mib: u32,
    /// Requests with unknown keys per minute from one IP address, if the host provides it.
    pub unknown_keys_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            deliveries: 50,
            body_bytes: 256 * 1024,
            photo_bytes: 1024 * 1024,
            preparation_minutes: 1_440,
            previews_per_minute: 600,
            writes_per_minute: 120,
            reads_per_minute: 600,
            logins_per_15_minutes: 10,
            logins_per_address: 100,
            branches: 1_000,
            users: 50,
            registrations_per_day: 200,
            mails_per_day: 300,
            idempotency_records: 50_000,
            idempotency_mib: 64,
            unknown_keys_per_minute: 600,
        }
    }
}

/// The kind of requests that a rate limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usage {
    /// Previews.
    Preview,
    /// Writes of orders and stores.
    Create,
    /// Reads.
    Read,
    /// Logins.
    Login,
    /// Requests with unknown keys.
    UnknownKey,
}

impl Usage {
    /// Returns the policy's name in the `RateLimit-Policy` header.
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

/// The quota of one client for one usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The usage and the client: the merchant's ID, the courier's ID, a hash of the email address,
    /// or the IP address.
    pub name: String,
    /// The usage.
    pub usage: Usage,
    /// Requests per window.
    pub quota: u32,
    /// Length of the window.
    pub window: Duration,
}

/// The decision about a request, and the values of the rate limit headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether the request is admitted.
    pub admitted: bool,
    /// Requests per window.
    pub quota: u32,
    /// Number of requests that would be admitted immediately afterwards.
    pub remaining: u32,
    /// Time until a request is admitted again, if it was rejected, otherwise until the whole quota
    /// is available again.
    pub reset: Duration,
}

/// The stored state of a bucket: its theoretical arrival time, in microseconds since 1970.
/// Milliseconds would not distinguish quotas above 60,000 per minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TheoreticalArrival(i64);

impl TheoreticalArrival {
    /// Creates an arrival time from microseconds since 1970.
    pub fn from_micros(micros: i64) -> TheoreticalArrival {
        TheoreticalArrival(micros)
    }

    /// Returns the arrival time at `now`. With this or an earlier arrival time, the whole quota is
    /// available.
    pub fn at(now: Timestamp) -> TheoreticalArrival {
        TheoreticalArrival(now.millis().saturating_mul(1_000))
    }

    /// Returns the microseconds since 1970.
    pub fn micros(self) -> i64 {
        self.0
    }
}

/// The algorithm of [`Bucket::admit`] as data. It allows databases to count concurrent requests in
/// one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The value to store for a new bucket, and instead of a value outside the ranges below.
    pub fresh: TheoreticalArrival,
    /// Stored values from this one to `last` are increased by `step_micros`.
    pub from: TheoreticalArrival,
    /// Upper end of that range.
    pub last: TheoreticalArrival,
    /// With stored values above `last` up to this one, the request is rejected and the value is
    /// kept.
    pub full: TheoreticalArrival,
    /// Microseconds of the window that one request uses.
    pub step_micros: i64,
}

impl Bucket {
    /// Returns the algorithm of [`Bucket::admit`] at `now`.
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

    /// Returns the admission of a request that was counted by [`Bucket::count`], after which `next`
    /// is stored.
    pub fn counted(&self, next: TheoreticalArrival, now: Timestamp) -> Admission {
        let before = next.micros() - self.count(now).step_micros;
        self.admit(Some(TheoreticalArrival(before)), now).0
    }

    /// Applies the generic cell rate algorithm (ITU-T I.371). `stored` is the bucket's stored
    /// arrival time, `None` for a new bucket. Returns the decision, and the arrival time to store
    /// if the request is admitted.
    ///
    /// The state is one number per bucket, so both a database and a map can store it.
    pub fn admit(
        &self,
        stored: Option<TheoreticalArrival>,
        now: Timestamp,
    ) -> (Admission, Option<TheoreticalArrival>) {
        let window = self.window.as_millis().max(1) * 1_000;
        let interval = (window / i64::from(self.quota.max(1))).max(1);
        let now = TheoreticalArrival::at(now).micros();
        // Stored times are at most one window ahead. A later one shows that the clock was set back.
        let stored = stored
            .map(TheoreticalArrival::micros)
            .filter(|time| time.saturating_sub(now) <= window);
        let ahead = stored.map_or(now, |time| time.max(now)) + interval - now;
        // Round up, so a client that retries after this time is not too early.
        let millis = |micros: i64| Duration::millis((micros + 999) / 1_000);
        if ahead > window {
            let reset = millis(ahead - window);
            return (
                Admission {
                    admitted: false,
                    quota: self.quota,
                    remaining: 0,
                    reset,
                },
                None,
            );
        }
        let remaining = u32::try_from((window - ahead) / interval).unwrap_or(u32::MAX);
        let admission = Admission {
            admitted: true,
            quota: self.quota,
            remaining,
            reset: millis(ahead),
        };
        (admission, Some(TheoreticalArrival(now + ahead)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(quota: u32) -> Bucket {
        Bucket {
            name: "create/1".into(),
            usage: Usage::Create,
            quota,
            window: Duration::minutes(1),
        }
    }

    #[test]
    fn burst_is_limited_to_the_quota() {
        let (bucket, now) = (bucket(120), Timestamp::from_millis(1_000_000));
        let mut stored = None;
        for left in (0..120).rev() {
            let (admission, next) = bucket.admit(stored, now);
            assert_eq!((admission.admitted, admission.remaining), (true, left));
            stored = next;
        }
        let (rejected, next) = bucket.admit(stored, now);
        assert_eq!(
            (rejected.admitted, rejected.reset, next),
            (false, Duration::millis(500), None)
        );
        assert!(bucket.admit(stored, now.after(rejected.reset)).0.admitted);
    }

    #[test]
    fn quota_of_a_million_per_minute_is_exact() {
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
    fn count_data_is_equivalent_to_the_algorithm() {
        let now = Timestamp::from_millis(1_000_000);
        for quota in [1, 7, 120, 1_000_000] {
            let (bucket, minute) = (bucket(quota), 60_000_000);
            let Count {
                fresh,
                from,
                last,
                full,
                step_micros,
            } = bucket.count(now);
            let offsets = [
                -1,
                0,
                1,
                step_micros,
                minute - step_micros,
                minute - step_micros + 1,
                minute,
                minute + 1,
            ];
            for stored in offsets
                .map(|offset| TheoreticalArrival(TheoreticalArrival::at(now).micros() + offset))
            {
                let next = match stored {
                    _ if stored > last && stored <= full => None,
                    _ if stored >= from && stored <= last => {
                        Some(TheoreticalArrival(stored.micros() + step_micros))
                    }
                    _ => Some(fresh),
                };
                let (admission, by_algorithm) = bucket.admit(Some(stored), now);
                assert_eq!(by_algorithm, next, "{quota}, {stored:?}");
                assert!(
                    next.is_none_or(|next| bucket.counted(next, now) == admission),
                    "{quota}, {stored:?}"
                );
            }
            assert_eq!(
                bucket.admit(None, now),
                (bucket.counted(fresh, now), Some(fresh))
            );
        }
    }

    #[test]
    fn clock_set_back_does_not_block_clients() {
        let bucket = bucket(60);
        let later = Timestamp::from_millis(10_000_000);
        let (_, stored) = bucket.admit(None, later);
        assert!(
            bucket
                .admit(stored, Timestamp::from_millis(9_000_000))
                .0
                .admitted
        );
    }

    #[test]
    fn any_minute_passes_up_to_twice_the_quota() {
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

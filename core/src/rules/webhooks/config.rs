//! Configuration of webhook delivery.

use serde::{Deserialize, Serialize};

use crate::model::{Duration, Entropy, webhook::PASS_DURATION};

/// Configuration of webhook delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct WebhookConfig {
    /// Milliseconds between the first and the second attempt. Each further delay is three times as
    /// long.
    pub first_retry_ms: u32,
    /// Maximum minutes between two attempts.
    pub max_retry_minutes: u32,
    /// Minutes after which a message is no longer retried.
    pub give_up_minutes: u32,
    /// Number of consecutive failed attempts that disables a subscription.
    pub disable_after: u32,
    /// Timeout of a request in seconds.
    pub timeout_seconds: u32,
    /// Maximum number of subscriptions of a store.
    pub per_store: u32,
    /// Maximum number of subscriptions of a merchant, which is a parent store with its branches.
    pub per_merchant: u32,
    /// Whether receivers on this machine are allowed, also without TLS. Only for development.
    pub loopback: bool,
}

impl Default for WebhookConfig {
    /// Delays of 10 s, 30 s, 90 s, 4.5 min, 13.5 min, 40 min, 2 h and 6 h, then every 12 h, for
    /// three days.
    fn default() -> WebhookConfig {
        WebhookConfig {
            first_retry_ms: 10_000,
            max_retry_minutes: 12 * 60,
            give_up_minutes: 3 * 24 * 60,
            disable_after: 300,
            timeout_seconds: 15,
            per_store: 20,
            per_merchant: 200,
            loopback: false,
        }
    }
}

impl WebhookConfig {
    /// Returns the delay after a number of attempts, starting at 1. A jitter of 20% spreads the
    /// retries of messages that failed at the same time.
    pub fn wait(&self, tries: u32, entropy: &mut Entropy) -> Duration {
        let max = i64::from(self.max_retry_minutes) * 60_000;
        let factor = 3_i64.saturating_pow(tries.saturating_sub(1));
        let wait = i64::from(self.first_retry_ms)
            .saturating_mul(factor)
            .min(max);
        let random = i64::from(u16::from_be_bytes(entropy.bytes()));
        Duration::millis(wait * 4 / 5 + wait * 2 / 5 * random / i64::from(u16::MAX))
    }

    /// Returns the duration of the exclusive lease of a subscription: the maximum duration of a
    /// pass plus five seconds for the commit. After a crash, nothing is sent for this long.
    pub fn lease(&self) -> Duration {
        Duration::millis(PASS_DURATION.as_millis() + 1_000 * (i64::from(self.timeout_seconds) + 5))
    }

    /// Returns the duration of retries of a message.
    pub fn give_up(&self) -> Duration {
        Duration::minutes(self.give_up_minutes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delays_grow_with_jitter_for_three_days() {
        let (config, mut entropy) = (WebhookConfig::default(), Entropy::new([1; 32]));
        let (mut total, mut tries) = (0, 0);
        while total < config.give_up().as_millis() {
            tries += 1;
            let wait = config.wait(tries, &mut entropy).as_millis();
            let exact = (10_000 * 3_i64.pow(tries - 1)).min(12 * 3_600_000);
            assert!(
                (exact * 4 / 5..=exact * 6 / 5).contains(&wait),
                "{tries}: {wait}"
            );
            total += wait;
        }
        assert!((13..=15).contains(&tries), "{tries} attempts in three days");
        assert_ne!(config.wait(3, &mut entropy), config.wait(3, &mut entropy));
        assert!(config.wait(u32::MAX, &mut entropy).as_millis() <= 12 * 3_600_000 * 6 / 5);
    }
}

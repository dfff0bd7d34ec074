//! How patiently messages are sent.

use serde::{Deserialize, Serialize};

use crate::model::{Duration, Entropy, webhook::ROUND};

/// How webhooks are sent: the operator's choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct WebhookTerms {
    /// Milliseconds after the first attempt that the second follows; each further wait is three times as long.
    pub first_retry_ms: u32,
    /// Minutes that a wait lasts at most.
    pub max_retry_minutes: u32,
    /// Minutes after which a message is given up.
    pub give_up_minutes: u32,
    /// Attempts in a row that fail until a subscription is disabled.
    pub disable_after: u32,
    /// Seconds that a receiver may take to answer.
    pub timeout_seconds: u32,
    /// Subscriptions that a store may have.
    pub per_store: u32,
    /// Subscriptions that a merchant, a parent store with its branches, may have.
    pub per_merchant: u32,
    /// Whether receivers on this very machine are called, without TLS too: for development alone.
    pub loopback: bool,
}

impl Default for WebhookTerms {
    /// Waits of 10 s, 30 s, 90 s, 4.5 min, 13.5 min, 40 min, 2 h and 6 h, then every 12 h, for three days.
    fn default() -> WebhookTerms {
        WebhookTerms {
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

impl WebhookTerms {
    /// How long to wait after so many attempts, the first being 1: by the table, a fifth more or less by chance, so that what failed
    /// together does not come back together.
    pub fn wait(&self, tries: u32, entropy: &mut Entropy) -> Duration {
        let longest = i64::from(self.max_retry_minutes) * 60_000;
        let factor = 3_i64.saturating_pow(tries.saturating_sub(1));
        let wait = i64::from(self.first_retry_ms).saturating_mul(factor).min(longest);
        let random = i64::from(u16::from_be_bytes(entropy.bytes()));
        Duration::millis(wait * 4 / 5 + wait * 2 / 5 * random / i64::from(u16::MAX))
    }

    /// How long whoever sends for a subscription has it alone: as long as a round may take, and five seconds to write down what came
    /// of it. After a crash nobody sends for so long.
    pub fn lease(&self) -> Duration {
        Duration::millis(ROUND.as_millis() + 1_000 * (i64::from(self.timeout_seconds) + 5))
    }

    /// How long a message is tried.
    pub fn give_up(&self) -> Duration {
        Duration::minutes(self.give_up_minutes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_three_days_and_differ() {
        let (terms, mut entropy) = (WebhookTerms::default(), Entropy::new([1; 32]));
        let (mut total, mut tries) = (0, 0);
        while total < terms.give_up().as_millis() {
            tries += 1;
            let wait = terms.wait(tries, &mut entropy).as_millis();
            let exact = (10_000 * 3_i64.pow(tries - 1)).min(12 * 3_600_000);
            assert!((exact * 4 / 5..=exact * 6 / 5).contains(&wait), "{tries}: {wait}");
            total += wait;
        }
        assert!((13..=15).contains(&tries), "{tries} attempts in three days");
        assert_ne!(terms.wait(3, &mut entropy), terms.wait(3, &mut entropy));
        assert!(terms.wait(u32::MAX, &mut entropy).as_millis() <= 12 * 3_600_000 * 6 / 5);
    }
}

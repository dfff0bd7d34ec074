//! Top-ups of balances by Pix to the operator.

use serde::{Deserialize, Serialize};

use crate::model::{
    Money, PixKey, PixRecipient, Timestamp,
    store::{Store, TopUpRequest, TopUpRequests, TopUpState},
};

/// Payments by Pix to the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct PixConfig {
    /// The operator's key. `None` disables requests for top-ups.
    pub key: Option<PixKey>,
    /// The operator's name, required with the key.
    pub name: Option<String>,
    /// The operator's city, required with the key.
    pub city: Option<String>,
    /// Maximum amount of a top-up in reais.
    pub max_top_up: u32,
    /// Maximum number of pending top-ups of a store.
    pub pending_top_ups: u32,
}

impl Default for PixConfig {
    fn default() -> PixConfig {
        PixConfig {
            key: None,
            name: None,
            city: None,
            max_top_up: 10_000,
            pending_top_ups: 5,
        }
    }
}

impl PixConfig {
    /// Returns the recipient of top-ups. `None` if the operator has no key.
    pub fn recipient(&self) -> Option<PixRecipient> {
        Some(PixRecipient {
            key: self.key.clone()?,
            name: self.name.clone()?,
            city: self.city.clone()?,
        })
    }

    /// Returns the maximum amount of a top-up.
    pub fn maximum(&self) -> Money {
        Money::from_centavos(i64::from(self.max_top_up) * 100).unwrap_or_default()
    }
}

/// The store has its maximum number of pending requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store has {max} pending requests for top-ups")]
pub struct TooManyTopUps {
    /// The maximum number.
    pub max: u32,
}

/// Returns the pending request of this amount, or else a new one, with the store's requests
/// afterwards.
///
/// # Errors
/// [`TooManyTopUps`] if the maximum number is pending.
pub fn request_top_up(
    store: &Store,
    amount: Money,
    max: u32,
    now: Timestamp,
) -> Result<(TopUpRequest, Option<TopUpRequests>), TooManyTopUps> {
    let is_pending = |one: &TopUpRequest| one.state(now) == TopUpState::Pending;
    let known = &store.top_ups.requests;
    if let Some(same) = known
        .iter()
        .find(|one| is_pending(one) && one.amount == amount)
    {
        return Ok((*same, None));
    }
    let pending = known.iter().filter(|one| is_pending(one)).count();
    if pending >= max as usize {
        return Err(TooManyTopUps { max });
    }
    let number = store.top_ups.last.saturating_add(1);
    let request = TopUpRequest {
        number,
        amount,
        requested_at: now,
        confirmed_at: None,
    };
    let mut requests = known.clone();
    requests.push(request);
    while requests.len() > TopUpRequests::MAX_KEPT {
        let Some(oldest) = requests.iter().position(|one| !is_pending(one)) else {
            break;
        };
        requests.remove(oldest);
    }
    let last = number;
    Ok((request, Some(TopUpRequests { last, requests })))
}

/// What a payment means for a store's requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopUpMatch {
    /// It fulfils none.
    None,
    /// It fulfils one. These are the store's requests afterwards.
    Confirms(TopUpRequests),
    /// It names one that was fulfilled before.
    ConfirmedBefore,
}

/// Finds the request with this reference and confirms it.
pub fn confirm_top_up(store: &Store, txid: &str, now: Timestamp) -> TopUpMatch {
    let mut top_ups = store.top_ups.clone();
    let mut requests = top_ups.requests.iter_mut();
    match requests.find(|one| one.txid(store.id) == txid) {
        None => TopUpMatch::None,
        Some(found) if found.confirmed_at.is_some() => TopUpMatch::ConfirmedBefore,
        Some(found) => {
            found.confirmed_at = Some(now);
            TopUpMatch::Confirms(top_ups)
        }
    }
}

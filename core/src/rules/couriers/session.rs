//! Sign-in by a one-time link, and the sessions of the courier's app.
//!
//! The operator issues a link with a code. The app exchanges the code for a session, whose value a
//! browser stores in a cookie. The link therefore gives access only once, and the app's scripts
//! never have a credential that they could lose.

use super::Credential;
use crate::{
    changes::{Changes, Write},
    model::{
        Duration, ExecContext, Timestamp,
        courier::{Courier, CourierKey},
        store::{Key, KeyHash},
    },
    rules::settings::{CourierConfig, Secret},
};

/// Maximum number of sessions of a courier.
const MAX_SESSIONS: usize = 5;

/// Issues a sign-in code, which replaces the existing one. Returns its stored part, the nonce of
/// its value and the changes to commit, or `None` if the courier was removed.
pub fn issue_sign_in_code(
    courier: &Courier,
    config: &CourierConfig,
    secret: &Secret,
    context: &mut ExecContext,
) -> Option<(CourierKey, [u8; 32], Changes)> {
    if courier.removed_at.is_some() {
        return None;
    }
    let validity = Duration::minutes(config.sign_in_minutes.into());
    let (code, nonce) = issue(Credential::SignIn, courier, validity, secret, context);
    let next = Courier {
        sign_in: Some(code.clone()),
        ..courier.clone()
    };
    Some((code, nonce, write(courier, next, context.now).1))
}

/// Exchanges a sign-in code for a session. Returns the courier, the nonce of the session's value
/// and the changes to commit, or `None` if the code is not valid. The oldest session ends if there
/// are more than five.
pub fn start_session(
    courier: &Courier,
    code: &str,
    config: &CourierConfig,
    secret: &Secret,
    context: &mut ExecContext,
) -> Option<(Courier, [u8; 32], Changes)> {
    // Comparing hashes leaks nothing about the code through timing.
    let is_valid =
        |stored: &CourierKey| stored.hash == KeyHash::of(code) && context.now < stored.expires_at;
    if courier.removed_at.is_some() || !courier.sign_in.as_ref().is_some_and(is_valid) {
        return None;
    }
    let validity = Duration::minutes(i64::from(config.session_days) * 24 * 60);
    let (session, nonce) = issue(Credential::Session, courier, validity, secret, context);
    let mut next = Courier {
        sign_in: None,
        ..courier.clone()
    };
    next.sessions
        .retain(|session| context.now < session.expires_at);
    let excess = (next.sessions.len() + 1).saturating_sub(MAX_SESSIONS);
    next.sessions.drain(..excess);
    next.sessions.push(session);
    end_dependents(&mut next, context.now);
    let (next, changes) = write(courier, next, context.now);
    Some((next, nonce, changes))
}

/// Returns the courier's session with this value, which may have expired.
pub fn find_session<'a>(courier: &'a Courier, text: &str) -> Option<&'a CourierKey> {
    let hash = KeyHash::of(text);
    courier
        .sessions
        .iter()
        .find(|session| session.hash == hash)
        .filter(|_| courier.removed_at.is_none())
}

/// Ends the session with this value, or every session without one. Returns `None` if nothing
/// changes.
pub fn end_sessions(courier: &Courier, text: Option<&str>, now: Timestamp) -> Option<Changes> {
    let ended = text.map(KeyHash::of);
    let mut next = courier.clone();
    next.sessions
        .retain(|session| ended.as_ref().is_some_and(|ended| session.hash != *ended));
    (next.sessions.len() < courier.sessions.len()).then(|| {
        end_dependents(&mut next, now);
        write(courier, next, now).1
    })
}

/// Ends the device key and the subscriptions of sessions that have ended.
fn end_dependents(courier: &mut Courier, now: Timestamp) {
    let (device, mut push) = (courier.device.take(), std::mem::take(&mut courier.push));
    courier.device = device.filter(|device| courier.has_session(device.session.as_ref(), now));
    push.retain(|subscription| courier.has_session(subscription.session.as_ref(), now));
    courier.push = push;
}

/// Issues a credential. Returns its stored part and its nonce.
fn issue(
    kind: Credential,
    courier: &Courier,
    validity: Duration,
    secret: &Secret,
    context: &mut ExecContext,
) -> (CourierKey, [u8; 32]) {
    let nonce = context.entropy.bytes::<32>();
    let hash = KeyHash::of(&kind.text(courier.id, &Key::text(&secret.0, &nonce)));
    (
        CourierKey {
            hash,
            expires_at: context.now.after(validity),
        },
        nonce,
    )
}

fn write(courier: &Courier, next: Courier, now: Timestamp) -> (Courier, Changes) {
    let value = Courier {
        version: courier.version + 1,
        ..next
    };
    let couriers = vec![Write {
        expected: courier.version,
        value: value.clone(),
    }];
    (
        value,
        Changes {
            at: now,
            couriers,
            ..Changes::default()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Entropy, rules::trips::tests::courier};

    const SECRET: Secret = Secret([7; 32]);

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000_000).after(Duration::minutes(minutes))
    }

    fn context(minutes: i64, seed: u8) -> ExecContext {
        ExecContext {
            now: at(minutes),
            entropy: Entropy::new([seed; 32]),
        }
    }

    fn ana() -> Courier {
        courier(57, None, at(0), &[])
    }

    /// Returns the courier with a sign-in code, and the code.
    fn with_code(courier: &Courier, seed: u8) -> (Courier, String) {
        let mut context = context(0, seed);
        let (code, nonce, changes) =
            issue_sign_in_code(courier, &CourierConfig::default(), &SECRET, &mut context).unwrap();
        let [write] = &changes.couriers[..] else {
            panic!("one courier is written")
        };
        assert_eq!(
            (write.expected, write.value.version),
            (courier.version, courier.version + 1)
        );
        assert_eq!(
            (&write.value.sign_in, code.expires_at),
            (&Some(code.clone()), at(60))
        );
        (
            write.value.clone(),
            Credential::SignIn.text(courier.id, &Key::text(&SECRET.0, &nonce)),
        )
    }

    fn exchange(
        courier: &Courier,
        code: &str,
        minutes: i64,
        seed: u8,
    ) -> Option<(Courier, String)> {
        let mut context = context(minutes, seed);
        let (next, nonce, changes) = start_session(
            courier,
            code,
            &CourierConfig::default(),
            &SECRET,
            &mut context,
        )?;
        assert_eq!(
            changes.couriers,
            [Write {
                expected: courier.version,
                value: next.clone()
            }]
        );
        Some((
            next,
            Credential::Session.text(courier.id, &Key::text(&SECRET.0, &nonce)),
        ))
    }

    #[test]
    fn code_is_valid_once_and_until_it_expires() {
        let (first, old) = with_code(&ana(), 1);
        assert!(exchange(&first, &old, 59, 9).is_some() && exchange(&first, &old, 60, 9).is_none());
        let (second, new) = with_code(&first, 2);
        assert!(
            exchange(&second, &old, 1, 9).is_none(),
            "a new code replaces the earlier one"
        );
        assert!(exchange(&second, &new.replace("in_57", "in_057"), 1, 9).is_none());
        let (signed_in, session) = exchange(&second, &new, 1, 9).unwrap();
        assert!(
            exchange(&signed_in, &new, 1, 9).is_none()
                && exchange(&signed_in, &session, 1, 9).is_none()
        );
        let removed = Courier {
            removed_at: Some(at(1)),
            ..second
        };
        assert!(exchange(&removed, &new, 1, 9).is_none());
        assert!(
            issue_sign_in_code(
                &removed,
                &CourierConfig::default(),
                &SECRET,
                &mut context(1, 3)
            )
            .is_none()
        );
    }

    #[test]
    fn session_ends_by_sign_out_or_removal() {
        let (first, code) = with_code(&ana(), 1);
        let (one, text) = exchange(&first, &code, 0, 2).unwrap();
        assert_eq!(
            find_session(&one, &text).unwrap().expires_at,
            at(30 * 24 * 60)
        );
        assert!(find_session(&one, &code).is_none() && find_session(&one, "").is_none());
        assert!(
            find_session(
                &Courier {
                    removed_at: Some(at(1)),
                    ..one.clone()
                },
                &text
            )
            .is_none()
        );
        let (again, code) = with_code(&one, 3);
        let (two, other) = exchange(&again, &code, 0, 4).unwrap();
        let left = end_sessions(&two, Some(&text), at(1)).unwrap().couriers[0]
            .value
            .clone();
        assert!(find_session(&left, &text).is_none() && find_session(&left, &other).is_some());
        assert!(end_sessions(&left, Some(&text), at(1)).is_none());
        let none = end_sessions(&two, None, at(1)).unwrap().couriers[0]
            .value
            .clone();
        assert!(none.sessions.is_empty() && end_sessions(&none, None, at(1)).is_none());
    }

    #[test]
    fn sixth_session_ends_the_oldest() {
        let mut sessions = Vec::new();
        let mut courier = ana();
        for seed in 0..6 {
            let (next, code) = with_code(&courier, seed);
            let (next, text) = exchange(&next, &code, seed.into(), 100 + seed).unwrap();
            courier = next;
            sessions.push(text);
        }
        let found: Vec<bool> = sessions
            .iter()
            .map(|text| find_session(&courier, text).is_some())
            .collect();
        assert_eq!(found, [false, true, true, true, true, true]);
        // Expired sessions are dropped before valid ones.
        courier.sessions[4].expires_at = at(0);
        let (next, code) = with_code(&courier, 50);
        let (courier, _) = exchange(&next, &code, 1, 51).unwrap();
        assert!(
            find_session(&courier, &sessions[1]).is_some()
                && find_session(&courier, &sessions[5]).is_none()
        );
    }
}

//! Keys of couriers' devices. Such a key can only report positions, so an app that stores it cannot
//! act for the courier.

use super::Credential;
use crate::{
    changes::{Changes, Write},
    model::{
        ExecContext, Timestamp,
        courier::{Courier, DeviceKey},
        store::{Key, KeyHash},
    },
    rules::settings::Secret,
};

/// Issues a device key, which replaces the existing one. If a session issues it, it ends with that
/// session. Returns its stored part, the nonce of its value and the changes to commit.
pub fn issue_device_key(
    courier: &Courier,
    session: Option<&str>,
    secret: &Secret,
    context: &mut ExecContext,
) -> (DeviceKey, [u8; 32], Changes) {
    let nonce = context.entropy.bytes::<32>();
    let hash = KeyHash::of(&Credential::Device.text(courier.id, &Key::text(&secret.0, &nonce)));
    let key = DeviceKey {
        hash,
        created_at: context.now,
        session: session.map(KeyHash::of),
    };
    (
        key.clone(),
        nonce,
        with_device(courier, Some(key), context.now),
    )
}

/// Removes the device key. Returns `None` if there is none.
pub fn remove_device_key(courier: &Courier, now: Timestamp) -> Option<Changes> {
    courier
        .device
        .is_some()
        .then(|| with_device(courier, None, now))
}

fn with_device(courier: &Courier, device: Option<DeviceKey>, now: Timestamp) -> Changes {
    let value = Courier {
        device,
        version: courier.version + 1,
        ..courier.clone()
    };
    Changes {
        at: now,
        couriers: vec![Write {
            expected: courier.version,
            value,
        }],
        ..Changes::default()
    }
}

/// Returns whether a value is the courier's device key. The key is valid as long as the courier's
/// own key and the session that issued it.
pub fn accepts_device_key(courier: &Courier, text: &str, now: Timestamp) -> bool {
    let is_active = courier.removed_at.is_none()
        && courier.key.as_ref().is_some_and(|key| now < key.expires_at);
    let Some(device) = courier.device.as_ref().filter(|_| is_active) else {
        return false;
    };
    // Comparing hashes leaks nothing about the key through timing.
    device.hash == KeyHash::of(text) && courier.has_session(device.session.as_ref(), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Duration, Entropy, courier::CourierKey},
        rules::trips::tests::courier,
    };

    const SECRET: Secret = Secret([7; 32]);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000_000).after(Duration::seconds(seconds))
    }

    /// Returns the courier with a new device key, and the value of the key.
    fn issue(courier: &Courier, seed: u8) -> (Courier, String) {
        let mut context = ExecContext {
            now: at(0),
            entropy: Entropy::new([seed; 32]),
        };
        let (key, nonce, changes) = issue_device_key(courier, None, &SECRET, &mut context);
        let [write] = &changes.couriers[..] else {
            panic!("one courier is written")
        };
        assert_eq!(
            (write.expected, write.value.version),
            (courier.version, courier.version + 1)
        );
        assert_eq!(write.value.device, Some(key));
        (
            write.value.clone(),
            Credential::Device.text(courier.id, &Key::text(&SECRET.0, &nonce)),
        )
    }

    fn ana() -> Courier {
        let key = CourierKey {
            hash: KeyHash::of("dsp_x"),
            expires_at: at(100),
        };
        Courier {
            key: Some(key),
            ..courier(57, None, at(0), &[])
        }
    }

    #[test]
    fn device_key_is_valid_until_it_is_replaced_or_removed() {
        let (first, old) = issue(&ana(), 1);
        assert!(accepts_device_key(&first, &old, at(99)));
        assert!(
            !accepts_device_key(&first, "dsp_x", at(99)),
            "the courier's own key"
        );
        assert!(!accepts_device_key(
            &first,
            &old.replace("dev_57", "dev_057"),
            at(99)
        ));
        let (second, new) = issue(&first, 2);
        assert!(
            accepts_device_key(&second, &new, at(99)) && !accepts_device_key(&second, &old, at(99))
        );
        let removed = remove_device_key(&second, at(1))
            .map(|changes| changes.couriers[0].value.clone())
            .unwrap();
        assert!(!accepts_device_key(&removed, &new, at(99)));
        assert!(remove_device_key(&removed, at(2)).is_none());
    }

    #[test]
    fn device_key_of_a_session_ends_with_the_session() {
        let session = |text: &str, expires_at| CourierKey {
            hash: KeyHash::of(text),
            expires_at,
        };
        let ana = Courier {
            sessions: vec![session("one", at(50)), session("other", at(90))],
            ..ana()
        };
        let mut context = ExecContext {
            now: at(0),
            entropy: Entropy::new([1; 32]),
        };
        let (_, nonce, changes) = issue_device_key(&ana, Some("one"), &SECRET, &mut context);
        let ana = changes.couriers[0].value.clone();
        let text = Credential::Device.text(ana.id, &Key::text(&SECRET.0, &nonce));
        assert!(accepts_device_key(&ana, &text, at(49)));
        assert!(
            !accepts_device_key(&ana, &text, at(50)),
            "the session has expired"
        );
        let ended = Courier {
            sessions: vec![session("other", at(90))],
            ..ana
        };
        assert!(
            !accepts_device_key(&ended, &text, at(1)),
            "the session has ended"
        );
    }

    #[test]
    fn device_key_ends_with_the_courier_or_its_key() {
        let (ana, text) = issue(&ana(), 1);
        assert!(
            !accepts_device_key(&ana, &text, at(100)),
            "the courier's key has expired"
        );
        assert!(!accepts_device_key(
            &Courier {
                removed_at: Some(at(1)),
                ..ana.clone()
            },
            &text,
            at(2)
        ));
        assert!(!accepts_device_key(
            &Courier { key: None, ..ana },
            &text,
            at(2)
        ));
    }
}

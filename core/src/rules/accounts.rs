//! Logins: a store's own, and those of its users.

use super::{
    settings::Secret,
    webhooks::{Mail, without_links},
};
use crate::{
    changes::{Changes, Write},
    model::{
        Duration, ExecContext, Language, StoreId, Timestamp, UserId, hex, hmac_sha256,
        store::{Key, KeyHash, KeyKind, PasswordLink, SessionUser, Store, User},
    },
};

/// Maximum number of addresses with which a login is usual.
const MAX_ORIGINS: usize = 8;

/// Returns the fingerprint of an address, by the name under which it is limited. A reader of the
/// database cannot compute it.
pub fn origin(secret: &Secret, address: &str) -> String {
    hex(&hmac_sha256(&secret.0, &[b"despacho login origin", address.as_bytes()])[..16])
}

/// A login with a password.
#[derive(Clone, Debug, PartialEq)]
pub enum Account {
    /// A store's own login, which has the role owner.
    Store(Box<Store>),
    /// A user's login.
    User(Box<User>),
}

impl Account {
    /// Returns the store to which the login gives access.
    pub fn store(&self) -> StoreId {
        match self {
            Account::Store(store) => store.id,
            Account::User(user) => user.store,
        }
    }

    /// Returns the email address.
    pub fn email(&self) -> &str {
        match self {
            Account::Store(store) => store.email.as_str(),
            Account::User(user) => user.email.as_str(),
        }
    }

    /// Returns the hash of the password. A user has none before the first password.
    pub fn password_hash(&self) -> Option<&str> {
        match self {
            Account::Store(store) => Some(&store.password_hash),
            Account::User(user) => user.password_hash.as_deref(),
        }
    }

    /// Returns the user of the login's sessions; `None` for a store's own login.
    pub fn session_user(&self) -> Option<SessionUser> {
        match self {
            Account::Store(_) => None,
            Account::User(user) => Some(SessionUser {
                id: user.id,
                name: user.name.clone(),
                role: user.role,
            }),
        }
    }

    /// Returns whether a valid key is a session of this login.
    pub fn has_session(&self, key: &Key, now: Timestamp) -> bool {
        let user = match self {
            Account::Store(_) => None,
            Account::User(user) => Some(user.id),
        };
        key.kind == KeyKind::Panel
            && key.is_valid(now)
            && key.user.as_ref().map(|user| user.id) == user
    }

    /// Returns whether the login succeeded from this address before.
    pub fn is_usual(&self, origin: &str) -> bool {
        let origins = match self {
            Account::Store(store) => &store.origins,
            Account::User(user) => &user.origins,
        };
        origins.iter().any(|one| one == origin)
    }

    /// Records a successful login from an address. The address with the oldest login is forgotten
    /// if there are too many.
    pub fn remember(&mut self, origin: &str) {
        let origins = match self {
            Account::Store(store) => &mut store.origins,
            Account::User(user) => &mut user.origins,
        };
        origins.retain(|one| one != origin);
        origins.push(origin.to_owned());
        origins.drain(..origins.len().saturating_sub(MAX_ORIGINS));
    }

    /// Returns the changes that write the login. They conflict with every other write of it since
    /// it was read.
    pub fn write(&self, now: Timestamp) -> Changes {
        let changes = Changes {
            at: now,
            ..Changes::default()
        };
        match self {
            Account::Store(store) => Changes {
                stores: vec![Write {
                    expected: store.version,
                    value: Store::clone(store),
                }],
                ..changes
            },
            Account::User(user) => Changes {
                users: vec![Write {
                    expected: user.version,
                    value: User::clone(user),
                }],
                ..changes
            },
        }
    }

    /// Sets the password. A link that was not used ends.
    pub fn set_password(&mut self, hash: String) {
        match self {
            Account::Store(store) => (store.password_hash, store.link) = (hash, None),
            Account::User(user) => (user.password_hash, user.link) = (Some(hash), None),
        }
    }

    /// Issues a link that sets the password, which replaces the earlier one. Returns its code
    /// without the key, the nonce of the key, and the time at which it expires.
    pub fn issue_link(
        &mut self,
        minutes: u32,
        secret: &Secret,
        context: &mut ExecContext,
    ) -> (String, [u8; 32], Timestamp) {
        let nonce = context.entropy.bytes::<32>();
        let prefix = match self {
            Account::Store(store) => format!("{STORE_PREFIX}{}_", store.id),
            Account::User(user) => format!("{USER_PREFIX}{}_", user.id),
        };
        let hash = KeyHash::of(&format!("{prefix}{}", Key::text(&secret.0, &nonce)));
        let expires_at = context.now.after(Duration::minutes(minutes.into()));
        let link = match self {
            Account::Store(store) => &mut store.link,
            Account::User(user) => &mut user.link,
        };
        *link = Some(PasswordLink { hash, expires_at });
        (prefix, nonce, expires_at)
    }

    /// Returns whether this code sets the password.
    pub fn accepts(&self, code: &str, now: Timestamp) -> bool {
        // Comparing hashes leaks nothing about the code through timing.
        let link = match self {
            Account::Store(store) => &store.link,
            Account::User(user) => &user.link,
        };
        link.as_ref()
            .is_some_and(|link| link.hash == KeyHash::of(code) && now < link.expires_at)
    }
}

/// Returns the mail with a link that sets a login's password.
pub fn link_mail(account: &Account, url: &str, minutes: u32, language: Language) -> Mail {
    let name = without_links(match account {
        Account::Store(store) => &store.name,
        Account::User(user) => &user.name,
    });
    let (subject, text) = match language {
        Language::English => (
            "Set your password for Despacho",
            format!(
                "{name}, open this link to set your password:\n\n{url}\n\nThe link works once and expires in {minutes} minutes. \
                 If you did not expect it, ignore this message."
            ),
        ),
        Language::Portuguese => (
            "Defina sua senha do Despacho",
            format!(
                "{name}, abra este link para definir sua senha:\n\n{url}\n\nO link funciona uma vez e expira em {minutes} minutos. \
                 Se você não o esperava, ignore esta mensagem."
            ),
        ),
    };
    Mail {
        name: Some(name),
        to: account.email().to_owned(),
        subject: subject.to_owned(),
        text,
    }
}

/// Removes a user, who can no longer log in. The caller ends the sessions.
pub fn removed(user: User, now: Timestamp) -> Write<User> {
    let expected = user.version;
    Write {
        expected,
        value: User {
            password_hash: None,
            link: None,
            origins: Vec::new(),
            removed_at: Some(now),
            ..user
        },
    }
}

/// The start of a code for a store's own login.
const STORE_PREFIX: &str = "pws_";
/// The start of a code for a user.
const USER_PREFIX: &str = "pwu_";

/// The login in a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOwner {
    /// A store's own login.
    Store(StoreId),
    /// A user.
    User(UserId),
}

impl CodeOwner {
    /// Returns the login in a code, which may not exist.
    pub fn of(code: &str) -> Option<CodeOwner> {
        let id = |rest: &'static str| Some(code.strip_prefix(rest)?.split_once('_')?.0);
        id(STORE_PREFIX)
            .and_then(StoreId::parse)
            .map(CodeOwner::Store)
            .or_else(|| id(USER_PREFIX).and_then(UserId::parse).map(CodeOwner::User))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_remembers_its_last_addresses() {
        let [one, other] =
            ["192.0.2.1", "192.0.2.2"].map(|address| origin(&Secret([1; 32]), address));
        assert_eq!(
            (one.len(), &one),
            (32, &origin(&Secret([1; 32]), "192.0.2.1"))
        );
        assert!(one != other && one != origin(&Secret([2; 32]), "192.0.2.1"));
        let mut login = Account::User(Box::new(user()));
        login.remember(&one);
        assert!(login.is_usual(&one) && !login.is_usual(&other));
        (1..MAX_ORIGINS).for_each(|number| login.remember(&number.to_string()));
        login.remember(&one);
        login.remember(&other);
        assert!(
            login.is_usual(&one) && login.is_usual(&other) && !login.is_usual("1"),
            "the oldest is forgotten"
        );
    }

    fn user() -> User {
        User {
            id: UserId::new(7).unwrap(),
            version: 1,
            store: StoreId::new(1).unwrap(),
            name: "Bia".to_owned(),
            email: crate::model::Email::parse("bia@exemplo.com.br").unwrap(),
            role: crate::model::store::Role::Clerk,
            password_hash: None,
            link: None,
            origins: Vec::new(),
            created_at: Timestamp::default(),
            removed_at: None,
        }
    }

    #[test]
    fn code_names_its_login() {
        let (store, user) = (
            StoreId::new(7).map(CodeOwner::Store),
            UserId::new(7).map(CodeOwner::User),
        );
        assert_eq!(
            (CodeOwner::of("pws_7_dsp_x"), CodeOwner::of("pwu_7_dsp_x")),
            (store, user)
        );
        for text in [
            "",
            "pws_",
            "pws_7",
            "pws__dsp_x",
            "pwu_0_dsp_x",
            "pwu_x_dsp_x",
            "dsp_7_x",
            "PWS_7_x",
        ] {
            assert_eq!(CodeOwner::of(text), None, "{text}");
        }
    }
}

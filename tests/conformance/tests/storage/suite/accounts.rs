//! Users and the audit log.

use despacho_core::{
    changes::{Changes, Write},
    drivers::erasure,
    host::{AuditQuery, Host, HostError, Storage, UserQuery},
    model::{
        Duration, Email, UserId,
        audit::{Actor, ActorKind, AuditEntry},
        privacy::Redaction,
        store::{Key, KeyHash, PasswordLink, Role, SessionUser, Store, User},
    },
    rules::settings::{RetentionConfig, Settings},
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{at, changes, email, key, store, store_id, update},
};

pub(crate) fn user(number: u64, of: u64) -> User {
    User {
        id: UserId::new(number).unwrap(),
        version: 1,
        store: store_id(of),
        name: "Bia \"Rocha\" \\ 2ª".to_owned(),
        email: Email::parse(&format!("Bia{number}@exemplo.com.br")).unwrap(),
        role: Role::Clerk,
        password_hash: Some("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA".to_owned()),
        link: Some(PasswordLink {
            hash: KeyHash::of("code"),
            expires_at: at(60),
        }),
        origins: vec!["0".repeat(32)],
        created_at: at(0),
        removed_at: None,
    }
}

fn write(expected: u32, user: User) -> Changes {
    Changes {
        users: vec![Write {
            expected,
            value: user,
        }],
        ..changes()
    }
}

async fn start<H: Host>(host: &H) {
    let stores = [1, 2].map(|number| Write::insert(store(number))).into();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
}

pub(crate) async fn users_are_read_as_written(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    let users = vec![
        Write::insert(user(22, 1)),
        Write::insert(user(21, 1)),
        Write::insert(user(23, 2)),
    ];
    host.commit(&Changes { users, ..changes() }).await.unwrap();
    assert_eq!(
        host.find_users(UserQuery::Id(user(21, 1).id)).await,
        Ok(vec![user(21, 1)])
    );
    assert_eq!(
        host.find_users(UserQuery::Id(UserId::new(24).unwrap()))
            .await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_users(UserQuery::Store(store_id(1))).await,
        Ok(vec![user(21, 1), user(22, 1)])
    );
    let upper = Email::parse("BIA23@exemplo.com.br").unwrap();
    assert_eq!(
        host.find_users(UserQuery::Email(&upper)).await,
        Ok(vec![user(23, 2)])
    );
    let owner = User {
        role: Role::Owner,
        password_hash: None,
        link: None,
        ..user(21, 1)
    };
    host.commit(&write(1, owner.clone())).await.unwrap();
    assert_eq!(
        host.commit(&write(1, owner.clone())).await,
        Err(HostError::Conflict),
        "another version is stored"
    );
    let session = SessionUser {
        id: owner.id,
        name: owner.name.clone(),
        role: Role::Clerk,
    };
    let session = Key {
        user: Some(session),
        ..key(30, 1)
    };
    host.commit(&Changes {
        keys: vec![Write::insert(session.clone())],
        ..changes()
    })
    .await
    .unwrap();
    let backend = backend.restart().await;
    let host = backend.host();
    assert_eq!(
        host.find_users(UserQuery::Id(owner.id)).await,
        Ok(vec![User {
            version: 2,
            ..owner
        }])
    );
    assert_eq!(host.key(&session.hash).await.unwrap().unwrap().key, session);
}

pub(crate) async fn removed_user_frees_the_email(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    host.commit(&write(0, user(21, 1))).await.unwrap();
    let again = User {
        email: user(21, 1).email,
        ..user(22, 2)
    };
    assert_eq!(
        host.commit(&write(0, again.clone())).await,
        Err(HostError::Conflict)
    );
    host.commit(&write(
        1,
        User {
            removed_at: Some(at(3)),
            ..user(21, 1)
        },
    ))
    .await
    .unwrap();
    assert_eq!(
        host.find_users(UserQuery::Id(user(21, 1).id)).await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_users(UserQuery::Store(store_id(1))).await,
        Ok(vec![])
    );
    assert_eq!(
        host.find_users(UserQuery::Email(&again.email)).await,
        Ok(vec![])
    );
    host.commit(&write(0, again.clone())).await.unwrap();
    assert_eq!(
        host.find_users(UserQuery::Email(&again.email)).await,
        Ok(vec![again])
    );
}

pub(crate) async fn stores_and_users_share_no_email(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    let of_store = User {
        email: Email::parse("LOJA2@example.com").unwrap(),
        ..user(21, 1)
    };
    assert_eq!(of_store.email.key(), email(2).key());
    assert_eq!(
        host.commit(&write(0, of_store.clone())).await,
        Err(HostError::Conflict)
    );
    assert_eq!(
        host.commit(&write(0, user(21, 3))).await,
        Err(HostError::Conflict),
        "the store does not exist"
    );
    host.commit(&write(0, user(21, 1))).await.unwrap();
    let of_user = |number| Store {
        email: user(21, 1).email,
        ..store(number)
    };
    let created = Changes {
        stores: vec![Write::insert(of_user(4))],
        ..changes()
    };
    assert_eq!(host.commit(&created).await, Err(HostError::Conflict));
    let changed = Changes {
        stores: vec![update(1, of_user(2))],
        ..changes()
    };
    assert_eq!(host.commit(&changed).await, Err(HostError::Conflict));
    host.commit(&write(
        1,
        User {
            removed_at: Some(at(3)),
            ..user(21, 1)
        },
    ))
    .await
    .unwrap();
    assert_eq!(host.commit(&changed).await, Ok(()));
    let removed = Store {
        deleted_at: Some(at(4)),
        version: 2,
        ..of_user(2)
    };
    host.commit(&Changes {
        stores: vec![update(2, removed)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.commit(&write(0, user(22, 2))).await,
        Err(HostError::Conflict),
        "the store was removed"
    );
    assert_eq!(host.commit(&created).await, Ok(()));
}

pub(crate) async fn racing_users_get_an_email_once(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    let users: Vec<Changes> = (0..8)
        .map(|number| {
            write(
                0,
                User {
                    email: user(21, 1).email,
                    ..user(21 + number, 1)
                },
            )
        })
        .collect();
    let results = join_all(users.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(
        results.iter().filter(|result| result.is_ok()).count(),
        1,
        "{results:?}"
    );
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Ok(()) | Err(HostError::Conflict))),
        "{results:?}"
    );
    assert_eq!(
        host.find_users(UserQuery::Store(store_id(1)))
            .await
            .unwrap()
            .len(),
        1
    );
}

pub(crate) fn entry(minutes: i64, of: Option<u64>, subject: u64) -> AuditEntry {
    AuditEntry {
        at: at(minutes),
        actor: Actor {
            kind: ActorKind::User,
            id: Some(21),
            name: Some("Bia \"Rocha\" \\ 2ª".to_owned()),
        },
        store: of.map(store_id),
        action: "user.created".into(),
        subject,
    }
}

/// Returns the subjects of the entries, newest first.
async fn subjects<H: Host>(host: &H, query: AuditQuery) -> Vec<u64> {
    let found = host.audit(AuditQuery { limit: 3, ..query }).await.unwrap();
    found.iter().map(|record| record.entry.subject).collect()
}

pub(crate) async fn audit_log_is_read_by_store_and_merchant(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    let foreign = Store {
        parent: None,
        ..store(4)
    };
    host.commit(&Changes {
        stores: vec![Write::insert(foreign)],
        ..changes()
    })
    .await
    .unwrap();
    let entries = [
        (Some(1), 10),
        (Some(2), 11),
        (None, 12),
        (Some(4), 13),
        (Some(1), 14),
    ];
    for (of, subject) in entries {
        host.commit(&Changes {
            audit: vec![entry(0, of, subject)],
            ..changes()
        })
        .await
        .unwrap();
    }
    let all = AuditQuery::default();
    assert_eq!(subjects(host, all).await, [14, 13, 12]);
    assert_eq!(
        subjects(
            host,
            AuditQuery {
                merchant: Some(store_id(1)),
                ..all
            }
        )
        .await,
        [14, 11, 10]
    );
    assert_eq!(
        subjects(
            host,
            AuditQuery {
                merchant: Some(store_id(4)),
                ..all
            }
        )
        .await,
        [13]
    );
    assert_eq!(
        subjects(
            host,
            AuditQuery {
                store: Some(store_id(2)),
                ..all
            }
        )
        .await,
        [11]
    );
    let page = host.audit(AuditQuery { limit: 3, ..all }).await.unwrap();
    assert_eq!(page[0].entry, entry(0, Some(1), 14));
    let before = page.last().map(|record| record.id);
    assert_eq!(subjects(host, AuditQuery { before, ..all }).await, [11, 10]);
    assert_eq!(
        subjects(
            host,
            AuditQuery {
                merchant: Some(store_id(1)),
                before,
                ..all
            }
        )
        .await,
        [11, 10]
    );
    assert_eq!(
        subjects(
            host,
            AuditQuery {
                store: Some(store_id(1)),
                before,
                ..all
            }
        )
        .await,
        [10]
    );
}

pub(crate) async fn old_entries_and_removed_users_are_purged(backend: impl Backend) {
    let host = backend.host();
    start(host).await;
    let entries =
        [(1, 10), (2, 11), (3, 12)].map(|(minutes, subject)| entry(minutes, Some(1), subject));
    host.commit(&Changes {
        audit: entries.into(),
        ..changes()
    })
    .await
    .unwrap();
    for (number, removed_at) in [(21, Some(at(1))), (22, Some(at(2))), (23, None)] {
        host.commit(&write(0, user(number, 1))).await.unwrap();
        host.commit(&write(
            1,
            User {
                removed_at,
                ..user(number, 1)
            },
        ))
        .await
        .unwrap();
    }
    let redactions = vec![Redaction::PurgeAudit(at(2)), Redaction::PurgeUsers(at(2))];
    host.commit(&Changes {
        redactions,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(subjects(host, AuditQuery::default()).await, [12, 11]);
    let dump = backend.dump().await;
    assert_eq!(
        [21, 22, 23].map(|number| dump.contains(&format!("Bia{number}@"))),
        [false, true, true]
    );
    let days = |days: i64| at(2).after(Duration::minutes(days * 24 * 60));
    for (audit_days, now, left) in [(0, days(4_000), 2), (30, days(30), 2), (30, days(31), 0)] {
        let retention = RetentionConfig {
            audit_days,
            ..RetentionConfig::default()
        };
        erasure::retain(
            host,
            &Settings {
                retention,
                ..Settings::default()
            },
            now,
        )
        .await
        .unwrap();
        assert_eq!(
            subjects(host, AuditQuery::default()).await.len(),
            left,
            "{audit_days} days at {now}"
        );
    }
    let dump = backend.dump().await;
    assert_eq!(
        [22, 23].map(|number| dump.contains(&format!("Bia{number}@"))),
        [false, true]
    );
}

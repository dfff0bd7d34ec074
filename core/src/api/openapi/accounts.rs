//! The descriptions of the endpoints for users, sessions, passwords and the audit log.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for users, sessions or passwords.
pub(super) fn account(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListSessions => Operation {
            tag: "Sessions",
            id: "listSessions",
            summary: "List sessions",
            description: "Returns the calling store's valid panel sessions, newest first. A clerk gets only the own ones.",
            request: None,
            documented: &[(200, Some("SessionList"), "The sessions.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::ConfirmSession => Operation {
            tag: "Sessions",
            id: "confirmSession",
            summary: "Confirm a session",
            description: "Confirms the person of the calling session with the password of its login. For five minutes the session's requests \
                then need no `currentPassword`. Only a panel session can send this request. Attempts count as logins. Requests are never \
                replayed.",
            request: Some("ConfirmSession"),
            documented: &[(
                200,
                Some("SessionConfirmation"),
                "The session is confirmed.",
            )],
            parameters: &[],
            codes: &[ProblemCode::PasswordRequired, ProblemCode::SessionRequired],
        },
        Endpoint::EndSession => Operation {
            tag: "Sessions",
            id: "endSession",
            summary: "End a session",
            description: "Ends a panel session of the calling store; a clerk only an own one. Requests of an ended session return \
                `api_key_revoked`. Ending a session again has no effect.",
            request: None,
            documented: &[(204, None, "The session has ended.")],
            parameters: &["sessionId"],
            codes: &[ProblemCode::SessionNotFound],
        },
        Endpoint::ChangePassword => Operation {
            tag: "Sessions",
            id: "changePassword",
            summary: "Change your password",
            description: "Changes the password of the calling session's login, and ends all its other sessions. Only a panel session \
                can send this request. Attempts count as logins. Requests are never replayed: an `Idempotency-Key` has no effect.",
            request: Some("ChangePassword"),
            documented: &[(204, None, "The password was changed.")],
            parameters: &[],
            codes: &[ProblemCode::PasswordRequired, ProblemCode::SessionRequired],
        },
        Endpoint::ResetPassword => Operation {
            tag: "Sessions",
            id: "resetPassword",
            summary: "Set a password with a link",
            description: "Sets the password of a login with the code of a one-time link, and ends all sessions of the login. Unknown, \
                used and expired codes return the same problem, and count as unknown keys of the IP address. Requests are never replayed.",
            request: Some("ResetPassword"),
            documented: &[(204, None, "The password was set.")],
            parameters: &[],
            codes: &[ProblemCode::PasswordLinkInvalid, ProblemCode::RateLimited],
        },
        Endpoint::CreatePasswordLink | Endpoint::AdminPasswordLink => link(endpoint),
        Endpoint::ListAudit | Endpoint::AdminListAudit => audit(endpoint),
        _ => user(endpoint),
    }
}

fn audit(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListAudit => Operation {
            tag: "Audit",
            id: "listAudit",
            summary: "List the audit log",
            description: "Returns who changed what in the calling store and, for a parent store, in its branches, newest first. For the \
                next page, send `nextCursor` as `cursor`, until it is null. Entries are removed after the deployment's retention, two \
                years by default.",
            request: None,
            documented: &[(200, Some("AuditList"), "A page of the audit log.")],
            parameters: &["cursor", "limit"],
            codes: &[ProblemCode::ValidationFailed],
        },
        _ => Operation {
            tag: "Operator",
            id: "adminListAudit",
            summary: "List the audit log of all stores",
            description: "Returns who changed what in all stores and of all couriers, newest first. For the next page, send `nextCursor` \
                as `cursor`, until it is null.",
            request: None,
            documented: &[(200, Some("AuditList"), "A page of the audit log.")],
            parameters: &["storeIdOfAudit", "cursor", "limit"],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
        },
    }
}

fn link(endpoint: Endpoint) -> Operation {
    if endpoint == Endpoint::CreatePasswordLink {
        return Operation {
            tag: "Users",
            id: "createPasswordLink",
            summary: "Issue a link that sets a password",
            description: "Issues a one-time link with which the user sets a password, within an hour unless the deployment configures \
                another time. It replaces the previous link. `code` and `url` are returned only once. A panel session must confirm \
                the request: with the password of its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five \
                minutes before; attempts count as logins. Otherwise send `{}`.",
            request: Some("ConfirmPassword"),
            documented: &[(201, Some("PasswordLink"), "The new link.")],
            parameters: &["userId"],
            codes: &[ProblemCode::UserNotFound],
        };
    }
    Operation {
        tag: "Operator",
        id: "adminPasswordLink",
        summary: "Issue a link that sets a password of any store",
        description: "Issues a one-time link that sets the password of the store's own login or, with `userId`, of one of its users. It \
            replaces the previous link. `code` and `url` are returned only once. Send `{}` for the store's own login.",
        request: Some("NameLogin"),
        documented: &[(201, Some("PasswordLink"), "The new link.")],
        parameters: &["storeId"],
        codes: &[ProblemCode::StoreNotFound, ProblemCode::UserNotFound],
    }
}

fn user(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateUser => Operation {
            tag: "Users",
            id: "createUser",
            summary: "Create a user",
            description: "Creates a user of the calling store or, with `storeId`, of one of its branches. The user has no password: \
                `link` is a one-time link that sets it, returned only once. A panel session must confirm the request: with the password of \
                its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five minutes before; attempts count as \
                logins.",
            request: Some("CreateUser"),
            documented: &[(201, Some("UserCreated"), "The new user, with the link.")],
            parameters: &[],
            codes: &[
                ProblemCode::StoreNotFound,
                ProblemCode::EmailTaken,
                ProblemCode::StoreConflict,
                ProblemCode::TooManyUsers,
            ],
        },
        Endpoint::ListUsers => Operation {
            tag: "Users",
            id: "listUsers",
            summary: "List users",
            description: "Returns the users of the calling store or, with `storeId`, of one of its branches.",
            request: None,
            documented: &[(200, Some("UserList"), "The users.")],
            parameters: &["storeIdOfUsers"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::AdminListUsers => Operation {
            tag: "Operator",
            id: "adminListUsers",
            summary: "List the users of any store",
            description: "Returns the users of a store, for example to issue a link that sets the password of one. The store's own login \
                and the users of its branches are not included.",
            request: None,
            documented: &[(200, Some("UserList"), "The users.")],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound],
        },
        Endpoint::UpdateUser => Operation {
            tag: "Users",
            id: "updateUser",
            summary: "Change a user",
            description: "Absent fields keep their values. A new role ends the user's sessions. A panel session must confirm a new role: with \
                `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five minutes before.",
            request: Some("UpdateUser"),
            documented: &[(200, Some("User"), "The updated user.")],
            parameters: &["userId"],
            codes: &[ProblemCode::UserNotFound],
        },
        _ => Operation {
            tag: "Users",
            id: "removeUser",
            summary: "Remove a user",
            description: "Ends the user's sessions. The email can be used again.",
            request: None,
            documented: &[(204, None, "The user was removed.")],
            parameters: &["userId"],
            codes: &[ProblemCode::UserNotFound],
        },
    }
}

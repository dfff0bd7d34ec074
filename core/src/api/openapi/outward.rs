//! What the page says about events, webhooks and money.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// What is said about an endpoint of these.
pub(super) fn outward(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListEvents | Endpoint::StreamEvents => events(endpoint),
        Endpoint::GetStatement | Endpoint::AdminStatement | Endpoint::TopUpStore => money(endpoint),
        Endpoint::TestWebhook | Endpoint::ListAttempts | Endpoint::RetryAttempt => messages(endpoint),
        _ => webhooks(endpoint),
    }
}

fn events(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListEvents => Operation {
            tag: "Events",
            id: "listEvents",
            summary: "Read the journal",
            description: "Every event of the store's orders, oldest first; a matrix reads its branches' events too. Send `next` \
                as `after` for what comes next, now or later: an event never appears behind a cursor. Without `after`, or \
                with `0`, it begins with the first event that is there. A cursor of another store is `cursor_invalid`; one \
                from before what the operator has archived is `events_archived`.",
            request: None,
            documented: &[(200, Some("EventPage"), "A page of the journal; empty where nothing has happened since.")],
            parameters: &["after", "limit"],
            codes: &[ProblemCode::ValidationFailed, ProblemCode::EventsArchived, ProblemCode::CursorInvalid],
        },
        _ => Operation {
            tag: "Events",
            id: "streamEvents",
            summary: "Follow the journal",
            description: "The same as server-sent events: `id` is the cursor, `event` the type, `data` a `JournalEvent`. After an \
                interruption the browser's `EventSource` sends `Last-Event-ID` and goes on without a gap; others send it, or \
                `after`, themselves. Without either it begins with what happens from now on. A comment comes every 15 \
                seconds. A deployment that cannot hold connections open answers with what there is and ends; `retry` says \
                when to come again.",
            request: None,
            documented: &[(200, None, "The stream.")],
            parameters: &["after", "lastEventId"],
            codes: &[ProblemCode::EventsArchived, ProblemCode::CursorInvalid],
        },
    }
}

fn webhooks(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::CreateWebhook => Operation {
            tag: "Webhooks",
            id: "createWebhook",
            summary: "Subscribe to events",
            description: "From now on each event is sent to `url` as a `POST` of a `WebhookPayload`, signed by the Standard \
                Webhooks specification: `webhook-id`, `webhook-timestamp`, `webhook-signature`. A matrix gets its branches' \
                events too. `secret` is told this once. Events of one order come in their order, each at least once: a \
                `webhook-id` that came before is a repetition. Only 200 to 299 within 15 seconds is success; redirects are \
                not followed. What fails is tried again for three days; 410 ends the webhook, and 300 failures in a row \
                disable it.",
            request: Some("CreateWebhook"),
            documented: &[(201, Some("WebhookSecret"), "The webhook and its secret.")],
            parameters: &[],
            codes: &[ProblemCode::TooManyWebhooks],
        },
        Endpoint::ListWebhooks => Operation {
            tag: "Webhooks",
            id: "listWebhooks",
            summary: "List webhooks",
            description: "Those of the calling store, oldest first, stopped ones too. Secrets are not told again.",
            request: None,
            documented: &[(200, Some("WebhookList"), "The webhooks.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::RemoveWebhook => Operation {
            tag: "Webhooks",
            id: "removeWebhook",
            summary: "Remove a webhook",
            description: "Nothing more is sent, and what waited is gone.",
            request: None,
            documented: &[(204, None, "The webhook is removed.")],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound],
        },
        Endpoint::RotateWebhook => Operation {
            tag: "Webhooks",
            id: "rotateWebhook",
            summary: "Change a webhook's secret",
            description: "Takes no body. The new secret is told this once. For 24 hours requests carry a signature by each of \
                the two, so that the receiver can change over at any time.",
            request: None,
            documented: &[(200, Some("WebhookSecret"), "The webhook and its new secret.")],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound],
        },
        _ => Operation {
            tag: "Webhooks",
            id: "enableWebhook",
            summary: "Enable a disabled webhook",
            description: "Takes no body. It goes on where it stopped: nothing of the time between is lost.",
            request: None,
            documented: &[(200, Some("Webhook"), "The webhook, active.")],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound, ProblemCode::WebhookDisabled],
        },
    }
}

fn messages(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::TestWebhook => Operation {
            tag: "Webhooks",
            id: "testWebhook",
            summary: "Send a test",
            description: "Takes no body. Sends a message of type `webhook.test`; what came of it is in the log.",
            request: None,
            documented: &[(202, Some("QueuedMessage"), "The message will be sent.")],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound, ProblemCode::WebhookDisabled],
        },
        Endpoint::ListAttempts => Operation {
            tag: "Webhooks",
            id: "listAttempts",
            summary: "Read a webhook's log",
            description: "Its newest 200 attempts, the newest first. For the next page send `nextCursor` as `cursor`.",
            request: None,
            documented: &[(200, Some("AttemptList"), "A page of attempts.")],
            parameters: &["webhookId", "cursor", "limit"],
            codes: &[ProblemCode::WebhookNotFound, ProblemCode::ValidationFailed, ProblemCode::CursorInvalid],
        },
        _ => Operation {
            tag: "Webhooks",
            id: "retryAttempt",
            summary: "Send a message again",
            description: "Takes no body. Sends an attempt's message once more, whether it was delivered or not, with the same \
                `webhook-id`.",
            request: None,
            documented: &[(202, Some("QueuedMessage"), "The message will be sent.")],
            parameters: &["attemptId"],
            codes: &[ProblemCode::AttemptNotFound, ProblemCode::WebhookDisabled],
        },
    }
}

fn money(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::GetStatement => Operation {
            tag: "Money",
            id: "getStatement",
            summary: "Read the statement",
            description: "Every movement of the store's money with the balance after it, oldest first: CSV in UTF-8 by RFC 4180, \
                at most 50,000 entries, or, where `Accept` asks for JSON, pages. A matrix reads a branch's with `storeId`, also \
                after the branch was removed.\n\nA prepaid parent store and its branches share the parent's balance and its \
                floor. The parent's statement has all entries of that balance; a branch's has its own, with the shared \
                balance after each.",
            request: None,
            documented: &[(200, Some("StatementPage"), "The statement.")],
            parameters: &["from", "to", "storeIdOfStatement", "statementCursor", "limit"],
            codes: &[
                ProblemCode::StoreNotFound,
                ProblemCode::ValidationFailed,
                ProblemCode::CursorInvalid,
                ProblemCode::StatementTooLong,
            ],
        },
        Endpoint::AdminStatement => Operation {
            tag: "Operator",
            id: "getStoreStatement",
            summary: "Read a store's statement",
            description: "As `GET /delivery/statement`, of any store, also of one that was removed.",
            request: None,
            documented: &[(200, Some("StatementPage"), "The statement.")],
            parameters: &["storeId", "from", "to", "statementCursor", "limit"],
            codes: &[
                ProblemCode::StoreNotFound,
                ProblemCode::ValidationFailed,
                ProblemCode::CursorInvalid,
                ProblemCode::StatementTooLong,
            ],
        },
        _ => Operation {
            tag: "Operator",
            id: "topUpStore",
            summary: "Book a payment in",
            description: "Adds to the balance that pays for a store: its own, or the parent store's for a branch of a prepaid \
                one. `reference` books once: sent again with the same amount it answers 200 with \
                the entry that exists, with another one 409.",
            request: Some("CreateTopUp"),
            documented: &[
                (201, Some("StatementLine"), "The payment was booked."),
                (200, Some("StatementLine"), "It was booked before. Nothing was changed."),
            ],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ReferenceConflict],
        },
    }
}

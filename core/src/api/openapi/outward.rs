//! The descriptions of the endpoints for events, webhooks and money.

use super::operation::Operation;
use crate::api::{problem::ProblemCode, routes::Endpoint};

/// Returns the description of an endpoint for events, webhooks or money.
pub(super) fn outward(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListEvents | Endpoint::StreamEvents => events(endpoint),
        Endpoint::GetStatement | Endpoint::AdminStatement | Endpoint::TopUpStore => money(endpoint),
        Endpoint::DayReport | Endpoint::AdminDayReport => report(endpoint),
        Endpoint::ShowHealth => health(),
        Endpoint::TestWebhook | Endpoint::ListAttempts | Endpoint::RetryAttempt => {
            messages(endpoint)
        }
        _ => webhooks(endpoint),
    }
}

fn events(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::ListEvents => Operation {
            tag: "Events",
            id: "listEvents",
            summary: "Read the event journal",
            description: "Returns the events of the store's orders, oldest first; for a parent store also those of its branches. For the \
                following events send `next` as `after`, now or later: new events never appear before a cursor. Without `after`, or \
                with `0`, the journal starts with the first available event. A cursor of another store returns `cursor_invalid`. A \
                cursor before archived events returns 410 `events_archived`.",
            request: None,
            documented: &[(
                200,
                Some("EventPage"),
                "A page of the journal; empty if there are no newer events.",
            )],
            parameters: &["after", "limit"],
            codes: &[
                ProblemCode::ValidationFailed,
                ProblemCode::EventsArchived,
                ProblemCode::CursorInvalid,
            ],
        },
        _ => Operation {
            tag: "Events",
            id: "streamEvents",
            summary: "Stream the event journal",
            description: "Sends the journal as server-sent events: `id` is the cursor, `event` the type, `data` a `JournalEvent`. After \
                an interruption the browser's `EventSource` sends `Last-Event-ID` and continues without a gap; other clients must \
                send it, or `after`. Without either, the stream starts with the next new event. A comment is sent every 15 seconds. A \
                deployment that cannot hold connections open sends the available events and ends the response; `retry` is the time to \
                wait before reconnecting.",
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
            description: "Each new event is sent to `url` as a `POST` of a `WebhookPayload`, signed according to the Standard Webhooks \
                specification: `webhook-id`, `webhook-timestamp`, `webhook-signature`. A parent store also receives its branches' \
                events. `secret` is returned only once. The events of an order arrive in order, each at least once: a `webhook-id` \
                that you have already received is a repetition. Only a status from 200 to 299 within 15 seconds is a success; \
                redirects are not followed. A failed message is retried for three days. The status 410 ends the webhook, and 300 \
                failures in a row disable it. A panel session must confirm the request, because the receiver outlives the session: with the \
                password of its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five minutes before.",
            request: Some("CreateWebhook"),
            documented: &[(201, Some("WebhookSecret"), "The webhook and its secret.")],
            parameters: &[],
            codes: &[ProblemCode::TooManyWebhooks],
        },
        Endpoint::ListWebhooks => Operation {
            tag: "Webhooks",
            id: "listWebhooks",
            summary: "List webhooks",
            description: "Returns the calling store's webhooks, oldest first, including stopped ones, without their secrets.",
            request: None,
            documented: &[(200, Some("WebhookList"), "The webhooks.")],
            parameters: &[],
            codes: &[],
        },
        Endpoint::RemoveWebhook => Operation {
            tag: "Webhooks",
            id: "removeWebhook",
            summary: "Remove a webhook",
            description: "Nothing more is sent, and queued messages are deleted.",
            request: None,
            documented: &[(204, None, "The webhook is removed.")],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound],
        },
        Endpoint::RotateWebhook => Operation {
            tag: "Webhooks",
            id: "rotateWebhook",
            summary: "Rotate a webhook's secret",
            description: "The new secret is returned only once. For 24 hours every message has two signatures, one with each secret, so the \
                receiver can switch at any time. A panel session must confirm the request, as for a new webhook; other requests need no \
                body.",
            request: Some("ConfirmPassword"),
            documented: &[(
                200,
                Some("WebhookSecret"),
                "The webhook and its new secret.",
            )],
            parameters: &["webhookId"],
            codes: &[ProblemCode::WebhookNotFound],
        },
        _ => Operation {
            tag: "Webhooks",
            id: "enableWebhook",
            summary: "Enable a disabled webhook",
            description: "Has no request body. The webhook resumes where it stopped; no event is lost.",
            request: None,
            documented: &[(200, Some("Webhook"), "The active webhook.")],
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
            summary: "Send a test message",
            description: "Has no request body. Sends a message of type `webhook.test`. The webhook's log shows the result. A connection by Open Delivery has no test message.",
            request: None,
            documented: &[(202, Some("QueuedMessage"), "The message will be sent.")],
            parameters: &["webhookId"],
            codes: &[
                ProblemCode::WebhookNotFound,
                ProblemCode::WebhookDisabled,
                ProblemCode::ValidationFailed,
            ],
        },
        Endpoint::ListAttempts => Operation {
            tag: "Webhooks",
            id: "listAttempts",
            summary: "Read a webhook's log",
            description: "Returns the newest 200 attempts, newest first. For the next page, send `nextCursor` as `cursor`, until it is \
                null.",
            request: None,
            documented: &[(200, Some("AttemptList"), "A page of attempts.")],
            parameters: &["webhookId", "cursor", "limit"],
            codes: &[
                ProblemCode::WebhookNotFound,
                ProblemCode::ValidationFailed,
                ProblemCode::CursorInvalid,
            ],
        },
        _ => Operation {
            tag: "Webhooks",
            id: "retryAttempt",
            summary: "Send a message again",
            description: "Has no request body. Sends the attempt's message again with the same `webhook-id`, even if it was delivered.",
            request: None,
            documented: &[(202, Some("QueuedMessage"), "The message will be sent.")],
            parameters: &["attemptId"],
            codes: &[ProblemCode::AttemptNotFound, ProblemCode::WebhookDisabled],
        },
    }
}

fn report(endpoint: Endpoint) -> Operation {
    let is_operator = endpoint == Endpoint::AdminDayReport;
    Operation {
        tag: if is_operator { "Operator" } else { "Orders" },
        id: if is_operator {
            "adminDayReport"
        } else {
            "dayReport"
        },
        summary: if is_operator {
            "Report all stores' orders by day"
        } else {
            "Report orders by day"
        },
        description: "Returns the orders by the day of their creation in the store's time zone, and by store: numbers, fees and delivery \
            times, as CSV in UTF-8 (RFC 4180), or as JSON if `Accept` requests it. `Accept: text/csv; locale=pt-BR` requests the form for \
            spreadsheets in Brazil, which `GET /delivery/statement` describes. At most 92 days and 20,000 orders; without `from`, the last \
            30 days. Without `storeId`, a parent store's report includes its branches, and the operator's all stores.",
        request: None,
        documented: &[(200, Some("DayReportView"), "The report.")],
        parameters: &["storeIdOfReport", "firstDay", "lastDay"],
        codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    }
}

fn health() -> Operation {
    Operation {
        tag: "Operator",
        id: "showHealth",
        summary: "Show figures about stored work",
        description: "Counts open, late, searching and overdue orders, couriers, overdue pushes, queued messages and inactive webhooks of \
            the whole deployment. A figure that needs attention is `DEGRADED` and has advice. `/readyz` shows whether an instance can serve \
            requests, and `/metrics` has an instance's own figures.",
        request: None,
        documented: &[(200, Some("Health"), "The figures.")],
        parameters: &[],
        codes: &[],
    }
}

fn money(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::GetStatement => Operation {
            tag: "Money",
            id: "getStatement",
            summary: "Read the statement",
            description: "Returns every entry of the store's account with the balance after it, oldest first: as CSV in UTF-8 (RFC 4180) \
                with at most 50,000 entries, or as pages if `Accept` requests JSON. A parent store reads a branch's statement with \
                `storeId`, even after the branch was removed.\n\n`Accept: text/csv; locale=pt-BR` requests the form for people, which \
                spreadsheets in Brazil open in columns: with a byte order mark, semicolons, decimal commas, the store's local times and \
                Portuguese names. Programs should use the other form, which has commas, decimal points, times in UTC and the API's names. \
                In both, a text that a spreadsheet would evaluate as a formula starts with an apostrophe.\n\nA prepaid parent store and its branches share the parent's balance \
                and its floor. The parent's statement has all entries of that balance; a branch's statement has the branch's own \
                entries, with the shared balance after each.",
            request: None,
            documented: &[(200, Some("StatementPage"), "The statement.")],
            parameters: &[
                "from",
                "to",
                "storeIdOfStatement",
                "statementCursor",
                "limit",
            ],
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
            description: "Like `GET /delivery/statement`, for any store, including removed ones.",
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
            summary: "Top up a store",
            description: "Adds a payment to the balance from which the store pays: its own, or its parent's if the parent is prepaid. \
                `reference` makes the request safe to repeat: the same reference with the same amount returns 200 with the existing \
                entry; with another amount it returns 409.",
            request: Some("CreateTopUp"),
            documented: &[
                (201, Some("StatementLine"), "The top-up was booked."),
                (
                    200,
                    Some("StatementLine"),
                    "The top-up already exists. Nothing was changed.",
                ),
            ],
            parameters: &["storeId"],
            codes: &[ProblemCode::StoreNotFound, ProblemCode::ReferenceConflict],
        },
    }
}

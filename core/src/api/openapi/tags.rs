//! The groups of endpoints on the documentation page.

/// Tags and their descriptions.
pub(super) const TAGS: [(&str, &str); 16] = [
    (
        "Orders",
        "Preview, create, follow and cancel delivery orders.",
    ),
    ("Stores", "A parent store and its branches."),
    (
        "Sessions",
        "Login with email and password, for people who use the panel.",
    ),
    (
        "Users",
        "People who log in to a store, besides the store's own login.",
    ),
    (
        "Audit",
        "Who changed what, apart from orders, which have their own history.",
    ),
    ("Keys", "Issue, list and revoke API keys."),
    ("Events", "The event journal, as pages and as a stream."),
    ("Webhooks", "Events sent to the store's own server."),
    ("Money", "Fees, refunds and top-ups."),
    (
        "Cash",
        "The cash that couriers carry for a store: floats, handovers, closings and differences.",
    ),
    (
        "Notifications",
        "Messages to a store about failed, expired or returned orders and stopped webhooks.",
    ),
    (
        "Couriers",
        "Position, availability and order steps for a courier's app, with the courier's key or a session; positions from other apps, with a device key.",
    ),
    (
        "Recipients",
        "The page of a delivery for its recipient, and the store's settings for it.",
    ),
    (
        "Open Delivery",
        "The logistics API of Open Delivery 1.7.1, for merchants' systems that implement it.",
    ),
    (
        "Operator",
        "Administration of the service, with the operator's token.",
    ),
    (
        "Deployment",
        "Health, metrics and documentation of the running service, without a key.",
    ),
];

//! Mutations: deliberate defects that verify that the simulation detects violations.
//!
//! Each mutation changes the behaviour of the host or the database. The core is unchanged.

macro_rules! mutations {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal,)*) => {
        /// A deliberate defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutation { $($(#[doc = $doc])* $variant,)* }

        impl Mutation {
            /// All mutations.
            pub const ALL: &'static [Mutation] = &[$(Mutation::$variant,)*];

            /// Returns the name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Mutation::$variant => $name,)* }
            }

            /// Returns the mutation with a name.
            pub fn from_name(name: &str) -> Option<Mutation> {
                Mutation::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

mutations! {
    /// A commit ignores the stored versions, so the last write wins.
    VersionIgnored "version-ignored",
    /// Two open orders of a store can have the same code.
    CodeTwice "code-twice",
        /// The response of an idempotency key is not stored.
        ResponseNotStored "response-not-stored",
        /// The stored response of an idempotency key is deleted if its commit seemed to fail.
        ReleaseDeletesResponse "release-deletes-response",
        /// An order's fee is not stored.
        FeeMissing "fee-missing",
        /// A fee is refunded twice.
    RefundTwice "refund-twice",
    /// Debits ignore the floor of a prepaid store.
    FloorIgnored "floor-ignored",
        /// A branch of a prepaid parent store pays from its own balance.
        BalanceNotShared "balance-not-shared",
        /// Dispatch reads couriers with an order as free.
    BusyCourier "busy-courier",
    /// Dispatch reads every courier as a sandbox courier.
    SandboxMixed "sandbox-mixed",
        /// A courier is not released when the order ends.
        CourierNotReleased "courier-not-released",
        /// A page of the journal omits an event.
        PositionSkipped "position-skipped",
        /// An event is not stored.
    EventLost "event-lost",
    /// A page of the journal contains an event twice.
    EventTwice "event-twice",
        /// A branch can access the orders of its parent store and its siblings.
        SiblingVisible "sibling-visible",
    /// A preview stores an order.
    PreviewStores "preview-stores",
    /// A confirmed commit is not stored.
    WriteLost "write-lost",
    /// A failed commit is partially stored.
    HalfCommit "half-commit",
        /// A quote never expires.
        QuoteNeverExpires "quote-never-expires",
        /// The second page of a list omits its first entry.
    PageShort "page-short",
    /// A subscription skips an event.
    WebhookSkips "webhook-skips",
    /// Webhooks are not signed with the newest secret.
    OldSecret "old-secret",
        /// A revoked key is accepted.
        RevokedKeyAccepted "revoked-key-accepted",
        /// Wrong codes are not counted.
        CodesNotCounted "codes-not-counted",
        /// A wrong pickup code is accepted.
        CodeNotChecked "code-not-checked",
        /// An ID is allocated twice.
    IdsRepeat "ids-repeat",
    /// A trip takes more orders than its limit, and orders that do not share a trip.
    TripLimitIgnored "trip-limit-ignored",
    /// A trip of several orders is stored without its first order.
    TripTruncated "trip-truncated",
    /// A write of a courier ignores the stored version, so that concurrent steps of a trip
    /// overwrite each other.
    TripVersionIgnored "trip-version-ignored",
    /// Dispatch reads orders that are picked up as waiting, so that their trips take further
    /// orders.
    PickupNotSeen "pickup-not-seen",
    /// A courier's step does not consider the other orders of the trip.
    OtherOrdersNotSeen "other-orders-not-seen",
    /// Dispatch does not consider the loads and the permitted vehicles of orders.
    RequirementsNotSeen "requirements-not-seen",
    /// Dispatch does not consider the permitted vehicles of orders.
    VehicleNotSeen "vehicle-not-seen",
    /// Dispatch does not add the loads of the other orders of a trip.
    LoadsNotAdded "loads-not-added",
    /// The search for a courier starts earlier than the lead time.
    SearchEarly "search-early",
    /// The preparation of a scheduled order starts early.
    PreparationEarly "preparation-early",
    /// Dispatch passes do not read scheduled orders.
    PreparationSkipped "preparation-skipped",
    /// The search for a courier starts a minute late.
    SearchLate "search-late",
    /// An order with a requested time is stored with times that are ten minutes late.
    TimesLate "times-late",
    /// An order with windows and without a time is stored with times four hours later.
    WindowsMissed "windows-missed",
    /// A scheduled order is stored with a ready time that is ten minutes early.
    ReadyTimeMoved "ready-time-moved",
    /// An order with a lead time expires without regard to its ready time.
    ExpiryEarly "expiry-early",
    /// Dispatch reads each order as if its last step had just been taken, so that couriers are
    /// never overdue and orders never at their limit.
    StepsSeemNew "steps-seem-new",
    /// An estimate is replaced more often than once a minute.
    EstimateTooOften "estimate-too-often",
    /// An estimate that moved by less than a minute causes an event.
    EstimateTooFine "estimate-too-fine",
}

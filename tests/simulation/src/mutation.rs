//! Deliberately broken rules: a simulation that finds none of them would find nothing else either.
//!
//! Each stands at the boundary between the core and its host, as a database or a host that breaks its word; the core itself is what ships.

macro_rules! mutations {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal,)*) => {
        /// A broken rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutation { $($(#[doc = $doc])* $variant,)* }

        impl Mutation {
            /// Every one.
            pub const ALL: &'static [Mutation] = &[$(Mutation::$variant,)*];

            /// What the command line calls it.
            pub fn name(self) -> &'static str {
                match self { $(Mutation::$variant => $name,)* }
            }

            /// The one of a name.
            pub fn from_name(name: &str) -> Option<Mutation> {
                Mutation::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

mutations! {
    /// A commit takes place whatever versions stand there: the last one wins.
    VersionIgnored "version-ignored",
    /// Two orders of a store may hold the same code.
    CodeTwice "code-twice",
    /// The answer for an idempotency key is not kept.
    ResponseLost "answer-forgotten",
    /// The answer for an idempotency key is forgotten where its commit seemed to fail.
    ReleaseLost "release-forgets",
    /// An order's fee is not booked.
    FeeUnbooked "fee-unbooked",
    /// A fee comes back twice.
    RefundTwice "refund-twice",
    /// Debits pass the floor of a prepaid store.
    FloorIgnored "floor-ignored",
    /// A branch of a prepaid parent store pays from a balance of its own.
    BalanceUnshared "balance-unshared",
    /// Dispatch is told that couriers with an order are free.
    BusyCourier "busy-courier",
    /// Dispatch reads every courier as a sandbox courier.
    SandboxMixed "sandbox-mixed",
    /// A courier keeps an order that has ended.
    CourierKept "courier-kept",
    /// A page of the journal leaves an event out.
    PlaceSkipped "place-skipped",
    /// An event is not written down.
    EventLost "event-lost",
    /// An event is written down twice in the journal's place of its neighbour: the page gives it twice.
    EventTwice "event-twice",
    /// A branch sees the orders of its matrix and its siblings.
    SiblingSeen "sibling-seen",
    /// A preview stores an order.
    PreviewStores "preview-stores",
    /// A commit that was confirmed is not there.
    WriteLost "write-lost",
    /// A commit that failed leaves half of itself behind.
    HalfCommit "half-commit",
    /// A quote holds for ever.
    QuoteForever "quote-forever",
    /// The second page of a list begins one entry too late.
    PageShort "page-short",
    /// A subscription passes over an event.
    WebhookSkips "webhook-skips",
    /// Webhooks are signed with another secret than the newest.
    OldSecret "old-secret",
    /// A revoked key still opens its store.
    RevokedKeyOpens "revoked-key-opens",
    /// Wrong codes are not counted.
    CodesUncounted "codes-uncounted",
    /// A wrong pickup code is as good as the right one.
    CodeUnasked "code-unasked",
    /// An identifier is given twice.
    IdsRepeat "ids-repeat",
}

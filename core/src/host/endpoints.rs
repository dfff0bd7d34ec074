//! The parts of the API.

/// The endpoints that a program serves. A host can consist of several programs on one database, each smaller than a program with all
/// endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoints {
    /// All endpoints.
    All,
    /// The endpoints of a part.
    Only(Part),
}

/// A part of the endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All endpoints except those of the other parts.
    Store,
    /// The preview of an order (`/delivery/orders/preview`), which a program can compile for speed instead of size.
    Preview,
    /// The endpoints of couriers, whose paths start with `/courier`.
    Courier,
    /// The endpoints of the operator, whose paths start with `/admin`, except those of the dispatch pass.
    Operator,
    /// The endpoints of webhooks (`/delivery/webhooks`), of Open Delivery (`/v1`, `/oauth`) and of the dispatch pass
    /// (`/admin/dispatch`), and the messages to connections of Open Delivery.
    Connection,
}

impl Endpoints {
    /// Whether the program serves a part, given by its discriminant.
    pub(crate) const fn includes(self, part: u8) -> bool {
        match self {
            Endpoints::All => true,
            Endpoints::Only(own) => own as u8 == part,
        }
    }
}

//! The parts of the API.

/// The endpoints that a program serves. A host can consist of two programs on one database, each smaller than a program with all
/// endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoints {
    /// All endpoints.
    All,
    /// The operator's endpoints, whose paths start with `/admin`.
    Operator,
    /// All endpoints except the operator's.
    Others,
}

impl Endpoints {
    /// Whether it includes the operator's endpoints, or else the others.
    pub const fn includes(self, operator: bool) -> bool {
        match self {
            Endpoints::All => true,
            Endpoints::Operator => operator,
            Endpoints::Others => !operator,
        }
    }
}

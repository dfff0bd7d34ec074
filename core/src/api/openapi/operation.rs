//! What the document says about one endpoint.

use crate::api::problem::ProblemCode;

/// What is said about an endpoint, beyond what its row in the table of routes says.
pub(super) struct Operation {
    pub tag: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    /// The schema of its body.
    pub request: Option<&'static str>,
    /// Statuses of success with the answer's schema and what they mean; no schema where there is no body.
    pub documented: &'static [(u16, Option<&'static str>, &'static str)],
    /// Parameters of its own, by their names among the components.
    pub parameters: &'static [&'static str],
    /// Problems of its own.
    pub codes: &'static [ProblemCode],
}

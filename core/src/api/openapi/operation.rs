//! The description of one endpoint.

use crate::api::problem::ProblemCode;

/// The description of an endpoint, in addition to its row in the table of routes.
pub(super) struct Operation {
    pub tag: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    /// The schema of the request body.
    pub request: Option<&'static str>,
    /// The statuses of success, each with the response's schema and its description. Without a body
    /// there is no schema.
    pub documented: &'static [(u16, Option<&'static str>, &'static str)],
    /// The endpoint's own parameters, by their names among the components.
    pub parameters: &'static [&'static str],
    /// The endpoint's own problem codes.
    pub codes: &'static [ProblemCode],
}

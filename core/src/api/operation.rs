//! The description of an endpoint in the OpenAPI document.

use super::problem::ProblemCode;

/// What the OpenAPI document says about an endpoint, in addition to its route.
#[cfg_attr(
    not(feature = "openapi"),
    expect(dead_code, reason = "only the OpenAPI document contains descriptions")
)]
pub(super) struct Operation {
    pub tag: &'static str,
    pub id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub request: RequestBody,
    /// The statuses of success, each with the response's schema and its description. Without a body
    /// there is no schema.
    pub responses: &'static [(u16, Option<&'static str>, &'static str)],
    /// The endpoint's own parameters, by their names among the components.
    pub parameters: &'static [&'static str],
    /// The endpoint's own problem codes, besides those of every endpoint with its access.
    pub codes: &'static [ProblemCode],
    /// The operation that takes an ID of the response.
    pub link: Option<Link>,
    /// Whether the response sets a cookie.
    pub sets_cookie: bool,
}

impl Operation {
    /// An operation without a request body, parameters and problem codes of its own.
    pub(super) const EMPTY: Operation = Operation {
        tag: "",
        id: "",
        summary: "",
        description: "",
        request: RequestBody::Empty,
        responses: &[],
        parameters: &[],
        codes: &[],
        link: None,
        sets_cookie: false,
    };
}

/// The schema of a request body.
#[cfg_attr(
    not(feature = "openapi"),
    expect(dead_code, reason = "only the OpenAPI document contains schemas")
)]
#[derive(Clone, Copy)]
pub(super) enum RequestBody {
    /// There is no body.
    Empty,
    Required(&'static str),
    /// The body can be absent.
    Optional(&'static str),
    /// A courier's step, which also accepts its time.
    Step(&'static str),
}

/// A link from a response to the operation that takes its ID.
#[cfg_attr(
    not(feature = "openapi"),
    expect(dead_code, reason = "only the OpenAPI document contains links")
)]
pub(super) struct Link {
    pub operation: &'static str,
    pub parameter: &'static str,
    /// The field of the response that contains the ID.
    pub field: &'static str,
    pub description: &'static str,
}

#[cfg(feature = "openapi")]
impl RequestBody {
    /// Returns the name of the schema, and whether the body is required.
    pub(super) fn schema(self) -> Option<(&'static str, bool)> {
        match self {
            RequestBody::Empty => None,
            RequestBody::Required(schema) | RequestBody::Step(schema) => Some((schema, true)),
            RequestBody::Optional(schema) => Some((schema, false)),
        }
    }
}

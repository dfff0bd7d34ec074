//! The descriptions of the endpoints of Open Delivery.

use utoipa::ToSchema;

use super::{json::Json, operation::Operation};
use crate::{
    api::{problem::ProblemCode, routes::Endpoint},
    wire::open_delivery as wire,
};

const TAG: &str = "Open Delivery";
const ORDER: &[&str] = &["openDeliveryOrderId"];
const STEP: [ProblemCode; 3] = [
    ProblemCode::OrderNotFound,
    ProblemCode::ValidationFailed,
    ProblemCode::DeliveryRejected,
];
const PLAN: [ProblemCode; 8] = [
    ProblemCode::RateLimited,
    ProblemCode::AddressNotFound,
    ProblemCode::AddressImprecise,
    ProblemCode::CoordinatesMismatch,
    ProblemCode::OutOfArea,
    ProblemCode::StoreClosed,
    ProblemCode::WindowUnreachable,
    ProblemCode::DistanceExceeded,
];

/// The schemas of requests.
pub(super) const REQUESTS: &[&str] = &[
    "CreateConnection",
    "AvailabilityRequest",
    "DeliveryRequest",
    "MerchantRef",
    "LogisticsAddress",
    "RequestedVehicle",
    "LimitTimes",
    "Price",
    "DeliveryPayments",
    "OfflinePayment",
    "FinishDelivery",
    "HandleProblem",
    "CancelDelivery",
];

/// The fields of responses that are omitted if they have no value.
pub(super) const OPTIONAL: &[(&str, &str)] = &[
    ("Webhook", "openDelivery"),
    ("DeliveryAccepted", "deliveryDetailsURL"),
    ("LogisticsDetails", "vehicle"),
    ("LogisticsDetails", "times"),
    ("LogisticsDetails", "deliveryPerson"),
    ("LogisticsDetails", "externalTrackingURL"),
    ("ResolvedProblem", "message"),
    ("DetailTimes", "deliveryFinishDate"),
    ("DeliveryEventView", "message"),
    ("DeliveryEventView", "rejectionInfo"),
];

/// Returns the schemas.
pub(super) fn schemas() -> Vec<(
    String,
    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
)> {
    fn of<T: ToSchema>() -> Vec<(
        String,
        utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
    )> {
        let mut found = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut found);
        found
    }
    let all = [
        of::<wire::AccessToken>(),
        of::<wire::AvailabilityRequest>(),
        of::<wire::AvailabilityView>(),
        of::<wire::DeliveryRequest>(),
        of::<wire::DeliveryAccepted>(),
        of::<wire::LogisticsDetails>(),
        of::<wire::FinishDelivery>(),
        of::<wire::HandleProblem>(),
        of::<wire::CancelDelivery>(),
        of::<wire::CancelResponse>(),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the parameter in the paths of deliveries.
pub(super) fn order_parameter() -> Json {
    Json::object([
        ("name", "orderId".into()),
        ("in", "path".into()),
        ("required", true.into()),
        (
            "description",
            "ID of the order in the ordering application, a UUID.".into(),
        ),
        (
            "schema",
            Json::object([("type", "string".into()), ("format", "uuid".into())]),
        ),
    ])
}

/// Returns the kind of credential.
pub(super) fn scheme() -> Json {
    Json::object([
        ("type", "http".into()),
        ("scheme", "bearer".into()),
        (
            "description",
            "An access token: `access_token` in the response of `POST /oauth/token`.".into(),
        ),
    ])
}

/// Returns the schema of the form with which a token is requested.
pub(super) fn token_form() -> Json {
    let text = |description: &str, max: u64| {
        Json::object([
            ("type", "string".into()),
            ("description", description.into()),
            ("minLength", 1.into()),
            ("maxLength", max.into()),
        ])
    };
    let grant = Json::object([
        ("type", "string".into()),
        ("description", "Always `client_credentials`.".into()),
        ("enum", Json::list(["client_credentials"])),
    ]);
    let properties = Json::object([
        ("grant_type", grant),
        (
            "client_id",
            text("`openDelivery.clientId` of the connection.", 64),
        ),
        ("client_secret", text("`secret` of the connection.", 255)),
    ]);
    Json::object([
        ("type", "object".into()),
        ("description", "A request for an access token.".into()),
        (
            "required",
            Json::list(["grant_type", "client_id", "client_secret"]),
        ),
        ("properties", properties),
    ])
}

/// Returns the description of an endpoint of Open Delivery.
pub(super) fn open_delivery(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::IssueToken => Operation {
            tag: TAG,
            id: "issueToken",
            summary: "Request an access token",
            description: "Returns a token for the routes of Open Delivery, valid for one hour. Request a new one before it expires. A \
                connection is created with `POST /delivery/webhooks`, and each has its own credentials.",
            request: Some("TokenRequest"),
            documented: &[(200, Some("AccessToken"), "The token.")],
            parameters: &[],
            codes: &[
                ProblemCode::ApiKeyInvalid,
                ProblemCode::ApiKeyExpired,
                ProblemCode::ApiKeyRevoked,
                ProblemCode::StoreDisabled,
                ProblemCode::ValidationFailed,
                ProblemCode::RateLimited,
            ],
        },
        Endpoint::GetAvailability => Operation {
            tag: TAG,
            id: "getAvailability",
            summary: "Availability and price",
            description: "Returns the price and the expected times of a delivery; creates nothing. With a token, the store's opening hours \
                and service area also apply.",
            request: Some("AvailabilityRequest"),
            documented: &[(
                200,
                Some("AvailabilityView"),
                "The price and the expected times.",
            )],
            parameters: &[],
            codes: &PLAN,
        },
        Endpoint::RequestDelivery => Operation {
            tag: TAG,
            id: "requestDelivery",
            summary: "Request a delivery",
            description: "Creates a delivery. `ACCEPTED` follows by webhook when a courier is assigned, or `REJECTED` when none was found \
                until `completion.rejectAfter`. A delivery that is not possible is rejected at once with status 422, and nothing is stored. An \
                `orderId` can be sent again only after `REJECTED`.",
            request: Some("DeliveryRequest"),
            documented: &[(202, Some("DeliveryAccepted"), "The delivery was created.")],
            parameters: &[],
            codes: &[
                PLAN[1],
                PLAN[2],
                PLAN[3],
                PLAN[4],
                PLAN[5],
                PLAN[6],
                PLAN[7],
                ProblemCode::ValidationFailed,
                ProblemCode::DeliveryRejected,
            ],
        },
        Endpoint::GetDelivery => Operation {
            tag: TAG,
            id: "getDelivery",
            summary: "Read a delivery",
            description: "Returns the last attempt with this `orderId`.",
            request: None,
            documented: &[(200, Some("LogisticsDetails"), "The delivery.")],
            parameters: ORDER,
            codes: &[ProblemCode::OrderNotFound],
        },
        Endpoint::SetReadyForPickup => Operation {
            tag: TAG,
            id: "setReadyForPickup",
            summary: "The goods are ready",
            description: "Reports that the goods are ready. With `notifyReadyForPickup`, the courier can pick them up only afterwards. \
                Sending it again has no effect.",
            request: None,
            documented: &[(200, None, "The goods are ready.")],
            parameters: ORDER,
            codes: &STEP,
        },
        Endpoint::SetOrderPicked => Operation {
            tag: TAG,
            id: "setOrderPicked",
            summary: "The courier has the goods",
            description: "Confirms the pickup instead of the courier, who must be at the pickup. Sending it again has no effect.",
            request: None,
            documented: &[(200, None, "The pickup is confirmed.")],
            parameters: ORDER,
            codes: &[STEP[0], STEP[1], STEP[2], ProblemCode::ProofRequired],
        },
        Endpoint::FinishDelivery => Operation {
            tag: TAG,
            id: "finishDelivery",
            summary: "The delivery is finished",
            description: "Confirms the end of a delivery with `notifyConclusion`, after which `DELIVERY_FINISHED` is sent. Sending it again \
                has no effect.",
            request: Some("FinishDelivery"),
            documented: &[(200, None, "The end is confirmed.")],
            parameters: ORDER,
            codes: &STEP,
        },
        Endpoint::HandleProblem => Operation {
            tag: TAG,
            id: "handleProblem",
            summary: "Decide on a problem",
            description: "Decides on goods that are on the way: their return, another attempt, or that they are discarded.",
            request: Some("HandleProblem"),
            documented: &[(200, None, "The decision is carried out.")],
            parameters: ORDER,
            codes: &STEP,
        },
        _ => Operation {
            tag: TAG,
            id: "cancelDelivery",
            summary: "Cancel a delivery",
            description: "Cancels a delivery before the pickup. If the goods are on the way, `action` decides between their return and the \
                discard. Sending it again has no effect.",
            request: Some("CancelDelivery"),
            documented: &[(
                202,
                Some("CancelResponse"),
                "The delivery is cancelled, or the goods are returned.",
            )],
            parameters: ORDER,
            codes: &STEP,
        },
    }
}

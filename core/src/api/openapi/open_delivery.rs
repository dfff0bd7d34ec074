//! The schemas and security scheme of Open Delivery.

use utoipa::ToSchema;

use super::json::Json;
use crate::wire::open_delivery as wire;

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

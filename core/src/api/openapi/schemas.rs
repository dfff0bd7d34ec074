//! The schemas of the wire types, restricted to what the validator accepts.

use serde::ser::Error as _;
use utoipa::ToSchema;

use super::{devices, enums, json::Json, open_delivery, text};
use crate::{
    api::{bounds, problem::ProblemDocument},
    json::{Member, Tree},
    wire,
};

/// The schemas of requests; every other schema belongs to a response.
const REQUESTS: &[&str] = &[
    "PushEndpoint",
    "CreateOrder",
    "SetRequirements",
    "SetWindow",
    "SetPayment",
    "SetPaymentPart",
    "NewDelivery",
    "Confirmation",
    "MarketplaceOrder",
    "MarketplaceWebhookOrder",
    "StoreRef",
    "PreviewOrder",
    "PreviewStop",
    "PersonContact",
    "CreateStore",
    "CreateParentStore",
    "UpdateStore",
    "IssueKey",
    "ChangePassword",
    "ResetPassword",
    "CreateUser",
    "UpdateUser",
    "ConfirmPassword",
    "ConfirmSession",
    "NameLogin",
    "RegisterCourier",
    "AlterCourier",
    "ReportPosition",
    "SetAvailability",
    "StartCourierSession",
    "StartOperatorSession",
    "ReassignOrder",
    "AlterStore",
    "CreateTariff",
    "PreviewTariff",
    "CompareTariff",
    "TariffBody",
    "SurchargeBody",
    "TariffSample",
    "WindowBody",
    "CreatePayPlan",
    "PreviewPay",
    "PayPlanBody",
    "PayBandBody",
    "ReturnPayBody",
    "CancelledPercentBody",
    "WaitingPayBody",
    "ShiftPayBody",
    "CommissionBody",
    "PaySample",
    "SetCourierPay",
    "SetPayTerms",
    "CreatePayEntry",
    "SetStoreDispatch",
    "SetDispatch",
    "StepTime",
    "GiveCode",
    "GiveReason",
    "NameDelivery",
    "GiveDeliveryCode",
    "GiveDeliveryReason",
    "FailDelivery",
    "SendProof",
    "SetProofRules",
    "SetProofRule",
    "DelayOrder",
    "CancelOrder",
    "CreateWebhook",
    "CreateTopUp",
    "RequestTopUp",
    "MoveCash",
    "CloseCash",
    "SendSlip",
    "ExplainDifference",
    "NameRecipient",
    "StoreHours",
    "OpeningPeriod",
    "HoursException",
    "StoreArea",
    "AreaGeometry",
    "SetStoreTracking",
    "SetStorePayments",
    "SetPix",
    "ReceivePayment",
    "RecordPayment",
    "TrackingContact",
    "ChangeLink",
    "ChooseDelivery",
    "RateDelivery",
];
/// The fields of responses that are omitted if they have no value.
const OPTIONAL: [(&str, &str); 40] = [
    ("CourierRecord", "stuckSince"),
    ("Order", "requirements"),
    ("Order", "deliverAt"),
    ("Order", "preparationStartsAt"),
    ("Order", "pickupInstructions"),
    ("Delivery", "payment"),
    ("Delivery", "paymentsReceived"),
    ("Delivery", "window"),
    ("CourierOrder", "pickupInstructions"),
    ("CourierDelivery", "payment"),
    ("CourierDelivery", "paymentsReceived"),
    ("CourierDelivery", "window"),
    ("CourierOrder", "requirements"),
    ("DispatchDecision", "excluded"),
    ("Tariff", "vehicles"),
    ("ListedOrder", "storeName"),
    ("OrderDetails", "storeName"),
    ("Store", "balance"),
    ("Problem", "orderId"),
    ("Problem", "possible"),
    ("Problem", "triesLeft"),
    ("Problem", "nextOpening"),
    ("FieldError", "parameter"),
    ("Delivery", "confirmation"),
    ("Order", "eta"),
    ("Order", "combinable"),
    ("Order", "leadMinutes"),
    ("ContextStore", "leadMinutes"),
    ("ContextStore", "estimates"),
    ("ContextStore", "settle"),
    ("ContextStore", "hours"),
    ("ContextStore", "serviceArea"),
    ("PreviewContext", "validUntil"),
    ("CourierRecord", "orderIds"),
    ("CourierRecord", "availableFrom"),
    ("CourierRecord", "availableUntil"),
    ("CourierSelf", "orderIds"),
    ("CourierSelf", "availableFrom"),
    ("CourierSelf", "availableUntil"),
    ("DispatchPass", "decisions"),
];

/// Adds the schemas of the operator's stores and of reports.
fn operator(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::OperatorStore>(schemas)?;
    add::<wire::DayReportView>(schemas)?;
    add::<wire::ReportDay>(schemas)?;
    add::<wire::OperatorStoreList>(schemas)?;
    add::<wire::SetDispatch>(schemas)?;
    add::<wire::DispatchSettings>(schemas)?;
    add::<wire::DispatchComparison>(schemas)?;
    add::<wire::DispatchSummary>(schemas)?;
    add::<wire::ChangedDecision>(schemas)?;
    add::<wire::HealthView>(schemas)?;
    add::<wire::HealthFigure>(schemas)?;
    add::<wire::HealthStatus>(schemas)?;
    add::<wire::AlterStore>(schemas)?;
    add::<wire::CreateTariff>(schemas)?;
    add::<wire::PreviewTariff>(schemas)?;
    add::<wire::CompareTariff>(schemas)?;
    add::<wire::TariffList>(schemas)?;
    add::<wire::TariffPreview>(schemas)?;
    add::<wire::TariffComparison>(schemas)?;
    pay(schemas)
}

/// Adds the schemas of couriers' pay.
fn pay(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::CreatePayPlan>(schemas)?;
    add::<wire::PreviewPay>(schemas)?;
    add::<wire::PayPlanList>(schemas)?;
    add::<wire::PayPreview>(schemas)?;
    add::<wire::SetCourierPay>(schemas)?;
    add::<wire::CourierPay>(schemas)?;
    add::<wire::CreatePayEntry>(schemas)?;
    add::<wire::PayStatement>(schemas)?;
    add::<wire::Earnings>(schemas)?;
    Ok(())
}

/// Returns every schema of the document, in the order of the documentation page.
///
/// # Errors
/// A schema that cannot be serialised.
pub(super) fn all() -> serde_json::Result<Vec<Member<'static>>> {
    let mut schemas = Vec::new();
    add::<wire::CreateOrder>(&mut schemas)?;
    add::<wire::OrderDetails>(&mut schemas)?;
    add::<wire::PreviewOrder>(&mut schemas)?;
    add::<wire::PreviewView>(&mut schemas)?;
    coverage(&mut schemas)?;
    add::<wire::CreateStore>(&mut schemas)?;
    add::<wire::UpdateStore>(&mut schemas)?;
    add::<wire::StoreView>(&mut schemas)?;
    add::<wire::CreateParentStore>(&mut schemas)?;
    add::<wire::CreateSession>(&mut schemas)?;
    add::<wire::IssueKey>(&mut schemas)?;
    add::<wire::StoreCreated>(&mut schemas)?;
    add::<wire::KeyList>(&mut schemas)?;
    add::<wire::NotificationList>(&mut schemas)?;
    accounts(&mut schemas)?;
    couriers(&mut schemas)?;
    add::<wire::DispatchPassView>(&mut schemas)?;
    add::<wire::OrderDispatchView>(&mut schemas)?;
    add::<wire::SetStoreDispatch>(&mut schemas)?;
    add::<wire::StoreDispatchView>(&mut schemas)?;
    add::<wire::OrderList>(&mut schemas)?;
    add::<wire::StoreList>(&mut schemas)?;
    operator(&mut schemas)?;
    add::<wire::CancelOrder>(&mut schemas)?;
    add::<wire::DelayOrder>(&mut schemas)?;
    add::<wire::CancellationView>(&mut schemas)?;
    add::<wire::RouteView>(&mut schemas)?;
    add::<wire::CurrentOrder>(&mut schemas)?;
    add::<wire::CurrentTrip>(&mut schemas)?;
    add::<wire::StepTime>(&mut schemas)?;
    add::<wire::GiveCode>(&mut schemas)?;
    add::<wire::GiveReason>(&mut schemas)?;
    add::<wire::ReassignOrder>(&mut schemas)?;
    add::<wire::NameDelivery>(&mut schemas)?;
    add::<wire::GiveDeliveryCode>(&mut schemas)?;
    add::<wire::GiveDeliveryReason>(&mut schemas)?;
    proofs(&mut schemas)?;
    outward(&mut schemas)?;
    add::<wire::NameRecipient>(&mut schemas)?;
    add::<wire::RecipientExport>(&mut schemas)?;
    add::<wire::ErasureResult>(&mut schemas)?;
    add::<wire::ErasureList>(&mut schemas)?;
    recipients(&mut schemas)?;
    add_all(&mut schemas, open_delivery::schemas())?;
    schemas.push(("TokenRequest".into(), open_delivery::token_form()));
    add::<ProblemDocument>(&mut schemas)?;
    let enums = enums::schemas();
    schemas.retain(|(name, _)| !enums.iter().any(|(other, _)| other == name));
    schemas.extend(
        enums
            .into_iter()
            .map(|(name, schema)| (name.into(), schema)),
    );
    for (schema, field, bounds) in bounds::fields()? {
        let bounds = Json::of(&bounds)?;
        schemas
            .iter_mut()
            .find(|(name, _)| name == schema)
            .and_then(|(_, schema)| schema.get_mut("properties")?.get_mut(field))
            .and_then(|property| bound(property, &bounds))
            .ok_or_else(|| serde_json::Error::custom(format!("no field {schema}.{field}")))?;
    }
    let address = schemas
        .iter()
        .find(|(name, _)| name == "Address")
        .map(|(_, schema)| schema.clone());
    for (name, schema) in &mut schemas {
        match &**name {
            "VisitAddress" => *schema = visit_address(address.as_ref()),
            "LocateAddress" => *schema = locate_address(),
            name if REQUESTS.contains(&name)
                || open_delivery::REQUESTS.contains(&name)
                || name == "CreateSession" =>
            {
                text::tighten(schema);
                nest_defaults(schema);
            }
            name => responded(schema, name),
        }
    }
    schemas.extend(locatable_addresses(address.as_ref()));
    schemas.extend(
        devices::schemas()
            .into_iter()
            .map(|(name, schema)| (name.into(), schema)),
    );
    let issue = schemas
        .iter()
        .find(|(name, _)| name == "IssueKey")
        .map(|(_, schema)| schema.clone());
    schemas.extend(issue.map(|schema| ("AdminIssueKey".into(), admin_issue_key(schema))));
    Ok(schemas)
}

/// Adds the keywords of bounds to a property: a range, or a pair of bounds of which the first is
/// excluded. The minimum of a length is written only if it is above 0.
fn bound(property: &mut Json, bounds: &Json) -> Option<()> {
    let is = |name| match property.get("type")? {
        Json::List(kinds) => Some(kinds.iter().any(|kind| kind.as_str() == Some(name))),
        kind => Some(kind.as_str() == Some(name)),
    };
    let ([max, min], is_length) = match (is("string")?, is("array")?) {
        (true, _) => (["maxLength", "minLength"], true),
        (_, true) => (["maxItems", "minItems"], true),
        _ if bounds.items().is_some() => (["maximum", "exclusiveMinimum"], false),
        _ => (["maximum", "minimum"], false),
    };
    let (start, end) = match bounds {
        Json::List(both) => (
            both.first()?.get("Excluded")?,
            both.get(1)?.get("Included")?,
        ),
        range => (range.get("start")?, range.get("end")?),
    };
    if let Json::Object(members) = property {
        // The minimum of Rust's unsigned numbers.
        members.retain(|(name, _)| name != "minimum");
    }
    property.set(max, end.clone());
    if !(is_length && start.as_u64() == Some(0)) {
        property.set(min, start.clone());
    }
    Some(())
}

/// Moves the default of an optional field into the alternative that is not null. Generators of
/// TypeScript types take a field with a default of its own for one that is always present, also in
/// requests.
fn nest_defaults(schema: &mut Json) {
    let Some(Json::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (_, property) in properties {
        let Json::Object(members) = property else {
            continue;
        };
        let Some(at) = members.iter().position(|(name, _)| name == "default") else {
            continue;
        };
        let (_, default) = members.remove(at);
        if let Some(Json::List(alternatives)) = property.get_mut("oneOf") {
            if let Some(first) = alternatives.first_mut() {
                first.set("default", default);
            }
            continue;
        }
        let mut value = Json::Object(Vec::new());
        let Json::Object(members) = property else {
            continue;
        };
        for (name, member) in std::mem::take(members) {
            match (&*name, member) {
                ("description" | "example", member) => members.push((name, member)),
                ("type", Json::List(kinds)) => {
                    value.set(
                        "type",
                        kinds
                            .into_iter()
                            .find(|kind| kind.as_str() != Some("null"))
                            .unwrap_or(Json::Null),
                    );
                }
                (_, member) => value.set(name, member),
            }
        }
        let null = Json::object([("type", "null".into())]);
        property.set(
            "oneOf",
            Json::List(vec![value.with("default", default), null]),
        );
    }
}

fn coverage(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::PreviewContext>(schemas)?;
    add::<wire::CoverageView>(schemas)?;
    add::<wire::StoreHoursBody>(schemas)?;
    add::<wire::StoreAreaBody>(schemas)?;
    Ok(())
}

fn accounts(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::ChangePassword>(schemas)?;
    add::<wire::ResetPassword>(schemas)?;
    add::<wire::CreateUser>(schemas)?;
    add::<wire::UpdateUser>(schemas)?;
    add::<wire::ConfirmPassword>(schemas)?;
    add::<wire::ConfirmSession>(schemas)?;
    add::<wire::SessionConfirmation>(schemas)?;
    add::<wire::NameLogin>(schemas)?;
    add::<wire::UserCreated>(schemas)?;
    add::<wire::UserList>(schemas)?;
    add::<wire::SessionList>(schemas)?;
    add::<wire::AuditList>(schemas)?;
    Ok(())
}

fn couriers(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::RegisterCourier>(schemas)?;
    add::<wire::AlterCourier>(schemas)?;
    add::<wire::CourierKeyView>(schemas)?;
    add::<wire::CourierList>(schemas)?;
    add::<wire::CourierSelf>(schemas)?;
    add::<wire::ReportPosition>(schemas)?;
    add::<wire::PositionResult>(schemas)?;
    add::<wire::SignInCodeView>(schemas)?;
    add::<wire::StartCourierSession>(schemas)?;
    add::<wire::StartOperatorSession>(schemas)?;
    add::<wire::DeviceKeyView>(schemas)?;
    add::<wire::ReportResult>(schemas)?;
    add::<wire::PushKeyView>(schemas)?;
    add::<wire::PushEndpoint>(schemas)?;
    add::<wire::SetAvailability>(schemas)?;
    Ok(())
}

fn outward(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::EventPage>(schemas)?;
    add::<wire::CreateWebhook>(schemas)?;
    add::<wire::WebhookSecret>(schemas)?;
    add::<wire::WebhookList>(schemas)?;
    add::<wire::QueuedMessage>(schemas)?;
    add::<wire::AttemptList>(schemas)?;
    add::<wire::WebhookPayload>(schemas)?;
    add::<wire::StatementPage>(schemas)?;
    add::<wire::CreateTopUp>(schemas)?;
    add::<wire::RequestTopUp>(schemas)?;
    add::<wire::TopUpList>(schemas)?;
    add::<wire::CashList>(schemas)?;
    add::<wire::CashEntryList>(schemas)?;
    add::<wire::MoveCash>(schemas)?;
    add::<wire::CloseCash>(schemas)?;
    add::<wire::ClosedCash>(schemas)?;
    add::<wire::ExplainDifference>(schemas)?;
    add::<wire::CourierCash>(schemas)?;
    Ok(())
}

fn recipients(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::RecordPayment>(schemas)?;
    add::<wire::SetStorePayments>(schemas)?;
    add::<wire::StorePaymentsView>(schemas)?;
    add::<wire::SetStoreTracking>(schemas)?;
    add::<wire::StoreTrackingView>(schemas)?;
    add::<wire::ChangeLink>(schemas)?;
    add::<wire::LinkView>(schemas)?;
    add::<wire::RecipientTracking>(schemas)?;
    add::<wire::ChooseDelivery>(schemas)?;
    add::<wire::RateDelivery>(schemas)?;
    Ok(())
}

fn proofs(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    add::<wire::FailDelivery>(schemas)?;
    add::<wire::SetProofRules>(schemas)?;
    add::<wire::ProofRulesView>(schemas)?;
    add::<wire::PhotoView>(schemas)?;
    add::<wire::OrderProofView>(schemas)?;
    let file = Json::object([
        ("description", "A JPEG, PNG or WebP file.".into()),
        ("type", "string".into()),
        ("format", "binary".into()),
    ]);
    schemas.push(("PhotoFile".into(), file));
    Ok(())
}

/// Returns the schema of a key that the operator issues: `storeId` is required, because the
/// operator has no store.
fn admin_issue_key(mut schema: Json) -> Json {
    if let Some(properties) = schema.get_mut("properties") {
        properties.set(
            "storeId",
            Json::reference("schemas", "StoreNumber").with(
                "description",
                "The ID of the store for which to issue the key.",
            ),
        );
    }
    schema
        .with("description", "A key to issue for a store.")
        .with("required", Json::list(["storeId"]))
}

fn add<T: ToSchema>(schemas: &mut Vec<Member<'static>>) -> serde_json::Result<()> {
    let mut found = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut found);
    add_all(schemas, found)
}

type Found = Vec<(
    String,
    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
)>;

fn add_all(schemas: &mut Vec<Member<'static>>, found: Found) -> serde_json::Result<()> {
    for (name, schema) in found {
        if !schemas.iter().any(|(existing, _)| *existing == name) {
            // serde's defaults and the widths of Rust's numbers are not properties of the JSON.
            let unwanted = |name: &str, value: &Tree<'_>| match name {
                "default" => matches!(value, Tree::Null),
                "format" => matches!(value.as_str(), Some("int32" | "int64" | "double")),
                _ => false,
            };
            schemas.push((name.into(), Json::of_filtered(&schema, &unwanted)?));
        }
    }
    Ok(())
}

/// Makes every field of a response required: a field without a value is null.
fn responded(schema: &mut Json, of: &str) {
    if let Some(Json::List(parts)) = schema.get_mut("allOf") {
        parts.iter_mut().for_each(|part| responded(part, of));
    }
    let Some(Json::Object(properties)) = schema.get("properties") else {
        return;
    };
    let names = properties.iter().map(|(name, _)| &**name);
    let is_optional = |name: &&str| {
        OPTIONAL
            .iter()
            .chain(open_delivery::OPTIONAL)
            .any(|one| *one == (of, *name))
    };
    let required = Json::list(names.filter(|name| !is_optional(name)));
    schema.set("required", required);
}

/// Returns the schema of an address in a request; the fields in `required` are never null.
fn address(response: Option<&Json>, required: &[&str]) -> Json {
    let properties = response
        .and_then(|schema| schema.get("properties"))
        .cloned();
    let mut properties = properties.unwrap_or(Json::Null);
    if let Json::Object(members) = &mut properties {
        for (name, property) in members.iter_mut() {
            if !matches!(&**name, "latitude" | "longitude") {
                property.set("maxLength", 255);
                match &**name {
                    "state" => property.set("format", "uf"),
                    "zipCode" => property.set("format", "cep"),
                    _ => {}
                }
            }
            if required.contains(&&**name) {
                property.set(
                    "type",
                    if matches!(&**name, "latitude" | "longitude") {
                        "number"
                    } else {
                        "string"
                    },
                );
            }
        }
    }
    let mut schema = Json::object([("type", "object".into()), ("properties", properties)]);
    if !required.is_empty() {
        schema.set("required", Json::list(required.iter().copied()));
    }
    text::tighten(&mut schema);
    schema
}

/// Adds the rule that an address has both coordinates or neither; null counts as absent. `not` is
/// understood by validators, and generators of types ignore it, while they take alternatives beside
/// the fields for other types.
fn with_paired_coordinates(schema: Json) -> Json {
    let alone = |present: &'static str, absent: &'static str| {
        let kind = |kind: &'static str| Json::object([("type", kind.into())]);
        let properties = Json::object([(present, kind("number")), (absent, kind("null"))]);
        Json::object([
            ("required", Json::list([present])),
            ("properties", properties),
        ])
    };
    let unpaired = Json::List(vec![
        alone("latitude", "longitude"),
        alone("longitude", "latitude"),
    ]);
    schema.with("not", Json::object([("anyOf", unpaired)]))
}

fn visit_address(response: Option<&Json>) -> Json {
    let description = "An address that a courier visits. Send both coordinates or neither. Without coordinates the address is \
                       looked up; if it cannot be located, the response is `address_not_found`.";
    with_paired_coordinates(
        address(response, &["street", "number", "city", "state"]).with("description", description),
    )
}

/// The names of the addresses that can be located, each with its description and required fields.
/// Every alternative has all fields of an address, so that generated types have them too.
const LOCATABLE: [(&str, &str, &[&str]); 3] = [
    (
        "LocateByCoordinates",
        "An address with coordinates.",
        &["latitude", "longitude"],
    ),
    ("LocateByZipCode", "An address with a CEP.", &["zipCode"]),
    (
        "LocateByCity",
        "An address with a city and its state.",
        &["city", "state"],
    ),
];

fn locate_address() -> Json {
    let description = "An address that can be located: by coordinates, by `zipCode`, or by `city` and `state`. The most precise \
                       of these is used.";
    let alternatives = LOCATABLE
        .iter()
        .map(|(name, ..)| Json::reference("schemas", name));
    Json::object([
        ("description", description.into()),
        ("anyOf", Json::list(alternatives)),
    ])
}

fn locatable_addresses(response: Option<&Json>) -> Vec<Member<'static>> {
    let schema = |(name, description, required): &(&'static str, &'static str, &[&str])| {
        let schema =
            with_paired_coordinates(address(response, required).with("description", *description));
        ((*name).into(), schema)
    };
    LOCATABLE.iter().map(schema).collect()
}

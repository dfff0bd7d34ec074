//! Stores, keys, sessions and notifications.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{
    FieldCode, KeyOrigin, MarketplaceBranch, ProblemCodeSchema, StoreNumber, VisitAddress,
};
use super::{AddressBody, Id, Reais};
#[cfg(feature = "openapi")]
use crate::model::store::NotificationKind;
use crate::model::{
    Language, Person, Precision, Timestamp,
    price::EstimatePolicy,
    store::{Billing, Key, Notification, Role, Store},
};

/// The contact person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PersonContact))]
#[serde(default)]
pub struct ContactBody {
    /// Name.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Maria Silva")
    )]
    pub name: Option<String>,
    /// Phone number in E.164 format.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "phone",
            example = "+5511999990000"
        )
    )]
    pub phone: Option<String>,
}

macro_rules! new_store {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            /// Business registration number (CNPJ), numeric or alphanumeric. Punctuation is
            /// ignored.
            #[cfg_attr(
                feature = "openapi",
                schema(
                    required = true,
                    nullable = false,
                    format = "cnpj",
                    example = "11.222.333/0001-81"
                )
            )]
            pub cnpj: Option<String>,
            /// Trade name.
            #[cfg_attr(
                feature = "openapi",
                schema(required = true, nullable = false, example = "Cantina da Praça")
            )]
            pub name: Option<String>,
            /// The contact person.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
            pub responsible: Option<ContactBody>,
            /// Email address for contact and login, at most 400 characters, unique.
            #[cfg_attr(
                feature = "openapi",
                schema(
                    required = true,
                    nullable = false,
                    format = "email",
                    example = "loja@exemplo.com.br"
                )
            )]
            pub email: Option<String>,
            /// Password, 10 to 128 characters.
            #[cfg_attr(
                feature = "openapi",
                schema(required = true, nullable = false, format = "password")
            )]
            pub password: Option<String>,
            /// Address of the store, which is the default pickup.
            #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
            pub address: Option<AddressBody>,
            /// Category of the store: 1 food, 2 pharmacy, 3 groceries, 4 beverages, 5 pets, 6
            /// flowers and gifts, 7 documents, 8 other.
            #[cfg_attr(feature = "openapi", schema(value_type = MarketplaceBranch, required = true))]
            pub marketplace_branch_id: Option<Id>,
            $($(#[$field_doc])* pub $field: $kind,)*
        }
    };
}

new_store! {
    /// A new branch of the calling parent store.
    CreateStore {
        /// The password of the calling login. Required if the key belongs to a panel session that
        /// was not confirmed in the last five minutes,
    /// ignored otherwise.
        #[cfg_attr(feature = "openapi", schema(format = "password"))]
        current_password: Option<String>,
    }
}

new_store! {
    /// A new parent store, created by the operator.
    CreateParentStore {
        /// Minimum balance in BRL after a fee is debited. If absent, the store is invoiced and its
        /// balance has no lower limit.
        prepaid_floor: Option<f64>,
        /// Whether the store is a sandbox store, for testing an integration: simulated couriers
        /// carry its orders, and its fees are never billed. Its branches are sandbox stores too. It
        /// cannot be changed later.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        sandbox: Option<bool>,
    }
}

/// Changes to the calling store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStore {
    /// Trade name.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Cantina da Praça")
    )]
    pub name: Option<String>,
    /// The contact person.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub responsible: Option<ContactBody>,
    /// Email address for contact and login, unique.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "email",
            example = "loja@exemplo.com.br"
        )
    )]
    pub email: Option<String>,
    /// Address of the store.
    #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
    pub address: Option<AddressBody>,
    /// The password of the calling login. Required for a new email if the key belongs to a panel
    /// session that was not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// A login to the panel.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CreateSession {
    /// The email address of the store or of a user.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "loja@exemplo.com.br")
    )]
    pub email: Option<String>,
    /// The password.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password", min_length = 1)
    )]
    pub password: Option<String>,
}

/// A key to issue.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct IssueKey {
    /// ID of the store for which the key is issued: the calling store or one of its branches.
    /// Defaults to the calling store.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StoreNumber>))]
    pub store_id: Option<Id>,
    /// Name of the key.
    #[cfg_attr(feature = "openapi", schema(example = "Till 2"))]
    pub name: Option<String>,
    /// Validity of the key in whole days.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub expires_in_days: Option<f64>,
    /// The password of the calling login. Required if the key belongs to a panel session that was
    /// not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// A store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Store))]
#[serde(rename_all = "camelCase")]
pub struct StoreView {
    /// The store's ID.
    pub id: u64,
    /// Business registration number (CNPJ), 14 characters without punctuation.
    pub cnpj: String,
    /// Trade name.
    pub name: String,
    /// The contact person.
    pub responsible: ContactBody,
    /// Email address for contact and login.
    pub email: String,
    /// Address of the store.
    pub address: AddressBody,
    /// Category of the store.
    #[cfg_attr(feature = "openapi", schema(value_type = MarketplaceBranch))]
    pub marketplace_branch_id: u8,
    /// The parent store. Null if the store is a parent store.
    pub matrix: Option<ParentStoreRef>,
    /// Balance of the account that pays for the store, in BRL. Absent if the caller is a clerk.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Reais>,
    /// ID of the store that owns the balance: the parent store for branches of a prepaid parent
    /// store, otherwise the store itself.
    pub balance_store_id: u64,
    /// Whether the store is a sandbox store: simulated couriers carry its orders, and its fees are
    /// never billed.
    pub sandbox: bool,
    /// Usual preparation time in minutes, which the panel suggests for new orders. Null if the
    /// store has not set it.
    pub preparation_time: Option<u32>,
}

/// A store as the operator reads it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperatorStore {
    /// The store.
    #[serde(flatten)]
    pub store: StoreView,
    /// Minimum balance of the account in BRL. Null if the store is invoiced.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub prepaid_floor: Option<Reais>,
    /// Whether the operator disabled the store.
    pub disabled: bool,
    /// Whether the operator disabled the parent store.
    pub parent_disabled: bool,
    /// What to do with prices that are estimates. Null if the deployment's `pricing.estimates`
    /// applies.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<EstimatePolicy>))]
    pub estimates: Option<&'static str>,
    /// The precision of the location of the store's address.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// Time of creation.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub created_at: String,
}

/// A page of stores.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperatorStoreList {
    /// The stores, by ID. A page of a search can have fewer stores than `limit`, or none, although
    /// more follow.
    pub stores: Vec<OperatorStore>,
    /// The cursor of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// The operator's changes to a store. Absent fields stay as they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AlterStore {
    /// Whether the store is disabled. The keys and sessions of a disabled store and its branches
    /// are rejected; their open orders continue.
    pub disabled: Option<bool>,
    /// Minimum balance in BRL of a prepaid parent store, which also applies to its branches.
    pub prepaid_floor: Option<f64>,
    /// What to do with prices that are estimates because an address was located only by its
    /// municipality: `ACCEPT`, `LOWER` (charge the lower end of the range) or `REJECT`; `DEFAULT`
    /// is the deployment's `pricing.estimates`.
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^(ACCEPT|LOWER|REJECT|DEFAULT)$", example = "LOWER")
    )]
    pub estimates: Option<String>,
}

/// A reference to a parent store.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ParentStore))]
pub struct ParentStoreRef {
    /// The parent store's ID.
    pub id: u64,
}

/// A new key. Its value is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = IssuedKey))]
#[serde(rename_all = "camelCase")]
pub struct StoreCreated {
    /// The key's ID.
    pub id: String,
    /// ID of the store for which the key was issued.
    pub store_id: String,
    /// The key. Send it as `x-api-token`.
    pub value: String,
    /// ID of the store that issued the key.
    pub integrator_id: String,
    /// The kind of the key.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub integrator_origin: &'static str,
    /// Time at which the key expires.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// Time at which the key was issued.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Time at which the key was revoked. Always null for a new key.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub deleted_at: Option<String>,
}

/// A key without its value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Key))]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// The key's ID.
    pub id: String,
    /// ID of the store for which the key was issued.
    pub store_id: String,
    /// Name of the key.
    pub name: Option<String>,
    /// ID of the store that issued the key.
    pub integrator_id: String,
    /// The kind of the key.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub integrator_origin: &'static str,
    /// Time at which the key expires.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// Time at which the key was issued.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Time at which the key was revoked, or null.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub deleted_at: Option<String>,
}

/// The keys of a store, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyList {
    /// The keys.
    pub keys: Vec<KeyView>,
}

/// A page of notifications, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotificationList {
    /// The notifications.
    pub notifications: Vec<NotificationView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A notification to a store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Notification))]
#[serde(rename_all = "camelCase")]
pub struct NotificationView {
    /// The notification's ID.
    pub id: u64,
    /// Type of the notification.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = NotificationKind))]
    pub kind: &'static str,
    /// Time of the notification.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Time at which the notification was marked as read, or null.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub read_at: Option<String>,
    /// ID of the affected order, if it was created.
    pub order_id: Option<u64>,
    /// Code of the affected order as sent.
    pub order_code: Option<String>,
    /// Code of the problem. Null if there was none.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<ProblemCodeSchema>))]
    pub code: Option<String>,
    /// Description of the problem in the language of the request.
    pub detail: Option<String>,
    /// The invalid fields.
    pub errors: Vec<FailedFieldView>,
}

/// An invalid field.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = FailedField))]
pub struct FailedFieldView {
    /// JSON pointer (RFC 6901) to the field in the request body.
    pub pointer: String,
    /// Code of the violation.
    #[cfg_attr(feature = "openapi", schema(value_type = FieldCode))]
    pub code: String,
    /// Description of the violation.
    pub detail: String,
}

impl StoreView {
    /// Builds the API representation of a store for a caller with this role.
    pub fn of(store: &Store, role: Role) -> StoreView {
        StoreView {
            id: store.id.get(),
            cnpj: store.cnpj.as_str().to_owned(),
            name: store.name.clone(),
            responsible: ContactBody::of(&store.responsible),
            email: store.email.as_str().to_owned(),
            address: (&store.address).into(),
            marketplace_branch_id: store.category,
            matrix: store.parent.map(|id| ParentStoreRef { id: id.get() }),
            balance: (role == Role::Owner).then_some(Reais(store.balance)),
            balance_store_id: store.account().get(),
            sandbox: store.sandbox,
            preparation_time: store.preparation_minutes,
        }
    }
}

impl OperatorStore {
    /// Builds the representation of a store for the operator.
    pub fn of(store: &Store) -> OperatorStore {
        let prepaid_floor = match store.billing {
            Billing::Prepaid { floor } => Some(Reais(floor)),
            Billing::Invoiced => None,
        };
        OperatorStore {
            store: StoreView::of(store, Role::Owner),
            prepaid_floor,
            disabled: store.disabled_at.is_some(),
            parent_disabled: store.parent_disabled,
            estimates: store.estimates.map(EstimatePolicy::name),
            precision: store.located.precision,
            created_at: store.created_at.to_string(),
        }
    }
}

impl ContactBody {
    fn of(person: &Person) -> ContactBody {
        let phone = person.phone.as_ref().map(|phone| phone.as_str().to_owned());
        ContactBody {
            name: Some(person.name.clone()),
            phone,
        }
    }
}

impl StoreCreated {
    /// Combines a new key with its value.
    pub fn of(key: &Key, value: String) -> StoreCreated {
        StoreCreated {
            id: key.id.to_string(),
            store_id: key.store.to_string(),
            value,
            integrator_id: key.integrator.to_string(),
            integrator_origin: key.kind.origin(),
            expires_at: key.expires_at.to_string(),
            created_at: key.created_at.to_string(),
            deleted_at: key.deleted_at.as_ref().map(Timestamp::to_string),
        }
    }
}

impl KeyView {
    /// Builds the API representation of a key.
    pub fn of(key: &Key) -> KeyView {
        KeyView {
            id: key.id.to_string(),
            store_id: key.store.to_string(),
            name: key.name.clone(),
            integrator_id: key.integrator.to_string(),
            integrator_origin: key.kind.origin(),
            expires_at: key.expires_at.to_string(),
            created_at: key.created_at.to_string(),
            deleted_at: key.deleted_at.as_ref().map(Timestamp::to_string),
        }
    }
}

impl NotificationView {
    /// Builds the API representation of a notification in a language.
    pub fn of(notification: &Notification, language: Language) -> NotificationView {
        let reason = notification.reason.as_ref();
        NotificationView {
            id: notification.id.get(),
            kind: notification.kind.name(),
            created_at: notification.created_at.to_string(),
            read_at: notification.read_at.as_ref().map(Timestamp::to_string),
            order_id: notification.order.map(crate::model::OrderId::get),
            order_code: notification.order_code.clone(),
            code: reason.map(|reason| reason.code.clone()),
            detail: reason.map(|reason| reason.detail.get(language).to_owned()),
            errors: reason
                .map_or(&[][..], |reason| &reason.fields)
                .iter()
                .map(|field| FailedFieldView {
                    pointer: field.pointer.clone(),
                    code: field.code.clone(),
                    detail: field.detail.get(language).to_owned(),
                })
                .collect(),
        }
    }
}

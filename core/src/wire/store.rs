//! Stores, keys, sessions and notifications.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{FieldCode, KeyOrigin, MarketplaceBranch, ProblemCodeSchema, StoreNumber, VisitAddress};
use super::{AddressBody, Id, Reais};
#[cfg(feature = "openapi")]
use crate::model::store::NotificationKind;
use crate::model::{
    Language, Person, Timestamp,
    store::{Key, Notification, Store},
};

/// Whom to call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PersonContact))]
#[serde(default)]
pub struct ContactBody {
    /// Name, 1 to 255 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, max_length = 255, example = "Maria Silva")
    )]
    pub name: Option<String>,
    /// Number in E.164.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "phone", max_length = 255, example = "+5511999990000")
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
            /// Business registration number, numeric or alphanumeric; punctuation is tolerated.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, format = "cnpj", max_length = 255, example = "11.222.333/0001-81"))]
            pub cnpj: Option<String>,
            /// Trade name, 5 to 255 characters.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, min_length = 5, max_length = 255, example = "Cantina da Praça"))]
            pub name: Option<String>,
            /// Whom to call.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
            pub responsible: Option<ContactBody>,
            /// Contact and login address, at most 400 characters, unique.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, format = "email", max_length = 400, example = "loja@exemplo.com.br"))]
            pub email: Option<String>,
            /// Password, 10 to 128 characters.
            #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, format = "password", min_length = 10, max_length = 128))]
            pub password: Option<String>,
            /// Where the store is; the default pickup.
            #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
            pub address: Option<AddressBody>,
            /// What it sells: 1 food, 2 pharmacy, 3 groceries, 4 beverages, 5 pets, 6 flowers and gifts, 7 documents, 8 other.
            #[cfg_attr(feature = "openapi", schema(value_type = MarketplaceBranch, required = true))]
            pub marketplace_branch_id: Option<Id>,
            $($(#[$field_doc])* pub $field: $kind,)*
        }
    };
}

new_store! {
    /// A new branch of the calling matrix.
    CreateStore {
        /// The calling store's own password: required where the key is a panel session's, ignored otherwise.
        #[cfg_attr(feature = "openapi", schema(format = "password", max_length = 512))]
        current_password: Option<String>,
    }
}

new_store! {
    /// A new matrix, by the operator.
    CreateMatrix {
        /// The lowest balance in BRL that a fee may leave; absent, the store is invoiced and has no floor.
        #[cfg_attr(feature = "openapi", schema(minimum = -1_000_000, maximum = 1_000_000))]
        prepaid_floor: Option<f64>,
        /// Whether it is a sandbox store, for testing an integration: simulated couriers carry its orders, and its fees are never billed. Its
        /// branches are sandbox stores too. It never changes.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        sandbox: Option<bool>,
    }
}

/// What a store changes of itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStore {
    /// Trade name, 5 to 255 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, min_length = 5, max_length = 255, example = "Cantina da Praça")
    )]
    pub name: Option<String>,
    /// Whom to call.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub responsible: Option<ContactBody>,
    /// Contact and login address, at most 400 characters, unique.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "email", max_length = 400, example = "loja@exemplo.com.br")
    )]
    pub email: Option<String>,
    /// Where the store is.
    #[cfg_attr(feature = "openapi", schema(value_type = VisitAddress, required = true))]
    pub address: Option<AddressBody>,
}

/// A login at the panel.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CreateSession {
    /// The store's email.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, max_length = 400, example = "loja@exemplo.com.br")
    )]
    pub email: Option<String>,
    /// The store's password.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, format = "password", min_length = 1))]
    pub password: Option<String>,
}

/// What key to issue.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct IssueKey {
    /// The store that the key is for: the caller where it is absent, or one of its branches.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StoreNumber>))]
    pub store_id: Option<Id>,
    /// What people call it, 1 to 255 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 255, example = "Till 2"))]
    pub name: Option<String>,
    /// Whole days that it is valid, 1 to 3650.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 1, maximum = 3650))]
    pub expires_in_days: Option<f64>,
    /// The calling store's password: required where the key is a panel session's, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password", max_length = 512))]
    pub current_password: Option<String>,
}

/// A store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Store))]
#[serde(rename_all = "camelCase")]
pub struct StoreView {
    /// The store's number.
    pub id: u64,
    /// Business registration number, 14 positions.
    pub cnpj: String,
    /// Trade name.
    pub name: String,
    /// Whom to call.
    pub responsible: ContactBody,
    /// Contact and login address.
    pub email: String,
    /// Where the store is.
    pub address: AddressBody,
    /// What it sells.
    #[cfg_attr(feature = "openapi", schema(value_type = MarketplaceBranch))]
    pub marketplace_branch_id: u8,
    /// Its matrix; null for a matrix.
    pub matrix: Option<MatrixRef>,
    /// The balance that pays for it, BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub balance: Reais,
    /// The store whose balance that is: the parent store for a branch of a prepaid one, else the store itself.
    pub balance_store_id: u64,
    /// Whether it is a sandbox store: simulated couriers carry its orders, and its fees are never billed.
    pub sandbox: bool,
}

/// A matrix, by its number.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DistanceMatrix))]
pub struct MatrixRef {
    /// The matrix's number.
    pub id: u64,
}

/// A new key. Its text is told this once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = IssuedKey))]
#[serde(rename_all = "camelCase")]
pub struct StoreCreated {
    /// The key's number.
    pub id: String,
    /// The store that the key is for.
    pub store_id: String,
    /// The key: send it as `x-api-token`.
    pub value: String,
    /// The store that asked for it.
    pub integrator_id: String,
    /// What the key is for.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub integrator_origin: &'static str,
    /// When the key ends.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// When it was issued.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// When it was revoked: null.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub deleted_at: Option<String>,
}

/// A key, without its text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Key))]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// The key's number.
    pub id: String,
    /// The store that it is for.
    pub store_id: String,
    /// What people call it.
    pub name: Option<String>,
    /// The store that asked for it.
    pub integrator_id: String,
    /// What the key is for.
    #[cfg_attr(feature = "openapi", schema(value_type = KeyOrigin))]
    pub integrator_origin: &'static str,
    /// When it ends.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// When it was issued.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// When it was revoked.
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
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// One thing that a store is told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Notification))]
#[serde(rename_all = "camelCase")]
pub struct NotificationView {
    /// The notification's number.
    pub id: u64,
    /// Why.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = NotificationKind))]
    pub kind: &'static str,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// When it was marked as read.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub read_at: Option<String>,
    /// The order that it is about, where one exists.
    pub order_id: Option<u64>,
    /// The order's code as it was sent.
    pub order_code: Option<String>,
    /// The problem's code; null where there was none.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<ProblemCodeSchema>))]
    pub code: Option<String>,
    /// What went wrong, in the language of the request.
    pub detail: Option<String>,
    /// The fields at fault.
    pub errors: Vec<FailedFieldView>,
}

/// A field at fault.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = FailedField))]
pub struct FailedFieldView {
    /// RFC 6901 pointer into the request's body.
    pub pointer: String,
    /// The fault's code.
    #[cfg_attr(feature = "openapi", schema(value_type = FieldCode))]
    pub code: String,
    /// What is wrong with it.
    pub detail: String,
}

impl StoreView {
    /// The store as the API shows it.
    pub fn of(store: &Store) -> StoreView {
        StoreView {
            id: store.id.get(),
            cnpj: store.cnpj.as_str().to_owned(),
            name: store.name.clone(),
            responsible: ContactBody::of(&store.responsible),
            email: store.email.as_str().to_owned(),
            address: (&store.address).into(),
            marketplace_branch_id: store.category,
            matrix: store.matrix.map(|id| MatrixRef { id: id.get() }),
            balance: Reais(store.balance),
            balance_store_id: store.account().get(),
            sandbox: store.sandbox,
        }
    }
}

impl ContactBody {
    fn of(person: &Person) -> ContactBody {
        let phone = person.phone.as_ref().map(|phone| phone.as_str().to_owned());
        ContactBody { name: Some(person.name.clone()), phone }
    }
}

impl StoreCreated {
    /// A new key with its text.
    pub fn of(key: &Key, text: String) -> StoreCreated {
        StoreCreated {
            id: key.id.to_string(),
            store_id: key.store.to_string(),
            value: text,
            integrator_id: key.integrator.to_string(),
            integrator_origin: key.kind.origin(),
            expires_at: key.expires_at.to_string(),
            created_at: key.created_at.to_string(),
            deleted_at: key.deleted_at.as_ref().map(Timestamp::to_string),
        }
    }
}

impl KeyView {
    /// The key as the API shows it.
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
    /// The notification in a language.
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

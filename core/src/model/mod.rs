//! Value types and entities of the domain: money, distances, timestamps, identifiers, addresses,
//! orders, stores and couriers.
//!
//! Values of these types are valid by construction. External strings are converted by `parse`
//! functions, whose errors state the reason.

mod address;
pub mod audit;
pub mod cash;
mod cnpj;
pub mod courier;
mod digest;
mod ecdsa;
mod email;
mod entropy;
mod figures;
mod fold;
mod geo;
mod ids;
mod load;
mod local;
mod money;
pub mod order;
pub mod pay;
mod phone;
mod pix;
pub mod price;
pub mod privacy;
pub mod store;
pub mod tariff;
mod text;
mod time;
pub mod webhook;

pub use address::{Address, Cep, Uf};
pub use cnpj::{Cnpj, CnpjError};
pub use digest::{
    fingerprint, hex, hmac_sha256, hmac_sha256_matches, hmac_sha256_of_text, sha256, unhex,
};
pub use ecdsa::{p256_public_key, p256_sign};
pub use email::{Email, EmailError};
pub use entropy::{Entropy, ExecContext};
pub use figures::{Figures, Fleet};
pub use fold::{Folded, PUNCTUATION, SearchWords, fold, searchable};
pub use geo::{Distance, DistanceMatrix, Leg, Located, Point, Precision};
pub use ids::{
    AttemptId, CourierId, DeliveryId, EntryId, EventId, IdBlock, KeyId, NotificationId, OrderId,
    PayEntryId, PayPlanId, PhotoId, StoreId, TariffId, UserId, WebhookId,
};
pub use load::{Capacity, Equipment, Load, Misfit, Requirements, Vehicle};
pub use local::{Day, LocalTime, Zone, local_rfc3339, time_of_day};
pub use money::{Money, MoneyError};
pub use phone::{Phone, PhoneError};
pub use pix::{PixKey, PixKeyError, PixKeyKind, PixRecipient};
pub use price::{PriceLine, Rule};
pub use text::{Language, Text, quality};
pub use time::{Duration, Timestamp};

mod person;
pub use person::Person;

//! People with phone numbers.

use serde::{Deserialize, Serialize};

use super::Phone;

/// A person with a phone number: a store's contact, a courier, or the cause of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Full name.
    pub name: String,
    /// Phone number. `None` for the platform.
    pub phone: Option<Phone>,
}

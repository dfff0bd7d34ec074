//! People to call.

use serde::{Deserialize, Serialize};

use super::Phone;

/// Somebody with a telephone: a store's responsible, a courier, who caused an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Full name.
    pub name: String,
    /// Where to call; `None` for the platform itself.
    pub phone: Option<Phone>,
}

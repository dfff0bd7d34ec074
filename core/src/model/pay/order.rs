//! What an order keeps for the pay of its courier.

use serde::{Deserialize, Serialize};

use super::{PayPlan, Payer};

/// The terms of an order's pay, fixed when its courier is assigned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderPay {
    /// Name of the plan.
    pub name: String,
    /// The version of the plan, with only the windows and bonuses that applied at the assignment.
    pub plan: PayPlan,
    /// Who pays.
    pub payer: Payer,
    /// Number of deliveries at the assignment.
    #[serde(default)]
    pub deliveries: u32,
    /// Position in the trip, from the pickup on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<TripPosition>,
    /// Minutes of waiting so far that are paid.
    #[serde(default)]
    pub waited_minutes: u32,
}

/// The position of an order in a courier's trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TripPosition {
    /// It is picked up first.
    First,
    /// It is picked up after another order that the courier still carries.
    Further,
}

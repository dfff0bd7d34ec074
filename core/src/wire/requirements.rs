//! The requirements of orders, and the couriers whom dispatch leaves out.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use crate::model::Vehicle;
use crate::{
    model::{CourierId, Equipment, Requirements},
    rules::matching::Exclusion,
};

/// What an order requires of its courier's vehicle. Weight, volume and packages are those of all
/// deliveries together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetRequirements {
    /// The permitted kinds of vehicles. Defaults to all kinds.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Vehicle>>))]
    pub vehicle: Option<Vec<String>>,
    /// Weight in grams.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 12_000))]
    pub weight_grams: Option<f64>,
    /// Volume in millilitres.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 60_000))]
    pub volume_millilitres: Option<f64>,
    /// Number of packages. It is for the courier's information.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 2))]
    pub packages: Option<f64>,
    /// `THERMIC` for a container that keeps food warm or cold, or `NORMAL`, the default.
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^(NORMAL|THERMIC)$", example = "THERMIC")
    )]
    pub container: Option<String>,
    /// Whether the courier brings a card machine. A payment at the door by card requires it in any
    /// case.
    pub card_machine: Option<bool>,
}

/// What an order requires of its courier's vehicle.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Requirements))]
#[serde(rename_all = "camelCase")]
pub struct RequirementsView {
    /// The permitted kinds of vehicles. All kinds if empty.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Vehicle>))]
    pub vehicle: Vec<&'static str>,
    /// Weight in grams.
    pub weight_grams: Option<u32>,
    /// Volume in millilitres.
    pub volume_millilitres: Option<u32>,
    /// Number of packages.
    pub packages: Option<u32>,
    /// `THERMIC` if the container must keep food warm or cold, otherwise `NORMAL`.
    #[cfg_attr(feature = "openapi", schema(pattern = "^(NORMAL|THERMIC)$"))]
    pub container: &'static str,
    /// Whether the courier brings a card machine.
    pub card_machine: bool,
}

/// A courier in reach whom dispatch left out.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ExcludedCourier))]
#[serde(rename_all = "camelCase")]
pub struct ExcludedView {
    /// The courier's ID.
    pub courier_id: u64,
    /// `VEHICLE` if the order does not permit the kind of vehicle, `WEIGHT` or `VOLUME` if the
    /// order exceeds its limit, `CONTAINER` or `CARD_MACHINE` if the courier does not have it,
    /// `CASH_LIMIT` if the order is paid in cash and the courier would have more in hand than the
    /// limit, `STUCK` if the courier could carry it, but is stuck on a trip.
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^(VEHICLE|WEIGHT|VOLUME|CONTAINER|CARD_MACHINE|CASH_LIMIT|STUCK)$",
            example = "WEIGHT"
        )
    )]
    pub reason: &'static str,
}

impl RequirementsView {
    /// Builds the representation of requirements. Returns `None` if there are none.
    pub(super) fn of(requirements: &Requirements) -> Option<RequirementsView> {
        let Equipment {
            thermic,
            card_machine,
        } = requirements.equipment;
        (*requirements != Requirements::default()).then(|| RequirementsView {
            vehicle: requirements
                .vehicles
                .iter()
                .map(|kind| kind.name())
                .collect(),
            weight_grams: requirements.weight_g,
            volume_millilitres: requirements.volume_ml,
            packages: requirements.packages,
            container: if thermic { "THERMIC" } else { "NORMAL" },
            card_machine,
        })
    }
}

impl ExcludedView {
    /// Builds the representation of a courier that was left out.
    pub(super) fn of(&(courier, why): &(CourierId, Exclusion)) -> ExcludedView {
        ExcludedView {
            courier_id: courier.get(),
            reason: why.name(),
        }
    }
}

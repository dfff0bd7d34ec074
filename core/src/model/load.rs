//! The loads of orders, and the vehicles that carry them.

use serde::{Deserialize, Serialize};

/// A kind of vehicle. The names are those of Open Delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Vehicle {
    /// A bicycle with a bag.
    Bicycle,
    /// A scooter with a bag.
    Scooter,
    /// A motorbike with a bag on the courier's back.
    #[default]
    MotorbikeBag,
    /// A motorbike with a closed box.
    MotorbikeBox,
    /// A car.
    Car,
    /// A light urban truck (veículo urbano de carga).
    Vuc,
}

/// Weight and volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Weight in grams.
    pub weight_g: u32,
    /// Volume in millilitres.
    pub volume_ml: u32,
}

/// Equipment that a courier has, or that an order requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Equipment {
    /// A container that keeps food warm or cold.
    pub thermic: bool,
    /// A card machine.
    pub card_machine: bool,
}

/// What an order requires of its courier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requirements {
    /// The permitted kinds of vehicles. All kinds if empty.
    pub vehicles: Vec<Vehicle>,
    /// Weight of all deliveries in grams.
    pub weight_g: Option<u32>,
    /// Volume of all deliveries in millilitres.
    pub volume_ml: Option<u32>,
    /// Number of packages.
    pub packages: Option<u32>,
    /// The equipment. A card machine is required by the payment of a delivery.
    #[serde(skip_serializing_if = "Equipment::is_empty")]
    pub equipment: Equipment,
}

/// A courier's vehicle with its maximum load, and the equipment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The kind.
    pub vehicle: Vehicle,
    /// Maximum load.
    pub max: Load,
    /// The equipment.
    pub equipment: Equipment,
}

/// The reason why a courier cannot carry an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The order does not permit the kind of vehicle.
    Vehicle,
    /// The orders are too heavy.
    Weight,
    /// The orders are too large.
    Volume,
    /// The courier has no thermic container.
    Container,
    /// The courier has no card machine.
    CardMachine,
}

impl Vehicle {
    /// All kinds, from the smallest limits to the largest.
    pub const ALL: [Vehicle; 6] = [
        Vehicle::Bicycle,
        Vehicle::Scooter,
        Vehicle::MotorbikeBag,
        Vehicle::MotorbikeBox,
        Vehicle::Car,
        Vehicle::Vuc,
    ];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Vehicle::Bicycle => "BICYCLE",
            Vehicle::Scooter => "SCOOTER",
            Vehicle::MotorbikeBag => "MOTORBIKE_BAG",
            Vehicle::MotorbikeBox => "MOTORBIKE_BOX",
            Vehicle::Car => "CAR",
            Vehicle::Vuc => "VUC",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<Vehicle> {
        Vehicle::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Returns the limits of the kind. `core/DISPATCH.md` states their sources.
    pub fn limit(self) -> Load {
        let (kilograms, litres) = match self {
            Vehicle::Bicycle => (12, 45),
            Vehicle::Scooter | Vehicle::MotorbikeBag => (20, 80),
            Vehicle::MotorbikeBox => (30, 252),
            Vehicle::Car => (300, 1_000),
            Vehicle::Vuc => (1_000, 20_000),
        };
        Load {
            weight_g: kilograms * 1_000,
            volume_ml: litres * 1_000,
        }
    }
}

impl Equipment {
    /// Everything: the equipment of a courier unless the operator states another.
    pub const ALL: Equipment = Equipment {
        thermic: true,
        card_machine: true,
    };

    /// Returns whether it is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Equipment::default()
    }

    /// Returns whether it is everything.
    pub fn is_all(&self) -> bool {
        *self == Equipment::ALL
    }

    /// Returns the names of its parts in the API.
    pub fn names(self) -> Vec<&'static str> {
        let parts = [
            (self.thermic, "THERMIC_CONTAINER"),
            (self.card_machine, "CARD_MACHINE"),
        ];
        parts
            .into_iter()
            .filter(|(is_present, _)| *is_present)
            .map(|(_, name)| name)
            .collect()
    }

    /// Returns everything, the default of stored couriers.
    pub(crate) fn all() -> Equipment {
        Equipment::ALL
    }

    /// Returns the first part that an order requires and is missing here.
    fn lacks(self, required: Equipment) -> Option<Misfit> {
        if required.thermic && !self.thermic {
            return Some(Misfit::Container);
        }
        (required.card_machine && !self.card_machine).then_some(Misfit::CardMachine)
    }
}

impl Load {
    /// Returns the sum of two loads.
    #[must_use]
    pub fn plus(self, other: Load) -> Load {
        Load {
            weight_g: self.weight_g.saturating_add(other.weight_g),
            volume_ml: self.volume_ml.saturating_add(other.volume_ml),
        }
    }

    /// Returns why a vehicle with this maximum load cannot carry another load.
    pub fn exceeded_by(self, load: Load) -> Option<Misfit> {
        if load.weight_g > self.weight_g {
            return Some(Misfit::Weight);
        }
        (load.volume_ml > self.volume_ml).then_some(Misfit::Volume)
    }
}

impl Requirements {
    /// Returns the load. An unknown weight or volume counts as 0.
    pub fn load(&self) -> Load {
        Load {
            weight_g: self.weight_g.unwrap_or(0),
            volume_ml: self.volume_ml.unwrap_or(0),
        }
    }

    /// Returns the smallest kind of vehicle that is permitted and carries the load. `None` if every
    /// kind is permitted and the load is unknown: the number of packages does not determine a kind.
    pub fn smallest_vehicle(&self) -> Option<Vehicle> {
        let (load, has_kinds) = (self.load(), !self.vehicles.is_empty());
        let mut kinds = Vehicle::ALL.into_iter();
        let fitting =
            kinds.find(|kind| self.permits(*kind) && kind.limit().exceeded_by(load).is_none());
        fitting.filter(|_| has_kinds || load != Load::default())
    }

    /// Returns whether the order permits a kind of vehicle.
    pub fn permits(&self, vehicle: Vehicle) -> bool {
        self.vehicles.is_empty() || self.vehicles.contains(&vehicle)
    }
}

impl Default for Capacity {
    fn default() -> Capacity {
        Capacity::of(Vehicle::default())
    }
}

impl Capacity {
    /// Returns the limits of a kind of vehicle, with all equipment.
    pub fn of(vehicle: Vehicle) -> Capacity {
        Capacity {
            vehicle,
            max: vehicle.limit(),
            equipment: Equipment::ALL,
        }
    }

    /// Returns why the courier cannot carry an order in addition to a load.
    pub fn misfit(&self, order: &Requirements, carried: Load) -> Option<Misfit> {
        if !order.permits(self.vehicle) {
            return Some(Misfit::Vehicle);
        }
        self.max
            .exceeded_by(carried.plus(order.load()))
            .or_else(|| self.equipment.lacks(order.equipment))
    }
}

impl Misfit {
    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Misfit::Vehicle => "VEHICLE",
            Misfit::Weight => "WEIGHT",
            Misfit::Volume => "VOLUME",
            Misfit::Container => "CONTAINER",
            Misfit::CardMachine => "CARD_MACHINE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_kinds_carry_what_smaller_ones_carry() {
        for pair in Vehicle::ALL.windows(2) {
            assert_eq!(
                pair[1].limit().exceeded_by(pair[0].limit()),
                None,
                "{pair:?}"
            );
        }
        for kind in Vehicle::ALL {
            let stored = crate::json::from_str::<Vehicle>(&format!("\"{}\"", kind.name()));
            assert_eq!(
                (stored, Vehicle::named(kind.name())),
                (Ok(kind), Some(kind))
            );
        }
    }

    #[test]
    fn load_at_the_limit_fits() {
        let box_ = Capacity::of(Vehicle::MotorbikeBox);
        let order = |weight_g, volume_ml| Requirements {
            weight_g,
            volume_ml,
            ..Requirements::default()
        };
        let carried = Load {
            weight_g: 10_000,
            volume_ml: 52_000,
        };
        assert_eq!(
            box_.misfit(&order(Some(20_000), Some(200_000)), carried),
            None
        );
        assert_eq!(
            box_.misfit(&order(Some(20_001), None), carried),
            Some(Misfit::Weight)
        );
        assert_eq!(
            box_.misfit(&order(None, Some(200_001)), carried),
            Some(Misfit::Volume)
        );
        assert_eq!(
            box_.misfit(
                &order(None, None),
                Load {
                    weight_g: 30_000,
                    volume_ml: 252_000
                }
            ),
            None
        );
        let only = Requirements {
            vehicles: vec![Vehicle::Car, Vehicle::Vuc],
            ..Requirements::default()
        };
        assert_eq!(box_.misfit(&only, Load::default()), Some(Misfit::Vehicle));
        assert_eq!(
            Capacity::of(Vehicle::Vuc).misfit(&only, Load::default()),
            None
        );
    }

    #[test]
    fn missing_equipment_is_named() {
        let order = |thermic, card_machine| Requirements {
            equipment: Equipment {
                thermic,
                card_machine,
            },
            ..Requirements::default()
        };
        let courier = |equipment| Capacity {
            equipment,
            ..Capacity::default()
        };
        let (none, load) = (courier(Equipment::default()), Load::default());
        assert_eq!(none.misfit(&order(false, false), load), None);
        assert_eq!(
            none.misfit(&order(true, true), load),
            Some(Misfit::Container)
        );
        assert_eq!(
            none.misfit(&order(false, true), load),
            Some(Misfit::CardMachine)
        );
        assert_eq!(Capacity::default().misfit(&order(true, true), load), None);
        let thermic = Equipment {
            thermic: true,
            card_machine: false,
        };
        assert_eq!(
            courier(thermic).misfit(&order(true, true), load),
            Some(Misfit::CardMachine)
        );
    }

    #[test]
    fn smallest_vehicle_is_permitted_and_carries_the_load() {
        let smallest = |vehicles: &[Vehicle], weight_g, volume_ml, packages| {
            let vehicles = vehicles.to_vec();
            Requirements {
                vehicles,
                weight_g,
                volume_ml,
                packages,
                ..Requirements::default()
            }
            .smallest_vehicle()
        };
        assert_eq!(smallest(&[], None, None, Some(9)), None);
        assert_eq!(
            smallest(&[], Some(12_000), None, None),
            Some(Vehicle::Bicycle)
        );
        assert_eq!(
            smallest(&[], Some(12_001), None, None),
            Some(Vehicle::Scooter)
        );
        assert_eq!(
            smallest(&[], Some(1), Some(252_001), None),
            Some(Vehicle::Car)
        );
        assert_eq!(
            smallest(&[Vehicle::MotorbikeBag, Vehicle::Vuc], None, None, None),
            Some(Vehicle::MotorbikeBag)
        );
        assert_eq!(
            smallest(
                &[Vehicle::MotorbikeBag, Vehicle::Vuc],
                Some(20_001),
                None,
                None
            ),
            Some(Vehicle::Vuc)
        );
    }
}

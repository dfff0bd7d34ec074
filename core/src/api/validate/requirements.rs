//! The requirements of orders, and the vehicles of couriers.

use super::checker::{Checker, Path};
use crate::api::bounds;
use crate::{
    model::{Equipment, Load, Requirements, Vehicle},
    wire::SetRequirements,
};

impl Checker {
    /// Reads the requirements of an order. A load that no permitted kind of vehicle carries is
    /// rejected.
    pub(super) fn requirements(
        &mut self,
        root: &Path<'_>,
        sent: Option<&SetRequirements>,
    ) -> Requirements {
        self.requirements_in(root, sent, |millilitres| {
            (format!("{millilitres} ml"), format!("{millilitres} ml"))
        })
    }

    /// Like [`Checker::requirements`], with errors that state volumes in the unit of the request.
    pub(super) fn requirements_in(
        &mut self,
        root: &Path<'_>,
        sent: Option<&SetRequirements>,
        volume_text: impl Fn(u32) -> (String, String),
    ) -> Requirements {
        let Some(sent) = sent else {
            return Requirements::default();
        };
        let path = root.member("requirements");
        let kinds = path.member("vehicle");
        let mut vehicles = Vec::new();
        let names = sent.vehicle.as_deref().unwrap_or_default();
        if self.has_at_most(&kinds, names.len(), bounds::VEHICLES) {
            vehicles.extend(
                names
                    .iter()
                    .enumerate()
                    .filter_map(|(at, name)| self.vehicle(&kinds.item(at), name)),
            );
            vehicles.sort_unstable();
            vehicles.dedup();
        }
        let (weight, volume) = (path.member("weightGrams"), path.member("volumeMillilitres"));
        let requirements = Requirements {
            vehicles,
            weight_g: self.integer(&weight, sent.weight_grams, bounds::WEIGHT_G),
            volume_ml: self.integer(&volume, sent.volume_millilitres, bounds::VOLUME_ML),
            packages: self.integer(&path.member("packages"), sent.packages, bounds::PACKAGES),
            equipment: Equipment {
                thermic: self.is_thermic(&path, sent.container.as_deref()),
                card_machine: sent.card_machine.unwrap_or(false),
            },
        };
        self.fits(
            &weight,
            &requirements,
            |grams| (format!("{grams} g"), format!("{grams} g")),
            |load| load.weight_g,
        );
        self.fits(&volume, &requirements, volume_text, |load| load.volume_ml);
        requirements
    }

    /// Rejects a weight or volume beyond the limits of all permitted kinds.
    fn fits(
        &mut self,
        path: &Path<'_>,
        requirements: &Requirements,
        text: impl Fn(u32) -> (String, String),
        part: impl Fn(Load) -> u32,
    ) {
        let load = part(requirements.load());
        let permitted = Vehicle::ALL
            .into_iter()
            .filter(|kind| requirements.permits(*kind));
        let Some(largest) = permitted.max_by_key(|kind| part(kind.limit())) else {
            return;
        };
        let max = part(largest.limit());
        if load <= max {
            return;
        }
        let fitting = Vehicle::ALL
            .into_iter()
            .filter(|kind| part(kind.limit()) >= load)
            .map(Vehicle::name);
        let (en, pt) = text(max);
        let (largest, fitting) = (largest.name(), fitting.collect::<Vec<_>>().join(", "));
        self.reject(
            path,
            "too_large",
            format!("No permitted vehicle carries this: {largest} carries at most {en}. Also permit {fitting}."),
            format!("Nenhum veículo permitido carrega isso: {largest} carrega até {pt}. Permita também {fitting}."),
        );
    }

    fn is_thermic(&mut self, path: &Path<'_>, name: Option<&str>) -> bool {
        if name.is_some_and(|name| name != "NORMAL" && name != "THERMIC") {
            let (en, pt) = ("Expected NORMAL or THERMIC.", "Esperado NORMAL ou THERMIC.");
            self.reject(&path.member("container"), "unknown_value", en, pt);
        }
        name == Some("THERMIC")
    }

    /// Reads a courier's equipment.
    pub(super) fn equipment(
        &mut self,
        root: &Path<'_>,
        sent: Option<&[String]>,
    ) -> Option<Equipment> {
        let (path, mut equipment) = (root.member("equipment"), Equipment::default());
        for (at, name) in sent?.iter().enumerate().take(*bounds::EQUIPMENT.end()) {
            match &**name {
                "THERMIC_CONTAINER" => equipment.thermic = true,
                "CARD_MACHINE" => equipment.card_machine = true,
                _ => {
                    let (en, pt) = (
                        "Expected THERMIC_CONTAINER or CARD_MACHINE.",
                        "Esperado THERMIC_CONTAINER ou CARD_MACHINE.",
                    );
                    self.reject(&path.item(at), "unknown_value", en, pt);
                }
            }
        }
        self.has_at_most(&path, sent?.len(), bounds::EQUIPMENT);
        Some(equipment)
    }

    /// Reads a kind of vehicle.
    pub(super) fn vehicle(&mut self, path: &Path<'_>, name: &str) -> Option<Vehicle> {
        let kind = Vehicle::named(name);
        if kind.is_none() {
            let names = Vehicle::ALL.map(Vehicle::name).join(", ");
            self.reject(
                path,
                "invalid_vehicle",
                format!("Expected one of {names}."),
                format!("Esperado um de {names}."),
            );
        }
        kind
    }

    /// Reads the limit of a courier's vehicle. The largest kind's limit is the maximum.
    pub(super) fn weight_limit(&mut self, root: &Path<'_>, value: Option<f64>) -> Option<u32> {
        self.integer(&root.member("maxWeightGrams"), value, bounds::WEIGHT_G)
    }

    /// Reads the limit of a courier's vehicle. The largest kind's limit is the maximum.
    pub(super) fn volume_limit(&mut self, root: &Path<'_>, value: Option<f64>) -> Option<u32> {
        self.integer(
            &root.member("maxVolumeMillilitres"),
            value,
            bounds::VOLUME_ML,
        )
    }
}

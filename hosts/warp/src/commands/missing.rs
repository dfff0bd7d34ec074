//! Warnings about stores whose addresses or distances are only estimated, with the commands that
//! install the data.

use std::fmt;

use despacho_core::{geo::Municipality, host::HostError, model::store::Store as MerchantStore};
use despacho_roads::SNAP_LIMIT_M;

use crate::{
    geo::{Geography, RoadCoverage, region::Region},
    store::Store,
};

/// Stores that are read at a time.
const PAGE: u32 = 500;
/// Maximum number of stores that a line names.
const MAX_NAMES: usize = 10;
/// Maximum number of cities with a line of their own. A further line has the others.
const MAX_CITIES: usize = 10;

/// Logs the cities and regions of stores whose addresses or distances are only estimated, those
/// with the most stores first.
pub(super) async fn log_missing_data(
    geography: &Geography,
    store: &Store,
) -> Result<(), HostError> {
    let mut cities = Cities::default();
    let mut roads = Roads::default();
    let mut after = None;
    loop {
        let page = store.stores(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for one in &page {
            if let Some(city) = geography.city_without_pack(&one.address) {
                cities.add(city, one);
            }
            if let Some(uf) = one.address.uf() {
                roads.add(
                    Region::of(uf),
                    geography.road_coverage(Region::of(uf), one.located.point),
                    one,
                );
            }
        }
    }
    cities.log();
    roads.log();
    Ok(())
}

/// The cities of stores that no pack contains.
#[derive(Default)]
struct Cities(Vec<(Municipality, Names)>);

impl Cities {
    fn add(&mut self, city: Municipality, store: &MerchantStore) {
        let index = self
            .0
            .iter()
            .position(|(other, _)| *other == city)
            .unwrap_or_else(|| {
                self.0.push((city, Names::default()));
                self.0.len() - 1
            });
        if let Some((_, names)) = self.0.get_mut(index) {
            names.add(|| label(store));
        }
    }

    fn log(mut self) {
        self.0
            .sort_by_key(|(city, names)| (std::cmp::Reverse(names.count), city.ibge()));
        let others = self.0.split_off(self.0.len().min(MAX_CITIES));
        for (city, stores) in self.0 {
            let (name, code) = (city.name(), city.ibge());
            tracing::warn!(
                city = format!("{name}/{}", city.uf().code()),
                %stores,
                command = format!("despacho places install {code}"),
                "no pack of the city of these stores is installed; addresses there are located only by their city, and prices are estimated"
            );
        }
        if others.is_empty() {
            return;
        }
        let codes: String = others
            .iter()
            .map(|(city, _)| format!(" {}", city.ibge()))
            .collect();
        let mut stores = Names::default();
        let cities = others.len();
        others
            .into_iter()
            .for_each(|(_, names)| stores.merge(names));
        tracing::warn!(
            cities,
            %stores,
            command = format!("despacho places install{codes}"),
            "no packs of the other cities of stores are installed; addresses there are located only by their city, and prices are estimated"
        );
    }
}

/// The stores with and without roads.
#[derive(Default)]
struct Roads {
    measured: Names,
    /// The stores without roads, by region, and whether their region's installed roads are around
    /// them.
    missing: Vec<(Region, bool, Names)>,
}

impl Roads {
    fn add(&mut self, region: Region, coverage: RoadCoverage, store: &MerchantStore) {
        let is_installed = match coverage {
            RoadCoverage::Service => return,
            RoadCoverage::Near => return self.measured.add(|| label(store)),
            RoadCoverage::NotNear => true,
            RoadCoverage::NotInstalled => false,
        };
        let of = |one: &(Region, bool, Names)| (one.0, one.1) == (region, is_installed);
        let index = self.missing.iter().position(of).unwrap_or_else(|| {
            self.missing.push((region, is_installed, Names::default()));
            self.missing.len() - 1
        });
        if let Some((_, _, names)) = self.missing.get_mut(index) {
            names.add(|| label(store));
        }
    }

    fn log(mut self) {
        if self.measured.count > 0 {
            tracing::info!(stores = %self.measured, "distances from these stores are measured on roads");
        }
        self.missing
            .sort_by_key(|(region, _, stores)| (std::cmp::Reverse(stores.count), *region));
        for (region, is_installed, stores) in self.missing {
            if is_installed {
                tracing::warn!(
                    %stores,
                    "the installed roads of the region {region} have none for cars within {SNAP_LIMIT_M} m of these stores, so distances from \
                     them are estimated; check their locations"
                );
            } else {
                tracing::info!(
                    %stores,
                    "distances from stores in the region {region} are estimated; `despacho roads install {region}` measures them on roads"
                );
            }
        }
    }
}

/// Returns the name and the ID of a store.
pub(super) fn label(store: &MerchantStore) -> String {
    format!("{} (ID {})", store.name, store.id)
}

/// The first names of a list, and their number.
#[derive(Debug, Default)]
pub(super) struct Names {
    first: Vec<String>,
    pub(super) count: usize,
}

impl Names {
    pub(super) fn add(&mut self, name: impl FnOnce() -> String) {
        if self.first.len() < MAX_NAMES {
            self.first.push(name());
        }
        self.count += 1;
    }

    fn merge(&mut self, other: Names) {
        let free = MAX_NAMES - self.first.len();
        self.first.extend(other.first.into_iter().take(free));
        self.count += other.count;
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.first.join(", "))?;
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Names {
        let mut names = Names::default();
        (1..=count).for_each(|number| names.add(|| format!("Loja {number}")));
        names
    }

    #[test]
    fn names_beyond_ten_are_counted() {
        assert_eq!(names(2).to_string(), "Loja 1, Loja 2");
        assert!(names(10).to_string().ends_with("Loja 9, Loja 10"));
        let mut all = names(9);
        all.merge(names(12));
        assert!(
            all.to_string().ends_with("Loja 9, Loja 1 and 11 more"),
            "{all}"
        );
    }
}

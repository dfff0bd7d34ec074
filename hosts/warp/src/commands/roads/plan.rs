//! Which roads are installed, and the memory that they need.

use std::sync::Arc;

use despacho_core::model::Uf;

use super::{CommandError, coverage::Place};
use crate::{
    config::{self, Config},
    geo::{
        Geography,
        boxes::{GeoBox, merge},
        installed::Area,
        region::{Region, Selection},
    },
    server::print,
    store::Store,
};

/// Kilometres beyond the service radius, because the fastest route to a place near its end can
/// leave it.
const MARGIN_KM: u32 = 5;
/// Maximum memory of a network in bytes per square kilometre. Central Porto Alegre has 47,000,
/// central São Paulo's extract 36,000.
const BYTES_PER_SQUARE_KM: f64 = 50_000.0;
/// Memory in bytes above which the command requires `--yes`.
const MAX_BYTES: u64 = 1_000_000_000;
/// Number of stores in a query.
const PAGE: u32 = 500;

/// The roads of a region that a command installs.
pub(super) struct Plan {
    pub(super) region: Region,
    pub(super) selection: Selection,
    pub(super) boxes: Vec<GeoBox>,
    /// The stores or cities of the boxes.
    pub(super) places: Vec<Place>,
}

impl Plan {
    pub(super) fn of_box(region: Region, area: GeoBox) -> Plan {
        Plan {
            region,
            selection: Selection::Box(area),
            boxes: vec![area],
            places: Vec::new(),
        }
    }

    fn square_km(&self) -> f64 {
        self.boxes.iter().map(GeoBox::square_km).sum()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an area on the planet is a small number"
    )]
    fn max_memory(&self) -> u64 {
        (self.square_km() * BYTES_PER_SQUARE_KM) as u64
    }
}

/// Prints the memory that the service needs for the roads, and rejects more than the maximum
/// without `--yes`.
pub(super) fn check_memory<'a>(
    plans: impl IntoIterator<Item = &'a Plan>,
    yes: bool,
) -> Result<(), CommandError> {
    let mut total = 0;
    for plan in plans {
        let memory = plan.max_memory();
        total += memory;
        print(&format!(
            "{}: roads of {:.0} km² ({}) need at most {} MB of memory in the service, and up to twice as much while their file is built",
            plan.region,
            plan.square_km(),
            describe(&plan.selection, &plan.boxes),
            memory.div_ceil(1_000_000)
        ))?;
    }
    if total <= MAX_BYTES || yes {
        return Ok(());
    }
    Err(CommandError::Usage(format!(
        "the roads need up to {} MB of memory; add --yes, or choose a smaller area with --city or --box",
        total.div_ceil(1_000_000)
    )))
}

/// Describes a selection for people.
pub(super) fn describe(selection: &Selection, boxes: &[GeoBox]) -> String {
    let of = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let areas = of(boxes.len(), "box", "boxes");
    match selection {
        Selection::Stores => format!("{areas} around the stores"),
        Selection::Cities(cities) => {
            format!("{areas} around {}", of(cities.len(), "city", "cities"))
        }
        Selection::Box(GeoBox {
            south,
            west,
            north,
            east,
        }) => format!("box {south},{west},{north},{east}"),
    }
}

/// A store and its state.
type StoreOfState = (Uf, Place);

/// Selects boxes around stores and cities.
pub(super) struct Planner {
    /// Half of a box's side.
    km: f64,
    /// The stores with their states; `None` without a database.
    stores: Option<Vec<StoreOfState>>,
}

impl Planner {
    /// Reads the service radius, and the stores if there is a database.
    pub(super) async fn new(config: &Config) -> Result<Planner, CommandError> {
        let configured = config::configured_tariff(config).map_err(CommandError::usage)?;
        let (tariffs, stores) = if config::require_service(config).is_ok() {
            let store = Store::open_for_commands(config, Arc::new(Geography::embedded())).await?;
            let read = async {
                let tariffs = store.tariffs(configured).await?;
                Ok::<_, despacho_core::host::HostError>((tariffs, read_stores(&store).await?))
            };
            let read = read
                .await
                .map_err(|error| format!("cannot read the stores: {error}"));
            store.close().await.map_err(|error| error.to_string())?;
            let (tariffs, stores) = read?;
            (tariffs, Some(stores))
        } else {
            (vec![configured], None)
        };
        let radius = tariffs
            .into_iter()
            .map(|tariff| tariff.service_radius_km.ceil())
            .max()
            .unwrap_or_default();
        let radius = u32::try_from(radius).map_err(|error| error.to_string())?;
        Ok(Planner {
            km: f64::from(radius.saturating_add(MARGIN_KM)),
            stores,
        })
    }

    /// Returns the stores; none without a database.
    pub(super) fn stores(&self) -> impl Iterator<Item = &Place> {
        self.stores.iter().flatten().map(|(_, place)| place)
    }

    /// Plans boxes around the stores of these regions, or of all regions that have stores.
    pub(super) fn around_stores(&self, regions: &[Region]) -> Result<Vec<Plan>, CommandError> {
        let Some(stores) = &self.stores else {
            let text = "there is no database with stores yet; run `despacho init` and create a store, or add --city or --box";
            return Err(CommandError::Usage(text.to_owned()));
        };
        let mut wanted: Vec<Region> = if regions.is_empty() {
            stores.iter().map(|(uf, _)| Region::of(*uf)).collect()
        } else {
            regions.to_vec()
        };
        wanted.sort_unstable();
        wanted.dedup();
        let plan = |region| {
            let own = stores
                .iter()
                .filter(|(uf, _)| Region::of(*uf) == region)
                .map(|(_, place)| place);
            let places: Vec<Place> = own.map(Place::clone).collect();
            let boxes = self.boxes(&places);
            if boxes.is_empty() {
                return Err(CommandError::Usage(format!(
                    "no store is in {region}; install it with --city or --box, or remove it with `despacho roads remove`"
                )));
            }
            Ok(Plan {
                region,
                selection: Selection::Stores,
                boxes,
                places,
            })
        };
        if wanted.is_empty() {
            return Err(CommandError::Usage(
                "there are no stores; create one, or add --city or --box".to_owned(),
            ));
        }
        wanted.into_iter().map(plan).collect()
    }

    /// Plans boxes around cities.
    pub(super) fn around_cities(
        &self,
        regions: &[Region],
        cities: &[Area],
    ) -> Result<Vec<Plan>, CommandError> {
        if let Some(state) = cities.iter().find(|area| matches!(area, Area::State(_))) {
            return Err(CommandError::Usage(format!(
                "--city {state} is a state; name cities, such as 'São Paulo/SP'"
            )));
        }
        let is_outside =
            |area: &&Area| !regions.is_empty() && !regions.contains(&Region::of(area.uf()));
        if let Some(city) = cities.iter().find(is_outside) {
            return Err(CommandError::Usage(format!(
                "{city} is in the region {}",
                Region::of(city.uf())
            )));
        }
        let mut wanted: Vec<Region> = cities.iter().map(|area| Region::of(area.uf())).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let plan = |region| {
            let mut own: Vec<Area> = cities
                .iter()
                .filter(|area| Region::of(area.uf()) == region)
                .copied()
                .collect();
            own.sort_unstable_by_key(|area| area.code());
            own.dedup();
            let seats = own.iter().filter_map(|area| match area {
                Area::Municipality(one) => Some((area.to_string(), one.municipal_seat())),
                Area::State(_) => None,
            });
            let place = |(name, point)| Place {
                name,
                point,
                area: Some(GeoBox::around(point, self.km)),
            };
            let places: Vec<Place> = seats.map(place).collect();
            let codes = own.iter().map(|area| area.code()).collect();
            Plan {
                region,
                selection: Selection::Cities(codes),
                boxes: self.boxes(&places),
                places,
            }
        };
        Ok(wanted.into_iter().map(plan).collect())
    }

    /// Plans the boxes of an earlier selection as they are now.
    pub(super) fn again(&self, region: Region, selection: Selection) -> Result<Plan, CommandError> {
        let plans = match selection {
            Selection::Stores => self.around_stores(&[region])?,
            Selection::Cities(codes) => {
                let cities = codes
                    .iter()
                    .map(|code| Area::parse(&code.to_string()))
                    .collect::<Result<Vec<_>, _>>()?;
                self.around_cities(&[region], &cities)?
            }
            Selection::Box(area) => vec![Plan::of_box(region, area)],
        };
        plans
            .into_iter()
            .next()
            .ok_or_else(|| CommandError::Failed(format!("nothing is selected in {region}")))
    }

    fn boxes(&self, places: &[Place]) -> Vec<GeoBox> {
        merge(
            places
                .iter()
                .map(|place| GeoBox::around(place.point, self.km)),
        )
    }
}

/// Returns all stores whose state is known.
async fn read_stores(store: &Store) -> Result<Vec<StoreOfState>, despacho_core::host::HostError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.stores(after, PAGE).await?;
        found.extend(
            page.iter()
                .filter_map(|one| Some((one.address.uf()?, Place::of_store(one)))),
        );
        match page.last() {
            Some(last) => after = Some(last.id),
            None => return Ok(found),
        }
    }
}

//! `despacho roads`.

mod coverage;
mod file;
mod install;
mod plan;

use std::{
    fs::{self, File},
    path::Path,
};

use self::{
    install::{RoadSource, install},
    plan::{Plan, Planner},
};
use super::{
    error::CommandError,
    installs::{
        self, check_installed, parse_all, read_info, remove_if_exists, remove_leftovers,
        restart_hint,
    },
    load::load,
};
use crate::{
    cli::{RoadsCommand, RoadsInstall},
    config::Config,
    download,
    geo::{
        boxes::GeoBox,
        installed::Area,
        region::{InstalledRoads, Region, Selection, installed_roads},
    },
    server::print,
};

/// The command that lists the installed roads.
const LIST: &str = "despacho roads list";

/// Runs a command.
pub(super) async fn run(command: RoadsCommand) -> Result<(), CommandError> {
    match command {
        RoadsCommand::Install(args) => install_roads(args).await,
        RoadsCommand::List { overrides } => list(&load(&overrides)?.config),
        RoadsCommand::Update {
            regions,
            yes,
            overrides,
        } => update(&load(&overrides)?.config, &regions, yes).await,
        RoadsCommand::Remove { regions, overrides } => remove(&load(&overrides)?.config, &regions),
        RoadsCommand::Build { extract, output } => file::build(&extract, output),
        RoadsCommand::Info { file, overrides } => {
            file::info(&file, &load(&overrides)?.config).await
        }
    }
}

async fn install_roads(args: RoadsInstall) -> Result<(), CommandError> {
    let config = load(&args.overrides)?.config;
    let regions = parse_all(&args.regions, Region::parse)?;
    let cities = parse_all(&args.city, Area::parse)?;
    let plans = match (&args.area, &regions[..]) {
        (Some(text), [region]) => {
            vec![Plan::of_box(
                *region,
                GeoBox::parse(text).map_err(CommandError::Usage)?,
            )]
        }
        (Some(_), _) => {
            return Err(CommandError::Usage(
                "--box requires one region, such as sudeste".to_owned(),
            ));
        }
        (None, _) if cities.is_empty() => Planner::new(&config).await?.around_stores(&regions)?,
        (None, _) => Planner::new(&config)
            .await?
            .around_cities(&regions, &cities)?,
    };
    plan::check_memory(&plans, args.yes)?;
    let folder = config.roads_folder();
    let _lock = lock(&folder)?;
    let source = RoadSource::new(&config, &folder);
    for plan in plans {
        install(&source, plan)?;
    }
    restart_hint()
}

async fn update(config: &Config, regions: &[String], yes: bool) -> Result<(), CommandError> {
    let folder = config.roads_folder();
    let all = installed(config)?;
    let regions = if regions.is_empty() {
        all.clone()
    } else {
        parse_all(regions, Region::parse)?
    };
    check_installed(&regions, &all, LIST)?;
    let mut planner = None;
    let mut plans = Vec::new();
    for region in regions {
        let info: Option<InstalledRoads> = read_info(&region.files(&folder).info);
        let selection = info
            .as_ref()
            .map_or(Selection::Stores, |info| info.selection.clone());
        let plan = match selection {
            Selection::Box(area) => Plan::of_box(region, area),
            selection => {
                if planner.is_none() {
                    planner = Some(Planner::new(config).await?);
                }
                let planner = planner.as_ref().ok_or_else(|| "no plan".to_owned())?;
                planner.again(region, selection)?
            }
        };
        plans.push(plan);
    }
    plan::check_memory(&plans, yes)?;
    let _lock = lock(&folder)?;
    let source = RoadSource::new(config, &folder);
    for plan in plans {
        install(&source, plan)?;
    }
    restart_hint()
}

/// Locks the folder, and removes the files of killed commands.
fn lock(folder: &Path) -> Result<File, CommandError> {
    let lock = installs::lock(folder)?;
    remove_leftovers(folder, |name| {
        Region::ALL.iter().any(|region| region.name() == name)
    })?;
    Ok(lock)
}

fn installed(config: &Config) -> Result<Vec<Region>, CommandError> {
    Ok(installed_roads(&config.roads_folder())?
        .into_iter()
        .map(|(region, _)| region)
        .collect())
}

fn list(config: &Config) -> Result<(), CommandError> {
    let folder = config.roads_folder();
    let roads = installed_roads(&folder)?;
    if roads.is_empty() {
        return Ok(print(
            "no roads are installed; `despacho roads install` installs those around the stores",
        )?);
    }
    for (region, path) in roads {
        let bytes = fs::metadata(&path)?.len();
        let info: Option<InstalledRoads> = read_info(&region.files(&folder).info);
        let known = info.map_or_else(
            || "downloaded unknown".to_owned(),
            |info| {
                format!(
                    "downloaded {}\t{}\t{} directed edges, {} MB of memory",
                    info.downloaded_at,
                    plan::describe(&info.selection, &info.boxes),
                    info.edges,
                    info.memory.div_ceil(1_000_000)
                )
            },
        );
        print(&format!("{region}\t{known}\t{bytes} bytes"))?;
    }
    Ok(())
}

fn remove(config: &Config, regions: &[String]) -> Result<(), CommandError> {
    let (folder, regions) = (config.roads_folder(), parse_all(regions, Region::parse)?);
    let mut all = installed(config)?;
    // An interrupted download can be removed too.
    all.extend(
        regions
            .iter()
            .filter(|region| download::has_begun(&region.files(&folder).download)),
    );
    check_installed(&regions, &all, LIST)?;
    let _lock = lock(&folder)?;
    for region in regions {
        let files = region.files(&folder);
        download::discard(&files.download);
        for file in [&files.roads, &files.info] {
            remove_if_exists(file)?;
        }
        print(&format!("removed {region}"))?;
    }
    restart_hint()
}

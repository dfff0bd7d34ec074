//! `despacho places`.

use std::{
    fs::{self, File},
    path::Path,
};

use despacho_core::geo::pack::Pack;
use despacho_geo::gazetteer::Report;

use super::{
    error::CommandError,
    gazetteer,
    installs::{
        self, check_installed, parse_all, read_info, remove_if_exists, remove_leftovers, replace,
        restart_hint,
    },
    progress::Progress,
};
use crate::{
    config::Config,
    download::{self, DownloadError, Downloader, FileVersion},
    geo::{
        LoadedPack,
        installed::{Area, InstalledPlace, PlaceFiles, installed},
    },
    server::print,
};

/// The command that lists the installed places.
const LIST: &str = "despacho places list";

/// Downloads the register of places and builds their packs, except of places whose current version
/// is installed.
pub(super) fn install(config: &Config, places: &[String]) -> Result<(), CommandError> {
    install_all(config, parse_all(places, Area::parse)?)
}

/// Downloads the installed places again whose file has changed.
pub(super) fn update(config: &Config, places: &[String]) -> Result<(), CommandError> {
    let all: Vec<Area> = installed(&config.places_folder())?
        .into_iter()
        .map(|(area, _)| area)
        .collect();
    let areas = if places.is_empty() {
        all.clone()
    } else {
        parse_all(places, Area::parse)?
    };
    check_installed(&areas, &all, LIST)?;
    install_all(config, areas)
}

fn install_all(config: &Config, areas: Vec<Area>) -> Result<(), CommandError> {
    let folder = config.places_folder();
    let _lock = lock(&folder)?;
    let register = Register {
        base: &config.register_url,
        folder: &folder,
        downloader: Downloader::new(),
    };
    for area in areas {
        register.install(area)?;
    }
    restart_hint()
}

/// Locks the folder, and removes the files of killed commands.
fn lock(folder: &Path) -> Result<File, CommandError> {
    let lock = installs::lock(folder)?;
    remove_leftovers(folder, |name| {
        Area::parse(name).is_ok_and(|area| area.code().to_string() == name)
    })?;
    Ok(lock)
}

/// Prints the installed places.
pub(super) fn list(config: &Config) -> Result<(), CommandError> {
    let places = installed(&config.places_folder())?;
    if places.is_empty() {
        return Ok(print(
            "no places are installed; `despacho places install 'São Paulo/SP'` installs a city",
        )?);
    }
    for (area, path) in places {
        let info: Option<InstalledPlace> = read_info(&area.files(&config.places_folder()).info);
        let downloaded = info.map_or_else(|| "unknown".to_owned(), |info| info.downloaded_at);
        let pack = LoadedPack::read(&path)?.pack.info();
        print(&format!(
            "{}\t{area}\tdownloaded {downloaded}\t{} street numbers, {} streets, {} CEPs\t{} bytes",
            area.code(),
            pack.doors,
            pack.streets,
            pack.ceps,
            fs::metadata(&path)?.len(),
        ))?;
    }
    Ok(())
}

/// Removes installed places.
pub(super) fn remove(config: &Config, places: &[String]) -> Result<(), CommandError> {
    let (folder, areas) = (config.places_folder(), parse_all(places, Area::parse)?);
    let mut all: Vec<Area> = installed(&folder)?
        .into_iter()
        .map(|(area, _)| area)
        .collect();
    // An interrupted download can be removed too.
    all.extend(
        areas
            .iter()
            .filter(|area| download::has_begun(&area.files(&folder).download)),
    );
    check_installed(&areas, &all, LIST)?;
    let _lock = lock(&folder)?;
    for area in areas {
        let files = area.files(&folder);
        download::discard(&files.download);
        for file in [&files.pack, &files.info] {
            remove_if_exists(file)?;
        }
        print(&format!("removed {area}"))?;
    }
    restart_hint()
}

/// The address register on a server, and the folder of the installed places.
struct Register<'a> {
    base: &'a str,
    folder: &'a Path,
    downloader: Downloader,
}

impl Register<'_> {
    /// Downloads the file of a place unless its current version is installed, builds its pack, and
    /// replaces the old one.
    fn install(&self, area: Area) -> Result<(), CommandError> {
        let files = area.files(self.folder);
        let known = known(area, &files);
        let url = self.url(area)?;
        let mut shown = Progress::new(format!("downloading {area}"));
        let version = self.downloader.file(
            &url,
            &files.download,
            known.as_ref(),
            &mut |bytes, total| shown.show(bytes, total),
        );
        shown.finish();
        let Some(version) = version.map_err(|error| download_error(area, &error))? else {
            return Ok(print(&format!("{area} is up to date"))?);
        };
        let built = build(area, &files);
        // A damaged download must not be the input of the next run.
        remove_if_exists(&files.download)?;
        let report = built.inspect_err(|_| drop(fs::remove_file(&files.unverified)))?;
        let info = InstalledPlace {
            version,
            downloaded_at: super::archive::now().to_string(),
        };
        replace(&files.unverified, &files.pack, &files.info, &info)?;
        let [_, ceps, streets, doors] = report.records;
        Ok(print(&format!(
            "installed {area}: {doors} street numbers, {streets} streets and {ceps} CEPs in {} bytes",
            report.pack_bytes
        ))?)
    }

    /// Returns the URL of a place's file. Names of cities in it are not predictable, so the
    /// folder's page is searched for the code.
    fn url(&self, area: Area) -> Result<String, CommandError> {
        let state = area.state_name();
        let Area::Municipality(one) = area else {
            return Ok(format!("{}/UF/{state}.zip", self.base));
        };
        let folder = format!("{}/Municipio/{state}/", self.base);
        let page = self
            .downloader
            .page(&folder)
            .map_err(|error| download_error(area, &error))?;
        let prefix = format!("{}_", one.ibge());
        let links = page
            .split(['"', '\''])
            .filter_map(|text| text.rsplit('/').next());
        let file = links
            .into_iter()
            .find(|name| name.starts_with(&prefix) && name.ends_with(".zip"));
        let file =
            file.ok_or_else(|| format!("{folder} lists no file of {area} ({})", one.ibge()))?;
        Ok(folder + file)
    }
}

/// Returns the version of the installed file; `None` if there is none, or its pack cannot be used
/// or has an earlier format, and must be built again.
fn known(area: Area, files: &PlaceFiles) -> Option<FileVersion> {
    let bytes = fs::read(&files.pack).ok()?;
    let is_usable =
        Pack::open(&bytes).is_ok_and(|pack| area.is_covered(&pack) && !pack.is_outdated());
    let info: Option<InstalledPlace> = read_info(&files.info).filter(|_| is_usable);
    Some(info?.version)
}

/// Builds the pack from the download, and checks that it contains the place.
fn build(area: Area, files: &PlaceFiles) -> Result<Report, CommandError> {
    let (report, _) =
        gazetteer::build_pack(std::slice::from_ref(&files.download), &files.unverified)?;
    let pack = LoadedPack::read(&files.unverified)?.pack;
    if area.is_covered(&pack) {
        Ok(report)
    } else {
        Err(CommandError::Failed(format!(
            "the downloaded file contains no streets of {area}; nothing was changed"
        )))
    }
}

fn download_error(area: Area, error: &DownloadError) -> CommandError {
    CommandError::Failed(format!("{area} was not installed: {error}"))
}

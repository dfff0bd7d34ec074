//! `despacho places`.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use despacho_geo::gazetteer::Report;

use super::{error::CommandError, gazetteer, progress};
use crate::{
    config::Config,
    download::{DownloadError, Downloader, FileVersion},
    geo::{
        LoadedPack,
        installed::{Area, InstalledPlace, PlaceFiles, installed},
    },
    server::print,
};

/// Parses the places of a command line, with every invalid one.
fn areas(places: &[String]) -> Result<Vec<Area>, CommandError> {
    let (areas, errors): (Vec<_>, Vec<_>) = places.iter().map(|text| Area::parse(text)).partition(Result::is_ok);
    let errors: Vec<String> = errors.into_iter().filter_map(Result::err).collect();
    if errors.is_empty() {
        Ok(areas.into_iter().flatten().collect())
    } else {
        Err(CommandError::Usage(errors.join("\n")))
    }
}

/// Downloads the register of places and builds their packs.
pub(super) fn install(config: &Config, places: &[String]) -> Result<(), CommandError> {
    let areas = areas(places)?;
    let folder = config.places_folder();
    let _lock = lock(&folder)?;
    let register = Register { base: &config.register_url, folder: &folder, downloader: Downloader::new() };
    for area in areas {
        register.install(area, None)?;
    }
    restart_hint()
}

/// Downloads the installed places again whose file has changed.
pub(super) fn update(config: &Config, places: &[String]) -> Result<(), CommandError> {
    let folder = config.places_folder();
    let all: Vec<Area> = installed(&folder)?.into_iter().map(|(area, _)| area).collect();
    let areas = if places.is_empty() { all.clone() } else { areas(places)? };
    check_installed(&areas, &all)?;
    let _lock = lock(&folder)?;
    let register = Register { base: &config.register_url, folder: &folder, downloader: Downloader::new() };
    for area in areas {
        let info = read_info(&area.files(&folder));
        register.install(area, info.as_ref().map(|info| &info.version))?;
    }
    restart_hint()
}

/// Prints the installed places.
pub(super) fn list(config: &Config) -> Result<(), CommandError> {
    let places = installed(&config.places_folder())?;
    if places.is_empty() {
        return Ok(print("no places are installed; `despacho places install 'São Paulo/SP'` installs a city")?);
    }
    for (area, path) in places {
        let info = read_info(&area.files(&config.places_folder()));
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
    let (folder, areas) = (config.places_folder(), areas(places)?);
    let all: Vec<Area> = installed(&folder)?.into_iter().map(|(area, _)| area).collect();
    check_installed(&areas, &all)?;
    let _lock = lock(&folder)?;
    for area in areas {
        let files = area.files(&folder);
        fs::remove_file(&files.pack)?;
        remove_if_exists(&files.info)?;
        print(&format!("removed {area}"))?;
    }
    restart_hint()
}

fn restart_hint() -> Result<(), CommandError> {
    Ok(print("a running service uses the change after its next start")?)
}

fn check_installed(areas: &[Area], all: &[Area]) -> Result<(), CommandError> {
    let missing: Vec<String> = areas.iter().filter(|area| !all.contains(area)).map(Area::to_string).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CommandError::Usage(format!("not installed: {}; `despacho places list` lists the places", missing.join(", "))))
}

/// Creates the folder and locks it against other commands until the result is dropped.
fn lock(folder: &Path) -> Result<File, CommandError> {
    fs::create_dir_all(folder)?;
    let file = File::create(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CommandError::Failed(format!(
            "another `despacho places` works in {}; wait for its end",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn read_info(files: &PlaceFiles) -> Option<InstalledPlace> {
    serde_json::from_slice(&fs::read(&files.info).ok()?).ok()
}

fn remove_if_exists(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The address register on a server, and the folder of the installed places.
struct Register<'a> {
    base: &'a str,
    folder: &'a Path,
    downloader: Downloader,
}

impl Register<'_> {
    /// Downloads the file of a place unless it is the known version, builds its pack, and replaces the old one.
    fn install(&self, area: Area, known: Option<&FileVersion>) -> Result<(), CommandError> {
        let files = area.files(self.folder);
        let url = self.url(area)?;
        let bar = progress::bar("downloading");
        let mut on_progress = |bytes, total| progress::show_download(&bar, bytes, total);
        let version = self.downloader.file(&url, &files.download, known, &mut on_progress);
        bar.finish_and_clear();
        let Some(version) = version.map_err(|error| download_error(area, &error))? else {
            return Ok(print(&format!("{area} is up to date"))?);
        };
        let built = build(area, &files);
        // A damaged download must not be the input of the next run.
        remove_if_exists(&files.download)?;
        let report = built.inspect_err(|_| drop(fs::remove_file(&files.unverified)))?;
        fs::rename(&files.unverified, &files.pack)?;
        let info = InstalledPlace { version, downloaded_at: super::archive::now().to_string() };
        fs::write(&files.info, serde_json::to_vec(&info).map_err(|error| error.to_string())?)?;
        let [_, ceps, streets, doors] = report.records;
        Ok(print(&format!(
            "installed {area}: {doors} street numbers, {streets} streets and {ceps} CEPs in {} bytes",
            report.pack_bytes
        ))?)
    }

    /// Returns the URL of a place's file. Names of cities in it are not predictable, so the folder's page is searched for the code.
    fn url(&self, area: Area) -> Result<String, CommandError> {
        let state = area.state_name();
        let Area::Municipality(one) = area else { return Ok(format!("{}/UF/{state}.zip", self.base)) };
        let folder = format!("{}/Municipio/{state}/", self.base);
        let page = self.downloader.page(&folder).map_err(|error| download_error(area, &error))?;
        let prefix = format!("{}_", one.ibge());
        let links = page.split(['"', '\'']).filter_map(|text| text.rsplit('/').next());
        let file = links.into_iter().find(|name| name.starts_with(&prefix) && name.ends_with(".zip"));
        let file = file.ok_or_else(|| format!("{folder} lists no file of {area} ({})", one.ibge()))?;
        Ok(folder + file)
    }
}

/// Builds the pack from the download, and checks that it contains the place.
fn build(area: Area, files: &PlaceFiles) -> Result<Report, CommandError> {
    let (report, _) = gazetteer::build_pack(std::slice::from_ref(&files.download), &files.unverified)?;
    let pack = LoadedPack::read(&files.unverified)?.pack;
    if area.is_covered(&pack) {
        Ok(report)
    } else {
        Err(CommandError::Failed(format!("the downloaded file contains no streets of {area}; nothing was changed")))
    }
}

fn download_error(area: Area, error: &DownloadError) -> CommandError {
    CommandError::Failed(format!("{area} was not installed: {error}"))
}

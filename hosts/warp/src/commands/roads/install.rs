//! Downloads an extract, verifies it and cuts it.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use despacho_roads::{Area, CutReport, Roads, RoadsError, cut};
use md5::{Digest, Md5};

use super::{CommandError, coverage, plan::Plan, remove_if_exists};
use crate::{
    commands::{
        archive,
        installs::{read_info, replace},
        progress::Progress,
    },
    config::Config,
    download::{Downloader, FileVersion},
    geo::{
        boxes::GeoBox,
        region::{InstalledRoads, Region, RoadFiles},
    },
    server::print,
};

/// A server of extracts, and the folder of installed roads.
pub(super) struct RoadSource<'a> {
    base: &'a str,
    folder: &'a Path,
    downloader: Downloader,
}

impl<'a> RoadSource<'a> {
    pub(super) fn new(config: &'a Config, folder: &'a Path) -> RoadSource<'a> {
        RoadSource {
            base: &config.roads_url,
            folder,
            downloader: Downloader::new(),
        }
    }

    /// Returns the MD5 of a file, which its server publishes next to it.
    fn published_md5(&self, url: &str) -> Result<String, String> {
        let page = self
            .downloader
            .page(&format!("{url}.md5"))
            .map_err(|error| error.to_string())?;
        let first = page.split_whitespace().next().unwrap_or_default();
        if first.len() == 32 && first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(first.to_ascii_lowercase())
        } else {
            Err(format!("{url}.md5 contains no MD5"))
        }
    }
}

/// Downloads the extract of a region unless the roads of its current version are installed, cuts
/// it, and replaces the installed roads.
pub(super) fn install(source: &RoadSource<'_>, plan: Plan) -> Result<(), CommandError> {
    let region = plan.region;
    let failed =
        |error: String| CommandError::Failed(format!("{region} was not installed: {error}"));
    let files = region.files(source.folder);
    let known = known(&plan, &files);
    let (known, installed) = known.map_or((None, None), |(version, roads)| {
        (Some(version), Some(roads))
    });
    let url = format!("{}/{region}-latest.osm.pbf", source.base);
    let before = source.published_md5(&url).map_err(failed)?;
    let mut shown = Progress::new(format!("downloading {region}"));
    let version = source.downloader.file(
        &url,
        &files.download,
        known.as_ref(),
        &mut |bytes, total| shown.show(bytes, total),
    );
    shown.finish();
    let Some(version) = version.map_err(|error| failed(error.to_string()))? else {
        let lines = installed
            .map(|roads| coverage::describe(&roads, &plan.places))
            .unwrap_or_default();
        return Ok(print(
            format!("{region} is up to date\n{lines}").trim_end(),
        )?);
    };
    let made =
        verify(source, &url, &files, &before).and_then(|()| make(region, &files, &plan.boxes));
    // A damaged download must not be the input of the next run.
    remove_if_exists(&files.download)?;
    let (report, roads) = made.map_err(|error| {
        // The cut may not exist.
        let _ = fs::remove_file(&files.unverified);
        failed(error)
    })?;
    let (size, lines) = (roads.size(), coverage::describe(&roads, &plan.places));
    drop(roads);
    let info = InstalledRoads {
        version,
        downloaded_at: archive::now().to_string(),
        selection: plan.selection,
        boxes: plan.boxes,
        edges: size.edges,
        memory: size.bytes,
    };
    replace(&files.unverified, &files.roads, &files.info, &info)?;
    let text = format!(
        "installed {region}: {} roads with {} nodes in {} bytes; {} directed edges, {} MB of memory\n{lines}",
        report.ways,
        report.nodes,
        report.bytes,
        size.edges,
        size.bytes.div_ceil(1_000_000)
    );
    Ok(print(text.trim_end())?)
}

/// Returns the version of the installed extract, and its roads; `None` if there is none, it has
/// other roads than the plan, or its road file cannot be used or lacks roads because it has an
/// earlier format.
fn known(plan: &Plan, files: &RoadFiles) -> Option<(FileVersion, Roads)> {
    let info: InstalledRoads = read_info(&files.info)?;
    let is_planned = info.selection == plan.selection && info.boxes == plan.boxes;
    let roads = is_planned
        .then(|| Roads::load(&files.roads).ok())
        .flatten()?;
    (!roads.is_outdated()).then_some((info.version, roads))
}

/// Compares the download with the MD5 that the server published before it, or publishes now: the
/// file may have been replaced meanwhile.
fn verify(
    source: &RoadSource<'_>,
    url: &str,
    files: &RoadFiles,
    before: &str,
) -> Result<(), String> {
    let own = md5_of(&files.download)
        .map_err(|error| format!("{} cannot be read: {error}", files.download.display()))?;
    if own == before || source.published_md5(url)? == own {
        return Ok(());
    }
    Err(format!(
        "{url} was altered on its way, or replaced during the download: its MD5 is {own}, not {before}; run the command again"
    ))
}

fn md5_of(path: &Path) -> io::Result<String> {
    let (mut file, mut digest, mut buffer) = (File::open(path)?, Md5::new(), vec![0; 1 << 20]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(digest
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect());
        }
        digest.update(&buffer[..read]);
    }
}

/// Cuts the download, loads the result, and replaces it by its road file, which the service loads
/// many times faster.
fn make(region: Region, files: &RoadFiles, boxes: &[GeoBox]) -> Result<(CutReport, Roads), String> {
    let areas: Vec<Area> = boxes.iter().filter_map(GeoBox::corners).collect();
    let mut shown = Progress::new(format!("cutting {region}"));
    let report = cut(
        &files.download,
        &files.unverified,
        &areas,
        &mut |bytes, total| shown.show(bytes, Some(total)),
    );
    shown.finish();
    let text = |error: RoadsError| match error {
        RoadsError::NoRoads => {
            format!("the extract has no roads in the selected area; is it in {region}?")
        }
        RoadsError::Write(error) => {
            format!("{} cannot be written: {error}", files.unverified.display())
        }
        error => error.to_string(),
    };
    let report = report.map_err(text)?;
    // Makes room on the disk for the road file.
    remove_if_exists(&files.download).map_err(|error| error.to_string())?;
    let roads = Roads::load(&files.unverified).map_err(text)?;
    roads.save(&files.unverified).map_err(text)?;
    Ok((report, roads))
}

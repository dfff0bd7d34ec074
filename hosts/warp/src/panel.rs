//! The merchant panel, the courier's app and the operator's console: the files of one folder, read
//! at start and served with the API.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use despacho_shell::{
    files::File,
    panel::{Background, CONFIG, HOW, PAGE, STREETS, Site, Streets, Tiles},
};

use crate::{config::Config, error::StartError, streets::StreetFile};

/// Maximum size of the folder. A larger one is not the panel but a wrong path.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The panel's files, by URL path.
#[derive(Debug, Default)]
pub struct Panel {
    files: BTreeMap<String, File>,
    streets: Option<StreetFile>,
}

impl Panel {
    /// Reads the configured folder; `None` if none is configured.
    pub fn load(config: &Config) -> Result<Option<Panel>, StartError> {
        let Some(folder) = &config.panel else {
            return Ok(None);
        };
        let error = |path: &Path, detail: String| StartError::Content {
            name: "panel",
            path: path.to_owned(),
            detail,
        };
        let mut found = BTreeMap::new();
        let mut free_bytes = MAX_BYTES;
        collect(folder, "", &mut found, &mut free_bytes)
            .map_err(|(path, detail)| error(&path, format!("{detail}. {HOW}")))?;
        if !found.contains_key(PAGE) {
            return Err(error(folder, format!("has no index.html. {HOW}")));
        }
        let attribution = config
            .panel_tiles_attribution
            .as_deref()
            .unwrap_or_default();
        let tiles = config
            .panel_tiles
            .as_deref()
            .map(|url| Tiles { url, attribution });
        let street_file = match &config.panel_streets {
            Some(path) => Some(StreetFile::open(path)?),
            None if config.demo && tiles.is_none() => StreetFile::demo(),
            None => None,
        };
        let attribution = config.panel_streets_attribution.as_str();
        let streets = street_file.as_ref().map(|_| Streets {
            attribution,
            url: STREETS,
        });
        let site = Site::new(Background { streets, tiles }, config.demo)
            .map_err(|detail| error(folder, format!("cannot be served: {detail}")))?;
        let files = found
            .into_iter()
            .map(|(path, body)| (path.clone(), site.file(&path, body)));
        let mut files: BTreeMap<String, File> = files.collect();
        files.insert(CONFIG.to_owned(), site.config());
        Ok(Some(Panel {
            files,
            streets: street_file,
        }))
    }

    /// Returns the file at a path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(despacho_shell::panel::name(path)?)
    }

    /// Returns the file of streets if the path is its own.
    pub fn streets(&self, path: &str) -> Option<&StreetFile> {
        self.streets.as_ref().filter(|_| path == STREETS)
    }
}

/// Collects all files in a folder, recursively. Names with a leading dot are skipped, and symbolic
/// links are not followed.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Bytes>,
    free_bytes: &mut u64,
) -> Result<(), (PathBuf, String)> {
    let error = |error: std::io::Error| (folder.to_owned(), format!("cannot be read ({error})"));
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (kind, path) = (
            entry.file_type().map_err(error)?,
            format!("{prefix}/{name}"),
        );
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &path, files, free_bytes)?;
        } else if kind.is_file() {
            let size = entry.metadata().map_err(error)?.len();
            let excess = || {
                (
                    folder.to_owned(),
                    format!("has more than {MAX_BYTES} bytes"),
                )
            };
            *free_bytes = free_bytes.checked_sub(size).ok_or_else(excess)?;
            files.insert(path, Bytes::from(fs::read(entry.path()).map_err(error)?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(folder: &Path) -> Config {
        Config {
            panel: Some(folder.to_owned()),
            ..Config::defaults().unwrap()
        }
    }

    #[test]
    fn only_files_of_panel_folder_are_served() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        fs::write(folder.path().join("index.html"), "<p>").unwrap();
        fs::write(folder.path().join("courier.html"), "<i>").unwrap();
        fs::write(folder.path().join("admin.html"), "<b>").unwrap();
        fs::write(folder.path().join("assets/a-1.js"), "1").unwrap();
        fs::write(folder.path().join(".env"), "secret").unwrap();
        let panel = Panel::load(&config(folder.path())).unwrap().unwrap();
        assert_eq!(panel.file("/").unwrap().body, "<p>");
        assert_eq!(panel.file("/index.html").unwrap().body, "<p>");
        assert_eq!(panel.file("/courier").unwrap().body, "<i>");
        assert_eq!(panel.file("/admin").unwrap().body, "<b>");
        assert!(panel.file("/admin/").is_none() && panel.file("/admin/orders").is_none());
        assert_eq!(
            panel.file("/panel.json").unwrap().body,
            r#"{"demo":null,"streets":null,"tiles":null}"#
        );
        assert!(
            panel.file("/.env").is_none()
                && panel.file("/assets").is_none()
                && panel.file("/../x").is_none()
        );
        let script = panel
            .file("/assets/a-1.js")
            .unwrap()
            .response(&http::HeaderMap::new());
        assert!(
            script.headers()["cache-control"]
                .to_str()
                .unwrap()
                .contains("immutable")
        );
    }

    #[test]
    fn folder_without_index_explains_the_build() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            Panel::load(&config(folder.path()))
                .unwrap_err()
                .to_string()
                .contains("npm run build")
        );
        assert!(
            Panel::load(&config(&folder.path().join("none")))
                .unwrap_err()
                .to_string()
                .contains("npm run build")
        );
        assert!(Panel::load(&Config::defaults().unwrap()).unwrap().is_none());
    }
}

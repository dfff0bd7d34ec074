//! The places of `despacho places`: packs of the register in the data folder.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use despacho_core::{
    geo::{Gazetteer, Municipality, names::plain, pack::Pack},
    model::Uf,
};
use serde::{Deserialize, Serialize};

use crate::download::FileVersion;

/// A place that can be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    Municipality(Municipality),
    State(Uf),
}

/// What is known about an installed place.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InstalledPlace {
    /// The file of the register.
    pub(crate) version: FileVersion,
    /// Time of the download.
    pub(crate) downloaded_at: String,
}

/// The files of an installed place.
pub(crate) struct PlaceFiles {
    /// The pack.
    pub(crate) pack: PathBuf,
    /// An [`InstalledPlace`].
    pub(crate) info: PathBuf,
    /// The downloaded file, until its pack is complete.
    pub(crate) download: PathBuf,
    /// The pack until it is verified.
    pub(crate) unverified: PathBuf,
}

impl Area {
    /// Parses `São Paulo/SP`, an IBGE code of seven digits, a state, or the name of a city that
    /// only one state has.
    pub(crate) fn parse(text: &str) -> Result<Area, String> {
        let gazetteer = Gazetteer::embedded();
        let text = text.trim();
        if let Some(uf) = Uf::parse(text) {
            return Ok(Area::State(uf));
        }
        if let Ok(code) = text.parse::<u32>() {
            let found = gazetteer
                .all()
                .find(|one| one.ibge() == code)
                .map(Area::Municipality);
            let found = found.or_else(|| Uf::from_ibge(code).map(Area::State));
            return found.ok_or_else(|| format!("{text} is not the IBGE code of a municipality"));
        }
        let namesakes = |name: &str, uf: Option<Uf>| match gazetteer.namesakes(name)[..] {
            [] => {
                let near = nearest(name, uf)
                    .map(|found| format!("did you mean {found}? "))
                    .unwrap_or_default();
                format!(
                    "unknown place {text}; {near}write a city as 'São Paulo/SP' or 3550308, and a state as SP"
                )
            }
            ref found => {
                let names: Vec<String> = found
                    .iter()
                    .map(|one| Area::Municipality(*one).to_string())
                    .collect();
                format!(
                    "{text} is ambiguous or in another state: {}",
                    names.join(", ")
                )
            }
        };
        match text
            .rsplit_once(['/', ','])
            .and_then(|(name, uf)| Some((name, Uf::parse(uf)?)))
        {
            Some((name, uf)) => match gazetteer.municipality(name, uf) {
                Some(found) => Ok(Area::Municipality(found)),
                None => Err(namesakes(name, Some(uf))),
            },
            None => match gazetteer.namesakes(text)[..] {
                [found] => Ok(Area::Municipality(found)),
                _ => Err(namesakes(text, None)),
            },
        }
    }

    /// Returns the IBGE code.
    pub(crate) fn code(self) -> u32 {
        match self {
            Area::Municipality(one) => one.ibge(),
            Area::State(uf) => Area::municipalities(uf)
                .next()
                .map_or(0, |one| one.ibge() / 100_000),
        }
    }

    /// Returns the state.
    pub(crate) fn uf(self) -> Uf {
        match self {
            Area::Municipality(one) => one.uf(),
            Area::State(uf) => uf,
        }
    }

    /// Returns the folder's name of the state in the register, such as `35_SP`.
    pub(crate) fn state_name(self) -> String {
        format!("{}_{}", Area::State(self.uf()).code(), self.uf().code())
    }

    /// Returns whether a pack contains streets of the place.
    pub(crate) fn is_covered(self, pack: &Pack<'_>) -> bool {
        match self {
            Area::Municipality(one) => pack.covers(one.ibge()),
            Area::State(uf) => Area::municipalities(uf).any(|one| pack.covers(one.ibge())),
        }
    }

    /// Returns the place's files.
    pub(crate) fn files(self, folder: &Path) -> PlaceFiles {
        let file = |extension: &str| folder.join(format!("{}.{extension}", self.code()));
        PlaceFiles {
            pack: file("pack"),
            info: file("json"),
            download: file("zip"),
            unverified: file("new"),
        }
    }

    fn municipalities(uf: Uf) -> impl Iterator<Item = Municipality> {
        Gazetteer::embedded()
            .all()
            .filter(move |one| one.uf() == uf)
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Area::Municipality(one) => write!(f, "{}/{}", one.name(), one.uf().code()),
            Area::State(uf) => f.write_str(uf.code()),
        }
    }
}

/// Returns the municipality, of this state if one is given, whose name differs in the fewest
/// letters, at most in a third of them. Of several, the most populous one.
fn nearest(name: &str, uf: Option<Uf>) -> Option<Area> {
    let name = plain(name);
    let of_state = Gazetteer::embedded()
        .all()
        .filter(|one| uf.is_none_or(|uf| one.uf() == uf));
    let known = of_state.map(|one| (strsim::osa_distance(&name, &plain(&one.name())), one));
    let (distance, found) =
        known.min_by_key(|(distance, one)| (*distance, std::cmp::Reverse(one.population())))?;
    (distance * 3 <= name.len()).then_some(Area::Municipality(found))
}

/// Returns the installed places with their packs, cities before states, so that the smaller pack is
/// searched first.
pub(crate) fn installed(folder: &Path) -> io::Result<Vec<(Area, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let code = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .filter(|_| path.extension().is_some_and(|ext| ext == "pack"));
        if let Some(area) = code.and_then(|code| Area::parse(code).ok()) {
            found.push((area, path));
        }
    }
    found.sort_by_key(|(area, _)| (matches!(area, Area::State(_)), area.code()));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names_and_codes() {
        for text in ["São Paulo/SP", "sao paulo, sp", "3550308"] {
            assert_eq!(
                Area::parse(text).map(|area| (area.to_string(), area.code())),
                Ok(("São Paulo/SP".to_owned(), 3_550_308))
            );
        }
        for text in ["SP", "sp", "35"] {
            let area = Area::parse(text).unwrap();
            assert_eq!(
                (area.to_string().as_str(), area.state_name().as_str()),
                ("SP", "35_SP")
            );
        }
        assert_eq!(Area::parse("Campinas").map(Area::code), Ok(3_509_502));
        let error = Area::parse("Bom Jesus").unwrap_err();
        assert!(
            error.contains("Bom Jesus/PI") && error.contains("Bom Jesus/RS"),
            "{error}"
        );
        assert!(
            Area::parse("Campinas/RJ")
                .unwrap_err()
                .contains("Campinas/SP")
        );
        for (text, expected) in [
            ("São Paolo/SP", "did you mean São Paulo/SP?"),
            ("Sao Paul", "did you mean São Paulo/SP?"),
            ("Belo Horizont/MG", "did you mean Belo Horizonte/MG?"),
        ] {
            let error = Area::parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert!(
            !Area::parse("Atlantis/SP")
                .unwrap_err()
                .contains("did you mean")
        );
        for text in ["", "1234567", "Atlantis/SP", "XX"] {
            assert!(Area::parse(text).is_err(), "{text}");
        }
    }
}

//! The commands of places, roads and the map.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::CliOverrides;

/// Streets of the panel's map.
#[derive(Debug, Subcommand)]
pub enum StreetsCommand {
    /// Build the file of `--panel-streets` from an OpenStreetMap extract: roads with their names,
    /// water and parks.
    ///
    /// The file gets its name only when it is complete; an existing file of that name is replaced.
    /// OpenStreetMap data is under the ODbL: the map shows its attribution.
    Build {
        /// The extract.
        #[arg(value_name = "EXTRACT.osm.pbf")]
        extract: PathBuf,
        /// The file to write.
        #[arg(value_name = "OUT.pmtiles")]
        output: PathBuf,
    },
}

/// Places whose addresses the service locates by street and number.
#[derive(Debug, Subcommand)]
pub enum PlacesCommand {
    /// Download the register (IBGE CNEFE 2022) of cities or states, and build a gazetteer pack of
    /// each.
    ///
    /// The packs are in the folder `places` of the data folder, and the service loads them when it
    /// starts. An interrupted download resumes when the command is run again. Until a new pack is
    /// complete, the old one stays in use.
    Install {
        /// Cities, as 'São Paulo/SP' or by their IBGE code such as 3550308, and states, as SP.
        #[arg(required = true, value_name = "PLACE")]
        places: Vec<String>,
        /// Settings. Only the data folder and the address of the register are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// List the installed places.
    List {
        /// Settings. Only the data folder is used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Download installed places again if the register has a newer file.
    Update {
        /// The places. Default: all installed ones.
        #[arg(value_name = "PLACE")]
        places: Vec<String>,
        /// Settings. Only the data folder and the address of the register are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Remove installed places.
    Remove {
        /// The places.
        #[arg(required = true, value_name = "PLACE")]
        places: Vec<String>,
        /// Settings. Only the data folder is used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}

/// Roads on which the service measures distances.
#[derive(Debug, Subcommand)]
pub enum RoadsCommand {
    /// Download the OpenStreetMap extract of regions, and cut it to the roads around the stores.
    ///
    /// The cut is in the folder `roads` of the data folder, and the service loads it when it
    /// starts. It has the roads within the tariff's service radius of each store in the region, and
    /// 5 km more for detours. The command prints the maximum memory that the service needs for them
    /// before it downloads, and stops if that is more than 1 GB. An interrupted download resumes
    /// when the command is run again. Until new roads are complete, the old ones stay in use.
    /// OpenStreetMap data is under the ODbL: show its attribution.
    Install(RoadsInstall),
    /// List the installed roads.
    List {
        /// Settings. Only the data folder is used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Download installed roads again if there is a newer extract, or if a store was added or moved
    /// outside them.
    Update {
        /// The regions. Default: all installed ones.
        #[arg(value_name = "REGION")]
        regions: Vec<String>,
        /// Permit more than 1 GB of memory.
        #[arg(long)]
        yes: bool,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Build the road file of an OpenStreetMap extract, which the service loads many times faster
    /// than the extract.
    ///
    /// Use it in the setting `roads` in place of the extract. The file gets its name only when it
    /// is complete; an existing file of that name is replaced. `despacho roads install` builds the
    /// files of the regions that it installs.
    Build {
        /// The extract.
        #[arg(value_name = "EXTRACT.osm.pbf")]
        extract: PathBuf,
        /// The file to write. Default: the name of the extract, with the ending `.roads`.
        #[arg(long, value_name = "FILE.roads")]
        output: Option<PathBuf>,
    },
    /// Verify a road file or an extract, and print its box, its networks, its size and its memory.
    ///
    /// Networks are roads that no road connects, such as those of two cities or of an island. If
    /// the service has a database, the command also prints which stores in the box have roads.
    Info {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Settings. Only those of the database are used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Remove installed roads.
    Remove {
        /// The regions.
        #[arg(required = true, value_name = "REGION")]
        regions: Vec<String>,
        /// Settings. Only the data folder is used.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}

/// Arguments of `roads install`.
#[derive(Debug, Args)]
pub struct RoadsInstall {
    /// norte, nordeste, centro-oeste, sudeste, sul, or a state of the region such as SP. Default:
    /// the regions of the stores or cities.
    #[arg(value_name = "REGION")]
    pub regions: Vec<String>,
    /// Cut to the service radius around this city instead of the stores, as 'São Paulo/SP' or by
    /// its IBGE code; can be repeated.
    #[arg(long, value_name = "CITY")]
    pub city: Vec<String>,
    /// Cut to this box in degrees instead; requires a region.
    #[arg(
        long = "box",
        value_name = "SOUTH,WEST,NORTH,EAST",
        allow_hyphen_values = true,
        conflicts_with = "city"
    )]
    pub area: Option<String>,
    /// Permit more than 1 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Settings.
    #[command(flatten)]
    pub overrides: CliOverrides,
}

/// Gazetteer packs.
#[derive(Debug, Subcommand)]
pub enum GazetteerCommand {
    /// Build a pack from files of the register (IBGE CNEFE 2022): zip or csv files, or folders of
    /// them.
    ///
    /// Reads any number of rows in bounded memory, with temporary files in a folder next to the
    /// pack. Malformed rows are skipped, counted and listed. The pack gets its name only when it is
    /// complete; an existing pack of that name is replaced.
    Build {
        /// The pack to write.
        #[arg(long, value_name = "PACK")]
        output: PathBuf,
        /// csv and zip files, and folders of them.
        #[arg(required = true, value_name = "FILE|FOLDER")]
        inputs: Vec<PathBuf>,
    },
    /// Verify a pack's checksum and print its contents.
    Info {
        /// The pack.
        pack: PathBuf,
    },
    /// Look up an address in a pack only, and print its location; exit code 1 if the pack does not
    /// contain it.
    Lookup(Box<Lookup>),
}

/// An address to look up.
#[derive(Debug, Args)]
pub struct Lookup {
    /// The pack.
    pub pack: PathBuf,
    /// The street with its type, such as Rua or Avenida.
    #[arg(long)]
    pub street: Option<String>,
    /// The house number.
    #[arg(long)]
    pub number: Option<String>,
    /// The city; requires --state.
    #[arg(long, requires = "state")]
    pub city: Option<String>,
    /// The two letters of the state, such as AM or SP.
    #[arg(long, value_name = "UF")]
    pub state: Option<String>,
    /// The postal code, 8 digits.
    #[arg(long, value_name = "CEP")]
    pub zip_code: Option<String>,
}

//! The instances of the meal delivery routing problem: folders with four tab-separated files.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use despacho_bench::BoxError;
use tempfile::TempDir;

/// A place in metres.
pub(crate) type Place = (i32, i32);
/// Seconds in a minute.
pub(crate) const MINUTE: i64 = 60;
/// The number of smallest instances that the short form runs, each of another seed.
const SHORT: usize = 6;

/// One day of orders, restaurants and couriers. Times are seconds since midnight.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) name: String,
    pub(crate) metres_per_minute: u64,
    /// Half of the service time at a pickup.
    pub(crate) half_pickup: i64,
    /// Half of the service time at a delivery.
    pub(crate) half_delivery: i64,
    /// Target of the time from placement to delivery.
    pub(crate) target: i64,
    pub(crate) pay_per_order: f64,
    pub(crate) pay_per_hour: f64,
    pub(crate) orders: Vec<OrderRow>,
    pub(crate) restaurants: Vec<RestaurantRow>,
    pub(crate) couriers: Vec<CourierRow>,
}

#[derive(Clone, Debug)]
pub(crate) struct OrderRow {
    pub(crate) name: String,
    pub(crate) at: Place,
    pub(crate) placed: i64,
    /// Index of the restaurant.
    pub(crate) restaurant: usize,
    pub(crate) ready: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct RestaurantRow {
    pub(crate) name: String,
    pub(crate) at: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct CourierRow {
    pub(crate) name: String,
    /// Place where the shift starts.
    pub(crate) at: Place,
    pub(crate) on: i64,
    pub(crate) off: i64,
}

/// The selected instances, with the temporary folder of an unpacked archive.
pub(crate) struct Instances {
    pub(crate) folders: Vec<PathBuf>,
    _unpacked: Option<TempDir>,
}

impl Instances {
    /// Finds the instances in a folder or a `.tar.xz` archive whose names start with one of these.
    /// Without names, all instances are selected. The short form selects the smallest instance of
    /// each seed.
    pub(crate) fn find(
        path: &Path,
        names: &[String],
        is_short: bool,
    ) -> Result<Instances, BoxError> {
        let unpacked = if path.is_file() {
            Some(unpack(path)?)
        } else {
            None
        };
        let root = unpacked.as_ref().map_or(path, TempDir::path);
        let mut folders = Vec::new();
        if is_instance(root) {
            folders.push(root.to_path_buf());
        } else {
            let entries =
                fs::read_dir(root).map_err(|error| format!("{}: {error}", root.display()))?;
            for entry in entries {
                folders.push(entry?.path());
            }
            folders.retain(|folder| is_instance(folder));
        }
        folders.sort();
        let is_selected = |folder: &PathBuf| {
            names
                .iter()
                .any(|start| name(folder).starts_with(start.as_str()))
        };
        folders.retain(|folder| names.is_empty() || is_selected(folder));
        if is_short {
            folders = smallest_of_each_seed(folders)?;
        }
        if folders.is_empty() {
            return Err(format!(
                "{} contains no selected instance (a folder with orders.txt)",
                path.display()
            )
            .into());
        }
        Ok(Instances {
            folders,
            _unpacked: unpacked,
        })
    }
}

fn is_instance(folder: &Path) -> bool {
    folder.join("orders.txt").is_file()
}

/// Returns the name of an instance: the last part of its folder.
pub(crate) fn name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn smallest_of_each_seed(folders: Vec<PathBuf>) -> Result<Vec<PathBuf>, BoxError> {
    let mut sized = Vec::new();
    for folder in folders {
        sized.push((fs::metadata(folder.join("orders.txt"))?.len(), folder));
    }
    sized.sort();
    let mut chosen: Vec<PathBuf> = Vec::new();
    for (_, folder) in sized {
        let has_seed = |other: &PathBuf| name(other).chars().next() == name(&folder).chars().next();
        if chosen.len() < SHORT && !chosen.iter().any(has_seed) {
            chosen.push(folder);
        }
    }
    chosen.sort();
    Ok(chosen)
}

/// Unpacks an archive into a temporary folder with the system's `tar`, because no dependency
/// decodes xz.
fn unpack(archive: &Path) -> Result<TempDir, BoxError> {
    let folder = tempfile::tempdir()?;
    let mut tar = Command::new("tar");
    let output = tar
        .arg("-xJf")
        .arg(archive)
        .arg("-C")
        .arg(folder.path())
        .output();
    let output = output.map_err(|error| {
        format!("tar could not start ({error}): install tar and xz, or unpack it")
    })?;
    if !output.status.success() {
        let detail = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let path = archive.display();
        return Err(format!(
            "tar could not unpack {path} ({detail}): check the file and install tar and xz"
        )
        .into());
    }
    Ok(folder)
}

impl Instance {
    /// Reads an instance.
    pub(crate) fn read(folder: &Path) -> Result<Instance, BoxError> {
        let restaurants: Vec<RestaurantRow> = rows(folder, "restaurants.txt", 3)?
            .iter()
            .map(|row| {
                Ok(RestaurantRow {
                    name: row.text(0)?,
                    at: row.place(1)?,
                })
            })
            .collect::<Result<_, BoxError>>()?;
        let restaurant = |name: &str| restaurants.iter().position(|one| one.name == name);
        let order = |row: &Row| -> Result<OrderRow, BoxError> {
            let name = row.text(4)?;
            let restaurant =
                restaurant(&name).ok_or_else(|| format!("there is no restaurant {name}"))?;
            let (placed, ready) = (row.minute(3)?, row.minute(5)?);
            Ok(OrderRow {
                name: row.text(0)?,
                at: row.place(1)?,
                placed,
                restaurant,
                ready,
            })
        };
        let courier = |row: &Row| -> Result<CourierRow, BoxError> {
            Ok(CourierRow {
                name: row.text(0)?,
                at: row.place(1)?,
                on: row.minute(3)?,
                off: row.minute(4)?,
            })
        };
        let parameters = rows(folder, "instance_parameters.txt", 7)?;
        let parameters = parameters
            .first()
            .ok_or("instance_parameters.txt has no row")?;
        Ok(Instance {
            name: name(folder),
            metres_per_minute: parameters.number(0)?,
            half_pickup: parameters.number::<i64>(1)? * MINUTE / 2,
            half_delivery: parameters.number::<i64>(2)? * MINUTE / 2,
            target: parameters.minute(3)?,
            pay_per_order: parameters.number(5)?,
            pay_per_hour: parameters.number(6)?,
            orders: rows(folder, "orders.txt", 6)?
                .iter()
                .map(order)
                .collect::<Result<_, _>>()?,
            couriers: rows(folder, "couriers.txt", 5)?
                .iter()
                .map(courier)
                .collect::<Result<_, _>>()?,
            restaurants,
        })
    }
}

/// A row of a file, with its location for error messages.
struct Row {
    location: String,
    fields: Vec<String>,
}

impl Row {
    fn text(&self, column: usize) -> Result<String, BoxError> {
        self.fields
            .get(column)
            .cloned()
            .ok_or_else(|| format!("{}: no column {column}", self.location).into())
    }

    fn number<T: std::str::FromStr>(&self, column: usize) -> Result<T, BoxError> {
        let text = self.text(column)?;
        text.parse()
            .map_err(|_| format!("{}: `{text}` is not a valid number", self.location).into())
    }

    /// Reads minutes as seconds.
    fn minute(&self, column: usize) -> Result<i64, BoxError> {
        Ok(self.number::<i64>(column)? * MINUTE)
    }

    /// Reads x and y.
    fn place(&self, column: usize) -> Result<Place, BoxError> {
        Ok((self.number(column)?, self.number(column + 1)?))
    }
}

fn rows(folder: &Path, file: &str, columns: usize) -> Result<Vec<Row>, BoxError> {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .skip(1)
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let fields: Vec<String> = line
            .split('\t')
            .map(|field| field.trim().to_owned())
            .collect();
        let location = format!("{}:{number}", path.display());
        if fields.len() < columns {
            return Err(format!("{location}: expected {columns} columns").into());
        }
        rows.push(Row { location, fields });
    }
    Ok(rows)
}

//! The build of the Spin application's five components.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{
    place,
    run::{self, Failure},
    shrink::shrink,
};

/// The environment variable that names the built component for tests; the other components are in the same folder.
pub const COMPONENT: &str = "DESPACHO_COMPONENT";

/// The environment variable that names the Spin CLI for tests under `spin up`.
pub const SPIN: &str = "DESPACHO_SPIN";

/// The compilation target of components.
pub const TARGET: &str = "wasm32-wasip2";

/// The package of the component that serves the endpoints of stores, and every path that no other component serves.
const PACKAGE: &str = "despacho-spin";
/// The file name of its shipped component, in the same folder as cargo's output. spin.toml names it.
const SHIPPED: &str = "despacho.wasm";

/// The profile of the components, which is also the name of cargo's output folder.
const PROFILE: &str = "edge";
/// The file with other settings of the profile, for the component that is optimised for speed. With a profile of its own, cargo would
/// compile all procedural macros again.
const FAST: &str = "hosts/spin/preview/profile.toml";

/// A component that serves the paths below some routes.
pub struct RoutedComponent {
    /// The routes in spin.toml, without `/...`.
    pub routes: &'static [&'static str],
    package: &'static str,
    /// Whether it is optimised for speed, not for size.
    is_fast: bool,
    /// The file name of cargo's output.
    built: &'static str,
    /// The file name of the shipped component.
    shipped: &'static str,
}

/// The components besides the one for stores.
pub const ROUTED: [RoutedComponent; 4] = [
    RoutedComponent {
        // It comes first because some of its routes are below those of the other components.
        routes: &["/admin/dispatch", "/delivery/webhooks", "/oauth", "/v1"],
        package: "despacho-spin-connection",
        is_fast: false,
        built: "despacho_spin_connection.wasm",
        shipped: "despacho-connection.wasm",
    },
    RoutedComponent {
        routes: &["/admin"],
        package: "despacho-spin-operator",
        is_fast: false,
        built: "despacho_spin_operator.wasm",
        shipped: "despacho-operator.wasm",
    },
    RoutedComponent {
        routes: &["/courier"],
        package: "despacho-spin-courier",
        is_fast: false,
        built: "despacho_spin_courier.wasm",
        shipped: "despacho-courier.wasm",
    },
    RoutedComponent {
        routes: &["/delivery/orders/preview"],
        package: "despacho-spin-preview",
        is_fast: true,
        built: "despacho_spin_preview.wasm",
        shipped: "despacho-preview.wasm",
    },
];

impl RoutedComponent {
    /// Returns the file of the component, next to that of the component for stores.
    pub fn next_to(&self, shipped: &Path) -> PathBuf {
        shipped.with_file_name(self.shipped)
    }
}

/// Binaryen's optimiser. If it is installed, it reduces the component's size.
pub const OPTIMISER: &str = "wasm-opt";

/// Builds the components as they ship, which is what spin.toml's command does. Returns the file of the component for stores.
pub fn build(root: &Path) -> Result<PathBuf, Failure> {
    for is_fast in [false, true] {
        let packages = ROUTED.iter().filter(|one| one.is_fast == is_fast).map(|one| ["--package", one.package]);
        let packages = packages.chain((!is_fast).then_some(["--package", PACKAGE]));
        let settings = is_fast.then_some(["--config", FAST]);
        cargo(root, "build", &settings.into_iter().chain(packages).collect::<Vec<_>>().concat())?;
    }
    let folder = built()?;
    let shipped = folder.join(SHIPPED);
    let mut files = vec![(folder.join("despacho_spin.wasm"), shipped.clone(), false)];
    for one in &ROUTED {
        files.push((folder.join(one.built), one.next_to(&shipped), one.is_fast));
    }
    for (built, shipped, is_fast) in files {
        let finished = finish(&built, &shipped, if is_fast { "-O3" } else { "-Oz" });
        finished.map_err(|error| Failure::new(format!("{}: {error}", shipped.display())))??;
    }
    Ok(shipped)
}

/// Makes the shipped file from cargo's output with wasm-opt at a level such as `-Oz`, unless it is up to date. A lock serialises tests in
/// several processes.
fn finish(built: &Path, shipped: &Path, level: &str) -> io::Result<Result<(), Failure>> {
    let lock = File::create(shipped.with_extension("lock"))?;
    lock.lock()?;
    let optimised = run::succeeds(&[OPTIMISER, "--version"]);
    let before = built.metadata()?;
    if shipped.metadata().is_ok_and(|after| is_up_to_date(&after, &before, optimised)) {
        return Ok(Ok(()));
    }
    let fresh = shipped.with_extension("fresh.wasm");
    fs::copy(built, &fresh)?;
    if optimised && let Err(failure) = shrink(&fresh, OPTIMISER, level) {
        return Ok(Err(failure));
    }
    fs::rename(&fresh, shipped)?;
    let [whole, left] = [before.len(), shipped.metadata()?.len()];
    println!("  {}: {left} bytes, of {whole} before {OPTIMISER}", shipped.display());
    Ok(Ok(()))
}

/// Returns whether the file `after` was made from the current `before`. An optimised file is smaller than its source.
fn is_up_to_date(after: &Metadata, before: &Metadata, optimised: bool) -> bool {
    let in_order = after.modified().ok().zip(before.modified().ok()).is_some_and(|(after, before)| after >= before);
    in_order && optimised == (after.len() < before.len())
}

/// Builds the empty component with the same settings, as the baseline of measurements.
pub fn build_hello(root: &Path) -> Result<PathBuf, Failure> {
    cargo(root, "rustc", &["--package", PACKAGE, "--example", "hello", "--crate-type", "cdylib"])?;
    Ok(built()?.join("examples/hello.wasm"))
}

fn cargo(root: &Path, command: &str, options: &[&str]) -> Result<(), Failure> {
    let words = ["cargo", command, "--locked", "--profile", PROFILE, "--target", TARGET];
    let mut build = run::command(root, &[&words, options].concat());
    build.env("CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS", remaps().join(" "));
    run::show(build)
}

/// Returns the flags that remove the folders of cargo's registry from the messages of panics. The component then has no path of the
/// machine that built it, and is 15 kB smaller.
fn remaps() -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let sources = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders = sources.into_iter().flatten().flatten().map(|entry| entry.path());
    let names = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    // A flag with a space would be read as two.
    let plain = folders.filter(|folder| !folder.to_string_lossy().contains(' ') && has_dependency(names(folder)));
    plain.map(|folder| format!("--remap-path-prefix={}/=", folder.display())).collect()
}

/// Returns whether packages of other projects are among these. `cargo package` adds a folder with those of this workspace, and a flag
/// for it would build all components again.
fn has_dependency(mut packages: impl Iterator<Item = OsString>) -> bool {
    packages.any(|package| !package.to_string_lossy().starts_with("despacho-"))
}

/// Returns cargo's output folder of the components.
fn built() -> Result<PathBuf, Failure> {
    Ok(place::target()?.join(TARGET).join(PROFILE))
}

/// Returns the component for a test or a measurement, next to which are the others: the build named by [`COMPONENT`], or else a new one, so that no test
/// runs an outdated build.
pub fn shipped() -> Result<PathBuf, Failure> {
    match std::env::var_os(COMPONENT) {
        Some(path) => Ok(path.into()),
        None => build(&place::root()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_workspace_are_no_dependencies() {
        let has_dependency = |packages: &[&str]| has_dependency(packages.iter().map(OsString::from));
        assert!(!has_dependency(&[]) && !has_dependency(&["despacho-route-0.1.0"]));
        assert!(has_dependency(&["despacho-route-0.1.0", "serde-1.0.0"]));
    }
}

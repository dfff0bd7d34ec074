//! Whether the server's binary depends on the folder that it is built in: two builds of the last commit in two folders, compared byte by
//! byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
};

/// Folders of different lengths: a path in the binary would shift everything behind it.
const FOLDERS: [&str; 2] = ["one", "another-and-longer"];

/// Builds twice and compares.
pub(crate) fn reproduce(root: &Path) -> Result<(), Failure> {
    let scratch = place::target()?.join("reproduce");
    let at = |path: &Path| {
        let name = path.display().to_string();
        move |e: std::io::Error| Failure::new(format!("{name}: {e}"))
    };
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
    }
    let commit_time = run::response(&["git", "-C", &root.to_string_lossy(), "log", "-1", "--format=%ct"]);
    let commit_time = commit_time.ok_or_else(|| Failure::new("`git log` names no last commit"))?;
    let mut built = Vec::new();
    for name in FOLDERS {
        let binary = build(root, &scratch.join(name), &commit_time)?;
        built.push(fs::read(&binary).map_err(at(&binary))?);
    }
    let different = match built.as_slice() {
        [one, other] if one.len() == other.len() => one.iter().zip(other).filter(|(a, b)| a != b).count(),
        _ => return Err(Failure::new("the two builds differ in size")),
    };
    let bytes = built.first().map_or(0, Vec::len);
    if different > 0 {
        return Err(Failure::new(format!("{different} of {bytes} bytes differ between the two builds")));
    }
    println!("both builds are the same {bytes} bytes");
    Ok(())
}

/// Builds the last commit in a folder, with the folder's own path replaced wherever a compiler writes it down.
fn build(root: &Path, folder: &Path, commit_time: &str) -> Result<PathBuf, Failure> {
    run::show(run::command(root, &["git", "clone", "--quiet", "--no-hardlinks", ".", &folder.to_string_lossy()]))?;
    let cargo_home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .map_err(|e| Failure::new(format!("CARGO_HOME and HOME: {e}")))?;
    let place = folder.display();
    let mut cargo =
        run::command(folder, &["cargo", "build", "--locked", "--release", "-p", "despacho-warp", "--bin", "despacho"]);
    cargo
        .env("RUSTFLAGS", format!("--remap-path-prefix={place}=/source --remap-path-prefix={cargo_home}=/cargo"))
        .env("CFLAGS", format!("-ffile-prefix-map={place}=/source -ffile-prefix-map={cargo_home}=/cargo"))
        .env("SOURCE_DATE_EPOCH", commit_time)
        .env("CARGO_TARGET_DIR", folder.join("target"));
    run::show(cargo)?;
    Ok(folder.join("target/release").join(format!("despacho{}", std::env::consts::EXE_SUFFIX)))
}

//! Checks that the server's binary does not depend on its build folder: builds the last commit in
//! two folders and compares the binaries byte by byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
};

/// Folder names of different lengths: an embedded path would shift all bytes after it.
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
    let commit_time = run::stdout(&[
        "git",
        "-C",
        &root.to_string_lossy(),
        "log",
        "-1",
        "--format=%ct",
    ]);
    let commit_time = commit_time.ok_or_else(|| Failure::new("`git log` lists no commit"))?;
    let mut built = Vec::new();
    for name in FOLDERS {
        let binary = build(root, &scratch.join(name), &commit_time)?;
        built.push(fs::read(&binary).map_err(at(&binary))?);
    }
    let different = match built.as_slice() {
        [one, other] if one.len() == other.len() => {
            one.iter().zip(other).filter(|(a, b)| a != b).count()
        }
        _ => return Err(Failure::new("the two builds differ in size")),
    };
    let bytes = built.first().map_or(0, Vec::len);
    if different > 0 {
        return Err(Failure::new(format!(
            "{different} of {bytes} bytes differ between the two builds"
        )));
    }
    println!("both builds are identical: {bytes} bytes");
    Ok(())
}

/// Builds the last commit in a folder. The compilers replace the folder's path in their output.
fn build(root: &Path, folder: &Path, commit_time: &str) -> Result<PathBuf, Failure> {
    run::show(run::command(
        root,
        &[
            "git",
            "clone",
            "--quiet",
            "--no-hardlinks",
            ".",
            &folder.to_string_lossy(),
        ],
    ))?;
    let cargo_home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .map_err(|e| Failure::new(format!("CARGO_HOME and HOME: {e}")))?;
    let source = folder.display();
    let mut cargo = run::command(
        folder,
        &[
            "cargo",
            "build",
            "--locked",
            "--release",
            "-p",
            "despacho-warp",
            "--bin",
            "despacho",
        ],
    );
    cargo
        .env(
            "RUSTFLAGS",
            format!("--remap-path-prefix={source}=/source --remap-path-prefix={cargo_home}=/cargo"),
        )
        .env(
            "CFLAGS",
            format!("-ffile-prefix-map={source}=/source -ffile-prefix-map={cargo_home}=/cargo"),
        )
        .env("SOURCE_DATE_EPOCH", commit_time)
        .env("CARGO_TARGET_DIR", folder.join("target"));
    run::show(cargo)?;
    Ok(folder
        .join("target/release")
        .join(format!("despacho{}", std::env::consts::EXE_SUFFIX)))
}

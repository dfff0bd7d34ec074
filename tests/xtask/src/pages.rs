//! Runs the commands of every page: its `sh` blocks in order, in one shell, in a scratch folder.
//!
//! A block that cannot run here states the reason after the language: `sh norun="needs a cluster"`.
//! Each port of 127.0.0.1 is replaced by one free port per page, so that a page can name 8080 even
//! if that port is in use.
//!
//! A block `json response` or `text response` after a block of commands is compared with their
//! output: JSON by [`response::matches`], text line by line. A command whose line ends with `# 210`
//! or `# 210: text` must print this number.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    server::{self, Server},
};

mod response;

use response::Response;

/// Pages that call the demo server of `cargo up` on port 8080. The step starts the same server from
/// the release build.
const DEMO: [&str; 5] = [
    "README.md",
    "core/COVERAGE.md",
    "core/EVENTS.md",
    "core/DISPATCH.md",
    "core/PROOFS.md",
];
/// The operator's token that these pages use.
const OPERATOR_TOKEN: &str = "choose-a-long-random-text";
/// The time limit for one page, in seconds.
const TIME_LIMIT: &str = "300";
/// The number of lines of output that are shown if a page fails.
const LINES_SHOWN: usize = 30;

/// A block of commands in a page.
#[derive(Debug, PartialEq, Eq)]
struct Block<'a> {
    /// The line number of the first command.
    line: usize,
    commands: String,
    /// The reason for not running the block.
    skipped: Option<&'a str>,
    /// The output that the page shows.
    response: Option<Response>,
}

/// Runs every page.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let binary = server::checked()?;
    let listed = run::stdout(&[
        "git",
        "-C",
        &root.to_string_lossy(),
        "ls-files",
        "--",
        "*.md",
    ]);
    let pages = listed.ok_or_else(|| Failure::new("`git ls-files` lists no pages"))?;
    let scratch = place::target()?.join("pages");
    let mut failed = Vec::new();
    for page in pages.lines() {
        let text = fs::read_to_string(root.join(page))
            .map_err(|e| Failure::new(format!("{page}: {e}")))?;
        let blocks = blocks(&text)
            .map_err(|line| Failure::new(format!("{page}:{line}: the block is not closed")))?;
        for block in &blocks {
            if let Some(reason) = block.skipped {
                println!("  {page}:{}: SKIPPED: {reason}", block.line);
            }
        }
        if blocks.iter().all(|block| block.skipped.is_some()) {
            continue;
        }
        if let Err(failure) = run_page(
            page,
            &blocks,
            &binary,
            &scratch.join(page.replace('/', "-")),
        ) {
            println!("  {page}: {failure}");
            failed.push(page);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "commands of {} failed",
            failed.join(", ")
        )))
    }
}

/// Returns the `sh` blocks of a page, or the line number of a block that is not closed.
fn blocks(text: &str) -> Result<Vec<Block<'_>>, usize> {
    let (mut blocks, mut lines) = (Vec::<Block<'_>>::new(), text.lines().enumerate());
    while let Some((index, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let mut commands = String::new();
        loop {
            let Some((_, line)) = lines.next() else {
                return Err(index + 1);
            };
            if line.trim_start().starts_with("```") {
                break;
            }
            commands.push_str(line);
            commands.push('\n');
        }
        let (language, attributes) = info.split_once(' ').unwrap_or((info, ""));
        if language == "sh" {
            let skipped = attributes
                .strip_prefix("norun=\"")
                .and_then(|rest| rest.strip_suffix('"'));
            blocks.push(Block {
                line: index + 2,
                commands,
                skipped,
                response: None,
            });
        } else if attributes == "response" {
            let block = blocks.last_mut().ok_or(index + 1)?;
            block.response = Some(Response {
                is_json: language == "json",
                text: commands,
            });
        }
    }
    Ok(blocks)
}

fn run_page(
    page: &str,
    blocks: &[Block<'_>],
    binary: &Path,
    scratch: &Path,
) -> Result<(), Failure> {
    let failure = |e: std::io::Error| Failure::new(format!("{}: {e}", scratch.display()));
    if scratch.exists() {
        fs::remove_dir_all(scratch).map_err(failure)?;
    }
    fs::create_dir_all(scratch).map_err(failure)?;
    let mut ports = Ports::default();
    let demo = DEMO.contains(&page).then(|| {
        let variables = [("DESPACHO_ADMIN_TOKEN", OPERATOR_TOKEN)];
        Server::start(binary, &scratch.join("demo"), &["--demo"], &variables)
    });
    let demo = demo.transpose()?;
    if let Some(port) = demo
        .as_ref()
        .and_then(|server| server.base.rsplit(':').next())
    {
        ports.0.insert("8080".to_owned(), port.to_owned());
    }
    let mut script =
        "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n".to_owned();
    script.push_str(response::EXPECT);
    for block in blocks.iter().filter(|block| block.skipped.is_none()) {
        script.push_str(&format!("echo '== {page}:{}'\n", block.line));
        let commands = response::with_expected_numbers(&ports.replaced(&block.commands)?);
        match block.response {
            // A group with a redirection runs in the same shell, so that its variables remain.
            Some(_) => script.push_str(&format!(
                "{{\n{commands}}} > {0}\ncat {0}\n",
                response_file(block)
            )),
            None => script.push_str(&commands),
        }
    }
    let file = scratch.join("page.sh");
    fs::write(&file, script).map_err(failure)?;
    let printed = scratch.join("output.txt");
    let output = fs::File::create(&printed).map_err(failure)?;
    let file = file.to_string_lossy().into_owned();
    let mut shell = run::command(
        scratch,
        &["timeout", "--kill-after=10", TIME_LIMIT, "bash", &file],
    );
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DESPACHO_"))
    {
        shell.env_remove(name);
    }
    shell
        .env("PATH", with_folder(binary)?)
        .stderr(output.try_clone().map_err(failure)?)
        .stdout(output);
    if demo.is_some() {
        shell.env("DESPACHO_DATA", scratch.join("demo"));
    }
    let status = shell.status().map_err(failure)?;
    if status.success() {
        for block in blocks {
            if let Some(response) = &block.response {
                let shown =
                    fs::read_to_string(scratch.join(response_file(block))).map_err(failure)?;
                response
                    .check(&shown)
                    .map_err(|detail| Failure::new(format!("{page}:{}: {detail}", block.line)))?;
            }
        }
        println!("  {page}: passed");
        return Ok(());
    }
    // The script prints the line number of each block before it runs.
    let text = fs::read_to_string(&printed).map_err(failure)?;
    let lines: Vec<&str> = text.lines().collect();
    let end = lines
        .get(lines.len().saturating_sub(LINES_SHOWN)..)
        .unwrap_or_default()
        .join("\n");
    Err(Failure::new(format!(
        "{status}; {} ends with:\n{end}",
        printed.display()
    )))
}

/// Returns the name of the file with the output of a block.
fn response_file(block: &Block<'_>) -> String {
    format!("response-{}.txt", block.line)
}

/// Returns `PATH` with the server's folder first.
fn with_folder(binary: &Path) -> Result<std::ffi::OsString, Failure> {
    let folder = binary.parent().map(Path::to_path_buf).unwrap_or_default();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::iter::once(folder)
        .chain(std::env::split_paths(&others))
        .collect();
    std::env::join_paths(folders).map_err(|e| Failure::new(format!("PATH: {e}")))
}

/// The free port that replaces each port of a page.
#[derive(Default)]
struct Ports(BTreeMap<String, String>);

impl Ports {
    fn replaced(&mut self, commands: &str) -> Result<String, Failure> {
        const ADDRESS: &str = "127.0.0.1:";
        let mut pieces = commands.split(ADDRESS);
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let digits = piece
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(piece.len());
            let (port, rest) = piece.split_at(digits);
            text.push_str(ADDRESS);
            text.push_str(&self.free(port)?);
            text.push_str(rest);
        }
        Ok(text)
    }

    fn free(&mut self, port: &str) -> Result<String, Failure> {
        if let Some(known) = self.0.get(port) {
            return Ok(known.clone());
        }
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let free = free
            .map_err(|e| Failure::new(format!("no free port: {e}")))?
            .port()
            .to_string();
        self.0.insert(port.to_owned(), free.clone());
        Ok(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sh_blocks_are_parsed_with_skip_reasons() {
        let text = "# T\n```sh\na\nb\n```\ntext\n```json\n{}\n```\n```sh norun=\"needs a cluster\"\nc\n```\n";
        let found = blocks(text).expect("every block is closed");
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].line, found[0].commands.as_str(), found[0].skipped),
            (3, "a\nb\n", None)
        );
        assert_eq!(
            (found[1].line, found[1].skipped),
            (11, Some("needs a cluster"))
        );
        assert_eq!(blocks("```sh\na\n"), Err(1));
        let shown = blocks("```sh\na\n```\n\n```json response\n{}\n```\n```json\n{}\n```\n")
            .expect("every block is closed");
        assert_eq!(
            shown[0].response,
            Some(Response {
                is_json: true,
                text: "{}\n".to_owned()
            })
        );
        assert_eq!(
            blocks("```text response\na\n```\n"),
            Err(1),
            "no command prints it"
        );
    }

    #[test]
    fn same_port_gets_same_replacement() {
        let mut ports = Ports::default();
        ports.0.insert("8080".to_owned(), "4".to_owned());
        let text = ports
            .replaced("curl http://127.0.0.1:8080/x 127.0.0.1:8080 8080")
            .expect("the port is known");
        assert_eq!(text, "curl http://127.0.0.1:4/x 127.0.0.1:4 8080");
        let other = ports.replaced("127.0.0.1:9").expect("a port is free");
        assert_ne!(other, "127.0.0.1:9");
        assert_eq!(ports.replaced("127.0.0.1:9"), Ok(other));
    }
}

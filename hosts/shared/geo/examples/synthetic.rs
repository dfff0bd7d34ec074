//! Measures speed and memory of a build from synthetic rows in the register's layout:
//! `cargo run --release -p despacho-geo --features gazetteer --example synthetic -- 20000000 FOLDER`.
//!
//! The rows are 150 bytes each (3 GB for twenty million), written before the clock starts, and
//! removed at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "an example that measures and prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments
        .next()
        .ok_or("usage: synthetic ROWS FOLDER")?
        .parse()?;
    let folder = PathBuf::from(arguments.next().ok_or("usage: synthetic ROWS FOLDER")?);
    let (input, output) = (folder.join("synthetic.csv"), folder.join("synthetic.pack"));
    write_rows(
        rows,
        BufWriter::with_capacity(1 << 20, File::create_new(&input)?),
    )?;
    let (start, cpu_before) = (Instant::now(), cpu_seconds());
    let report =
        despacho_geo::gazetteer::build(std::slice::from_ref(&input), &output, &mut |_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
    let rate = report.rows as f64 / seconds;
    println!(
        "{} rows in {seconds:.1} s: {rate:.0} rows/s; peak memory {}",
        report.rows,
        peak_memory()
    );
    println!("{:.1} s of CPU time", cpu_seconds() - cpu_before);
    println!(
        "{} distinct, {} malformed, records {:?}",
        report.distinct,
        report.malformed(),
        report.records
    );
    println!(
        "pack of {} bytes, {:.1} per door",
        report.pack_bytes,
        bytes_per_door(report.pack_bytes, report.records[3])
    );
    std::fs::remove_file(input)?;
    std::fs::remove_file(output)?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people to read")]
fn bytes_per_door(bytes: u64, doors: u64) -> f64 {
    bytes as f64 / doors.max(1) as f64
}

/// Writes blocks of streets in random order, as in the municipalities' files.
fn write_rows(rows: u64, mut file: impl Write) -> std::io::Result<()> {
    let mut state = 42u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut street, mut cep, mut lat, mut lon) = (0, 0, 0, 0);
    for row in 0..rows {
        if row % 40 == 0 {
            (street, cep) = (random(400_000), 1_000_000 + random(98_000_000));
            (lat, lon) = (random(30_000_000), random(12_000_000));
        }
        let (number, step) = (random(2_000) + 1, random(10_000));
        writeln!(
            file,
            "{row};35;35{:05};355030805;35503080500;355030805000001P;1;{};{cep:08};SAO PAULO;RUA;;NOME DA RUA {street};\
             {number};;APARTAMENTO;{};;;;;;;;;-{}.{:07};-{}.{:07};1;1;;;1;1;101",
            street % 99_999,
            row % 90,
            row % 200,
            3 + lat / 1_000_000,
            lat % 1_000_000 * 10 + step,
            38 + lon / 1_000_000,
            lon % 1_000_000 * 10 + step,
        )?;
    }
    file.flush()
}

/// Returns the CPU time of this process in seconds, or 0 if the system does not report it. Unlike
/// elapsed time it does not grow on a busy machine.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, can contain spaces. User and system time follow 11 fields later, in
    // hundredths of a second.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    after_name
        .split(' ')
        .skip(12)
        .take(2)
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// Returns the process's maximum resident size, or `unknown` if the system does not report it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |value| value.trim().to_owned())
}

//! Builds packs from register files: the sample of São Paulo, zips, folders and invalid files.

use std::io::Write;
use std::path::{Path, PathBuf};

use despacho_core::{
    geo::{
        Gazetteer,
        cnefe::RowError,
        great_circle_m,
        pack::{Pack, PackError},
    },
    model::{Address, Cep, Located, Point, Precision},
};
use despacho_geo::gazetteer::{BuildError, Progress, Report, Stage, build};
use despacho_xtask::skip;

const MISSING: &str = "the sample of the register in ../shared/data/cnefe is missing";
const HEADER: &str = "COD_UNICO_ENDERECO;COD_UF;COD_MUNICIPIO";

/// A temporary folder, which is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("despacho-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn row(cep: &str, street: &str, number: &str, latitude: f64, longitude: f64) -> String {
    let start = format!(
        "1;35;3550308;355030805;35503080500;355030805000001P;1;1;{cep};;RUA;;{street};{number}"
    );
    format!("{start};;;;;;;;;;;;{latitude};{longitude};1;1;;1;1;1;1\r\n")
}

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .expect("an entry");
        zip.write_all(text.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

fn address(street: &str, number: &str, cep: &str) -> Address {
    Address {
        street: Some(street.to_owned()),
        number: Some(number.to_owned()),
        zip_code: Some(cep.to_owned()),
        city: Some("São Paulo".to_owned()),
        state: Some("SP".to_owned()),
        ..Address::default()
    }
}

fn build_quietly(inputs: &[PathBuf], output: &Path) -> Result<Report, BuildError> {
    build(inputs, output, &mut |_| ())
}

#[test]
fn pack_of_sao_paulo_sample_locates_every_door() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/cnefe/layout_3550308.csv");
    if !sample.exists() {
        skip::test("shared-data", MISSING);
        return;
    }
    let folder = Folder::new("sample");
    let output = folder.0.join("sample.pack");
    let report = build_quietly(std::slice::from_ref(&sample), &output).expect("a pack");
    assert_eq!((report.rows, report.malformed()), (5_000, 0));
    let bytes = std::fs::read(&output).expect("the pack");
    let pack = Pack::open(&bytes).expect("a valid pack");

    let text = std::fs::read_to_string(&sample).expect("the sample");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(';').collect())
        .collect();
    let point_of = |row: &[&str]| {
        Point::from_degrees(
            row[25].parse().expect("a number"),
            row[26].parse().expect("a number"),
        )
        .expect("a place")
    };
    let (mut missed, mut by_cep_m) = (Vec::new(), Vec::new());
    for row in &rows {
        let street = format!("{} {} {}", row[10], row[11], row[12]);
        let located = pack
            .locate(Gazetteer::embedded(), &address(&street, row[13], row[8]))
            .expect("an address of the pack");
        // A few addresses have several rows with different locations, each of which is correct.
        let same = rows
            .iter()
            .filter(|other| other[8] == row[8] && other[10..14] == row[10..14]);
        let off_m = same
            .map(|other| great_circle_m(point_of(other), located.point))
            .min()
            .expect("the row itself");
        if located.precision != Precision::Number || off_m > 1 {
            missed.push(format!(
                "{street}, {}, {}: {:?}, {off_m} m",
                row[13], row[8], located.precision
            ));
        }
        let (place, ibge) = pack
            .cep(Cep::parse(row[8]).expect("a CEP"))
            .expect("a CEP of the pack");
        assert_eq!(ibge, 3_550_308);
        by_cep_m.push(great_circle_m(place.point, point_of(row)));
    }
    // Text in parentheses is ignored, because people write neighbourhoods in them. Eight registered
    // names contain some.
    assert!(
        missed.len() <= 8 && missed.iter().all(|row| row.contains('(')),
        "{missed:#?}"
    );
    by_cep_m.sort_unstable();
    assert!(by_cep_m[2_500] < 100, "median {} m", by_cep_m[2_500]);
}

/// A CEP's location must also fit addresses that are not in the pack. Half of the sample builds the
/// pack and the other half is located. The sample has one or two addresses per CEP, and the median
/// error is 140 m; the whole register has dozens per CEP.
#[test]
fn cep_locates_addresses_that_are_not_in_the_pack() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/cnefe/layout_3550308.csv");
    let Ok(text) = std::fs::read_to_string(&sample) else {
        skip::test("shared-data", MISSING);
        return;
    };
    let (mut known, mut requests) = (String::new(), Vec::new());
    for (index, line) in text.lines().skip(1).enumerate() {
        if index % 2 == 0 {
            known.extend([line, "\n"])
        } else {
            requests.push(line)
        }
    }
    let folder = Folder::new("halves");
    let output = folder.0.join("half.pack");
    build_quietly(&[folder.file("half.csv", known.as_bytes())], &output).expect("a pack");
    let bytes = std::fs::read(&output).expect("the pack");
    let pack = Pack::open(&bytes).expect("a valid pack");
    let mut off_m = Vec::new();
    for line in requests {
        let row: Vec<&str> = line.split(';').collect();
        let Some((place, _)) = pack.cep(Cep::parse(row[8]).expect("a CEP")) else {
            continue;
        };
        let point = Point::from_degrees(
            row[25].parse().expect("a number"),
            row[26].parse().expect("a number"),
        );
        off_m.push(great_circle_m(place.point, point.expect("a place")));
    }
    off_m.sort_unstable();
    assert!(
        off_m.len() > 800 && off_m[off_m.len() / 2] < 200,
        "{} located, median {}",
        off_m.len(),
        off_m[off_m.len() / 2]
    );
}

#[test]
fn zips_and_folders_are_read_and_progress_is_reported() {
    let folder = Folder::new("zips");
    let first = format!(
        "{HEADER}\n{}",
        row("01001000", "DIREITA", "10", -23.5489, -46.6388)
    );
    let second = format!(
        "{HEADER}\n{}",
        row("01002000", "LIBERO BADARO", "20", -23.5460, -46.6360)
    );
    let third = row("01003000", "XV DE NOVEMBRO", "30", -23.5450, -46.6340);
    let inputs = folder.0.join("inputs");
    std::fs::create_dir(&inputs).expect("a folder");
    std::fs::write(
        inputs.join("a.zip"),
        zipped(&[("a.csv", &first), ("b.CSV", &second), ("leia.txt", "x")]),
    )
    .expect("a zip");
    std::fs::write(inputs.join("b.csv"), third).expect("a file");
    std::fs::write(inputs.join("notes.md"), "not read").expect("a file");
    let output = folder.0.join("out.pack");
    let mut reports: Vec<Progress> = Vec::new();
    let report = build(&[inputs], &output, &mut |progress| reports.push(progress)).expect("a pack");
    assert_eq!(
        (
            report.rows,
            report.malformed(),
            report.distinct,
            report.records
        ),
        (3, 0, 3, [3, 3, 3, 3])
    );
    assert_eq!(
        reports.last().map(|progress| progress.stage),
        Some(Stage::Writing)
    );
    assert!(
        reports
            .iter()
            .all(|progress| progress.bytes <= progress.bytes_total)
    );
    let bytes = std::fs::read(&output).expect("the pack");
    assert_eq!(report.pack_bytes, bytes.len() as u64);
    let pack = Pack::open(&bytes).expect("a valid pack");
    assert_eq!(
        (pack.info().label(), pack.info().rows),
        ("IBGE CNEFE 2022", 3)
    );
    for (street, number) in [
        ("Rua Direita", "10"),
        ("R. Líbero Badaró", "20"),
        ("Rua Quinze de Novembro", "30"),
    ] {
        let found = pack
            .locate(Gazetteer::embedded(), &address(street, number, ""))
            .map(|located: Located| located.precision);
        assert_eq!(found, Some(Precision::Number), "{street}");
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0)
        .expect("a folder")
        .filter_map(Result::ok)
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn malformed_rows_are_counted_and_named() {
    let folder = Folder::new("malformed");
    let good = row("01001000", "DIREITA", "10", -23.5489, -46.6388);
    let lines = [
        HEADER.to_owned() + "\n",
        good.clone(),
        "too;short\n".to_owned(),
        good.replace("01001000", "1001000"),
        good.replace("-23.5489", "23.5489"),
        format!("{}\n", "x".repeat(100_000)),
        good.replace("3550308;", "0000000;"),
        good.repeat(494),
    ];
    let input = folder.file("in.csv", lines.concat().as_bytes());
    let report =
        build_quietly(std::slice::from_ref(&input), &folder.0.join("out.pack")).expect("a pack");
    assert_eq!(
        (report.rows, report.distinct, report.malformed()),
        (500, 1, 5)
    );
    assert_eq!(report.errors, [2, 0, 1, 1, 1]);
    let named: Vec<(u64, RowError)> = report
        .named
        .iter()
        .map(|row| (row.line, row.error))
        .collect();
    let expected = [
        (3, RowError::Columns),
        (4, RowError::Cep),
        (5, RowError::Coordinates),
        (6, RowError::Columns),
        (7, RowError::Municipality),
    ];
    assert_eq!(named, expected);
    assert!(report.named.iter().all(|row| row.path == input));
}

#[test]
fn more_than_one_percent_of_malformed_rows_is_an_error() {
    let folder = Folder::new("share");
    let output = folder.0.join("out.pack");
    let good = row("01001000", "DIREITA", "10", -23.5489, -46.6388);
    let file = |malformed: usize| {
        let lines = [
            good.repeat(200 - malformed),
            "too;short\n".repeat(malformed),
        ];
        folder.file("in.csv", lines.concat().as_bytes())
    };
    build_quietly(&[file(2)], &output).expect("a pack");
    let before = std::fs::read(&output).expect("the pack");
    for malformed in [3, 120] {
        let error =
            build_quietly(&[file(malformed)], &output).expect_err("too many rows are malformed");
        assert_eq!(
            error.to_string(),
            format!("{malformed} of 200 rows are malformed, more than 1 %")
        );
        let BuildError::MalformedRows { report } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (report.errors[0], report.named.len()),
            (malformed as u64, malformed.min(20))
        );
        assert!(std::fs::read(&output).expect("the pack") == before);
    }
}

#[test]
fn folders_of_killed_builds_are_removed() {
    let folder = Folder::new("killed");
    let output = folder.0.join("out.pack");
    let input = folder.file(
        "in.csv",
        row("01001000", "DIREITA", "10", -23.5489, -46.6388).as_bytes(),
    );
    let create = |name: &str| {
        let path = folder.0.join(name);
        std::fs::create_dir(&path).expect("a folder");
        std::fs::File::create(path.join("lock")).expect("a file")
    };
    let running = create("out.pack.1-0.building");
    running.lock().expect("a lock");
    drop([
        create("out.pack.2-0.building"),
        create("other.pack.2-0.building"),
    ]);
    // Its process has not created the lock yet.
    std::fs::create_dir(folder.0.join("out.pack.3-0.building")).expect("a folder");
    build_quietly(&[input], &output).expect("a pack");
    let entries = std::fs::read_dir(&folder.0)
        .expect("a folder")
        .filter_map(Result::ok);
    let mut left: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(
        left,
        [
            "in.csv",
            "other.pack.2-0.building",
            "out.pack",
            "out.pack.1-0.building",
            "out.pack.3-0.building"
        ]
    );
}

#[test]
fn invalid_register_files_are_rejected() {
    let folder = Folder::new("none");
    let output = folder.0.join("out.pack");
    let csv = folder.file("other.csv", b"a,b\n1,2\n");
    assert!(matches!(
        build_quietly(&[csv], &output),
        Err(BuildError::NoRows { rows: 2 })
    ));
    let broken = folder.file("broken.zip", b"PK but not really");
    assert!(matches!(
        build_quietly(&[broken], &output),
        Err(BuildError::Zip { .. })
    ));
    let other = folder.file("other.zip", &zipped(&[("leia.txt", "x")]));
    assert!(matches!(
        build_quietly(&[other], &output),
        Err(BuildError::NoCsv { .. })
    ));
    assert!(matches!(
        build_quietly(&[folder.0.join("absent.csv")], &output),
        Err(BuildError::Read { .. })
    ));
    assert!(matches!(
        build_quietly(&[], &output),
        Err(BuildError::NoInput)
    ));
    assert!(!output.exists());
    assert_eq!(Pack::open(b"a,b\n1,2\n").err(), Some(PackError::NotAPack));
}

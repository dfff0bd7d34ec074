use super::{format::Header, *};
use crate::{
    geo::{
        LocateError,
        cnefe::Row,
        street::{Form, street_key_in},
        street_key,
    },
    model::{Address, Located, Precision},
};

/// Tables in memory.
#[derive(Default)]
struct Memory([Vec<Vec<u8>>; 4]);

impl Sink for Memory {
    type Error = ();

    fn append(&mut self, table: Table, record: &[u8]) -> Result<(), ()> {
        self.0[table as usize].push(record.to_vec());
        Ok(())
    }
}

fn pack(rows: &[Row]) -> Vec<u8> {
    let mut sorted: Vec<[u8; ROW]> = rows.iter().map(row_bytes).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let (mut builder, mut memory) = (Builder::default(), Memory::default());
    for row in &sorted {
        builder.push(row, &mut memory).expect("infallible sink");
    }
    let counts = builder.finish(&mut memory).expect("infallible sink");
    memory.0[Table::Streets as usize].sort_unstable();
    let mut label = [0; LABEL];
    label[..4].copy_from_slice(b"test");
    let mut bytes = Header {
        counts,
        rows: rows.len() as u64,
        label,
    }
    .to_bytes()
    .to_vec();
    bytes.extend(memory.0.concat().concat());
    seal(&mut bytes);
    bytes
}

fn seal(bytes: &mut [u8]) {
    let mut sum = Checksum::default();
    sum.write(&bytes[..CHECKSUM_AT]);
    sum.write(&bytes[HEADER..]);
    bytes[CHECKSUM_AT..HEADER].copy_from_slice(&sum.finish().to_le_bytes());
}

fn row(cep: u32, street: &str, number: u32, latitude: f64, longitude: f64) -> Row {
    let point = Point::from_degrees(latitude, longitude).expect("valid coordinates");
    Row {
        ibge: 3_550_308,
        cep,
        street: street_key(street),
        number,
        point,
        exact: true,
    }
}

fn sample() -> Vec<u8> {
    pack(&[
        row(1_310_100, "AVENIDA PAULISTA", 1_000, -23.5650, -46.6520),
        row(1_310_100, "AVENIDA PAULISTA", 1_100, -23.5640, -46.6530),
        row(1_310_100, "AVENIDA PAULISTA", 1_101, -23.5642, -46.6532),
        row(1_310_100, "AVENIDA PAULISTA", 0, -23.5645, -46.6525),
        row(1_310_200, "AVENIDA PAULISTA", 1_500, -23.5610, -46.6560),
        row(4_000_000, "RUA ITU", 10, -23.6000, -46.6000),
        row(4_001_000, "TRAVESSA ITU", 10, -23.5000, -46.7000),
        row(4_002_000, "RUA DAS FLORES", 5, -23.6000, -46.6000),
        row(4_003_000, "RUA DAS FLORES", 5, -23.4500, -46.7500),
        Row {
            exact: false,
            ..row(4_999_000, "ESTRADA LONGE", 1, -23.8, -46.7)
        },
    ])
}

fn find(street: &str, number: &str, cep: &str) -> Option<Located> {
    find_in_pack(&sample(), street, number, cep)
}

fn find_in_pack(pack: &[u8], street: &str, number: &str, cep: &str) -> Option<Located> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let address = Address {
        street: text(street),
        number: text(number),
        zip_code: text(cep),
        city: text("São Paulo"),
        state: text("SP"),
        ..Address::default()
    };
    Pack::open(pack)
        .expect("valid pack")
        .locate(crate::geo::Gazetteer::embedded(), &address)
}

fn near(
    located: Option<Located>,
    precision: Precision,
    latitude: f64,
    longitude: f64,
    within_m: u32,
) {
    let located = located.expect("a location");
    let point = Point::from_degrees(latitude, longitude).expect("valid coordinates");
    let off_m = crate::geo::great_circle_m(located.point, point);
    assert!(
        located.precision == precision && off_m <= within_m,
        "{located:?} is {off_m} m off"
    );
}

#[test]
fn door_is_found_for_any_spelling_of_its_street() {
    for (street, number, cep) in [
        ("Avenida Paulista", "1100", "01310-100"),
        ("Av. Paulista", "1100", ""),
        ("paulista", "nº 1100", "01310-100"),
        ("Av Paulista, 1100", "", ""),
        ("Av Paulista", "1100 A", "01310-900"),
        ("Aven. Paulista 1100 apto 12", "", ""),
        ("Av. Paulista - Bela Vista", "1.100", ""),
    ] {
        near(
            find(street, number, cep),
            Precision::Number,
            -23.5640,
            -46.6530,
            1,
        );
    }
    near(
        find("Av. Paulista", "1500", "01310-100"),
        Precision::Street,
        -23.5645,
        -46.6527,
        150,
    );
    near(
        find("Av. Paulista", "1500", ""),
        Precision::Number,
        -23.5610,
        -46.6560,
        1,
    );
}

#[test]
fn missing_number_is_interpolated_on_its_side() {
    near(
        find("Av. Paulista", "1050", "01310-100"),
        Precision::Street,
        -23.5645,
        -46.6525,
        2,
    );
    let beyond = find("Av. Paulista", "9000", "01310-100").expect("a match");
    assert!(beyond.precision == Precision::Street && beyond.radius_m >= 30);
    near(
        find("Av. Paulista", "S/N", "01310-100"),
        Precision::Street,
        -23.5644,
        -46.6527,
        30,
    );
}

#[test]
fn ambiguous_namesakes_return_no_location() {
    near(
        find("Rua Itu", "10", ""),
        Precision::Number,
        -23.6,
        -46.6,
        1,
    );
    near(
        find("Travessa Itu", "10", ""),
        Precision::Number,
        -23.5,
        -46.7,
        1,
    );
    near(
        find("Rua das Flores", "5", "04003-000"),
        Precision::Number,
        -23.45,
        -46.75,
        1,
    );
    assert_eq!(find("Rua das Flores", "5", ""), None);
    assert_eq!(find("Rua Que Não Existe", "5", ""), None);
}

fn find_in(rows: &[Row], street: &str, number: &str, cep: &str) -> Option<Located> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let (street, number, zip_code) = (text(street), text(number), text(cep));
    let (city, state) = (text("São Paulo"), text("SP"));
    let address = Address {
        street,
        number,
        zip_code,
        city,
        state,
        ..Address::default()
    };
    Pack::open(&pack(rows))
        .expect("valid pack")
        .locate(crate::geo::Gazetteer::embedded(), &address)
}

#[test]
fn typing_error_is_corrected_if_one_street_fits() {
    let rows = [
        row(
            1_321_000,
            "RUA MARTINIANO DE CARVALHO",
            438,
            -23.5626,
            -46.6421,
        ),
        row(
            1_322_000,
            "RUA MARTINIANA DE CARVALHO",
            20,
            -23.5000,
            -46.6000,
        ),
        row(1_323_000, "RUA ITU", 10, -23.5700, -46.6500),
        row(1_324_000, "RUA ITA", 11, -23.5800, -46.6600),
    ];
    let found = |street: &str, number: &str, cep: &str| {
        find_in(&rows, street, number, cep).map(|at| at.precision)
    };
    assert_eq!(
        found("R. Matiniano de Carvalho", "438", ""),
        Some(Precision::Number)
    );
    assert_eq!(
        found("Rua Martiniano de Cavralho 438 ap 3", "", "01321-000"),
        Some(Precision::Number)
    );
    // Both streets differ by one letter. Only the number, or the CEP, decides.
    assert_eq!(
        found("Rua Martinianu de Carvalho", "438", ""),
        Some(Precision::Number)
    );
    assert_eq!(found("Rua Martinianu de Carvalho", "999", ""), None);
    assert_eq!(
        found("Rua Martinianu de Carvalho", "20", "01321-000"),
        Some(Precision::Street)
    );
    // Another kind, a short name without a CEP, and two errors.
    assert_eq!(found("Praça Matiniano de Carvalho", "438", ""), None);
    assert_eq!(found("Rua Ituu", "10", ""), Some(Precision::Number));
    assert_eq!(found("Rua Iti", "10", ""), None);
    assert_eq!(found("Rua Iti", "10", "01323-000"), Some(Precision::Cep));
    assert_eq!(found("Rua Mariniano de Cavalho", "438", ""), None);
    assert_eq!(
        found("Rua Mariniano de Cavalho", "438", "01321-000"),
        Some(Precision::Cep)
    );
}

#[test]
fn cep_of_an_entire_town_confirms_no_street() {
    let rows = [
        row(4_000_000, "RUA DAS PALMEIRAS", 10, -23.60, -46.60),
        row(4_000_000, "RUA DOS COQUEIROS", 20, -23.63, -46.63),
    ];
    let found = |street: &str, number: &str| {
        find_in(&rows, street, number, "04000-000").map(|at| at.precision)
    };
    assert_eq!(found("Rua das Palmeras", "10"), Some(Precision::Number));
    assert_eq!(found("Rua das Palmeras", "99"), Some(Precision::Cep));
    assert_eq!(found("Avenida das Palmeiras", "99"), Some(Precision::Cep));
}

#[test]
fn street_of_another_kind_requires_evidence() {
    let rows = [
        row(4_000_000, "AVENIDA SAO PEDRO", 100, -23.60, -46.60),
        row(4_001_000, "RUA CORONEL MURSA", 5, -23.61, -46.61),
        row(4_002_000, "SERVIDAO A", 57, -23.62, -46.62),
    ];
    let found = |street: &str, number: &str, cep: &str| {
        find_in(&rows, street, number, cep).map(|at| at.precision)
    };
    assert_eq!(found("Rua São Pedro", "100", ""), Some(Precision::Number));
    assert_eq!(found("Rua São Pedro", "900", ""), None);
    assert_eq!(
        found("Rua São Pedro", "900", "04000-000"),
        Some(Precision::Street)
    );
    assert_eq!(found("Rua Mursa", "900", ""), Some(Precision::Street));
    assert_eq!(found("Rua Barão de Mursa", "900", ""), None);
    assert_eq!(found("Beco A", "57", ""), None);
}

#[test]
fn sections_of_a_long_street_have_one_middle() {
    let at = |cep: u32, number: u32, longitude: f64| {
        row(cep, "AVENIDA SAPOPEMBA", number, -23.6, longitude)
    };
    let section =
        |cep: u32, from: u32, west: f64| [at(cep, from, west), at(cep, from + 800, west + 0.008)];
    let mut rows = [
        section(3_000_000, 1, -46.600),
        section(3_001_000, 802, -46.592),
        section(3_002_000, 1_603, -46.584),
    ]
    .concat();
    let found = find_in(&rows, "Av. Sapopemba", "s/n", "").expect("the middle");
    near(Some(found), Precision::Street, -23.6, -46.588, 5);
    assert!((600..1_000).contains(&found.radius_m), "{found:?}");
    rows.extend(section(3_900_000, 1, -46.500));
    assert_eq!(find_in(&rows, "Av. Sapopemba", "s/n", ""), None);
}

#[test]
fn cep_far_from_the_street_takes_precedence() {
    near(
        find("Rua Itu", "10", "04003-000"),
        Precision::Cep,
        -23.45,
        -46.75,
        1,
    );
    near(
        find("Rua Que Não Existe", "5", "04000-000"),
        Precision::Cep,
        -23.6,
        -46.6,
        1,
    );
    near(find("", "", "04999-000"), Precision::Cep, -23.8, -46.7, 1);
    near(find("", "", "04000-999"), Precision::Cep5, -23.6, -46.6, 1);
    assert_eq!(find("", "", "05000-000"), None);
    // Rows with coordinates of a census sector locate a CEP but not a door.
    near(
        find("Estrada Longe", "1", "04999-000"),
        Precision::Cep,
        -23.8,
        -46.7,
        1,
    );
}

#[test]
fn packs_refine_results_of_the_embedded_gazetteer() {
    let bytes = sample();
    let packs = [Pack::open(&bytes).expect("valid pack")];
    let locate = |city: &str, state: &str, cep: &str, point| {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (street, number) = (text("Av. Paulista"), text("1100"));
        let (city, state, zip_code) = (text(city), text(state), text(cep));
        let address = Address {
            street,
            number,
            city,
            state,
            zip_code,
            point,
            ..Address::default()
        };
        crate::geo::Gazetteer::embedded().locate_with(&packs, &address)
    };
    let precision =
        |located: Result<Located, LocateError>| located.map(|located| located.precision);
    let sent = Point::from_degrees(-23.55, -46.63);
    assert_eq!(
        precision(locate("São Paulo", "SP", "", None)),
        Ok(Precision::Number)
    );
    assert_eq!(
        precision(locate("", "", "01310-100", None)),
        Ok(Precision::Number)
    );
    assert_eq!(
        precision(locate("Manaus", "AM", "", None)),
        Ok(Precision::Municipality)
    );
    assert_eq!(
        precision(locate("São Paulo", "SP", "", sent)),
        Ok(Precision::Coordinates)
    );
    assert!(matches!(
        locate("Manaus", "AM", "01310-100", None),
        Err(LocateError::CepElsewhere { .. })
    ));
    assert!(matches!(
        locate("", "", "00310-100", None),
        Err(LocateError::CepUnknown)
    ));
}

#[test]
fn foreign_newer_truncated_and_damaged_packs_are_rejected() {
    let good = sample();
    let info = Pack::open(&good).expect("valid pack").info();
    assert_eq!(
        (
            info.label(),
            info.rows,
            info.cep5s,
            info.ceps,
            info.streets,
            info.doors
        ),
        ("test", 10, 6, 7, 6, 8)
    );
    assert_eq!(Pack::open(b"").err(), Some(PackError::NotAPack));
    assert_eq!(Pack::open(&[b'x'; 200]).err(), Some(PackError::NotAPack));
    let mut future = good.clone();
    future[8] = 3;
    assert_eq!(
        Pack::open(&future).err(),
        Some(PackError::FutureVersion { version: 3 })
    );
    let cut = &good[..good.len() - 1];
    assert!(matches!(Pack::open(cut), Err(PackError::Truncated { .. })));
    for at in 0..good.len() {
        let mut damaged = good.clone();
        damaged[at] ^= 0x40;
        assert!(Pack::open(&damaged).is_err(), "byte {at}");
    }
}

#[test]
fn out_of_range_door_offsets_do_not_panic() {
    // A pack with a valid checksum whose streets refer to missing doors.
    let mut bytes = sample();
    let streets = HEADER + 6 * Table::Cep5.width() + 7 * Table::Cep.width();
    for street in 0..6 {
        let at = streets + street * Table::Streets.width();
        bytes[at + 14..at + 22].fill(0xff);
    }
    seal(&mut bytes);
    let address = Address {
        street: Some("Av. Paulista".to_owned()),
        number: Some("1100".to_owned()),
        zip_code: Some("01310100".to_owned()),
        ..Address::default()
    };
    let located = Pack::open(&bytes)
        .expect("valid checksum")
        .locate(crate::geo::Gazetteer::embedded(), &address)
        .expect("a match");
    assert_eq!(located.precision, Precision::Street);
}

#[test]
fn numbers_in_names_are_found_in_every_spelling() {
    let bytes = pack(&[
        row(5_000_000, "RUA 01", 10, -23.50, -46.60),
        row(5_000_000, "RUA 1-A", 10, -23.51, -46.61),
        row(5_000_000, "RUA 10", 10, -23.52, -46.62),
        row(5_001_000, "RUA 7", 10, -23.60, -46.70),
        row(5_002_000, "RUA 07", 10, -23.45, -46.55),
        row(5_002_000, "RUA SETE DE SETEMBRO", 10, -23.46, -46.56),
        row(5_003_000, "RUA QUATORZE DE JULHO", 10, -23.55, -46.65),
        row(5_003_000, "RODOVIA BR 040", 10, -23.56, -46.66),
    ]);
    let find = |street: &str, cep: &str| find_in_pack(&bytes, street, "10", cep);
    for street in ["Rua 1", "Rua 01", "Rua Um", "R. 001"] {
        near(find(street, ""), Precision::Number, -23.50, -46.60, 1);
    }
    near(find("Rua 1A", ""), Precision::Number, -23.51, -46.61, 1);
    near(find("Rua Dez", ""), Precision::Number, -23.52, -46.62, 1);
    near(
        find("Rua 7 de Setembro", ""),
        Precision::Number,
        -23.46,
        -46.56,
        1,
    );
    near(
        find("Rua Catorze de Julho", ""),
        Precision::Number,
        -23.55,
        -46.65,
        1,
    );
    near(find("BR-40", ""), Precision::Number, -23.56, -46.66, 1);
    // Two streets have this name: the CEP decides, and without one there is no result.
    for street in ["Rua 7", "Rua 07", "Rua Sete"] {
        near(
            find(street, "05001-000"),
            Precision::Number,
            -23.60,
            -46.70,
            1,
        );
        near(
            find(street, "05002-000"),
            Precision::Number,
            -23.45,
            -46.55,
            1,
        );
        assert_eq!(find(street, ""), None, "{street}");
    }
    assert_eq!(find("Rua 2", ""), None);
    assert_eq!(find("Rua 100", ""), None);
}

#[test]
fn pack_of_the_earlier_format_is_read_as_before() {
    let rows = ["RUA 01", "AVENIDA PAULISTA", "RUA QUATORZE DE JULHO"].map(|street| Row {
        street: street_key_in(street, Form::First),
        ..row(5_000_000, street, 10, -23.50, -46.60)
    });
    let mut bytes = pack(&rows);
    assert!(!Pack::open(&bytes).expect("valid pack").is_outdated());
    bytes[8] = 1;
    seal(&mut bytes);
    assert!(Pack::open(&bytes).expect("valid pack").is_outdated());
    for street in ["Rua 01", "Av. Paulista", "Rua 14 de Julho"] {
        near(
            find_in_pack(&bytes, street, "10", ""),
            Precision::Number,
            -23.50,
            -46.60,
            1,
        );
    }
    assert_eq!(find_in_pack(&bytes, "Rua 1", "10", ""), None);
}

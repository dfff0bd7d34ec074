//! Locates addresses of an invented city in the forms in which people write them. The example
//! `written` measures real street names.

#[path = "../examples/written/forms.rs"]
mod forms;
#[path = "../examples/written/report.rs"]
mod report;

use despacho_core::{geo::pack::Pack, model::Point};
use forms::{Door, FORMS};

/// Streets of the city. Those at the end are not in the pack.
const STREETS: [(&str, &str); 27] = [
    ("Rua", "07 de Setembro"),
    ("Avenida", "Quarenta e Dois Irmãos"),
    ("Rua", "26 de Fevereiro"),
    ("Rua", "Martiniano de Carvalho"),
    ("Avenida", "Brigadeiro Luís Antônio"),
    ("Rua", "Doutor João Moura"),
    ("Travessa", "Santa Rita de Cássia"),
    ("Praça", "Santo Antônio do Descoberto"),
    ("Alameda", "São Bento do Sapucaí"),
    ("Largo", "Nossa Senhora da Boa Morte"),
    ("Estrada", "Visconde de Mauá"),
    ("Rodovia", "Governador Mário Covas"),
    ("Rua", "Quinze de Novembro"),
    ("Rua", "25 de Março"),
    ("Rua", "Professora Maria Quitéria"),
    ("Viaduto", "Coronel Fabriciano"),
    ("Avenida", "Marechal Deodoro da Fonseca"),
    ("Rua", "Conselheiro Zacarias"),
    ("Beco", "Padre Anchieta"),
    ("Rua", "Jardim Botânico"),
    ("Rua", "Dona Leopoldina"),
    ("Rua", "Capitão Salomão"),
    ("Avenida", "Senador Queirós"),
    ("Rua", "Augusta Generosa"),
    ("Avenida", "Rebouças Filho"),
    ("Rua", "Desembargador Eliseu"),
    ("Travessa", "Frederico Abranches"),
];
const ABSENT: usize = 23;

fn city() -> Vec<Door> {
    let mut doors = Vec::new();
    for (street, (kind, name)) in STREETS.iter().enumerate() {
        for step in 0..45_u32 {
            let north = 0.003 * f64::from(u32::try_from(street).expect("a small number"));
            let east = 0.000_25 * f64::from(step);
            doors.push(Door {
                city: "São Paulo",
                state: "SP",
                ibge: 3_550_308,
                kind: (*kind).to_owned(),
                name: (*name).to_owned(),
                number: 10 + 30 * step,
                cep: 1_000_000 + 1_000 * u32::try_from(street).expect("a small number"),
                point: Point::from_degrees(-23.6 + north, -46.7 + east).expect("valid coordinates"),
                street,
            });
        }
    }
    doors
}

/// Minimum percentages of results at number precision and at street precision, for forms that have
/// other ones than 99 % and 0.
const MIN_PERCENT: [(&str, f64, f64); 12] = [
    ("no number (S/N)", 0.0, 99.0),
    ("S/N in the street", 0.0, 99.0),
    ("kilometre in the street", 0.0, 99.0),
    ("one typing error, with CEP", 60.0, 0.0),
    ("one typing error", 50.0, 0.0),
    ("two typing errors, with CEP", 0.0, 0.0),
    ("two typing errors", 0.0, 0.0),
    ("street missing from the pack, with CEP", 0.0, 0.0),
    ("street missing from the pack", 0.0, 0.0),
    ("street missing from the pack, typing error", 0.0, 0.0),
    (
        "abbreviations, typing error and number in the street, with CEP",
        60.0,
        0.0,
    ),
    (
        "abbreviations, typing error and number in the street",
        45.0,
        0.0,
    ),
];

#[test]
fn written_forms_are_located_and_never_wrong() {
    let doors = city();
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.pack"));
    let is_absent = |door: &Door| door.street >= ABSENT;
    let lines = report::register_lines(doors.iter().filter(|door| !is_absent(door)));
    std::fs::write(&input, lines).expect("a file");
    despacho_geo::gazetteer::build(&[input], &output, &mut |_| ()).expect("a pack");
    let bytes = std::fs::read(output).expect("the pack");
    let pack = Pack::open(&bytes).expect("a valid pack");
    for (form, counts) in FORMS
        .iter()
        .zip(report::measure(&pack, &doors, is_absent, 400, 1))
    {
        let (_, number, street) = MIN_PERCENT
            .iter()
            .find(|entry| entry.0 == form.name)
            .copied()
            .unwrap_or((form.name, 99.0, 0.0));
        let found = (counts.percent(counts.number), counts.percent(counts.street));
        assert!(
            counts.addresses > 50 && found.0 >= number && found.1 >= street,
            "{}: {counts:?}",
            form.name
        );
        assert_eq!(counts.wrong, 0, "{}: {counts:?}", form.name);
    }
}

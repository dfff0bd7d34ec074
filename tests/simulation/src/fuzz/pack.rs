//! Opens damaged gazetteer packs with a valid checksum, and performs lookups in them.

use std::{hash::Hasher, sync::OnceLock};

use despacho_core::{
    geo::{
        Gazetteer,
        cnefe::Row,
        pack::{
            Builder, Checksum, Pack, ROW, Sink,
            format::{CHECKSUM_AT, HEADER, Header, LABEL, MAGIC, Table},
            row_bytes,
        },
        street_key,
    },
    model::{Address, Cep, Point},
};

use super::kind;

/// Opens the input as a pack if it starts with the magic number. Otherwise the input contains
/// changes to a valid pack, each of three bytes: an offset and a value.
///
/// # Errors
/// Never. A failure is a panic.
pub(crate) fn open_input(bytes: &[u8]) -> Result<u64, String> {
    let plain = Pack::open(bytes).map(|pack| lookup_outcomes(&pack));
    let mut pack = if bytes.starts_with(&MAGIC) {
        bytes.to_vec()
    } else {
        changed(bytes)
    };
    seal(&mut pack);
    let opened = Pack::open(&pack)
        .map(|pack| lookup_outcomes(&pack))
        .map_err(|error| error.to_string().len());
    Ok(kind(&[&format!("{} {opened:?}", plain.is_ok())]))
}

fn changed(bytes: &[u8]) -> Vec<u8> {
    let mut pack = sample().to_vec();
    for change in bytes.chunks_exact(3) {
        if let &[high, low, value] = change {
            let at = usize::from(u16::from_be_bytes([high, low])) % pack.len().max(1);
            if let Some(byte) = pack.get_mut(at) {
                *byte = value;
            }
        }
    }
    pack
}

/// Writes a valid checksum.
fn seal(pack: &mut [u8]) {
    let mut sum = Checksum::default();
    sum.write(pack.get(..CHECKSUM_AT).unwrap_or_default());
    sum.write(pack.get(HEADER..).unwrap_or_default());
    if let Some(checksum) = pack.get_mut(CHECKSUM_AT..HEADER) {
        checksum.copy_from_slice(&sum.finish().to_le_bytes());
    }
}

/// Tables in memory.
#[derive(Default)]
struct Memory([Vec<Vec<u8>>; 4]);

impl Sink for Memory {
    type Error = ();

    fn append(&mut self, table: Table, record: &[u8]) -> Result<(), ()> {
        if let Some(records) = self.0.get_mut(table as usize) {
            records.push(record.to_vec());
        }
        Ok(())
    }
}

/// Returns a pack with a few streets.
fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let mut rows: Vec<[u8; ROW]> = Vec::new();
        for (cep, street, number, at) in [
            (
                1_310_100,
                "AVENIDA PAULISTA",
                1_000,
                (-235_650_000, -466_520_000),
            ),
            (
                1_310_100,
                "AVENIDA PAULISTA",
                1_100,
                (-235_640_000, -466_530_000),
            ),
            (
                1_310_100,
                "AVENIDA PAULISTA",
                0,
                (-235_645_000, -466_525_000),
            ),
            (
                1_310_200,
                "AVENIDA PAULISTA",
                1_500,
                (-235_610_000, -466_560_000),
            ),
            (4_000_000, "RUA ITU", 10, (-236_000_000, -466_000_000)),
            (4_001_000, "TRAVESSA ITU", 10, (-235_000_000, -467_000_000)),
            (4_002_000, "RUA DAS FLORES", 5, (-236_000_000, -466_000_000)),
        ] {
            let point = Point {
                lat_e7: at.0,
                lon_e7: at.1,
            };
            let street = street_key(street);
            rows.push(row_bytes(&Row {
                ibge: 3_550_308,
                cep,
                street,
                number,
                point,
                exact: true,
            }));
        }
        rows.sort_unstable();
        let (mut builder, mut memory) = (Builder::default(), Memory::default());
        // Writes to memory cannot fail.
        let pushed = rows
            .iter()
            .try_for_each(|row| builder.push(row, &mut memory));
        let counts = pushed
            .and_then(|()| builder.finish(&mut memory))
            .unwrap_or_default();
        if let Some(streets) = memory.0.get_mut(Table::Streets as usize) {
            streets.sort_unstable();
        }
        let mut pack = Header {
            counts,
            rows: 7,
            label: [b'x'; LABEL],
        }
        .to_bytes()
        .to_vec();
        pack.extend(memory.0.concat().concat());
        seal(&mut pack);
        pack
    })
}

/// Encodes the results of several lookups.
fn lookup_outcomes(pack: &Pack<'_>) -> u64 {
    let mut found = u64::from(pack.info().label().len() == LABEL);
    for (street, number, zip) in [
        ("Avenida Paulista", "1100", "01310-100"),
        ("Av. Paulista", "1050", ""),
        ("Av. Paulista", "S/N", "01310-100"),
        ("Rua Itu", "10", "04000-000"),
        ("Rua das Flores", "16777215", "04003-000"),
        ("", "", "04999-999"),
    ] {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let address = Address {
            street: text(street),
            number: text(number),
            zip_code: text(zip),
            city: text("São Paulo"),
            state: text("SP"),
            ..Address::default()
        };
        let precision = pack
            .locate(Gazetteer::embedded(), &address)
            .map_or(7, |located| located.precision as u64);
        found = found << 3 | precision;
        let cep = Cep::parse(zip);
        found = found << 2 | u64::from(cep.is_some_and(|cep| pack.cep(cep).is_some())) << 1;
        found |= u64::from(cep.is_some_and(|cep| pack.cep5(cep).is_some()));
    }
    found
}

//! Writes the four tables of a pack and joins them into one file.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use despacho_core::geo::pack::{
    Checksum, Sink,
    format::{CHECKSUM_AT, Header, STREET, Table},
};

use crate::gazetteer::sort::Sorter;

/// Memory for sorting streets, in bytes.
const STREET_MEMORY: usize = 16 << 20;

/// The tables, a file for each. Streets are sorted by the sorter.
pub(crate) struct Tables {
    folder: PathBuf,
    files: [BufWriter<File>; 3],
    streets: Sorter<STREET>,
}

fn file_name(table: Table) -> &'static str {
    match table {
        Table::Cep5 => "cep5",
        Table::Cep => "cep",
        Table::Streets => "streets",
        Table::Doors => "doors",
    }
}

impl Tables {
    pub(crate) fn create(folder: &Path) -> io::Result<Tables> {
        let file = |table| File::create_new(folder.join(file_name(table))).map(BufWriter::new);
        Ok(Tables {
            folder: folder.to_owned(),
            files: [file(Table::Cep5)?, file(Table::Cep)?, file(Table::Doors)?],
            streets: Sorter::new(folder, file_name(Table::Streets), STREET_MEMORY),
        })
    }

    /// Writes the pack: header, tables, checksum. Returns its length.
    pub(crate) fn join(mut self, header: &Header, path: &Path) -> io::Result<u64> {
        let mut pack = BufWriter::with_capacity(1 << 20, File::create_new(path)?);
        let mut sum = Checksum::default();
        let head = header.to_bytes();
        sum.write(&head[..CHECKSUM_AT]);
        pack.write_all(&head)?;
        self.files.iter_mut().try_for_each(Write::flush)?;
        copy(
            &self.folder.join(file_name(Table::Cep5)),
            &mut pack,
            &mut sum,
        )?;
        copy(
            &self.folder.join(file_name(Table::Cep)),
            &mut pack,
            &mut sum,
        )?;
        self.streets.drain::<io::Error>(&mut |record| {
            sum.write(record);
            pack.write_all(record)
        })?;
        copy(
            &self.folder.join(file_name(Table::Doors)),
            &mut pack,
            &mut sum,
        )?;
        let mut file = pack.into_inner().map_err(io::IntoInnerError::into_error)?;
        let length = file.stream_position()?;
        file.seek(SeekFrom::Start(CHECKSUM_AT as u64))?;
        file.write_all(&sum.finish().to_le_bytes())?;
        file.sync_all()?;
        Ok(length)
    }
}

impl Sink for Tables {
    type Error = io::Error;

    fn append(&mut self, table: Table, record: &[u8]) -> io::Result<()> {
        let [cep5, cep, doors] = &mut self.files;
        match table {
            Table::Cep5 => cep5.write_all(record),
            Table::Cep => cep.write_all(record),
            Table::Doors => doors.write_all(record),
            Table::Streets => match record.try_into() {
                Ok(record) => self.streets.push(record),
                Err(_) => Err(io::Error::other("a street record has 32 bytes")),
            },
        }
    }
}

fn copy(from: &Path, to: &mut impl Write, sum: &mut Checksum) -> io::Result<()> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(from)?);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        sum.write(&buffer[..read]);
        to.write_all(&buffer[..read])?;
    }
}

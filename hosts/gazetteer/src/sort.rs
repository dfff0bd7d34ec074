//! Sorting more records than fit in memory: sorted runs on disk, then one merge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Runs that are merged at once; more are first merged into one.
const MOST_RUNS: usize = 128;

/// Bytes of each run's read buffer.
const READ_BUFFER: usize = 1 << 17;

/// Records of one width, sorted as bytes; equal records are kept once.
pub(crate) struct Sorter<const N: usize> {
    folder: PathBuf,
    name: &'static str,
    held: Vec<[u8; N]>,
    most_held: usize,
    runs: Vec<PathBuf>,
    written: usize,
}

impl<const N: usize> Sorter<N> {
    /// A sorter that holds this many bytes of records and writes its runs into a folder, each named after `name`.
    pub(crate) fn new(folder: &Path, name: &'static str, memory: usize) -> Sorter<N> {
        let most_held = (memory / N).max(1);
        Sorter { folder: folder.to_owned(), name, held: Vec::new(), most_held, runs: Vec::new(), written: 0 }
    }

    pub(crate) fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.held.len() == self.most_held {
            self.spill()?;
        }
        if self.held.capacity() == 0 {
            self.held.reserve_exact(self.most_held.min(1 << 12));
        } else if self.held.len() == self.held.capacity() {
            // Doubling could reach twice the limit; the last step is exact.
            self.held.reserve_exact(self.held.len().min(self.most_held - self.held.len()));
        }
        self.held.push(record);
        Ok(())
    }

    fn sort_held(&mut self) {
        self.held.sort_unstable();
        self.held.dedup();
    }

    fn new_run(&mut self) -> PathBuf {
        self.written += 1;
        self.folder.join(format!("{}-{}.run", self.name, self.written))
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort_held();
        let path = self.new_run();
        let mut run = BufWriter::with_capacity(1 << 20, File::create_new(&path)?);
        for record in &self.held {
            run.write_all(record)?;
        }
        run.flush()?;
        self.held.clear();
        self.runs.push(path);
        if self.runs.len() == MOST_RUNS {
            self.merge_runs()?;
        }
        Ok(())
    }

    /// Makes all runs on disk one.
    fn merge_runs(&mut self) -> io::Result<()> {
        let path = self.new_run();
        let mut whole = BufWriter::with_capacity(1 << 20, File::create_new(&path)?);
        let runs = std::mem::replace(&mut self.runs, vec![path]);
        merge::<N, io::Error>(&runs, &mut |record| whole.write_all(record))?;
        whole.flush()?;
        runs.iter().try_for_each(std::fs::remove_file)
    }

    /// Hands out every record once, in order, and removes the runs.
    pub(crate) fn drain<E: From<io::Error>>(
        mut self,
        take: &mut dyn FnMut(&[u8; N]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.runs.is_empty() {
            self.sort_held();
            return self.held.iter().try_for_each(take);
        }
        self.spill()?;
        self.held = Vec::new();
        merge(&self.runs, take)?;
        self.runs.iter().try_for_each(std::fs::remove_file)?;
        Ok(())
    }
}

/// Merges sorted runs; a record that several hold comes once.
fn merge<const N: usize, E: From<io::Error>>(
    runs: &[PathBuf],
    take: &mut dyn FnMut(&[u8; N]) -> Result<(), E>,
) -> Result<(), E> {
    let mut readers = Vec::with_capacity(runs.len());
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (index, path) in runs.iter().enumerate() {
        let mut reader = BufReader::with_capacity(READ_BUFFER, File::open(path)?);
        if let Some(record) = next::<N>(&mut reader)? {
            heads.push(Reverse((record, index)));
        }
        readers.push(reader);
    }
    let mut last = None;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((record, index)) = *head;
        match next::<N>(&mut readers[index])? {
            Some(following) => *head = Reverse((following, index)),
            None => {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        if last != Some(record) {
            take(&record)?;
            last = Some(record);
        }
    }
    Ok(())
}

/// The next record, or `None` at the end of the run.
fn next<const N: usize>(reader: &mut BufReader<File>) -> io::Result<Option<[u8; N]>> {
    let mut record = [0; N];
    match reader.read_exact(&mut record) {
        Ok(()) => Ok(Some(record)),
        Err(fault) if fault.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Scratch;

    #[test]
    fn more_than_fits_comes_back_sorted_and_once() {
        let folder = Scratch::beside(&std::env::temp_dir().join("despacho-sorter")).expect("a folder");
        // Ten records of memory and two thousand records: the runs are merged more than once.
        let mut sorter = Sorter::<8>::new(folder.path(), "test", 80);
        let mut expected = std::collections::BTreeSet::new();
        let mut value = 1u64;
        for _ in 0..2_000 {
            value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let record = (value >> 53).to_be_bytes();
            expected.insert(record);
            sorter.push(record).expect("room on disk");
        }
        let mut got = Vec::new();
        sorter
            .drain::<io::Error>(&mut |record| {
                got.push(*record);
                Ok(())
            })
            .expect("readable runs");
        assert!(got.iter().eq(expected.iter()));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}

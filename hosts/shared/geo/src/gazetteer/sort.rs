//! Sorting more records than fit in memory: sorted runs on disk, then one merge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// Runs that are merged at once; more are first merged into one.
const MOST_RUNS: usize = 128;

/// Bytes of each run's read buffer.
const READ_BUFFER: usize = 1 << 17;

/// Records of one width, sorted as bytes; equal records are kept once.
///
/// A full part is sorted and written by a thread of its own while the next one fills.
pub(crate) struct Sorter<const N: usize> {
    folder: PathBuf,
    name: &'static str,
    held: Vec<[u8; N]>,
    most_held: usize,
    runs: Vec<PathBuf>,
    written: usize,
    /// The part before, while it is sorted and written; it gives its emptied buffer back.
    behind: Option<JoinHandle<io::Result<Vec<[u8; N]>>>>,
    spare: Vec<[u8; N]>,
}

impl<const N: usize> Sorter<N> {
    /// A sorter that holds this many bytes of records, in two parts, and writes its runs into a folder, each named after `name`.
    pub(crate) fn new(folder: &Path, name: &'static str, memory: usize) -> Sorter<N> {
        let most_held = (memory / N / 2).max(1);
        let (held, runs, spare) = (Vec::new(), Vec::new(), Vec::new());
        Sorter { folder: folder.to_owned(), name, held, most_held, runs, written: 0, behind: None, spare }
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

    fn new_run(&mut self) -> PathBuf {
        self.written += 1;
        self.folder.join(format!("{}-{}.run", self.name, self.written))
    }

    /// Hands what is held to a thread, once that is done with the part before.
    fn spill(&mut self) -> io::Result<()> {
        self.catch_up()?;
        let path = self.new_run();
        self.runs.push(path.clone());
        let spare = std::mem::take(&mut self.spare);
        let part = std::mem::replace(&mut self.held, spare);
        self.behind = Some(std::thread::Builder::new().spawn(move || write_run(part, &path))?);
        if self.runs.len() == MOST_RUNS {
            self.catch_up()?;
            self.merge_runs()?;
        }
        Ok(())
    }

    /// Waits for the part before.
    fn catch_up(&mut self) -> io::Result<()> {
        if let Some(behind) = self.behind.take() {
            self.spare = behind.join().map_err(|_| io::Error::other("sorting stopped short"))??;
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
            sort(&mut self.held);
            return self.held.iter().try_for_each(take);
        }
        self.spill()?;
        self.catch_up()?;
        (self.held, self.spare) = (Vec::new(), Vec::new());
        merge(&self.runs, take)?;
        self.runs.iter().try_for_each(std::fs::remove_file)?;
        Ok(())
    }
}

impl<const N: usize> Drop for Sorter<N> {
    /// The folder is about to go: nobody may write into it any more.
    fn drop(&mut self) {
        let _ = self.catch_up();
    }
}

fn sort<const N: usize>(part: &mut Vec<[u8; N]>) {
    part.sort_unstable_by_key(whole_numbers);
    part.dedup();
}

/// Sorts a part, writes it, and gives its emptied buffer back.
fn write_run<const N: usize>(mut part: Vec<[u8; N]>, path: &Path) -> io::Result<Vec<[u8; N]>> {
    sort(&mut part);
    let mut run = BufWriter::with_capacity(1 << 20, File::create_new(path)?);
    run.write_all(part.as_flattened())?;
    run.flush()?;
    part.clear();
    Ok(part)
}

/// A record as two numbers that sort as its bytes do: comparing those takes a few instructions, comparing bytes a call.
fn whole_numbers<const N: usize>(record: &[u8; N]) -> (u128, u128) {
    const { assert!(N <= 32, "two numbers hold 32 bytes") };
    let number = |bytes: &[u8]| {
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        u128::from_be_bytes(padded)
    };
    let (head, tail) = record.split_at(N.min(16));
    (number(head), number(tail))
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
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gazetteer::build::Scratch;

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

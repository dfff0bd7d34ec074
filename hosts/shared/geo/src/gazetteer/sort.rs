//! External sorting: sorted runs on disk, then one merge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// Size of each run's read buffer in bytes.
const READ_BUFFER: usize = 1 << 17;

/// Sorts records of one width as bytes and removes duplicates.
///
/// A thread sorts and writes a full part while the next part fills.
pub(crate) struct Sorter<const N: usize> {
    folder: PathBuf,
    name: &'static str,
    part: Vec<[u8; N]>,
    max_part: usize,
    /// All runs are merged at once: the register of Brazil, 111 million rows, makes 60.
    runs: Vec<PathBuf>,
    /// The thread that sorts and writes the previous part; it returns the emptied buffer.
    writing: Option<JoinHandle<io::Result<Vec<[u8; N]>>>>,
    spare: Vec<[u8; N]>,
}

impl<const N: usize> Sorter<N> {
    /// Creates a sorter with `memory` bytes for two parts. Its runs are files in `folder` whose
    /// names start with `name`.
    pub(crate) fn new(folder: &Path, name: &'static str, memory: usize) -> Sorter<N> {
        let max_part = (memory / N / 2).max(1);
        let (part, runs, spare) = (Vec::new(), Vec::new(), Vec::new());
        Sorter {
            folder: folder.to_owned(),
            name,
            part,
            max_part,
            runs,
            writing: None,
            spare,
        }
    }

    pub(crate) fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.part.len() == self.max_part {
            self.spill()?;
        }
        if self.part.capacity() == 0 {
            self.part.reserve_exact(self.max_part.min(1 << 12));
        } else if self.part.len() == self.part.capacity() {
            // Doubling could exceed the limit, so the last step is exact.
            self.part
                .reserve_exact(self.part.len().min(self.max_part - self.part.len()));
        }
        self.part.push(record);
        Ok(())
    }

    /// Passes the records to a thread after the previous part has been written.
    fn spill(&mut self) -> io::Result<()> {
        self.join_writer()?;
        let path = self
            .folder
            .join(format!("{}-{}.run", self.name, self.runs.len()));
        self.runs.push(path.clone());
        let spare = std::mem::take(&mut self.spare);
        let part = std::mem::replace(&mut self.part, spare);
        self.writing = Some(std::thread::Builder::new().spawn(move || write_run(part, &path))?);
        Ok(())
    }

    /// Waits until the previous part has been written.
    fn join_writer(&mut self) -> io::Result<()> {
        if let Some(writer) = self.writing.take() {
            self.spare = writer
                .join()
                .map_err(|_| io::Error::other("the sorting thread panicked"))??;
        }
        Ok(())
    }

    /// Calls `handle` with every record once, in order, and removes the runs.
    pub(crate) fn drain<E: From<io::Error>>(
        mut self,
        handle: &mut dyn FnMut(&[u8; N]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.runs.is_empty() {
            sort(&mut self.part);
            return self.part.iter().try_for_each(handle);
        }
        self.spill()?;
        self.join_writer()?;
        (self.part, self.spare) = (Vec::new(), Vec::new());
        merge(&self.runs, handle)?;
        self.runs.iter().try_for_each(std::fs::remove_file)?;
        Ok(())
    }
}

impl<const N: usize> Drop for Sorter<N> {
    /// Waits for the thread, because the folder is removed next.
    fn drop(&mut self) {
        let _ = self.join_writer();
    }
}

fn sort<const N: usize>(part: &mut Vec<[u8; N]>) {
    part.sort_unstable();
    part.dedup();
}

/// Sorts and writes a part, and returns its emptied buffer.
fn write_run<const N: usize>(mut part: Vec<[u8; N]>, path: &Path) -> io::Result<Vec<[u8; N]>> {
    sort(&mut part);
    let mut run = BufWriter::with_capacity(1 << 20, File::create_new(path)?);
    run.write_all(part.as_flattened())?;
    run.flush()?;
    part.clear();
    Ok(part)
}

/// Merges sorted runs and removes duplicates.
fn merge<const N: usize, E: From<io::Error>>(
    runs: &[PathBuf],
    handle: &mut dyn FnMut(&[u8; N]) -> Result<(), E>,
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
            handle(&record)?;
            last = Some(record);
        }
    }
    Ok(())
}

/// Returns the next record, or `None` at the end of the run.
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
    use crate::gazetteer::scratch::Scratch;

    #[test]
    fn spilled_records_return_sorted_and_unique() {
        let folder =
            Scratch::next_to(&std::env::temp_dir().join("despacho-sorter")).expect("a folder");
        // Five records a part and two thousand records: 400 runs.
        let mut sorter = Sorter::<8>::new(folder.path(), "test", 80);
        let mut expected = std::collections::BTreeSet::new();
        let mut value = 1u64;
        for _ in 0..2_000 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
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
        let left = std::fs::read_dir(folder.path()).expect("a folder");
        let names: Vec<_> = left
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names, ["lock"], "the runs are removed");
    }
}

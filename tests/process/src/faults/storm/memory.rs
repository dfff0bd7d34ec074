//! The resident memory of the servers.

use std::{collections::BTreeMap, sync::atomic::Ordering, time::Duration};

use super::MAX_MEMORY_MB;
use crate::faults::run::RunState;

const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

/// Samples the memory until the storm is over, and returns the maximum of each instance in MB. The
/// result is empty if the system has no `/proc`.
pub(crate) fn sample(storm: &RunState<'_>) -> BTreeMap<usize, u64> {
    let mut max = BTreeMap::new();
    while !storm.is_over() {
        for instance in &storm.instances {
            if let Some(used) = resident_mb(instance.pid.load(Ordering::SeqCst)) {
                storm.check(used <= MAX_MEMORY_MB, || {
                    format!(
                        "instance {} uses {used} MB, more than {MAX_MEMORY_MB}",
                        instance.number
                    )
                });
                let entry = max.entry(instance.number).or_insert(0);
                *entry = used.max(*entry);
            }
        }
        std::thread::sleep(SAMPLE_INTERVAL);
    }
    max
}

fn resident_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1_024)
}

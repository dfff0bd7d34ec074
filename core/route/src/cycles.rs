//! Separates lifted cycle inequalities, which account for the direction of legs.
//!
//! A route uses at most k − 1 legs of a cycle of k nodes. This still holds if further legs are
//! added that exclude them (the lifted cycle inequalities D⁺ and D⁻ of Grötschel and Padberg 1985).
//! Violated ones are found by enumerating paths over the few legs in use (Fischetti and Toth 1997).

use super::separate::Cut;

/// The maximum length of an enumerated cycle.
const MAX_LENGTH: usize = 8;
/// The minimum violation of a cut.
const MIN_VIOLATION: f64 = 0.02;
/// The maximum number of cuts per separation.
const MAX_CUTS: usize = 8;

/// The violation of a cycle, its nodes and their number, and whether every leg is reversed.
type ViolatedCycle = (f64, [usize; MAX_LENGTH], usize, bool);

/// The separator support graph of an LP solution.
pub(super) struct CycleSeparator {
    nodes: usize,
    weights: Vec<f64>,
    /// The predecessors of each node.
    predecessors: Vec<Vec<usize>>,
    /// The nodes on the current path.
    on_path: Vec<bool>,
    found: Vec<ViolatedCycle>,
    /// The work done so far.
    pub(super) work: u64,
}

impl CycleSeparator {
    /// Returns violated cuts, the most violated first.
    pub(super) fn separate(nodes: usize, legs: &[(usize, usize, f64)], work: &mut u64) -> Vec<Cut> {
        let mut found = Vec::new();
        for backward in [false, true] {
            let mut separator = CycleSeparator {
                nodes,
                weights: vec![0.0; nodes * nodes],
                predecessors: vec![Vec::new(); nodes],
                on_path: vec![false; nodes],
                found,
                work: 0,
            };
            for &(from, to, weight) in legs {
                let (from, to) = if backward { (to, from) } else { (from, to) };
                separator.weights[from * nodes + to] = weight;
                separator.predecessors[to].push(from);
            }
            for first in 0..nodes {
                separator.on_path[first] = true;
                separator.extend(&mut [first; MAX_LENGTH], 1, 0.0, backward);
                separator.on_path[first] = false;
            }
            *work += separator.work + (nodes * nodes) as u64;
            found = separator.found;
        }
        found.sort_unstable_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
        });
        let mut chosen: Vec<(&[usize], bool)> = Vec::new();
        for (_, cycle, length, backward) in &found {
            let cycle = &cycle[..*length];
            if chosen.len() < MAX_CUTS && !chosen.iter().any(|other| overlap(cycle, other.0)) {
                chosen.push((cycle, *backward));
            }
        }
        chosen
            .into_iter()
            .map(|(cycle, backward)| Cut::Cycle(cycle.to_vec(), backward))
            .collect()
    }

    fn at(&self, from: usize, to: usize) -> f64 {
        self.weights[from * self.nodes + to]
    }

    /// Tries every predecessor of the path's last node, both as the end of the cycle and as the
    /// next node of the path.
    fn extend(
        &mut self,
        path: &mut [usize; MAX_LENGTH],
        length: usize,
        weight: f64,
        backward: bool,
    ) {
        let (first, last) = (path[0], path[length - 1]);
        for at in 0..self.predecessors[last].len() {
            let next = self.predecessors[last][at];
            if self.on_path[next] {
                continue;
            }
            self.work += 16;
            let (step, back) = (weight + self.at(next, last) - 1.0, self.at(first, next));
            path[length] = next;
            if length > 1 && step + back > MIN_VIOLATION {
                let mut cycle = [0; MAX_LENGTH];
                cycle[..=length].copy_from_slice(&path[..=length]);
                self.found.push((step + back, cycle, length + 1, backward));
            }
            // The end of a cycle adds at most one. A cycle of all nodes would be a route.
            if length + 1 < MAX_LENGTH.min(self.nodes - 1) {
                let between: f64 = path[1..length]
                    .iter()
                    .map(|&node| self.at(node, next))
                    .sum();
                let step = step + 2.0 * back + between;
                if step > MIN_VIOLATION - 1.0 {
                    self.on_path[next] = true;
                    self.extend(path, length + 1, step, backward);
                    self.on_path[next] = false;
                }
            }
        }
    }
}

/// Returns whether two cycles share more than three quarters of the nodes of the shorter one. Their
/// cuts are then nearly equal.
fn overlap(one: &[usize], other: &[usize]) -> bool {
    let shared = one.iter().filter(|node| other.contains(node)).count();
    shared * 4 > one.len().min(other.len()) * 3
}

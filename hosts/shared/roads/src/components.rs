//! The largest strongly connected component of the network.

use crate::turns::Turn;

/// Returns for each edge whether it belongs to the largest strongly connected component. If several are equally large,
/// it is the first one found.
///
/// Points are never snapped to other components: a yard behind a gate, or a road that leaves the extract, has no way
/// out.
pub(crate) fn largest_component(turns: &[Vec<Turn>], exists: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut search = Tarjan::new(turns.len());
    for edge in 0..turns.len() {
        if exists(edge) && search.order[edge] == 0 {
            search.visit(edge, turns);
        }
    }
    search.component.iter().map(|component| *component != 0 && *component == search.best.1).collect()
}

struct Tarjan {
    /// The order in which each edge was discovered, from 1.
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<usize>,
    discovered: u32,
    components: u32,
    /// The size and number of the largest component so far.
    best: (usize, u32),
}

impl Tarjan {
    fn new(size: usize) -> Tarjan {
        let zeros = vec![0; size];
        let (order, low, component) = (zeros.clone(), zeros.clone(), zeros);
        Tarjan { order, low, component, stack: Vec::new(), discovered: 0, components: 0, best: (0, 0) }
    }

    /// Performs a depth-first search from an edge, with an explicit stack, because paths can exceed the thread's stack.
    fn visit(&mut self, start: usize, turns: &[Vec<Turn>]) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((edge, tried)) = path.last_mut() {
            let (at, next) = (*edge, turns[*edge].get(*tried).map(|turn| turn.to as usize));
            *tried += 1;
            match next {
                Some(next) if self.order[next] == 0 => {
                    self.enter(next);
                    path.push((next, 0));
                }
                Some(next) if self.component[next] == 0 => self.low[at] = self.low[at].min(self.order[next]),
                Some(_) => {}
                None => {
                    path.pop();
                    self.leave(at);
                    if let Some((before, _)) = path.last() {
                        self.low[*before] = self.low[*before].min(self.low[at]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, edge: usize) {
        self.discovered += 1;
        self.order[edge] = self.discovered;
        self.low[edge] = self.discovered;
        self.stack.push(edge);
    }

    fn leave(&mut self, edge: usize) {
        if self.low[edge] != self.order[edge] {
            return;
        }
        self.components += 1;
        let mut size = 0;
        while let Some(member) = self.stack.pop() {
            self.component[member] = self.components;
            size += 1;
            if member == edge {
                break;
            }
        }
        if size > self.best.0 {
            self.best = (size, self.components);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_component_is_found() {
        let to = |edges: &[u32]| edges.iter().map(|to| Turn { to: *to, ms: 0, restricted: false }).collect::<Vec<_>>();
        // 0 and 1 form a cycle, as do 2 to 4. 1 leads to 2, 5 leads nowhere, and 6 does not exist.
        let turns = [to(&[1]), to(&[0, 2]), to(&[3]), to(&[4, 5]), to(&[2]), to(&[]), to(&[])];
        assert_eq!(largest_component(&turns, |edge| edge != 6), [false, false, true, true, true, false, false]);
        assert_eq!(largest_component(&[], |_| true), [false; 0]);
    }
}

//! The part of the network in which everything can be reached from everything.

use crate::turns::Turn;

/// For each lane whether it belongs to the largest strongly connected part; of equal ones, to the one found first.
///
/// Points are never put on an island: a yard behind a gate or a piece that the extract's border cut off would have no way out.
pub(crate) fn largest(turns: &[Vec<Turn>], exists: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut search = Tarjan::new(turns.len());
    for lane in 0..turns.len() {
        if exists(lane) && search.order[lane] == 0 {
            search.visit(lane, turns);
        }
    }
    search.part.iter().map(|part| *part != 0 && *part == search.best.1).collect()
}

struct Tarjan {
    /// When each lane was first seen, from 1.
    order: Vec<u32>,
    low: Vec<u32>,
    part: Vec<u32>,
    open: Vec<usize>,
    seen: u32,
    parts: u32,
    /// Size and number of the largest part so far.
    best: (usize, u32),
}

impl Tarjan {
    fn new(size: usize) -> Tarjan {
        let zeros = vec![0; size];
        let (order, low, part) = (zeros.clone(), zeros.clone(), zeros);
        Tarjan { order, low, part, open: Vec::new(), seen: 0, parts: 0, best: (0, 0) }
    }

    /// Walks depth first from a lane; a stack of its own, since roads go deeper than a thread's stack.
    fn visit(&mut self, start: usize, turns: &[Vec<Turn>]) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((lane, tried)) = path.last_mut() {
            let (at, next) = (*lane, turns[*lane].get(*tried).map(|turn| turn.to as usize));
            *tried += 1;
            match next {
                Some(next) if self.order[next] == 0 => {
                    self.enter(next);
                    path.push((next, 0));
                }
                Some(next) if self.part[next] == 0 => self.low[at] = self.low[at].min(self.order[next]),
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

    fn enter(&mut self, lane: usize) {
        self.seen += 1;
        self.order[lane] = self.seen;
        self.low[lane] = self.seen;
        self.open.push(lane);
    }

    fn leave(&mut self, lane: usize) {
        if self.low[lane] != self.order[lane] {
            return;
        }
        self.parts += 1;
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.part[member] = self.parts;
            size += 1;
            if member == lane {
                break;
            }
        }
        if size > self.best.0 {
            self.best = (size, self.parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_circle_is_found() {
        let to = |lanes: &[u32]| lanes.iter().map(|to| Turn { to: *to, ms: 0, restricted: false }).collect::<Vec<_>>();
        // 0 and 1 circle, 2 to 4 circle, 1 leads to 2, 5 leads nowhere and 6 does not exist.
        let turns = [to(&[1]), to(&[0, 2]), to(&[3]), to(&[4, 5]), to(&[2]), to(&[]), to(&[])];
        assert_eq!(largest(&turns, |lane| lane != 6), [false, false, true, true, true, false, false]);
        assert_eq!(largest(&[], |_| true), [false; 0]);
    }
}

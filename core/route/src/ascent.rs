//! Raises the lower bound by moving the prices: subgradient steps in integers (Held and Karp 1971; Held, Wolfe and
//! Crowder 1974), so that every host takes the same steps.

use super::links::Links;
use super::tree::{FORBIDDEN, Legs, MAX_PRICE, Prices, Tree, clamp};

/// Denominator of the step factor.
const ONE: i64 = 1 << 10;
/// Fractions of a violation that directions are counted in.
const DIRECTION_BITS: i32 = 10;

/// Times the factor is halved until little more can be expected.
const HALVINGS: u32 = 8;

/// How an ascent is to run.
pub(super) struct Plan {
    /// Most steps.
    pub(super) steps: usize,
    /// Steps without a better bound after which the factor is halved.
    pub(super) stale_limit: usize,
    /// First factor, in 1024ths.
    pub(super) factor: i64,
    /// Above this value nothing shorter than the best known order is left.
    pub(super) room: i64,
}

/// The best bound of an ascent, the prices that gave it and their tree.
pub(super) struct Reached {
    pub(super) prices: Prices,
    pub(super) tree: Tree,
    /// Whether no order better than the best known one is left here.
    pub(super) closed: bool,
    pub(super) work: u64,
}

/// Work of one step: growing a tree and moving the prices.
pub(super) fn tree_work(legs: &Legs, links: Option<&Links>) -> u64 {
    if let Some(links) = links {
        return links.work();
    }
    let (count, width) = (legs.count as u64, legs.width as u64);
    if legs.symmetric { 3 * count * width / 8 + 34 * count } else { 4 * count * width / 5 + 50 * count }
}

/// Moves the prices for a while and keeps the best.
pub(super) fn ascend(legs: &Legs, links: Option<&Links>, from: &Prices, plan: &Plan) -> Reached {
    let each = tree_work(legs, links);
    let mut prices = from.clone();
    let mut now = Tree::new(legs.count);
    legs.grow(links, &prices, &mut now);
    let mut best = Reached { prices: prices.clone(), closed: false, work: each, tree: now.clone() };
    if now.broken || now.value > plan.room {
        best.closed = true;
        return best;
    }
    // Without a known order, one a tenth above the first bound is aimed at.
    let aim = if plan.room == i64::MAX { now.value + now.value.abs() / 10 + ONE } else { plan.room };
    let (mut leaving, mut entering) = (vec![0; legs.count], vec![0; legs.count]);
    let (mut factor, mut stale) = (plan.factor, 0);
    for _ in 0..plan.steps {
        let violation = now.violation(legs.symmetric);
        if violation == 0 {
            break;
        }
        let step = (aim - now.value).max(1) * factor / (ONE * violation);
        if step == 0 {
            break;
        }
        shift(&mut prices.leave, &now.leaves, &mut leaving, step);
        if !legs.symmetric {
            shift(&mut prices.enter, &now.enters, &mut entering, step);
        }
        legs.grow(links, &prices, &mut now);
        best.work += each;
        if now.broken {
            best.closed = true;
            return best;
        }
        // A path is kept even at the same value: it is an order, and the best one here.
        if now.value > best.tree.value || now.violation(legs.symmetric) == 0 {
            best.prices.clone_from(&prices);
            best.tree.copy(&now);
            stale = 0;
            if now.value > plan.room {
                best.closed = true;
                return best;
            }
        } else {
            stale += 1;
            if stale >= plan.stale_limit {
                stale = 0;
                factor /= 2;
                if factor < plan.factor >> HALVINGS {
                    break;
                }
            }
        }
    }
    best
}

/// Moves prices against the violation; each direction keeps three eighths of the one before.
fn shift(prices: &mut [i32], violated: &[i32], directions: &mut [i32], step: i64) {
    for ((price, &violated), direction) in prices.iter_mut().zip(violated).zip(directions) {
        *direction = ((violated << DIRECTION_BITS) * 5 + *direction * 3) >> 3;
        *price = clamp(i64::from(*price) + ((step * i64::from(*direction)) >> DIRECTION_BITS), MAX_PRICE);
    }
}

/// Forbids every leg that no order shorter than the best known one can use: the bound with it leaves no room.
pub(super) fn sparsify(legs: &mut Legs, tree: &Tree, prices: &Prices, room: i64) {
    let (count, width) = (legs.count, legs.width);
    let slack = clamp(room - tree.value, FORBIDDEN);
    // The dearest edge on the path in the tree between every two stops, filled in the order of joining.
    let mut dearest = vec![0; count * width];
    for (rank, &stop) in tree.joined.iter().enumerate().skip(1) {
        let (parent, down) = tree.parent[stop];
        let own = if down { priced(legs, prices, parent, stop) } else { priced(legs, prices, stop, parent) };
        for &other in &tree.joined[..rank] {
            let through = if other == parent { own } else { own.max(dearest[parent * width + other]) };
            dearest[other * width + stop] = through;
            dearest[stop * width + other] = through;
        }
    }
    let enter = prices.enter(legs.symmetric);
    let narrow = |rows: &mut [i32], mine: &[i32], theirs: &[i32]| {
        for ((row, dearest), &mine) in rows.chunks_exact_mut(width).zip(dearest.chunks_exact(width)).zip(mine) {
            for ((leg, &dearest), &theirs) in row.iter_mut().zip(dearest).zip(theirs) {
                *leg = if *leg + mine + theirs - dearest > slack { FORBIDDEN } else { *leg };
            }
        }
    };
    narrow(&mut legs.ahead, &prices.leave, enter);
    narrow(&mut legs.behind, enter, &prices.leave);
    sparsify_ends(legs, tree, prices, room);
}

/// Forbids legs at the origin: with one of them and the cheapest other end the bound leaves no room.
fn sparsify_ends(legs: &mut Legs, tree: &Tree, prices: &Prices, room: i64) {
    let count = legs.count;
    if count < 2 {
        return;
    }
    let enter = prices.enter(legs.symmetric);
    let heads: Vec<i32> = legs.out.iter().zip(enter).map(|(&leg, &price)| leg + price).collect();
    let tails: Vec<i32> = legs.back.iter().zip(&prices.leave).map(|(&leg, &price)| leg + price).collect();
    let rest = tree.value - i64::from(heads[tree.head]) - i64::from(tails[tree.tail]);
    let min_except = |all: &[i32]| -> Vec<i64> {
        let first = (0..count).min_by_key(|&i| all[i]).unwrap_or(0);
        let second = (0..count).filter(|&i| i != first).map(|i| all[i]).min().unwrap_or(all[first]);
        (0..count).map(|i| i64::from(if i == first { second } else { all[first] })).collect()
    };
    let (other_tails, other_heads) = (min_except(&tails), min_except(&heads));
    for stop in 0..count {
        if rest + i64::from(heads[stop]) + other_tails[stop] > room {
            legs.out[stop] = FORBIDDEN;
        }
        if rest + i64::from(tails[stop]) + other_heads[stop] > room {
            legs.back[stop] = FORBIDDEN;
        }
    }
}

/// A leg with the prices of leaving and entering.
pub(super) fn priced(legs: &Legs, prices: &Prices, from: usize, to: usize) -> i32 {
    legs.at(from, to) + prices.leave[from] + prices.enter(legs.symmetric)[to]
}

impl Legs {
    /// Takes one leg away; on a symmetric model its reverse too.
    pub(super) fn forbid(&mut self, from: usize, to: usize) {
        self.ahead[from * self.width + to] = FORBIDDEN;
        if self.symmetric {
            self.ahead[to * self.width + from] = FORBIDDEN;
        } else {
            self.behind[to * self.width + from] = FORBIDDEN;
        }
    }
}

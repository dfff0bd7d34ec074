//! Raises the lower bound by subgradient steps on the dual prices (Held and Karp 1971; Held, Wolfe
//! and Crowder 1974). The steps use integers, so they are identical on every host.

use super::neighbours::Neighbours;
use super::tree::{FORBIDDEN, Legs, MAX_PRICE, Prices, Tree, clamp};

/// The denominator of the step factor.
const ONE: i64 = 1 << 10;
/// The number of fractional bits of directions.
const DIRECTION_BITS: i32 = 10;

/// The number of halvings of the factor after which the ascent ends.
const HALVINGS: u32 = 8;

/// The parameters of an ascent.
pub(super) struct AscentParams {
    /// The maximum number of steps.
    pub(super) steps: usize,
    /// The number of steps without a better bound after which the factor is halved.
    pub(super) stale_limit: usize,
    /// The initial factor, in 1024ths.
    pub(super) factor: i64,
    /// A bound above this value proves that no order is shorter than the incumbent.
    pub(super) cutoff: i64,
}

/// The result of an ascent: the best prices and their tree.
pub(super) struct AscentResult {
    pub(super) prices: Prices,
    pub(super) tree: Tree,
    /// Whether the bound proves that no order here is shorter than the incumbent.
    pub(super) pruned: bool,
    pub(super) work: u64,
}

/// Returns the work of one step: growing a tree and updating the prices.
pub(super) fn tree_work(legs: &Legs, neighbours: Option<&Neighbours>) -> u64 {
    if let Some(neighbours) = neighbours {
        return neighbours.work();
    }
    let (count, width) = (legs.count as u64, legs.width as u64);
    if legs.symmetric {
        3 * count * width / 8 + 34 * count
    } else {
        4 * count * width / 5 + 50 * count
    }
}

/// Runs the ascent and returns the best prices found.
pub(super) fn ascend(
    legs: &Legs,
    neighbours: Option<&Neighbours>,
    from: &Prices,
    params: &AscentParams,
) -> AscentResult {
    let each = tree_work(legs, neighbours);
    let mut prices = from.clone();
    let mut current = Tree::new(legs.count);
    legs.grow(neighbours, &prices, &mut current);
    let mut best = AscentResult {
        prices: prices.clone(),
        pruned: false,
        work: each,
        tree: current.clone(),
    };
    if current.disconnected || current.value > params.cutoff {
        best.pruned = true;
        return best;
    }
    // Without an incumbent, the target is a tenth above the first bound.
    let target = if params.cutoff == i64::MAX {
        current.value + current.value.abs() / 10 + ONE
    } else {
        params.cutoff
    };
    let (mut leaving, mut entering) = (vec![0; legs.count], vec![0; legs.count]);
    let (mut factor, mut stale) = (params.factor, 0);
    for _ in 0..params.steps {
        let violation = current.violation(legs.symmetric);
        if violation == 0 {
            break;
        }
        let step = (target - current.value).max(1) * factor / (ONE * violation);
        if step == 0 {
            break;
        }
        update_prices(&mut prices.leave, &current.leave_excess, &mut leaving, step);
        if !legs.symmetric {
            update_prices(
                &mut prices.enter,
                &current.enter_excess,
                &mut entering,
                step,
            );
        }
        legs.grow(neighbours, &prices, &mut current);
        best.work += each;
        if current.disconnected {
            best.pruned = true;
            return best;
        }
        // A path is kept even at an equal value: it is an order, and the optimum here.
        if current.value > best.tree.value || current.violation(legs.symmetric) == 0 {
            best.prices.clone_from(&prices);
            best.tree.copy(&current);
            stale = 0;
            if current.value > params.cutoff {
                best.pruned = true;
                return best;
            }
        } else {
            stale += 1;
            if stale >= params.stale_limit {
                stale = 0;
                factor /= 2;
                if factor < params.factor >> HALVINGS {
                    break;
                }
            }
        }
    }
    best
}

/// Moves the prices in the direction of the subgradient. Each direction includes three eighths of
/// the previous one.
fn update_prices(prices: &mut [i32], violated: &[i32], directions: &mut [i32], step: i64) {
    for ((price, &violated), direction) in prices.iter_mut().zip(violated).zip(directions) {
        *direction = ((violated << DIRECTION_BITS) * 5 + *direction * 3) >> 3;
        *price = clamp(
            i64::from(*price) + ((step * i64::from(*direction)) >> DIRECTION_BITS),
            MAX_PRICE,
        );
    }
}

/// Forbids every leg that no order shorter than the incumbent can use, because the bound with it is
/// above the cutoff.
pub(super) fn sparsify(legs: &mut Legs, tree: &Tree, prices: &Prices, cutoff: i64) {
    let (count, width) = (legs.count, legs.width);
    let slack = clamp(cutoff - tree.value, FORBIDDEN);
    // The most expensive edge on the tree path between any two stops, filled in the order of
    // joining.
    let mut max_edge = vec![0; count * width];
    for (rank, &stop) in tree.joined.iter().enumerate().skip(1) {
        let (parent, downwards) = tree.parent[stop];
        let own = if downwards {
            priced(legs, prices, parent, stop)
        } else {
            priced(legs, prices, stop, parent)
        };
        for &other in &tree.joined[..rank] {
            let through = if other == parent {
                own
            } else {
                own.max(max_edge[parent * width + other])
            };
            max_edge[other * width + stop] = through;
            max_edge[stop * width + other] = through;
        }
    }
    let enter = prices.enter(legs.symmetric);
    let forbid = |rows: &mut [i32], row_price: &[i32], price: &[i32]| {
        for ((row, max_edge), &row_price) in rows
            .chunks_exact_mut(width)
            .zip(max_edge.chunks_exact(width))
            .zip(row_price)
        {
            for ((leg, &max_edge), &price) in row.iter_mut().zip(max_edge).zip(price) {
                *leg = if *leg + row_price + price - max_edge > slack {
                    FORBIDDEN
                } else {
                    *leg
                };
            }
        }
    };
    forbid(&mut legs.forward, &prices.leave, enter);
    forbid(&mut legs.backward, enter, &prices.leave);
    sparsify_ends(legs, tree, prices, cutoff);
}

/// Forbids a leg at the origin if the bound with it and the cheapest leg at the other end is above
/// the cutoff.
fn sparsify_ends(legs: &mut Legs, tree: &Tree, prices: &Prices, cutoff: i64) {
    let count = legs.count;
    if count < 2 {
        return;
    }
    let enter = prices.enter(legs.symmetric);
    let heads: Vec<i32> = legs
        .out
        .iter()
        .zip(enter)
        .map(|(&leg, &price)| leg + price)
        .collect();
    let tails: Vec<i32> = legs
        .back
        .iter()
        .zip(&prices.leave)
        .map(|(&leg, &price)| leg + price)
        .collect();
    let rest = tree.value - i64::from(heads[tree.head]) - i64::from(tails[tree.tail]);
    let min_except = |all: &[i32]| -> Vec<i64> {
        let first = (0..count).min_by_key(|&i| all[i]).unwrap_or(0);
        let second = (0..count)
            .filter(|&i| i != first)
            .map(|i| all[i])
            .min()
            .unwrap_or(all[first]);
        (0..count)
            .map(|i| i64::from(if i == first { second } else { all[first] }))
            .collect()
    };
    let (other_tails, other_heads) = (min_except(&tails), min_except(&heads));
    for stop in 0..count {
        if rest + i64::from(heads[stop]) + other_tails[stop] > cutoff {
            legs.out[stop] = FORBIDDEN;
        }
        if rest + i64::from(tails[stop]) + other_heads[stop] > cutoff {
            legs.back[stop] = FORBIDDEN;
        }
    }
}

/// Returns a leg's cost with the prices of leaving and entering.
pub(super) fn priced(legs: &Legs, prices: &Prices, from: usize, to: usize) -> i32 {
    legs.at(from, to) + prices.leave[from] + prices.enter(legs.symmetric)[to]
}

impl Legs {
    /// Forbids a leg, and on a symmetric model its reverse.
    pub(super) fn forbid(&mut self, from: usize, to: usize) {
        self.forward[from * self.width + to] = FORBIDDEN;
        if self.symmetric {
            self.forward[to * self.width + from] = FORBIDDEN;
        } else {
            self.backward[to * self.width + from] = FORBIDDEN;
        }
    }
}

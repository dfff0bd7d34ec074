//! Sorting in little code, with the same result on every machine. `core/SIZE.md` has the size of the standard library's sorts.

/// Items that are sorted by insertion: what is usual here.
const SHORT: usize = 20;

/// Sorts by `before`, which must be a strict order: otherwise the resulting order is undefined, but
/// the same on every machine.
pub(crate) fn sort<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    if items.len() <= SHORT {
        return sort_few(items, before);
    }
    for root in (0..items.len() / 2).rev() {
        sink(items, root, &before);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sink(&mut items[..end], 0, &before);
    }
}

/// Sorts a few items by insertion; those of which neither comes before the other keep their order.
fn sort_few<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    for at in 1..items.len() {
        rise(items, at, &before);
    }
}

/// Moves the first `max` items to the front, sorted; the rest is unsorted.
pub(crate) fn sort_smallest<T>(items: &mut [T], max: usize, before: impl Fn(&T, &T) -> bool) {
    let max = max.min(items.len());
    let Some(last) = max.checked_sub(1) else { return };
    sort(&mut items[..max], &before);
    for at in max..items.len() {
        if before(&items[at], &items[last]) {
            items.swap(at, last);
            rise(items, last, &before);
        }
    }
}

/// Moves an item forward among sorted ones, past all that it comes before.
fn rise<T>(items: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
    while at > 0 && before(&items[at], &items[at - 1]) {
        items.swap(at, at - 1);
        at -= 1;
    }
}

/// Moves an item down a heap until nothing below it comes after it.
fn sink<T>(items: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut child = 2 * at + 1;
        if child >= items.len() {
            return;
        }
        if child + 1 < items.len() && before(&items[child], &items[child + 1]) {
            child += 1;
        }
        if !before(&items[at], &items[child]) {
            return;
        }
        items.swap(at, child);
        at = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without an order, the same in every run.
    fn numbers(count: u32) -> Vec<u32> {
        (0..count).map(|at| at.wrapping_mul(2_654_435_761) >> 7 & 255).collect()
    }

    #[test]
    fn every_length_is_sorted() {
        for count in 0..200 {
            let (mut ours, mut expected) = (numbers(count), numbers(count));
            sort(&mut ours, |a, b| a < b);
            expected.sort_unstable();
            assert_eq!(ours, expected);
        }
    }

    #[test]
    fn equal_items_keep_their_order_among_few() {
        let mut items: Vec<(u32, usize)> = numbers(60).into_iter().map(|number| number % 5).zip(0..).collect();
        let mut expected = items.clone();
        sort_few(&mut items, |a, b| a.0 < b.0);
        expected.sort_by_key(|item| item.0);
        assert_eq!(items, expected);
    }

    #[test]
    fn sort_smallest_moves_smallest_to_front() {
        for max in [0, 1, 7, 20, 30, 59, 60, 90] {
            let (mut items, mut expected) = (numbers(60), numbers(60));
            expected.sort_unstable();
            sort_smallest(&mut items, max, |a, b| a < b);
            let max = max.min(60);
            assert_eq!(items[..max], expected[..max], "{max}");
            items.sort_unstable();
            assert_eq!(items, expected);
        }
    }
}

//! Sort functions with a small code size. The standard library's sorts compile to 5 to 15 KB for
//! each element type, in total 5 per cent of the WebAssembly component. These compile to a few
//! hundred bytes.

/// The maximum number of items for insertion sort. Most inputs here are shorter.
const MAX_INSERTION_SORT: usize = 20;

/// Sorts by `before`, which must be a strict order. Otherwise the result is unspecified but
/// identical on every platform.
pub fn sort<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    if items.len() <= MAX_INSERTION_SORT {
        return insertion_sort(items, before);
    }
    for root in (0..items.len() / 2).rev() {
        sift_down(items, root, &before);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift_down(&mut items[..end], 0, &before);
    }
}

/// Sorts by insertion; the sort is stable.
fn insertion_sort<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    for at in 1..items.len() {
        insert_backwards(items, at, &before);
    }
}

/// Moves the `max` smallest items to the front, in order. The rest is unsorted. Takes up to `max`
/// steps for each item.
pub fn sort_smallest<T>(items: &mut [T], max: usize, before: impl Fn(&T, &T) -> bool) {
    let max = max.min(items.len());
    let Some(last) = max.checked_sub(1) else {
        return;
    };
    insertion_sort(&mut items[..max], &before);
    for at in max..items.len() {
        if before(&items[at], &items[last]) {
            items.swap(at, last);
            insert_backwards(items, last, &before);
        }
    }
}

/// Moves an item to its position among the sorted items before it.
fn insert_backwards<T>(items: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
    while at > 0 && before(&items[at], &items[at - 1]) {
        items.swap(at, at - 1);
        at -= 1;
    }
}

/// Restores the heap property below an item.
fn sift_down<T>(items: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
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

    /// Returns unsorted numbers, identical in every run.
    fn numbers(count: u32) -> Vec<u32> {
        (0..count)
            .map(|at| at.wrapping_mul(2_654_435_761) >> 7 & 255)
            .collect()
    }

    #[test]
    fn every_length_is_sorted() {
        for count in 0..200 {
            let (mut items, mut expected) = (numbers(count), numbers(count));
            sort(&mut items, |a, b| a < b);
            expected.sort_unstable();
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn equal_items_keep_their_order_among_few() {
        let mut items: Vec<(u32, usize)> = numbers(60)
            .into_iter()
            .map(|number| number % 5)
            .zip(0..)
            .collect();
        let mut expected = items.clone();
        insertion_sort(&mut items, |a, b| a.0 < b.0);
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

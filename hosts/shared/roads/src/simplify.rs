//! Simplification of lines.

/// Simplifies a line (Douglas and Peucker): no omitted point is further than the tolerance from the
/// result. `position` returns a point's coordinates on a plane.
pub(crate) fn simplify<T: Copy>(
    line: &[T],
    position: impl Fn(T) -> (f64, f64),
    tolerance: f64,
) -> Vec<T> {
    let Some(last) = line.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut is_kept = vec![false; line.len()];
    is_kept[0] = true;
    is_kept[last] = true;
    let mut parts = vec![(0, last)];
    while let Some((from, to)) = parts.pop() {
        let (start, end) = (position(line[from]), position(line[to]));
        let distances = (from + 1..to).map(|at| (distance(position(line[at]), start, end), at));
        let farthest = distances.fold(
            (0.0, 0),
            |best, next| if next.0 > best.0 { next } else { best },
        );
        if farthest.0 > tolerance {
            is_kept[farthest.1] = true;
            parts.extend([(from, farthest.1), (farthest.1, to)]);
        }
    }
    line.iter()
        .zip(is_kept)
        .filter(|(_, kept)| *kept)
        .map(|(point, _)| *point)
        .collect()
}

/// Returns the distance from a point to a line segment.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (along_x, along_y) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    let square = along_x * along_x + along_y * along_y;
    let fraction = if square > 0.0 {
        ((x * along_x + y * along_y) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    libm::hypot(x - fraction * along_x, y - fraction * along_y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplified_line_keeps_its_corners() {
        let plane = |point: (i32, i32)| (f64::from(point.0), f64::from(point.1));
        let bent = [(0, 0), (50, 1), (100, 0), (100, 100)];
        assert_eq!(simplify(&bent, plane, 2.0), [(0, 0), (100, 0), (100, 100)]);
        assert_eq!(simplify(&bent, plane, 0.0), bent);
        let ring = [(0, 0), (100, 0), (100, 100), (0, 0)];
        assert_eq!(simplify(&ring, plane, 2.0), ring);
        assert_eq!(simplify(&[], plane, 2.0), []);
    }
}

//! The cost of travel, and the geometry of road segments.

/// The index that marks a missing edge.
pub(crate) const NONE: u32 = u32::MAX;

/// The cost of travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The routing weight: milliseconds, increased on roads that are avoided.
    pub(crate) weight: u32,
    pub(crate) ms: u32,
    pub(crate) cm: u32,
}

impl Cost {
    pub(crate) fn plus(self, other: Cost) -> Cost {
        Cost {
            weight: self.weight.saturating_add(other.weight),
            ms: self.ms.saturating_add(other.ms),
            cm: self.cm.saturating_add(other.cm),
        }
    }

    /// Returns whether this cost is preferred: a lower weight, or an equal weight and a shorter
    /// distance.
    pub(crate) fn is_below(self, other: Cost) -> bool {
        // One comparison of 64 bits is faster than two.
        let key = |cost: Cost| (u64::from(cost.weight) << 32) | u64::from(cost.cm);
        key(self) < key(other)
    }

    pub(crate) fn minus(self, other: Cost) -> Cost {
        Cost {
            weight: self.weight.saturating_sub(other.weight),
            ms: self.ms.saturating_sub(other.ms),
            cm: self.cm.saturating_sub(other.cm),
        }
    }

    /// Returns the cost of a fraction from 0 to 1.
    pub(crate) fn fraction(self, fraction: f64) -> Cost {
        let part = |whole: u32| whole_number(f64::from(whole) * fraction);
        Cost {
            weight: part(self.weight),
            ms: part(self.ms),
            cm: part(self.cm),
        }
    }
}

/// The geometry of one road segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentGeometry {
    /// The index of its first coordinate.
    pub(crate) shape: u32,
    /// The edge in the direction of the coordinates, and the reverse edge.
    pub(crate) edges: [u32; 2],
}

pub(crate) fn whole_number(value: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of u32"
    )]
    let rounded = libm::round(value).clamp(0.0, f64::from(u32::MAX)) as u32;
    rounded
}

//! What riding costs, and where roads lie.

/// No lane.
pub(crate) const NONE: u32 = u32::MAX;

/// What riding costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// What ways are chosen by: milliseconds, more of them on roads that are shunned.
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

    /// Whether a ride of this cost is chosen rather than one of the other: less weight, or as much and fewer metres.
    pub(crate) fn is_below(self, other: Cost) -> bool {
        (self.weight, self.cm) < (other.weight, other.cm)
    }

    pub(crate) fn minus(self, other: Cost) -> Cost {
        Cost {
            weight: self.weight.saturating_sub(other.weight),
            ms: self.ms.saturating_sub(other.ms),
            cm: self.cm.saturating_sub(other.cm),
        }
    }

    /// The cost of a share, from 0 to 1, of this.
    pub(crate) fn share(self, share: f64) -> Cost {
        let part = |whole: u32| whole_number(f64::from(whole) * share);
        Cost { weight: part(self.weight), ms: part(self.ms), cm: part(self.cm) }
    }
}

/// Where the lanes of one road lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Where its places begin.
    pub(crate) shape: u32,
    /// The lane along the places, and the lane back.
    pub(crate) lanes: [u32; 2],
}

pub(crate) fn whole_number(value: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let whole = libm::round(value).clamp(0.0, f64::from(u32::MAX)) as u32;
    whole
}

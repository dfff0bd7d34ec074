//! A component of the network.

use crate::coord::Coord;
use crate::cost::NONE;

/// A component of the network as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    /// Components that one-way roads connect have the same group.
    pub(crate) group: u32,
    pub(crate) edges: u32,
    pub(crate) metres: u32,
    pub(crate) low: Coord,
    pub(crate) high: Coord,
}

/// Returns the components of a segment's two directions, each once.
pub(crate) fn distinct(components: [u32; 2]) -> impl IntoIterator<Item = u32> {
    let second = Some(components[1]).filter(|second| *second != components[0]);
    [Some(components[0]), second]
        .into_iter()
        .flatten()
        .filter(|component| *component != NONE)
}

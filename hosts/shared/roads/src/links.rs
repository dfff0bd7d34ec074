//! The links between junctions, and the order of their edges in the contraction.

use crate::cost::{NONE, whole_number};
use crate::dissection::{self, Link, MAX_BLOCK, Order};
use crate::segments::RoadSegments;
use crate::turns::Turns;

/// Returns the order in which the edges of a network are contracted. `numbers` has the number of
/// each edge in the network, or [`NONE`].
pub(crate) fn order(segments: &RoadSegments, found: &Turns, numbers: &[u32]) -> Order {
    // Both directions of a segment and their copies form one link.
    let of_network = (0u32..).zip(numbers).filter(|(_, number)| **number != NONE);
    let mut edges: Vec<(u32, u32)> = of_network
        .map(|(edge, number)| (found.original(edge) / 2, *number))
        .collect();
    edges.sort_unstable();
    let junction_ids = segments
        .list
        .iter()
        .flat_map(|segment| segment.ends)
        .max()
        .map_or(0, |id| id as usize + 1);
    let (mut junctions, mut numbers) = (Vec::new(), vec![NONE; junction_ids]);
    let (mut links, mut starts): (Vec<Link>, _) = (Vec::new(), Vec::new());
    let mut start = 0;
    for of_link in edges.chunk_by(|one, other| one.0 == other.0) {
        let segment = &segments.list[of_link[0].0 as usize];
        let coords = [
            segments.shapes[segment.shape.0],
            segments.shapes[segment.shape.1 - 1],
        ];
        let rates = segment
            .travel
            .iter()
            .flatten()
            .map(|travel| whole_number(travel.rate * 1_000.0));
        let rate = rates.max().unwrap_or(0);
        let ends = std::array::from_fn(|end| {
            let number = &mut numbers[segment.ends[end] as usize];
            if *number == NONE {
                *number = u32::try_from(junctions.len()).unwrap_or(NONE);
                junctions.push(coords[end]);
            }
            *number
        });
        links.push(Link { ends, rate });
        starts.push(start);
        start += of_link.len();
    }
    starts.push(start);
    drop(numbers);
    let edges: Vec<u32> = edges.into_iter().map(|(_, number)| number).collect();
    let links = dissection::order(&junctions, &links, MAX_BLOCK);
    links.replaced(|link| &edges[starts[link as usize]..starts[link as usize + 1]])
}

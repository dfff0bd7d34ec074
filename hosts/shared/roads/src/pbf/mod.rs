//! The file format `.osm.pbf`: blobs that hold blocks of nodes, ways and relations.
//!
//! Written by hand: the maintained reader, `osmpbf` 0.3.8, takes twice as long (see the page of this package) and decodes every element.
//! A damaged file must not cause a panic or unbounded memory.

mod blob;
mod block;
mod tags;
mod wire;

pub(crate) use blob::{Blobs, Bounds, Kind, header};
pub(crate) use block::{Block, Member, Relation};
pub(crate) use tags::Tags;
pub(crate) use wire::Malformed;

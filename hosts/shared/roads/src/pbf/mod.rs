//! The file format `.osm.pbf`: blobs that hold blocks of nodes, ways and relations.
//!
//! Read here in a few hundred lines, because the format has been frozen since 2010 and the readers on the registry bring a compiler
//! of protocol buffers with them. Nothing in a damaged file may panic or take unbounded memory.

mod blob;
mod block;
mod tags;
mod wire;

pub(crate) use blob::{Blobs, Bounds, Kind, header};
pub(crate) use block::{Block, Member, Relation};
pub(crate) use tags::Tags;
pub(crate) use wire::Malformed;

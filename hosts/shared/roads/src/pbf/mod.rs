//! The file format `.osm.pbf`: blobs that contain blocks of nodes, ways and relations.
//!
//! This reader is part of the crate because the maintained one, `osmpbf` 0.3.8, takes twice as long
//! (see this package's README) and decodes every element. A damaged file must not cause a panic or
//! unbounded memory.

mod blob;
mod block;
pub(crate) mod encode;
mod protobuf;
mod tags;
mod write;

pub(crate) use blob::{BlobKind, Blobs, Bounds, Header, header};
pub(crate) use block::{Block, Member, Relation, Way};
pub(crate) use protobuf::DecodeError;
pub(crate) use tags::Tags;
pub(crate) use write::{Group, write_header};

//! One module a subject, one function a rule.

pub mod boundary;
pub mod direction;
pub mod documents;
pub mod finish;
pub mod machine;
pub mod manifests;
pub mod size;

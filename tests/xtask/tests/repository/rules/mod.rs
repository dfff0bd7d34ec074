//! The rules: one module per subject, one function per rule.

pub(crate) mod boundary;
pub(crate) mod cases;
pub(crate) mod direction;
pub(crate) mod documents;
pub(crate) mod finish;
pub(crate) mod layers;
pub(crate) mod machine;
pub(crate) mod manifests;
pub(crate) mod size;

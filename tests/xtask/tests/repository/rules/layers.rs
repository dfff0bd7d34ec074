//! The direction of dependencies between files: the core has layers, and no package has cycles.

use std::collections::BTreeSet;

use crate::{
    Finding,
    graph::{self, Graph},
};

/// The core's layers from the lowest to the highest. Each may use itself and lower layers. A layer
/// is a folder or a file of core/src. core/ARCHITECTURE.md describes them.
const LAYERS: [&str; 10] = [
    "json", "model", "changes", "geo", "rules", "host", "wire", "drivers", "api", "memory",
];
/// The folder that the layers are in.
const CORE: &str = "core/src/";
/// The crate root, which belongs to no layer because it only declares and re-exports modules.
const ROOT: &str = "lib";

/// Returns every module without a layer, and every use of a higher layer.
pub(crate) fn layers(graph: &Graph) -> Vec<Finding> {
    let row = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let all: BTreeSet<&str> = graph
        .keys()
        .filter_map(|file| layer_of(file))
        .filter(|own| *own != ROOT)
        .collect();
    let without = all.into_iter().filter(|own| row(own).is_none());
    let message = "is missing in the list of layers (tests/xtask/tests/repository/rules/layers.rs): add it, or move its files";
    let mut found: Vec<Finding> = without
        .map(|own| Finding::new(format!("{CORE}{own}"), message))
        .collect();
    for (file, uses) in graph {
        let Some(own) = layer_of(file).and_then(row) else {
            continue;
        };
        for (used, edge) in uses {
            let Some(other) = layer_of(used).and_then(row) else {
                continue;
            };
            if other > own {
                let (own, other) = (LAYERS[own], LAYERS[other]);
                let message = format!(
                    "`{own}` must not use `{other}` ({}): pass a value, or move the code",
                    edge.path
                );
                found.push(Finding::in_line(file, edge.line, message));
            }
        }
    }
    found
}

/// Returns every cycle of files with its edges.
pub(crate) fn cycles(graph: &Graph) -> Vec<Finding> {
    let describe = |cycle: Vec<&str>| {
        let edges = cycle.iter().flat_map(|from| {
            let uses = graph.get(*from).into_iter().flatten();
            uses.filter(|(used, _)| cycle.contains(&&***used))
                .map(move |(used, edge)| {
                    format!("\n    {from}:{} uses {used} ({})", edge.line, edge.path)
                })
        });
        Finding::new(
            *cycle.first().unwrap_or(&""),
            format!(
                "{} files use each other:{}",
                cycle.len(),
                edges.collect::<String>()
            ),
        )
    };
    graph::cycles(graph).into_iter().map(describe).collect()
}

/// Returns a file's layer: `rules` for `core/src/rules/trips/step.rs`.
fn layer_of(file: &str) -> Option<&str> {
    let inside = file.strip_prefix(CORE)?;
    Some(
        inside
            .split_once('/')
            .map_or_else(|| inside.trim_end_matches(".rs"), |(folder, _)| folder),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            let path = |file: &str| format!("core/src/{file}.rs");
            let edge = Edge {
                line: 7,
                path: "crate::x::Y".to_owned(),
            };
            graph.entry(path(from)).or_default().insert(path(to), edge);
        }
        graph
    }

    fn found(from: &str, to: &str) -> Vec<String> {
        layers(&graph(&[(from, to)]))
            .into_iter()
            .map(|finding| finding.at)
            .collect()
    }

    #[test]
    fn use_of_higher_layer_is_reported() {
        assert_eq!(
            found("model/money", "rules/pricing"),
            ["core/src/model/money.rs:7"]
        );
        assert_eq!(
            found("rules/pricing", "host"),
            ["core/src/rules/pricing.rs:7"]
        );
        assert_eq!(found("geo/names", "rules/pricing").len(), 1);
        assert_eq!(found("host", "api/mod").len(), 1);
    }

    #[test]
    fn use_of_lower_or_own_layer_is_allowed() {
        for (from, to) in [
            ("changes", "model/order"),
            ("api/endpoints/orders/create", "drivers/clock"),
            ("rules/a", "rules/b"),
            ("lib", "api/mod"),
        ] {
            assert!(found(from, to).is_empty(), "{from} may use {to}");
        }
    }

    #[test]
    fn module_without_layer_is_reported() {
        assert_eq!(found("misc", "model/money"), ["core/src/misc"]);
    }

    #[test]
    fn cycle_is_reported_with_files_and_lines() {
        let found = cycles(&graph(&[
            ("model/a", "model/b"),
            ("model/b", "model/a"),
            ("model/c", "model/a"),
        ]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .message
                .contains("core/src/model/b.rs:7 uses core/src/model/a.rs")
                && !found[0].message.contains("c.rs"),
            "{found:?}"
        );
    }
}

//! The published table of steps, parsed from the documentation. The model uses this table instead
//! of the core's code.

use std::collections::BTreeMap;

/// The published page.
const PAGE: &str = include_str!("../../../core/src/rules/lifecycle/README.md");

/// The target of a step that changes no status.
const UNCHANGED: &str = "unchanged";

/// The number of a status.
pub(crate) type StatusCode = u16;

/// A row of the table: a transition that an event can cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Whether it applies to one delivery.
    pub(crate) delivery: bool,
    /// The possible statuses before, empty for a creation.
    pub(crate) from: Vec<StatusCode>,
    /// The status after, or `None` if it follows from the deliveries.
    pub(crate) to: Option<StatusCode>,
    /// Whether the status does not change.
    pub(crate) is_unchanged: bool,
    /// The transition of each delivery together with the order.
    pub(crate) each: Option<(Vec<StatusCode>, StatusCode)>,
    /// The permitted actors, as the page names them.
    pub(crate) actors: String,
}

/// The rows by the event that they cause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(BTreeMap<String, Vec<Row>>);

impl Table {
    /// Parses the page.
    ///
    /// # Errors
    /// If a row cannot be parsed.
    pub(crate) fn published() -> Result<Table, String> {
        let mut table = Table::default();
        let steps = PAGE
            .split("## Steps")
            .nth(1)
            .ok_or("the page has no section \"Steps\"")?;
        for line in steps
            .lines()
            .filter(|line| line.starts_with("| order |") || line.starts_with("| delivery |"))
        {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let &[object, transition, actors, _, event, _] = cells.as_slice() else {
                return Err(format!("wrong number of cells: {line}"));
            };
            let row = parse_row(object, transition, actors)
                .ok_or_else(|| format!("invalid row: {line}"))?;
            table.0.entry(event.to_owned()).or_default().push(row);
        }
        if table.0.len() < 15 {
            Err(format!("only {} events were found", table.0.len()))
        } else {
            Ok(table)
        }
    }

    /// Returns the rows of an event.
    pub(crate) fn rows(&self, event: &str) -> &[Row] {
        self.0.get(event).map_or(&[], Vec::as_slice)
    }
}

fn parse_row(object: &str, transition: &str, actors: &str) -> Option<Row> {
    let mut parts = transition.split(';').map(str::trim);
    let (from, to) = parse_transition(parts.next()?)?;
    let each = match parts.next() {
        Some(part) => {
            let (from, to) = parse_transition(part.strip_prefix("each delivery")?)?;
            Some((from, to?))
        }
        None => None,
    };
    let is_unchanged = transition.ends_with(UNCHANGED);
    Some(Row {
        delivery: object == "delivery",
        from,
        to,
        is_unchanged,
        each,
        actors: actors.to_owned(),
    })
}

/// Parses a transition such as `210, 220 → 200`.
fn parse_transition(text: &str) -> Option<(Vec<StatusCode>, Option<StatusCode>)> {
    let (from, to) = text.split_once('→')?;
    let from = from.trim();
    let from = match from {
        "" => Vec::new(),
        list => list
            .split(',')
            .map(|one| one.trim().parse().ok())
            .collect::<Option<_>>()?,
    };
    match to.trim() {
        "derived from its deliveries" | UNCHANGED => Some((from, None)),
        number => Some((from, Some(number.parse().ok()?))),
    }
}

/// Returns the order's status after pickup, which follows from its deliveries by the page's rules.
/// `at_return` means that the courier is back at the store, `settled` that nothing remains to be
/// handed back.
pub(crate) fn derived_status(
    stops: &[(StatusCode, bool)],
    at_return: bool,
    settled: bool,
) -> StatusCode {
    let any = |statuses: &[StatusCode]| stops.iter().any(|(status, _)| statuses.contains(status));
    if any(&[310, 320, 330]) {
        return 300;
    }
    let payment = stops
        .iter()
        .any(|(status, online)| *status == 500 && !online);
    if !settled && (payment || any(&[400, 410])) {
        return if at_return { 410 } else { 400 };
    }
    let counted: Vec<StatusCode> = stops
        .iter()
        .map(|(status, _)| *status)
        .filter(|one| *one != 600)
        .collect();
    let delivered = counted.iter().filter(|one| **one == 500).count();
    match delivered {
        0 => 520,
        all if all == counted.len() => 500,
        _ => 510,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_page_is_parsed() -> Result<(), String> {
        let table = Table::published()?;
        assert_eq!(table.rows("order.created").len(), 3);
        let cancelled = table.rows("order.cancelled");
        assert_eq!(
            cancelled
                .iter()
                .filter_map(|row| row.to)
                .collect::<Vec<_>>(),
            [600, 610, 620]
        );
        assert_eq!(
            table
                .rows("order.picked_up")
                .first()
                .and_then(|row| row.each.clone()),
            Some((vec![150], 310))
        );
        assert!(
            table
                .rows("order.returned")
                .iter()
                .all(|row| row.to.is_none() && !row.is_unchanged)
        );
        assert!(
            table
                .rows("order.eta_changed")
                .iter()
                .all(|row| row.is_unchanged && row.from == [210, 220, 300])
        );
        Ok(())
    }

    #[test]
    fn order_status_follows_from_its_deliveries() {
        assert_eq!(
            derived_status(&[(310, true), (500, true)], false, false),
            300
        );
        assert_eq!(
            derived_status(&[(500, false), (500, true)], false, false),
            400
        );
        assert_eq!(
            derived_status(&[(500, false), (410, true)], true, false),
            410
        );
        assert_eq!(
            derived_status(&[(500, false), (540, true)], true, true),
            510
        );
        assert_eq!(
            derived_status(&[(500, true), (600, true)], false, false),
            500
        );
        assert_eq!(derived_status(&[(560, true)], false, false), 520);
    }
}

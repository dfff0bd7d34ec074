//! The published table of steps, read from the page that merchants and integrators read: the model goes by it and by nothing of the
//! core's own code.

use std::collections::BTreeMap;

/// The page, as it is published.
const PAGE: &str = include_str!("../../../core/src/rules/lifecycle/README.md");

/// A situation by its number.
pub(crate) type Situation = u16;

/// One row: what an event may move, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Whether it is about one delivery.
    pub(crate) delivery: bool,
    /// From where; nothing for a creation.
    pub(crate) from: Vec<Situation>,
    /// Where to; `None` where the deliveries say.
    pub(crate) to: Option<Situation>,
    /// What each delivery does along with the order.
    pub(crate) each: Option<(Vec<Situation>, Situation)>,
    /// Who may take it: words of the page.
    pub(crate) who: String,
}

/// Rows by the event that comes of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(BTreeMap<String, Vec<Row>>);

impl Table {
    /// Reads the page.
    ///
    /// # Errors
    /// A row that is not understood.
    pub(crate) fn published() -> Result<Table, String> {
        let mut table = Table::default();
        let steps = PAGE.split("## Steps").nth(1).ok_or("the page has no steps")?;
        for line in steps.lines().filter(|line| line.starts_with("| order |") || line.starts_with("| delivery |")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let &[what, moves, who, _, event] = cells.as_slice() else { return Err(format!("cells: {line}")) };
            let row = row(what, moves, who).ok_or_else(|| format!("not understood: {line}"))?;
            table.0.entry(event.to_owned()).or_default().push(row);
        }
        if table.0.len() < 15 { Err(format!("only {} events were found", table.0.len())) } else { Ok(table) }
    }

    /// The rows of an event.
    pub(crate) fn rows(&self, event: &str) -> &[Row] {
        self.0.get(event).map_or(&[], Vec::as_slice)
    }
}

fn row(what: &str, moves: &str, who: &str) -> Option<Row> {
    let mut parts = moves.split(';').map(str::trim);
    let (from, to) = arrow(parts.next()?)?;
    let each = match parts.next() {
        Some(part) => {
            let (from, to) = arrow(part.strip_prefix("each delivery")?)?;
            Some((from, to?))
        }
        None => None,
    };
    Some(Row { delivery: what == "delivery", from, to, each, who: who.to_owned() })
}

/// `210, 220 → 200`: from where, and where to.
fn arrow(text: &str) -> Option<(Vec<Situation>, Option<Situation>)> {
    let (from, to) = text.split_once('→')?;
    let from = from.trim();
    let from = match from {
        "" => Vec::new(),
        list => list.split(',').map(|one| one.trim().parse().ok()).collect::<Option<_>>()?,
    };
    match to.trim() {
        "by its deliveries" => Some((from, None)),
        number => Some((from, Some(number.parse().ok()?))),
    }
}

/// Where the order stands as its deliveries have it, from pickup on: by the page's rules. `at_return` says that the courier is back,
/// `settled` that nothing is to be handed back any more.
pub(crate) fn derived(stops: &[(Situation, bool)], at_return: bool, settled: bool) -> Situation {
    let any = |wanted: &[Situation]| stops.iter().any(|(status, _)| wanted.contains(status));
    if any(&[310, 320, 330]) {
        return 300;
    }
    let payment = stops.iter().any(|(status, online)| *status == 500 && !online);
    if !settled && (payment || any(&[400, 410])) {
        return if at_return { 410 } else { 400 };
    }
    let counted: Vec<Situation> = stops.iter().map(|(status, _)| *status).filter(|one| *one != 600).collect();
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
    fn the_page_is_read() -> Result<(), String> {
        let table = Table::published()?;
        assert_eq!(table.rows("order.created").len(), 2);
        let cancelled = table.rows("order.cancelled");
        assert_eq!(cancelled.iter().filter_map(|row| row.to).collect::<Vec<_>>(), [600, 610, 620]);
        assert_eq!(table.rows("order.picked_up").first().and_then(|row| row.each.clone()), Some((vec![150], 310)));
        assert!(table.rows("order.returned").iter().all(|row| row.to.is_none()));
        Ok(())
    }

    #[test]
    fn the_deliveries_say_where_the_order_stands() {
        assert_eq!(derived(&[(310, true), (500, true)], false, false), 300);
        assert_eq!(derived(&[(500, false), (500, true)], false, false), 400);
        assert_eq!(derived(&[(500, false), (410, true)], true, false), 410);
        assert_eq!(derived(&[(500, false), (540, true)], true, true), 510);
        assert_eq!(derived(&[(500, true), (600, true)], false, false), 500);
        assert_eq!(derived(&[(560, true)], false, false), 520);
    }
}

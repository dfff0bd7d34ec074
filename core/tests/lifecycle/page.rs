//! Checks the transition table against the agreed transitions, and the page and the data that are
//! generated from it.

use despacho_core::{
    model::order::OrderStatus,
    rules::lifecycle::table::{Move, Repeat, TABLE, render, transitions},
};

/// Compares a file beside the table with its text, or writes it if requested.
fn check(name: &str, text: &str) {
    let file = format!("{}/src/rules/lifecycle/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("DESPACHO_WRITE_LIFE").is_ok() {
        std::fs::write(&file, text).unwrap();
    }
    let stored = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        stored == text,
        "{file} is outdated; the first lines of README.md beside it contain the command that regenerates it"
    );
}

#[test]
fn lifecycle_page_matches_the_table() {
    check("README.md", &render());
}

#[test]
fn lifecycle_data_matches_the_table() {
    check("transitions.json", &transitions());
}

/// The agreed transitions, independent of the sources: statuses from, status to (0 if it depends on
/// the deliveries or is unchanged), actors, event, and the statuses in which a repeated call
/// succeeds ('+' if the order must have a return code).
const AGREED: &str = "
 → 110 merchant order.created -
 → 120 merchant order.created -
 → 100 merchant order.created -
100 → 110 clock order.preparing -
110 → 110 merchant order.delayed -
110 → 120 clock,merchant order.ready 120,200,210,220
200,210,220 → 0 merchant order.delayed -
200,210,220 → 0 merchant order.ready -
110,120 → 200 dispatcher order.searching -
200 → 210 dispatcher,platform order.allocated -
210,220,300 → 0 platform order.eta_changed -
210 → 220 courier order.courier_arrived 220
210,220 → 200 courier,platform order.courier_released -
210,220 → 200 platform order.courier_released -
220 → 300 courier order.picked_up 300
310 → 320 courier delivery.en_route 320
320,330 → 310 courier delivery.resequenced 310
320 → 330 courier delivery.arrived 330
330 → 500 courier delivery.delivered 500
330 → 550 merchant delivery.discarded 550
310,320,330 → 400 courier,merchant delivery.returning 400
400 → 410 courier order.courier_at_return 410
410 → 0 courier order.returned 500,510,520+
400,410 → 0 merchant order.return_waived 500,510,520+
310,320,330,400,410 → 560 platform delivery.lost 560
150 → 600 merchant delivery.cancelled 600
100,110,120,200,210,220 → 600 merchant order.cancelled 600,610
100,110,120,200,210,220 → 610 merchant order.cancelled 600,610
100,110,120,200,210,220 → 620 platform order.cancelled 620
200 → 630 clock order.expired -
150,310,320 → 0 recipient delivery.recipient_choice -
150,310,320,330,500 → 0 merchant,courier delivery.payment_recorded -
500,540,550,560 → 0 recipient delivery.rated -
150,310,320 → 0 platform recipient.notify -
";

#[test]
fn table_matches_the_agreed_transitions() {
    let list = |numbers: Vec<u16>| {
        numbers
            .iter()
            .map(u16::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    let mut lines = String::from("\n");
    for row in TABLE {
        let (from, to) = match row.moves {
            Move::Order { from, to, .. } => (
                list(from.iter().map(|one| one.number()).collect()),
                to.map_or(0, |to| to.number()),
            ),
            Move::Delivery { from, to } => (
                list(from.iter().map(|one| one.number()).collect()),
                to.number(),
            ),
            Move::DeliveryUnchanged { during } => {
                (list(during.iter().map(|one| one.number()).collect()), 0)
            }
            Move::Unchanged { during } => {
                (list(during.iter().map(|one| one.number()).collect()), 0)
            }
        };
        let actor: Vec<&str> = row.actor.iter().map(|actor| actor.name()).collect();
        let orders =
            |situations: &[OrderStatus]| list(situations.iter().map(|one| one.number()).collect());
        let repeat = match row.repeat {
            Repeat::Never => "-".to_owned(),
            Repeat::AtTarget => to.to_string(),
            Repeat::While(situations) => orders(situations),
            Repeat::AfterReturn(situations) => orders(situations) + "+",
        };
        lines.push_str(&format!(
            "{from} → {to} {} {} {repeat}\n",
            actor.join(","),
            row.event.name()
        ));
    }
    assert_eq!(lines, AGREED);
}

#[test]
fn only_two_modules_change_the_status() {
    let folder = format!("{}/src", env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut writers = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !path.ends_with("tests.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                if code.contains(".status = ") {
                    writers.push(path.file_name().unwrap().to_str().unwrap().to_owned());
                }
            }
        }
    }
    writers.sort();
    assert_eq!(writers, ["progress.rs", "step.rs"]);
}

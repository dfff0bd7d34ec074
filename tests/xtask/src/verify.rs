//! `cargo verify`: everything that must hold before a change goes out, in one command.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use despacho_xtask::{place, run::Failure};

use crate::{
    needs::Missing,
    steps::{STEPS, Step},
};

/// Which steps to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// These alone, where any are named.
    pub(crate) only: Vec<String>,
    /// This one and those after it.
    pub(crate) from: Option<String>,
}

/// How a step ended.
enum Ending {
    Passed,
    Skipped(String),
    Failed(Failure),
}

/// Prints the steps and what each shows.
pub(crate) fn list() {
    for step in STEPS {
        println!("{:<12}{}", step.name, step.what);
    }
}

/// Runs the chosen steps in order and stops at the first that fails.
pub(crate) fn verify(choice: &Choice) -> Result<(), Failure> {
    let root = place::root()?;
    let steps = chosen(STEPS, choice)?;
    let offline = std::env::var_os("DESPACHO_VERIFY_OFFLINE").is_some_and(|value| value == "1");
    let mut report = Report::default();
    for (position, step) in steps.iter().enumerate() {
        println!("[{}/{}] {}: {}", position + 1, steps.len(), step.name, step.what);
        let start = Instant::now();
        let ending = take(step, &root, offline);
        if report.enter(step.name, start.elapsed(), ending) {
            break;
        }
    }
    report.close()
}

fn take(step: &Step, root: &Path, offline: bool) -> Ending {
    for need in step.needs {
        match need.ensure(root, offline) {
            Ok(()) => {}
            Err(Missing::Offline(reason)) => return Ending::Skipped(reason),
            Err(Missing::Failed(failure)) => return Ending::Failed(failure),
        }
    }
    match (step.act)(root) {
        Ok(()) => Ending::Passed,
        Err(failure) => Ending::Failed(failure),
    }
}

/// The steps that a choice leaves, or which name in it is none.
fn chosen<'a>(steps: &'a [Step], choice: &Choice) -> Result<Vec<&'a Step>, Failure> {
    let position = |name: &str| {
        steps.iter().position(|step| step.name == name).ok_or_else(|| {
            let names: Vec<_> = steps.iter().map(|step| step.name).collect();
            Failure::new(format!("there is no step `{name}`; there are {}", names.join(", ")))
        })
    };
    let only = choice.only.iter().map(|name| position(name)).collect::<Result<Vec<_>, _>>()?;
    let from = choice.from.as_deref().map_or(Ok(0), position)?;
    let wanted = |index: &usize| only.is_empty() || only.contains(index);
    Ok((from..steps.len()).filter(wanted).filter_map(|index| steps.get(index)).collect())
}

/// What has happened so far.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    passed: usize,
    skipped: usize,
    failed: Option<Failure>,
    total: Duration,
}

impl Report {
    /// Notes how a step ended; true where it failed.
    fn enter(&mut self, name: &str, time: Duration, ending: Ending) -> bool {
        self.total += time;
        let seconds = time.as_secs_f64();
        let (word, detail) = match ending {
            Ending::Passed => {
                self.passed += 1;
                ("passed", String::new())
            }
            Ending::Skipped(reason) => {
                self.skipped += 1;
                ("SKIPPED", format!(": {reason}"))
            }
            Ending::Failed(failure) => {
                let detail = format!(": {failure}");
                let again = format!("step `{name}` failed{detail}\nrun it again with `cargo verify --only {name}`");
                self.failed = Some(Failure::new(again));
                ("FAILED", detail)
            }
        };
        let line = format!("{name:<10}{seconds:>8.1} s  {word}{detail}");
        println!("{line}\n");
        self.lines.push(line);
        self.failed.is_some()
    }

    /// Prints the summary.
    fn close(self) -> Result<(), Failure> {
        for line in &self.lines {
            println!("{line}");
        }
        println!("{:<10}{:>8.1} s", "all", self.total.as_secs_f64());
        println!(
            "verify: {} passed, {} failed, {} skipped",
            self.passed,
            usize::from(self.failed.is_some()),
            self.skipped
        );
        self.failed.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str], from: Option<&str>) -> Result<Vec<&'static str>, Failure> {
        let only = only.iter().map(|&name| name.to_owned()).collect();
        let choice = Choice { only, from: from.map(str::to_owned) };
        Ok(chosen(STEPS, &choice)?.iter().map(|step| step.name).collect())
    }

    #[test]
    fn a_choice_keeps_the_tables_order() {
        assert_eq!(names(&["doc", "fmt"], None), Ok(vec!["fmt", "doc"]));
        assert_eq!(names(&[], None).map(|all| all.len()), Ok(STEPS.len()));
        assert_eq!(
            names(&[], Some("doctest")),
            Ok(vec!["doctest", "crates", "contract", "webhooks", "panel", "bench"])
        );
    }

    #[test]
    fn an_unknown_step_is_told_the_known_ones() {
        let failure = names(&["docs"], None).expect_err("there is no such step").to_string();
        assert!(failure.contains("`docs`") && failure.contains("clippy"), "{failure}");
    }

    #[test]
    fn names_are_unique() {
        let mut all: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), STEPS.len());
    }

    #[test]
    fn a_failure_stops_and_says_how_to_go_on() {
        let mut report = Report::default();
        assert!(!report.enter("fmt", Duration::ZERO, Ending::Passed));
        assert!(!report.enter("deny", Duration::ZERO, Ending::Skipped("no network".to_owned())));
        assert!(report.enter("doc", Duration::ZERO, Ending::Failed(Failure::new("a dead link"))));
        let failure = report.close().expect_err("it failed").to_string();
        assert!(failure.contains("a dead link") && failure.contains("cargo verify --only doc"), "{failure}");
    }
}

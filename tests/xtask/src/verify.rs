//! `cargo verify`: runs every check that a change must pass.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use despacho_xtask::{place, run::Failure};

use crate::{
    needs::Missing,
    steps::{STEPS, Step},
};

/// The selection of steps to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Only these steps, or all steps if empty.
    pub(crate) only: Vec<String>,
    /// The first step to run.
    pub(crate) from: Option<String>,
}

/// The result of a step.
enum StepResult {
    Passed,
    Skipped(String),
    Failed(Failure),
}

/// Prints the steps and their descriptions.
pub(crate) fn list() {
    for step in STEPS {
        println!("{:<12}{}", step.name, step.description);
    }
}

/// Runs the selected steps in order and stops at the first failure.
pub(crate) fn verify(choice: &Choice) -> Result<(), Failure> {
    let root = place::root()?;
    let steps = chosen(STEPS, choice)?;
    let offline = std::env::var_os("DESPACHO_VERIFY_OFFLINE").is_some_and(|value| value == "1");
    let mut report = Report::default();
    for (position, step) in steps.iter().enumerate() {
        println!("[{}/{}] {}: {}", position + 1, steps.len(), step.name, step.description);
        let start = Instant::now();
        let result = run_step(step, &root, offline);
        if report.add(step.name, start.elapsed(), result) {
            break;
        }
    }
    report.finish()
}

fn run_step(step: &Step, root: &Path, offline: bool) -> StepResult {
    for need in step.needs {
        match need.ensure(root, offline) {
            Ok(()) => {}
            Err(Missing::Offline(reason)) => return StepResult::Skipped(reason),
            Err(Missing::Failed(failure)) => return StepResult::Failed(failure),
        }
    }
    match (step.run)(root) {
        Ok(()) => StepResult::Passed,
        Err(failure) => StepResult::Failed(failure),
    }
}

/// Returns the selected steps, or a failure that names an unknown step.
fn chosen<'a>(steps: &'a [Step], choice: &Choice) -> Result<Vec<&'a Step>, Failure> {
    let position = |name: &str| {
        steps.iter().position(|step| step.name == name).ok_or_else(|| {
            let names: Vec<_> = steps.iter().map(|step| step.name).collect();
            Failure::new(format!("there is no step `{name}`; the steps are {}", names.join(", ")))
        })
    };
    let only = choice.only.iter().map(|name| position(name)).collect::<Result<Vec<_>, _>>()?;
    let from = choice.from.as_deref().map_or(Ok(0), position)?;
    let wanted = |(index, step): &(usize, &Step)| if only.is_empty() { !step.is_long } else { only.contains(index) };
    let chosen = steps.iter().enumerate().skip(from).filter(wanted);
    Ok(chosen.map(|(_, step)| step).collect())
}

/// The results of the steps so far.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    passed: usize,
    skipped: usize,
    failed: Option<Failure>,
    total: Duration,
}

impl Report {
    /// Records a step's result and returns whether it failed.
    fn add(&mut self, name: &str, time: Duration, result: StepResult) -> bool {
        self.total += time;
        let seconds = time.as_secs_f64();
        let (status, detail) = match result {
            StepResult::Passed => {
                self.passed += 1;
                ("passed", String::new())
            }
            StepResult::Skipped(reason) => {
                self.skipped += 1;
                ("SKIPPED", format!(": {reason}"))
            }
            StepResult::Failed(failure) => {
                let detail = format!(": {failure}");
                let message = format!("step `{name}` failed{detail}\nrun it again with `cargo verify --only {name}`");
                self.failed = Some(Failure::new(message));
                ("FAILED", detail)
            }
        };
        let line = format!("{name:<10}{seconds:>8.1} s  {status}{detail}");
        println!("{line}\n");
        self.lines.push(line);
        self.failed.is_some()
    }

    /// Prints the summary and returns the failure, if there is one.
    fn finish(self) -> Result<(), Failure> {
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
    fn selected_steps_keep_the_order_of_the_table() {
        assert_eq!(names(&["doc", "fmt"], None), Ok(vec!["fmt", "doc"]));
        assert_eq!(names(&[], None).map(|all| all.len()), Ok(STEPS.len() - 1), "all except the long one");
        assert_eq!(names(&["generators"], None), Ok(vec!["generators"]));
        assert_eq!(
            names(&[], Some("doctest")),
            Ok(vec!["doctest", "crates", "contract", "webhooks", "recipes", "panel", "woocommerce", "bench"])
        );
    }

    #[test]
    fn unknown_step_error_lists_all_steps() {
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
    fn failed_step_stops_and_prints_the_command_to_repeat_it() {
        let mut report = Report::default();
        assert!(!report.add("fmt", Duration::ZERO, StepResult::Passed));
        assert!(!report.add("deny", Duration::ZERO, StepResult::Skipped("no network".to_owned())));
        assert!(report.add("doc", Duration::ZERO, StepResult::Failed(Failure::new("a dead link"))));
        let failure = report.finish().expect_err("it failed").to_string();
        assert!(failure.contains("a dead link") && failure.contains("cargo verify --only doc"), "{failure}");
    }
}

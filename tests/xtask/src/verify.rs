//! `cargo verify`: runs every check that a change must pass. Steps that wait run at the same time
//! as steps that compile.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use despacho_xtask::{
    place,
    run::{self, Failure},
    skip,
};

use crate::{
    needs::Missing,
    steps::{Load, STEPS, Step},
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

/// A step that was run.
struct Done {
    name: &'static str,
    time: Duration,
    result: StepResult,
}

/// Prints the steps and their descriptions.
pub(crate) fn list() {
    for step in STEPS {
        println!("{:<14}{}", step.name, step.description);
    }
}

/// Runs the selected steps and stops at the first failure, after the steps that run at the same
/// time.
pub(crate) fn verify(choice: &Choice) -> Result<(), Failure> {
    let root = place::root()?;
    let steps = chosen(STEPS, choice)?;
    let offline = std::env::var_os("DESPACHO_VERIFY_OFFLINE").is_some_and(|value| value == "1");
    let run_one = |step: &Step| {
        let position = steps
            .iter()
            .position(|other| other.name == step.name)
            .unwrap_or_default();
        println!(
            "[{}/{}] {}: {}",
            position + 1,
            steps.len(),
            step.name,
            step.description
        );
        let start = Instant::now();
        let result = run_step(step, &root, offline);
        let done = Done {
            name: step.name,
            time: start.elapsed(),
            result,
        };
        println!("{}\n", done.line());
        done
    };
    let run_in_order = |steps: &[&Step]| {
        let mut all = Vec::new();
        for step in steps {
            all.push(run_one(step));
            if has_failed(&all) {
                break;
            }
        }
        all
    };
    skip::clear()?;
    let start = Instant::now();
    let mut all = Vec::new();
    for (waiting, others) in groups(&steps) {
        let (waited, done) = thread::scope(|scope| {
            let waited = scope.spawn(|| {
                run::show_in_one_piece();
                run_in_order(waiting)
            });
            let done = run_in_order(others);
            (waited.join(), done)
        });
        all.extend(waited.map_err(|_| Failure::new("a step panicked"))?);
        all.extend(done);
        if has_failed(&all) {
            break;
        }
    }
    report(&all, start.elapsed())
}

/// Splits steps into groups that run one after another: steps that wait, and steps that run at the
/// same time as those.
fn groups<'s>(mut steps: &'s [&'static Step]) -> Vec<(&'s [&'static Step], &'s [&'static Step])> {
    let mut groups = Vec::new();
    while !steps.is_empty() {
        let waiting = steps
            .iter()
            .take_while(|step| step.load == Load::Waits)
            .count();
        let compiling = steps[waiting..]
            .iter()
            .take_while(|step| step.load == Load::Compiles)
            .count();
        let (waiting, others) = if compiling == 0 {
            (0, waiting.max(1))
        } else {
            (waiting, compiling)
        };
        let (group, rest) = steps.split_at(waiting + others);
        groups.push(group.split_at(waiting));
        steps = rest;
    }
    groups
}

fn run_step(step: &Step, root: &Path, offline: bool) -> StepResult {
    for need in step.needs {
        match need.ensure(root, offline) {
            Ok(()) => {}
            Err(Missing::Offline(reason)) => {
                return match skip::permit(step.name, &reason) {
                    Ok(()) => StepResult::Skipped(reason),
                    Err(failure) => StepResult::Failed(failure),
                };
            }
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
        steps
            .iter()
            .position(|step| step.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = steps.iter().map(|step| step.name).collect();
                Failure::new(format!(
                    "there is no step `{name}`; the steps are {}",
                    names.join(", ")
                ))
            })
    };
    let only = choice
        .only
        .iter()
        .map(|name| position(name))
        .collect::<Result<Vec<_>, _>>()?;
    let from = choice.from.as_deref().map_or(Ok(0), position)?;
    let wanted = |(index, step): &(usize, &Step)| {
        if only.is_empty() {
            !step.is_by_name
        } else {
            only.contains(index)
        }
    };
    let chosen = steps.iter().enumerate().skip(from).filter(wanted);
    Ok(chosen.map(|(_, step)| step).collect())
}

impl Done {
    /// Returns the line of the report.
    fn line(&self) -> String {
        let status = match &self.result {
            StepResult::Passed => "passed".to_owned(),
            StepResult::Skipped(reason) => format!("SKIPPED: {reason}"),
            StepResult::Failed(failure) => format!("FAILED: {failure}"),
        };
        format!(
            "{:<14}{:>8.1} s  {status}",
            self.name,
            self.time.as_secs_f64()
        )
    }
}

fn has_failed(steps: &[Done]) -> bool {
    steps
        .iter()
        .any(|done| matches!(done.result, StepResult::Failed(_)))
}

/// Prints the summary and returns the failure, if there is one.
fn report(steps: &[Done], total: Duration) -> Result<(), Failure> {
    let (mut passed, mut skipped, mut failures) = (0, 0, Vec::new());
    for done in steps {
        println!("{}", done.line());
        match &done.result {
            StepResult::Passed => passed += 1,
            StepResult::Skipped(_) => skipped += 1,
            StepResult::Failed(failure) => {
                let name = done.name;
                let again = format!("run it again with `cargo verify --only {name}`");
                failures.push(format!("step `{name}` failed: {failure}\n{again}"));
            }
        }
    }
    println!("{:<14}{:>8.1} s", "all", total.as_secs_f64());
    let ignored = skip::recorded()?;
    for line in &ignored {
        println!("{line}");
    }
    println!(
        "verify: {passed} passed, {} failed, {skipped} skipped; {} tests or parts of steps ignored",
        failures.len(),
        ignored.len()
    );
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(failures.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::QUICK;

    fn names(only: &[&str], from: Option<&str>) -> Result<Vec<&'static str>, Failure> {
        let only = only.iter().map(|&name| name.to_owned()).collect();
        let choice = Choice {
            only,
            from: from.map(str::to_owned),
        };
        Ok(chosen(STEPS, &choice)?
            .iter()
            .map(|step| step.name)
            .collect())
    }

    #[test]
    fn selected_steps_keep_the_order_of_the_table() {
        assert_eq!(names(&["doc", "fmt"], None), Ok(vec!["fmt", "doc"]));
        let by_name = ["units", "types", "generators"];
        assert_eq!(
            names(&[], None).map(|all| all.len()),
            Ok(STEPS.len() - by_name.len()),
            "all except those that run only by name"
        );
        assert_eq!(names(&QUICK, None), Ok(QUICK.to_vec()));
        assert_eq!(names(&["generators"], None), Ok(vec!["generators"]));
        assert_eq!(
            names(&[], Some("doctest")),
            Ok(vec![
                "doctest",
                "crates",
                "crates-newest",
                "crates-oldest",
                "panel",
                "woocommerce",
                "bench"
            ])
        );
    }

    #[test]
    fn unknown_step_error_lists_all_steps() {
        let failure = names(&["docs"], None)
            .expect_err("there is no such step")
            .to_string();
        assert!(
            failure.contains("`docs`") && failure.contains("clippy"),
            "{failure}"
        );
    }

    #[test]
    fn waiting_steps_run_with_the_compiling_steps_after_them() {
        let grouped = |only: &[&str]| -> Vec<(Vec<&str>, Vec<&str>)> {
            let choice = Choice {
                only: only.iter().map(|&name| name.to_owned()).collect(),
                from: None,
            };
            let steps = chosen(STEPS, &choice).expect("these steps exist");
            let names = |steps: &[&Step]| steps.iter().map(|step| step.name).collect();
            groups(&steps)
                .into_iter()
                .map(|(waiting, others)| (names(waiting), names(others)))
                .collect()
        };
        let all = grouped(&[]);
        assert_eq!(
            all[..2],
            [
                (vec![], vec!["fmt"]),
                (vec!["deploy"], vec!["wasm", "clippy", "doc"])
            ]
        );
        assert!(
            all.contains(&(vec!["webhooks", "recipes"], vec!["spin-build"])),
            "{all:?}"
        );
        assert_eq!(grouped(&["contract"]), [(vec![], vec!["contract"])]);
        assert_eq!(
            grouped(&["webhooks", "recipes", "panel"]),
            [
                (vec![], vec!["webhooks", "recipes"]),
                (vec![], vec!["panel"])
            ]
        );
    }

    /// `units` and `types` are parts of `test` and `panel`, for `--quick`.
    #[test]
    fn workflow_runs_every_step_once() {
        let path = place::root().expect("the repository");
        let text = std::fs::read_to_string(path.join(".github/workflows/verify.yml"));
        let text = text.expect("the workflow");
        let jobs = text.lines().filter_map(|line| {
            let (_, steps) = line.split_once("- { job: ")?.1.split_once("steps: ")?;
            steps.strip_suffix(" }")
        });
        let mut listed: Vec<&str> = jobs.flat_map(str::split_whitespace).collect();
        let mut steps: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        steps.retain(|name| !["units", "types"].contains(name));
        listed.sort_unstable();
        steps.sort_unstable();
        assert_eq!(listed, steps);
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
        let done = |name, result| Done {
            name,
            time: Duration::ZERO,
            result,
        };
        let mut steps = vec![
            done("fmt", StepResult::Passed),
            done("deny", StepResult::Skipped("no network".to_owned())),
        ];
        assert!(!has_failed(&steps));
        assert_eq!(report(&steps, Duration::ZERO), Ok(()));
        steps.push(done("doc", StepResult::Failed(Failure::new("a dead link"))));
        assert!(has_failed(&steps));
        let failure = report(&steps, Duration::ZERO)
            .expect_err("it failed")
            .to_string();
        assert!(
            failure.contains("a dead link") && failure.contains("cargo verify --only doc"),
            "{failure}"
        );
    }
}

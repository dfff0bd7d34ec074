//! The format of case files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    expand::{self, Values},
    schema,
};

/// A file of steps that run on a new host.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// A sentence that describes what the file tests.
    pub about: String,
    /// Files of tests/cases/setup whose steps run first. Their captured values are available.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Settings that override the defaults, with the keys of `despacho config`.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Values for `$use`, in addition to those of tests/cases/shared.
    #[serde(default)]
    #[schemars(schema_with = "schema::values")]
    pub values: Values,
    /// Values for steps that do not have their own.
    #[serde(default)]
    pub defaults: Defaults,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// Values for steps that do not have their own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// Method and path.
    pub send: Option<String>,
    /// Request headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The expected response. `status`, `body`, `text` and each header of a step replace these
    /// individually.
    #[serde(default)]
    pub expect: Expect,
}

/// A request and its expected response, or an advance of the clock.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What the step tests.
    #[serde(default)]
    pub name: String,
    /// Advances the clock instead of sending a request.
    pub advance_seconds: Option<u32>,
    /// Method and path: `POST /delivery/orders`.
    pub send: Option<String>,
    /// Request headers; `null` removes a default header.
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    /// The body as JSON.
    #[serde(default)]
    #[schemars(schema_with = "schema::value")]
    pub body: Option<Value>,
    /// The body as a string, or as an array of strings that are joined.
    #[serde(default)]
    #[schemars(schema_with = "schema::value")]
    pub text: Option<Value>,
    /// The body in base64, for bytes that are not UTF-8.
    pub base64: Option<String>,
    /// The expected response.
    #[serde(default)]
    pub expect: Expect,
}

/// An expected response. Absent parts are not checked, except for the rules of every response.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The status.
    pub status: Option<u16>,
    /// A pattern for each header; `null` means that the header must be absent.
    #[serde(default)]
    #[schemars(schema_with = "schema::header_patterns")]
    pub headers: Map<String, Value>,
    /// A pattern for the body as JSON.
    #[serde(default)]
    #[schemars(schema_with = "schema::pattern")]
    pub body: Option<Value>,
    /// A pattern for the body as text.
    #[serde(default)]
    #[schemars(schema_with = "schema::pattern")]
    pub text: Option<Value>,
}

/// A file of tests/cases/shared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedFile {
    #[serde(rename = "about")]
    _about: String,
    values: Values,
}

/// A case file with complete steps, and the steps of its setup before them.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's path below tests/cases, without its extension: `orders/create`.
    pub name: String,
    /// Settings that override the defaults.
    pub settings: BTreeMap<String, String>,
    /// All steps, with defaults and values inserted.
    pub steps: Vec<Step>,
}

impl Case {
    /// Returns whether a step advances the clock, which only some hosts support.
    #[must_use]
    pub fn advances_clock(&self) -> bool {
        self.steps.iter().any(|step| step.advance_seconds.is_some())
    }
}

/// Returns the path of tests/cases.
#[must_use]
pub fn folder() -> PathBuf {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    package.join("../cases")
}

/// Returns the sorted names of all case files below a folder, without those of `setup` and
/// `shared`.
pub fn names(folder: &Path) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    collect(folder, "", &mut names)?;
    names.retain(|name| !name.starts_with("setup/") && !name.starts_with("shared/"));
    names.sort();
    Ok(names)
}

/// Returns the sorted names of the files of `setup`.
pub fn setup_names(folder: &Path) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    collect(&folder.join("setup"), "setup/", &mut names)?;
    names.sort();
    Ok(names)
}

fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<(), String> {
    let error = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), names)?;
        } else if let Some(stem) = name.strip_suffix(".json") {
            names.push(format!("{prefix}{stem}"));
        }
    }
    Ok(())
}

/// Reads a case file, its setup and the shared values.
pub fn load(folder: &Path, name: &str) -> Result<Case, String> {
    let mut shared = Values::new();
    let mut names = Vec::new();
    collect(&folder.join("shared"), "shared/", &mut names)?;
    for file in names {
        for (key, value) in read::<SharedFile>(folder, &file)?.values {
            if shared.insert(key.clone(), value).is_some() {
                return Err(format!(
                    "{file}.json: another shared file also has a value `{key}`"
                ));
            }
        }
    }
    let file: CaseFile = read(folder, name)?;
    let mut steps = Vec::new();
    for setup in &file.setup {
        let setup = format!("setup/{setup}");
        let setup_file: CaseFile = read(folder, &setup)?;
        steps.extend(complete(&setup_file, &shared).map_err(|e| format!("{setup}.json: {e}"))?);
    }
    steps.extend(complete(&file, &shared).map_err(|e| format!("{name}.json: {e}"))?);
    Ok(Case {
        name: name.to_owned(),
        settings: file.settings,
        steps,
    })
}

fn read<T: for<'a> Deserialize<'a>>(folder: &Path, name: &str) -> Result<T, String> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.json")))
        .map_err(|e| format!("{name}.json: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{name}.json: {e}"))
}

/// Returns the steps with defaults and values inserted.
fn complete(file: &CaseFile, shared: &Values) -> Result<Vec<Step>, String> {
    if file.about.trim().is_empty() || file.steps.is_empty() {
        return Err("a case needs `about` and at least one step".to_owned());
    }
    let values: Values = shared
        .iter()
        .chain(&file.values)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let steps = file.steps.iter().enumerate();
    steps
        .map(|(index, step)| {
            step.complete(&file.defaults, &values)
                .map_err(|e| format!("step {} `{}`: {e}", index + 1, step.name))
        })
        .collect()
}

impl Step {
    fn complete(&self, defaults: &Defaults, values: &Values) -> Result<Step, String> {
        if self.advance_seconds.is_some() {
            return Ok(self.clone());
        }
        let expanded = |value: &Option<Value>| {
            value
                .as_ref()
                .map(|value| expand::expand(value, values))
                .transpose()
        };
        let own = &self.expect;
        let mut headers: BTreeMap<String, Option<String>> = defaults
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.clone())))
            .collect();
        headers.extend(self.headers.clone());
        let mut expected_headers = defaults.expect.headers.clone();
        expected_headers.extend(own.headers.clone());
        let step = Step {
            name: self.name.clone(),
            advance_seconds: None,
            send: self.send.clone().or_else(|| defaults.send.clone()),
            headers,
            body: expanded(&self.body)?,
            text: expanded(&self.text)?,
            base64: self.base64.clone(),
            expect: Expect {
                status: own.status.or(defaults.expect.status),
                headers: expected_headers,
                body: expanded(&own.body.clone().or_else(|| defaults.expect.body.clone()))?,
                text: expanded(&own.text.clone().or_else(|| defaults.expect.text.clone()))?,
            },
        };
        step.check()?;
        Ok(step)
    }

    fn check(&self) -> Result<(), String> {
        let bodies = [
            self.body.is_some(),
            self.text.is_some(),
            self.base64.is_some(),
        ];
        let is_sendable = self
            .send
            .as_deref()
            .is_some_and(|send| send.split_once(' ').is_some());
        let error = match () {
            () if self.name.trim().is_empty() => "has no name",
            () if !is_sendable => "needs `send`: a method and a path",
            () if bodies.iter().filter(|is_present| **is_present).count() > 1 => {
                "has more than one of body, text and base64"
            }
            () if self.expect.status.is_none() => "needs `expect.status`",
            () => return Ok(()),
        };
        Err(error.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn completed(file: Value) -> Result<Vec<Step>, String> {
        let file: CaseFile = serde_json::from_value(file).map_err(|e| e.to_string())?;
        complete(&file, &Values::new())
    }

    #[test]
    fn defaults_apply_to_absent_parts_of_a_step() {
        let steps = completed(json!({
            "about": "a", "defaults": {"send": "POST /a", "headers": {"x": "1", "y": "2"}, "expect": {"status": 422}},
            "steps": [{"name": "one"}, {"name": "two", "send": "GET /b", "headers": {"x": null}, "expect": {"status": 200}}],
        }))
        .expect("the file is valid");
        assert_eq!(steps[0].send.as_deref(), Some("POST /a"));
        assert_eq!(
            (steps[0].expect.status, steps[1].expect.status),
            (Some(422), Some(200))
        );
        assert_eq!(steps[1].headers.get("x"), Some(&None));
        assert_eq!(steps[1].headers.get("y"), Some(&Some("2".to_owned())));
    }

    #[test]
    fn invalid_file_is_rejected() {
        let wrong = [
            (json!({"about": "a", "steps": []}), "at least one step"),
            (
                json!({"about": "a", "steps": [{"send": "GET /", "expect": {"status": 200}}]}),
                "has no name",
            ),
            (
                json!({"about": "a", "steps": [{"name": "n", "send": "GET /"}]}),
                "needs `expect.status`",
            ),
            (
                json!({"about": "a", "steps": [{"name": "n", "send": "GET", "expect": {"status": 200}}]}),
                "needs `send`",
            ),
            (
                json!({"about": "a", "steps": [{"name": "n", "sent": "GET /"}]}),
                "unknown field `sent`",
            ),
            (
                json!({"about": "a", "steps": [{"name": "n", "send": "GET /", "body": 1, "text": "1", "expect": {"status": 200}}]}),
                "more than one",
            ),
        ];
        for (file, reason) in wrong {
            let output = completed(file).expect_err(reason);
            assert!(output.contains(reason), "{output}");
        }
    }
}

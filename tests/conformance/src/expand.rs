//! Expands values of cases: `$use` inserts a named value, `$times` repeats a value.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Values by name.
pub type Values = BTreeMap<String, Value>;

/// The maximum depth of nested values. It ends the expansion of values that use each other in a
/// cycle.
const MAX_DEPTH: u32 = 32;

/// Returns the value with every `$use` and `$times` in it expanded.
pub fn expand(value: &Value, values: &Values) -> Result<Value, String> {
    at_depth(value, values, MAX_DEPTH)
}

fn at_depth(value: &Value, values: &Values, depth: u32) -> Result<Value, String> {
    let deeper = || {
        depth
            .checked_sub(1)
            .ok_or_else(|| "values are nested too deeply, or use each other in a cycle".to_owned())
    };
    match value {
        Value::Object(object) if object.contains_key("$use") => {
            use_named(object, values, deeper()?)
        }
        Value::Object(object) if object.contains_key("$times") => repeat(object, values, deeper()?),
        Value::Object(object) => {
            let depth = deeper()?;
            let entries = object
                .iter()
                .map(|(key, value)| Ok((key.clone(), at_depth(value, values, depth)?)));
            entries
                .collect::<Result<Map<_, _>, String>>()
                .map(Value::Object)
        }
        Value::Array(items) => {
            let depth = deeper()?;
            items
                .iter()
                .map(|item| at_depth(item, values, depth))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array)
        }
        plain => Ok(plain.clone()),
    }
}

/// `{"$use": "order", "$set": {"/deliveries/0/phone": "1"}, "$remove": ["/code"]}`
fn use_named(object: &Map<String, Value>, values: &Values, depth: u32) -> Result<Value, String> {
    only(object, &["$use", "$set", "$remove"])?;
    let name = object
        .get("$use")
        .and_then(Value::as_str)
        .ok_or("`$use` takes a name")?;
    let named = values
        .get(name)
        .ok_or_else(|| format!("no value `{name}` is defined"))?;
    let mut expanded = at_depth(named, values, depth)?;
    for (pointer, value) in object
        .get("$set")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        set(&mut expanded, pointer, at_depth(value, values, depth)?)?;
    }
    for pointer in object
        .get("$remove")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        remove(
            &mut expanded,
            pointer.as_str().ok_or("`$remove` takes pointers")?,
        )?;
    }
    Ok(expanded)
}

/// `{"$times": 51, "$item": …}` is an array, `{"$times": 256, "$text": "x"}` a string.
fn repeat(object: &Map<String, Value>, values: &Values, depth: u32) -> Result<Value, String> {
    only(object, &["$times", "$item", "$text"])?;
    let times = object
        .get("$times")
        .and_then(Value::as_u64)
        .and_then(|times| usize::try_from(times).ok());
    let times = times.ok_or("`$times` takes a number")?;
    match (object.get("$item"), object.get("$text")) {
        (Some(item), None) => Ok(Value::Array(vec![at_depth(item, values, depth)?; times])),
        (None, Some(Value::String(text))) => Ok(Value::String(text.repeat(times))),
        _ => Err("`$times` takes either `$item` or `$text`".to_owned()),
    }
}

fn only(object: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` is unknown; use {}", known.join(", "))),
        None => Ok(()),
    }
}

/// Returns the parent of the value at `pointer`, and the last part of the pointer.
fn parent<'a>(value: &'a mut Value, pointer: &str) -> Result<(&'a mut Value, String), String> {
    let (above, last) = pointer
        .rsplit_once('/')
        .ok_or_else(|| format!("`{pointer}` is not a JSON Pointer"))?;
    let parent_value = value
        .pointer_mut(above)
        .ok_or_else(|| format!("no value exists at `{above}`"))?;
    Ok((parent_value, last.replace("~1", "/").replace("~0", "~")))
}

fn set(value: &mut Value, pointer: &str, new: Value) -> Result<(), String> {
    let (parent_value, last) = parent(value, pointer)?;
    match parent_value {
        Value::Object(object) => _ = object.insert(last, new),
        Value::Array(items) if last == "-" => items.push(new),
        Value::Array(items) => {
            let slot = last
                .parse()
                .ok()
                .and_then(|index: usize| items.get_mut(index));
            *slot.ok_or_else(|| format!("no value exists at `{pointer}`"))? = new;
        }
        _ => return Err(format!("`{pointer}` is inside a scalar")),
    }
    Ok(())
}

fn remove(value: &mut Value, pointer: &str) -> Result<(), String> {
    let (parent_value, last) = parent(value, pointer)?;
    let was_removed = match parent_value {
        Value::Object(object) => object.remove(&last).is_some(),
        Value::Array(items) => {
            let index = last
                .parse()
                .ok()
                .filter(|index: &usize| *index < items.len());
            index.map(|index| items.remove(index)).is_some()
        }
        _ => false,
    };
    if was_removed {
        Ok(())
    } else {
        Err(format!("no value exists at `{pointer}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn expanded(value: Value) -> Result<Value, String> {
        let values = json!({
            "order": {"code": "A", "deliveries": [{"name": "Ana"}]},
            "two": {"$use": "order", "$set": {"/deliveries/-": {"name": "Bia"}}},
            "cycle": {"$use": "cycle"},
        });
        expand(&value, &serde_json::from_value(values).expect("a map"))
    }

    #[test]
    fn named_value_is_changed_at_pointers() {
        let value =
            json!({"$use": "two", "$set": {"/code": "B"}, "$remove": ["/deliveries/0/name"]});
        assert_eq!(
            expanded(value),
            Ok(json!({"code": "B", "deliveries": [{}, {"name": "Bia"}]}))
        );
    }

    #[test]
    fn strings_and_items_are_repeated() {
        assert_eq!(
            expanded(json!({"$times": 3, "$text": "ab"})),
            Ok(json!("ababab"))
        );
        let many = expanded(
            json!([{"$times": 2, "$item": {"$use": "order", "$remove": ["/deliveries"]}}]),
        );
        assert_eq!(many, Ok(json!([[{"code": "A"}, {"code": "A"}]])));
    }

    #[test]
    fn invalid_directives_are_rejected() {
        let wrong = [
            (json!({"$use": "gone"}), "no value `gone`"),
            (json!({"$use": "cycle"}), "in a cycle"),
            (json!({"$use": "order", "$sett": {}}), "`$sett` is unknown"),
            (
                json!({"$use": "order", "$set": {"/a/b/c": 1}}),
                "no value exists at `/a/b`",
            ),
            (
                json!({"$use": "order", "$remove": ["/fullCode"]}),
                "no value exists at `/fullCode`",
            ),
            (json!({"$times": 2}), "either `$item` or `$text`"),
        ];
        for (value, reason) in wrong {
            let output = expanded(value).expect_err(reason);
            assert!(output.contains(reason), "{output}");
        }
    }
}

//! Values that say how they are made: `$use` for one that has a name, `$times` for many of the same.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Values by their names.
pub type Values = BTreeMap<String, Value>;

/// How deep values may name each other; a circle would go on for ever.
const DEPTH: u32 = 32;

/// The value with everything in it made.
pub fn expand(value: &Value, values: &Values) -> Result<Value, String> {
    at_depth(value, values, DEPTH)
}

fn at_depth(value: &Value, values: &Values, depth: u32) -> Result<Value, String> {
    let deeper = || depth.checked_sub(1).ok_or_else(|| "values name each other in a circle".to_owned());
    match value {
        Value::Object(object) if object.contains_key("$use") => use_named(object, values, deeper()?),
        Value::Object(object) if object.contains_key("$times") => repeat(object, values, deeper()?),
        Value::Object(object) => {
            let depth = deeper()?;
            let entries = object.iter().map(|(key, value)| Ok((key.clone(), at_depth(value, values, depth)?)));
            entries.collect::<Result<Map<_, _>, String>>().map(Value::Object)
        }
        Value::Array(items) => {
            let depth = deeper()?;
            items.iter().map(|item| at_depth(item, values, depth)).collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        plain => Ok(plain.clone()),
    }
}

/// `{"$use": "order", "$set": {"/deliveries/0/phone": "1"}, "$remove": ["/code"]}`
fn use_named(object: &Map<String, Value>, values: &Values, depth: u32) -> Result<Value, String> {
    only(object, &["$use", "$set", "$remove"])?;
    let name = object.get("$use").and_then(Value::as_str).ok_or("`$use` takes a name")?;
    let named = values.get(name).ok_or_else(|| format!("there is no value `{name}`"))?;
    let mut made = at_depth(named, values, depth)?;
    for (pointer, value) in object.get("$set").and_then(Value::as_object).into_iter().flatten() {
        set(&mut made, pointer, at_depth(value, values, depth)?)?;
    }
    for pointer in object.get("$remove").and_then(Value::as_array).into_iter().flatten() {
        remove(&mut made, pointer.as_str().ok_or("`$remove` takes pointers")?)?;
    }
    Ok(made)
}

/// `{"$times": 51, "$item": …}` is an array, `{"$times": 256, "$text": "x"}` a text.
fn repeat(object: &Map<String, Value>, values: &Values, depth: u32) -> Result<Value, String> {
    only(object, &["$times", "$item", "$text"])?;
    let times = object.get("$times").and_then(Value::as_u64).and_then(|times| usize::try_from(times).ok());
    let times = times.ok_or("`$times` takes a number")?;
    match (object.get("$item"), object.get("$text")) {
        (Some(item), None) => Ok(Value::Array(vec![at_depth(item, values, depth)?; times])),
        (None, Some(Value::String(text))) => Ok(Value::String(text.repeat(times))),
        _ => Err("`$times` takes either `$item` or `$text`".to_owned()),
    }
}

fn only(object: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` cannot stand beside {}", known.join(", "))),
        None => Ok(()),
    }
}

/// The place that holds a pointer's last part, and that part.
fn parent<'a>(value: &'a mut Value, pointer: &str) -> Result<(&'a mut Value, String), String> {
    let (above, last) = pointer.rsplit_once('/').ok_or_else(|| format!("`{pointer}` is no JSON pointer"))?;
    let place = value.pointer_mut(above).ok_or_else(|| format!("there is nothing at `{above}`"))?;
    Ok((place, last.replace("~1", "/").replace("~0", "~")))
}

fn set(value: &mut Value, pointer: &str, new: Value) -> Result<(), String> {
    let (place, last) = parent(value, pointer)?;
    match place {
        Value::Object(object) => _ = object.insert(last, new),
        Value::Array(items) if last == "-" => items.push(new),
        Value::Array(items) => {
            let slot = last.parse().ok().and_then(|index: usize| items.get_mut(index));
            *slot.ok_or_else(|| format!("there is nothing at `{pointer}`"))? = new;
        }
        _ => return Err(format!("`{pointer}` is inside a plain value")),
    }
    Ok(())
}

fn remove(value: &mut Value, pointer: &str) -> Result<(), String> {
    let (place, last) = parent(value, pointer)?;
    let gone = match place {
        Value::Object(object) => object.remove(&last).is_some(),
        Value::Array(items) => {
            let index = last.parse().ok().filter(|index: &usize| *index < items.len());
            index.map(|index| items.remove(index)).is_some()
        }
        _ => false,
    };
    if gone { Ok(()) } else { Err(format!("there is nothing at `{pointer}` to remove")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(value: Value) -> Result<Value, String> {
        let values = json!({
            "order": {"code": "A", "deliveries": [{"name": "Ana"}]},
            "two": {"$use": "order", "$set": {"/deliveries/-": {"name": "Bia"}}},
            "circle": {"$use": "circle"},
        });
        expand(&value, &serde_json::from_value(values).expect("it is a map"))
    }

    #[test]
    fn a_named_value_is_changed_where_said() {
        let value = json!({"$use": "two", "$set": {"/code": "B"}, "$remove": ["/deliveries/0/name"]});
        assert_eq!(made(value), Ok(json!({"code": "B", "deliveries": [{}, {"name": "Bia"}]})));
    }

    #[test]
    fn things_are_repeated() {
        assert_eq!(made(json!({"$times": 3, "$text": "ab"})), Ok(json!("ababab")));
        let many = made(json!([{"$times": 2, "$item": {"$use": "order", "$remove": ["/deliveries"]}}]));
        assert_eq!(many, Ok(json!([[{"code": "A"}, {"code": "A"}]])));
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = [
            (json!({"$use": "gone"}), "no value `gone`"),
            (json!({"$use": "circle"}), "in a circle"),
            (json!({"$use": "order", "$sett": {}}), "`$sett` cannot stand"),
            (json!({"$use": "order", "$set": {"/a/b/c": 1}}), "nothing at `/a/b`"),
            (json!({"$use": "order", "$remove": ["/fullCode"]}), "nothing at `/fullCode`"),
            (json!({"$times": 2}), "either `$item` or `$text`"),
        ];
        for (value, reason) in wrong {
            let output = made(value).expect_err(reason);
            assert!(output.contains(reason), "{output}");
        }
    }
}

//! Mutates valid request bodies.

use serde_json::{Map, Value, json};

use crate::faulty_host::Rng;

/// Returns a body with one to three random changes to its JSON value, its text or its bytes.
pub(crate) fn mutate(body: &Value, rng: &mut Rng) -> Vec<u8> {
    let mut value = body.clone();
    for _ in 0..=rng.below(3) {
        match rng.below(8) {
            0..=3 => substitute(&mut value, rng),
            4 => drop_member(&mut value, rng),
            5 => grow_list(&mut value, rng),
            _ => {}
        }
    }
    let mut bytes = value.to_string().into_bytes();
    match rng.below(10) {
        0 | 1 => flip(&mut bytes, rng),
        2 => bytes.truncate(rng.below(bytes.len() + 1)),
        3 => splice(&mut bytes, rng),
        4 => write_number(&mut bytes, rng),
        _ => {}
    }
    bytes
}

fn interesting(rng: &mut Rng) -> Value {
    let texts = [
        "",
        " ",
        "\t\n",
        "0",
        "-1",
        "9007199254740992",
        "null",
        "true",
        "NaN",
        "\u{0}",
        "a\u{7}b",
        "\u{feff}",
        "\u{202e}abc",
        "'; DROP TABLE orders; --",
        "<script>alert(1)</script>",
        "../../etc/passwd",
        "${jndi:ldap://x}",
        "%00",
        "😀",
        "+5511999990000",
        "11999990000",
        "SP",
        "XX",
        "01304-001",
        "11.222.333/0001-81",
        "a@b.co",
        "1234",
        "2026-11-21T12:00:00Z",
    ];
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1440.0,
        1441.0,
        57.9,
        10.999,
        1e6,
        1_000_000.01,
        9_007_199_254_740_992.0,
        1e15,
        1e16,
        1e28,
        1e29,
        1e308,
        -1e308,
        5e-324,
        1e-9,
        1e-10,
        90.0,
        -90.1,
        180.0,
        1e-300,
    ];
    match rng.below(12) {
        0 => Value::Null,
        1 => json!(rng.below(2) == 0),
        2..=4 => json!(rng.pick(&numbers)),
        5 => json!(rng.next()),
        6 => json!(rng.next().cast_signed()),
        7..=9 => json!(rng.pick(&texts)),
        10 => json!("é".repeat(*rng.pick(&[1, 4, 5, 63, 64, 65, 255, 256, 1000, 1001]))),
        _ => rng
            .pick(&[
                json!([]),
                json!({}),
                json!([[]]),
                json!([null]),
                json!({ "a": 1 }),
                json!([{}]),
            ])
            .clone(),
    }
}

/// Returns the nth node of a JSON value in pre-order.
fn node<'a>(value: &'a mut Value, nth: &mut usize) -> Option<&'a mut Value> {
    if *nth == 0 {
        return Some(value);
    }
    *nth -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| node(item, nth)),
        Value::Object(members) => members.values_mut().find_map(|member| node(member, nth)),
        _ => None,
    }
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        _ => 0,
    }
}

fn any_node<'a>(value: &'a mut Value, rng: &mut Rng) -> &'a mut Value {
    let mut nth = rng.below(size(value));
    node(value, &mut nth).unwrap()
}

fn substitute(value: &mut Value, rng: &mut Rng) {
    let replacement = interesting(rng);
    *any_node(value, rng) = replacement;
}

fn drop_member(value: &mut Value, rng: &mut Rng) {
    if let Value::Object(members) = any_node(value, rng)
        && !members.is_empty()
    {
        let name = members
            .keys()
            .nth(rng.below(members.len()))
            .cloned()
            .unwrap();
        members.remove(&name);
        let odd = [
            name.to_uppercase(),
            format!("{name} "),
            "__proto__".to_owned(),
            "a/b~c".to_owned(),
        ];
        members.extend(Map::from_iter([(rng.pick(&odd).clone(), interesting(rng))]));
    }
}

fn grow_list(value: &mut Value, rng: &mut Rng) {
    let times = *rng.pick(&[1, 2, 49, 50, 51, 300]);
    if let Value::Array(items) = any_node(value, rng) {
        let item = items.first().cloned().unwrap_or_else(|| interesting(rng));
        items.extend(std::iter::repeat_n(item, times));
    }
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..=rng.below(3) {
        if !bytes.is_empty() {
            let at = rng.below(bytes.len());
            bytes[at] = rng.next().to_le_bytes()[0];
        }
    }
}

/// Copies a section of the text to another position, which creates duplicate members and unbalanced
/// brackets.
fn splice(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let from = rng.below(bytes.len());
    let section = bytes[from..(from + rng.below(80)).min(bytes.len())].to_vec();
    let at = rng.below(bytes.len());
    bytes.splice(at..at, section);
}

/// Replaces a digit by text that JSON encoders do not produce.
fn write_number(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let odd = [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "1e-999",
        "0x10",
        "01",
        "+1",
        "1.",
        ".5",
        "-",
        "1e400",
        "-0",
        "18446744073709551616",
        "1E5",
        "0.1e1",
        "\"\\ud800\"",
        "\"\\u0000\"",
        "'a'",
        "undefined",
        "[[[[[[[[",
        "1_000",
    ];
    let digits: Vec<usize> = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| byte.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    if !digits.is_empty() {
        let at = *rng.pick(&digits);
        bytes.splice(at..=at, rng.pick(&odd).bytes());
    }
}

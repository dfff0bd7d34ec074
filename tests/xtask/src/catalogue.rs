//! Compiles gettext catalogues: the messages of a `.po` file become a `.mo` file.

use std::collections::BTreeMap;

use despacho_xtask::run::Failure;

/// Compiles a catalogue. An untranslated message is an error, because WordPress would show an empty
/// text.
pub(crate) fn compile(po: &str) -> Result<Vec<u8>, Failure> {
    let messages = parse(po)?;
    if let Some((id, _)) = messages.iter().find(|(_, text)| text.is_empty()) {
        return Err(Failure::new(format!(
            "the catalogue has no translation of {id:?}"
        )));
    }
    let too_large = |_| Failure::new("the catalogue exceeds the limits of its format");
    let count = u32::try_from(messages.len()).map_err(too_large)?;
    const HEADER: u32 = 28;
    let translations = HEADER + 8 * count;
    // WordPress requires the empty hash table to be between the tables and the strings.
    let hashes = translations + 8 * count;
    let mut position = hashes;
    let (mut table, mut strings) = (Vec::new(), Vec::new());
    // The table lists all originals, then all translations. Each string ends with a zero.
    for text in messages.keys().chain(messages.values()) {
        let length = u32::try_from(text.len()).map_err(too_large)?;
        table.extend(length.to_le_bytes());
        table.extend(position.to_le_bytes());
        strings.extend(text.as_bytes());
        strings.push(0);
        position += length + 1;
    }
    let mut file = Vec::new();
    for field in [0x9504_12de, 0, count, HEADER, translations, 0, hashes] {
        file.extend(u32::to_le_bytes(field));
    }
    file.extend(table);
    file.extend(strings);
    Ok(file)
}

/// Returns the messages with their translations. The format sorts them by their bytes.
fn parse(po: &str) -> Result<BTreeMap<String, String>, Failure> {
    let mut messages = BTreeMap::new();
    let (mut id, mut text, mut is_text) = (None, String::new(), false);
    for (index, line) in po.lines().map(str::trim).enumerate() {
        let wrong = || {
            Failure::new(format!(
                "line {} of the catalogue is not valid: {line}",
                index + 1
            ))
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (keyword, rest) = line.split_once('"').ok_or_else(wrong)?;
        let part = unquote(rest.strip_suffix('"').ok_or_else(wrong)?).ok_or_else(wrong)?;
        match keyword.trim() {
            "msgid" => {
                if let Some(id) = id.replace(part) {
                    messages.insert(id, std::mem::take(&mut text));
                }
                is_text = false;
            }
            "msgstr" => (text, is_text) = (part, true),
            "" if is_text => text.push_str(&part),
            "" => id.as_mut().ok_or_else(wrong)?.push_str(&part),
            _ => return Err(wrong()),
        }
    }
    messages.extend(id.map(|id| (id, text)));
    Ok(messages)
}

/// Returns the text of a string with its escapes, or `None` if an escape is unknown.
fn unquote(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                other @ ('"' | '\\') => other,
                _ => return None,
            },
            other => other,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_parsed_with_escapes_and_several_lines() {
        let po = "# comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: pt_BR\\n\"\n\nmsgid \"a \\\"b\\\"\"\nmsgstr \"c\"\n";
        let messages = parse(po).expect("it is valid");
        assert_eq!(
            messages.get("").map(String::as_str),
            Some("Language: pt_BR\n")
        );
        assert_eq!(messages.get("a \"b\"").map(String::as_str), Some("c"));
    }

    #[test]
    fn compiled_catalogue_lists_sorted_messages() {
        let file =
            compile("msgid \"b\"\nmsgstr \"2\"\nmsgid \"a\"\nmsgstr \"1\"\n").expect("it is valid");
        assert_eq!(file.get(..4), Some(&[0xde, 0x12, 0x04, 0x95][..]));
        assert!(file.ends_with(b"a\0b\x001\x002\0"));
    }

    #[test]
    fn invalid_or_untranslated_catalogue_is_rejected() {
        for po in [
            "msgid \"a\"\nmsgstr \"\"",
            "msgid a",
            "msgctxt \"a\"",
            "msgid \"\\x\"\nmsgstr \"a\"",
            "\"a\"",
        ] {
            assert!(compile(po).is_err(), "{po}");
        }
    }
}

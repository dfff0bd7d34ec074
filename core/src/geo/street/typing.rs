//! Names that differ from a written one by one typing error.

use super::{fold_name, hash40};

/// Longest name whose errors are corrected, in letters. It bounds the work: a name of 40 letters
/// has 2,200 neighbours.
const MAX_LETTERS: usize = 40;

/// Calls `each` with the hash of every name that differs from a folded one by a letter: omitted,
/// inserted, replaced, or exchanged with the next. Digits never change, because they distinguish
/// streets.
pub(in crate::geo) fn for_each_neighbour(folded: &str, mut each: impl FnMut(u64)) {
    let letters = folded.as_bytes();
    if letters.len() > MAX_LETTERS || !folded.is_ascii() {
        return;
    }
    let mut name = String::with_capacity(letters.len() + 1);
    let mut check = |head: &str, middle: &[u8], tail: &str| {
        name.clear();
        name.push_str(head);
        name.extend(middle.iter().copied().map(char::from));
        name.push_str(tail);
        each(hash40(&fold_name(&name)));
    };
    for at in 0..=letters.len() {
        let (head, rest) = folded.split_at(at);
        let letter = letters.get(at).copied().filter(u8::is_ascii_lowercase);
        for inserted in b'a'..=b'z' {
            check(head, &[inserted], rest);
            if letter.is_some_and(|letter| letter != inserted) {
                check(head, &[inserted], &rest[1..]);
            }
        }
        if letter.is_some() {
            check(head, &[], &rest[1..]);
        }
        let next = letters.get(at + 1).copied().filter(u8::is_ascii_lowercase);
        if let (Some(letter), Some(next)) = (letter, next) {
            check(head, &[next, letter], &rest[2..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_neighbour(written: &str, name: &str) -> bool {
        let (mut found, wanted) = (false, hash40(&fold_name(name)));
        for_each_neighbour(&fold_name(written), |hash| found |= hash == wanted);
        found
    }

    #[test]
    fn one_letter_may_differ_but_no_digit() {
        for (written, name) in [
            ("agusta", "augusta"),
            ("auguusta", "augusta"),
            ("aubusta", "augusta"),
            ("agususta", "augsusta"),
            ("uagusta", "augusta"),
            ("sergpie", "sergipe"),
            ("15novenbro", "15novembro"),
        ] {
            assert!(is_neighbour(written, name), "{written} {name}");
        }
        for (written, name) in [
            ("augusta", "augustinha"),
            ("16novembro", "15novembro"),
            ("12", "1"),
            ("sqn208blocod", "sqn209blocod"),
        ] {
            assert!(!is_neighbour(written, name), "{written} {name}");
        }
        for_each_neighbour(&"a".repeat(MAX_LETTERS + 1), |_| {
            panic!("a long name has neighbours")
        });
    }
}

//! Compresses names with one-byte codes by byte-pair encoding: one code for each letter, then one
//! for each most frequent pair of codes.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Packed {
    /// The UTF-8 text that each code stands for.
    pub(crate) codes: Vec<Vec<u8>>,
    /// The codes of each name.
    pub(crate) texts: Vec<Vec<u8>>,
}

pub(crate) fn pack(names: &[&str]) -> Result<Packed, String> {
    let letters: BTreeSet<char> = names.iter().flat_map(|name| name.chars()).collect();
    let code_of: BTreeMap<char, u8> = letters.iter().copied().zip(0..=u8::MAX).collect();
    if code_of.len() != letters.len() {
        return Err("more letters than codes".to_owned());
    }
    let mut codes: Vec<Vec<u8>> = letters
        .iter()
        .map(|letter| letter.to_string().into_bytes())
        .collect();
    let mut texts: Vec<Vec<u8>> = names
        .iter()
        .map(|name| {
            name.chars()
                .filter_map(|letter| code_of.get(&letter).copied())
                .collect()
        })
        .collect();
    while let Ok(code) = u8::try_from(codes.len()) {
        let mut pairs: BTreeMap<(u8, u8), usize> = BTreeMap::new();
        for pair in texts.iter().flat_map(|text| text.windows(2)) {
            *pairs.entry((pair[0], pair[1])).or_default() += 1;
        }
        let Some((&pair, _)) = pairs
            .iter()
            .max_by_key(|(pair, count)| (**count, std::cmp::Reverse(**pair)))
        else {
            break;
        };
        texts.iter_mut().for_each(|text| merge(text, pair, code));
        codes.push(
            [
                codes[usize::from(pair.0)].as_slice(),
                &codes[usize::from(pair.1)],
            ]
            .concat(),
        );
    }
    Ok(Packed { codes, texts })
}

/// Replaces every occurrence of a pair, from the left.
fn merge(text: &mut Vec<u8>, pair: (u8, u8), code: u8) {
    let mut merged = Vec::with_capacity(text.len());
    let mut rest = text.as_slice();
    while let [first, tail @ ..] = rest {
        if (*first, tail.first().copied()) == (pair.0, Some(pair.1)) {
            merged.push(code);
            rest = &tail[1..];
        } else {
            merged.push(*first);
            rest = tail;
        }
    }
    *text = merged;
}

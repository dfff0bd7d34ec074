//! Removes the metadata of photos.

use despacho_core::{model::order::PhotoFormat, rules::photos};

use super::kind;

/// Reads the input as a photo of each format. A photo without metadata must stay as it is, because
/// otherwise a part remained that is not copied.
///
/// # Errors
/// If a clean photo changes when it is cleaned again.
pub(crate) fn clean_input(bytes: &[u8]) -> Result<u64, String> {
    let mut outcomes = Vec::new();
    for format in PhotoFormat::ALL {
        let outcome = photos::clean(bytes, *format);
        if let Ok(clean) = &outcome {
            let again = photos::clean(&clean.bytes, *format);
            if again.as_ref() != Ok(clean) {
                return Err(format!("{}: cleaned again: {again:?}", format.name()));
            }
        }
        // The size of the file is no kind of outcome.
        outcomes.push(format!(
            "{:?}",
            outcome.map(|clean| (clean.width, clean.height, clean.bytes.len() < bytes.len()))
        ));
    }
    let outcomes: Vec<&str> = outcomes.iter().map(String::as_str).collect();
    Ok(kind(&outcomes))
}

//! Makes a built component smaller by Binaryen's wasm-opt, which knows modules but no components: the component's one large module is
//! taken out, shrunk, and put back in its place.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::run::{self, Failure};

/// What the component is compiled with; wasm-opt must be told, since the list is stripped from the file.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];
/// Bytes of `\0asm` and a version at the start of a component or a module.
const PREAMBLE: usize = 8;
/// A section that changes nothing, of a component as of a module.
const CUSTOM: u8 = 0;
/// A component's section that holds a module.
const MODULE: u8 = 1;

/// Shrinks a component in place by `program`, a wasm-opt.
pub fn shrink(component: &Path, program: &str) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    let whole = fs::read(component).map_err(|error| failed(component, error))?;
    let no_component = || Failure::new(format!("{} is no component with a module", component.display()));
    let place = largest_module(&whole).ok_or_else(no_component)?;
    let beside = |ending: &str| component.with_extension(ending);
    let (module, shrunk): (PathBuf, PathBuf) = (beside("module.wasm"), beside("module.opt.wasm"));
    fs::write(&module, whole.get(place.body.clone()).unwrap_or_default()).map_err(|error| failed(&module, error))?;
    let mut words = vec![program, "-Oz"];
    words.extend(FEATURES);
    let mut command = run::command(Path::new("."), &words);
    command.arg(&module).arg("-o").arg(&shrunk);
    run::show(command)?;
    let body = fs::read(&shrunk).map_err(|error| failed(&shrunk, error))?;
    let smaller = without_notes(&replaced(&whole, &place, &body)).ok_or_else(no_component)?;
    fs::write(&shrunk, &smaller).map_err(|error| failed(&shrunk, error))?;
    fs::rename(&shrunk, component).map_err(|error| failed(component, error))?;
    // What stays behind is below target and harms nobody.
    _ = fs::remove_file(&module);
    Ok(())
}

/// Where a section stands, and where what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    section: Range<usize>,
    body: Range<usize>,
}

/// The largest module of a component: the others are a few bytes of glue.
fn largest_module(whole: &[u8]) -> Option<Place> {
    let (mut at, mut largest) = (PREAMBLE, None::<Place>);
    while at < whole.len() {
        let kind = *whole.get(at)?;
        let (length, start) = number(whole, at + 1)?;
        let body = start..start.checked_add(length).filter(|end| *end <= whole.len())?;
        let section = at..body.end;
        at = body.end;
        if kind == MODULE && largest.as_ref().is_none_or(|known| known.body.len() < body.len()) {
            largest = Some(Place { section, body });
        }
    }
    largest
}

/// The component with other bytes as that module.
fn replaced(whole: &[u8], place: &Place, body: &[u8]) -> Vec<u8> {
    let (before, after) = (whole.get(..place.section.start), whole.get(place.section.end..));
    let mut made = before.unwrap_or_default().to_vec();
    made.push(MODULE);
    let mut left = body.len();
    loop {
        // Seven bits a byte, the lowest first; the eighth says that more follow.
        let [bits, ..] = left.to_le_bytes();
        left >>= 7;
        made.push(if left == 0 { bits & 0x7f } else { bits | 0x80 });
        if left == 0 {
            break;
        }
    }
    made.extend_from_slice(body);
    made.extend_from_slice(after.unwrap_or_default());
    made
}

/// The component without its custom sections: names for debuggers and the list of compilers, which nobody reads at run time.
fn without_notes(whole: &[u8]) -> Option<Vec<u8>> {
    let mut kept = whole.get(..PREAMBLE)?.to_vec();
    let mut at = PREAMBLE;
    while at < whole.len() {
        let (length, start) = number(whole, at + 1)?;
        let section = whole.get(at..start.checked_add(length)?)?;
        if section.first() != Some(&CUSTOM) {
            kept.extend_from_slice(section);
        }
        at += section.len();
    }
    Some(kept)
}

/// The number that stands there, and where it ends.
fn number(whole: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in whole.get(at..)?.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, at + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_module_is_found_and_replaced() {
        let small = [1, 2, 0xaa, 0xbb];
        let mut large = vec![1, 0x80, 0x02];
        large.extend([7; 256]);
        let whole = [b"\0asm\r\0\x01\0".as_slice(), &small, &large, &[0, 1, 9]].concat();
        let place = largest_module(&whole).expect("a module");
        assert_eq!(place, Place { section: 12..271, body: 15..271 });
        let made = replaced(&whole, &place, &[8; 130]);
        let back = largest_module(&made).expect("a module");
        assert_eq!((back.body.len(), &made[back.body]), (130, [8; 130].as_slice()));
        assert_eq!((&made[..12], &made[made.len() - 3..]), (&whole[..12], [0, 1, 9].as_slice()));
    }

    #[test]
    fn notes_are_left_out_and_all_else_is_kept() {
        let whole = b"\0asm\r\0\x01\0\x00\x02\x01x\x01\x02\xaa\xbb\x00\x01\x00\x07\x01\x09";
        assert_eq!(without_notes(whole).as_deref(), Some(b"\0asm\r\0\x01\0\x01\x02\xaa\xbb\x07\x01\x09".as_slice()));
        assert_eq!(without_notes(b"\0asm\r\0\x01\0\x00\x7f"), None);
    }

    #[test]
    fn what_is_no_component_has_no_module() {
        assert_eq!(largest_module(b"\0asm\r\0\x01\0"), None);
        assert_eq!(largest_module(b"\0asm\r\0\x01\0\x01\x7f"), None);
        assert_eq!(largest_module(b""), None);
    }
}

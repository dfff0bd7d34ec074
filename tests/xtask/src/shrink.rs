//! Optimises the large core module inside a component with Binaryen's wasm-opt, and removes custom sections. wasm-opt cannot
//! read components, so the module is extracted and replaced.

use std::{fs, path::Path};

use crate::run::{self, Failure};

/// The WebAssembly features that the component uses. wasm-opt cannot detect them, because the build strips their list.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];
/// The length in bytes of `\0asm` and the version at the start of a component or a module.
const PREAMBLE: usize = 8;
/// The ID of custom sections, such as names and compiler versions. No runtime reads them.
const CUSTOM: u8 = 0;
/// The ID of a component's section that contains a core module.
const MODULE: u8 = 1;

/// Optimises a component file with `program`, the path or name of wasm-opt, at a level such as `-Oz`.
pub fn shrink(component: &Path, program: &str, level: &str) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    let whole = fs::read(component).map_err(|error| failed(component, error))?;
    let invalid = || Failure::new(format!("{} is not a component with a module", component.display()));
    let mut sections = sections(&whole).ok_or_else(invalid)?;
    sections.retain(|section| section.id != CUSTOM);
    let module = largest_module(&mut sections).ok_or_else(invalid)?;
    let (before, after) = (component.with_extension("module.wasm"), component.with_extension("module.opt.wasm"));
    fs::write(&before, module.body).map_err(|error| failed(&before, error))?;
    let mut command = run::command(Path::new("."), &[&[program, level], &FEATURES[..]].concat());
    command.arg(&before).arg("-o").arg(&after);
    run::show(command)?;
    let optimised = fs::read(&after).map_err(|error| failed(&after, error))?;
    module.body = &optimised;
    // Written to another file first, so that an interrupted run leaves no half component.
    fs::write(&after, encode(&sections)).map_err(|error| failed(&after, error))?;
    fs::rename(&after, component).map_err(|error| failed(component, error))?;
    fs::remove_file(&before).map_err(|error| failed(&before, error))
}

/// A section of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section<'a> {
    id: u8,
    body: &'a [u8],
}

/// Returns the sections of a component, or `None` if it is truncated.
fn sections(component: &[u8]) -> Option<Vec<Section<'_>>> {
    let (mut rest, mut sections) = (component.get(PREAMBLE..)?, Vec::new());
    while let Some((id, tail)) = rest.split_first() {
        let (length, tail) = decode_number(tail)?;
        let (body, tail) = tail.split_at_checked(length)?;
        sections.push(Section { id: *id, body });
        rest = tail;
    }
    Some(sections)
}

/// Returns the largest module. The other modules are a few bytes of glue code.
fn largest_module<'s, 'a>(sections: &'s mut [Section<'a>]) -> Option<&'s mut Section<'a>> {
    sections.iter_mut().filter(|section| section.id == MODULE).max_by_key(|section| section.body.len())
}

fn encode(sections: &[Section<'_>]) -> Vec<u8> {
    let mut component = b"\0asm\x0d\0\x01\0".to_vec();
    for Section { id, body } in sections {
        component.push(*id);
        encode_number(&mut component, body.len());
        component.extend_from_slice(body);
    }
    component
}

/// Reads an unsigned LEB128 number of up to 32 bits.
fn decode_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

fn encode_number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_with_replaced_module_keeps_other_sections() {
        let mut large = vec![1, 0x80, 0x02];
        large.extend([7; 256]);
        let whole = [b"\0asm\r\0\x01\0".as_slice(), &[1, 2, 0xaa, 0xbb], &large, &[7, 1, 9]].concat();
        let mut parsed = sections(&whole).expect("a component");
        assert_eq!(encode(&parsed), whole);
        let module = largest_module(&mut parsed).expect("a module");
        assert_eq!(module.body, [7; 256]);
        module.body = &[8; 130];
        let expected = [&whole[..12], &[1, 0x82, 0x01], &[8; 130], &[7, 1, 9]].concat();
        assert_eq!(encode(&parsed), expected);
    }

    #[test]
    fn invalid_component_has_no_sections() {
        assert_eq!(sections(b""), None);
        assert_eq!(sections(b"\0asm\r\0\x01\0\x01\x7f"), None);
        assert_eq!(sections(b"\0asm\r\0\x01\0\x00\xff\xff\xff\xff\xff"), None);
        assert_eq!(largest_module(&mut sections(b"\0asm\r\0\x01\0\x00\x01\x07").expect("a custom section")), None);
    }
}

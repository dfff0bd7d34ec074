//! `traceparent` of W3C Trace Context: `00-TRACE-SPAN-FLAGS` in lower-case hexadecimal.

use despacho_core::domain::hex;

/// A span of somebody else's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    /// Whether whoever sent it records it.
    pub(super) sampled: bool,
}

impl Parent {
    /// Reads the header. A later version's is read by what it has in common with this one, as the standard wants.
    pub(super) fn parse(text: &str) -> Option<Parent> {
        let mut parts = text.trim().split('-');
        let version = bytes::<1>(parts.next()?)?;
        let (trace, span) = (bytes::<16>(parts.next()?)?, bytes::<8>(parts.next()?)?);
        let flags = bytes::<1>(parts.next()?)?;
        let known = match version {
            [0] => parts.next().is_none(),
            [255] => false,
            _ => true,
        };
        let named = trace != [0; 16] && span != [0; 8];
        (known && named).then_some(Parent { trace, span, sampled: flags[0] & 1 == 1 })
    }

    pub(super) fn text(&self) -> String {
        format!("00-{}-{}-{:02x}", hex(&self.trace), hex(&self.span), u8::from(self.sampled))
    }
}

/// So many bytes in lower-case hexadecimal.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_example_is_read_and_written() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let parent = Parent::parse(text).unwrap();
        assert!(parent.sampled);
        assert_eq!(parent.text(), text);
    }

    #[test]
    fn what_the_standard_refuses_is_refused() {
        for text in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
        ] {
            assert_eq!(Parent::parse(text), None, "{text}");
        }
        assert!(Parent::parse("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-later").is_some());
    }
}

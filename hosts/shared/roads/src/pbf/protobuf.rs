//! The subset of the Protocol Buffers encoding used by extracts.

/// A decoding error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError(pub(crate) &'static str);

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A fixed-width value. This reader needs no such field.
    Fixed,
}

/// The fields of a message, in file order.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Fields<'a> {
        Fields(message)
    }

    fn read(&mut self) -> Result<(u64, Value<'a>), DecodeError> {
        let key = read_varint(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(read_varint(&mut self.0)?),
            1 => take_bytes(&mut self.0, 8).map(|_| Value::Fixed)?,
            2 => {
                let length = read_varint(&mut self.0)?;
                Value::Bytes(take_bytes(&mut self.0, length)?)
            }
            5 => take_bytes(&mut self.0, 4).map(|_| Value::Fixed)?,
            _ => return Err(DecodeError("a field has an unknown wire type")),
        };
        Ok((key >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// The numbers of a packed repeated field.
#[derive(Clone)]
pub(crate) struct Packed<'a>(&'a [u8]);

impl<'a> Packed<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Packed<'a> {
        Packed(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Decodes the numbers as signed deltas and returns the running sums.
    pub(crate) fn deltas(self) -> impl Iterator<Item = Result<i64, DecodeError>> {
        let mut sum = 0i64;
        self.map(move |step| {
            sum = sum.wrapping_add(zigzag(step?));
            Ok(sum)
        })
    }
}

impl Iterator for Packed<'_> {
    type Item = Result<u64, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let read = read_varint(&mut self.0);
        if read.is_err() {
            self.0 = &[];
        }
        Some(read)
    }
}

/// Decodes a ZigZag-encoded number.
pub(crate) fn zigzag(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ -(raw & 1).cast_signed()
}

fn read_varint(bytes: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else {
            return Err(DecodeError("a number is truncated"));
        };
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DecodeError("a number has more than 64 bits"))
}

fn take_bytes<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], DecodeError> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let Some((taken, rest)) = bytes.split_at_checked(length) else {
        return Err(DecodeError("a field is truncated"));
    };
    *bytes = rest;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_have_seven_bits_per_byte() {
        assert_eq!(
            Packed::new(&[0x96, 0x01, 0x00]).collect::<Result<Vec<_>, _>>(),
            Ok(vec![150, 0])
        );
        assert_eq!(
            Packed::new(&[3, 1, 4])
                .deltas()
                .collect::<Result<Vec<_>, _>>(),
            Ok(vec![-2, -3, -1])
        );
    }

    #[test]
    fn truncated_message_returns_single_error() {
        assert_eq!(Packed::new(&[0x80]).collect::<Vec<_>>().len(), 1);
        assert!(Packed::new(&[0xff; 11]).any(|field| field.is_err()));
        let fields: Vec<_> = Fields::new(&[0x0a, 0x05, 1, 2]).collect();
        assert_eq!(fields, [Err(DecodeError("a field is truncated"))]);
        assert_eq!(
            Fields::new(&[0x08, 0x07]).collect::<Vec<_>>(),
            [Ok((1, Value::Number(7)))]
        );
        assert!(Fields::new(&[0x0b]).any(|field| field.is_err()));
    }
}

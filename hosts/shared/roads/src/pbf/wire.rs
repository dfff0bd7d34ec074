//! The few rules of the protocol-buffer encoding that extracts use.

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// The value of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of a fixed width: no field of an extract that matters here.
    Fixed,
}

/// The fields of a message, in the file's order.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Fields<'a> {
        Fields(message)
    }

    fn read(&mut self) -> Result<(u64, Value<'a>), Malformed> {
        let key = number(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(number(&mut self.0)?),
            1 => take(&mut self.0, 8).map(|_| Value::Fixed)?,
            2 => {
                let length = number(&mut self.0)?;
                Value::Bytes(take(&mut self.0, length)?)
            }
            5 => take(&mut self.0, 4).map(|_| Value::Fixed)?,
            _ => return Err(Malformed("a field of an unknown kind")),
        };
        Ok((key >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

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

/// Numbers laid end to end.
#[derive(Clone)]
pub(crate) struct Packed<'a>(&'a [u8]);

impl<'a> Packed<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Packed<'a> {
        Packed(bytes)
    }

    /// The same numbers as signed differences, summed up.
    pub(crate) fn deltas(self) -> impl Iterator<Item = Result<i64, Malformed>> {
        let mut sum = 0i64;
        self.map(move |step| {
            sum = sum.wrapping_add(signed(step?));
            Ok(sum)
        })
    }
}

impl Iterator for Packed<'_> {
    type Item = Result<u64, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let read = number(&mut self.0);
        if read.is_err() {
            self.0 = &[];
        }
        Some(read)
    }
}

/// A number that was written with its sign in the lowest bit.
pub(crate) fn signed(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ -(raw & 1).cast_signed()
}

fn number(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else { return Err(Malformed("a number is cut off")) };
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed("a number has more than 64 bits"))
}

fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Result<&'a [u8], Malformed> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let Some((taken, rest)) = bytes.split_at_checked(length) else { return Err(Malformed("a field is cut off")) };
    *bytes = rest;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        assert_eq!(Packed::new(&[0x96, 0x01, 0x00]).collect::<Result<Vec<_>, _>>(), Ok(vec![150, 0]));
        assert_eq!(Packed::new(&[3, 1, 4]).deltas().collect::<Result<Vec<_>, _>>(), Ok(vec![-2, -3, -1]));
    }

    #[test]
    fn what_is_cut_off_is_an_error_and_ends() {
        assert_eq!(Packed::new(&[0x80]).collect::<Vec<_>>().len(), 1);
        assert!(Packed::new(&[0xff; 11]).any(|one| one.is_err()));
        let fields: Vec<_> = Fields::new(&[0x0a, 0x05, 1, 2]).collect();
        assert_eq!(fields, [Err(Malformed("a field is cut off"))]);
        assert_eq!(Fields::new(&[0x08, 0x07]).collect::<Vec<_>>(), [Ok((1, Value::Number(7)))]);
        assert!(Fields::new(&[0x0b]).any(|one| one.is_err()));
    }
}

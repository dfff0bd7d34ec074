//! Values and rows, which are common to all drivers.

use bytes::Bytes;
use despacho_core::{host::HostError, json, model::Timestamp};
use serde::{Serialize, de::DeserializeOwned};

/// A value of a parameter or column. There are no floating-point values, because they could lose
/// digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// SQL's `NULL`.
    Null,
    /// A 64-bit integer: IDs, versions, centavos, milliseconds, and booleans as 0 and 1.
    Integer(i64),
    /// Text in UTF-8, which can be JSON.
    Text(String),
    /// Bytes.
    Bytes(Bytes),
}

impl Value {
    /// Serializes a value as JSON text.
    pub(crate) fn json<T: Serialize>(value: &T) -> Result<Value, HostError> {
        let text = serde_json::to_string(value);
        text.map(Value::Text).map_err(|error| HostError::Internal {
            detail: format!("writing a row: {error}"),
        })
    }

    /// Converts an ID, a version or a count, all of which are far below 2⁶³.
    pub(crate) fn number(number: impl Into<u64>) -> Value {
        Value::Integer(i64::try_from(number.into()).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<Timestamp> for Value {
    fn from(at: Timestamp) -> Value {
        Value::Integer(at.millis())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A row of a result, which is read column by column in the order of the query.
#[derive(Clone, Debug)]
pub struct Row {
    columns: std::vec::IntoIter<Value>,
}

impl Row {
    /// Creates a row of these columns.
    pub fn new(columns: Vec<Value>) -> Row {
        Row {
            columns: columns.into_iter(),
        }
    }

    /// Returns the columns that have not been read.
    pub fn into_values(self) -> Vec<Value> {
        self.columns.collect()
    }

    /// Returns the size of all texts that have not been read.
    pub(crate) fn bytes_of_text(&self) -> usize {
        let size = |value: &Value| {
            if let Value::Text(text) = value {
                text.len()
            } else {
                0
            }
        };
        self.columns.as_slice().iter().map(size).sum()
    }

    /// Reads the next column as an integer.
    pub fn integer(&mut self) -> Result<i64, HostError> {
        match self.columns.next() {
            Some(Value::Integer(number)) => Ok(number),
            other => Err(unexpected("an integer", &other)),
        }
    }

    /// Reads the next column as an integer or null.
    pub fn optional_integer(&mut self) -> Result<Option<i64>, HostError> {
        match self.columns.next() {
            Some(Value::Integer(number)) => Ok(Some(number)),
            Some(Value::Null) => Ok(None),
            other => Err(unexpected("an integer or null", &other)),
        }
    }

    /// Reads the next column as text.
    pub fn text(&mut self) -> Result<String, HostError> {
        match self.columns.next() {
            Some(Value::Text(text)) => Ok(text),
            other => Err(unexpected("text", &other)),
        }
    }

    /// Reads the next column as text or null.
    pub fn optional_text(&mut self) -> Result<Option<String>, HostError> {
        match self.columns.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            other => Err(unexpected("text or null", &other)),
        }
    }

    /// Reads the next column as bytes.
    pub fn bytes(&mut self) -> Result<Bytes, HostError> {
        match self.columns.next() {
            Some(Value::Bytes(bytes)) => Ok(bytes),
            other => Err(unexpected("bytes", &other)),
        }
    }

    /// Reads the next column as JSON text and decodes it.
    pub fn json<T: DeserializeOwned>(&mut self) -> Result<T, HostError> {
        let text = self.text()?;
        json::from_str(&text).map_err(|error| HostError::Internal {
            detail: format!("reading a row: {error}"),
        })
    }

    /// Reads the next column as JSON text or null, and decodes it.
    pub fn optional_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, HostError> {
        let decode = |text: String| json::from_str(&text);
        let value = self.optional_text()?.map(decode).transpose();
        value.map_err(|error| HostError::Internal {
            detail: format!("reading a row: {error}"),
        })
    }

    /// Reads the next column as a version or a count.
    pub fn small(&mut self) -> Result<u32, HostError> {
        let number = self.integer()?;
        u32::try_from(number).map_err(|_| HostError::Internal {
            detail: format!("reading a row: {number} is out of range"),
        })
    }
}

/// Returns an error that names the kinds of values, without the value, which can be a secret.
fn unexpected(wanted: &str, found: &Option<Value>) -> HostError {
    let found = match found {
        None => "no column",
        Some(Value::Null) => "null",
        Some(Value::Integer(_)) => "an integer",
        Some(Value::Text(_)) => "text",
        Some(Value::Bytes(_)) => "bytes",
    };
    HostError::Internal {
        detail: format!("reading a row: {wanted} was expected, {found} found"),
    }
}

//! Encodes parameters and decodes rows.

use std::{error::Error, sync::LazyLock};

use deadpool_postgres::tokio_postgres::{
    Row as SqlRow,
    types::{Format, FromSql, IsNull, Kind, ToSql, Type, private::BytesMut, to_sql_checked},
};
use despacho_core::model::hex;
use despacho_sql::{Row, Value};

use crate::error::PgError;

type BoxError = Box<dyn Error + Sync + Send>;

/// The type of a parameter that the server infers from the statement: OID 0 in the protocol. Such a
/// parameter is sent as text.
static INFERRED: LazyLock<Type> =
    LazyLock::new(|| Type::new("inferred".into(), 0, Kind::Simple, String::new()));

/// A parameter, encoded as the type that the server expects.
#[derive(Debug)]
pub(crate) struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) if *kind == *INFERRED => {
                number.to_string().to_sql(&Type::TEXT, out)
            }
            Value::Text(text) if *kind == *INFERRED => text.as_str().to_sql(&Type::TEXT, out),
            // As text, bytes are hexadecimal.
            Value::Bytes(bytes) if *kind == *INFERRED => {
                format!("\\x{}", hex(bytes)).to_sql(&Type::TEXT, out)
            }
            Value::Bytes(bytes) if *kind == Type::BYTEA => (&bytes[..]).to_sql(kind, out),
            Value::Bytes(_) => Err(format!("bytes where {kind} is expected").into()),
            Value::Integer(number) => match *kind {
                Type::INT2 => i16::try_from(*number)?.to_sql(kind, out),
                Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
                Type::INT8 => number.to_sql(kind, out),
                _ => Err(format!("a number where {kind} is expected").into()),
            },
            Value::Text(text) if <&str as ToSql>::accepts(kind) => text.as_str().to_sql(kind, out),
            Value::Text(_) => Err(format!("text where {kind} is expected").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, kind: &Type) -> Format {
        if *kind == *INFERRED {
            Format::Text
        } else {
            Format::Binary
        }
    }

    to_sql_checked!();
}

/// A decoded column.
struct Column(Value);

impl<'a> FromSql<'a> for Column {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Column, BoxError> {
        Ok(Column(match *kind {
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::BYTEA => Value::Bytes(<&[u8]>::from_sql(kind, raw)?.to_vec().into()),
            _ => Value::Text(<&str>::from_sql(kind, raw)?.to_owned()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Column, BoxError> {
        Ok(Column(Value::Null))
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT2 | Type::INT4 | Type::INT8 | Type::BYTEA)
            || <&str as FromSql<'a>>::accepts(kind)
    }
}

/// Returns parameters in order.
pub(crate) fn parameters(values: &[Value]) -> Vec<Parameter<'_>> {
    values.iter().map(Parameter).collect()
}

/// Returns references to parameters, for tokio-postgres.
pub(crate) fn borrowed<'a>(parameters: &'a [Parameter<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters
        .iter()
        .map(|parameter| parameter as &(dyn ToSql + Sync))
        .collect()
}

/// Returns references to the parameters of a statement that is not prepared, whose types the server
/// infers.
pub(crate) fn inferred<'a>(parameters: &'a [Parameter<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    parameters
        .iter()
        .map(|parameter| (parameter as &(dyn ToSql + Sync), INFERRED.clone()))
        .collect()
}

/// Decodes a row of a result.
pub(crate) fn row(response: &SqlRow) -> Result<Row, PgError> {
    let columns: Result<Vec<Value>, _> = (0..response.len())
        .map(|index| response.try_get::<_, Column>(index).map(|column| column.0))
        .collect();
    Ok(Row::new(columns?))
}

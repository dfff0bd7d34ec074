//! Any JSON as what callers send: what can be read comes back the same when it is written and read again.

use despacho_core::api::wire;
use serde::{Serialize, de::DeserializeOwned};

use super::kind;

fn again<T: Serialize + DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<bool, String> {
    let Ok(read) = serde_json::from_slice::<T>(bytes) else { return Ok(false) };
    let written = serde_json::to_value(&read).map_err(|error| format!("{name} is not written: {error}"))?;
    let text = written.to_string();
    let back: T = serde_json::from_str(&text).map_err(|error| format!("{name}: {text} is not read again: {error}"))?;
    let twice = serde_json::to_value(&back).map_err(|error| format!("{name}: {error}"))?;
    if written == twice { Ok(true) } else { Err(format!("{name}: {written} came back as {twice}")) }
}

macro_rules! all {
    ($bytes:ident: $($name:ident),* $(,)?) => {
        [$((stringify!($name), again::<wire::$name>(stringify!($name), $bytes)?)),*]
    };
}

/// Reads, writes and reads again.
///
/// # Errors
/// What came back as something else.
pub(crate) fn comes_back(bytes: &[u8]) -> Result<u64, String> {
    let read = all!(bytes: CreateOrder, PreviewOrder, CreateStore, CreateMatrix, UpdateStore, CreateSession, IssueKey,
        RegisterCourier, AlterCourier, ReportPosition, SetAvailability, TellCode, GiveReason,
        NameDelivery, GiveDeliveryReason, DelayOrder, CancelOrder, AddressBody, PreviewContext);
    let names: Vec<&str> = read.iter().filter(|(_, read)| *read).map(|(name, _)| *name).collect();
    let shape: String =
        bytes.iter().filter(|byte| b"{}[]\"".contains(byte)).take(12).map(|byte| char::from(*byte)).collect();
    Ok(kind(&[&names.join(" "), &shape]))
}

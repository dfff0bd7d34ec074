//! The quotas of mail. Names, addresses and texts of mails come from merchants, so without a quota
//! everyone with a store could send mail to anyone in the operator's name.

use crate::{
    host::{Host, HostError},
    model::{Duration, StoreId, Timestamp, fingerprint},
    rules::{
        limits::{Bucket, Usage},
        settings::Settings,
    },
};

/// Maximum number of mails of one merchant to one address in a day.
const PER_ADDRESS: u32 = 20;
const DAY: Duration = Duration::minutes(24 * 60);

/// Counts a mail of a merchant to an address, and returns whether both quotas permit it.
///
/// # Errors
/// An error of the host.
pub async fn admit<H: Host>(
    host: &H,
    settings: &Settings,
    merchant: StoreId,
    address: &str,
    now: Timestamp,
) -> Result<bool, HostError> {
    let address = fingerprint(&[b"mail", address.to_lowercase().as_bytes()]);
    let quotas = [
        (format!("mail-to/{merchant}/{address}"), PER_ADDRESS),
        (format!("mail/{merchant}"), settings.limits.mails_per_day),
    ];
    for (name, quota) in quotas {
        if !count(host, name, quota, now).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the store gets a notification about withheld mails: at most one a day.
///
/// # Errors
/// An error of the host.
pub async fn admit_notice<H: Host>(
    host: &H,
    merchant: StoreId,
    now: Timestamp,
) -> Result<bool, HostError> {
    count(host, format!("mail-notice/{merchant}"), 1, now).await
}

async fn count<H: Host>(
    host: &H,
    name: String,
    quota: u32,
    now: Timestamp,
) -> Result<bool, HostError> {
    Ok(host
        .admit(
            &Bucket {
                name,
                usage: Usage::Create,
                quota,
                window: DAY,
            },
            now,
        )
        .await?
        .admitted)
}

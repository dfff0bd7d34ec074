//! The table of all settings, in a file for each group of sections.

mod connections;
mod couriers;
mod dispatch;
mod general;
mod geography;
mod keys;
mod limits;
mod messages;
mod monitoring;
mod orders;
mod pix;
mod retention;
mod webhooks;

use super::{Host, Setting};

/// The groups in the order of help texts, `despacho config` and SETTINGS.md. Keys without a section
/// come first, as in a file.
const GROUPS: &[&[Setting]] = &[
    general::SETTINGS,
    connections::SETTINGS,
    geography::SETTINGS,
    monitoring::SETTINGS,
    limits::SETTINGS,
    orders::SETTINGS,
    dispatch::SETTINGS,
    couriers::SETTINGS,
    keys::SETTINGS,
    webhooks::SETTINGS,
    retention::SETTINGS,
    messages::SETTINGS,
    pix::SETTINGS,
];

/// Returns every setting of every host.
pub fn table() -> impl Iterator<Item = &'static Setting> {
    GROUPS.iter().copied().flatten()
}

impl Setting {
    /// Returns the row with this key, if the host has it.
    #[must_use]
    pub fn find(host: Host, key: &str) -> Option<&'static Setting> {
        Setting::of(host).find(|setting| setting.key == key)
    }

    /// Returns the rows of a host.
    pub fn of(host: Host) -> impl Iterator<Item = &'static Setting> {
        table().filter(move |setting| setting.is_on(host))
    }
}

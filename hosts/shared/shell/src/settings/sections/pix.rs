//! The settings of `pix`.

use crate::settings::{Kind::Text, Setting, Unit::Count, value};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "pix.key",
        Text("KEY", value::pix_key),
        "Pix key to which stores pay top-ups of their balances: a CPF, a CNPJ, an email address, a \
         phone number with +55, or a random key; if unset, stores cannot request top-ups",
    ),
    Setting::new(
        "pix.name",
        Text("NAME", value::pix_text),
        "Name of the recipient in Pix codes, of which they contain 25 characters without accents; \
         required with pix.key",
    ),
    Setting::new(
        "pix.city",
        Text("CITY", value::pix_text),
        "City of the recipient in Pix codes, of which they contain 15 characters without accents; \
         required with pix.key",
    ),
    Setting::number(
        "pix.max-top-up",
        Count,
        1..=1_000_000,
        "Maximum amount in reais of a top-up that a store requests",
    ),
    Setting::number(
        "pix.pending-top-ups",
        Count,
        1..=20,
        "Maximum pending top-ups of a store",
    ),
];

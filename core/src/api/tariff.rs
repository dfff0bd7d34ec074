//! The tariff in effect for a request.

use std::{ops::Deref, sync::Arc};

use super::{call::Call, problem::Problem};
use crate::{
    host::Host,
    model::{Timestamp, tariff::TariffSchedule},
    rules::pricing::Tariff,
};

/// A tariff with the time until which it is in effect.
pub(super) struct EffectiveTariff<'a> {
    tariff: Source<'a>,
    /// Time of effect of the next scheduled tariff.
    pub valid_until: Option<Timestamp>,
}

enum Source<'a> {
    Configured(&'a Tariff),
    Stored(Arc<Tariff>),
}

impl<'a> EffectiveTariff<'a> {
    /// Returns the tariff of a schedule at a time, or `configured` if none has started.
    pub(super) fn at(
        configured: &'a Tariff,
        schedule: &TariffSchedule,
        at: Timestamp,
    ) -> EffectiveTariff<'a> {
        let tariff = match schedule.at(at) {
            Some(stored) => Source::Stored(Arc::clone(&stored.tariff)),
            None => Source::Configured(configured),
        };
        EffectiveTariff {
            tariff,
            valid_until: schedule
                .scheduled(at)
                .last()
                .map(|next| next.effective_from),
        }
    }
}

impl Deref for EffectiveTariff<'_> {
    type Target = Tariff;

    fn deref(&self) -> &Tariff {
        match &self.tariff {
            Source::Configured(tariff) => tariff,
            Source::Stored(tariff) => tariff,
        }
    }
}

/// Returns the tariff in effect at the time of a request. The lookup of a calling store's key
/// returned the revision of the stored tariffs, so that only a new revision needs a query.
pub(super) async fn effective<'a, H: Host>(
    call: &Call<'a, H>,
) -> Result<EffectiveTariff<'a>, Problem> {
    let configured = &call.settings.tariff;
    let revision = call.caller.as_ref().map(|caller| caller.tariff_revision);
    if revision == Some(0) {
        return Ok(EffectiveTariff {
            tariff: Source::Configured(configured),
            valid_until: None,
        });
    }
    let schedule = call.host.tariff_schedule(revision).await?;
    Ok(EffectiveTariff::at(configured, &schedule, call.context.now))
}

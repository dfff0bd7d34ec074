//! Slots that the instances on one database share, so that only a limited number of them does
//! expensive work at the same time. A slot is a row of the table `buckets` whose `arrival` is the
//! slot's end. A slot that its instance does not renew expires.

use despacho_core::{
    host::HostError,
    model::{Duration, Timestamp},
    rules::limits::TheoreticalArrival,
};

use crate::{Driver, Query};

/// Maximum attempts to take a slot, if other instances take the free ones first.
const ATTEMPTS: u32 = 4;

/// A slot that an instance holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    name: String,
    /// The time when it expires.
    pub until: Timestamp,
}

/// Slots of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Prefix of the slots' names, which no rate limit has.
    pub name: &'static str,
    /// The number of slots.
    pub count: u32,
    /// The time that a slot is held.
    pub ttl: Duration,
}

impl Slots {
    /// Takes a free slot; `None` if others hold all of them.
    ///
    /// # Errors
    /// The database failed.
    pub async fn take<D: Driver>(
        &self,
        driver: &D,
        now: Timestamp,
    ) -> Result<Option<Slot>, HostError> {
        for _ in 0..ATTEMPTS {
            let mut held = Vec::new();
            for mut row in driver.read(self.held(now)).await? {
                held.push(row.text()?);
            }
            let mut names = (0..self.count).map(|number| format!("{}/{number}", self.name));
            let Some(name) = names.find(|name| !held.contains(name)) else {
                return Ok(None);
            };
            if let Some(slot) = self.claim(driver, name, now, now).await? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Extends a slot, or takes another one if it expired and another instance holds it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn renew<D: Driver>(
        &self,
        driver: &D,
        slot: Slot,
        now: Timestamp,
    ) -> Result<Option<Slot>, HostError> {
        match self.claim(driver, slot.name, slot.until, now).await? {
            Some(slot) => Ok(Some(slot)),
            None => self.take(driver, now).await,
        }
    }

    /// Returns the end after which a slot can't have been taken by a correct clock: its clock was
    /// set back since. `now` is up to `ttl` older than the newest slot, because other instances
    /// take slots while this one waits for the database.
    fn last_end(&self, now: Timestamp) -> Timestamp {
        now.after(self.ttl).after(self.ttl)
    }

    /// Reads the slots that are held.
    fn held(&self, now: Timestamp) -> Query {
        let sql = "SELECT name FROM buckets WHERE name LIKE $1 AND arrival > $2 AND arrival <= $3";
        let instants =
            [now, self.last_end(now)].map(|at| TheoreticalArrival::at(at).micros().into());
        Query::new(
            sql,
            [vec![format!("{}/%", self.name).into()], instants.to_vec()].concat(),
        )
    }

    /// Takes a slot that is free, or that this instance holds until `own`.
    async fn claim<D: Driver>(
        &self,
        driver: &D,
        name: String,
        own: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Slot>, HostError> {
        let sql = "INSERT INTO buckets (name, arrival) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE \
                   SET arrival = excluded.arrival WHERE buckets.arrival <= $3 OR buckets.arrival > $4 \
                   OR buckets.arrival = $5 RETURNING arrival";
        let until = now.after(self.ttl);
        let instants = [until, now, self.last_end(now), own]
            .map(|at| TheoreticalArrival::at(at).micros().into());
        let claimed = driver.write_returning(Query::new(
            sql,
            [vec![name.as_str().into()], instants.to_vec()].concat(),
        ));
        Ok((!claimed.await?.is_empty()).then_some(Slot { name, until }))
    }
}

impl Slot {
    /// Whether the slot is held for at least this long from `now`.
    pub fn lasts(&self, span: Duration, now: Timestamp) -> bool {
        now.after(span) <= self.until
    }
}

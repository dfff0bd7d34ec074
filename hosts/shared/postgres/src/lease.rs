//! A pool's connection for as long as one exchange lasts.

use deadpool_postgres::{ClientWrapper, Object, Pool};

use crate::error::PgError;

/// A connection that goes back to the pool once it is [`Lease::settled`]. One that is dropped before, by a time limit or a caller who
/// went away, may be in the middle of a transaction: it is closed, and the server undoes what was open.
pub(crate) struct Lease(Option<Object>);

impl Lease {
    /// A connection of the pool, or a new one where there is room.
    pub(crate) async fn of(pool: &Pool) -> Result<Lease, PgError> {
        Ok(Lease(Some(pool.get().await?)))
    }

    /// Gives the connection back.
    pub(crate) fn settled(mut self) {
        drop(self.0.take());
    }

    /// The connection.
    pub(crate) fn client(&self) -> Result<&ClientWrapper, PgError> {
        self.0.as_deref().ok_or_else(|| PgError::ConnectionLost("the connection was given back".to_owned()))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

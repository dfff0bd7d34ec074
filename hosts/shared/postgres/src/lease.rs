//! A pool's connection for the time of one exchange.

use deadpool_postgres::{ClientWrapper, Object, Pool};

use crate::error::PgError;

/// A connection that [`Lease::release`] returns to the pool. If it is dropped before, by a timeout
/// or a cancelled caller, it can be within a transaction: it is closed, and the server rolls the
/// transaction back.
pub(crate) struct Lease(Option<Object>);

impl Lease {
    /// Takes an idle connection of the pool, or opens a new one within its limit.
    pub(crate) async fn acquire(pool: &Pool) -> Result<Lease, PgError> {
        Ok(Lease(Some(pool.get().await?)))
    }

    /// Returns the connection to the pool.
    pub(crate) fn release(mut self) {
        drop(self.0.take());
    }

    /// Returns the connection.
    pub(crate) fn client(&self) -> Result<&ClientWrapper, PgError> {
        self.0.as_deref().ok_or_else(|| {
            PgError::ConnectionLost("the connection was returned to the pool".to_owned())
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

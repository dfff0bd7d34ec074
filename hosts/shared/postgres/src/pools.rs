//! The pools of connections.

use std::{sync::Arc, time::Duration};

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};

use crate::{
    address::Pooling,
    connector::{Connector, PoolConnect},
    error::text,
    migrate::OpenError,
};

/// Creates a pool of at most `connections`, each of which begins with the settings of `session`. A
/// request waits for one for at most `wait`.
pub(crate) fn pool(
    connector: &Arc<Connector>,
    session: String,
    wait: Duration,
    connections: usize,
) -> Result<Pool, OpenError> {
    // A broken connection is detected when it is used: a check before each use would cost as much
    // as a query.
    let config = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let address = connector.address();
    let manager = Manager::from_connect(
        address.config().clone(),
        PoolConnect(Arc::clone(connector)),
        config,
    );
    let mut pool = Pool::builder(manager)
        .max_size(connections)
        .wait_timeout(Some(wait))
        .create_timeout(Some(connector.timeout().max(wait)))
        .recycle_timeout(Some(wait))
        .runtime(Runtime::Tokio1);
    if address.pooling() == Pooling::Session {
        pool = pool.post_create(Hook::async_fn(move |client, _| {
            let session = session.clone();
            Box::pin(async move {
                let set = client.batch_execute(&session).await;
                set.map_err(|error| HookError::message(text(&error)))
            })
        }));
    }
    pool.build()
        .map_err(|error| OpenError::Database(error.to_string()))
}

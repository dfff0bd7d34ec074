//! The machine that the server runs on, with the configured places and roads in place of the embedded ones.

use std::sync::Arc;

use despacho_core::{
    changes::Changes,
    geo::LocateError,
    host::{HostError, Platform},
    model::{Address, DistanceMatrix, ExecContext, Located, Timestamp},
    rules::limits::{Admission, Bucket},
};
use despacho_postgres::Postgres;
use despacho_sql::{Leases, Machine};
use despacho_sqlite::{LocalPlatform, changes_access};
use tokio::sync::watch;

use super::Geography;

/// What the server has besides its database.
pub struct ServerPlatform {
    machine: LocalPlatform,
    geography: Arc<Geography>,
    shared: Option<Shared>,
}

/// What other instances know as well.
struct Shared {
    /// Where requests are counted.
    database: Postgres,
    /// What was counted there for requests to come.
    leases: Leases,
    /// What the others are told by.
    received: watch::Sender<u64>,
    /// The same of commits that change keys or stores.
    access: watch::Sender<u64>,
}

impl ServerPlatform {
    /// A machine with its geography.
    pub fn new(machine: LocalPlatform, geography: Arc<Geography>) -> ServerPlatform {
        ServerPlatform { machine, geography, shared: None }
    }

    /// The same beside other instances over a database: they count requests together, and tell each other of commits.
    #[must_use]
    pub fn sharing(self, database: &Postgres) -> ServerPlatform {
        let received = watch::Sender::new(0);
        let access = watch::Sender::new(0);
        database.run_listener(received.subscribe(), access.subscribe(), self.machine.notifier());
        ServerPlatform {
            shared: Some(Shared { database: database.clone(), leases: Leases::new(), received, access }),
            ..self
        }
    }

    /// As [`LocalPlatform::news`].
    pub fn updates(&self) -> watch::Receiver<u64> {
        self.machine.updates()
    }

    /// As [`LocalPlatform::access`].
    pub fn access(&self) -> watch::Receiver<u64> {
        self.machine.access()
    }

    /// What places and roads are known from.
    pub fn geography(&self) -> &Geography {
        &self.geography
    }
}

impl Machine for ServerPlatform {
    fn committed(&self, changes: &Changes) {
        self.machine.committed(changes);
        let Some(shared) = &self.shared else { return };
        if changes_access(changes) {
            shared.access.send_modify(|count| *count = count.wrapping_add(1));
        }
        if !changes.events.is_empty() || !changes.messages.is_empty() {
            shared.received.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}

impl Platform for ServerPlatform {
    fn exec_context(&self) -> ExecContext {
        self.machine.exec_context()
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        match &self.shared {
            Some(shared) => despacho_sql::admit(&shared.database, &shared.leases, bucket, now).await,
            None => self.machine.admit(bucket, now).await,
        }
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.machine.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.machine.verify_password(password, hash).await
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        let places = self.geography.locate(addresses).await?;
        Ok(places.into_iter().map(|place| place.map(|sourced| sourced.located)).collect())
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(self.geography.matrix(places).await)
    }

    fn is_embedded(&self) -> bool {
        self.geography.is_embedded()
    }
}

//! The server's platform: the local machine with the configured sources of locations and distances.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use despacho_core::{
    changes::Changes,
    geo::LocateError,
    host::{HostError, Platform, Turn},
    model::{
        Address, DistanceMatrix, ExecContext, Located, Point, StoreId, Timestamp,
        webhook::AttemptResult,
    },
    rules::{
        limits::{Admission, Bucket},
        webhooks::{Mail, WebhookConfig},
    },
};
use despacho_postgres::Postgres;
use despacho_sql::{Leases, Machine};
use despacho_sqlite::{LocalPlatform, changes_access};
use http::Request;
use tokio::sync::watch;

use super::Geography;
use crate::{mail::Mailer, webhooks::Client, work::Turns};

/// The platform of the server.
pub struct ServerPlatform {
    machine: LocalPlatform,
    geography: Arc<Geography>,
    shared: Option<SharedDatabase>,
    mailer: Option<Arc<Mailer>>,
    /// The turns of callers for requests that take long.
    turns: Turns,
    /// The client for requests to merchants' systems, created at the first one.
    client: OnceLock<Option<Client>>,
}

/// The state shared with other instances on the same database.
struct SharedDatabase {
    /// The database that counts requests.
    database: Postgres,
    /// The tokens leased from it.
    leases: Leases,
    /// Notifies other instances of events and messages.
    updates: watch::Sender<u64>,
    /// Notifies other instances of changed keys and stores.
    access: watch::Sender<u64>,
}

impl ServerPlatform {
    /// Creates the platform of a single instance.
    pub fn new(
        machine: LocalPlatform,
        geography: Arc<Geography>,
        mailer: Option<Arc<Mailer>>,
    ) -> ServerPlatform {
        ServerPlatform {
            machine,
            geography,
            shared: None,
            mailer,
            turns: Turns::new(),
            client: OnceLock::new(),
        }
    }

    /// Shares a database with other instances: they count requests together and notify each other
    /// of commits.
    #[must_use]
    pub fn sharing(self, database: &Postgres) -> ServerPlatform {
        let updates = watch::Sender::new(0);
        let access = watch::Sender::new(0);
        database.run_listener(
            updates.subscribe(),
            access.subscribe(),
            self.machine.notifier(),
        );
        ServerPlatform {
            shared: Some(SharedDatabase {
                database: database.clone(),
                leases: Leases::new(),
                updates,
                access,
            }),
            ..self
        }
    }

    /// See [`LocalPlatform::updates`].
    pub fn updates(&self) -> watch::Receiver<u64> {
        self.machine.updates()
    }

    /// See [`LocalPlatform::access`].
    pub fn access(&self) -> watch::Receiver<u64> {
        self.machine.access()
    }

    /// Returns the mailer, if a mail server is configured.
    pub fn mailer(&self) -> Option<Arc<Mailer>> {
        self.mailer.clone()
    }

    /// Returns the turns of callers for requests that take long.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Returns the sources of locations and distances.
    pub fn geography(&self) -> &Geography {
        &self.geography
    }
}

impl Machine for ServerPlatform {
    fn committed(&self, changes: &Changes) {
        self.machine.committed(changes);
        let Some(shared) = &self.shared else { return };
        if changes_access(changes) {
            shared
                .access
                .send_modify(|count| *count = count.wrapping_add(1));
        }
        if !changes.events.is_empty() || !changes.messages.is_empty() {
            shared
                .updates
                .send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}

impl Platform for ServerPlatform {
    fn exec_context(&self) -> ExecContext {
        self.machine.exec_context()
    }

    async fn admit(&self, bucket: &Bucket, now: Timestamp) -> Result<Admission, HostError> {
        match &self.shared {
            Some(shared) => {
                despacho_sql::admit(&shared.database, &shared.leases, bucket, now).await
            }
            None => self.machine.admit(bucket, now).await,
        }
    }

    async fn turn(&self, caller: &str) -> Result<Option<Turn>, HostError> {
        self.turns.take(caller).await
    }

    async fn hash_password(&self, password: &str, salt: [u8; 16]) -> Result<String, HostError> {
        self.machine.hash_password(password, salt).await
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.machine.verify_password(password, hash).await
    }

    async fn send_mail(&self, mail: &Mail) -> Option<bool> {
        Some(self.mailer.as_ref()?.send_now(mail).await)
    }

    async fn send(&self, request: Request<Bytes>, config: &WebhookConfig) -> Option<AttemptResult> {
        let create = || {
            Client::new(config)
                .inspect_err(|error| tracing::error!(%error, "client for codes failed to start"))
                .ok()
        };
        Some(
            self.client
                .get_or_init(create)
                .as_ref()?
                .send(request)
                .await,
        )
    }

    async fn locate(
        &self,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        let places = self.geography.locate_for(merchant, addresses).await?;
        Ok(places
            .into_iter()
            .map(|place| place.map(|sourced| sourced.located))
            .collect())
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        Ok(self.geography.distance_matrix(places).await)
    }

    async fn road_paths(
        &self,
        points: &[Point],
        max_points: usize,
    ) -> Result<Vec<Option<Vec<Point>>>, HostError> {
        Ok(self.geography.road_paths(points, max_points).await)
    }

    fn is_embedded(&self) -> bool {
        self.geography.is_embedded()
    }
}

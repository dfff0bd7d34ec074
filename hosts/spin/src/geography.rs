//! Locations and distances from external services. All hosts share the queries and the checks of
//! results; this module sends the requests and stores geocoder results in the database.

use std::time::{Duration, Instant};

use despacho_core::{
    geo::{self, Gazetteer, LocateError},
    host::HostError,
    model::{self, Address, DistanceMatrix, Located, StoreId},
};
use despacho_geo::{
    AttemptError, CachedResult, GeocoderConfig, Geocoders, Legs, Network, Places, Runtime,
    ServiceEvent, ServiceRequest, ServiceResponse,
};
use despacho_shell::settings::SharedSettings;
use despacho_sql::{delete_expired_geocoded, geocoded, put_geocoded, to_geocoded, trim_geocoded};

use crate::{
    clock::now,
    database::Database,
    log,
    outbound::{self, begin, collect, with_timeout},
};

/// Maximum size of a response. A matrix of 100 by 100 has about 300,000 bytes, and an instance has
/// little memory.
const MAX_RESPONSE_BYTES: usize = 4 << 20;
/// Days for which an empty result is cached: new streets are built and mapped.
const NOT_FOUND_DAYS: u32 = 1;
/// One in this many stored results triggers a cleanup.
const CLEANUP_PERIOD: u8 = 64;

/// The setting that permits calls to a host.
const ALLOWED_HOSTS: &str = "allowed_outbound_hosts in spin.toml and the variables that it names";
/// The setting that blocks calls to an address.
const BLOCKED_NETWORKS: &str =
    "block_networks of [outbound_networking] in the runtime configuration";

thread_local! {
    /// The start of the instance, for a monotonic clock.
    static STARTED: Instant = Instant::now();
}

/// The configured services. Their circuit breakers keep their state as long as the instance exists.
#[derive(Debug)]
pub(crate) struct Geography {
    places: Places,
    networks: Vec<Network>,
    percent: u32,
    geocoder: GeocoderConfig,
}

impl Geography {
    /// Creates the geography without sending requests.
    pub(crate) fn new(
        geocoders: Geocoders,
        networks: Vec<Network>,
        shared: &SharedSettings,
    ) -> Geography {
        Geography {
            places: Places::new(
                Gazetteer::embedded(),
                Vec::new(),
                geocoders,
                shared.places.min_precision,
            ),
            networks,
            percent: shared.routing.duration_percent,
            geocoder: shared.geocoder.clone(),
        }
    }

    /// Returns whether only embedded data is used.
    pub(crate) fn is_embedded(&self) -> bool {
        self.places.is_embedded() && self.networks.is_empty()
    }

    /// Locates addresses.
    pub(crate) async fn locate(
        &self,
        database: &Database,
        merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        // An exclusive transaction blocks all other instances, so it must not wait for a service.
        if self.places.is_embedded() || database.is_exclusive() {
            let gazetteer = Gazetteer::embedded();
            return Ok(addresses
                .iter()
                .map(|address| gazetteer.locate(address))
                .collect());
        }
        let found = self
            .places
            .locate(&self.runtime(database), merchant, addresses)
            .await?;
        Ok(found
            .into_iter()
            .map(|place| place.map(|sourced| sourced.located))
            .collect())
    }

    /// Returns the legs between all pairs of locations.
    pub(crate) async fn matrix(&self, database: &Database, places: &[Located]) -> DistanceMatrix {
        if self.networks.is_empty() || places.len() < 2 || database.is_exclusive() {
            return geo::matrix(places);
        }
        let (runtime, mut legs) = (self.runtime(database), Legs::between(places, self.percent));
        // Boxed: the compiler rejects the caller's future as too deep otherwise.
        Box::pin(legs.query(&runtime, &self.networks)).await;
        legs.finish(places).0
    }

    fn runtime<'a>(&'a self, database: &'a Database) -> RequestRuntime<'a> {
        RequestRuntime {
            database,
            config: &self.geocoder,
        }
    }
}

/// The runtime of service calls within one request.
struct RequestRuntime<'a> {
    database: &'a Database,
    config: &'a GeocoderConfig,
}

impl Runtime for RequestRuntime<'_> {
    async fn send(
        &self,
        url: &str,
        request: &ServiceRequest,
        timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        // Other requests may use the database connection during the call.
        self.database.release();
        let requested = with_timeout(timeout, async {
            let response = begin(
                request
                    .request(url)
                    .map_err(|_| outbound::AttemptError::Broken)?,
            )
            .await?;
            let status = response.status().as_u16();
            Ok(ServiceResponse {
                status,
                body: collect(response.into_body(), MAX_RESPONSE_BYTES).await?,
            })
        });
        requested.await.map_err(|error| match error {
            outbound::AttemptError::Late => AttemptError::Timeout,
            outbound::AttemptError::Denied => AttemptError::Forbidden(ALLOWED_HOSTS),
            outbound::AttemptError::Blocked => AttemptError::Forbidden(BLOCKED_NETWORKS),
            _ => AttemptError::Unreachable,
        })
    }

    async fn pause(&self, span: Duration) {
        spin_sdk::time::sleep(span).await;
    }

    fn elapsed(&self) -> Duration {
        STARTED.with(Instant::elapsed)
    }

    fn jitter(&self) -> u8 {
        let mut byte = [0; 1];
        // Without randomness the maximum delay is used, which is also correct.
        getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0])
    }

    async fn cached(&self, request: &str) -> Option<CachedResult> {
        if self.config.cache_days == 0 {
            return None;
        }
        // Without the cache the service is queried again: slower, but correct.
        let mut rows = self.database.single(geocoded(request, now())).await.ok()?;
        rows.first_mut().and_then(|row| to_geocoded(row).ok())
    }

    async fn put_cached(&self, request: &str, kept: &CachedResult) {
        let days = if kept.is_some() {
            self.config.cache_days
        } else {
            NOT_FOUND_DAYS.min(self.config.cache_days)
        };
        if days == 0 {
            return;
        }
        let until = now().after(model::Duration::minutes(i64::from(days) * 24 * 60));
        let mut writes = vec![put_geocoded(request, kept, until)];
        if self.jitter().is_multiple_of(CLEANUP_PERIOD) {
            writes.extend([
                delete_expired_geocoded(now()),
                trim_geocoded(self.config.cache_entries),
            ]);
        }
        for write in writes {
            if let Err(error) = self.database.optional_write(write).await {
                log::line(format_args!(
                    "geocoder result not stored; it will be requested again: {error}"
                ));
                return;
            }
        }
    }

    /// Logs events that the operator must act on. Spin counts requests itself.
    fn record(&self, event: ServiceEvent) {
        match event {
            ServiceEvent::Malformed { service, what } => {
                log::line(format_args!("{service}: unusable response: {what}"))
            }
            ServiceEvent::Forbidden { service, setting } => log::line(format_args!(
                "{service}: the application may not call the host of the variable `{service}`, and does not use it until a restart; \
                 see {setting}"
            )),
            ServiceEvent::CircuitOpened { service } => {
                log::line(format_args!("{service}: circuit breaker opened"))
            }
            ServiceEvent::CircuitClosed { service } => {
                log::line(format_args!("{service}: circuit breaker closed"))
            }
            ServiceEvent::Queried { .. }
            | ServiceEvent::Rejected { .. }
            | ServiceEvent::Located { .. }
            | ServiceEvent::Measured { .. } => {}
        }
    }
}

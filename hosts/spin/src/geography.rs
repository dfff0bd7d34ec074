//! Places and roads by services of other machines. What is asked and believed is the same as on every host; here are the requests, and
//! the table that answers are kept in.

use std::time::{Duration, Instant};

use despacho_core::{
    geo::{self, LocateError},
    host::HostError,
    model::{self, Address, DistanceMatrix, Located},
};
use despacho_geo::{
    AttemptError, CachedResult, GeocoderConfig, Geocoders, Legs, Network, Places, Runtime, ServiceEvent,
    ServiceRequest, ServiceResponse,
};
use despacho_shell::settings::SharedSettings;
use despacho_sql::{delete_expired_geocoded, geocoded, put_geocoded, to_geocoded, trim_geocoded};

use crate::{
    clock::now,
    database::Database,
    log,
    outbound::{self, begin, collect, in_time},
};

/// Bytes of an answer that are read; a matrix of 100 by 100 has about 300,000, and an instance has little memory.
const MAX_RESPONSE_BYTES: usize = 4 << 20;
/// How long it is kept that nothing was found: streets get built and mapped.
const NOTHING_DAYS: u32 = 1;
/// One in so many kept answers clears old ones away.
const SWEEPS: u8 = 64;

thread_local! {
    /// When the instance began, for a clock that is never set back.
    static BEGAN: Instant = Instant::now();
}

/// What places and roads are known from. It lives as long as its instance, and so does what it knows of services that fail.
#[derive(Debug)]
pub(crate) struct Geography {
    places: Places,
    networks: Vec<Network>,
    percent: u32,
    geocoder: GeocoderConfig,
}

impl Geography {
    /// The geography of these services; sends no requests.
    pub(crate) fn new(geocoders: Geocoders, networks: Vec<Network>, shared: &SharedSettings) -> Geography {
        Geography {
            places: Places::new(Vec::new(), geocoders, shared.places.min_precision),
            networks,
            percent: shared.routing.duration_percent,
            geocoder: shared.geocoder.clone(),
        }
    }

    /// Whether nothing but embedded data is asked.
    pub(crate) fn is_embedded(&self) -> bool {
        self.places.is_embedded() && self.networks.is_empty()
    }

    /// Where addresses are.
    pub(crate) async fn locate(
        &self,
        database: &Database,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, LocateError>>, HostError> {
        // Nobody waits for a service while he keeps all other instances waiting.
        if self.places.is_embedded() || database.is_exclusive() {
            return Ok(addresses.iter().map(|address| geo::locate(address)).collect());
        }
        let found = self.places.locate(&self.outside(database), addresses).await?;
        Ok(found.into_iter().map(|place| place.map(|sourced| sourced.located)).collect())
    }

    /// Legs between every pair of places.
    pub(crate) async fn matrix(&self, database: &Database, places: &[Located]) -> DistanceMatrix {
        if self.networks.is_empty() || places.len() < 2 || database.is_exclusive() {
            return geo::matrix(places);
        }
        let (outside, mut legs) = (self.outside(database), Legs::between(places, self.percent));
        // Apart from the caller's future, which would be too deep for the compiler with it.
        Box::pin(legs.query(&outside, &self.networks)).await;
        legs.finish(places).0
    }

    fn outside<'a>(&'a self, database: &'a Database) -> Outside<'a> {
        Outside { database, terms: &self.geocoder }
    }
}

/// The world of one request, as services see it.
struct Outside<'a> {
    database: &'a Database,
    terms: &'a GeocoderConfig,
}

impl Runtime for Outside<'_> {
    async fn send(
        &self,
        url: &str,
        request: &ServiceRequest,
        timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        // The connection to the database is for other requests meanwhile.
        self.database.release();
        let requested = in_time(timeout, async {
            let response = begin(request.request(url).map_err(|_| outbound::AttemptError::Broken)?).await?;
            let status = response.status().as_u16();
            Ok(ServiceResponse { status, body: collect(response.into_body(), MAX_RESPONSE_BYTES).await? })
        });
        requested.await.map_err(|missed| match missed {
            outbound::AttemptError::Late => AttemptError::Timeout,
            outbound::AttemptError::Denied | outbound::AttemptError::Blocked => {
                // What follows the host is a person's address.
                let host = url.split('/').take(3).collect::<Vec<_>>().join("/");
                let setting = match missed {
                    outbound::AttemptError::Blocked => {
                        "block_networks of [outbound_networking] in the runtime configuration"
                    }
                    _ => "allowed_outbound_hosts in spin.toml",
                };
                log::line(format_args!("calls to {host} are not allowed: see {setting}"));
                AttemptError::Unreachable
            }
            _ => AttemptError::Unreachable,
        })
    }

    async fn pause(&self, span: Duration) {
        spin_sdk::time::sleep(span).await;
    }

    fn elapsed(&self) -> Duration {
        BEGAN.with(Instant::elapsed)
    }

    fn jitter(&self) -> u8 {
        let mut byte = [0; 1];
        // Without randomness waits are the longest, which is right as well.
        getrandom::fill(&mut byte).map_or(u8::MAX, |()| byte[0])
    }

    async fn cached(&self, request: &str) -> Option<CachedResult> {
        if self.terms.cache_days == 0 {
            return None;
        }
        // Without what is kept everything is asked again, which is slower and as right.
        let mut rows = self.database.single(geocoded(request, now())).await.ok()?;
        rows.first_mut().and_then(|row| to_geocoded(row).ok())
    }

    async fn put_cached(&self, request: &str, kept: &CachedResult) {
        let days = if kept.is_some() { self.terms.cache_days } else { NOTHING_DAYS.min(self.terms.cache_days) };
        if days == 0 {
            return;
        }
        let until = now().after(model::Duration::minutes(i64::from(days) * 24 * 60));
        let mut writes = vec![put_geocoded(request, kept, until)];
        if self.jitter().is_multiple_of(SWEEPS) {
            writes.extend([delete_expired_geocoded(now()), trim_geocoded(self.terms.cache_entries)]);
        }
        for write in writes {
            if let Err(error) = self.database.optional_write(write).await {
                log::line(format_args!("geocoder result not stored; it will be requested again: {error}"));
                return;
            }
        }
    }

    /// Spin counts requests itself; here is what an operator has to see to.
    fn record(&self, note: ServiceEvent) {
        match note {
            ServiceEvent::Malformed { service, what } => {
                log::line(format_args!("{service}: unusable response: {what}"))
            }
            ServiceEvent::CircuitOpened { service } => log::line(format_args!("{service}: circuit breaker opened")),
            ServiceEvent::CircuitClosed { service } => log::line(format_args!("{service}: circuit breaker closed")),
            ServiceEvent::Queried { .. }
            | ServiceEvent::Rejected { .. }
            | ServiceEvent::Located { .. }
            | ServiceEvent::Measured { .. } => {}
        }
    }
}

//! The open connections: limits in total and per client address, detection of stalled peers, and
//! replacement of idle connections.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use ipnet::Ipv6Net;
use tokio::{sync::Notify, time::interval};

/// Time between two searches for connections without progress.
const SWEEP_INTERVAL: Duration = Duration::from_millis(500);
/// Time without progress after which a connection may be closed to free the memory of its unsent
/// responses.
const RECLAIM_AFTER: Duration = Duration::from_secs(1);
/// Time without a request after which an HTTP/2 connection is closed. HTTP/1 has
/// `timeouts.header-seconds`.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Minimum time between two searches for a connection to reclaim: each search visits all
/// connections.
const RECLAIM_INTERVAL: Duration = Duration::from_millis(10);
/// Bytes that a blocked peer must accept within the write timeout. A peer that reads single bytes
/// makes no progress.
const MIN_PROGRESS: usize = 4 * 1024;

/// Returns the address by which limits count: the IPv4 address, or the /64 network of an IPv6
/// address, which belongs to one subscriber.
pub fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Net::new_assert(address, 64).network().into(),
        address => address,
    }
}

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections in total.
    pub total: usize,
    /// Connections of one client address; trusted proxies have no such limit.
    pub per_address: usize,
    /// Maximum time without progress while a response waits to be sent.
    pub write_timeout: Duration,
}

/// All open connections.
#[derive(Debug)]
pub struct Connections {
    limits: ConnectionLimits,
    started: Instant,
    registry: Mutex<Registry>,
}

#[derive(Debug, Default)]
struct Registry {
    next_id: u64,
    by_id: HashMap<u64, Arc<Connection>>,
    per_address: HashMap<IpAddr, usize>,
    last_reclaim: Option<Instant>,
}

/// One connection, shared by its socket, its requests and its unsent responses.
#[derive(Debug)]
pub struct Connection {
    address: Option<IpAddr>,
    started: Instant,
    last_request: AtomicU64,
    active: AtomicUsize,
    blocked_since: AtomicU64,
    accepted_bytes: AtomicUsize,
    unsent: Mutex<Vec<UnsentEntry>>,
    next_unsent: AtomicU64,
    closed: AtomicBool,
    close: Notify,
}

/// A response blocked by the peer's HTTP/2 window.
#[derive(Debug)]
struct UnsentEntry {
    id: u64,
    bytes: usize,
    since: u64,
}

/// The registration of a connection, removed on drop.
#[derive(Debug)]
pub struct OpenConnection {
    connection: Arc<Connection>,
    connections: Arc<Connections>,
    id: u64,
}

impl Connections {
    /// Creates an empty registry.
    pub fn new(limits: ConnectionLimits) -> Connections {
        Connections {
            limits,
            started: Instant::now(),
            registry: Mutex::default(),
        }
    }

    /// Registers a connection; `address` is `None` for a trusted proxy. At a limit, the connection
    /// that has been idle the longest is closed to make room. Returns `None` if no connection is
    /// idle.
    pub fn register(self: &Arc<Self>, address: Option<IpAddr>) -> Option<OpenConnection> {
        let address = address.map(address_group);
        let mut registry = lock(&self.registry);
        let same = address
            .and_then(|address| registry.per_address.get(&address).copied())
            .unwrap_or(0);
        if same >= self.limits.per_address {
            registry.close_idle(|connection| connection.address == address)?;
        }
        if registry.by_id.len() >= self.limits.total {
            registry.close_idle(|_| true)?;
        }
        let connection = Arc::new(Connection::new(address, self.started));
        let id = registry.next_id;
        registry.next_id += 1;
        registry.by_id.insert(id, connection.clone());
        if let Some(address) = address {
            *registry.per_address.entry(address).or_default() += 1;
        }
        Some(OpenConnection {
            connection,
            connections: self.clone(),
            id,
        })
    }

    /// Closes stalled and idle connections until the registry is dropped.
    pub async fn sweep(connections: Weak<Connections>) {
        let mut ticks = interval(SWEEP_INTERVAL);
        loop {
            ticks.tick().await;
            let Some(connections) = connections.upgrade() else {
                return;
            };
            let timeout = connections.limits.write_timeout;
            let stalled: Vec<_> = {
                let registry = lock(&connections.registry);
                let idle = |connection: &&Arc<Connection>| connection.idle_for() >= IDLE_TIMEOUT;
                registry
                    .by_id
                    .values()
                    .filter(idle)
                    .for_each(|connection| connection.close());
                let stalled = registry
                    .by_id
                    .values()
                    .filter(|connection| connection.stalled_for() >= timeout);
                stalled.cloned().collect()
            };
            if !stalled.is_empty() {
                tracing::info!(
                    count = stalled.len(),
                    "clients do not read their responses; closing the connections"
                );
            }
            stalled.iter().for_each(|connection| connection.close());
        }
    }

    /// Closes the stalled connection with the most unsent bytes, to free memory. With `of`, only
    /// connections from the same address are considered. Returns whether a connection was closed.
    pub fn reclaim(&self, of: Option<&Connection>) -> bool {
        let mut registry = lock(&self.registry);
        if registry
            .last_reclaim
            .is_some_and(|last| last.elapsed() < RECLAIM_INTERVAL)
        {
            return true;
        }
        registry.last_reclaim = Some(Instant::now());
        let stalled = registry
            .by_id
            .values()
            .filter(|connection| connection.stalled_for() >= RECLAIM_AFTER);
        let stalled =
            stalled.filter(|connection| of.is_none_or(|of| of.address == connection.address));
        let largest = stalled.max_by_key(|connection| connection.unsent_bytes());
        largest.inspect(|connection| connection.close()).is_some()
    }

    /// Returns the number of open connections.
    pub fn count(&self) -> usize {
        lock(&self.registry).by_id.len()
    }
}

impl Registry {
    fn close_idle(&mut self, matches: impl Fn(&Connection) -> bool) -> Option<()> {
        let idle = self
            .by_id
            .iter()
            .filter(|(_, connection)| connection.is_idle() && matches(connection));
        let (&id, _) = idle.min_by_key(|(_, connection)| connection.last_request.load(Relaxed))?;
        self.remove(id)
            .inspect(|connection| connection.close())
            .map(drop)
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.by_id.remove(&id)?;
        if let Some(address) = connection.address
            && let Some(count) = self.per_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.per_address.remove(&address);
            }
        }
        Some(connection)
    }
}

impl OpenConnection {
    /// Returns the connection.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.connections.registry).remove(self.id);
    }
}

impl Connection {
    fn new(address: Option<IpAddr>, started: Instant) -> Connection {
        let connection = Connection {
            address,
            started,
            last_request: AtomicU64::new(0),
            active: AtomicUsize::new(0),
            blocked_since: AtomicU64::new(0),
            accepted_bytes: AtomicUsize::new(0),
            unsent: Mutex::default(),
            next_unsent: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            close: Notify::new(),
        };
        connection.last_request.store(connection.now(), Relaxed);
        connection
    }

    /// Returns milliseconds since the start of the server. Never 0, which means "not blocked".
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX - 1) + 1
    }

    /// Records that the peer's socket accepted `written` of `offered` bytes.
    pub fn sent(&self, written: usize, offered: usize) {
        if self.blocked_since.load(Relaxed) == 0 {
            return;
        }
        let accepted = self.accepted_bytes.fetch_add(written, Relaxed) + written;
        if written == offered || accepted >= MIN_PROGRESS {
            self.blocked_since.store(0, Relaxed);
        }
    }

    /// Records that the peer's socket accepted no bytes.
    pub fn blocked(&self) {
        if self.blocked_since.load(Relaxed) == 0 {
            self.accepted_bytes.store(0, Relaxed);
            self.blocked_since.store(self.now(), Relaxed);
        }
    }

    /// Protects the connection from being closed for others while a request is processed or a
    /// stream is open.
    pub fn activate(self: &Arc<Self>) -> ActiveGuard {
        self.active.fetch_add(1, Relaxed);
        ActiveGuard(self.clone())
    }

    fn is_idle(&self) -> bool {
        self.active.load(Relaxed) == 0 || self.stalled_for() >= RECLAIM_AFTER
    }

    /// Returns the time since the last request ended, or 0 while one is processed.
    fn idle_for(&self) -> Duration {
        let active = self.active.load(Relaxed) > 0;
        let since = if active {
            self.now()
        } else {
            self.last_request.load(Relaxed)
        };
        Duration::from_millis(self.now().saturating_sub(since))
    }

    /// Returns how long the oldest unsent response has made no progress.
    fn stalled_for(&self) -> Duration {
        let blocked = Some(self.blocked_since.load(Relaxed)).filter(|since| *since > 0);
        let unsent = lock(&self.unsent).iter().map(|unsent| unsent.since).min();
        let since = blocked.into_iter().chain(unsent).min();
        since.map_or(Duration::ZERO, |since| {
            Duration::from_millis(self.now().saturating_sub(since))
        })
    }

    fn unsent_bytes(&self) -> usize {
        lock(&self.unsent).iter().map(|unsent| unsent.bytes).sum()
    }

    /// Adds a response that waits to be sent; it is removed when the returned value is dropped.
    pub fn add_unsent(self: &Arc<Self>, bytes: usize) -> UnsentResponse {
        let id = self.next_unsent.fetch_add(1, Relaxed);
        lock(&self.unsent).push(UnsentEntry {
            id,
            bytes,
            since: self.now(),
        });
        UnsentResponse {
            connection: self.clone(),
            id,
        }
    }

    /// Closes the connection, even while requests are processed.
    pub fn close(&self) {
        self.closed.store(true, Relaxed);
        self.close.notify_one();
    }

    /// Waits until [`Connection::close`] is called.
    pub async fn wait_for_close(&self) {
        while !self.closed.load(Relaxed) {
            self.close.notified().await;
        }
    }
}

/// Keeps a connection active until it is dropped.
#[derive(Debug)]
pub struct ActiveGuard(Arc<Connection>);

impl Drop for ActiveGuard {
    fn drop(&mut self) {
        self.0.last_request.store(self.0.now(), Relaxed);
        self.0.active.fetch_sub(1, Relaxed);
    }
}

/// The registration of an unsent response, removed on drop.
#[derive(Debug)]
pub struct UnsentResponse {
    connection: Arc<Connection>,
    id: u64,
}

impl UnsentResponse {
    /// Records that the peer accepted a part of the response.
    pub fn progress(&self) {
        let now = self.connection.now();
        if let Some(unsent) = lock(&self.connection.unsent)
            .iter_mut()
            .find(|unsent| unsent.id == self.id)
        {
            unsent.since = now;
        }
    }
}

impl Drop for UnsentResponse {
    fn drop(&mut self) {
        lock(&self.connection.unsent).retain(|unsent| unsent.id != self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(total: usize, per_address: usize) -> Arc<Connections> {
        Arc::new(Connections::new(ConnectionLimits {
            total,
            per_address,
            write_timeout: Duration::from_secs(10),
        }))
    }

    fn ip(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    fn is_closed(connection: &OpenConnection) -> bool {
        connection.connection.closed.load(Relaxed)
    }

    #[test]
    fn address_group_is_ipv4_address_or_ipv6_network() {
        for (address, group) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ] {
            assert_eq!(
                address_group(address.parse().unwrap()),
                group.parse::<IpAddr>().unwrap(),
                "{address}"
            );
        }
    }

    #[test]
    fn address_limit_replaces_idle_connection_of_same_address() {
        let connections = connections(10, 2);
        let first = connections.register(ip("192.0.2.1")).unwrap();
        let active = first.connection().activate();
        let other = connections.register(ip("192.0.2.2")).unwrap();
        let second = connections.register(ip("::ffff:192.0.2.1")).unwrap();
        let third = connections.register(ip("192.0.2.1")).unwrap();
        assert!(is_closed(&second) && !is_closed(&first) && !is_closed(&other));
        let _third_active = third.connection().activate();
        assert!(
            connections.register(ip("192.0.2.1")).is_none(),
            "both are in use"
        );
        drop(active);
        let _fourth = connections.register(ip("192.0.2.1")).unwrap();
        assert!(is_closed(&first) && !is_closed(&other));
        drop((first, second));
        assert_eq!(
            connections.count(),
            3,
            "a replaced connection is counted once"
        );
        assert!(
            (0..5).all(|_| connections.register(None).is_some()),
            "trusted proxies have no limit"
        );
    }

    #[test]
    fn total_limit_replaces_longest_idle_connection() {
        let connections = connections(2, 2);
        let first = connections.register(ip("192.0.2.1")).unwrap();
        let _second = connections.register(ip("192.0.2.2")).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        drop(first.connection().activate());
        let _third = connections.register(ip("192.0.2.3")).unwrap();
        assert!(
            !is_closed(&first) && is_closed(&_second),
            "the one that has been idle for longest"
        );
        assert_eq!(connections.count(), 2);
    }

    #[test]
    fn blocked_socket_needs_min_progress() {
        let connections = connections(1, 1);
        let open = connections.register(None).unwrap();
        let connection = open.connection();
        connection.blocked();
        std::thread::sleep(Duration::from_millis(20));
        connection.sent(1, 1_000);
        connection.blocked();
        assert!(
            connection.stalled_for() >= Duration::from_millis(20),
            "one byte does not count as progress"
        );
        connection.sent(MIN_PROGRESS, 100_000);
        assert_eq!(connection.stalled_for(), Duration::ZERO);
        connection.blocked();
        std::thread::sleep(Duration::from_millis(20));
        connection.sent(10, 10);
        assert_eq!(
            connection.stalled_for(),
            Duration::ZERO,
            "nothing is left to send"
        );
    }

    #[test]
    fn unsent_response_stalls_its_connection_until_dropped() {
        let connections = connections(2, 2);
        let (small, large) = (
            connections.register(None).unwrap(),
            connections.register(None).unwrap(),
        );
        let held = [
            small.connection().add_unsent(10),
            large.connection().add_unsent(20),
        ];
        assert!(!connections.reclaim(None), "not stalled for long enough");
        std::thread::sleep(RECLAIM_AFTER + Duration::from_millis(10));
        assert!(
            connections.reclaim(Some(small.connection()))
                && is_closed(&large)
                && !is_closed(&small)
        );
        held[0].progress();
        assert!(small.connection().stalled_for() < RECLAIM_AFTER);
        drop(held);
        assert_eq!(large.connection().stalled_for(), Duration::ZERO);
    }
}

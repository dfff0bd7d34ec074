//! Benchmark of couriers that report their positions: on SQLite, and on PostgreSQL with one
//! instance and with three, in turns with the bare server of `echo.rs`.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, per_second, post},
    median,
    orders::order,
};
use despacho_process::cluster::{Cluster, Options};
use despacho_xtask::server::{self, Server};

use super::{
    echo::Echo,
    memory::{cpu_seconds, resident_mb},
    over_http::UNLIMITED,
    overload::{all, number},
    postgres::OPERATOR,
};

/// Connections to all instances together.
const CLIENTS: usize = 33;
/// Turns of the instances and of the bare server. The medians are printed.
const TURNS: usize = 5;
/// The seconds between two reports of a courier.
const INTERVAL: usize = 20;
/// The instances that share a database.
const INSTANCES: usize = 3;

/// Prints the reports per second, and what share of them the couriers need.
pub(crate) fn compare(couriers: usize, seconds: u64) -> Result<(), BoxError> {
    let mut fleet = Fleet {
        couriers,
        next: AtomicUsize::new(0),
        keys: Vec::new(),
        span: Duration::from_secs(seconds),
    };
    println!(
        "{couriers} available couriers, which report every {INTERVAL} s: {:.0} reports per second; {CLIENTS} connections\n  \
         reports per second, ratio to the bare server's requests, share that the couriers need, processor time of each, and resident memory \
         of an instance",
        fleet.needed()
    );
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let (data, echo) = (tempfile::tempdir()?, Echo::start()?);
    let start = |variables: &[(&str, &str)]| {
        let variables = [
            &UNLIMITED[..],
            &[("DESPACHO_ADMIN_TOKEN", OPERATOR)],
            variables,
        ]
        .concat();
        Server::start(&binary, data.path(), &[], &variables)
            .map_err(|e| BoxError::from(e.to_string()))
    };

    let mut single = [start(&[])?];
    fleet.register(&single[0].base)?;
    fleet.measure("SQLite, one instance", &mut single, &echo)?;
    drop(single);

    let cluster = Cluster::start_as(Options {
        flushed: true,
        ..Options::default()
    })
    .map_err(|e| e.to_string())?;
    let (address, secret) = (cluster.fresh().map_err(|e| e.to_string())?, "5c".repeat(32));
    let on_postgres = [
        ("DESPACHO_DATABASE", &*address),
        ("DESPACHO_SECRET", &*secret),
    ];
    let mut servers = vec![start(&on_postgres)?];
    fleet.register(&servers[0].base)?;
    fleet.measure("PostgreSQL, one instance", &mut servers, &echo)?;
    while servers.len() < INSTANCES {
        servers.push(start(&on_postgres)?);
    }
    fleet.measure("PostgreSQL, three instances", &mut servers, &echo)
}

/// The couriers of one database.
struct Fleet {
    couriers: usize,
    /// The number of the next report, which comes from the courier with this number modulo their
    /// count.
    next: AtomicUsize,
    keys: Vec<String>,
    /// The duration of a turn.
    span: Duration,
}

impl Fleet {
    /// Returns the reports per second that the couriers send.
    fn needed(&self) -> f64 {
        number(self.couriers) / number(INTERVAL)
    }

    /// Registers the couriers, each of which reports its first position and becomes available.
    fn register(&mut self, base: &str) -> Result<(), BoxError> {
        let (next, keys) = (
            AtomicUsize::new(0),
            Mutex::new(vec![String::new(); self.couriers]),
        );
        all(CLIENTS, |_| {
            let mut client = Client::connect(base)?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= self.couriers {
                    return Ok(());
                }
                let person = format!(
                    r#"{{"name": "Courier {index}", "phone": "+55119{:08}"}}"#,
                    index + 10_000_000
                );
                client.expect(&post("/admin/couriers", OPERATOR, &person), 201)?;
                let response: serde_json::Value = serde_json::from_slice(client.body())?;
                let key = response["value"]
                    .as_str()
                    .ok_or("a courier without a key")?
                    .to_owned();
                client.expect(&report(&key, index, 0), 200)?;
                client.expect(
                    &post("/courier/availability", &key, r#"{"available": true}"#),
                    200,
                )?;
                keys.lock().unwrap_or_else(PoisonError::into_inner)[index] = key;
            }
        })?;
        self.keys = keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(())
    }

    fn measure(&self, name: &str, servers: &mut [Server], echo: &Echo) -> Result<(), BoxError> {
        let bare = post("/", OPERATOR, &order("L-1", 2, false).to_string());
        let processes: Vec<u32> = servers
            .iter_mut()
            .map(|server| server.child().id())
            .collect();
        let worked = || {
            processes
                .iter()
                .map(|process| cpu_seconds(*process))
                .sum::<Result<f64, BoxError>>()
        };
        let (mut ours, mut theirs, mut processor_us) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            let before = worked()?;
            let (reports, seconds) = self.report_all(servers)?;
            processor_us.push((worked()? - before) * 1e6 / reports);
            ours.push(reports / seconds);
            theirs.push(per_second(&echo.base, &bare, CLIENTS, self.span / 2)?);
        }
        let (ours, theirs, used) = (median(&ours), median(&theirs), median(&processor_us));
        println!(
            "  {name:<28} {ours:>7.0}  {:>3.0} %  {:>4.0} %  {used:>5.0} \u{b5}s  {:>4.0} MB",
            ours / theirs * 100.0,
            self.needed() / ours * 100.0,
            resident_mb(processes[0])?
        );
        Ok(())
    }

    /// Reports positions to all instances during a turn. Returns the number of reports and the
    /// seconds.
    fn report_all(&self, servers: &[Server]) -> Result<(f64, f64), BoxError> {
        let (started, first) = (Instant::now(), self.next.load(Ordering::Relaxed));
        all(CLIENTS, |client| {
            let mut connection = Client::connect(&servers[client % servers.len()].base)?;
            while started.elapsed() < self.span {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let (courier, moves) = (index % self.couriers, index / self.couriers);
                connection.expect(&report(&self.keys[courier], courier, moves), 200)?;
            }
            Ok(())
        })?;
        Ok((
            number(self.next.load(Ordering::Relaxed) - first),
            started.elapsed().as_secs_f64(),
        ))
    }
}

/// Returns the report of a position in a square of some 20 km in São Paulo. Between two reports a
/// courier moves at most 140 m.
fn report(key: &str, courier: usize, moves: usize) -> Vec<u8> {
    let (north, east) = (courier * 7_919 % 200_000, courier * 104_729 % 200_000);
    let moved = moves * 577 % 1_000;
    let degrees = |offset: usize| number(offset + moved) / 1e6;
    let body = format!(
        r#"{{"latitude": {}, "longitude": {}}}"#,
        -23.65 + degrees(north),
        -46.75 + degrees(east)
    );
    post("/courier/position", key, &body)
}

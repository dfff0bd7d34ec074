//! Benchmark of creating orders over HTTP on PostgreSQL, compared with pgbench running a script
//! that writes the same rows into the same tables.
//!
//! Both have the same number of clients, first each with its own merchant and then all with the
//! same one, whose orders wait for the lock on its balance. PostgreSQL has its default durability:
//! every commit is on disk before the response. They take turns so that both run under the same
//! conditions.

use std::{
    fmt::Write as _,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use despacho_bench::{
    BoxError,
    client::{Client, post},
    orders::{order, parent_store},
};
use despacho_process::cluster::{Cluster, Options};
use despacho_xtask::server::{self, Server};

use super::{
    over_http::UNLIMITED,
    overload::{all, number},
};

/// The number of clients of each.
const CLIENTS: usize = 32;
/// The number of rounds.
const ROUNDS: usize = 3;
pub(crate) const OPERATOR: &str = "operator-token-of-a-benchmark";

/// A merchant that creates orders.
pub(crate) struct Merchant {
    pub(crate) id: u64,
    pub(crate) key: String,
}

/// Prints the orders per second of both, and their ratio.
pub(crate) fn compare(seconds: u64) -> Result<(), BoxError> {
    let binary = server::shipped().map_err(|e| e.to_string())?;
    let data = tempfile::tempdir()?;
    let options = Options {
        flushed: true,
        ..Options::default()
    };
    let cluster = Cluster::start_as(options).map_err(|e| e.to_string())?;
    let address = cluster.fresh().map_err(|e| e.to_string())?;
    let secret = "5c".repeat(32);
    let own = [
        ("DESPACHO_DATABASE", &*address),
        ("DESPACHO_SECRET", &*secret),
        ("DESPACHO_ADMIN_TOKEN", OPERATOR),
    ];
    let variables = [&UNLIMITED[..], &own].concat();
    let server = Server::start(&binary, data.path(), &[], &variables).map_err(|e| e.to_string())?;
    let merchants = (0..CLIENTS)
        .map(|number| create_merchant(&server.base, number))
        .collect::<Result<Vec<_>, _>>()?;
    let (next, span) = (AtomicUsize::new(0), Duration::from_secs(seconds.max(2)));
    // Warms up: statements are prepared, caches filled and files extended.
    create(&server.base, &merchants, &next, Duration::from_secs(2))?;
    println!(
        "durable orders of 2 stops on PostgreSQL, {CLIENTS} clients, orders per second: despacho over HTTP; pgbench with the \
         same rows, statement by statement and pipelined"
    );
    for (label, merchants) in [
        ("with a merchant each", &merchants[..]),
        ("of one merchant", &merchants[..1]),
    ] {
        let bench = PgBench::new(&cluster, &address, data.path(), merchants)?;
        bench.run("plain", Duration::from_secs(2))?;
        println!("{label}:");
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let despacho = create(&server.base, merchants, &next, span)?;
            let (plain, pipelined) = (bench.run("plain", span)?, bench.run("pipelined", span)?);
            println!(
                "  {despacho:>7.0}  {plain:>7.0} ({:>3.0} %) {pipelined:>7.0} ({:>3.0} %)",
                despacho / plain * 100.0,
                despacho / pipelined * 100.0
            );
            ratios.push(despacho / plain);
        }
        ratios.sort_by(f64::total_cmp);
        println!("  median: {:.0} % of pgbench", ratios[ROUNDS / 2] * 100.0);
    }
    Ok(())
}

/// Creates a merchant.
pub(crate) fn create_merchant(base: &str, number: usize) -> Result<Merchant, BoxError> {
    let mut client = Client::connect(base)?;
    let status = client.send(&post(
        "/admin/matrices",
        OPERATOR,
        &parent_store(number).to_string(),
    ))?;
    let response: serde_json::Value = serde_json::from_slice(client.body())?;
    let id = response["storeId"].as_str().and_then(|id| id.parse().ok());
    match (status, id, response["value"].as_str()) {
        (201, Some(id), Some(key)) => Ok(Merchant {
            id,
            key: key.to_owned(),
        }),
        _ => Err(format!("creating a merchant returned {status}: {response}").into()),
    }
}

/// Returns the orders per second of [`CLIENTS`], each of which waits for its response.
fn create(
    base: &str,
    merchants: &[Merchant],
    next: &AtomicUsize,
    span: Duration,
) -> Result<f64, BoxError> {
    let (started, done) = (Instant::now(), AtomicUsize::new(0));
    // Created once, because the client's CPU time reduces the server's.
    let template = order("CODE", 2, false).to_string();
    all(CLIENTS, |index| {
        let mut client = Client::connect(base)?;
        while started.elapsed() < span {
            let body = template.replace(
                "CODE",
                &format!("P-{}", next.fetch_add(1, Ordering::Relaxed)),
            );
            let request = post(
                "/delivery/orders",
                &merchants[index % merchants.len()].key,
                &body,
            );
            client.expect(&request, 201)?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(number(done.into_inner()) / started.elapsed().as_secs_f64())
}

/// pgbench and its scripts.
struct PgBench<'a> {
    cluster: &'a Cluster,
    address: &'a str,
    folder: &'a Path,
    order: String,
    event: String,
    terms: String,
}

impl<'a> PgBench<'a> {
    fn new(
        cluster: &'a Cluster,
        address: &'a str,
        folder: &'a Path,
        merchants: &[Merchant],
    ) -> Result<PgBench<'a>, BoxError> {
        let query = |sql: &str| cluster.query(address, sql).map_err(|e| e.to_string());
        query("CREATE SEQUENCE IF NOT EXISTS load_ids START 1000000000 CACHE 64")?;
        let order = query("SELECT body FROM orders ORDER BY id DESC LIMIT 1")?;
        let event = query("SELECT body FROM events ORDER BY id DESC LIMIT 1")?;
        let terms = query("SELECT terms FROM order_search ORDER BY order_id DESC LIMIT 1")?;
        let bench = PgBench {
            cluster,
            address,
            folder,
            order,
            event,
            terms,
        };
        let mut store = String::from("\\set store CASE");
        for (client, merchant) in merchants.iter().cycle().take(CLIENTS).enumerate() {
            write!(store, " WHEN :client_id = {client} THEN {}", merchant.id)?;
        }
        store.push_str(" END\n\\set salt random(1, 4000000000000000000)\n");
        std::fs::write(bench.script("plain"), format!("{store}{ORDER}"))?;
        let pipelined = ORDER.replace("BEGIN;\n", "\\startpipeline\nBEGIN;\n") + "\\endpipeline\n";
        std::fs::write(bench.script("pipelined"), format!("{store}{pipelined}"))?;
        Ok(bench)
    }

    fn script(&self, name: &str) -> std::path::PathBuf {
        self.folder.join(format!("{name}.sql"))
    }

    /// Returns the transactions per second of a script.
    fn run(&self, name: &str, span: Duration) -> Result<f64, BoxError> {
        let mut pgbench = self.cluster.program("pgbench");
        pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]);
        pgbench
            .arg(format!("--client={CLIENTS}"))
            .arg(format!("--time={}", span.as_secs()));
        for (name, text) in [
            ("order", &self.order),
            ("event", &self.event),
            ("terms", &self.terms),
        ] {
            pgbench.arg("-D").arg(format!("{name}={text}"));
        }
        let output = pgbench
            .arg("--file")
            .arg(self.script(name))
            .arg(self.address)
            .output()?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        // `tps = 1234.567890 (without initial connection time)`
        let tps = stdout
            .lines()
            .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
        match tps {
            Some(tps) if output.status.success() => Ok(tps),
            _ => Err(format!(
                "pgbench: {stdout}{}",
                String::from_utf8_lossy(&output.stderr)
            )
            .into()),
        }
    }
}

/// The statements of hosts/shared/sql for a new order, in their order, with the commit marker of
/// hosts/shared/postgres.
const ORDER: &str = "BEGIN;
INSERT INTO commit_marks (at, salt) VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, :salt) ON CONFLICT DO NOTHING;
INSERT INTO orders (id, version, store, code, holds_code, situation, created_at, due_at, pickup_lat_e7, pickup_lon_e7, body) VALUES (nextval('load_ids'), 1, :store, \
'B-' || currval('load_ids'), 1, 110, (extract(epoch FROM now()) * 1000)::bigint, (extract(epoch FROM now()) * 1000)::bigint + 36000000, \
-235505201, -466333089, :order) ON CONFLICT DO NOTHING;
INSERT INTO order_search (order_id, store, matrix, terms) VALUES (currval('load_ids'), :store, \
COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = :store), :store), :terms) ON CONFLICT DO NOTHING;
INSERT INTO journals (matrix, last) VALUES (COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = :store), :store), 1) \
ON CONFLICT (matrix) DO UPDATE SET last = journals.last + 1;
INSERT INTO events (order_id, sequence, store, at, body, matrix, place) SELECT currval('load_ids'), 1, :store, \
(extract(epoch FROM now()) * 1000)::bigint, :event, journals.matrix, journals.last FROM journals \
WHERE journals.matrix = COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = :store), :store) ON CONFLICT DO NOTHING;
UPDATE balances SET amount = amount - 1390 WHERE store = :store AND closed = 0 AND amount - 1390 BETWEEN -1000000000000000 AND 1000000000000000;
INSERT INTO ledger (store, order_id, kind, amount, at, reference, balance) SELECT :store, currval('load_ids'), 'fee', -1390, \
(extract(epoch FROM now()) * 1000)::bigint, NULL, balances.amount FROM balances WHERE balances.store = :store ON CONFLICT DO NOTHING;
COMMIT;
";

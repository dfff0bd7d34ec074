//! Databases with few connections, without responses and without a file.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use despacho_process::cluster::Cluster;
use despacho_spin_tests::{Options, TestServer};
use despacho_xtask::place;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use crate::{
    concurrency::create_concurrently,
    postgres::on,
    support::{Response, TOKEN, TestDatabase, create, get, serve},
};

/// Concurrent requests.
const REQUESTS: usize = 64;

pub(crate) fn logged() -> MemoryOutputPipe {
    MemoryOutputPipe::new(1 << 20)
}

pub(crate) fn text(log: &MemoryOutputPipe) -> String {
    String::from_utf8_lossy(&log.contents()).into_owned()
}

/// Returns the CPU time of this process in milliseconds, including the test's.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let times = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok());
    times.sum::<u64>() * 10
}

/// Sends concurrent readiness checks.
fn readiness(served: &TestServer) -> Vec<Response> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..REQUESTS)
            .map(|_| scope.spawn(|| get(&served.base, "/readyz")))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a response"))
            .collect()
    })
}

fn is_database_unavailable(response: &Response) -> bool {
    let detail = response.body["detail"].as_str().unwrap_or_default();
    let is_named = response.body["code"] == "unavailable" && detail.contains("The database");
    response.status == 503 && is_named && response.headers.contains_key("retry-after")
}

/// Returns the connection limit of the deployment file.
fn deployed_connections() -> usize {
    let file = place::root()
        .expect("the repository")
        .join("hosts/spin/deploy/spinkube.yaml");
    let manifest = std::fs::read_to_string(file).expect("the deployment file");
    let setting = manifest
        .lines()
        .find_map(|line| line.trim().strip_prefix("max_connections = "));
    setting
        .and_then(|number| number.parse().ok())
        .expect("the setting max_connections")
}

#[test]
fn three_replicas_share_thirty_connections_and_stay_ready() {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let settings = "-c max_connections=30".to_owned();
    let cluster = Cluster::start_as(despacho_process::cluster::Options {
        settings,
        ..Default::default()
    });
    let cluster = cluster.unwrap_or_else(|error| panic!("{error}"));
    let address = cluster
        .database("despacho")
        .unwrap_or_else(|error| panic!("{error}"));
    let storm = |replicas: &[TestServer], name: &str| {
        let busy = |replica: usize, served: &TestServer| {
            for response in
                create_concurrently(served, |number| format!("{name}-{replica}-{number}"))
            {
                assert!(matches!(response.status, 201 | 429 | 503), "{response:?}");
            }
        };
        std::thread::scope(|scope| {
            for (number, served) in replicas.iter().enumerate() {
                scope.spawn(move || busy(number, served));
            }
        });
    };
    let ready = |served: &TestServer| {
        let started = Instant::now();
        while get(&served.base, "/readyz").status != 200 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "a replica never became ready again"
            );
        }
    };
    let limited = Options {
        postgres_connections: deployed_connections(),
        ..on(&address)
    };
    let replicas: Vec<TestServer> = (0..3).map(|_| serve(&limited)).collect();
    storm(&replicas, "LIMITED");
    replicas.iter().for_each(ready);
    drop(replicas);

    // With the runtime's default limit two replicas open all connections and keep them.
    let log = logged();
    let replicas: Vec<TestServer> = (0..2).map(|_| serve(&on(&address))).collect();
    storm(&replicas, "UNLIMITED");
    let third = serve(&Options {
        log: Some(log.clone()),
        ..on(&address)
    });
    assert!(is_database_unavailable(&get(&third.base, "/readyz")));
    assert!(
        text(&log).contains("`max_connections` of `[outbound_pg]`"),
        "{}",
        text(&log)
    );
}

#[test]
fn silent_database_returns_503_to_all_without_polling() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || listener.incoming().collect::<Vec<_>>());
    let options = Options {
        database: None,
        ..Options::new(TestDatabase::new().file(), TOKEN)
    };
    let served = serve(&options.variable(
        "database_url",
        &format!("postgres://despacho@{address}/despacho"),
    ));
    let (started, before) = (Instant::now(), cpu_ms());
    for response in readiness(&served) {
        assert!(is_database_unavailable(&response), "{response:?}");
    }
    let (span, used) = (started.elapsed(), cpu_ms() - before);
    eprintln!(
        "{REQUESTS} requests to a database that never responds: {span:?}, {used} ms of CPU time"
    );
    assert!(span < Duration::from_secs(50), "{span:?}");
    assert_eq!(served.stats().traps(), 0);
}

/// Forwards connections to PostgreSQL. While paused it accepts connections and forwards nothing.
struct Proxy {
    address: SocketAddr,
    paused: Arc<AtomicBool>,
}

impl Proxy {
    fn to(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (address, paused) = (
            listener.local_addr().expect("an address"),
            Arc::new(AtomicBool::new(false)),
        );
        let flag = Arc::clone(&paused);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(target) else {
                    continue;
                };
                let (client_too, server_too) = (
                    client.try_clone().expect("a socket"),
                    server.try_clone().expect("a socket"),
                );
                for (from, to) in [(client, server), (server_too, client_too)] {
                    let flag = Arc::clone(&flag);
                    std::thread::spawn(move || forward(from, to, &flag));
                }
            }
        });
        Proxy { address, paused }
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, paused: &AtomicBool) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while paused.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn database_that_stops_responding_returns_503_and_recovers() {
    if !despacho_process::cluster::is_installed() {
        return;
    }
    let cluster = Cluster::start().unwrap_or_else(|error| panic!("{error}"));
    let address = cluster
        .database("despacho")
        .unwrap_or_else(|error| panic!("{error}"));
    let host = address
        .split(['@', '/'])
        .find_map(|part| part.parse::<SocketAddr>().ok())
        .expect("a host and port");
    let proxy = Proxy::to(host);
    let served = serve(&on(
        &address.replace(&host.to_string(), &proxy.address.to_string())
    ));
    assert_eq!(
        create(&served.base, "BEFORE").map(|response| response.status),
        Ok(201)
    );
    proxy.paused.store(true, SeqCst);
    let responses = std::thread::scope(|scope| {
        let one = |number: usize| create(&served.base, &format!("DURING-{number}"));
        let threads: Vec<_> = (0..8)
            .map(|number| scope.spawn(move || one(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a thread"))
            .collect::<Vec<_>>()
    });
    assert!(
        responses.iter().flatten().all(is_database_unavailable),
        "{responses:?}"
    );
    assert_eq!(
        responses.iter().flatten().count(),
        8,
        "every request gets a response: {responses:?}"
    );
    proxy.paused.store(false, SeqCst);
    let started = Instant::now();
    while !create(&served.base, "AFTER").is_ok_and(|response| matches!(response.status, 200 | 201))
    {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the component never recovered"
        );
    }
    assert_eq!(served.stats().traps(), 0);
}

#[test]
fn missing_state_directory_returns_503_with_the_remedy() {
    let (database, log) = (TestDatabase::new(), logged());
    let served = serve(&Options {
        state_directory: false,
        log: Some(log.clone()),
        ..database.demo()
    });
    for path in ["/readyz", "/delivery/notifications"] {
        let response = get(&served.base, path);
        let detail = response.body["detail"].as_str().unwrap_or_default();
        assert_eq!(
            (response.status, &response.body["code"]),
            (503, &"unavailable".into()),
            "{path}: {}",
            response.body
        );
        assert!(
            detail.contains("--state-dir") && detail.contains("database_url"),
            "{path}: {detail}"
        );
        assert!(response.headers.contains_key("retry-after"));
    }
    assert!(
        text(&log).contains("without a state directory"),
        "{}",
        text(&log)
    );
    assert_eq!(served.stats().traps(), 0);
}

/// Starts a server that accepts connections in PostgreSQL's protocol and rejects every statement
/// with a message.
fn rejecting(message: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let fields = format!("SERROR\0VERROR\0C57P01\0M{message}\0\0");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let length = u32::try_from(fields.len() + 4).expect("a short message");
            let (accepted, ready) = (b"R\0\0\0\x08\0\0\0\0", b"Z\0\0\0\x05I");
            let rejected = [b"E", &length.to_be_bytes()[..], fields.as_bytes(), ready].concat();
            let mut response = [&accepted[..], ready].concat();
            while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0)
                && stream.write_all(&response).is_ok()
            {
                response.clone_from(&rejected);
            }
        }
    });
    address
}

#[test]
fn line_break_in_a_logged_error_is_escaped() {
    let address = rejecting("no\nGET /readyz 200 forged: line");
    let log = logged();
    let options = Options {
        database: None,
        log: Some(log.clone()),
        ..Options::new(TestDatabase::new().file(), TOKEN)
    };
    let served = serve(&options.variable(
        "database_url",
        &format!("postgres://despacho@{address}/despacho"),
    ));
    assert!(is_database_unavailable(&get(&served.base, "/readyz")));
    let lines: Vec<String> = text(&log).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].contains("no\\nGET /readyz 200 forged"),
        "{lines:?}"
    );
}

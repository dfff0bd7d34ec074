//! Limits per client address with clients at two addresses: in network namespaces, over IPv4 and
//! IPv6, direct and behind a trusted proxy. Without permission to create namespaces, the tests are
//! ignored.

use std::process::{Child, Command, Output, Stdio};

use despacho_xtask::skip;

use crate::harness::{OPERATOR, Server, TIMEOUT, despacho, init};

/// The port, in the server's own namespace, so it is always free.
const PORT: u16 = 8_417;
/// Requests with an unknown key that an address may send.
const ALLOWED: usize = 5;
/// The server's addresses in the two networks.
const SERVER: [(&str, &str); 2] = [("10.201.1.1", "fd00:a::1"), ("10.201.2.1", "fd00:b::1")];
/// The addresses of the two clients; the last two of the first are in one /64 network.
const CLIENTS: [&[&str]; 2] = [
    &["10.201.1.2/24", "fd00:a::2/64", "fd00:a::3/64"],
    &["10.201.2.2/24", "fd00:b::2/64"],
];

/// Three namespaces, one with the server and two with clients, removed at the end.
struct Networks {
    name: String,
}

impl Networks {
    /// Creates the namespaces; `None` to ignore the test if they cannot be created.
    fn make(name: &str) -> Option<Networks> {
        let networks = Networks {
            name: format!("despacho-{name}-{}", std::process::id()),
        };
        match networks.set_up() {
            Ok(()) => Some(networks),
            Err(reason) => {
                skip::test("network-namespaces", reason);
                None
            }
        }
    }

    fn set_up(&self) -> Result<(), String> {
        run(Command::new("curl").arg("--version"))?;
        let server = self.namespace("s");
        run(Command::new("ip").args(["netns", "add", &server]))?;
        self.ip("s", &["link", "set", "lo", "up"])?;
        for (index, client) in ["a", "b"].into_iter().enumerate() {
            let namespace = self.namespace(client);
            run(Command::new("ip").args(["netns", "add", &namespace]))?;
            let link = format!("to-{client}");
            self.ip(
                "s",
                &[
                    "link", "add", &link, "type", "veth", "peer", "name", "up0", "netns",
                    &namespace,
                ],
            )?;
            let (v4, v6) = SERVER[index];
            for address in [format!("{v4}/24"), format!("{v6}/64")] {
                self.address("s", &address, &link)?;
            }
            for address in CLIENTS[index] {
                self.address(client, address, "up0")?;
            }
            self.ip("s", &["link", "set", &link, "up"])?;
            self.ip(client, &["link", "set", "up0", "up"])?;
        }
        Ok(())
    }

    fn namespace(&self, which: &str) -> String {
        format!("{}-{which}", self.name)
    }

    fn ip(&self, which: &str, args: &[&str]) -> Result<(), String> {
        run(Command::new("ip")
            .args(["-n", &self.namespace(which)])
            .args(args))
        .map(drop)
    }

    fn address(&self, which: &str, address: &str, link: &str) -> Result<(), String> {
        let known = if address.contains(':') {
            &["nodad"][..]
        } else {
            &[]
        };
        self.ip(
            which,
            &[&["addr", "add", address, "dev", link], known].concat(),
        )
    }

    fn inside(&self, which: &str, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(which), program]);
        command
    }

    fn server(&self, args: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        init(&folder);
        let mut command = self.inside("s", env!("CARGO_BIN_EXE_despacho"));
        for (name, value) in despacho(&folder).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.current_dir(folder.path()).stdin(Stdio::null());
        command.args(["serve", "--listen", &format!("[::]:{PORT}")]);
        let limit = ALLOWED.to_string();
        Server::start_by(
            command,
            folder,
            &[&["--limits-unknown-keys-per-minute", &limit], args].concat(),
        )
    }

    /// Sends a request from a client's address to the server's, and returns the status and the
    /// body.
    fn request(
        &self,
        from: &str,
        source: &str,
        to: &str,
        path: &str,
        headers: &[&str],
    ) -> (u16, String) {
        let host = if to.contains(':') {
            format!("[{to}]")
        } else {
            to.to_owned()
        };
        let mut command = self.inside(from, "curl");
        command.args([
            "-sg",
            "--max-time",
            "20",
            "--interface",
            source,
            "-w",
            "\n%{http_code}",
        ]);
        headers
            .iter()
            .for_each(|header| _ = command.args(["-H", header]));
        let output = run(command.arg(format!("http://{host}:{PORT}{path}"))).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (body, status) = text.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), body.to_owned())
    }

    /// Sends a request with an unknown key, and returns the status.
    fn unknown(&self, from: &str, source: &str, to: &str, headers: &[&str]) -> u16 {
        let headers = [&["x-api-token: dsp_unknown"], headers].concat();
        self.request(from, source, to, "/delivery/orders", &headers)
            .0
    }

    /// Opens idle connections in one process, which keeps them open.
    fn hold(&self, from: &str, to: &str, count: usize) -> Child {
        let script = format!(
            "for i in $(seq {count}); do exec {{fd}}<>/dev/tcp/{to}/{PORT} || exit 1; done; echo held; exec sleep 60"
        );
        let mut command = self.inside(from, "bash");
        let mut child = command
            .args(["-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.as_mut().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
        assert_eq!(line, "held\n");
        child
    }

    fn connections(&self, from: &str, to: &str) -> usize {
        let header = format!("x-api-token: {OPERATOR}");
        let source = if from == "a" {
            "10.201.1.2"
        } else {
            "10.201.2.2"
        };
        let (_, metrics) = self.request(from, source, to, "/metrics", &[&header]);
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("despacho_http_connections "));
        line.unwrap().parse().unwrap()
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for which in ["a", "b", "s"] {
            let _ = Command::new("ip")
                .args(["netns", "delete", &self.namespace(which)])
                .output();
        }
    }
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!(
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

#[test]
fn direct_clients_have_separate_limits_per_address() {
    let Some(networks) = Networks::make("direct") else {
        return;
    };
    let _server = networks.server(&[]);
    let [(v4, v6), (other_v4, other_v6)] = SERVER;
    for _ in 0..ALLOWED {
        assert_eq!(
            networks.unknown("a", "10.201.1.2", v4, &["x-forwarded-for: 203.0.113.9"]),
            401
        );
    }
    assert_eq!(
        networks.unknown("a", "10.201.1.2", v4, &["x-forwarded-for: 203.0.113.1"]),
        429
    );
    assert_eq!(
        networks.unknown("b", "10.201.2.2", other_v4, &[]),
        401,
        "another address has its own limit"
    );
    // Both addresses of one /64 network count as one client.
    for number in 0..ALLOWED {
        let source = if number % 2 == 0 {
            "fd00:a::2"
        } else {
            "fd00:a::3"
        };
        assert_eq!(networks.unknown("a", source, v6, &[]), 401, "{number}");
    }
    assert_eq!(networks.unknown("a", "fd00:a::2", v6, &[]), 429);
    assert_eq!(networks.unknown("a", "fd00:a::3", v6, &[]), 429);
    assert_eq!(
        networks.unknown("b", "fd00:b::2", other_v6, &[]),
        401,
        "another network has its own limit"
    );
}

#[test]
fn clients_behind_a_trusted_proxy_have_separate_limits() {
    let Some(networks) = Networks::make("proxy") else {
        return;
    };
    // The server listens on [::] and therefore sees the proxy's IPv4 address in its mapped form.
    let _server = networks.server(&["--trusted-proxies", "10.201.2.2,fd00:b::/64"]);
    let [(v4, _), (proxy_v4, proxy_v6)] = SERVER;
    let named = |client: &str| {
        let header = format!("x-forwarded-for: 198.51.100.1, {client}");
        networks.unknown("b", "10.201.2.2", proxy_v4, &[&header])
    };
    let by_ipv6 = |client: &str| {
        let header = format!("x-forwarded-for: {client}");
        networks.unknown("b", "fd00:b::2", proxy_v6, &[&header])
    };
    for number in 0..ALLOWED {
        assert_eq!(
            if number % 2 == 0 {
                named("203.0.113.1")
            } else {
                by_ipv6("::ffff:203.0.113.1")
            },
            401
        );
    }
    assert_eq!(
        (named("203.0.113.1"), by_ipv6("203.0.113.1:5000")),
        (429, 429)
    );
    assert_eq!(named("203.0.113.2"), 401);
    for number in 0..ALLOWED {
        assert_eq!(by_ipv6(&format!("2001:db8:1:2::{number}")), 401);
    }
    assert_eq!(
        (named("[2001:db8:1:2::ff]:443"), named("2001:db8:1:3::1")),
        (429, 401)
    );
    // Without trust the header is ignored.
    for number in 0..ALLOWED {
        let header = format!("x-forwarded-for: 203.0.113.{number}");
        assert_eq!(networks.unknown("a", "10.201.1.2", v4, &[&header]), 401);
    }
    assert_eq!(
        networks.unknown("a", "10.201.1.2", v4, &["x-forwarded-for: 203.0.113.77"]),
        429
    );
}

#[test]
fn connection_limit_exempts_trusted_proxies() {
    let Some(networks) = Networks::make("held") else {
        return;
    };
    let _server = networks.server(&[
        "--max-connections-per-address",
        "3",
        "--trusted-proxies",
        "10.201.2.2",
    ]);
    let [(v4, _), (proxy_v4, _)] = SERVER;
    let mut held = vec![networks.hold("a", v4, 8)];
    assert_eq!(
        networks.unknown("a", "10.201.1.2", v4, &[]),
        401,
        "the same address is served"
    );
    let deadline = std::time::Instant::now() + TIMEOUT;
    while networks.connections("b", proxy_v4) > 3 {
        assert!(
            std::time::Instant::now() < deadline,
            "{} connections",
            networks.connections("b", proxy_v4)
        );
    }
    held.push(networks.hold("b", proxy_v4, 8));
    assert!(
        networks.connections("b", proxy_v4) >= 9,
        "a trusted proxy has no limit"
    );
    for mut child in held {
        let _ = child.kill();
        let _ = child.wait();
    }
}

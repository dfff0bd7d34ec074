//! The address of a database, with its credentials.

use std::{fmt, time::Duration};

use tokio_postgres::config::{Config, Host, LoadBalanceHosts, SslMode};

/// Idle time after which TCP keepalive probes a connection.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// Maximum time that sent data may stay unacknowledged before the connection is closed
/// (`TCP_USER_TIMEOUT`).
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(15);
/// Default timeout for opening a connection to one host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A database's address. Its `Display` and `Debug` forms hide the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    // Boxed, because a configuration reserves space for an address even if the deployment has none.
    config: Box<Config>,
    /// A configuration for each host, in the order of the URL.
    hosts: Vec<Config>,
    database: String,
    pooling: Pooling,
}

/// How long a connection pooler assigns a server connection to one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// While the client is connected, as without a pooler.
    #[default]
    Session,
    /// For one transaction. Prepared statements, session settings and `LISTEN` end with it.
    Transaction,
}

impl Address {
    /// Parses `postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require`. The error does not contain
    /// the input, which can have a password.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let text = text.trim();
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Err(AddressError::Url);
        }
        // Certificates and host names are always verified, so these three modes are the same.
        let text = text
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        let (text, pooling) = take_pooling(&text)?;
        let mut config: Config = text.parse().map_err(|_| AddressError::Url)?;
        let mut hosts = single_hosts(&text, &config);
        let Some(database) = config.get_dbname().map(str::to_owned) else {
            return Err(AddressError::Url);
        };
        if config.get_hosts().is_empty() || config.get_user().is_none() {
            return Err(AddressError::Url);
        }
        let is_plain =
            config.get_ssl_mode() == SslMode::Prefer && config.get_hosts().iter().all(is_local);
        for config in std::iter::once(&mut config).chain(&mut hosts) {
            set_defaults(config, is_plain);
        }
        Ok(Address {
            config: Box::new(config),
            hosts,
            database,
            pooling,
        })
    }

    /// Whether it contains a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Returns the database's name.
    pub fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Returns a configuration for each host.
    pub(crate) fn hosts(&self) -> &[Config] {
        &self.hosts
    }

    /// Returns the timeout for opening a connection to one host, until it accepts queries.
    pub(crate) fn host_timeout(&self) -> Duration {
        self.config
            .get_connect_timeout()
            .copied()
            .unwrap_or(CONNECT_TIMEOUT)
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether TLS is required or used if the server supports it.
    pub(crate) fn uses_tls(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable
    }
}

/// Sets defaults for parameters that the URL does not set.
fn set_defaults(config: &mut Config, is_plain: bool) {
    if config.get_application_name().is_none() {
        config.application_name("despacho");
    }
    config.connect_timeout(
        config
            .get_connect_timeout()
            .copied()
            .unwrap_or(CONNECT_TIMEOUT),
    );
    config.tcp_user_timeout(
        config
            .get_tcp_user_timeout()
            .copied()
            .unwrap_or(UNACKNOWLEDGED_TIMEOUT),
    );
    config.keepalives_idle(config.get_keepalives_idle().min(KEEPALIVE));
    if is_plain {
        config.ssl_mode(SslMode::Disable);
    }
}

/// Splits the URL into one configuration per host. The hosts stay in one configuration if the
/// driver selects them at random, or if they are given as parameters.
fn single_hosts(text: &str, all: &Config) -> Vec<Config> {
    let split = || {
        let (scheme, rest) = text.split_once("://")?;
        let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (user, hosts) = authority.rsplit_once('@')?;
        let one = |host: &str| {
            format!("{scheme}://{user}@{host}{tail}")
                .parse::<Config>()
                .ok()
        };
        let configs = hosts.split(',').map(one).collect::<Option<Vec<_>>>()?;
        let is_same = all
            .get_hosts()
            .iter()
            .eq(configs.iter().flat_map(Config::get_hosts));
        (is_same && all.get_load_balance_hosts() == LoadBalanceHosts::Disable).then_some(configs)
    };
    split().unwrap_or_else(|| vec![all.clone()])
}

/// Removes the parameter `pooler`, which tokio-postgres does not support, and returns the rest of
/// the URL with its value.
fn take_pooling(text: &str) -> Result<(String, Pooling), AddressError> {
    let Some((base, query)) = text.split_once('?') else {
        return Ok((text.to_owned(), Pooling::Session));
    };
    let (mut pooling, mut rest) = (Pooling::Session, Vec::new());
    for parameter in query.split('&') {
        match parameter.strip_prefix("pooler=") {
            Some("transaction") => pooling = Pooling::Transaction,
            Some("session") => pooling = Pooling::Session,
            Some(_) => return Err(AddressError::Pooler),
            None => rest.push(parameter),
        }
    }
    let separator = if rest.is_empty() { "" } else { "?" };
    Ok((format!("{base}{separator}{}", rest.join("&")), pooling))
}

/// Whether the host is this machine, whose connections need no encryption.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse::<std::net::IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// The reason that a text is not the address of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// The URL has another form.
    Url,
    /// The parameter `pooler` has an unsupported value.
    Pooler,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressError::Url => "must be postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=require",
            AddressError::Pooler => {
                "must be postgres://USER:PASSWORD@HOST:PORT/NAME with pooler=session or pooler=transaction"
            }
        })
    }
}

impl std::error::Error for AddressError {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = if self.has_password() { ":***" } else { "" };
        write!(
            f,
            "postgres://{}{secret}@",
            self.config.get_user().unwrap_or_default()
        )?;
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let ports = self.config.get_ports();
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}:{port}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{comma}{}:{port}", path.display())?,
            }
        }
        let mode = match self.config.get_ssl_mode() {
            SslMode::Disable => "disable",
            SslMode::Require => "require",
            _ => "prefer",
        };
        let pooler = if self.pooling == Pooling::Transaction {
            "&pooler=transaction"
        } else {
            ""
        };
        write!(f, "/{}?sslmode={mode}{pooler}", self.database)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_displayed_without_its_password() {
        let address =
            Address::parse("postgres://ana:s%40fe@db.example:6432/despacho?sslmode=verify-full")
                .unwrap();
        assert_eq!(
            address.to_string(),
            "postgres://ana:***@db.example:6432/despacho?sslmode=require"
        );
        assert!(address.has_password() && address.uses_tls());
        assert!(
            !format!("{address:?}").contains("s@fe") && !format!("{address:?}").contains("s%40fe")
        );
        assert_eq!(
            Address::parse("postgresql://ana@[::1]/d").map(|address| address.uses_tls()),
            Ok(false)
        );
        assert_eq!(
            Address::parse("postgres://ana@10.1.2.3/d").map(|address| address.uses_tls()),
            Ok(true)
        );
    }

    #[test]
    fn each_host_has_its_own_configuration() {
        let address = Address::parse(
            "postgres://ana:s@a.example:1,b.example:2/d?target_session_attrs=read-write",
        )
        .unwrap();
        let hosts: Vec<(&[Host], &[u16])> = address
            .hosts()
            .iter()
            .map(|config| (config.get_hosts(), config.get_ports()))
            .collect();
        let named = |name: &str| [Host::Tcp(name.to_owned())];
        assert_eq!(
            hosts,
            [
                (&named("a.example")[..], &[1][..]),
                (&named("b.example"), &[2])
            ]
        );
        assert!(
            address
                .hosts()
                .iter()
                .all(|config| config.get_password() == Some(b"s")
                    && config.get_dbname() == Some("d"))
        );
        let random = Address::parse("postgres://ana@a,b/d?load_balance_hosts=random").unwrap();
        assert_eq!(random.hosts().len(), 1);
    }

    #[test]
    fn pooler_parameter_selects_transaction_pooling() {
        let parse = |query: &str| Address::parse(&format!("postgres://ana@db.example/d{query}"));
        for query in [
            "?pooler=transaction",
            "?sslmode=require&pooler=transaction&connect_timeout=3",
        ] {
            let address = parse(query).unwrap();
            assert_eq!(address.pooling(), Pooling::Transaction, "{query}");
            assert!(
                address.to_string().ends_with("&pooler=transaction"),
                "{address}"
            );
        }
        for query in ["", "?pooler=session", "?sslmode=disable"] {
            assert_eq!(parse(query).unwrap().pooling(), Pooling::Session, "{query}");
        }
        let error = parse("?pooler=statement").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("pooler=session or pooler=transaction"),
            "{error}"
        );
    }

    #[test]
    fn invalid_address_is_rejected_without_its_password() {
        let texts = [
            "sqlite",
            "mysql://a:hidden-word@h/d",
            "postgres://h/d",
            "postgres://a@h",
            "postgres://a:hidden-word@h:x/d",
        ];
        for text in texts {
            let rejected = Address::parse(text).unwrap_err().to_string();
            assert!(
                rejected.starts_with("must be postgres://") && !rejected.contains("hidden-word"),
                "{rejected}"
            );
        }
    }
}

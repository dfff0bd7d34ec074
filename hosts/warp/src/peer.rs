//! The client's IP address: the connection's, or the one that a trusted proxy reports.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

use despacho_core::api::CallerAddress;
use http::HeaderMap;
use ipnet::{IpNet, Ipv4Net};

/// The header to which each proxy appends the address of its client.
const FORWARDED: &str = "x-forwarded-for";

/// A single address, or the range of addresses with a common prefix. IPv4-mapped IPv6 addresses are
/// IPv4 addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Parses `10.0.0.0/8`, `192.0.2.1` or `2001:db8::/32`.
    ///
    /// # Errors
    /// The text has another syntax.
    pub fn parse(text: &str) -> Result<Network, NetworkParseError> {
        let parsed = text
            .parse::<IpNet>()
            .ok()
            .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        let network = parsed.ok_or_else(|| NetworkParseError(text.to_owned()))?;
        let mapped = match network {
            IpNet::V6(v6) => v6
                .addr()
                .to_ipv4_mapped()
                .zip(v6.prefix_len().checked_sub(MAPPED_BITS)),
            IpNet::V4(_) => None,
        };
        let v4 = mapped.and_then(|(address, bits)| Ipv4Net::new(address, bits).ok());
        Ok(Network(v4.map_or(network, IpNet::V4)))
    }

    /// Parses a network of proxies. Whoever is in it decides which address a request has, so it
    /// cannot contain a large part of the internet. The widest private networks, 10.0.0.0/8 and
    /// fc00::/7, are accepted.
    ///
    /// # Errors
    /// The text has another syntax, or the network is too wide.
    pub fn parse_proxies(text: &str) -> Result<Network, String> {
        let network = Network::parse(text).map_err(|error| error.to_string())?;
        let min = match network.0 {
            IpNet::V4(_) => 8,
            IpNet::V6(_) => 7,
        };
        if network.0.prefix_len() < min {
            return Err(format!(
                "{text} contains a large part of the internet, and everyone in it could forge client addresses and so avoid the limits: \
                 use the addresses of your proxies, such as 192.0.2.1 or 10.0.0.0/8 (at least /{min})"
            ));
        }
        Ok(network)
    }

    /// Returns whether an address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

/// The error of a text that is not a network.
#[derive(Debug)]
pub struct NetworkParseError(String);

impl fmt::Display for NetworkParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not a network; use an address such as 192.0.2.1 or a range such as 10.0.0.0/8",
            self.0
        )
    }
}

impl std::error::Error for NetworkParseError {}

/// Bits before the IPv4 address in an IPv4-mapped IPv6 address.
const MAPPED_BITS: u8 = 96;

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the connection's address. If that is a trusted proxy, returns the last address in
/// `X-Forwarded-For` that is not a trusted proxy. Clients can forge the entries before it.
pub fn caller(connected: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> CallerAddress {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut caller = connected.to_canonical();
    if is_trusted(caller) {
        let lines: Vec<&str> = headers
            .get_all(FORWARDED)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .collect();
        for named in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            // A trusted proxy never writes an invalid address, so the entries before it cannot be
            // trusted either.
            let Some(address) = address(named.trim()) else {
                break;
            };
            caller = address;
            if !is_trusted(caller) {
                break;
            }
        }
    }
    CallerAddress(caller)
}

/// Parses an address in the syntax of proxies, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(text, |(inside, _)| inside);
    if let Ok(address) = bare.parse::<Ipv6Addr>() {
        return Some(IpAddr::V6(address).to_canonical());
    }
    let bare = bare.split_once(':').map_or(bare, |(address, _)| address);
    bare.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn named(lines: &[&str], trusted: &[&str]) -> IpAddr {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED, line.parse().unwrap());
        }
        let trusted: Vec<Network> = trusted
            .iter()
            .map(|text| Network::parse(text).unwrap())
            .collect();
        caller(ip("10.1.2.3"), &headers, &trusted).0
    }

    #[test]
    fn network_contains_only_its_own_addresses() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("2001:db8::/32", "2001:db8:1::1", "2001:db9::1"),
            ("0.0.0.0/0", "203.0.113.9", "::1"),
            ("127.0.0.0/8", "::ffff:127.0.0.1", "::1"),
            ("::ffff:10.0.0.0/104", "10.255.0.1", "11.0.0.1"),
            ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("::/0", "2001:db8::1", "192.0.2.1"),
        ] {
            let network = Network::parse(network).unwrap();
            assert!(
                network.contains(ip(inside)) && !network.contains(ip(outside)),
                "{network}"
            );
        }
        for text in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "host",
            "10.0.0.0/x",
        ] {
            assert!(Network::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn proxies_are_not_a_large_part_of_the_internet() {
        for text in [
            "0.0.0.0/0",
            "::/0",
            "::ffff:0.0.0.0/96",
            "0.0.0.0/1",
            "128.0.0.0/1",
            "8.0.0.0/7",
            "2000::/3",
            "::/3",
        ] {
            let error = Network::parse_proxies(text).unwrap_err();
            assert!(error.contains("forge client addresses"), "{error}");
        }
        for text in [
            "10.0.0.0/8",
            "fc00::/7",
            "192.0.2.1",
            "2001:db8::1",
            "::ffff:10.0.0.0/104",
        ] {
            assert!(Network::parse_proxies(text).is_ok(), "{text}");
        }
        assert!(Network::parse_proxies("host").is_err());
    }

    #[test]
    fn untrusted_peer_is_the_client() {
        assert_eq!(named(&["203.0.113.9"], &[]), ip("10.1.2.3"));
    }

    #[test]
    fn last_untrusted_forwarded_address_is_the_client() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(named(&["203.0.113.9"], &trusted), ip("203.0.113.9"));
        assert_eq!(
            named(&["198.51.100.7, 203.0.113.9, 10.9.9.9"], &trusted),
            ip("203.0.113.9"),
            "the first is forged"
        );
        assert_eq!(
            named(&["203.0.113.8", "203.0.113.9:4711"], &trusted),
            ip("203.0.113.9")
        );
        assert_eq!(named(&["[2001:db8::1]:443"], &trusted), ip("2001:db8::1"));
        assert_eq!(
            named(&["198.51.100.7, nonsense, 10.9.9.9"], &trusted),
            ip("10.9.9.9")
        );
        assert_eq!(named(&[], &trusted), ip("10.1.2.3"));
    }
}

//! Who calls: the address that a connection comes from, or the one that a trusted proxy names.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

use despacho_core::api::CallerAddress;
use http::HeaderMap;

/// The header that proxies append the address to that they were called from.
const FORWARDED: &str = "x-forwarded-for";

/// A range of addresses: a single one, or all that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u8,
}

impl Network {
    /// Reads `10.0.0.0/8`, `192.0.2.1` or `2001:db8::/32`.
    ///
    /// # Errors
    /// What to write in place of a text that is none.
    pub fn parse(text: &str) -> Result<Network, String> {
        let error = || format!("{text} is no network; write an address, as 192.0.2.1, or a range, as 10.0.0.0/8");
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().map_err(|_| error())?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| error())?;
        if bits <= most { Ok(Network { base: base.to_canonical(), bits }) } else { Err(error()) }
    }

    /// Whether an address is one of it.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shift = |width: u8| u32::from(width.saturating_sub(self.bits));
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(other)) => {
                (base.to_bits() ^ other.to_bits()).checked_shr(shift(32)).unwrap_or(0) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(other)) => {
                (base.to_bits() ^ other.to_bits()).checked_shr(shift(128)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.bits)
    }
}

/// The caller's address: the connection's, or, where that is a trusted proxy's, the last one that the proxies name and that is none
/// of theirs. What stands before it came from outside and may be made up.
pub fn caller(connected: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> CallerAddress {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut caller = connected.to_canonical();
    if is_trusted(caller) {
        let lines: Vec<&str> = headers.get_all(FORWARDED).iter().filter_map(|line| line.to_str().ok()).collect();
        for named in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            // What is no address ends the chain: nobody whom we trust wrote it.
            let Some(address) = address(named.trim()) else { break };
            caller = address;
            if !is_trusted(caller) {
                break;
            }
        }
    }
    CallerAddress(caller)
}

/// An address as proxies write it, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(inside, _)| inside);
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
        let trusted: Vec<Network> = trusted.iter().map(|text| Network::parse(text).unwrap()).collect();
        caller(ip("10.1.2.3"), &headers, &trusted).0
    }

    #[test]
    fn a_network_has_its_addresses_and_no_other() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("2001:db8::/32", "2001:db8:1::1", "2001:db9::1"),
            ("0.0.0.0/0", "203.0.113.9", "::1"),
            ("127.0.0.0/8", "::ffff:127.0.0.1", "::1"),
        ] {
            let network = Network::parse(network).unwrap();
            assert!(network.contains(ip(inside)) && !network.contains(ip(outside)), "{network}");
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "host", "10.0.0.0/x"] {
            assert!(Network::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_trust_the_caller_is_whoever_connects() {
        assert_eq!(named(&["203.0.113.9"], &[]), ip("10.1.2.3"));
    }

    #[test]
    fn the_last_address_that_is_no_proxys_is_the_callers() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(named(&["203.0.113.9"], &trusted), ip("203.0.113.9"));
        assert_eq!(
            named(&["198.51.100.7, 203.0.113.9, 10.9.9.9"], &trusted),
            ip("203.0.113.9"),
            "the first is made up"
        );
        assert_eq!(named(&["203.0.113.8", "203.0.113.9:4711"], &trusted), ip("203.0.113.9"));
        assert_eq!(named(&["[2001:db8::1]:443"], &trusted), ip("2001:db8::1"));
        assert_eq!(named(&["198.51.100.7, nonsense, 10.9.9.9"], &trusted), ip("10.9.9.9"));
        assert_eq!(named(&[], &trusted), ip("10.1.2.3"));
    }
}

//! Validation of webhook receivers: of the URL when a subscription is created, and of the IP
//! address for every connection.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The reason a URL is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The URL is not an absolute HTTPS URL, or contains a user name, a fragment, blanks or
    /// non-ASCII characters.
    #[error("not an absolute HTTPS URL without a user name and a fragment")]
    Malformed,
    /// The URL uses HTTP without TLS, which is allowed only for receivers on this machine, during
    /// development.
    #[error("HTTP without TLS is allowed only for receivers on this machine")]
    Insecure,
    /// The URL contains an address in a private network.
    #[error("the address is in a private network")]
    Private,
}

/// Validates a URL. With `loopback`, receivers on this machine are allowed, also without TLS.
///
/// # Errors
/// The reason the URL is rejected.
pub fn check(text: &str, loopback: bool) -> Result<(), UrlError> {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic()) && !text.contains(['#', '\\']);
    let uri: http::Uri = text
        .parse()
        .ok()
        .filter(|_| plain)
        .ok_or(UrlError::Malformed)?;
    let authority = uri
        .authority()
        .filter(|authority| !authority.as_str().contains('@'));
    let authority = authority.ok_or(UrlError::Malformed)?;
    let host = authority.host();
    // Ports above 65,535 are parsed as `None`.
    if host.is_empty() || (host.len() < authority.as_str().len() && authority.port().is_none()) {
        return Err(UrlError::Malformed);
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<IpAddr>().ok();
    let name = bare.trim_end_matches('.').to_ascii_lowercase();
    let is_local = address.map_or(
        name == "localhost" || name.ends_with(".localhost"),
        |address| address.is_loopback(),
    );
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if is_local && loopback => {}
        Some("http") => return Err(UrlError::Insecure),
        _ => return Err(UrlError::Malformed),
    }
    let private = if is_local {
        !loopback
    } else {
        address.is_some_and(|address| !is_public(address))
    };
    if private {
        Err(UrlError::Private)
    } else {
        Ok(())
    }
}

/// Returns whether requests may be sent to an address. It rejects all addresses that the registries
/// of special addresses (RFC 6890 and its updates) do not list as globally reachable, including
/// IPv4 addresses embedded in IPv6 addresses.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let rejected = match address.octets() {
        // This network, private use, loopback.
        [0 | 10 | 127, ..] => true,
        // Shared address space of carrier-grade NAT.
        [100, second, ..] => (64..128).contains(&second),
        // Link-local, which includes cloud metadata services.
        [169, 254, ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        // Protocol assignments, documentation, 6to4 relays, private use.
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [192, 168, ..] => true,
        // Benchmarking, documentation.
        [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => true,
        _ => false,
    };
    !rejected
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match parts {
        // IPv4-mapped addresses. The last arm rejects IPv4-compatible ones, `::` and `::1`.
        [0, 0, 0, 0, 0, 0xffff, high, low] => is_public_v4(v4(high, low)),
        // NAT64 with the well-known prefix.
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4(high, low)),
        // 6to4, with an IPv4 address in the second and third segment.
        [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        // Protocol assignments including Teredo and ORCHID; documentation.
        [0x2001, second, ..] => second >= 0x0200 && second != 0x0db8,
        [0x3fff, second, ..] => second >= 0x1000,
        // Only global unicast, which excludes unique local, link-local, site-local and multicast
        // addresses.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_rejected_in_every_form() {
        for bad in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:a9fe:a9fe",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "3fff:fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(bad.parse().unwrap()), "{bad}");
        }
        for good in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.254",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "2a00::1",
        ] {
            assert!(is_public(good.parse().unwrap()), "{good}");
        }
    }

    #[test]
    fn urls_must_be_public_https() {
        for good in [
            "https://loja.example/hook?a=1",
            "https://loja.example:8443/",
            "https://8.8.8.8/x",
        ] {
            assert_eq!(check(good, false), Ok(()), "{good}");
        }
        use UrlError::{Insecure, Malformed, Private};
        for (bad, error) in [
            ("", Malformed),
            ("loja.example", Malformed),
            ("/hook", Malformed),
            ("ftp://loja.example/", Malformed),
            ("https://", Malformed),
            ("https://:443/", Malformed),
            ("https://loja.example:/", Malformed),
            ("https://loja.example:65536/", Malformed),
            ("https://user:pass@loja.example/", Malformed),
            ("https://loja.example/#part", Malformed),
            ("https://loja.example/a b", Malformed),
            ("https://lojá.example/", Malformed),
            ("http://loja.example/", Insecure),
            ("http://127.0.0.1:9/", Insecure),
            ("https://127.0.0.1/", Private),
            ("https://localhost/", Private),
            ("https://a.localhost./", Private),
            ("https://[::1]/", Private),
            ("https://[::ffff:10.0.0.1]/", Private),
            ("https://192.168.0.1/", Private),
        ] {
            assert_eq!(check(bad, false), Err(error), "{bad}");
        }
        for (text, result) in [
            ("http://127.0.0.1:9/", Ok(())),
            ("https://localhost/", Ok(())),
            ("http://loja.example/", Err(Insecure)),
            ("https://10.0.0.1/", Err(Private)),
        ] {
            assert_eq!(check(text, true), result, "{text}");
        }
    }
}

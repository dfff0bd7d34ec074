//! Extensions that identify the caller of a request, in the request or in its response.

use crate::model::StoreId;

/// The merchant whose key the request had, as the parent store's ID. An extension of the response,
/// for a host's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merchant(pub StoreId);

/// The client's IP address, an extension of the request. Behind a proxy a host sets the address
/// that the proxy reports, and must not trust headers from anyone but that proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub core::net::IpAddr);

impl CallerAddress {
    /// Returns the name for rate limits: the IPv4 address, or the first 64 bits of an IPv6 address,
    /// since one customer usually has a whole /64 network.
    pub fn name(self) -> String {
        match self.0.to_canonical() {
            core::net::IpAddr::V4(address) => address.to_string(),
            core::net::IpAddr::V6(address) => {
                let [first, second, third, fourth, ..] = address.segments();
                format!("{first:x}:{second:x}:{third:x}:{fourth:x}::")
            }
        }
    }
}

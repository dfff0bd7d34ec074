//! Extensions that name the caller of a request or of its response.

use crate::model::StoreId;

/// The merchant whose key a request had: the parent store's ID. An extension of the response, for a host's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merchant(pub StoreId);

/// Where a request comes from, as far as a host knows: an extension of the request. A host that sits behind a proxy names the address
/// that the proxy was called from, and must not take a stranger's word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallerAddress(pub core::net::IpAddr);

impl CallerAddress {
    /// The name of whoever rates are counted for: the address, or of IPv6 the first 64 bits, since one line has all that begin so.
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

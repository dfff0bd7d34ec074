//! Implements `spin:variables` over a map.

use std::{collections::BTreeMap, sync::Arc};

use wasmtime::component::{Accessor, HasData};

use crate::bindings::spin::variables::variables::{Error, Host, HostWithStore};

/// The component's variables.
#[derive(Clone)]
pub(crate) struct Variables(pub(crate) Arc<BTreeMap<String, String>>);

impl HasData for Variables {
    type Data<'a> = &'a mut Variables;
}

impl Host for Variables {}

impl<T> HostWithStore<T> for Variables {
    async fn get(
        store: &Accessor<T, Self>,
        name: String,
    ) -> wasmtime::Result<Result<String, Error>> {
        let known = store.with(|mut access| access.get().0.clone());
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || !name.bytes().all(plain) {
            return Ok(Err(Error::InvalidName(name)));
        }
        Ok(known
            .get(&name)
            .cloned()
            .ok_or_else(|| Error::Undefined(format!("no variable for {name:?}"))))
    }
}

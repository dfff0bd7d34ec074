//! The platform-independent core of Despacho: all rules and the HTTP API, without I/O.
//!
//! The crate uses no clock, network, database or threads. Time and entropy come from a
//! [`model::ExecContext`], everything else from [`host::Storage`] and [`host::Platform`].
//!
//! | to | use |
//! |---|---|
//! | handle an HTTP request | [`handle`], with a host and the operator's [`Settings`] |
//! | compute a preview without a host | [`preview::Previewer`], with a context that the API returned |
//! | check an order or a store before it is sent | [`preview::validate_order`], [`preview::validate_store`] |
//! | update a copy of an order by an event | [`apply_event`] |
//! | find the best order of stops, and assign orders to couriers | [`route`] |
//! | locate an address and estimate distances | [`geo`] |
//! | implement a host | [`host`], with the data in [`model`] and [`changes`], and the work in [`drivers`] |
//!
//! [`memory::MemoryHost`] is the reference host. ARCHITECTURE.md describes the layers, HOSTING.md
//! how to write a host. Items without documentation here are for the other packages of Despacho and
//! can change in every version.

#![forbid(missing_docs)]

pub mod api;
pub mod changes;
pub mod drivers;
pub mod geo;
pub mod host;
#[doc(hidden)]
pub mod json;
pub mod memory;
pub mod model;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod wire;

/// The route engine, which is a separate package.
pub use despacho_route as route;

pub use api::{follow::apply_event, handle, handle_or_stream};
pub use settings::Settings;

/// Previews and checks of requests without a host, for example in a merchant's page.
pub mod preview {
    pub use crate::{
        api::{
            page::{Previewer, validate_order, validate_store},
            problem::{FieldError, Problem, ProblemCode, ProblemDocument},
        },
        geo::pack::{Pack, PackError},
        wire::{
            AddressBody, AreaGeometry, ContextLimits, ContextStore, LocationView, NoticeView,
            PreviewContext, PreviewStopView, PreviewView, PriceLineView, QuoteView, StoreHoursBody,
        },
    };
}

/// The operator's settings.
pub mod settings {
    pub use crate::rules::{
        lifecycle::{Cancellation, Timing},
        limits::Limits,
        matching::Dispatch,
        pricing::Tariff,
        push::PushConfig,
        settings::{
            AccountConfig, CourierConfig, KeyConfig, PlaceConfig, PriceConfig, RetentionConfig,
            Secret, Settings, operator_token,
        },
        webhooks::WebhookConfig,
    };
}

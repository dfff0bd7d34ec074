//! Despacho as a Spin application of five components, with Spin's SQLite or PostgreSQL. The features `connection`, `courier`, `operator` and
//! `preview` each select the endpoints of one component; without them, the component serves all other endpoints. Every component except that
//! of previews has the feature `webhooks`.
//!
//! Up to sixteen concurrent requests share an instance, and a trap in one of them ends all. The code therefore never panics, a
//! transaction has its own connection, and an instance keeps only its configuration and connections without open transactions between
//! requests.

#[cfg(feature = "connection")]
mod background;
mod body;
mod clock;
mod config;
mod database;
mod endpoints;
mod error;
mod geography;
mod log;
mod outbound;
mod panel;
mod platform;
mod postgres;
mod prepare;
#[cfg(feature = "connection")]
mod push;
mod response;
mod serve;
mod session;
mod sqlite;
mod wait;
#[cfg(feature = "webhooks")]
mod webhooks;
mod writes;

use bytes::Bytes;
use http::Response;
use spin_sdk::{
    http::{FullBody, Request},
    http_service,
};

#[http_service]
async fn handle(request: Request) -> Response<FullBody<Bytes>> {
    serve::serve(request).await.map(FullBody::new)
}

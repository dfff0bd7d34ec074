//! Despacho as a Spin component, with Spin's SQLite or PostgreSQL.
//!
//! Up to sixteen concurrent requests share an instance, and a trap in one of them ends all. The
//! code therefore never panics, a transaction has its own connection, and an instance keeps only
//! its configuration and connections without open transactions between requests.

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
mod push;
mod response;
mod serve;
mod session;
mod sqlite;
mod wait;
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

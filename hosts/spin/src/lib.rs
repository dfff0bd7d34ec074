//! Despacho as a Spin component: the core answers, Spin's SQLite or PostgreSQL remembers.
//!
//! An instance is shared by up to sixteen requests at once, and a trap in one of them ends them all. So nothing here panics, a
//! transaction has a connection to itself, and what an instance keeps beyond a request is its configuration and connections that have
//! no transaction open.

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

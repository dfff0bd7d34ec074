//! The reference: a bare warp server that parses the same JSON into the same types and writes it back.

use std::net::SocketAddr;

use despacho_core::api::wire::PreviewOrder;
use warp::Filter;

use despacho_load::Failure;

/// Serves until the process is killed, after saying where.
pub(crate) fn serve() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let route = warp::post().and(warp::body::json()).map(|order: PreviewOrder| warp::reply::json(&order));
        let listener = std::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        println!("ready http://{}", listener.local_addr()?);
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        warp::serve(route).incoming(listener).run().await;
        Ok(())
    })
}

//! The baseline: a bare warp server that parses the same JSON into the same types and writes it
//! back.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use despacho_core::wire::PreviewOrder;
use warp::Filter;

use despacho_bench::BoxError;

/// Prints the server's address and serves until the process is killed.
pub(crate) fn serve() -> Result<(), BoxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let route = warp::post()
            .and(warp::body::json())
            .map(|order: PreviewOrder| warp::reply::json(&order));
        let listener = std::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        println!("ready http://{}", listener.local_addr()?);
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        warp::serve(route).incoming(listener).run().await;
        Ok(())
    })
}

/// The reference server. It is killed when dropped.
pub(crate) struct Echo {
    pub(crate) child: Child,
    /// The base URL.
    pub(crate) base: String,
}

impl Echo {
    /// Starts the server in a separate process.
    pub(crate) fn start() -> Result<Echo, BoxError> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["load", "echo"])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut line)?;
        let base = line
            .trim()
            .strip_prefix("ready ")
            .ok_or("the reference server did not start")?
            .to_owned();
        Ok(Echo { child, base })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

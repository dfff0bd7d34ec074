//! A service on loopback with responses chosen by the test, which records its requests.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
};

use tokio_rustls::rustls::{
    ServerConfig, ServerConnection, StreamOwned, crypto::ring, pki_types::PrivatePkcs8KeyDer,
};

/// A received request.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceivedRequest {
    /// Method and target.
    pub(crate) line: String,
    /// The headers, by lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// The service, which runs until the test process ends.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    /// The DER certificate of a service with TLS.
    pub(crate) certificate: Option<Vec<u8>>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Upstream {
    pub(crate) fn start(
        response: impl Fn(&ReceivedRequest) -> (u16, String) + Send + Sync + 'static,
    ) -> Upstream {
        Upstream::listening(response, None)
    }

    /// Starts a service with TLS and a self-signed certificate.
    pub(crate) fn secure(status: u16, body: &str) -> Upstream {
        let made =
            rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
        let certificate = made.cert.der().clone();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key.into())
            .expect("a valid key");
        let body = body.to_owned();
        let upstream = Upstream::listening(move |_| (status, body.clone()), Some(Arc::new(config)));
        Upstream {
            certificate: Some(certificate.to_vec()),
            ..upstream
        }
    }

    fn listening(
        response: impl Fn(&ReceivedRequest) -> (u16, String) + Send + Sync + 'static,
        tls: Option<Arc<ServerConfig>>,
    ) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, response) = (requests.clone(), Arc::new(response));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, response, tls) = (log.clone(), response.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => serve(stream, &log, response.as_ref()),
                    Some(config) => {
                        let session = ServerConnection::new(config).expect("a session");
                        serve(StreamOwned::new(session, stream), &log, response.as_ref());
                    }
                });
            }
        });
        Upstream {
            address,
            certificate: None,
            requests,
        }
    }

    /// Starts a service that always returns the same response.
    pub(crate) fn fixed(status: u16, body: &str) -> Upstream {
        let body = body.to_owned();
        Upstream::start(move |_| (status, body.clone()))
    }

    pub(crate) fn base(&self) -> String {
        format!(
            "{}://{}",
            if self.certificate.is_some() {
                "https"
            } else {
                "http"
            },
            self.address
        )
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().expect("no thread panics").clone()
    }
}

fn serve(
    stream: impl Read + Write,
    log: &Mutex<Vec<ReceivedRequest>>,
    response: &dyn Fn(&ReceivedRequest) -> (u16, String),
) {
    let mut reader = BufReader::new(stream);
    let mut request = ReceivedRequest::default();
    if reader.read_line(&mut request.line).unwrap_or(0) == 0 {
        return;
    }
    request.line = request
        .line
        .trim_end()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let mut header = String::new();
    while reader.read_line(&mut header).is_ok() && !header.trim().is_empty() {
        if let Some((name, value)) = header.split_once(':') {
            request
                .headers
                .insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        header.clear();
    }
    let length = request
        .headers
        .get("content-length")
        .and_then(|value| value.parse().ok())
        .unwrap_or(0);
    request.body = vec![0; length];
    reader
        .read_exact(&mut request.body)
        .expect("a complete body");
    log.lock().expect("no thread panics").push(request.clone());
    let (status, text) = response(&request);
    let head = format!(
        "HTTP/1.1 {status} Test\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    // The client may have disconnected.
    let stream = reader.get_mut();
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(text.as_bytes()));
    let _ = stream.flush();
}

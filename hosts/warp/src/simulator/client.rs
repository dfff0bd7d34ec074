//! Requests to the API as an app makes them: JSON over HTTP/1.1, one connection each.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpStream, time::timeout};

/// How long an answer may take; robots are patient.
const PATIENCE: Duration = Duration::from_secs(20);
/// An answer is no longer than that.
const LARGEST: usize = 4 << 20;

/// A deployment's API.
#[derive(Clone, Debug)]
pub struct Client {
    /// Host and port, as the `host` header has them.
    authority: String,
    /// Host and port to connect to.
    address: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body; null where there is none.
    pub body: Value,
}

impl Answer {
    /// The body of a success.
    ///
    /// # Errors
    /// What the problem document says.
    pub fn success(self) -> Result<Value, String> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let word = |name: &str| self.body[name].as_str().unwrap_or_default().to_owned();
        Err(format!("{}: {} {}", self.status, word("code"), word("detail")))
    }
}

impl Client {
    /// The API at a URL: `http://HOST` or `http://HOST:PORT`.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub fn to(url: &str) -> Result<Client, String> {
        let error = || format!("{url} is no URL that robots understand: write http://HOST:PORT");
        let uri: Uri = url.trim_end_matches('/').parse().map_err(|_| error())?;
        if uri.scheme_str() != Some("http") || !matches!(uri.path(), "" | "/") {
            return Err(error());
        }
        let authority = uri.authority().ok_or_else(error)?;
        let address = format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(80));
        Ok(Client { authority: authority.to_string(), address })
    }

    /// Sends a request with a key and reads the whole answer.
    ///
    /// # Errors
    /// Why no answer came.
    pub async fn ask(&self, method: Method, path: &str, key: &str, body: Option<&Value>) -> Result<Answer, String> {
        let answer = timeout(PATIENCE, self.exchange(method, path, key, body)).await;
        answer.map_err(|_| format!("{path} was not answered in time"))?
    }

    async fn exchange(&self, method: Method, path: &str, key: &str, body: Option<&Value>) -> Result<Answer, String> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, &self.authority)
            .header("x-api-token", key)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.map(Value::to_string).unwrap_or_default())))
            .map_err(|error| error.to_string())?;
        let socket = TcpStream::connect(&self.address).await;
        let socket = socket.map_err(|error| format!("{} is out of reach: {error}", self.address))?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(socket)).await.map_err(|error| error.to_string())?;
        let exchange = async {
            let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
            let status = response.status();
            let body =
                Limited::new(response.into_body(), LARGEST).collect().await.map_err(|error| error.to_string())?;
            let body = body.to_bytes();
            let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap_or(Value::Null) };
            Ok(Answer { status, body })
        };
        tokio::pin!(exchange);
        tokio::select! {
            answer = &mut exchange => answer,
            // The connection may end with the answer's last byte, which is still to be read.
            _ = connection => exchange.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_host_and_no_path() {
        assert_eq!(Client::to("http://127.0.0.1:8080/").unwrap().address, "127.0.0.1:8080");
        assert_eq!(Client::to("http://[::1]").unwrap().address, "[::1]:80");
        for url in ["https://a.example", "a.example", "http://", "http://a.example/path", "ftp://a.example"] {
            assert!(Client::to(url).is_err(), "{url}");
        }
    }
}

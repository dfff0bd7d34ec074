//! A minimal Spin component: the baseline for measurements of the real one.

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use spin_sdk::{
    http::{FullBody, Request},
    http_service,
};

const HELLO: &str = "{\"hello\":\"spin\"}";

#[http_service]
async fn handle(_request: Request) -> Response<FullBody<Bytes>> {
    let mut response = Response::new(FullBody::new(Bytes::from_static(HELLO.as_bytes())));
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, HeaderValue::from(HELLO.len()));
    response
}

//! The merchant panel, from the files that spin.toml gives the component.

use bytes::Bytes;
use despacho_core::api::problem::{Code, Problem};
use despacho_files::{HOW, PAGE, Site, TOLD, name};
use http::{HeaderValue, Method, Response, header, request::Parts};

use crate::{
    answer::{identify, refuse},
    endpoints::read_only,
};

/// Where the component sees the panel's files: spin.toml copies them with their path.
const FOLDER: &str = "/hosts/panel/dist";
const ROUTE: &str = "GET /{panelFile}";

/// The answer, where the path is one of the panel's.
pub(crate) fn answer(parts: &Parts, site: &Site) -> Option<Response<Bytes>> {
    let path = parts.uri.path();
    // Endpoints have no points in their names but one, and are not looked for on a disk.
    if path != "/" && !path.contains('.') {
        return None;
    }
    let name = name(path)?;
    let file = if name == TOLD {
        // It is told to a panel alone.
        std::fs::exists(format!("{FOLDER}{PAGE}")).is_ok_and(|there| there).then(|| site.told())
    } else {
        std::fs::read(format!("{FOLDER}{name}")).ok().map(|body| site.file(name, body.into()))
    };
    let Some(file) = file else { return (path == "/").then(|| refuse(parts, ROUTE, missing())) };
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Some(refuse(parts, ROUTE, read_only()));
    }
    let mut response = file.response(&parts.headers);
    // Without a length the last piece waits for the client's delayed acknowledgement.
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    identify(parts, &mut response);
    Some(response)
}

fn missing() -> Problem {
    Problem::new(
        Code::EndpointNotFound,
        format!(
            "The merchant panel is not among the application's files: {HOW}, and a new start or deployment takes it along."
        ),
        format!("O painel não está entre os arquivos da aplicação: {HOW}; depois, inicie ou implante de novo."),
    )
}

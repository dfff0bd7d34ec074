//! The merchant panel, from the files that spin.toml gives the component.

use bytes::Bytes;
use despacho_shell::{
    early::EarlyResponse,
    panel::{CONFIG, PAGE, Site, name},
    probes::{self, PANEL_ROUTE},
};
use http::{HeaderValue, Response, header, request::Parts};

use crate::response::{identify, respond_early};

/// Where the component sees the panel's files: spin.toml copies them with their path.
const FOLDER: &str = "/hosts/panel/dist";

/// The answer, where the path is one of the panel's.
pub(crate) fn serve(parts: &Parts, site: &Site) -> Option<Response<Bytes>> {
    let path = parts.uri.path();
    // Endpoints have no points in their names but one, and are not looked for on a disk.
    if path != "/" && !path.contains('.') {
        return None;
    }
    let name = name(path)?;
    let file = if name == CONFIG {
        // It is told to a panel alone.
        std::fs::exists(format!("{FOLDER}{PAGE}")).is_ok_and(|there| there).then(|| site.config())
    } else {
        std::fs::read(format!("{FOLDER}{name}")).ok().map(|body| site.file(name, body.into()))
    };
    let Some(file) = file else {
        return (path == "/").then(|| respond_early(parts, PANEL_ROUTE, EarlyResponse::PanelMissing));
    };
    if !probes::is_read(&parts.method) {
        return Some(respond_early(parts, PANEL_ROUTE, EarlyResponse::ReadOnly));
    }
    let mut response = file.response(&parts.headers);
    // Without a length the last piece waits for the client's delayed acknowledgement.
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    identify(parts, &mut response);
    Some(response)
}

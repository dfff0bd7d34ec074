//! The API's summary, and the merchant panel, the courier's app and the operator's console from the
//! files that spin.toml mounts into the component.

use bytes::Bytes;
use despacho_shell::{
    early::EarlyResponse,
    panel::{CONFIG, PAGE, Site, is_page, name, page_before_slash, redirect},
    probes::{self, PANEL_ROUTE},
};
use http::{HeaderValue, Response, header, request::Parts};

use crate::response::{identify, respond_early};

/// The folder of the panel's files: spin.toml mounts them under their path in the repository.
const FOLDER: &str = "/hosts/panel/dist";
/// The path of the API's summary for language models.
const SUMMARY: &str = "/llms.txt";

/// Returns the response if the path is the one of a page or of its files.
pub(crate) fn serve(parts: &Parts, site: &Site) -> Option<Response<Bytes>> {
    let path = parts.uri.path();
    let redirected = page_before_slash(path);
    let is_page = redirected.is_some() || is_page(path);
    // Only one endpoint has a dot in its path; the others need no file access.
    if !is_page && !path.contains('.') {
        return None;
    }
    let name = name(redirected.unwrap_or(path))?;
    let read = |path: &str| {
        std::fs::read(path)
            .ok()
            .map(|body| site.file(name, body.into()))
    };
    let file = match name {
        SUMMARY => Some(site.file(
            name,
            Bytes::from_static(include_bytes!("../../../core/llms.txt")),
        )),
        // The configuration is served only with a panel.
        CONFIG => std::fs::exists(format!("{FOLDER}{PAGE}"))
            .is_ok_and(|exists| exists)
            .then(|| site.config()),
        _ => read(&format!("{FOLDER}{name}")),
    };
    let Some(file) = file else {
        return is_page.then(|| respond_early(parts, PANEL_ROUTE, EarlyResponse::PanelMissing));
    };
    if !probes::is_read(&parts.method) {
        return Some(respond_early(parts, PANEL_ROUTE, EarlyResponse::ReadOnly));
    }
    let mut response = match redirected {
        Some(page) => redirect(page, &parts.uri),
        None => file.response(&parts.headers),
    };
    // Without a length the last chunk waits for the client's delayed acknowledgement.
    let length = HeaderValue::from(response.body().len());
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, length);
    identify(parts, &mut response);
    Some(response)
}

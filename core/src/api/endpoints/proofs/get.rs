//! `GET /delivery/orders/{platformOrderId}/proof`: JSON, or a page if the caller accepts HTML
//! and does not name JSON.

use base64ct::{Base64, Encoding};

use super::key::no_key;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::orders::access::visible,
        media::takes,
        operation::Operation,
        problem::{Problem, ProblemCode},
        proof_page::{self, EmbeddedPhoto, Page},
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::clock,
    geo,
    host::{Host, HostError, StoreQuery},
    model::{
        OrderId, hex,
        order::{Order, Photo},
        sha256,
        store::Store,
    },
    rules::proofs,
    wire::{OrderProofView, ProofDocument},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Store,
    "GET /delivery/orders/{platformOrderId}/proof",
)
.media(&["application/json", "text/html"])
.heavy()
.cost(PROOF);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getProof",
    summary: "Get the signed proof of an order",
    description: "Returns the order's events, proofs, photos' digests and price lines with the \
        service's signature, so that a third party can verify them offline. With `Accept: \
        text/html`, returns a page to save or print, which contains the photos. PROOFS.md in the \
        repository has the commands.",
    responses: &[(200, Some("OrderProof"), "The proof.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let store = call
        .host
        .find_stores(StoreQuery::IdOrRemoved(order.store))
        .await?
        .pop();
    let store = store.ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    let headers = &call.parts.headers;
    let is_page = takes(headers, "text/html") && !takes(headers, "application/json");
    let is_page = is_page || names_html(headers);
    let document = document(call, &order, &store).await?;
    let text = serde_json::to_string(&document)
        .map_err(|error| Problem::from(HostError::internal(error)))?;
    let digest = hex(&sha256(text.as_bytes()));
    if !is_page {
        let signature = signature(call, text.as_bytes())?;
        return Ok(ApiResponse::json(
            200,
            &OrderProofView {
                document: text,
                digest,
                signature,
            },
        )?);
    }
    let photos = photos(call, &order).await?;
    let page = Page {
        document: &document,
        text: &text,
        digest: &digest,
        photos: &photos,
        language: call.language,
        zone: geo::zone(&order.pickup.address).unwrap_or_default(),
    };
    let lines = proof_page::lines(&page);
    let signature = signature(call, lines.as_bytes())?;
    let policy = Some(proof_page::policy());
    let page = proof_page::signed(lines, &signature);
    Ok(ApiResponse {
        media: "text/html; charset=utf-8",
        policy,
        is_final: true,
        ..ApiResponse::of(200, page)
    })
}

/// A signed page contains up to 8 MiB of photos.
const PROOF: u32 = 15;

/// Maximum bytes of the photos in a page. Further photos are listed with their digest only. In
/// base64 they must be fewer than the bytes of unsent responses that the server accepts by default
/// for one caller.
const MAX_EMBEDDED: usize = 8 << 20;

/// Whether `Accept` names HTML. Browsers add `*/*`, which must not select JSON.
fn names_html(headers: &http::HeaderMap) -> bool {
    let values = headers
        .get_all(http::header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let named = values.collect::<Vec<_>>().join(",").to_ascii_lowercase();
    named.contains("text/html")
        && !named.contains("application/json")
        && takes(headers, "text/html")
}

async fn document<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
    store: &Store,
) -> Result<ProofDocument, HandlerError> {
    let events = call.host.events(order.id).await?;
    let issuer = call.settings.public_url.clone();
    Ok(ProofDocument::of(
        (order, &events),
        store,
        issuer,
        (call.context.now, call.language),
    ))
}

/// Reads the photos, up to [`MAX_EMBEDDED`]; those that no proof contains come last.
async fn photos<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
) -> Result<Vec<EmbeddedPhoto>, HandlerError> {
    let is_used = |photo: &Photo| {
        order
            .proof
            .steps
            .iter()
            .any(|step| step.parts.photos.contains(&photo.id))
    };
    let (used, unused): (Vec<_>, Vec<_>) = order.proof.photos.iter().cloned().partition(is_used);
    let (mut photos, mut room) = (Vec::with_capacity(order.proof.photos.len()), MAX_EMBEDDED);
    for photo in used.into_iter().chain(unused) {
        let left = room.checked_sub(photo.bytes as usize);
        let blob = if left.is_some() {
            call.host.blob(photo.id).await?
        } else {
            None
        };
        room = left.unwrap_or(room);
        photos.push(EmbeddedPhoto {
            photo,
            bytes: blob.map(|blob| blob.bytes).unwrap_or_default(),
        });
    }
    Ok(photos)
}

fn signature<H: Host>(call: &Call<'_, H>, text: &[u8]) -> Result<String, Problem> {
    let signature = proofs::sign(&call.settings.secret, text).ok_or_else(no_key)?;
    Ok(Base64::encode_string(&signature))
}

//! The response of a handler.

use bytes::Bytes;
use serde::Serialize;

use super::{media::JSON, problem::Problem};
use crate::{
    host::HostError,
    json,
    model::{
        Timestamp, fingerprint, hex,
        store::{Key, Recompute, StoredResponse},
    },
    rules::settings::Settings,
};

/// A successful response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiResponse {
    pub status: u16,
    pub body: Bytes,
    pub replayed: bool,
    /// A secret that the body returns only once.
    pub secret: Option<OneTimeSecret>,
    /// Tokens of recipients' links in the body.
    pub links: Vec<LinkToken>,
    /// The target of a redirection.
    pub location: Option<String>,
    /// The media type of the body.
    pub media: &'static str,
    /// Whether the body depends only on the request and the time. A claim then stores a digest
    /// instead of the body.
    pub recomputable: bool,
    /// The value of `Set-Cookie`.
    pub cookie: Option<String>,
    /// The content security policy of a page.
    pub policy: Option<String>,
    /// Whether nothing between the service and the client may change the body, or compress it
    /// again.
    pub is_final: bool,
}

/// A secret in a response. A stored response has only its nonce.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OneTimeSecret {
    /// The secret.
    pub text: String,
    /// The placeholder for the secret in the stored response.
    pub placeholder: String,
    /// The nonce from which the secret is derived, in hexadecimal.
    pub nonce: String,
}

impl OneTimeSecret {
    /// Creates the value of a key.
    pub(super) fn of_key(settings: &Settings, nonce: [u8; 32]) -> OneTimeSecret {
        let text = Key::text(&settings.secret.0, &nonce);
        let nonce = hex(&nonce);
        OneTimeSecret {
            text,
            placeholder: nonce.clone(),
            nonce,
        }
    }
}

/// The token of a recipient's link in a response. A stored response has only its nonce.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LinkToken {
    /// The token.
    pub text: String,
    /// The nonce from which the token is derived, and the placeholder for the token.
    pub nonce: String,
}

impl ApiResponse {
    /// Creates a response with a value as JSON.
    pub(super) fn json(status: u16, value: &impl Serialize) -> Result<ApiResponse, Problem> {
        let body = json::to_vec(value).map_err(|error| {
            Problem::from(HostError::Internal {
                detail: format!("serialising a response: {error}"),
            })
        })?;
        Ok(ApiResponse::of(status, body))
    }

    /// Creates a response without a body.
    pub(super) fn empty(status: u16) -> ApiResponse {
        ApiResponse::of(status, Vec::new())
    }

    /// Creates a response with JSON text.
    pub(super) fn of(status: u16, body: impl Into<Bytes>) -> ApiResponse {
        let body = body.into();
        ApiResponse {
            status,
            body,
            replayed: false,
            secret: None,
            links: Vec::new(),
            location: None,
            media: JSON,
            recomputable: false,
            cookie: None,
            policy: None,
            is_final: false,
        }
    }

    /// Returns the response for a claim to store: with a nonce instead of a secret, with a digest
    /// instead of a preview.
    pub(super) fn stored(&self, at: Timestamp) -> StoredResponse {
        let status = self.status;
        if self.recomputable {
            let recompute = Some(Recompute {
                at,
                digest: self.digest(),
            });
            return StoredResponse {
                status,
                body: String::new(),
                key_nonce: None,
                link_nonces: Vec::new(),
                recompute,
            };
        }
        let body = String::from_utf8_lossy(&self.body).into_owned();
        let (body, key_nonce) = match &self.secret {
            Some(OneTimeSecret {
                text,
                placeholder,
                nonce,
            }) => (body.replace(text, placeholder), Some(nonce.clone())),
            None => (body, None),
        };
        let body = self
            .links
            .iter()
            .fold(body, |body, link| body.replace(&link.text, &link.nonce));
        let link_nonces = self.links.iter().map(|link| link.nonce.clone()).collect();
        StoredResponse {
            status,
            body,
            key_nonce,
            link_nonces,
            recompute: None,
        }
    }

    /// Returns the SHA-256 of the body, in hexadecimal.
    pub(super) fn digest(&self) -> String {
        fingerprint(&[&self.body])
    }
}

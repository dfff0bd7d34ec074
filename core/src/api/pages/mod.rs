//! HTML pages for people without an account. Every value is escaped, and the policy admits only the
//! page's own style and script.

mod html;
mod map;
mod qr;
mod recipient;

use std::sync::LazyLock;

use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

pub(super) use self::recipient::{problem_page, recipient_page};

/// The media type of a page.
pub(super) const HTML: &str = "text/html; charset=utf-8";

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Returns the content security policy of the pages.
pub(super) fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
            hash(STYLE),
            hash(SCRIPT)
        )
    });
    &POLICY
}

//! Proofs of steps: rules of the store, access to photos, the signed proof, and erasure.

use base64ct::{Base64, Encoding};
use bytes::Bytes;
use despacho_core::{
    api,
    drivers::erasure,
    host::{Host, Storage},
    memory::MemoryHost,
    model::{Duration, PhotoId, order::Order},
    rules::settings::{RetentionConfig, Settings},
};
use despacho_simulator::demo::KEY;
use http::Request;
use p256::ecdsa::{Signature, VerifyingKey, signature::Verifier};
use serde_json::{Value, json};

use crate::{
    photo_files::{ALPHA_WEBP, BASELINE, PROGRESSIVE, RGB_PNG},
    support::{
        COURIER, OPERATOR, OTHER, Response, block_on, create_allocated_order, host, order, send,
        settings,
    },
};

/// Sends a request with bytes and headers.
fn raw(
    host: &impl Host,
    key: &str,
    line: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> http::Response<Bytes> {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    block_on(api::handle(
        host,
        &settings(),
        request.body(Bytes::copy_from_slice(body)).unwrap(),
    ))
}

fn upload(host: &MemoryHost, key: &str, order: &Order, photo: &[u8], media: &str) -> Response {
    let line = format!("POST /courier/orders/{}/photos", order.id);
    let (parts, body) = raw(host, key, &line, &[("content-type", media)], photo).into_parts();
    Response {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

fn photo(host: &MemoryHost, order: &Order, photo: &[u8], media: &str) -> u64 {
    let uploaded = upload(host, COURIER, order, photo, media);
    assert_eq!(uploaded.status, 201, "{}", uploaded.body);
    uploaded.body["photoId"].as_u64().unwrap()
}

fn step(host: &MemoryHost, order: &Order, name: &str, body: &Value) -> Response {
    send(
        host,
        COURIER,
        &format!("POST /courier/orders/{}/{name}", order.id),
        body,
    )
}

fn set_rules(host: &MemoryHost, rules: &Value) {
    let stores = send(host, KEY, "GET /delivery/stores", &Value::Null).body;
    let path = format!(
        "PUT /delivery/stores/{}/proofs",
        stores["stores"][0]["id"].as_u64().unwrap_or(1000)
    );
    let set = send(host, KEY, &path, &json!({ "rules": rules }));
    assert_eq!(set.status, 200, "{}", set.body);
}

/// Returns a host whose store requires proofs, and an order at the pickup.
fn at_pickup(rules: &Value, paid: &[bool]) -> (MemoryHost, Order) {
    let host = host();
    set_rules(&host, rules);
    let order = create_allocated_order(&host, "P-1", paid);
    assert_eq!(step(&host, &order, "arrive", &Value::Null).status, 200);
    (host, order)
}

fn pointers(response: &Response) -> Vec<&str> {
    response.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect()
}

/// Takes an order from the pickup to its first door.
fn to_door(host: &MemoryHost, order: &Order, proof: &Value) -> Value {
    let picked = step(
        host,
        order,
        "pickup",
        &json!({ "code": order.pickup_code, "proof": proof }),
    );
    assert_eq!(picked.status, 200, "{}", picked.body);
    let stop = json!({ "deliveryId": order.deliveries[0].id.get() });
    assert_eq!(step(host, order, "en-route", &stop).status, 200);
    assert_eq!(step(host, order, "at-door", &stop).status, 200);
    stop
}

/// Delivers an order with a photo at the pickup and a complete proof at the door. Returns the
/// photos' IDs.
fn delivered(host: &MemoryHost, order: &Order) -> [u64; 2] {
    let photos = [
        photo(host, order, BASELINE, "image/jpeg"),
        photo(host, order, RGB_PNG, "image/png"),
    ];
    let mut body = to_door(host, order, &json!({ "photoIds": [photos[0]] }));
    body["code"] = json!(order.deliveries[0].delivery_code);
    body["proof"] = json!({
        "photoIds": [photos[1]], "receivedBy": "Zilda <Marcador>", "note": "na portaria\n</main>\n\"Marcador\"",
        "latitude": -23.5471234, "longitude": -46.6345678,
    });
    let done = step(host, order, "deliver", &body);
    assert_eq!(
        (done.status, &done.body["situation"]),
        (200, &json!(500)),
        "{}",
        done.body
    );
    photos
}

#[test]
fn missing_parts_are_listed_before_the_code_is_checked() {
    let rules = json!([
        { "step": "PICKUP", "requires": ["PHOTO"] },
        { "step": "DELIVERY", "requires": ["NAME", "POSITION", "NOTE", "PHOTO"] },
        { "step": "FAILURE", "reason": "Ausente", "requires": ["PHOTO", "NOTE"] },
        { "step": "FAILURE", "requires": ["POSITION"] },
    ]);
    let (host, order) = at_pickup(&rules, &[true]);
    let shown =
        send(&host, COURIER, "GET /courier/order", &Value::Null).body["order"]["proofRules"]
            .clone();
    assert_eq!(
        shown[1],
        json!({ "step": "DELIVERY", "reason": null, "requires": ["PHOTO", "NAME", "NOTE", "POSITION"] })
    );
    let wrong = step(&host, &order, "pickup", &json!({ "code": "nothing" }));
    assert_eq!(
        (wrong.outcome(), pointers(&wrong)),
        ((422, Some("proof_required")), vec!["/proof/photoIds"])
    );
    assert_eq!(
        self::order(&host, order.id.get()).tries.wrong,
        0,
        "the code was not checked"
    );
    let id = photo(&host, &order, BASELINE, "image/jpeg");
    let stop = to_door(&host, &order, &json!({ "photoIds": [id] }));
    let missing = step(&host, &order, "deliver", &stop);
    assert_eq!(missing.outcome(), (422, Some("proof_required")));
    assert_eq!(
        pointers(&missing),
        [
            "/proof/photoIds",
            "/proof/receivedBy",
            "/proof/note",
            "/proof/latitude"
        ]
    );
    let fail = |reason: &str, proof: Value| {
        let mut body = stop.clone();
        (body["reason"], body["proof"]) = (json!(reason), proof);
        step(&host, &order, "fail", &body)
    };
    assert_eq!(
        pointers(&fail(" AUSENTE ", json!(null))),
        ["/proof/photoIds", "/proof/note", "/proof/latitude"]
    );
    assert_eq!(
        pointers(&fail("recusado", json!(null))),
        ["/proof/latitude"]
    );
    assert_eq!(
        fail("recusado", json!({ "latitude": -23.5, "longitude": -46.6 })).status,
        200
    );
    let repeated = fail("recusado", json!(null));
    assert_eq!(
        repeated.status, 200,
        "a step that was taken needs no proof: {}",
        repeated.body
    );
}

#[test]
fn proofs_are_shown_with_their_events() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let photos = delivered(&host, &order);
    let shown = send(
        &host,
        KEY,
        &format!("GET /delivery/orders/{}", order.id),
        &Value::Null,
    )
    .body;
    let proofs = shown["proofs"].as_array().unwrap();
    assert_eq!(proofs.len(), 2);
    for (proof, kind) in proofs.iter().zip(["order.picked_up", "delivery.delivered"]) {
        let events = shown["events"].as_array().unwrap();
        let event = events
            .iter()
            .find(|event| event["sequence"] == proof["sequence"])
            .unwrap();
        assert_eq!(
            (&event["type"], &event["createdAt"]),
            (&json!(kind), &proof["createdAt"]),
            "{shown}"
        );
        assert_eq!(event["deliveryId"], proof["deliveryId"]);
    }
    assert_eq!(
        (&proofs[0]["step"], &proofs[0]["receivedBy"]),
        (&json!("PICKUP"), &Value::Null)
    );
    assert_eq!(proofs[1]["photos"][0]["photoId"], photos[1]);
    assert_eq!(
        (&proofs[1]["receivedBy"], &proofs[1]["latitude"]),
        (&json!("Zilda <Marcador>"), &json!(-23.5471234))
    );
}

#[test]
fn courier_uses_only_own_photos_of_the_order() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let own = photo(&host, &order, BASELINE, "image/jpeg");
    let send = |ids: Value| {
        step(
            &host,
            &order,
            "pickup",
            &json!({ "code": "x", "proof": { "photoIds": ids } }),
        )
    };
    let unknown = send(json!([own, 999_999]));
    assert_eq!(
        (unknown.outcome(), pointers(&unknown)),
        ((422, Some("validation_failed")), vec!["/proof/photoIds/1"])
    );
    assert_eq!(pointers(&send(json!([0]))), ["/proof/photoIds/0"]);
    assert_eq!(
        pointers(&send(json!([own, own, own, own, own]))),
        ["/proof/photoIds"]
    );
    assert_eq!(
        send(json!(["x"])).outcome(),
        (400, Some("malformed_request"))
    );
    assert_eq!(
        upload(&host, OTHER, &order, BASELINE, "image/jpeg").outcome(),
        (404, Some("order_not_found"))
    );
    assert_eq!(
        photo(&host, &order, BASELINE, "image/jpeg"),
        own,
        "the same photo again"
    );
}

#[test]
fn order_has_a_limit_of_photos_and_none_after_its_end() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    for number in 0..20_u8 {
        let mut other = PROGRESSIVE.to_vec();
        // Another quantization table makes another photo.
        other[30] = number + 1;
        photo(&host, &order, &other, "image/jpeg");
    }
    assert_eq!(
        upload(&host, COURIER, &order, ALPHA_WEBP, "image/webp").outcome(),
        (409, Some("too_many_photos"))
    );
    assert_eq!(self::order(&host, order.id.get()).proof.photos.len(), 20);
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    assert_eq!(
        upload(&host, COURIER, &order, ALPHA_WEBP, "image/webp").outcome(),
        (404, Some("order_not_found"))
    );
}

#[test]
fn photo_is_returned_to_those_who_see_the_order() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let id = photo(&host, &order, BASELINE, "image/jpeg");
    let stored = block_on(host.blob(PhotoId::new(id).unwrap()))
        .unwrap()
        .unwrap()
        .bytes;
    let get = |key: &str, role: &str| {
        let response = raw(&host, key, &format!("GET /{role}/photos/{id}"), &[], b"");
        let media = response.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        (response.status().as_u16(), media, response.into_body())
    };
    for (key, role) in [(KEY, "delivery"), (COURIER, "courier"), (OPERATOR, "admin")] {
        assert_eq!(
            get(key, role),
            (200, "image/jpeg".to_owned(), stored.clone()),
            "{role}"
        );
    }
    let not_found = get(OTHER, "courier");
    let problem: Value = serde_json::from_slice(&not_found.2).unwrap();
    assert_eq!(
        (not_found.0, &problem["code"]),
        (404, &json!("photo_not_found"))
    );
    delivered(&host, &order);
    assert_eq!(
        get(COURIER, "courier").0,
        404,
        "the courier no longer carries the order"
    );
    assert_eq!(get(KEY, "delivery").0, 200);
}

/// Returns the public key of the service.
fn public_key(host: &MemoryHost) -> VerifyingKey {
    let pem = raw(host, "", "GET /delivery/proof-key", &[], b"").into_body();
    let text: String = std::str::from_utf8(&pem)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let der = Base64::decode_vec(&text).unwrap();
    VerifyingKey::from_sec1_bytes(&der[26..]).unwrap()
}

fn is_signed(host: &MemoryHost, text: &str, signature: &str) -> bool {
    let signature = Signature::from_der(&Base64::decode_vec(signature).unwrap()).unwrap();
    public_key(host).verify(text.as_bytes(), &signature).is_ok()
}

fn proof(host: &MemoryHost, order: &Order) -> Value {
    let line = format!("GET /delivery/orders/{}/proof", order.id);
    serde_json::from_slice(raw(host, KEY, &line, &[("accept", "application/json")], b"").body())
        .unwrap()
}

fn page(host: &MemoryHost, order: &Order, language: &str) -> (String, http::HeaderMap) {
    let headers = [
        ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
        ("accept-language", language),
    ];
    let line = format!("GET /delivery/orders/{}/proof", order.id);
    let (parts, body) = raw(host, KEY, &line, &headers, b"").into_parts();
    assert_eq!(parts.status, 200);
    (String::from_utf8(body.to_vec()).unwrap(), parts.headers)
}

/// Whether a page is signed: as the documented commands, all lines but the last one are signed, and
/// the last one has only the signature.
fn is_signed_page(host: &MemoryHost, page: &[u8]) -> bool {
    let whole = page.strip_suffix(b"\n").unwrap_or(page);
    let start = whole
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let (lines, last) = page.split_at(start);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let signature = last
        .strip_suffix(b"\n")
        .unwrap_or(last)
        .strip_prefix(b"<!-- signature ");
    let signature = signature
        .and_then(|rest| rest.strip_suffix(b" -->"))
        .filter(|text| text.iter().all(is_base64));
    let signature =
        signature.and_then(|text| Base64::decode_vec(std::str::from_utf8(text).unwrap()).ok());
    let signature = signature.and_then(|der| Signature::from_der(&der).ok());
    signature.is_some_and(|signature| public_key(host).verify(lines, &signature).is_ok())
}

#[test]
fn changed_order_event_or_photo_fails_the_verification() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let photos = delivered(&host, &order);
    let issued = proof(&host, &order);
    let (document, signature) = (
        issued["document"].as_str().unwrap(),
        issued["signature"].as_str().unwrap(),
    );
    assert!(is_signed(&host, document, signature));
    let parsed: Value = serde_json::from_str(document).unwrap();
    let digest = parsed["photos"][1]["sha256"].as_str().unwrap();
    assert_eq!(parsed["photos"][1]["photoId"], photos[1]);
    for (old, new) in [
        ("P-1", "P-2"),
        ("order.picked_up", "order.picked-up"),
        (digest, &digest.replace('a', "b")),
        ("Zilda", "Wilda"),
    ] {
        let changed = document.replacen(old, new, 1);
        assert!(
            changed != document && !is_signed(&host, &changed, signature),
            "{old}"
        );
    }
}

#[test]
fn page_with_any_other_byte_fails_the_verification() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let photos = delivered(&host, &order);
    let (page, _) = page(&host, &order, "pt-BR");
    assert!(is_signed_page(&host, page.as_bytes()));
    let picture = Base64::encode_string(
        &block_on(host.blob(PhotoId::new(photos[1]).unwrap()))
            .unwrap()
            .unwrap()
            .bytes,
    );
    assert!(page.contains(&picture), "the page contains the photo");
    let second = "<main><h1>Comprovante de entrega: pedido 2</h1></main>";
    let style = "<style>main{display:none}</style>";
    let last = page.trim_end().rsplit('\n').next().unwrap();
    for (name, old, new) in [
        ("another order", "P-1", "P-2".to_owned()),
        ("another recipient", "Zilda", "Wilda".to_owned()),
        ("another amount", "R$ ", "R$ 1".to_owned()),
        (
            "another photo",
            &picture,
            picture.replacen("AAAA", "AAAB", 1),
        ),
        ("no photo", "<img ", "<img hidden ".to_owned()),
        ("added style", "</head>", format!("{style}</head>")),
        ("style in the body", "<main>", format!("{style}<main>")),
        (
            "style after the page",
            "</html>\n",
            format!("</html>\n{style}\n"),
        ),
        ("changed style", "color:#111", "color:#fff".to_owned()),
        ("second part before", "<main>", format!("{second}\n<main>")),
        (
            "second part after",
            "</main>\n",
            format!("</main>\n{second}\n"),
        ),
        (
            "second part after the page",
            "</html>\n",
            format!("</html>\n{second}\n"),
        ),
        (
            "script",
            "</body>",
            "<script>document.body.innerHTML=''</script></body>".to_owned(),
        ),
        (
            "refresh",
            "<title>",
            "<meta http-equiv=\"refresh\" content=\"0;url=https://example.com\"><title>".to_owned(),
        ),
        (
            "base",
            "<title>",
            "<base href=\"https://example.com/\"><title>".to_owned(),
        ),
        (
            "comment around the page",
            "<main>",
            "<!-- <main>".to_owned(),
        ),
        ("added comment", "<main>", "<!-- --><main>".to_owned()),
        (
            "second id",
            "<footer>",
            "<pre id=\"document\">{}</pre><footer>".to_owned(),
        ),
        (
            "other order of attributes",
            "<meta name=\"viewport\" content=\"width=device-width\">",
            "<meta content=\"width=device-width\" name=\"viewport\">".to_owned(),
        ),
        (
            "another doctype",
            "<!doctype html>",
            "<!DOCTYPE html>".to_owned(),
        ),
        (
            "another character set",
            "charset=\"utf-8\"",
            "charset=\"utf-7\"".to_owned(),
        ),
        (
            "byte order mark",
            "<!doctype",
            "\u{feff}<!doctype".to_owned(),
        ),
        ("text before", "<!doctype", format!("{second}<!doctype")),
        ("other line ends", "\n", "\r\n".to_owned()),
        ("style in the last line", last, format!("{last}{style}")),
        ("style before the signature", last, format!("{style}{last}")),
        (
            "style within the last line",
            last,
            last.replace(" -->", &format!(" -->{style}<!-- -->")),
        ),
        (
            "second signature",
            last,
            format!("{last}\n{second}\n{last}"),
        ),
        (
            "text after the signature",
            last,
            format!("{last}\n{second}"),
        ),
        ("no signature", last, String::new()),
        ("empty signature", last, "<!-- signature  -->".to_owned()),
    ] {
        let changed = page.replacen(old, &new, 1);
        assert!(
            changed != page && !is_signed_page(&host, changed.as_bytes()),
            "{name}"
        );
    }
    for end in [0, 1, page.len() / 2, page.len() - 20, page.len() - 2] {
        assert!(
            !is_signed_page(&host, &page.as_bytes()[..end]),
            "truncated after {end} bytes"
        );
    }
}

#[test]
fn signed_document_is_no_signed_page() {
    // Texts in the document are not escaped for HTML.
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    let issued = proof(&host, &order);
    let (document, signature) = (
        issued["document"].as_str().unwrap(),
        issued["signature"].as_str().unwrap(),
    );
    assert!(document.contains("</main>") && !document.contains('\n'));
    for between in ["", "\n"] {
        let page = format!("{document}{between}<!-- signature {signature} -->\n");
        assert!(!is_signed_page(&host, page.as_bytes()), "{between:?}");
    }
}

#[test]
fn page_contains_the_document_that_it_shows() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    let (page, headers) = page(&host, &order, "pt-BR");
    assert_eq!(headers["cache-control"], "no-store, no-transform");
    let text = page
        .split("<pre id=\"document\">")
        .nth(1)
        .unwrap()
        .split("</pre>")
        .next()
        .unwrap();
    let document: Value = serde_json::from_str(&unescaped(text)).unwrap();
    assert_eq!(
        (&document["format"], &document["order"]["code"]),
        (&json!("despacho-proof/1"), &json!("P-1"))
    );
    assert_eq!(document["proofs"][1]["receivedBy"], "Zilda <Marcador>");
}

#[test]
fn page_has_words_and_local_times() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    for (language, status, times) in [("pt-BR", "Entregue", "UTC−3"), ("en", "Delivered", "UTC−3")]
    {
        let (page, _) = page(&host, &order, language);
        let (shown, technical) = page.split_once("<details>").unwrap();
        assert!(
            shown.contains(&format!("<td>{status}</td>")) && shown.contains(times),
            "{language}"
        );
        for word in [
            "COMPLETED",
            "DELIVERED",
            "openssl",
            "SHA-256",
            "Z</td>",
            ".000",
        ] {
            assert!(!shown.contains(word), "{word}");
        }
        assert!(technical.contains("openssl") && technical.contains("SHA-256"));
    }
}

#[test]
fn proof_of_an_altered_order_has_another_signature() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    let before = proof(&host, &order);
    let stored = self::order(&host, order.id.get());
    let mut altered = stored.clone();
    altered.proof.steps[1].parts.received_by = Some("Outra pessoa".to_owned());
    let orders = vec![despacho_core::changes::Write {
        expected: stored.version,
        value: altered,
    }];
    block_on(host.commit(&despacho_core::changes::Changes {
        orders,
        ..Default::default()
    }))
    .unwrap();
    let after = proof(&host, &order);
    assert_ne!(before["digest"], after["digest"]);
    assert!(!is_signed(
        &host,
        after["document"].as_str().unwrap(),
        before["signature"].as_str().unwrap()
    ));
}

#[test]
fn page_is_self_contained_and_escapes_every_text() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    delivered(&host, &order);
    for (language, words) in [
        ("en", ["Verification", "Received by"]),
        ("pt-BR", ["Verificação", "Recebido por"]),
    ] {
        let (page, headers) = page(&host, &order, language);
        assert!(words.iter().all(|word| page.contains(word)), "{language}");
        assert!(
            page.contains("Zilda &lt;Marcador&gt;")
                && page.contains("&lt;/main&gt;\n&quot;Marcador&quot;"),
            "{page}"
        );
        assert!(
            !page.contains("<script") && !page.contains("http:") && !page.contains("https:"),
            "it loads nothing"
        );
        assert!(
            !page.contains(&order.deliveries[0].delivery_code.repeat(2)) && !page.contains("+5511"),
            "no phone"
        );
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
        let policy = headers["content-security-policy"].to_str().unwrap();
        let style = page
            .split("<style>")
            .nth(1)
            .unwrap()
            .split("</style>")
            .next()
            .unwrap();
        let digest = Base64::encode_string(&despacho_core::model::sha256(style.as_bytes()));
        assert!(
            policy.contains(&format!("style-src 'sha256-{digest}'"))
                && policy.contains("default-src 'none'")
        );
    }
    let commands = include_str!("../../PROOFS.md");
    let (page, _) = page(&host, &order, "en");
    let pre = page
        .split("<pre>")
        .nth(1)
        .unwrap()
        .split("</pre>")
        .next()
        .unwrap();
    for line in unescaped(pre).lines() {
        assert!(commands.contains(line), "PROOFS.md lacks {line}");
    }
}

/// Returns a text as a browser shows it.
fn unescaped(html: &str) -> String {
    let text = html
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&#39;", "'").replace("&amp;", "&")
}

#[test]
fn page_lists_photos_beyond_its_limit_by_digest() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let end = BASELINE.len() - 2;
    let photos: Vec<u64> = (1..=10)
        .map(|number| {
            let large = [&BASELINE[..end], &vec![number; 1_000_000], &BASELINE[end..]].concat();
            photo(&host, &order, &large, "image/jpeg")
        })
        .collect();
    to_door(&host, &order, &json!({ "photoIds": [photos[9]] }));
    let (page, _) = page(&host, &order, "en");
    assert!(page.len() < 12 << 20, "{} bytes", page.len());
    assert_eq!(
        (
            page.matches("<img").count(),
            page.matches("not part of this page").count()
        ),
        (8, 2)
    );
    assert!(
        page.contains(&format!("<img alt=\"Photo {}\"", photos[9])),
        "a photo of a proof comes first"
    );
}

#[test]
fn erasure_of_a_recipient_removes_the_proofs() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let photos = delivered(&host, &order);
    let erased = send(
        &host,
        OPERATOR,
        "POST /admin/privacy/erase",
        &json!({ "phone": "+5511999990000" }),
    );
    assert_eq!(
        (erased.status, &erased.body["orders"]),
        (200, &json!(1)),
        "{}",
        erased.body
    );
    check_erased(&host, &order, photos);
}

fn check_erased(host: &MemoryHost, order: &Order, photos: [u64; 2]) {
    let stored = self::order(host, order.id.get());
    assert!(
        !stored.proof.is_personal() && stored.proof.steps.len() == 2,
        "{:?}",
        stored.proof
    );
    assert!(stored.proof.steps.iter().all(|proof| proof.erased));
    for id in photos {
        assert_eq!(block_on(host.blob(PhotoId::new(id).unwrap())), Ok(None));
        let line = format!("GET /delivery/photos/{id}");
        assert_eq!(
            send(host, KEY, &line, &Value::Null).outcome(),
            (404, Some("photo_not_found"))
        );
    }
    assert!(!format!("{host:?}").contains("Marcador"), "no copy remains");
    let (page, _) = page(host, order, "pt-BR");
    assert!(page.contains("apagado") && !page.contains("Marcador"));
}

#[test]
fn erasure_keeps_the_proofs_of_other_recipients() {
    let (host, order) = at_pickup(&json!([]), &[true, true]);
    let photos = delivered_first_of_two(&host, &order);
    let mut stored = self::order(&host, order.id.get());
    stored.deliveries[0].erased = true;
    let removed = despacho_core::rules::erasure::erase_recipient_proofs(&mut stored);
    assert_eq!(
        removed.iter().map(|id| id.get()).collect::<Vec<_>>(),
        [photos[0], photos[1]]
    );
    let kept: Vec<_> = stored
        .proof
        .steps
        .iter()
        .map(|proof| (proof.erased, proof.parts.photos.len()))
        .collect();
    assert_eq!(kept, [(true, 0), (true, 0), (false, 1)]);
    assert_eq!(stored.proof.photos.len(), 1);
}

/// Delivers both stops of an order, each with a photo, after a photo of the pickup.
fn delivered_first_of_two(host: &MemoryHost, order: &Order) -> [u64; 3] {
    let files = [
        (BASELINE, "image/jpeg"),
        (RGB_PNG, "image/png"),
        (ALPHA_WEBP, "image/webp"),
    ];
    let photos = files.map(|(file, media)| photo(host, order, file, media));
    let picked = json!({ "code": order.pickup_code, "proof": { "photoIds": [photos[0]] } });
    assert_eq!(step(host, order, "pickup", &picked).status, 200);
    for (delivery, id) in order.deliveries.iter().zip(&photos[1..]) {
        let stop = json!({ "deliveryId": delivery.id.get(), "code": delivery.delivery_code, "proof": { "photoIds": [id] } });
        for name in ["en-route", "at-door", "deliver"] {
            assert_eq!(step(host, order, name, &stop).status, 200);
        }
    }
    photos
}

#[test]
fn proofs_are_erased_after_their_retention() {
    let (host, order) = at_pickup(&json!([]), &[true]);
    let photos = delivered(&host, &order);
    let retention = RetentionConfig {
        proofs_days: 90,
        ..RetentionConfig::default()
    };
    let settings = Settings {
        retention,
        ..settings()
    };
    let pass = |days: i64| {
        let later = order.created_at.after(Duration::minutes(days * 24 * 60));
        block_on(erasure::retain(&host, &settings, later))
            .unwrap()
            .orders
    };
    assert_eq!((pass(89), pass(91), pass(91)), (0, 1, 0));
    let erased = self::order(&host, order.id.get());
    assert_eq!(
        erased.deliveries[0].name.as_deref(),
        Some("Maria"),
        "recipients have their own period"
    );
    check_erased(&host, &order, photos);
}

//! The printable page with the proof of an order.
//!
//! The service signs the lines from `<main>` to `</main>`, which have everything that a reader sees, photos included. The page has no
//! script and loads nothing, so a saved copy is complete.

use base64ct::{Base64, Encoding};
use bytes::Bytes;
use serde::Serialize;

use crate::{
    model::{
        Language, Money,
        order::{DeliveryStatus, OrderStatus, Photo, ProofStep},
        price::Rule,
        sha256,
    },
    wire::{AddressBody, EventView, PriceLineView, ProofDelivery, ProofDocument, ProofView, Reais},
};

/// The content of a page.
pub(super) struct Page<'a> {
    /// The order with its proofs.
    pub document: &'a ProofDocument,
    /// SHA-256 of the document as JSON.
    pub digest: &'a str,
    /// The photos of the order.
    pub photos: &'a [EmbeddedPhoto],
    /// The language of the texts.
    pub language: Language,
}

/// A photo with its bytes, which are empty if they are not part of the page.
pub(super) struct EmbeddedPhoto {
    pub photo: Photo,
    pub bytes: Bytes,
}

const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff;max-width:54rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
th,td{border:1px solid #999;padding:.3rem .5rem;text-align:left;vertical-align:top;white-space:pre-line;overflow-wrap:anywhere}\
td.n{text-align:right;white-space:nowrap}figure{margin:1rem 0;break-inside:avoid}img{max-width:100%;max-height:24rem;border:1px solid #999}\
figcaption,code,pre{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}tr{break-inside:avoid}";

/// Returns the content security policy of the page.
pub(super) fn policy() -> String {
    let hash = Base64::encode_string(&sha256(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the page with the signature of its main part.
pub(super) fn page(main: &str, signature: &str, language: Language) -> String {
    let mut html = Html { out: String::with_capacity(main.len() + 4096), language };
    let tag = language.tag();
    html.raw(&format!("<!doctype html>\n<html lang=\"{tag}\"><head><meta charset=\"utf-8\"><title>"));
    html.put("Proof of delivery", "Comprovante de entrega");
    html.raw("</title><meta name=\"viewport\" content=\"width=device-width\"><style>");
    html.raw(STYLE);
    html.raw("</style></head><body>\n");
    html.raw(main);
    html.raw("<footer><h2>");
    html.put("Verification", "Verificação");
    html.raw("</h2><p>");
    html.put(
        "Save this page as proof.html and the public key of the service, from /delivery/proof-key, as proof-key.pem. These commands \
         print Verified OK if no character and no photo above has changed:",
        "Salve esta página como proof.html e a chave pública do serviço, de /delivery/proof-key, como proof-key.pem. Estes comandos \
         mostram Verified OK se nenhum caractere e nenhuma foto acima mudou:",
    );
    html.raw("</p>\n<pre>");
    html.text(COMMANDS);
    html.raw("</pre>\n<pre id=\"signature\">");
    html.text(signature);
    html.raw("</pre>\n</footer></body></html>\n");
    html.out
}

/// The commands that verify a saved page. core/PROOFS.md has the same commands; a test compares them.
pub(super) const COMMANDS: &str = r#"sed -n '/^<main>$/,/^<\/main>$/p' proof.html > proof.signed
sed -n 's/^<pre id="signature">\(.*\)<\/pre>$/\1/p' proof.html | openssl base64 -d -A > proof.signature
openssl dgst -sha256 -verify proof-key.pem -signature proof.signature proof.signed"#;

/// Returns the signed part of the page, from the line `<main>` to the line `</main>`.
pub(super) fn main(page: &Page<'_>) -> String {
    let size = page.photos.iter().map(|photo| photo.bytes.len() / 3 * 4 + 512).sum::<usize>();
    let mut html = Html { out: String::with_capacity(size + 16_384), language: page.language };
    let document = page.document;
    html.raw("<main>\n<h1>");
    html.put("Proof of delivery: order ", "Comprovante de entrega: pedido ");
    html.text(&document.order.code);
    html.raw("</h1>\n");
    html.summary(page);
    html.section("Deliveries", "Entregas");
    html.deliveries(&document.order.deliveries);
    html.section("History", "Histórico");
    html.events(&document.events);
    html.section("Proofs", "Comprovantes");
    html.proofs(&document.proofs);
    html.section("Photos", "Fotos");
    html.photos(page.photos);
    html.section("Price", "Preço");
    html.price(&document.order.price_breakdown, document.order.delivery_fee, document.order.cancellation_fee);
    html.raw("</main>\n");
    html.out
}

/// A text in HTML and the language of its fixed parts.
struct Html {
    out: String,
    language: Language,
}

impl Html {
    fn raw(&mut self, html: &str) {
        self.out.push_str(html);
    }

    /// Writes a text in the language of the page.
    fn put(&mut self, en: &str, pt: &str) {
        self.text(if self.language == Language::Portuguese { pt } else { en });
    }

    /// Writes any text. Nothing in it can end an element, an attribute or the signed part.
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c => self.out.push(c),
            }
        }
    }

    fn section(&mut self, en: &str, pt: &str) {
        self.raw("<h2>");
        self.put(en, pt);
        self.raw("</h2>\n");
    }

    /// Writes a row with a heading and a text.
    fn row(&mut self, (en, pt): (&str, &str), text: &str) {
        self.raw("<tr><th scope=\"row\">");
        self.put(en, pt);
        self.raw("</th><td>");
        self.text(text);
        self.raw("</td></tr>\n");
    }

    /// Writes the start of a table with these headings.
    fn table(&mut self, headings: &[(&str, &str)]) {
        self.raw("<table><tr>");
        for (en, pt) in headings {
            self.raw("<th scope=\"col\">");
            self.put(en, pt);
            self.raw("</th>");
        }
        self.raw("</tr>\n");
    }

    fn cell(&mut self, text: &str) {
        self.raw("<td>");
        self.text(text);
        self.raw("</td>");
    }

    fn amount(&mut self, text: &str) {
        self.raw("<td class=\"n\">");
        self.text(text);
        self.raw("</td>");
    }

    fn reais(&self, amount: Money) -> String {
        match self.language {
            Language::Portuguese => format!("R$ {}", amount.in_portuguese()),
            Language::English => format!("R$ {amount}"),
        }
    }

    fn summary(&mut self, page: &Page<'_>) {
        let (document, order) = (page.document, &page.document.order);
        self.raw("<table>\n");
        self.row(("Order", "Pedido"), &format!("{} ({})", order.code, order.id));
        self.row(("Store", "Loja"), &format!("{}, CNPJ {}", order.store_name, order.store_cnpj));
        self.row(("Pickup", "Coleta"), &address(&order.pickup_address));
        self.row(("Created", "Criado em"), &order.created_at);
        let name = OrderStatus::from_number(order.situation).map_or("", OrderStatus::name);
        self.row(("Status", "Situação"), &format!("{} {name}", order.situation));
        self.row(("Courier", "Entregador"), order.courier.as_deref().unwrap_or("–"));
        self.row(("Issued", "Emitido em"), &document.issued_at);
        self.row(("Issued by", "Emitido por"), document.issuer.as_deref().unwrap_or("Despacho"));
        self.row(("SHA-256 of the JSON document", "SHA-256 do documento JSON"), page.digest);
        self.raw("</table>\n");
    }

    fn deliveries(&mut self, deliveries: &[ProofDelivery]) {
        self.table(&[("ID", "ID"), ("Recipient", "Destinatário"), ("Address", "Endereço"), ("Status", "Situação")]);
        for delivery in deliveries {
            self.raw("<tr>");
            self.cell(&delivery.id.to_string());
            self.cell(delivery.name.as_deref().unwrap_or("–"));
            self.cell(&address(&delivery.address));
            let name = DeliveryStatus::from_number(delivery.situation).map_or("", DeliveryStatus::name);
            self.cell(&format!("{} {name}", delivery.situation));
            self.raw("</tr>\n");
        }
        self.raw("</table>\n");
    }

    fn events(&mut self, events: &[EventView]) {
        self.table(&[
            ("No.", "Nº"),
            ("Time (UTC)", "Horário (UTC)"),
            ("Event", "Evento"),
            ("By", "Por"),
            ("Delivery", "Entrega"),
            ("Position", "Posição"),
        ]);
        for event in events {
            self.raw("<tr>");
            self.cell(&event.sequence.to_string());
            self.cell(&event.created_at);
            let reason = event.reason.as_ref().map(|reason| format!("\n{reason}")).unwrap_or_default();
            self.cell(&format!("{}{reason}", event.description));
            self.cell(&event.requested_by.name);
            self.cell(&event.delivery_id.map(|id| id.to_string()).unwrap_or_default());
            self.cell(&position(event.latitude, event.longitude));
            self.raw("</tr>\n");
        }
        self.raw("</table>\n");
    }

    fn proofs(&mut self, proofs: &[ProofView]) {
        self.table(&[
            ("Event", "Evento"),
            ("Step", "Etapa"),
            ("Delivery", "Entrega"),
            ("Received by", "Recebido por"),
            ("Note", "Observação"),
            ("Position", "Posição"),
            ("Photos", "Fotos"),
        ]);
        for proof in proofs {
            self.raw("<tr>");
            self.cell(&proof.sequence.to_string());
            let (en, pt) = step(proof.step);
            self.raw("<td>");
            self.put(en, pt);
            self.raw("</td>");
            self.cell(&proof.delivery_id.map(|id| id.to_string()).unwrap_or_default());
            self.cell(proof.received_by.as_deref().unwrap_or_default());
            self.cell(proof.note.as_deref().unwrap_or_default());
            self.cell(&position(proof.latitude, proof.longitude));
            let photos: Vec<String> = proof.photos.iter().map(|photo| photo.photo_id.to_string()).collect();
            self.raw("<td>");
            if proof.erased {
                self.put("erased", "apagado");
            }
            self.text(&photos.join(", "));
            self.raw("</td></tr>\n");
        }
        self.raw("</table>\n");
    }

    fn photos(&mut self, photos: &[EmbeddedPhoto]) {
        for EmbeddedPhoto { photo, bytes } in photos {
            self.raw("<figure>");
            if !bytes.is_empty() {
                self.raw("<img alt=\"");
                self.put("Photo ", "Foto ");
                self.raw(&photo.id.to_string());
                self.raw("\" src=\"data:");
                self.raw(photo.format.name());
                self.raw(";base64,");
                self.out.push_str(&Base64::encode_string(bytes));
                self.raw("\">");
            }
            self.raw("<figcaption>");
            self.text(&format!("{} · {} · {} bytes · SHA-256 {}", photo.id, photo.at, photo.bytes, photo.sha256));
            if bytes.is_empty() {
                self.put(" · not part of this page", " · não faz parte desta página");
            }
            self.raw("</figcaption></figure>\n");
        }
    }

    fn price(&mut self, lines: &[PriceLineView], Reais(fee): Reais, Reais(cancellation): Reais) {
        self.table(&[("Item", "Item"), ("Quantity", "Quantidade"), ("Amount", "Valor")]);
        for line in lines {
            let (en, pt) = rule(line.rule);
            self.raw("<tr><td>");
            self.put(en, pt);
            self.raw("</td>");
            self.amount(&number(&line.quantity));
            self.amount(&self.reais(line.amount.0));
            self.raw("</tr>\n");
        }
        for (en, pt, amount) in
            [("Fee", "Taxa", fee), ("Cost of cancellations", "Custo de cancelamentos", cancellation)]
        {
            self.raw("<tr><th scope=\"row\" colspan=\"2\">");
            self.put(en, pt);
            self.raw("</th>");
            self.amount(&self.reais(amount));
            self.raw("</tr>\n");
        }
        self.raw("</table>\n");
    }
}

fn step(step: &str) -> (&'static str, &'static str) {
    match ProofStep::parse(step) {
        Some(ProofStep::Pickup) => ("Pickup", "Coleta"),
        Some(ProofStep::Delivery) => ("Delivery", "Entrega"),
        Some(ProofStep::Failure) => ("Failed delivery", "Falha na entrega"),
        Some(ProofStep::Return) => ("Return", "Devolução"),
        None => ("", ""),
    }
}

fn rule(rule: Rule) -> (&'static str, &'static str) {
    match rule {
        Rule::Base => ("Base fee", "Taxa base"),
        Rule::Distance => ("Distance (km)", "Distância (km)"),
        Rule::ExtraStops => ("Further stops", "Paradas adicionais"),
        Rule::Return => ("Return", "Retorno"),
        Rule::ReturnDistance => ("Way back (km)", "Distância de volta (km)"),
        Rule::Window => ("Surcharge by time (%)", "Adicional por horário (%)"),
        Rule::Vehicle => ("Vehicle surcharge", "Adicional por veículo"),
        Rule::Minimum => ("Minimum fee", "Taxa mínima"),
    }
}

fn address(address: &AddressBody) -> String {
    let AddressBody { street, number, complement, neighborhood, city, state, zip_code, .. } = address;
    let parts = [street, number, complement, neighborhood, city, state, zip_code];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn position(latitude: Option<f64>, longitude: Option<f64>) -> String {
    latitude
        .zip(longitude)
        .map(|(latitude, longitude)| [number(&latitude), number(&longitude)].join(", "))
        .unwrap_or_default()
}

/// Formats a number as in JSON. The standard library's formatting of floats would be a second one.
fn number(number: &impl Serialize) -> String {
    serde_json::to_string(number).unwrap_or_default()
}

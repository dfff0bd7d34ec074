//! The printable page with the proof of an order.
//!
//! The service signs every byte of the page except its last line, which has only the signature. So
//! there is nothing that a browser reads and the signature does not cover: no style, second part,
//! script or base that somebody adds or changes. The page has no script and loads nothing, so a
//! saved copy is complete.

use base64ct::{Base64, Encoding};
use bytes::Bytes;
use serde::Serialize;

use super::proof_words::{choice, delivery_status, order_status, rule, step};
use crate::{
    model::{
        Day, Language, Money, Text, Timestamp, Zone,
        order::{DeliveryStatus, OrderStatus, Photo},
        sha256, time_of_day,
    },
    wire::{AddressBody, EventView, PriceLineView, ProofDelivery, ProofDocument, ProofView, Reais},
};

/// The content of a page.
pub(super) struct Page<'a> {
    /// The order with its proofs.
    pub document: &'a ProofDocument,
    /// The document as JSON.
    pub text: &'a str,
    /// SHA-256 of that text.
    pub digest: &'a str,
    /// The photos of the order.
    pub photos: &'a [EmbeddedPhoto],
    /// The language of the texts.
    pub language: Language,
    /// The time zone of the pickup.
    pub zone: Zone,
}

/// A photo with its bytes, which are empty if they are not part of the page.
pub(super) struct EmbeddedPhoto {
    pub photo: Photo,
    pub bytes: Bytes,
}

/// On a narrow screen, each cell is a line with the heading of its column.
const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff;max-width:54rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
th,td{border:1px solid #999;padding:.3rem .5rem;text-align:left;vertical-align:top;white-space:pre-line;overflow-wrap:anywhere}\
td.n{text-align:right;white-space:nowrap}figure{margin:1rem 0;break-inside:avoid}img{max-width:100%;max-height:24rem;border:1px solid #999}\
figcaption{margin-top:.3rem}code,pre{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}\
tr{break-inside:avoid}footer{margin-top:2rem;border-top:1px solid #999}summary{cursor:pointer;padding:.75rem 0}\
@media screen and (max-width:40rem){body{font-size:16px}table,tbody,tr,th,td{display:block}tr{border:1px solid #999;padding:.4rem .6rem;\
margin:0 0 .6rem}tr.h,td:empty{display:none}th,td,td.n{border:0;padding:.1rem 0;text-align:left}\
td[data-label]::before{content:attr(data-label) \": \";font-weight:600}}";

/// The texts around the signature in the last line.
const SIGNATURE: (&str, &str) = ("<!-- signature ", " -->\n");

/// Returns the content security policy of the page.
pub(super) fn policy() -> String {
    let hash = Base64::encode_string(&sha256(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the page from its signed lines and their signature.
pub(super) fn signed(lines: String, signature: &str) -> String {
    let mut page = lines;
    for part in [SIGNATURE.0, signature, SIGNATURE.1] {
        page.push_str(part);
    }
    page
}

/// The commands that verify a saved page. core/PROOFS.md has the same commands; a test compares
/// them.
pub(super) const COMMANDS: &str = r#"sed '$d' proof.html > proof.signed
sed -n '$s/^<!-- signature \([A-Za-z0-9+/=]*\) -->$/\1/p' proof.html | openssl base64 -d -A > proof.signature
openssl dgst -sha256 -verify proof-key.pem -signature proof.signature proof.signed"#;

/// Returns the lines of the page that the service signs: all but the last one.
pub(super) fn lines(page: &Page<'_>) -> String {
    let size = page
        .photos
        .iter()
        .map(|photo| photo.bytes.len() / 3 * 4 + 512)
        .sum::<usize>();
    let out = String::with_capacity(size + page.text.len() * 2 + 16_384);
    let mut html = Html {
        out,
        language: page.language,
        zone: page.zone,
    };
    let document = page.document;
    html.raw("<!doctype html>\n<html lang=\"");
    html.raw(page.language.tag());
    html.raw("\"><head><meta charset=\"utf-8\"><title>");
    html.put("Proof of delivery", "Comprovante de entrega");
    html.raw("</title><meta name=\"viewport\" content=\"width=device-width\"><style>");
    html.raw(STYLE);
    html.raw("</style></head><body>\n<main>\n<h1>");
    html.put(
        "Proof of delivery: order ",
        "Comprovante de entrega: pedido ",
    );
    html.text(&document.order.code);
    html.raw("</h1>\n");
    html.summary(page);
    html.section("Deliveries", "Entregas");
    html.deliveries(&document.order.deliveries);
    html.section("History", "Histórico");
    html.events(&document.events, &document.order.deliveries);
    html.section("Proofs", "Comprovantes");
    html.proofs(document);
    if !page.photos.is_empty() {
        html.section("Photos", "Fotos");
        html.photos(page.photos);
    }
    html.section("Price", "Preço");
    html.price(
        &document.order.price_breakdown,
        document.order.delivery_fee,
        document.order.cancellation_fee,
    );
    html.raw("</main>\n");
    html.verification(page);
    html.raw("</body></html>\n");
    html.out
}

/// A text in HTML, the language of its fixed parts, and the time zone of its times.
struct Html {
    out: String,
    language: Language,
    zone: Zone,
}

/// A heading in both languages.
type Heading = (&'static str, &'static str);

impl Html {
    fn raw(&mut self, html: &str) {
        self.out.push_str(html);
    }

    /// Returns the text in the language of the page.
    fn pick<'t>(&self, (en, pt): (&'t str, &'t str)) -> &'t str {
        if self.language == Language::Portuguese {
            pt
        } else {
            en
        }
    }

    /// Writes a text in the language of the page.
    fn put(&mut self, en: &str, pt: &str) {
        self.text(self.pick((en, pt)).to_owned().as_str());
    }

    /// Writes any text. Nothing in it can end an element or an attribute.
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

    fn paragraph(&mut self, en: &str, pt: &str) {
        self.raw("<p>");
        self.put(en, pt);
        self.raw("</p>\n");
    }

    /// Writes a row with a heading and a text.
    fn row(&mut self, heading: Heading, text: &str) {
        self.raw("<tr><th scope=\"row\">");
        self.put(heading.0, heading.1);
        self.raw("</th><td>");
        self.text(text);
        self.raw("</td></tr>\n");
    }

    /// Writes the start of a table with these headings.
    fn table(&mut self, headings: &[Heading]) {
        self.raw("<table><tr class=\"h\">");
        for (en, pt) in headings {
            self.raw("<th scope=\"col\">");
            self.put(en, pt);
            self.raw("</th>");
        }
        self.raw("</tr>\n");
    }

    /// Writes a row of a table with these headings.
    fn cells<const N: usize>(&mut self, headings: &[Heading; N], texts: [&str; N]) {
        self.raw("<tr>");
        for (heading, text) in headings.iter().zip(texts) {
            self.cell("", *heading, text);
        }
        self.raw("</tr>\n");
    }

    fn cell(&mut self, attribute: &str, heading: Heading, text: &str) {
        self.raw("<td");
        self.raw(attribute);
        self.raw(" data-label=\"");
        self.put(heading.0, heading.1);
        self.raw("\">");
        self.text(text);
        self.raw("</td>");
    }

    fn reais(&self, amount: Money) -> String {
        match self.language {
            Language::Portuguese => format!("R$ {}", amount.in_portuguese()),
            Language::English => format!("R$ {amount}"),
        }
    }

    /// Returns the local date and time of a time of the API.
    fn local(&self, text: &str) -> String {
        let Some(at) = Timestamp::parse(text) else {
            return text.to_owned();
        };
        let (day, time) = (Day::of(at, self.zone), time_of_day(at, self.zone));
        match self.language {
            Language::Portuguese => format!("{}, {time}", day.in_portuguese()),
            Language::English => format!("{day}, {time}"),
        }
    }

    fn summary(&mut self, page: &Page<'_>) {
        let (document, order) = (page.document, &page.document.order);
        self.raw("<table>\n");
        self.row(("Order", "Pedido"), &order.code);
        self.row(
            ("Store", "Loja"),
            &format!("{}, CNPJ {}", order.store_name, order.store_cnpj),
        );
        self.row(("Pickup", "Coleta"), &address(&order.pickup_address));
        self.row(("Created", "Criado em"), &self.local(&order.created_at));
        let status = OrderStatus::from_number(order.situation).map_or(("", ""), order_status);
        self.row(("Status", "Situação"), self.pick(status));
        self.row(
            ("Courier", "Entregador"),
            order.courier.as_deref().unwrap_or("–"),
        );
        self.row(("Issued", "Emitido em"), &self.local(&document.issued_at));
        self.row(
            ("Issued by", "Emitido por"),
            document.issuer.as_deref().unwrap_or("Despacho"),
        );
        self.raw("</table>\n");
        let hours = -page.zone.offset_hours();
        self.paragraph(
            &format!("Times are local times of the pickup (UTC−{hours})."),
            &format!("Os horários são os do local da coleta (UTC−{hours})."),
        );
    }

    fn deliveries(&mut self, deliveries: &[ProofDelivery]) {
        const HEADINGS: [Heading; 3] = [
            ("Recipient", "Destinatário"),
            ("Address", "Endereço"),
            ("Status", "Situação"),
        ];
        self.table(&HEADINGS);
        for delivery in deliveries {
            let status =
                DeliveryStatus::from_number(delivery.situation).map_or(("", ""), delivery_status);
            let name = delivery.name.as_deref().unwrap_or("–");
            self.cells(
                &HEADINGS,
                [name, &address(&delivery.address), self.pick(status)],
            );
        }
        self.raw("</table>\n");
    }

    fn events(&mut self, events: &[EventView], deliveries: &[ProofDelivery]) {
        const HEADINGS: [Heading; 5] = [
            ("Time", "Horário"),
            ("Event", "Evento"),
            ("By", "Por"),
            ("Recipient", "Destinatário"),
            ("Position", "Posição"),
        ];
        self.table(&HEADINGS);
        for event in events {
            let reason = event.reason.as_deref().map(|reason| match choice(reason) {
                Some(Text { en, pt }) => format!("\n{}", self.pick((&en, &pt))),
                None => format!("\n{reason}"),
            });
            let reason = reason.unwrap_or_default();
            let (time, position) = (
                self.local(&event.created_at),
                position(event.latitude, event.longitude),
            );
            let description = format!("{}{reason}", event.description);
            let name = event.requested_by.name.as_str();
            let recipient = recipient(event.delivery_id, deliveries);
            self.cells(&HEADINGS, [&time, &description, name, recipient, &position]);
        }
        self.raw("</table>\n");
    }

    fn proofs(&mut self, document: &ProofDocument) {
        const HEADINGS: [Heading; 7] = [
            ("Time", "Horário"),
            ("Step", "Etapa"),
            ("Recipient", "Destinatário"),
            ("Received by", "Recebido por"),
            ("Note", "Observação"),
            ("Position", "Posição"),
            ("Photos", "Fotos"),
        ];
        if document.proofs.is_empty() {
            return self.paragraph("No step has a proof.", "Nenhuma etapa tem comprovante.");
        }
        self.table(&HEADINGS);
        for proof in &document.proofs {
            let (time, position) = (
                self.local(&proof.created_at),
                position(proof.latitude, proof.longitude),
            );
            let (step, photos) = (self.pick(step(proof.step)), self.photo_numbers(proof));
            let recipient = recipient(proof.delivery_id, &document.order.deliveries);
            let received_by = proof.received_by.as_deref().unwrap_or_default();
            let note = proof.note.as_deref().unwrap_or_default();
            self.cells(
                &HEADINGS,
                [
                    &time,
                    step,
                    recipient,
                    received_by,
                    note,
                    &position,
                    &photos,
                ],
            );
        }
        self.raw("</table>\n");
    }

    fn photo_numbers(&self, proof: &ProofView) -> String {
        if proof.erased {
            return self.pick(("erased", "apagado")).to_owned();
        }
        proof
            .photos
            .iter()
            .map(|photo| photo.photo_id.to_string())
            .collect::<Vec<_>>()
            .join(", ")
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
            self.put("Photo ", "Foto ");
            self.text(&format!(
                "{}, {}",
                photo.id,
                self.local(&photo.at.to_string())
            ));
            if bytes.is_empty() {
                self.put("; not part of this page", "; não faz parte desta página");
            }
            self.raw("</figcaption></figure>\n");
        }
    }

    fn price(&mut self, lines: &[PriceLineView], Reais(fee): Reais, Reais(cancellation): Reais) {
        const HEADINGS: [Heading; 3] = [
            ("Item", "Item"),
            ("Quantity", "Quantidade"),
            ("Amount", "Valor"),
        ];
        self.table(&HEADINGS);
        for line in lines {
            self.raw("<tr>");
            let quantity = number(&line.quantity);
            let quantity = if self.language == Language::Portuguese {
                quantity.replace('.', ",")
            } else {
                quantity
            };
            self.cell("", HEADINGS[0], self.pick(rule(line.rule)));
            self.cell(" class=\"n\"", HEADINGS[1], &quantity);
            self.cell(" class=\"n\"", HEADINGS[2], &self.reais(line.amount.0));
            self.raw("</tr>\n");
        }
        let cancelled = (
            "Cost of cancellations",
            "Custo de cancelamentos",
            cancellation,
        );
        let cancelled = Some(cancelled).filter(|_| cancellation != Money::ZERO);
        for (en, pt, amount) in [("Fee", "Taxa", fee)].into_iter().chain(cancelled) {
            self.raw("<tr><th scope=\"row\" colspan=\"2\">");
            self.put(en, pt);
            self.raw("</th>");
            self.cell(" class=\"n\"", HEADINGS[2], &self.reais(amount));
            self.raw("</tr>\n");
        }
        self.raw("</table>\n");
    }

    /// Writes how to verify the page, and the document as JSON, folded away.
    fn verification(&mut self, page: &Page<'_>) {
        self.raw("<footer>\n");
        self.paragraph(
            "The service signed this whole page. Anyone can check that nothing was changed.",
            "O serviço assinou esta página inteira. Qualquer pessoa pode conferir que nada foi alterado.",
        );
        self.raw("<details><summary>");
        self.put(
            "Verification and technical details",
            "Verificação e detalhes técnicos",
        );
        self.raw("</summary>\n");
        self.paragraph(
            "Save this page unchanged as proof.html (in a browser as “HTML only”), and the public key of the service, from \
             /delivery/proof-key, as proof-key.pem. These commands print Verified OK if no byte of the page was changed. Then open the \
             file that you verified.",
            "Salve esta página sem alterações como proof.html (no navegador, como “somente HTML”) e a chave pública do serviço, de \
             /delivery/proof-key, como proof-key.pem. Estes comandos mostram Verified OK se nenhum byte da página mudou. Depois, abra o \
             arquivo que você verificou.",
        );
        self.raw("<pre>");
        self.text(COMMANDS);
        self.raw("</pre>\n");
        self.paragraph("The data of this page:", "Os dados desta página:");
        self.raw("<pre id=\"document\">");
        self.text(page.text);
        self.raw("</pre>\n<p>SHA-256: <code>");
        self.raw(page.digest);
        self.raw("</code></p>\n</details>\n</footer>\n");
    }
}

/// Returns the name of a delivery's recipient.
fn recipient(id: Option<u64>, deliveries: &[ProofDelivery]) -> &str {
    let delivery = id.and_then(|id| deliveries.iter().find(|delivery| delivery.id == id));
    delivery.map_or("", |delivery| delivery.name.as_deref().unwrap_or("–"))
}

fn address(address: &AddressBody) -> String {
    let AddressBody {
        street,
        number,
        complement,
        neighborhood,
        city,
        state,
        zip_code,
        ..
    } = address;
    let parts = [
        street,
        number,
        complement,
        neighborhood,
        city,
        state,
        zip_code,
    ];
    parts
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
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

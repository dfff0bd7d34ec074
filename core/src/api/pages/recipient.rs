//! The page of a delivery's recipient. It works without its script, which only keeps it up to date.

use super::{
    SCRIPT,
    html::{document, escape, phone_number, reais},
    map::figure,
    qr::qr,
};
use crate::{
    api::problem::Problem,
    model::{Language, Text, time_of_day},
    rules::recipient::{RecipientPix, RecipientStatus, TrackingState},
};

/// The steps of a delivery.
const STEPS: [(&str, &str); 4] = [
    ("Preparing", "Preparo"),
    ("Picked up", "Coletado"),
    ("On its way", "A caminho"),
    ("Delivered", "Entregue"),
];

/// Returns the page of a delivery. `token` is that of the link, as sent.
pub(in crate::api) fn recipient_page(
    status: &RecipientStatus,
    token: &str,
    language: Language,
) -> String {
    let state = status.state.text();
    let title = format!("{} · {}", state.get(language), status.store_name);
    let tone = match status.state {
        TrackingState::Delivered => " good",
        TrackingState::NotDelivered | TrackingState::Cancelled => " bad",
        _ => "",
    };
    let body = format!(
        "<header>{}</header>\n<main>\n<section id=\"live\" class=\"card{tone}\" aria-live=\"polite\">\n{}</section>\n\
         <div id=\"pay\">{}</div>\n<div id=\"actions\">{}</div>\n<div id=\"contact\">{}</div>\n</main>\n<footer id=\"note\">{}</footer>\n<script>{SCRIPT}</script>\n",
        escape(&status.store_name),
        live(status, language),
        status
            .pix
            .as_ref()
            .map_or_else(String::new, |pix| pay(pix, language)),
        actions(status, token, language),
        contact(status, language),
        note(status, language),
    );
    document(language, &title, refresh(status), &body)
}

/// Without its script, the page reloads every minute, unless that would empty the form of a rating.
fn refresh(status: &RecipientStatus) -> &'static str {
    match status.situation.is_final() {
        true => "",
        false => "<noscript><meta http-equiv=\"refresh\" content=\"60\"></noscript>\n",
    }
}

/// Returns the page of a rejected request. `back` is the path of the recipient's page.
pub(in crate::api) fn problem_page(
    problem: &Problem,
    back: Option<&str>,
    language: Language,
) -> String {
    let title = problem.code.title();
    let fields = problem
        .errors
        .iter()
        .map(|error| format!("<p>{}</p>\n", escape(error.detail.get(language))));
    let fields: String = fields.collect();
    let back = back.map_or_else(String::new, |path| {
        let label = Text::new("Back", "Voltar");
        format!(
            "<a class=\"button\" href=\"{}\">{}</a>\n",
            escape(path),
            label.get(language)
        )
    });
    let detail = if fields.is_empty() {
        format!("<p>{}</p>\n", escape(problem.detail.get(language)))
    } else {
        fields
    };
    let heading = escape(title.get(language));
    let body = format!(
        "<header></header>\n<main>\n<section class=\"card\">\n<h1>{heading}</h1>\n{detail}{back}</section>\n</main>\n"
    );
    document(language, title.get(language), "", &body)
}

/// Returns the state, the estimate, the progress, the courier and the code.
fn live(status: &RecipientStatus, language: Language) -> String {
    let mut html = format!("<h1>{}</h1>\n", status.state.text().get(language));
    if let Some((from, until)) = status.estimate {
        let [from, until] = [from, until].map(|at| time_of_day(at, status.zone));
        html.push_str(&match language {
            Language::English => {
                format!("<p class=\"window\">Expected between <b>{from} – {until}</b></p>\n")
            }
            Language::Portuguese => {
                format!("<p class=\"window\">Previsão de chegada <b>{from} – {until}</b></p>\n")
            }
        });
    }
    html.push_str(&steps(status.state, language));
    let courier = status.courier.as_deref().map(escape);
    match (&courier, status.offset) {
        (Some(name), Some(offset)) => html.push_str(&figure(offset, name, language)),
        (Some(name), None) => {
            let label = Text::new("Courier:", "Entregador:");
            html.push_str(&format!(
                "<p><span class=\"dim\">{}</span> <b>{name}</b></p>\n",
                label.get(language)
            ));
        }
        (None, _) => {}
    }
    if let Some(code) = &status.delivery_code {
        let (label, hint) = match language {
            Language::English => (
                "Delivery code",
                "Give it to the courier when you receive the order.",
            ),
            Language::Portuguese => (
                "Código de entrega",
                "Informe-o ao entregador ao receber o pedido.",
            ),
        };
        let code = escape(code);
        html.push_str(&format!(
            "<p class=\"code\">{label} <b>{code}</b> <span class=\"dim\">{hint}</span></p>\n"
        ));
    }
    html
}

/// Returns the Pix that is due: its QR code for another phone, and its text for the app of a bank on
/// this one.
fn pay(pix: &RecipientPix, language: Language) -> String {
    let amount = reais(pix.amount, language);
    let (heading, to, hint, label, copy, copied, note) = match language {
        Language::English => (
            "Pay by Pix",
            "To",
            "Copy the code and paste it into your bank's app under Pix, or scan it with another phone.",
            "Pix code, ‘copia e cola’",
            "Copy the Pix code",
            "Copied",
            "This page does not know when you have paid. Show the receipt to the courier; the store checks its account.",
        ),
        Language::Portuguese => (
            "Pague com Pix",
            "Para",
            "Copie o código e cole no Pix do app do seu banco, ou escaneie com outro celular.",
            "Pix copia e cola",
            "Copiar código Pix",
            "Copiado",
            "Esta página não sabe quando você pagou. Mostre o comprovante ao entregador; a loja confere a própria conta.",
        ),
    };
    let (code, name) = (escape(&pix.br_code), escape(&pix.name));
    let qr = qr(&pix.br_code, heading);
    format!(
        "<section class=\"card pix\"><h2>{heading}</h2>\n<p class=\"due\"><b>R$ {amount}</b> <span class=\"dim\">{to} {name}</span></p>\n\
         <p class=\"dim\">{hint}</p>\n<button type=\"button\" class=\"main copy\" data-copy=\"{code}\" data-done=\"{copied}\">{copy}</button>\n\
         {qr}<label class=\"text\">{label}<textarea class=\"brcode\" readonly rows=\"4\">{code}</textarea></label>\n\
         <p class=\"dim\">{note}</p></section>\n"
    )
}

fn steps(state: TrackingState, language: Language) -> String {
    let current = match state {
        TrackingState::Scheduled
        | TrackingState::Preparing
        | TrackingState::Waiting
        | TrackingState::Collecting => 0,
        TrackingState::PickedUp => 1,
        TrackingState::EnRoute | TrackingState::Arrived => 2,
        TrackingState::Delivered => 3,
        TrackingState::NotDelivered | TrackingState::Cancelled => return String::new(),
    };
    let items = STEPS.iter().enumerate().map(|(index, (en, pt))| {
        let mark = match index {
            index if index == current => " aria-current=\"step\"",
            index if index < current => " class=\"done\"",
            _ => "",
        };
        format!("<li{mark}>{}</li>", Text::new(*en, *pt).get(language))
    });
    format!("<ol class=\"steps\">{}</ol>\n", items.collect::<String>())
}

/// Returns the forms: choices before the arrival, a rating after the end.
fn actions(status: &RecipientStatus, token: &str, language: Language) -> String {
    let token = escape(token);
    let choices = choices(status, &token, language);
    let rating = match &status.rating {
        Some(rating) => {
            let thanks = Text::new("Thank you for your rating", "Obrigado pela avaliação");
            let stars: String = (1..=5)
                .map(|star| if star <= rating.stars { '★' } else { '☆' })
                .collect();
            let label = format!("{} / 5", rating.stars);
            let text = rating
                .text
                .as_deref()
                .map(|text| format!("<p>{}</p>\n", escape(text)))
                .unwrap_or_default();
            format!(
                "<section class=\"card\"><h2>{}</h2>\n<p class=\"given\" role=\"img\" aria-label=\"{label}\">{stars}</p>\n{text}</section>\n",
                thanks.get(language)
            )
        }
        None if status.can_rate => rating_form(&token, language),
        None => String::new(),
    };
    format!("{choices}{rating}")
}

fn choices(status: &RecipientStatus, token: &str, language: Language) -> String {
    let heading = Text::new("I'm not home", "Não estou em casa");
    let hint = Text::new(
        "The courier sees your choice.",
        "O entregador vê a sua escolha.",
    );
    let (heading, hint) = (heading.get(language), hint.get(language));
    if status.choices.is_empty() {
        let Some(choice) = status.choice.filter(|_| !status.situation.is_final()) else {
            return String::new();
        };
        let text = choice.text();
        return format!(
            "<section class=\"card\"><h2>{heading}</h2>\n<p>{}</p></section>\n",
            text.get(language)
        );
    }
    let buttons = status.choices.iter().map(|choice| {
        let (name, pressed, text) = (choice.name(), status.choice == Some(*choice), choice.text());
        format!(
            "<button name=\"choice\" value=\"{name}\" aria-pressed=\"{pressed}\">{}</button>\n",
            text.get(language)
        )
    });
    let buttons: String = buttons.collect();
    format!(
        "<section class=\"card\"><h2>{heading}</h2>\n<p class=\"dim\">{hint}</p>\n<form method=\"post\" action=\"/t/{token}/choice\">\n\
         {buttons}</form></section>\n"
    )
}

fn rating_form(token: &str, language: Language) -> String {
    let (legend, label, send) = match language {
        Language::English => ("How was the delivery?", "Comment (optional)", "Send rating"),
        Language::Portuguese => (
            "Como foi a entrega?",
            "Comentário (opcional)",
            "Enviar avaliação",
        ),
    };
    let stars = (1..=5).map(|star| {
        format!(
            "<label><input type=\"radio\" name=\"stars\" value=\"{star}\" required>{star}</label>"
        )
    });
    let stars: String = stars.collect();
    format!(
        "<section class=\"card\"><form method=\"post\" action=\"/t/{token}/rating\">\n<fieldset><legend>{legend}</legend>\n\
         <div class=\"stars\">{stars}</div></fieldset>\n<label class=\"text\">{label}<textarea name=\"text\" maxlength=\"1000\"></textarea>\
         </label>\n<button class=\"main\">{send}</button>\n</form></section>\n"
    )
}

fn contact(status: &RecipientStatus, language: Language) -> String {
    let contact = &status.contact;
    if contact.name.is_none() && contact.phone.is_none() && contact.text.is_none() {
        return String::new();
    }
    let heading = Text::new("Contact the store", "Fale com a loja");
    let mut html = format!(
        "<section class=\"card\"><h2>{}</h2>\n",
        heading.get(language)
    );
    for text in contact.name.iter().chain(&contact.text) {
        html.push_str(&format!("<p>{}</p>\n", escape(text)));
    }
    if let Some(phone) = &contact.phone {
        let (number, call) = (escape(phone.as_str()), Text::new("Call", "Ligar para"));
        let shown = escape(&phone_number(phone.as_str()));
        html.push_str(&format!(
            "<a class=\"button\" href=\"tel:{number}\">{} {shown}</a>\n",
            call.get(language)
        ));
    }
    html.push_str("</section>\n");
    html
}

fn note(status: &RecipientStatus, language: Language) -> String {
    let until = status.ends_at.map(|at| time_of_day(at, status.zone));
    match (until, language) {
        (Some(until), Language::English) => format!("This page is available until {until}."),
        (Some(until), Language::Portuguese) => format!("Esta página fica disponível até {until}."),
        (None, Language::English) => "This link is personal. Do not share it.".to_owned(),
        (None, Language::Portuguese) => "Este link é pessoal. Não o compartilhe.".to_owned(),
    }
}

//! Any text as what travels in headers, paths and queries: quotes, cursors, identifiers, instants, codes of the country.

use despacho_core::{
    geo::cnefe::RowReader,
    model::{Cep, Cnpj, Email, OrderId, Phone, StoreId, Timestamp, Uf, order::Journal},
    rules::{pricing::Quote, settings::Secret, webhooks},
};

use super::kind;

/// Reads the text as each of them.
///
/// # Errors
/// What was read and is not the same when it is written.
pub(crate) fn are_read(bytes: &[u8]) -> Result<u64, String> {
    let row = RowReader::default().read(bytes).is_ok();
    let text = String::from_utf8_lossy(bytes);
    let Some(store) = StoreId::new(1_000) else { return Ok(0) };
    let secret = Secret([3; 32]);
    if let Ok(quote) = Quote::open(&text, &secret, store, "content", Timestamp::from_millis(0)) {
        let again = Quote::open(&quote.seal(&secret), &secret, store, "content", Timestamp::from_millis(0));
        if again.as_ref() != Ok(&quote) {
            return Err(format!("the quote {text} came back as {again:?}"));
        }
    }
    let journal = Journal { merchant: store, branch: None };
    let place = journal.position(&text);
    if let Some(place) = place
        && text != "0"
        && journal.position(&journal.cursor(place)) != Some(place)
    {
        return Err(format!("the cursor {text} is not the place {place}"));
    }
    let id = OrderId::parse(&text);
    if id.is_some_and(|id| id.to_string() != text) {
        return Err(format!("the identifier {text} came back as {id:?}"));
    }
    let instant = Timestamp::parse(&text);
    if let Some(instant) = instant
        && Timestamp::parse(&instant.to_string()) != Some(instant)
    {
        return Err(format!("the instant {text} came back as {instant}"));
    }
    let phone = Phone::parse(&text);
    if let Ok(phone) = &phone
        && Phone::parse(phone.as_str()).as_ref() != Ok(phone)
    {
        return Err(format!("the number {text} came back as {}", phone.as_str()));
    }
    let cnpj = Cnpj::parse(&text);
    if let Ok(cnpj) = &cnpj
        && Cnpj::parse(cnpj.as_str()).as_ref() != Ok(cnpj)
    {
        return Err(format!("the CNPJ {text} came back as {}", cnpj.as_str()));
    }
    let email = Email::parse(&text);
    if let Ok(email) = &email
        && Email::parse(email.as_str()).is_err()
    {
        return Err(format!("the address {text} came back as {}", email.as_str()));
    }
    let url = webhooks::check(&text, false);
    let read = format!(
        "{row} {} {} {} {phone:?} {} {} {} {} {url:?}",
        place.is_some(),
        id.is_some(),
        instant.is_some(),
        cnpj.is_ok(),
        email.is_ok(),
        Cep::parse(&text).is_some(),
        Uf::parse(&text).is_some()
    );
    let shape: String = read.chars().filter(|c| !c.is_ascii_digit()).take(160).collect();
    Ok(kind(&[&shape]))
}

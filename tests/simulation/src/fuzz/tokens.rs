//! Parses any text as each value of headers, paths and queries: quotes, cursors, IDs, timestamps
//! and Brazilian codes.

use despacho_core::{
    geo::cnefe::RowReader,
    model::{
        Address, Cep, Cnpj, Distance, Email, Located, OrderId, Phone, Point, Precision, StoreId,
        Timestamp, Uf, Zone,
        order::{Journal, Place},
        store::Settle,
    },
    rules::{
        pricing::{Inquiry, PriceBasis, Quote},
        settings::Secret,
        webhooks,
    },
};

use super::kind;

/// Returns what a quote without stops is calculated from.
fn basis() -> PriceBasis {
    let inquiry = Inquiry {
        store: None,
        pickup: None,
        stops: Vec::new(),
        best_route: false,
        with_times: false,
        preparation_minutes: 0,
        deliver_at: None,
        vehicle: None,
        max_fee: None,
    };
    let located = Located {
        point: Point {
            lat_e7: 0,
            lon_e7: 0,
        },
        precision: Precision::Number,
        radius_m: 0,
    };
    PriceBasis::new(
        &inquiry,
        &Place {
            address: Address::default(),
            located,
        },
        &[],
        (Zone::default(), Settle::default()),
    )
}

/// Parses the text as each kind of value.
///
/// # Errors
/// If a parsed value differs after it is written and parsed again.
pub(crate) fn round_trip(bytes: &[u8]) -> Result<u64, String> {
    let row = RowReader::default().read(bytes).is_ok();
    let text = String::from_utf8_lossy(bytes);
    let Some(store) = StoreId::new(1_000) else {
        return Ok(0);
    };
    let secret = Secret([3; 32]);
    let basis = basis();
    let open = |text: &str| {
        Quote::open(
            text,
            &secret,
            store,
            (&basis, Distance(0)),
            Timestamp::from_millis(0),
        )
    };
    if let Ok(quote) = open(&text) {
        let again = open(&quote.seal(&secret));
        if again.as_ref() != Ok(&quote) {
            return Err(format!("the quote {text} was parsed again as {again:?}"));
        }
    }
    let journal = Journal {
        merchant: store,
        branch: None,
    };
    let position = journal.position(&text);
    if let Some(position) = position
        && text != "0"
        && journal.position(&journal.cursor(position)) != Some(position)
    {
        return Err(format!("the cursor {text} is not the position {position}"));
    }
    let id = OrderId::parse(&text);
    if id.is_some_and(|id| id.to_string() != text) {
        return Err(format!("the ID {text} was parsed as {id:?}"));
    }
    let timestamp = Timestamp::parse(&text);
    if let Some(timestamp) = timestamp
        && Timestamp::parse(&timestamp.to_string()) != Some(timestamp)
    {
        return Err(format!("the timestamp {text} was written as {timestamp}"));
    }
    let phone = Phone::parse(&text);
    if let Ok(phone) = &phone
        && Phone::parse(phone.as_str()).as_ref() != Ok(phone)
    {
        return Err(format!(
            "the phone number {text} was written as {}",
            phone.as_str()
        ));
    }
    let cnpj = Cnpj::parse(&text);
    if let Ok(cnpj) = &cnpj
        && Cnpj::parse(cnpj.as_str()).as_ref() != Ok(cnpj)
    {
        return Err(format!("the CNPJ {text} was written as {}", cnpj.as_str()));
    }
    let email = Email::parse(&text);
    if let Ok(email) = &email
        && Email::parse(email.as_str()).is_err()
    {
        return Err(format!(
            "the email address {text} was written as {}",
            email.as_str()
        ));
    }
    let url = webhooks::check(&text, false);
    let read = format!(
        "{row} {} {} {} {phone:?} {} {} {} {} {url:?}",
        position.is_some(),
        id.is_some(),
        timestamp.is_some(),
        cnpj.is_ok(),
        email.is_ok(),
        Cep::parse(&text).is_some(),
        Uf::parse(&text).is_some()
    );
    let shape: String = read
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(160)
        .collect();
    Ok(kind(&[&shape]))
}

//! Pix keys, and the static payment code (BR Code) of an amount.
//!
//! A BR Code is a text in the merchant-presented format of EMV: fields of an ID of two digits, a
//! length of two digits, and a value. It is displayed as a QR code, or copied into a banking app.
//! It is static: it only names the recipient and the amount. The bank does not know that it
//! exists, and nobody is informed when it is paid; only the recipient's account shows the payment.

use serde::{Deserialize, Serialize};

use super::{Cnpj, Email, Folded, Money, Phone, fold};

/// The kind of a Pix key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PixKeyKind {
    /// A person's CPF.
    Cpf,
    /// A company's CNPJ, numeric or alphanumeric.
    Cnpj,
    /// An email address.
    Email,
    /// A Brazilian phone number.
    Phone,
    /// A random key.
    Random,
}

impl PixKeyKind {
    /// All kinds.
    pub const ALL: [PixKeyKind; 5] = [
        PixKeyKind::Cpf,
        PixKeyKind::Cnpj,
        PixKeyKind::Email,
        PixKeyKind::Phone,
        PixKeyKind::Random,
    ];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            PixKeyKind::Cpf => "CPF",
            PixKeyKind::Cnpj => "CNPJ",
            PixKeyKind::Email => "EMAIL",
            PixKeyKind::Phone => "PHONE",
            PixKeyKind::Random => "RANDOM",
        }
    }
}

/// A Pix key, as banks register it: digits of a CPF, characters of a CNPJ in upper case, an email
/// address or a random key in lower case, or a phone number with `+55`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PixKey {
    kind: PixKeyKind,
    text: String,
}

/// The reason a string is not a Pix key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PixKeyError {
    /// It has the format of no kind.
    #[error("expected a CPF, a CNPJ, an email address, a phone number with +55, or a random key")]
    Malformed,
    /// The check digits of a CPF or a CNPJ do not match.
    #[error("the check digits do not match")]
    WrongCheckDigits,
    /// The eleven digits are a CPF and a phone number.
    #[error("the digits are a CPF and a phone number")]
    Ambiguous,
}

impl PixKey {
    /// Maximum length of a key in characters, which is that of an email address.
    pub const MAX_CHARS: usize = 77;

    /// Parses a key and detects its kind. The punctuation of a CPF, a CNPJ or a phone number is
    /// ignored, and the case of letters. Eleven digits without punctuation that are both a CPF and
    /// a mobile phone number are rejected, because the payments would go to a stranger.
    ///
    /// ```
    /// use despacho_core::model::{PixKey, PixKeyError, PixKeyKind};
    /// let key = PixKey::parse("12.abc.345/01de-35").unwrap();
    /// assert_eq!((key.kind(), key.as_str()), (PixKeyKind::Cnpj, "12ABC34501DE35"));
    /// assert_eq!(PixKey::parse("11.222.333/0001-80"), Err(PixKeyError::WrongCheckDigits));
    /// ```
    ///
    /// # Errors
    /// [`PixKeyError`] if the string is not a key.
    pub fn parse(text: &str) -> Result<PixKey, PixKeyError> {
        let text = text.trim();
        let key = |kind, text: String| Ok(PixKey { kind, text });
        if text.contains('@') {
            let email = Email::parse(text).map_err(|_| PixKeyError::Malformed)?;
            let text = email.key();
            if !text.is_ascii() || text.len() > PixKey::MAX_CHARS {
                return Err(PixKeyError::Malformed);
            }
            return key(PixKeyKind::Email, text);
        }
        if text.starts_with('+') {
            let phone = Phone::read(text).filter(|phone| phone.as_str().starts_with("+55"));
            let phone = phone.ok_or(PixKeyError::Malformed)?;
            return key(PixKeyKind::Phone, phone.as_str().to_owned());
        }
        if is_random(text) {
            return key(PixKeyKind::Random, text.to_ascii_lowercase());
        }
        let plain: String = text
            .chars()
            .filter(|c| !matches!(c, '.' | '/' | '-' | ' '))
            .collect();
        if plain.len() == 11 && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            if !is_cpf(plain.as_bytes()) {
                return Err(PixKeyError::WrongCheckDigits);
            }
            if plain == text && Phone::read(text).is_some() {
                return Err(PixKeyError::Ambiguous);
            }
            return key(PixKeyKind::Cpf, plain);
        }
        match Cnpj::parse(text) {
            Ok(cnpj) => key(PixKeyKind::Cnpj, cnpj.as_str().to_owned()),
            Err(super::CnpjError::WrongCheckDigits) => Err(PixKeyError::WrongCheckDigits),
            Err(super::CnpjError::Malformed) => Err(PixKeyError::Malformed),
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> PixKeyKind {
        self.kind
    }

    /// Returns the key as banks register it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl TryFrom<String> for PixKey {
    type Error = PixKeyError;

    fn try_from(text: String) -> Result<PixKey, PixKeyError> {
        PixKey::parse(&text)
    }
}

impl From<PixKey> for String {
    /// Returns a text that parses to the same key. A CPF has its punctuation, because its digits
    /// can be those of a phone number.
    fn from(PixKey { kind, text }: PixKey) -> String {
        match (kind, text.split_at_checked(9)) {
            (PixKeyKind::Cpf, Some((body, check))) => format!("{body}-{check}"),
            _ => text,
        }
    }
}

/// Returns whether a text is a UUID, in any case.
fn is_random(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let mut parts = text.split('-');
    let is_part = |(part, length): (Option<&str>, usize)| {
        part.is_some_and(|part| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    lengths
        .into_iter()
        .all(|length| is_part((parts.next(), length)))
        && parts.next().is_none()
}

/// Returns whether eleven digits are a CPF. Its check digits have the weights 2, 3, 4 and so on
/// from the right.
fn is_cpf(digits: &[u8]) -> bool {
    let check = |body: &[u8]| {
        let weights = 2_u32..;
        let sum: u32 = body
            .iter()
            .rev()
            .zip(weights)
            .map(|(byte, weight)| u32::from(byte - b'0') * weight)
            .sum();
        match sum % 11 {
            0 | 1 => 0,
            remainder => 11 - remainder,
        }
    };
    let Some((body, [first, second])) = digits.split_last_chunk::<2>() else {
        return false;
    };
    body.len() == 9
        && digits.iter().any(|digit| digit != first)
        && check(body) == u32::from(first - b'0')
        && check(&digits[..10]) == u32::from(second - b'0')
}

/// The recipient of payments by Pix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PixRecipient {
    /// The key.
    pub key: PixKey,
    /// The recipient's name.
    pub name: String,
    /// The recipient's city.
    pub city: String,
}

/// Maximum length of the recipient's name in a BR Code.
const NAME: usize = 25;
/// Maximum length of the recipient's city in a BR Code.
const CITY: usize = 15;
/// Maximum amount of a BR Code.
const MAX_CENTAVOS: i64 = 999_999_999_999;

impl PixRecipient {
    /// Maximum length of the reference in a BR Code.
    pub const MAX_TXID: usize = 25;

    /// Returns whether a name or a city has a letter or a digit, without which a code is invalid.
    pub fn is_printable(text: &str) -> bool {
        !printable(text, NAME.min(CITY)).is_empty()
    }

    /// Returns the static BR Code of an amount with a reference of 1 to 25 ASCII letters and
    /// digits. `None` if there is nothing to pay, the amount has more than ten digits before the
    /// point, or the reference is invalid.
    ///
    /// ```
    /// use despacho_core::model::{Money, PixKey, PixRecipient};
    /// let recipient = PixRecipient {
    ///     key: PixKey::parse("11222333000181").unwrap(),
    ///     name: "Empório Central".to_owned(),
    ///     city: "São Paulo".to_owned(),
    /// };
    /// let code = recipient.br_code(Money::from_centavos(5790).unwrap(), "D10").unwrap();
    /// assert!(code.starts_with("000201") && code.ends_with("6304F63A"));
    /// ```
    pub fn br_code(&self, amount: Money, txid: &str) -> Option<String> {
        let is_txid = (1..=PixRecipient::MAX_TXID).contains(&txid.len())
            && txid.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let centavos = amount.centavos();
        if !(1..=MAX_CENTAVOS).contains(&centavos) || !is_txid {
            return None;
        }
        let account = field("00", "br.gov.bcb.pix") + &field("01", self.key.as_str());
        let mut code = [
            field("00", "01"),
            field("26", &account),
            // The category of the business is not given.
            field("52", "0000"),
            // The real, in ISO 4217.
            field("53", "986"),
            field("54", &format!("{}.{:02}", centavos / 100, centavos % 100)),
            field("58", "BR"),
            field("59", &printable(&self.name, NAME)),
            field("60", &printable(&self.city, CITY)),
            field("62", &field("05", txid)),
        ]
        .concat();
        // The checksum is over everything before it, with its own ID and length.
        code.push_str("6304");
        let checksum = CRC.checksum(code.as_bytes());
        Some(format!("{code}{checksum:04X}"))
    }
}

/// CRC-16/CCITT-FALSE.
const CRC: crc::Crc<u16> = crc::Crc::<u16>::new(&crc::CRC_16_IBM_3740);

/// Writes a field. Every value is ASCII, so its length in bytes is that in characters.
fn field(id: &str, value: &str) -> String {
    format!("{id}{:02}{value}", value.len())
}

/// Reduces a text to upper-case ASCII letters, digits and single spaces, and to a length. Some
/// banks reject accents and punctuation.
fn printable(text: &str, max: usize) -> String {
    let mut reduced = String::with_capacity(max);
    for letter in text.chars() {
        if reduced.len() == max {
            break;
        }
        match fold(letter) {
            Folded::Letter(letter) => reduced.push(letter.to_ascii_uppercase()),
            Folded::Mark => {}
            Folded::Other if reduced.is_empty() || reduced.ends_with(' ') => {}
            Folded::Other => reduced.push(' '),
        }
    }
    reduced.truncate(reduced.trim_end().len());
    reduced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipient(key: &str, name: &str, city: &str) -> PixRecipient {
        PixRecipient {
            key: PixKey::parse(key).unwrap(),
            name: name.to_owned(),
            city: city.to_owned(),
        }
    }

    fn code(key: &str, name: &str, city: &str, centavos: i64, txid: &str) -> String {
        let amount = Money::from_centavos(centavos).unwrap();
        recipient(key, name, city).br_code(amount, txid).unwrap()
    }

    /// The codes are equal to those of the npm package pix-utils 2.8.2. The panel's tests decode
    /// them with it.
    #[test]
    fn codes_equal_those_of_another_encoder() {
        assert_eq!(
            code(
                "11222333000181",
                "Empório Central",
                "São Paulo",
                5790,
                "PED1042D1011"
            ),
            "00020126360014br.gov.bcb.pix0114112223330001815204000053039865405\
             57.905802BR5915EMPORIO CENTRAL6009SAO PAULO62160512PED1042D10116304D3EC"
        );
        assert_eq!(
            code(
                "+5511999990000",
                "Ana Souza",
                "Ribeirão Preto",
                25000,
                "TOPUP1004N7"
            ),
            "00020126360014br.gov.bcb.pix0114+55119999900005204000053039865406\
             250.005802BR5909ANA SOUZA6014RIBEIRAO PRETO62150511TOPUP1004N7630412C1"
        );
        assert_eq!(
            code(
                "12ABC34501DE35",
                "Loja Nova",
                "Curitiba",
                1000,
                &"A".repeat(25)
            ),
            "00020126360014br.gov.bcb.pix011412ABC34501DE355204000053039865405\
             10.005802BR5909LOJA NOVA6008CURITIBA62290525AAAAAAAAAAAAAAAAAAAAAAAAA63040F94"
        );
        // The checksum begins with its own ID.
        assert_eq!(
            code(
                "11222333000181",
                "Empório Central",
                "São Paulo",
                5790,
                "D10"
            ),
            "00020126360014br.gov.bcb.pix0114112223330001815204000053039865405\
             57.905802BR5915EMPORIO CENTRAL6009SAO PAULO62070503D106304F63A"
        );
    }

    /// The checksums of codes that this service does not write: a dynamic one, and the manual's
    /// example with lower-case letters.
    #[test]
    fn checksum_equals_that_of_other_codes() {
        let dynamic = "00020101021226800014br.gov.bcb.pix2558pix.example.com/qr/v2/9d36b84f-c70b-\
                       478f-b95c-12729b90ca255204000053039865802BR5915EMPORIO CENTRAL6009SAO PAULO\
                       62070503***6304";
        assert_eq!(CRC.checksum(dynamic.as_bytes()), 0x79F5);
        let manual = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
                      5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304";
        assert_eq!(CRC.checksum(manual.as_bytes()), 0x1D3D);
        assert_eq!(CRC.checksum(b"123456789"), 0x29B1);
    }

    #[test]
    fn keys_of_each_kind_parse_to_their_registered_form() {
        use PixKeyKind::{Cnpj, Cpf, Email, Phone, Random};
        for (text, kind, form) in [
            ("529.982.247-25", Cpf, "52998224725"),
            (" 52998224725 ", Cpf, "52998224725"),
            ("11.222.333/0001-81", Cnpj, "11222333000181"),
            ("12abc34501de35", Cnpj, "12ABC34501DE35"),
            ("Loja@Exemplo.com.BR", Email, "loja@exemplo.com.br"),
            ("+55 (11) 99999-0000", Phone, "+5511999990000"),
            (
                "9D36B84F-C70B-478F-B95C-12729B90CA25",
                Random,
                "9d36b84f-c70b-478f-b95c-12729b90ca25",
            ),
        ] {
            let key = PixKey::parse(text).unwrap();
            assert_eq!((key.kind(), key.as_str()), (kind, form), "{text}");
        }
    }

    #[test]
    fn strings_that_are_no_key_are_rejected() {
        use PixKeyError::{Malformed, WrongCheckDigits};
        let long = format!("{}@exemplo.com.br", "a".repeat(63));
        for (text, error) in [
            ("", Malformed),
            ("loja", Malformed),
            ("loja@", Malformed),
            ("josé@exemplo.com.br", Malformed),
            (long.as_str(), Malformed),
            ("+1 202 555 0143", Malformed),
            ("+55 11 1234", Malformed),
            ("52998224724", WrongCheckDigits),
            ("111.111.111-11", WrongCheckDigits),
            ("11999990000", WrongCheckDigits),
            ("11222333000180", WrongCheckDigits),
            ("12ABC34501DE36", WrongCheckDigits),
            ("9d36b84fc70b478fb95c12729b90ca25", Malformed),
            ("9d36b84f-c70b-478f-b95c-12729b90ca2g", Malformed),
            ("9d36b84f-c70b-478f-b95c-12729b90ca25-1", Malformed),
        ] {
            assert_eq!(PixKey::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn digits_of_a_cpf_that_are_a_mobile_number_are_ambiguous() {
        let digits = (0..100_u32)
            .map(|last| format!("119876543{last:02}"))
            .find(|digits| is_cpf(digits.as_bytes()))
            .unwrap();
        assert_eq!(PixKey::parse(&digits), Err(PixKeyError::Ambiguous));
        let (a, b, c, d) = (&digits[..3], &digits[3..6], &digits[6..9], &digits[9..]);
        let key = PixKey::parse(&format!("{a}.{b}.{c}-{d}")).unwrap();
        assert_eq!(
            (key.kind(), key.as_str()),
            (PixKeyKind::Cpf, digits.as_str())
        );
        assert_eq!(PixKey::try_from(String::from(key.clone())), Ok(key));
        assert_eq!(
            PixKey::parse(&format!("+55{digits}")).unwrap().kind(),
            PixKeyKind::Phone
        );
    }

    /// The longest values of every field. Field 26 has 99 characters, the most that its length can
    /// express.
    #[test]
    fn longest_fields_keep_their_lengths() {
        let email = format!("{}@exemplo.com.br", "a".repeat(62));
        assert_eq!(email.len(), PixKey::MAX_CHARS);
        let code = code(
            &email,
            "Açaí & Pães do João (São José) Ltda. ME",
            "São José dos Campos",
            MAX_CENTAVOS,
            &"z9".repeat(12),
        );
        assert!(code.is_ascii());
        assert!(code.starts_with(&format!("00020126990014br.gov.bcb.pix0177{email}5204")));
        assert!(code.contains("54139999999999.99"), "{code}");
        assert!(
            code.contains("5925ACAI PAES DO JOAO SAO JOS6015SAO JOSE DOS CA6228"),
            "{code}"
        );
    }

    #[test]
    fn amounts_have_two_decimals_and_nothing_to_pay_has_no_code() {
        for (centavos, field) in [
            (1, "54040.01"),
            (10, "54040.10"),
            (100, "54041.00"),
            (5_790, "540557.90"),
            (100_000_000, "54101000000.00"),
        ] {
            let code = code("11222333000181", "Loja", "Rio", centavos, "D1");
            assert!(code.contains(&format!("986{field}5802BR")), "{code}");
        }
        let recipient = recipient("11222333000181", "Loja", "Rio");
        for amount in
            [0, -1, MAX_CENTAVOS + 1].map(|centavos| Money::from_centavos(centavos).unwrap())
        {
            assert_eq!(recipient.br_code(amount, "D1"), None);
        }
        let amount = Money::from_centavos(100).unwrap();
        for txid in ["", "***", "D-1", "é", &"D".repeat(26)] {
            assert_eq!(recipient.br_code(amount, txid), None, "{txid}");
        }
    }

    #[test]
    fn text_without_letters_and_digits_is_not_printable() {
        assert!(PixRecipient::is_printable("É") && PixRecipient::is_printable("- 1"));
        for text in ["", " ", "…", "（）", "\u{301}"] {
            assert!(!PixRecipient::is_printable(text), "{text}");
        }
    }
}

//! Parts of HTML documents.

use crate::model::{Language, Money};

/// Escapes a value for text and for attributes in quotation marks.
pub(super) fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a document. `head` and `body` are HTML.
pub(super) fn document(language: Language, title: &str, head: &str, body: &str) -> String {
    let (lang, title, style) = (language.tag(), escape(title), super::STYLE);
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<meta name=\"robots\" content=\"noindex, nofollow\">\n<title>{title}</title>\n{head}<style>{style}</style>\n\
         </head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Returns a number in E.164 as people in Brazil write it: `(11) 98765-4321`. A foreign number is
/// returned unchanged.
pub(super) fn phone_number(number: &str) -> String {
    let digits = number
        .strip_prefix("+55")
        .filter(|digits| matches!(digits.len(), 10 | 11) && !digits.starts_with('0'));
    let Some((area, local)) = digits.and_then(|digits| digits.split_at_checked(2)) else {
        return number.to_owned();
    };
    match local.split_at_checked(local.len() - 4) {
        Some((first, last)) => format!("({area}) {first}-{last}"),
        None => number.to_owned(),
    }
}

/// Returns an amount of zero or more with separated thousands: `1.234,50` in Portuguese.
pub(super) fn reais(amount: Money, language: Language) -> String {
    let (thousands, decimal) = match language {
        Language::English => (',', '.'),
        Language::Portuguese => ('.', ','),
    };
    let centavos = amount.centavos();
    let digits = (centavos / 100).to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(thousands);
        }
        grouped.push(digit);
    }
    format!("{grouped}{decimal}{:02}", centavos % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (centavos, en, pt) in [
            (5, "0.05", "0,05"),
            (5_790, "57.90", "57,90"),
            (123_450, "1,234.50", "1.234,50"),
            (100_000_000, "1,000,000.00", "1.000.000,00"),
        ] {
            let amount = Money::from_centavos(centavos).unwrap();
            assert_eq!(reais(amount, Language::English), en);
            assert_eq!(reais(amount, Language::Portuguese), pt);
        }
    }

    #[test]
    fn markup_in_a_value_is_escaped() {
        assert_eq!(
            escape("<b title=\"x\" id='y'>&amp;"),
            "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;"
        );
    }

    #[test]
    fn phone_numbers_are_those_of_brazil() {
        assert_eq!(phone_number("+551130000000"), "(11) 3000-0000");
        assert_eq!(phone_number("+5511987654321"), "(11) 98765-4321");
        for other in ["+4915112345678", "+5508001234567"] {
            assert_eq!(phone_number(other), other);
        }
    }
}

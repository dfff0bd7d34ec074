//! CSV files (RFC 4180): for programs, and for spreadsheets that are set to Brazil's format.

use csv::{Terminator, WriterBuilder};

use crate::model::{Day, Money, Timestamp, Zone, time_of_day};

/// For whom a CSV file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvForm {
    /// For programs: commas, decimal points, times in UTC, names of the API. It does not change.
    Program,
    /// For people with a spreadsheet: a byte order mark, semicolons, decimal commas, local times,
    /// Portuguese words.
    Brazilian,
}

/// The byte order mark, without which spreadsheets read UTF-8 as another encoding.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Characters with which a formula starts, also in their full-width forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

impl CsvForm {
    /// Returns the media type of the file.
    pub fn media(self) -> &'static str {
        match self {
            CsvForm::Program => "text/csv; charset=utf-8; header=present",
            CsvForm::Brazilian => "text/csv; charset=utf-8; header=present; locale=pt-BR",
        }
    }

    /// Writes a file with lines that end with CRLF. Fields are quoted if necessary.
    ///
    /// # Errors
    /// If a row has more or fewer fields than the first.
    pub(super) fn write<const N: usize>(
        self,
        rows: impl IntoIterator<Item = [String; N]>,
    ) -> Result<Vec<u8>, csv::Error> {
        let (delimiter, mut file) = match self {
            CsvForm::Program => (b',', Vec::new()),
            CsvForm::Brazilian => (b';', BYTE_ORDER_MARK.to_vec()),
        };
        let mut writer = WriterBuilder::new()
            .delimiter(delimiter)
            .terminator(Terminator::CRLF)
            .from_writer(&mut file);
        for row in rows {
            writer.write_record(&row)?;
        }
        writer.flush()?;
        drop(writer);
        Ok(file)
    }

    /// Formats an amount in reais.
    pub(super) fn amount(self, amount: Money) -> String {
        match self {
            CsvForm::Program => amount.to_string(),
            CsvForm::Brazilian => amount.in_portuguese(),
        }
    }

    /// Formats a time: for people as `21/11/2026 23:30:59` in a store's time zone.
    pub(super) fn time(self, at: Timestamp, zone: Zone) -> String {
        match self {
            CsvForm::Program => at.to_string(),
            CsvForm::Brazilian => {
                let (day, time) = (Day::of(at, zone).in_portuguese(), time_of_day(at, zone));
                format!("{day} {time}:{:02}", at.millis() / 1_000 % 60)
            }
        }
    }

    /// Formats a day.
    pub(super) fn day(self, day: Day) -> String {
        match self {
            CsvForm::Program => day.to_string(),
            CsvForm::Brazilian => day.in_portuguese(),
        }
    }
}

/// Returns a text as a field. One that a spreadsheet would evaluate as a formula gets an
/// apostrophe.
pub(super) fn csv_text(text: &str) -> String {
    let is_formula = text.trim_start().starts_with(FORMULA) || text.starts_with(['\t', '\r', '\n']);
    if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Returns a number as a field, which is empty if there is none.
pub(super) fn csv_number(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: CsvForm, fields: [&str; 2]) -> String {
        String::from_utf8(form.write([fields.map(csv_text)]).unwrap()).unwrap()
    }

    #[test]
    fn fields_are_quoted_if_necessary() {
        assert_eq!(
            written(CsvForm::Program, ["PIX 7", "a \"b\", c\nd"]),
            "PIX 7,\"a \"\"b\"\", c\nd\"\r\n"
        );
        assert_eq!(
            written(CsvForm::Brazilian, ["Depósito João", "a;b"]),
            "\u{feff}Depósito João;\"a;b\"\r\n"
        );
        assert_eq!(
            written(CsvForm::Brazilian, ["1,50", ""]),
            "\u{feff}1,50;\r\n"
        );
    }

    #[test]
    fn formulas_become_texts() {
        for formula in [
            "=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1", "\n1", "＝1+1",
        ] {
            assert_eq!(csv_text(formula), format!("'{formula}"));
        }
        assert_eq!(csv_text("PIX =7"), "PIX =7");
    }

    #[test]
    fn people_read_local_times_and_decimal_commas() {
        let at = Timestamp::parse("2026-11-22T02:30:59Z").unwrap();
        assert_eq!(
            CsvForm::Brazilian.time(at, Zone::Acre),
            "21/11/2026 21:30:59"
        );
        assert_eq!(
            CsvForm::Program.time(at, Zone::Acre),
            "2026-11-22T02:30:59.000Z"
        );
        let amount = Money::from_centavos(-123_450).unwrap();
        assert_eq!(CsvForm::Brazilian.amount(amount), "-1234,50");
        assert_eq!(CsvForm::Program.amount(amount), "-1234.50");
    }
}

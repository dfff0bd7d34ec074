//! QR codes as SVG.

use qrcodegen::{QrCode, QrCodeEcc};

/// Light modules around a code, of which readers need four. The page adds the rest.
const BORDER: i32 = 2;

/// Returns the QR code of a text with a label for screen readers, or nothing if the text is too long
/// for one.
pub(super) fn qr(text: &str, label: &str) -> String {
    let Ok(code) = QrCode::encode_text(text, QrCodeEcc::Medium) else {
        return String::new();
    };
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            // One rectangle for each run of dark modules.
            let run = (x..code.size())
                .take_while(|x| code.get_module(*x, y))
                .count();
            if run > 0 {
                path.push_str(&format!("M{} {}h{run}v1h-{run}z", x + BORDER, y + BORDER));
            }
            x += i32::try_from(run).unwrap_or(0) + 1;
        }
    }
    let size = code.size() + 2 * BORDER;
    format!(
        "<svg class=\"qr\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"QR: {label}\" shape-rendering=\"crispEdges\">\
         <path d=\"{path}\"/></svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dark_module_is_drawn_once() {
        let text = "00020126360014br.gov.bcb.pix0114112223330001815204000053039865405";
        let svg = qr(text, "Pix");
        let path = svg.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut drawn = Vec::new();
        for run in path.split('M').skip(1) {
            let (at, rest) = run.split_once('h').unwrap();
            let (x, y) = at.split_once(' ').unwrap();
            let length: i32 = rest.split('v').next().unwrap().parse().unwrap();
            let (x, y): (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
            drawn.extend((0..length).map(|step| (x + step - BORDER, y - BORDER)));
        }
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        let mut dark = Vec::new();
        for y in 0..code.size() {
            dark.extend(
                (0..code.size())
                    .filter(|x| code.get_module(*x, y))
                    .map(|x| (x, y)),
            );
        }
        assert_eq!(drawn, dark);
    }

    #[test]
    fn text_that_is_too_long_has_no_code() {
        assert_eq!(qr(&"a".repeat(3_000), "Pix"), "");
    }
}

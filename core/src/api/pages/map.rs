//! A drawing of the courier's position relative to the recipient's address. A map from elsewhere
//! would disclose both.

use crate::model::Language;

const WIDTH: i32 = 320;
const HEIGHT: i32 = 180;
/// Maximum distance of the courier's symbol from the centre.
const REACH: i32 = 66;

/// Returns the drawing for a position in units of 100 m to the east and to the north, with a
/// description.
pub(super) fn figure((east, north): (i32, i32), first_name: &str, language: Language) -> String {
    let distance =
        libm::sqrt(f64::from(east) * f64::from(east) + f64::from(north) * f64::from(north));
    let (x0, y0) = (WIDTH / 2, HEIGHT / 2);
    // The ring is the shortest of these distances, in units of 100 m, that contains the courier.
    let ring = [5, 10, 20, 30, 50, 75, 100, 200, 500]
        .into_iter()
        .find(|ring| f64::from(*ring) >= distance)
        .unwrap_or(1_000);
    let place = |units: i32| units.saturating_mul(REACH) / ring;
    let reach = |offset: i32| offset.clamp(-REACH, REACH);
    let (x, y) = (x0 + reach(place(east)), y0 - reach(place(north)));
    let (far, scale) = (
        kilometres(distance, language),
        kilometres(f64::from(ring), language),
    );
    let caption = match language {
        Language::English => format!("{first_name} is about {far} away."),
        Language::Portuguese => format!("{first_name} está a cerca de {far}."),
    };
    let half = REACH / 2;
    format!(
        "<figure class=\"map\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\"><circle class=\"ring\" cx=\"{x0}\" cy=\"{y0}\" \
         r=\"{REACH}\"/><circle class=\"ring\" cx=\"{x0}\" cy=\"{y0}\" r=\"{half}\"/><text x=\"{}\" y=\"{}\">{scale}</text><line class=\"way\" \
         x1=\"{x}\" y1=\"{y}\" x2=\"{x0}\" y2=\"{y0}\"/><path class=\"home\" d=\"M{x0} {}l13 11h-4v11h-18v-11h-4z\"/><circle class=\"halo\" \
         cx=\"{x}\" cy=\"{y}\" r=\"15\"/><circle class=\"courier\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/></svg><figcaption>{caption}</figcaption>\
         </figure>\n",
        x0 + REACH + 6,
        y0 + 4,
        y0 - 12,
    )
}

/// Returns a distance in units of 100 m as text.
fn kilometres(units: f64, language: Language) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "at most half of the Earth's circumference in units of 100 m"
    )]
    let units = (libm::round(units) as i64).max(1);
    match (units, language) {
        (..10, _) => format!("{} m", units * 100),
        (whole, _) if whole % 10 == 0 => format!("{} km", whole / 10),
        (_, Language::English) => format!("{}.{} km", units / 10, units % 10),
        (_, Language::Portuguese) => format!("{},{} km", units / 10, units % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_contains_no_symbol_outside_its_frame() {
        for offset in [(0, 0), (3, -4), (-700, 10), (12_000, -90_000), (1, 1_000)] {
            let drawing = figure(offset, "Ana", Language::Portuguese);
            let number = |name: &str| -> i32 {
                let courier = drawing.split("class=\"courier\"").nth(1).unwrap();
                courier
                    .split(&format!("{name}=\""))
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            };
            assert!(
                (15..=WIDTH - 15).contains(&number("cx"))
                    && (15..=HEIGHT - 15).contains(&number("cy")),
                "{drawing}"
            );
        }
    }

    #[test]
    fn distance_is_rounded_to_a_hundred_metres() {
        let texts = [0.0, 4.4, 9.6, 12.3].map(|units| kilometres(units, Language::Portuguese));
        assert_eq!(texts, ["100 m", "400 m", "1 km", "1,2 km"]);
        assert_eq!(kilometres(12.3, Language::English), "1.2 km");
    }
}

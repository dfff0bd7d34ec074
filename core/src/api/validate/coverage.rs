//! Opening hours and service areas of stores.

use chrono::Weekday;

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    geo::{first_crossing, first_outside, has_three_edges, is_in_box},
    model::{
        Day, LocalTime, Point,
        store::{HoursException, OpeningPeriod, Ring, ServiceArea, StoreHours, TimeSpan},
    },
    rules::{hours::overlapping, limits::Limits},
    wire::{
        AreaGeometry, Coordinates, HoursExceptionBody, OpeningPeriodBody, StoreAreaBody,
        StoreHoursBody,
    },
};

/// Validates the opening hours of a store, and its usual preparation time in minutes.
///
/// # Errors
/// Every invalid field.
pub fn store_hours(
    body: Body<StoreHoursBody>,
    limits: &Limits,
) -> Result<(StoreHours, Option<u32>), Problem> {
    let mut checker = Checker::new(body.wrong);
    let hours = checker.hours(&Path::Root, &body.value);
    let sent = body.value.preparation_time;
    let preparation = checker.minutes(
        &Path::Root.member("preparationTime"),
        sent,
        0..=limits.preparation_minutes,
    );
    checker.finish(Some((hours, preparation)))
}

/// Validates the service area of a store. `None` removes it.
///
/// # Errors
/// Every invalid field, and the first error of every ring.
pub fn store_area(body: Body<StoreAreaBody>) -> Result<Option<ServiceArea>, Problem> {
    let mut checker = Checker::new(body.wrong);
    let sent = body.value.service_area;
    let area = sent.map(|sent| checker.area(&Path::Root.member("serviceArea"), &sent));
    checker.finish(Some(area))
}

impl Checker {
    /// Reads opening hours.
    pub(in crate::api) fn hours(&mut self, path: &Path<'_>, sent: &StoreHoursBody) -> StoreHours {
        let (list, periods) = (
            path.member("hours"),
            sent.hours.as_deref().unwrap_or_default(),
        );
        let mut weekly = Vec::new();
        if self.has_at_most(&list, periods.len(), bounds::OPENING_PERIODS) {
            weekly.extend(
                periods
                    .iter()
                    .enumerate()
                    .filter_map(|(at, sent)| self.period(&list.item(at), sent)),
            );
        }
        // Without all periods, the indices in the errors would be incorrect.
        if weekly.len() == periods.len() {
            for index in overlapping(&weekly) {
                let en =
                    "The period overlaps with an earlier one of the list. Change or join them.";
                let pt = "O período se sobrepõe a um anterior da lista. Mude ou junte os dois.";
                self.reject(&list.item(index), "overlapping_hours", en, pt);
            }
        }
        let (list, dates) = (
            path.member("exceptions"),
            sent.exceptions.as_deref().unwrap_or_default(),
        );
        let mut exceptions: Vec<HoursException> = Vec::new();
        if !self.has_at_most(&list, dates.len(), bounds::HOURS_EXCEPTIONS) {
            return StoreHours::default();
        }
        for (index, sent) in dates.iter().enumerate() {
            let item = list.item(index);
            let Some(exception) = self.exception(&item, sent) else {
                continue;
            };
            if exceptions.iter().any(|other| other.date == exception.date) {
                let en = "The list has this date already. Send each date once.";
                let pt = "A lista já tem esta data. Envie cada data uma única vez.";
                self.reject(&item.member("date"), "duplicate_date", en, pt);
            }
            exceptions.push(exception);
        }
        exceptions.sort_by_key(|exception| exception.date);
        StoreHours { weekly, exceptions }
    }

    fn period(&mut self, path: &Path<'_>, sent: &OpeningPeriodBody) -> Option<OpeningPeriod> {
        let days = self.weekdays(
            &path.member("days"),
            sent.days.as_deref().unwrap_or_default(),
        );
        let span = self.span(path, sent.from.as_ref(), sent.until.as_ref());
        Some(OpeningPeriod { days, span: span? })
    }

    /// Reads the days of the week. Repeated days count once.
    pub(super) fn weekdays(&mut self, list: &Path<'_>, names: &[String]) -> Vec<Weekday> {
        self.has_at_most(list, names.len(), bounds::WEEKDAYS);
        let mut days = Vec::new();
        for (index, day) in names.iter().take(*bounds::WEEKDAYS.end()).enumerate() {
            match day.parse::<Weekday>() {
                Ok(day) if days.contains(&day) => {}
                Ok(day) => days.push(day),
                Err(_) => {
                    let en = "Expected a day of the week in English, such as `mon`.";
                    let pt = "Esperado um dia da semana em inglês, como `mon`.";
                    self.reject(&list.item(index), "unknown_value", en, pt);
                }
            }
        }
        days
    }

    fn span(
        &mut self,
        path: &Path<'_>,
        from: Option<&String>,
        until: Option<&String>,
    ) -> Option<TimeSpan> {
        let end = path.member("until");
        let from = self.time_of_day(&path.member("from"), from, false);
        let until = self.time_of_day(&end, until, true);
        let span = TimeSpan {
            from: from?,
            until: until?,
        };
        if span.from == span.until {
            let en = "The period has no length. Send another time; a whole day is from 00:00 until 24:00.";
            let pt = "O período não tem duração. Envie outro horário; um dia inteiro vai de 00:00 a 24:00.";
            self.reject(&end, "empty_period", en, pt);
        }
        Some(span)
    }

    fn time_of_day(
        &mut self,
        path: &Path<'_>,
        text: Option<&String>,
        is_end: bool,
    ) -> Option<LocalTime> {
        let text = self.required_text(path, text, bounds::FORMATTED);
        self.parsed(path, text, |text| {
            let time = LocalTime::parse(text).filter(|time| is_end || *time < LocalTime::END);
            time.ok_or_else(|| {
                let en = "Expected a local time in the format HH:MM, such as 18:30.";
                let pt = "Esperado um horário local no formato HH:MM, como 18:30.";
                ("invalid_time", en.to_owned(), pt.to_owned())
            })
        })
    }

    fn exception(&mut self, path: &Path<'_>, sent: &HoursExceptionBody) -> Option<HoursException> {
        let date = self.required_text(&path.member("date"), sent.date.as_ref(), bounds::FORMATTED);
        let date = self.parsed(&path.member("date"), date, |text| {
            Day::parse(text).ok_or_else(|| {
                let en = "Expected a date in the format YYYY-MM-DD, such as 2026-12-25.";
                let pt = "Esperada uma data no formato AAAA-MM-DD, como 2026-12-25.";
                ("invalid_date", en.to_owned(), pt.to_owned())
            })
        });
        let name = self.text(&path.member("name"), sent.name.as_ref(), bounds::DATE_NAME);
        let open = if sent.closed == Some(true) {
            for (field, value) in [("from", &sent.from), ("until", &sent.until)] {
                if value.is_some() {
                    let en = "The store is closed on this date. Omit the time, or omit `closed`.";
                    let pt = "A loja fica fechada nesta data. Omita o horário ou omita `closed`.";
                    self.reject(&path.member(field), "not_applicable", en, pt);
                }
            }
            Some(None)
        } else {
            self.span(path, sent.from.as_ref(), sent.until.as_ref())
                .map(Some)
        };
        Some(HoursException {
            date: date?,
            open: open?,
            name,
        })
    }

    /// Reads an area.
    pub(in crate::api) fn area(&mut self, path: &Path<'_>, sent: &AreaGeometry) -> ServiceArea {
        if !self.has_permitted_size(&path.member("coordinates"), sent) {
            return ServiceArea(Vec::new());
        }
        let kind = self.required_text(&path.member("type"), sent.kind.as_ref(), bounds::FORMATTED);
        let is_multiple = is_multiple(sent);
        if kind.is_some() && is_multiple.is_none() {
            let en =
                "Expected `Polygon` or `MultiPolygon`. Of a feature, send only its `geometry`.";
            let pt =
                "Esperado `Polygon` ou `MultiPolygon`. De uma feature, envie somente `geometry`.";
            self.reject(&path.member("type"), "unsupported_geometry", en, pt);
        }
        let at = path.member("coordinates");
        if sent.coordinates.is_none() {
            self.required(&at);
        }
        let mut polygons = Vec::new();
        if let (Some(is_multiple), Some(coordinates)) = (is_multiple, &sent.coordinates) {
            if is_multiple {
                let sent = self.items(&at, coordinates).iter().enumerate();
                polygons
                    .extend(sent.map(|(index, polygon)| self.polygon(&at.item(index), polygon)));
            } else {
                polygons.push(self.polygon(&at, coordinates));
            }
            // With other errors, rings can be missing.
            if self.errors.is_empty() {
                self.holes(&at, &polygons, is_multiple);
            }
        }
        ServiceArea(polygons)
    }

    /// Rejects too many positions or rings before their edges are compared.
    fn has_permitted_size(&mut self, path: &Path<'_>, sent: &AreaGeometry) -> bool {
        let Some(coordinates) = is_multiple(sent).and(sent.coordinates.as_ref()) else {
            return true;
        };
        let (rings, positions) = size(coordinates);
        let (max_rings, max_positions) = (ServiceArea::MAX_RINGS, ServiceArea::MAX_POSITIONS);
        if rings > max_rings {
            let en = format!("The area has {rings} rings. Send at most {max_rings}.");
            self.reject(
                path,
                "too_many_rings",
                en,
                format!("A área tem {rings} anéis. Envie no máximo {max_rings}."),
            );
        }
        if positions > max_positions {
            let en = format!(
                "The area has {positions} positions. Simplify it to at most {max_positions}."
            );
            let pt = format!(
                "A área tem {positions} posições. Simplifique-a para no máximo {max_positions}."
            );
            self.reject(path, "too_many_positions", en, pt);
        }
        rings <= max_rings && positions <= max_positions
    }

    /// Returns the items of a list, which must not be empty.
    fn items<'a>(&mut self, path: &Path<'_>, coordinates: &'a Coordinates) -> &'a [Coordinates] {
        let items = coordinates.items().unwrap_or_default();
        if items.is_empty() {
            let en = "Expected a list that is not empty, at the depth of the geometry's type.";
            let pt = "Esperada uma lista não vazia, na profundidade do tipo da geometria.";
            self.reject(path, "invalid_position", en, pt);
        }
        items
    }

    fn polygon(&mut self, path: &Path<'_>, coordinates: &Coordinates) -> Vec<Ring> {
        let rings = self.items(path, coordinates).iter().enumerate();
        rings
            .filter_map(|(index, ring)| self.ring(&path.item(index), ring))
            .collect()
    }

    /// Rejects holes that leave their outer ring.
    fn holes(&mut self, path: &Path<'_>, polygons: &[Vec<Ring>], is_multiple: bool) {
        for (index, polygon) in polygons.iter().enumerate() {
            let inner = path.item(index);
            let path = if is_multiple { &inner } else { path };
            let Some((outer, holes)) = polygon.split_first() else {
                continue;
            };
            for (hole, at) in holes.iter().zip(1..) {
                if let Some(position) = first_outside(outer, hole) {
                    let en = "The hole leaves the outer ring at this position. Move it inside.";
                    let pt = "O buraco sai do anel externo nesta posição. Mova-o para dentro.";
                    self.reject(&path.item(at).item(position), "hole_outside_ring", en, pt);
                }
            }
        }
    }

    /// Reads a ring and reports its first error.
    fn ring(&mut self, path: &Path<'_>, coordinates: &Coordinates) -> Option<Ring> {
        // A list at a wrong depth is not counted as positions, and its edges must not be compared.
        let positions = self
            .items(path, coordinates)
            .iter()
            .take(ServiceArea::MAX_POSITIONS);
        let mut points = Vec::with_capacity(positions.len());
        for (index, position) in positions.enumerate() {
            points.push(self.lon_lat(&path.item(index), position)?);
        }
        let (first, last) = (points.first()?, points.last()?);
        if first != last {
            let en = "The ring is not closed. Repeat its first position as the last one.";
            let pt = "O anel não está fechado. Repita a primeira posição como última.";
            self.reject(path, "ring_not_closed", en, pt);
        } else if points.len() < 4 || !has_three_edges(&points) {
            let en = "The ring has too few positions. Send at least three different ones, and the first one again.";
            let pt =
                "O anel tem posições de menos. Envie ao menos três diferentes e repita a primeira.";
            self.reject(path, "ring_too_short", en, pt);
        } else if let Some(edge) = first_crossing(&points) {
            let en = "The edge from this position to the next one crosses or touches another edge of the ring.";
            let pt = "A aresta desta posição até a seguinte cruza ou toca outra aresta do anel.";
            self.reject(&path.item(edge), "ring_crosses_itself", en, pt);
        }
        Some(Ring(points))
    }

    /// Reads longitude and latitude. An altitude is ignored.
    fn lon_lat(&mut self, path: &Path<'_>, coordinates: &Coordinates) -> Option<Point> {
        use Coordinates::Number;
        let (longitude, latitude) = match coordinates.items() {
            Some(
                [Number(longitude), Number(latitude)]
                | [Number(longitude), Number(latitude), Number(_)],
            ) => (*longitude, *latitude),
            _ => {
                let en = "Expected a position, such as [-46.6559, -23.5614]: longitude and latitude in degrees.";
                let pt = "Esperada uma posição, como [-46.6559, -23.5614]: longitude e latitude em graus.";
                self.reject(path, "invalid_position", en, pt);
                return None;
            }
        };
        let point = Point::from_degrees(latitude, longitude).filter(|point| is_in_box(*point));
        if point.is_none() {
            let is_swapped = Point::from_degrees(longitude, latitude).is_some_and(is_in_box);
            let (en, pt) = if is_swapped {
                (
                    "The position is outside Brazil. Send the longitude first.",
                    "A posição fica fora do Brasil. Envie a longitude primeiro.",
                )
            } else {
                (
                    "The position is outside Brazil. Check it.",
                    "A posição fica fora do Brasil. Confira-a.",
                )
            };
            self.reject(path, "coordinates_outside", en, pt);
        }
        point
    }
}

/// Returns whether an area has several polygons, or `None` if its type is unknown.
fn is_multiple(sent: &AreaGeometry) -> Option<bool> {
    match sent.kind.as_deref()?.trim() {
        "Polygon" => Some(false),
        "MultiPolygon" => Some(true),
        _ => None,
    }
}

/// Returns the number of rings, which are lists of lists of numbers, and of positions, which are
/// lists of numbers.
fn size(coordinates: &Coordinates) -> (usize, usize) {
    let items = coordinates.items().unwrap_or_default();
    let first = |items: &[Coordinates]| items.first().and_then(Coordinates::items).is_some();
    match items.first().and_then(Coordinates::items) {
        None => (0, 1),
        Some(inner) if !first(inner) => (1, items.len()),
        Some(_) => items
            .iter()
            .map(size)
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)),
    }
}

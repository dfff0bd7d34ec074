//! The positions that devices report.

use super::{
    checker::{Checker, Path},
    fleet::{MAX_CLOCK_SKEW, is_accurate, is_in_brazil},
};
use crate::{
    api::{
        bounds,
        problem::Problem,
        read::wrong_type,
        reports::{Report, member},
    },
    geo::Gazetteer,
    json::Tree,
    model::{Point, Timestamp},
    wire::SkipReason,
};

/// A valid position of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::api) struct DevicePosition {
    /// The position.
    pub point: Point,
    /// Its time by the device's clock.
    pub taken: Timestamp,
    /// The reason why it cannot be stored, whatever the courier's last position is.
    pub skip: Option<SkipReason>,
}

/// Numbers from this one on are milliseconds since 1970, smaller ones seconds. The limit is the
/// year 5138 in seconds, and 1973 in milliseconds.
const MIN_MILLIS: f64 = 1e11;

/// Validates the position in a report. Returns `None` for a message of OwnTracks without a
/// position.
///
/// # Errors
/// Every field that is missing, malformed or out of range. A valid position that is not stored
/// causes no error, because apps send a position again until it is accepted.
pub(in crate::api) fn device_position(
    report: &Report<'_>,
    gazetteer: Gazetteer,
    now: Timestamp,
) -> Result<Option<DevicePosition>, Problem> {
    let (mut checker, basis) = (Checker::default(), (gazetteer, now));
    let root = Path::Root;
    let read = match report {
        Report::Form(form) => {
            let [location, accuracy, time] = ["location", "accuracy", "timestamp"]
                .map(|name| checker.field(Some(form), &root, name));
            if let (path, Some(Tree::Text(both))) = location {
                let (latitude, longitude) = both.split_once(',').unwrap_or((both, ""));
                let [latitude, longitude] =
                    [latitude, longitude].map(|text| Tree::Text(text.into()));
                checker.position(
                    [
                        (path, Some(&latitude)),
                        (path, Some(&longitude)),
                        accuracy,
                        time,
                    ],
                    basis,
                )
            } else {
                let [latitude, longitude] =
                    ["lat", "lon"].map(|name| checker.field(Some(form), &root, name));
                checker.position([latitude, longitude, accuracy, time], basis)
            }
        }
        Report::Json(body) => {
            let (at, location) = checker.object(Some(body), &root, "location");
            let (coords_at, coords) = checker.object(location, &at, "coords");
            let names = ["latitude", "longitude", "accuracy"];
            let [latitude, longitude, accuracy] =
                names.map(|name| checker.field(coords, &coords_at, name));
            let time = checker.field(location, &at, "timestamp");
            checker.position([latitude, longitude, accuracy, time], basis)
        }
        Report::OwnTracks(None) => return Ok(None),
        Report::OwnTracks(Some(message)) => {
            match checker.field(Some(message), &root, "_type") {
                (_, Some(Tree::Text(kind))) if kind == "location" => {}
                (_, Some(Tree::Text(_))) => return Ok(None),
                (path, Some(_)) => checker.wrong_type(&path, "a string"),
                (path, None) => checker.required(&path),
            }
            let fields =
                ["lat", "lon", "acc", "tst"].map(|name| checker.field(Some(message), &root, name));
            checker.position(fields, basis)
        }
    };
    checker.finish(read).map(Some)
}

/// A field of a report: its position and its value.
type Field<'p, 'r> = (Path<'p>, Option<&'r Tree<'r>>);

impl Checker {
    /// Reads latitude, longitude, accuracy and time.
    fn position(
        &mut self,
        fields: [Field<'_, '_>; 4],
        (gazetteer, now): (Gazetteer, Timestamp),
    ) -> Option<DevicePosition> {
        let [latitude, longitude, accuracy, time] = fields;
        let mut degrees = [latitude, longitude].map(|(path, value)| {
            if value.is_none() {
                self.required(&path);
            }
            self.number(&path, value)
        });
        let bounds = [(latitude, bounds::LATITUDE), (longitude, bounds::LONGITUDE)];
        for (degrees, ((path, _), bounds)) in degrees.iter_mut().zip(bounds) {
            *degrees = degrees.filter(|degrees| self.degrees(&path, *degrees, bounds));
        }
        let accuracy = self.number(&accuracy.0, accuracy.1);
        let taken = self.time(&time.0, time.1);
        let [latitude, longitude] = degrees;
        let point = Point::from_degrees(latitude?, longitude?)?;
        let taken = if time.1.is_some() { taken? } else { now };
        let skip = if taken > now.after(MAX_CLOCK_SKEW) {
            Some(SkipReason::InFuture)
        } else if accuracy.is_some_and(|metres| !is_accurate(metres)) {
            Some(SkipReason::Inaccurate)
        } else {
            (!is_in_brazil(gazetteer, point)).then_some(SkipReason::OutsideBrazil)
        };
        Some(DevicePosition { point, taken, skip })
    }

    /// Returns the field of an object. A field that was sent twice is an error.
    fn field<'p, 'r>(
        &mut self,
        object: Option<&'r Tree<'r>>,
        parent: &'p Path<'p>,
        name: &'static str,
    ) -> Field<'p, 'r> {
        let path = parent.member(name);
        let value = object.map_or(Ok(None), |object| member(object, name, || path.pointer()));
        (
            path,
            value.map_err(|error| self.wrong.push(error)).ok().flatten(),
        )
    }

    /// Returns a field that is an object.
    fn object<'p, 'r>(
        &mut self,
        parent: Option<&'r Tree<'r>>,
        at: &'p Path<'p>,
        name: &'static str,
    ) -> Field<'p, 'r> {
        let (path, value) = self.field(parent, at, name);
        if value.is_some_and(|value| !matches!(value, Tree::Object(_))) {
            self.wrong_type(&path, "an object");
        }
        (path, value)
    }

    fn wrong_type(&mut self, path: &Path<'_>, expected: &str) {
        self.wrong.push(wrong_type(path.pointer(), expected));
    }

    fn number(&mut self, path: &Path<'_>, value: Option<&Tree<'_>>) -> Option<f64> {
        let number = number(value?);
        if number.is_none() {
            self.wrong_type(path, "f64");
        }
        number
    }

    /// Reads a time: seconds or milliseconds since 1970, or a date with a time in UTC or in RFC
    /// 3339 format.
    fn time(&mut self, path: &Path<'_>, value: Option<&Tree<'_>>) -> Option<Timestamp> {
        let value = value?;
        let date_time = value.as_str().map(str::trim).and_then(date_time);
        let time = date_time.or_else(|| {
            number(value)
                .filter(|number| *number >= 0.0)
                .map(since_1970)
        });
        if time.is_none() {
            let en =
                "Expected seconds or milliseconds since 1970, or a timestamp in RFC 3339 format.";
            let pt = "Esperados segundos ou milissegundos desde 1970, ou data e horário no formato RFC 3339.";
            self.reject(path, "invalid_time", en, pt);
        }
        time
    }
}

/// Returns a number, or the number in a string.
fn number(value: &Tree<'_>) -> Option<f64> {
    match value {
        Tree::Text(text) => Tree::parse(text.trim()).ok()?.read().ok(),
        value => value.read().ok(),
    }
}

/// Parses RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
fn date_time(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| {
        let (date, time) = text.split_once(' ')?;
        Timestamp::parse(&format!("{date}T{time}Z"))
    })
}

fn since_1970(number: f64) -> Timestamp {
    let millis = if number < MIN_MILLIS {
        number * 1_000.0
    } else {
        number
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, and the timestamp is limited further"
    )]
    let millis = libm::round(millis) as i64;
    Timestamp::from_millis(millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Duration;

    const NOW: &str = "2026-11-21T14:00:00Z";

    fn now() -> Timestamp {
        Timestamp::parse(NOW).unwrap()
    }

    fn form(query: &str) -> Report<'_> {
        let fields = form_urlencoded::parse(query.as_bytes());
        Report::Form(Tree::Object(
            fields
                .map(|(name, value)| (name, Tree::Text(value)))
                .collect(),
        ))
    }

    fn json(text: &str) -> Report<'_> {
        Report::Json(Tree::parse(text).unwrap())
    }

    fn message(text: &str) -> Report<'_> {
        Report::OwnTracks(Some(Tree::parse(text).unwrap()))
    }

    fn valid(report: &Report<'_>) -> DevicePosition {
        device_position(report, Gazetteer::embedded(), now())
            .unwrap()
            .unwrap()
    }

    /// Returns the pointers and codes of all errors, in order.
    fn errors(report: &Report<'_>) -> String {
        let problem = device_position(report, Gazetteer::embedded(), now()).unwrap_err();
        let errors = problem
            .errors
            .iter()
            .map(|error| format!("{} {}", error.pointer, error.code));
        errors.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn position_is_read_from_every_format() {
        let point = Point::from_degrees(-23.5557, -46.6396).unwrap();
        let expected = DevicePosition {
            point,
            taken: now().before(Duration::seconds(5)),
            skip: None,
        };
        for report in [
            form(
                "id=x&lat=-23.5557&lon=-46.6396&timestamp=1795269595&speed=x&bearing=&accuracy=12.5&batt=80&charge=true",
            ),
            form("timestamp=1795269595000&location=-23.5557%2C-46.6396"),
            form("lat=-23.5557&lon=-46.6396&timestamp=2026-11-21T13:59:55Z&accuracy="),
            form("lat=-23.5557&lon=-46.6396&timestamp=2026-11-21+13:59:55"),
            form("lat=-235.557e-1&lon=+-46.6396+&timestamp=1795269594.9996"),
            json(
                r#"{"location": {"timestamp": "2026-11-21T10:59:55.000-03:00", "coords": {"latitude": -23.5557, "longitude":
                -46.6396, "accuracy": 5, "speed": -1, "heading": null, "altitude": "?"}, "is_moving": true}, "device_id": "x"}"#,
            ),
            message(
                r#"{"_type": "location", "lat": -23.5557, "lon": -46.6396, "tst": 1795269595, "acc": 5, "tid": "57"}"#,
            ),
        ] {
            assert_eq!(valid(&report), expected);
        }
    }

    #[test]
    fn position_without_a_time_is_of_now() {
        assert_eq!(
            valid(&form("lat=-23.5557&lon=-46.6396&timestamp=+")).taken,
            now()
        );
        assert_eq!(
            valid(&message(
                r#"{"_type": "location", "lat": -23.5557, "lon": -46.6396, "tst": null}"#
            ))
            .taken,
            now()
        );
    }

    #[test]
    fn position_that_cannot_be_stored_is_valid() {
        let future = now().after(MAX_CLOCK_SKEW).millis();
        for (query, skip) in [
            ("lat=0&lon=0".to_owned(), Some(SkipReason::OutsideBrazil)),
            (
                "lat=-23.5557&lon=-46.6396&accuracy=-1".to_owned(),
                Some(SkipReason::Inaccurate),
            ),
            (
                "lat=-23.5557&lon=-46.6396&accuracy=10000.1".to_owned(),
                Some(SkipReason::Inaccurate),
            ),
            (
                format!("lat=-23.5557&lon=-46.6396&timestamp={future}"),
                None,
            ),
            (
                format!("lat=-23.5557&lon=-46.6396&timestamp={}", future + 1),
                Some(SkipReason::InFuture),
            ),
            (
                "lat=-23.5557&lon=-46.6396&timestamp=1e300".to_owned(),
                Some(SkipReason::InFuture),
            ),
            (
                "lat=-23.5557&lon=-46.6396&timestamp=0&accuracy=10000".to_owned(),
                None,
            ),
        ] {
            assert_eq!(valid(&form(&query)).skip, skip, "{query}");
        }
    }

    #[test]
    fn every_invalid_field_of_a_form_is_reported() {
        for (query, expected) in [
            ("", "/lat required, /lon required"),
            ("lat=&lon=+", "/lat required, /lon required"),
            (
                "lat=1,5&lon=NaN&accuracy=x&timestamp=noon",
                "/lat wrong_type, /lon wrong_type, /accuracy wrong_type, /timestamp invalid_time",
            ),
            (
                "lat=90.1&lon=-180.1&timestamp=-1",
                "/lat out_of_range, /lon out_of_range, /timestamp invalid_time",
            ),
            (
                "lat=1&lat=2&lon=1e999",
                "/lat duplicate_field, /lon wrong_type",
            ),
            (
                "location=1&timestamp=2026-11-21",
                "/timestamp invalid_time, /location wrong_type",
            ),
            ("location=1%2C2%2C3", "/location wrong_type"),
        ] {
            let mut found: Vec<_> = errors(&form(query))
                .split(", ")
                .map(str::to_owned)
                .collect();
            let mut expected: Vec<_> = expected.split(", ").map(str::to_owned).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{query}");
        }
    }

    #[test]
    fn every_invalid_field_of_json_is_reported() {
        let coords = "/location/coords";
        for (body, expected) in [
            (
                "{}",
                format!("{coords}/latitude required, {coords}/longitude required"),
            ),
            (
                r#"{"location": null}"#,
                format!("{coords}/latitude required, {coords}/longitude required"),
            ),
            (r#"{"location": []}"#, "/location wrong_type".to_owned()),
            (
                r#"{"location": {"coords": 5}}"#,
                format!("{coords} wrong_type"),
            ),
            (
                r#"{"location": {"timestamp": true, "coords": {"latitude": true, "longitude": {}, "accuracy": "x"}}}"#,
                format!(
                    "{coords}/latitude wrong_type, {coords}/longitude wrong_type, {coords}/accuracy wrong_type, /location/timestamp invalid_time"
                ),
            ),
            (
                r#"{"location": {"coords": {"latitude": -91, "longitude": 1, "longitude": 1}}}"#,
                format!("{coords}/longitude duplicate_field, {coords}/latitude out_of_range"),
            ),
        ] {
            assert_eq!(errors(&json(body)), expected, "{body}");
        }
    }

    #[test]
    fn other_messages_of_owntracks_are_ignored() {
        for report in [
            Report::OwnTracks(None),
            message(r#"{"_type": "lwt", "tst": "x"}"#),
            message(r#"{"_type": "transition", "lat": 91}"#),
        ] {
            assert_eq!(
                device_position(&report, Gazetteer::embedded(), now()).unwrap(),
                None
            );
        }
        assert_eq!(
            errors(&message("{}")),
            "/_type required, /lat required, /lon required"
        );
        assert_eq!(
            errors(&message(r#"{"_type": 1, "lat": [], "tst": "x"}"#)),
            "/_type wrong_type, /lat wrong_type, /lon required, /tst invalid_time"
        );
    }
}

//! Geocoders' answers in a database, for hosts that have no file of their own: by a hash of the question, so that no address is in
//! it. Losing the table costs questions, nothing else.

use despacho_core::{
    host::HostError,
    model::{Located, Point, Precision, Timestamp},
};

use crate::{Query, Row, Value};

/// Asks for what is kept for a question: no row where nothing is, or its time is over.
pub fn geocoded(request: &str, now: Timestamp) -> Query {
    let sql = "SELECT precision, lat_e7, lon_e7, radius_m FROM geocoded WHERE question = $1 AND until > $2";
    Query::new(sql, vec![request.into(), now.into()])
}

/// What a row of [`geocoded`] says: a place, or that there is none.
///
/// # Errors
/// That the row is none of these.
pub fn to_geocoded(row: &mut Row) -> Result<Option<Located>, HostError> {
    let precision = row.optional_text()?.as_deref().and_then(Precision::parse);
    let mut coordinate = || Ok(i32::try_from(row.integer()?).unwrap_or_default());
    let point = Point { lat_e7: coordinate()?, lon_e7: coordinate()? };
    let radius_m = row.small()?;
    Ok(precision.map(|precision| Located { point, precision, radius_m }))
}

/// Keeps an answer until then, in place of an older one.
pub fn keep_geocoded(request: &str, kept: &Option<Located>, until: Timestamp) -> Query {
    let sql = "INSERT INTO geocoded (question, precision, lat_e7, lon_e7, radius_m, until) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (question) DO UPDATE SET precision = excluded.precision, lat_e7 = excluded.lat_e7, \
               lon_e7 = excluded.lon_e7, radius_m = excluded.radius_m, until = excluded.until RETURNING until";
    let point = kept.map_or(Point { lat_e7: 0, lon_e7: 0 }, |located| located.point);
    let params = vec![
        request.into(),
        kept.map(|located| located.precision.name()).into(),
        i64::from(point.lat_e7).into(),
        i64::from(point.lon_e7).into(),
        Value::number(kept.map_or(0, |located| located.radius_m)),
        until.into(),
    ];
    Query::new(sql, params)
}

/// Forgets up to 500 answers whose time is over. To be asked now and then, when one was kept.
pub fn forget_geocoded(now: Timestamp) -> Query {
    let sql = "DELETE FROM geocoded WHERE until <= $1 AND question IN \
               (SELECT question FROM geocoded WHERE until <= $1 ORDER BY until LIMIT 500) RETURNING until";
    Query::new(sql, vec![now.into()])
}

/// Forgets what is too much, those first that end first. To be asked likewise.
pub fn limit_geocoded(max: u32) -> Query {
    let sql = "DELETE FROM geocoded WHERE question IN (SELECT question FROM geocoded ORDER BY until LIMIT \
               (SELECT CASE WHEN COUNT(*) > $1 THEN COUNT(*) - $1 ELSE 0 END FROM geocoded)) RETURNING until";
    Query::new(sql, vec![Value::number(max)])
}

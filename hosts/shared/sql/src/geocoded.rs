//! Cached results of geocoders in a database, for hosts without a file system. The key is a hash of
//! the request, so the table contains no address. If the table is lost, only requests are repeated.

use despacho_core::{
    host::HostError,
    model::{Located, Point, Precision, Timestamp},
};

use crate::{Query, Row, Value};

/// Reads the cached result of a request. There is no row if none is cached or it expired.
pub fn geocoded(request: &str, now: Timestamp) -> Query {
    let sql = "SELECT precision, lat_e7, lon_e7, radius_m FROM geocoded WHERE question = $1 AND until > $2";
    Query::new(sql, vec![request.into(), now.into()])
}

/// Decodes a row of [`geocoded`]: a location, or none.
///
/// # Errors
/// The row has other columns.
pub fn to_geocoded(row: &mut Row) -> Result<Option<Located>, HostError> {
    let precision = row.optional_text()?.as_deref().and_then(Precision::parse);
    let mut coordinate = || Ok(i32::try_from(row.integer()?).unwrap_or_default());
    let point = Point {
        lat_e7: coordinate()?,
        lon_e7: coordinate()?,
    };
    let radius_m = row.small()?;
    Ok(precision.map(|precision| Located {
        point,
        precision,
        radius_m,
    }))
}

/// Caches a result until this time and replaces an older one.
pub fn put_geocoded(request: &str, result: &Option<Located>, until: Timestamp) -> Query {
    let sql = "INSERT INTO geocoded (question, precision, lat_e7, lon_e7, radius_m, until) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (question) DO UPDATE SET precision = excluded.precision, lat_e7 = excluded.lat_e7, \
               lon_e7 = excluded.lon_e7, radius_m = excluded.radius_m, until = excluded.until RETURNING until";
    let point = result.map_or(
        Point {
            lat_e7: 0,
            lon_e7: 0,
        },
        |located| located.point,
    );
    let params = vec![
        request.into(),
        result.map(|located| located.precision.name()).into(),
        i64::from(point.lat_e7).into(),
        i64::from(point.lon_e7).into(),
        Value::number(result.map_or(0, |located| located.radius_m)),
        until.into(),
    ];
    Query::new(sql, params)
}

/// Deletes at most 500 expired results. Call it from time to time after a result was cached.
pub fn delete_expired_geocoded(now: Timestamp) -> Query {
    let sql = "DELETE FROM geocoded WHERE until <= $1 AND question IN \
               (SELECT question FROM geocoded WHERE until <= $1 ORDER BY until LIMIT 500) RETURNING until";
    Query::new(sql, vec![now.into()])
}

/// Deletes the results that expire first until `max` are left. Call it from time to time after a
/// result was cached.
pub fn trim_geocoded(max: u32) -> Query {
    let sql = "DELETE FROM geocoded WHERE question IN (SELECT question FROM geocoded ORDER BY until LIMIT \
               (SELECT CASE WHEN COUNT(*) > $1 THEN COUNT(*) - $1 ELSE 0 END FROM geocoded)) RETURNING until";
    Query::new(sql, vec![Value::number(max)])
}

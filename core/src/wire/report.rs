//! The report of orders by day.

use serde::Serialize;

use super::Reais;
use crate::rules::report::{DayReport, DayTotals};

/// The orders that one store created on one day.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportDay {
    /// The day in the store's time zone.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-21"))]
    pub day: String,
    /// The store's ID.
    pub store_id: u64,
    /// Number of orders created.
    pub created: u32,
    /// Orders with at least one completed delivery.
    pub delivered: u32,
    /// Orders cancelled by the merchant or the platform.
    pub cancelled: u32,
    /// Orders that expired, or of which nothing was delivered.
    pub failed: u32,
    /// Fees in BRL that remain after refunds.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub fees: Reais,
    /// Mean minutes from the creation to the last delivery, rounded. Null if nothing was delivered.
    pub mean_minutes: Option<u64>,
    /// Minutes within which 90 of 100 delivered orders were delivered.
    pub p90_minutes: Option<u64>,
    /// Delivered orders whose last delivery was after `expectedDelivery`.
    pub late: u32,
    /// Late orders of 100 delivered orders with an `expectedDelivery`, rounded. Null if there are none.
    pub late_percent: Option<u64>,
}

/// A report of orders by day.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DayReportView {
    /// The days with orders, each with one entry for each store, by day and store.
    pub days: Vec<ReportDay>,
}

impl ReportDay {
    fn of(row: &DayTotals) -> ReportDay {
        ReportDay {
            day: row.day.to_string(),
            store_id: row.store.get(),
            created: row.created,
            delivered: row.delivered,
            cancelled: row.cancelled,
            failed: row.failed,
            fees: Reais(row.fees),
            mean_minutes: row.mean_minutes(),
            p90_minutes: row.p90_minutes(),
            late: row.late,
            late_percent: row.late_percent(),
        }
    }
}

impl DayReportView {
    /// Builds the API representation of a report.
    pub fn of(report: &DayReport) -> DayReportView {
        DayReportView { days: report.rows.iter().map(ReportDay::of).collect() }
    }
}

/// Formats a report as CSV (RFC 4180) with commas and CRLF. No field requires quotes; missing values are empty.
pub fn report_csv(report: &DayReport) -> String {
    use std::fmt::Write as _;
    let mut csv =
        "day,storeId,created,delivered,cancelled,failed,fees,meanMinutes,p90Minutes,late,latePercent\r\n".to_owned();
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in &report.rows {
        let DayTotals { day, store, created, delivered, cancelled, failed, fees, late, .. } = row;
        let (mean, p90, percent) = (number(row.mean_minutes()), number(row.p90_minutes()), number(row.late_percent()));
        let counts = format!("{created},{delivered},{cancelled},{failed}");
        let _ = write!(csv, "{day},{store},{counts},{fees},{mean},{p90},{late},{percent}\r\n");
    }
    csv
}

//! The report of orders by day.

use serde::Serialize;

use super::{CsvForm, Reais, csv_form::csv_number};
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
    /// Late orders of 100 delivered orders with an `expectedDelivery`, rounded. Null if there are
    /// none.
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
        DayReportView {
            days: report.rows.iter().map(ReportDay::of).collect(),
        }
    }
}

/// Writes a report as CSV.
///
/// # Errors
/// None, because all rows have the same number of fields.
pub fn report_csv(report: &DayReport, form: CsvForm) -> Result<Vec<u8>, csv::Error> {
    let header = match form {
        CsvForm::Program => [
            "day",
            "storeId",
            "created",
            "delivered",
            "cancelled",
            "failed",
            "fees",
            "meanMinutes",
            "p90Minutes",
            "late",
            "latePercent",
        ],
        CsvForm::Brazilian => [
            "Dia",
            "Loja",
            "Criados",
            "Entregues",
            "Cancelados",
            "Não entregues",
            "Taxas (R$)",
            "Média (min)",
            "90% até (min)",
            "Atrasados",
            "Atrasados (%)",
        ],
    };
    let row = |row: &DayTotals| {
        [
            form.day(row.day),
            row.store.to_string(),
            row.created.to_string(),
            row.delivered.to_string(),
            row.cancelled.to_string(),
            row.failed.to_string(),
            form.amount(row.fees),
            csv_number(row.mean_minutes()),
            csv_number(row.p90_minutes()),
            row.late.to_string(),
            csv_number(row.late_percent()),
        ]
    };
    form.write(
        [header.map(str::to_owned)]
            .into_iter()
            .chain(report.rows.iter().map(row)),
    )
}

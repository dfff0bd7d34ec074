//! `GET /admin/couriers/{courierId}/pay`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::couriers::record::find,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::CourierPay,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/couriers/{courierId}/pay");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getCourierPay",
    summary: "Read a courier's terms of pay",
    description: "Returns by which plans the courier's orders are paid, and by whom.",
    responses: &[(200, Some("CourierPay"), "The terms.")],
    parameters: &["courierId"],
    codes: &[ProblemCode::CourierNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = find(call).await?;
    let terms = CourierPay::of(courier.id.get(), &courier.pay);
    Ok(ApiResponse::json(200, &terms)?)
}

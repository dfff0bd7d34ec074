//! The endpoints by name. [`super::routes`] lists their methods and paths.

/// An endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `POST /delivery/orders`
    CreateOrder,
    /// `POST /delivery/orders/preview`
    PreviewOrder,
    /// `GET /delivery/preview-context`
    PreviewContext,
    /// `POST /delivery/location`
    LocateAddress,
    /// `GET /delivery/coverage`
    GetCoverage,
    /// `GET /delivery/orders/{platformOrderId}`
    GetOrder,
    /// `POST /delivery/stores`
    CreateStore,
    /// `PUT /delivery/stores`
    UpdateStore,
    /// `GET /delivery/stores/{storeId}`
    GetStore,
    /// `POST /delivery/sessions`
    CreateSession,
    /// `POST /delivery/sessions/confirmation`
    ConfirmSession,
    /// `GET /delivery/sessions`
    ListSessions,
    /// `DELETE /delivery/sessions/{sessionId}`
    EndSession,
    /// `POST /delivery/password`
    ChangePassword,
    /// `POST /delivery/password/reset`
    ResetPassword,
    /// `POST /delivery/users`
    CreateUser,
    /// `GET /delivery/users`
    ListUsers,
    /// `PATCH /delivery/users/{userId}`
    UpdateUser,
    /// `DELETE /delivery/users/{userId}`
    RemoveUser,
    /// `POST /delivery/users/{userId}/password-link`
    CreatePasswordLink,
    /// `POST /admin/stores/{storeId}/password-link`
    AdminPasswordLink,
    /// `GET /admin/stores/{storeId}/users`
    AdminListUsers,
    /// `GET /delivery/audit`
    ListAudit,
    /// `GET /admin/audit`
    AdminListAudit,
    /// `POST /delivery/keys`
    IssueKey,
    /// `GET /delivery/keys`
    ListKeys,
    /// `DELETE /delivery/keys/{keyId}`
    RevokeKey,
    /// `GET /delivery/notifications`
    ListNotifications,
    /// `POST /delivery/notifications/{notificationId}/read`
    ReadNotification,
    /// `GET /delivery/events`
    ListEvents,
    /// `GET /delivery/events/stream`
    StreamEvents,
    /// `POST /delivery/webhooks`
    CreateWebhook,
    /// `GET /delivery/webhooks`
    ListWebhooks,
    /// `DELETE /delivery/webhooks/{webhookId}`
    RemoveWebhook,
    /// `POST /delivery/webhooks/{webhookId}/rotate`
    RotateWebhook,
    /// `POST /delivery/webhooks/{webhookId}/enable`
    EnableWebhook,
    /// `POST /delivery/webhooks/{webhookId}/test`
    TestWebhook,
    /// `GET /delivery/webhooks/{webhookId}/attempts`
    ListAttempts,
    /// `POST /delivery/webhooks/attempts/{attemptId}/retry`
    RetryAttempt,
    /// `GET /delivery/statement`
    GetStatement,
    /// `POST /admin/stores/{storeId}/top-ups`
    TopUpStore,
    /// `GET /admin/stores/{storeId}/statement`
    AdminStatement,
    /// `POST /admin/matrices`
    CreateParentStore,
    /// `POST /admin/keys`
    AdminIssueKey,
    /// `GET /admin/keys`
    AdminListKeys,
    /// `DELETE /admin/keys/{keyId}`
    AdminRevokeKey,
    /// `POST /admin/couriers`
    RegisterCourier,
    /// `GET /admin/couriers`
    ListCouriers,
    /// `GET /admin/couriers/{courierId}`
    GetCourier,
    /// `PATCH /admin/couriers/{courierId}`
    AlterCourier,
    /// `POST /admin/couriers/{courierId}/sign-in`
    CreateSignInCode,
    /// `POST /admin/dispatch`
    RunDispatch,
    /// `GET /admin/dispatch`
    GetDispatch,
    /// `POST /admin/dispatch/what-if`
    CompareDispatch,
    /// `GET /admin/orders/{platformOrderId}/dispatch`
    ExplainDispatch,
    /// `GET /admin/stores/{storeId}/dispatch`
    GetStoreDispatch,
    /// `PUT /admin/stores/{storeId}/dispatch`
    SetStoreDispatch,
    /// `POST /courier/session`
    StartCourierSession,
    /// `DELETE /courier/session`
    EndCourierSession,
    /// `GET /delivery/reports/days`
    DayReport,
    /// `GET /admin/reports/days`
    AdminDayReport,
    /// `GET /admin/health`
    ShowHealth,
    /// `GET /admin/tariffs`
    ListTariffs,
    /// `POST /admin/tariffs`
    CreateTariff,
    /// `DELETE /admin/tariffs/{tariffId}`
    RemoveTariff,
    /// `POST /admin/tariffs/preview`
    PreviewTariff,
    /// `POST /admin/tariffs/what-if`
    CompareTariff,
    /// `GET /admin/stores`
    AdminListStores,
    /// `GET /admin/stores/{storeId}`
    AdminGetStore,
    /// `PATCH /admin/stores/{storeId}`
    AlterStore,
    /// `GET /admin/orders`
    AdminListOrders,
    /// `GET /admin/orders/{platformOrderId}`
    AdminGetOrder,
    /// `POST /admin/orders/{platformOrderId}/reassign`
    ReassignOrder,
    /// `POST /admin/session`
    StartOperatorSession,
    /// `DELETE /admin/session`
    EndOperatorSession,
    /// `GET /courier/me`
    ShowCourier,
    /// `POST /courier/position`
    ReportPosition,
    /// `POST /courier/availability`
    SetAvailability,
    /// `POST /courier/device`
    CreateDeviceKey,
    /// `DELETE /courier/device`
    RemoveDeviceKey,
    /// `GET /courier/push`
    GetPushKey,
    /// `POST /courier/push`
    SubscribePush,
    /// `DELETE /courier/push`
    UnsubscribePush,
    /// `GET /courier/positions/osmand`
    OsmandQuery,
    /// `POST /courier/positions/osmand`
    Osmand,
    /// `POST /courier/positions/owntracks`
    OwnTracks,
    /// `GET /delivery/orders`
    ListOrders,
    /// `POST /delivery/orders/cancel`
    CancelOrder,
    /// `GET /delivery/orders/{platformOrderId}/cancellation`
    GetCancellation,
    /// `GET /delivery/orders/{platformOrderId}/route`
    GetRoute,
    /// `GET /admin/orders/{platformOrderId}/route`
    AdminGetRoute,
    /// `POST /delivery/orders/{platformOrderId}/ready`
    ReadyOrder,
    /// `POST /delivery/orders/{platformOrderId}/delay`
    DelayOrder,
    /// `POST /delivery/orders/{platformOrderId}/discard`
    DiscardDelivery,
    /// `POST /delivery/orders/{platformOrderId}/return`
    ReturnDelivery,
    /// `POST /delivery/orders/{platformOrderId}/waive`
    WaiveReturn,
    /// `POST /delivery/orders/{platformOrderId}/tracking`
    ChangeLink,
    /// `GET /delivery/stores/{storeId}/tracking`
    GetStoreTracking,
    /// `PUT /delivery/stores/{storeId}/tracking`
    SetStoreTracking,
    /// `GET /delivery/stores/{storeId}/hours`
    GetStoreHours,
    /// `PUT /delivery/stores/{storeId}/hours`
    SetStoreHours,
    /// `GET /delivery/stores/{storeId}/service-area`
    GetStoreArea,
    /// `PUT /delivery/stores/{storeId}/service-area`
    SetStoreArea,
    /// `GET /t/{token}`
    RecipientPage,
    /// `GET /t/{token}/events`
    RecipientEvents,
    /// `POST /t/{token}/choice`
    RecipientChoice,
    /// `POST /t/{token}/rating`
    RecipientRating,
    /// `GET /delivery/stores`
    ListStores,
    /// `DELETE /delivery/stores/{storeId}`
    RemoveStore,
    /// `GET /courier/order`
    CourierOrder,
    /// `GET /courier/trip`
    CourierTrip,
    /// `POST /courier/orders/{platformOrderId}/arrive`
    CourierReachPickup,
    /// `POST /courier/orders/{platformOrderId}/decline`
    CourierDecline,
    /// `POST /courier/orders/{platformOrderId}/pickup`
    CourierPickUp,
    /// `POST /courier/orders/{platformOrderId}/en-route`
    CourierSetOut,
    /// `POST /courier/orders/{platformOrderId}/resequence`
    CourierResequence,
    /// `POST /courier/orders/{platformOrderId}/at-door`
    CourierReachDoor,
    /// `POST /courier/orders/{platformOrderId}/deliver`
    CourierDeliver,
    /// `POST /courier/orders/{platformOrderId}/fail`
    CourierFail,
    /// `POST /courier/orders/{platformOrderId}/at-return`
    CourierReachReturn,
    /// `POST /courier/orders/{platformOrderId}/hand-back`
    CourierHandBack,
    /// `POST /admin/orders/{platformOrderId}/cancel`
    AdminCancelOrder,
    /// `POST /admin/orders/{platformOrderId}/lost`
    AdminLoseDelivery,
    /// `POST /admin/privacy/export`
    ExportRecipient,
    /// `POST /admin/privacy/erase`
    EraseRecipient,
    /// `GET /admin/privacy/erasures`
    ListErasures,
    /// `POST /courier/orders/{platformOrderId}/photos`
    UploadPhoto,
    /// `GET /delivery/photos/{photoId}`
    GetPhoto,
    /// `GET /courier/photos/{photoId}`
    CourierPhoto,
    /// `GET /admin/photos/{photoId}`
    AdminPhoto,
    /// `GET /delivery/stores/{storeId}/proofs`
    GetProofRules,
    /// `PUT /delivery/stores/{storeId}/proofs`
    SetProofRules,
    /// `GET /delivery/orders/{platformOrderId}/proof`
    GetProof,
    /// `GET /delivery/proof-key`
    GetProofKey,
    /// `POST /oauth/token`
    IssueToken,
    /// `POST /v1/logistics/availability`
    GetAvailability,
    /// `POST /v1/logistics/delivery`
    RequestDelivery,
    /// `GET /v1/logistics/delivery/{orderId}`
    GetDelivery,
    /// `POST /v1/logistics/readyForPickup/{orderId}`
    SetReadyForPickup,
    /// `POST /v1/logistics/orderPicked/{orderId}`
    SetOrderPicked,
    /// `POST /v1/logistics/finishDelivery/{orderId}`
    FinishDelivery,
    /// `POST /v1/logistics/handleProblem/{orderId}`
    HandleProblem,
    /// `POST /v1/logistics/cancel/{orderId}`
    CancelDelivery,
    /// `GET /openapi.json`
    OpenApi,
}

//! The JSON types of the API, separate from the domain model. Requests hold what the client sent,
//! valid or not. Responses always contain every documented field, with `null` if there is no value.

mod account;
mod address;
mod audit;
mod confirmation;
mod context;
mod coverage;
mod csv_form;
mod device;
mod dispatch;
mod eta;
mod event;
mod fleet;
mod health;
mod ledger;
mod life;
mod notice;
mod numbers;
pub mod open_delivery;
mod order;
mod preview;
mod price;
mod privacy;
mod proof;
mod proof_document;
mod push;
mod report;
mod requirements;
mod route;
mod schedule;
#[cfg(feature = "openapi")]
pub mod schema;
mod sign_in;
mod store;
mod tariff;
mod tracking;
mod webhook;

pub use account::{
    ChangePassword, ConfirmPassword, ConfirmSession, CreateUser, NameLogin, PasswordLinkView,
    ResetPassword, SessionConfirmation, SessionList, SessionView, UpdateUser, UserCreated,
    UserList, UserView,
};
pub use address::{AddressBody, LocationView};
pub use audit::{ActorView, AuditList, AuditView};
pub use confirmation::{ConfirmationBody, MarketplaceOrder, MarketplaceWebhookOrder};
pub use context::{ContextLimits, ContextStore, PreviewContext};
pub use coverage::{
    AreaGeometry, Coordinates, CoverageView, HoursExceptionBody, OpeningPeriodBody, StoreAreaBody,
    StoreHoursBody,
};
pub use csv_form::CsvForm;
pub use device::{DeviceKeyView, DeviceSetup, ReportResult, SkipReason};
pub use dispatch::{
    ChangedDecision, ConsideredView, CostView, CurrentTrip, DecisionView, DispatchComparison,
    DispatchSettings, DispatchSummary, EffectiveDispatch, OrderDispatchView, SetDispatch,
    SetStoreDispatch, StoreDispatchView, TripStopView, TripView,
};
pub use eta::EtaView;
pub use event::{EventPage, EventView, JournalEventView, PersonView};
pub use fleet::{
    AlterCourier, CourierKeyView, CourierList, CourierRecord, CourierSelf, DispatchPassView,
    PositionResult, RegisterCourier, ReportPosition, SetAvailability,
};
pub use health::{HealthFigure, HealthStatus, HealthView};
pub use ledger::{CreateTopUp, StatementLineView, StatementPage, StoreBalance, statement_csv};
pub use life::{
    CancelOrder, CancellationView, CourierOrderView, CourierStopView, CurrentOrder, DelayOrder,
    FailDelivery, GiveCode, GiveDeliveryCode, GiveDeliveryReason, GiveReason, NameDelivery,
    OrderList, ReassignOrder, StepTime, StoreList,
};
pub use notice::NoticeView;
pub use numbers::{Id, Kilometres, MAX_LIST_ITEMS, Quantity, Reais, objects};
pub use order::{
    CourierView, CreateOrder, DeliveryView, ListedOrder, NewDelivery, OrderDetails, OrderView,
    StoreRef,
};
pub use preview::{PreviewOrder, PreviewStop, PreviewStopView, PreviewView, QuoteView};
pub use price::PriceLineView;
pub use privacy::{
    ErasureList, ErasureResult, ErasureView, ExportedEvent, ExportedOrder, NameRecipient,
    OpenOrder, RecipientExport,
};
pub use proof::{
    OrderProofView, PhotoView, ProofRuleView, ProofRulesView, ProofView, SendProof, SetProofRule,
    SetProofRules,
};
pub use proof_document::{ProofDelivery, ProofDocument, ProofOrder};
pub use push::{PushEndpoint, PushKeyView};
pub use report::{DayReportView, ReportDay, report_csv};
pub use requirements::{ExcludedView, RequirementsView, SetRequirements};
pub use route::{RouteLegView, RouteView};
pub use schedule::{
    PaymentPartView, PaymentView, SetPayment, SetPaymentPart, SetWindow, WindowView,
};
pub use sign_in::{SignInCodeView, StartCourierSession, StartOperatorSession};
pub use store::{
    AlterStore, ContactBody, CreateParentStore, CreateSession, CreateStore, FailedFieldView,
    IssueKey, KeyList, KeyView, NotificationList, NotificationView, OperatorStore,
    OperatorStoreList, ParentStoreRef, StoreCreated, StoreView, UpdateStore,
};
pub use tariff::{
    CompareTariff, CreateTariff, FeeComparison, PreviewTariff, SamplePrice, StoreComparison,
    SurchargeBody, TariffBody, TariffComparison, TariffList, TariffPreview, TariffSample,
    TariffVersionView, WindowBody,
};
pub use tracking::{
    ChangeLink, ChooseDelivery, LinkView, NotifiedRecipient, RateDelivery, RatingView,
    RecipientTracking, SetStoreTracking, StoreTrackingView, TrackingContactBody, TrackingCourier,
    TrackingWindow,
};
pub use webhook::{
    AttemptList, AttemptView, ConnectionBody, ConnectionView, CreateWebhook, QueuedMessage,
    TEST_TYPE, WebhookData, WebhookList, WebhookPayload, WebhookSecret, WebhookView,
};

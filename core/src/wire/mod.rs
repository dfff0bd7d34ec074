//! The JSON types of the API, separate from the domain model. Requests hold what the client sent,
//! valid or not. Responses always contain every documented field, with `null` if there is no value.
//! The lengths and ranges of request fields are in `api/bounds.rs`, which their schemas state.

mod account;
mod address;
mod audit;
mod cash;
mod confirmation;
mod context;
mod coverage;
mod csv_form;
mod device;
mod dispatch;
mod event;
mod fleet;
mod health;
mod ledger;
mod life;
mod numbers;
pub mod open_delivery;
mod order;
mod parts;
mod pay;
mod payments;
mod preview;
mod privacy;
mod proof;
mod proof_document;
mod report;
mod requirements;
mod schedule;
#[cfg(feature = "openapi")]
pub mod schema;
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
pub use cash::{
    CashClosingView, CashEntryList, CashEntryView, CashList, CashRow, CashRowParts, CloseCash,
    ClosedCash, CourierCash, ExplainDifference, MoveCash, SendSlip, SlipView, StoreCash,
};
pub use confirmation::{ConfirmationBody, MarketplaceOrder, MarketplaceWebhookOrder};
pub use context::{ContextLimits, ContextStore, PreviewContext};
pub use coverage::{
    AreaGeometry, Coordinates, CoverageView, HoursExceptionBody, OpeningPeriodBody, StoreAreaBody,
    StoreHoursBody,
};
pub use csv_form::CsvForm;
pub use device::{
    DeviceKeyView, DeviceSetup, PushEndpoint, PushKeyView, ReportResult, SignInCodeView,
    SkipReason, StartCourierSession, StartOperatorSession,
};
pub use dispatch::{
    ChangedDecision, ConsideredView, CostView, CurrentTrip, DecisionView, DispatchComparison,
    DispatchSettings, DispatchSummary, EffectiveDispatch, OrderDispatchView, SetDispatch,
    SetStoreDispatch, StoreDispatchView, TripStopType, TripStopView, TripView,
};
pub use event::{EventPage, EventView, JournalEventView, PersonView};
pub use fleet::{
    AlterCourier, CourierKeyView, CourierList, CourierRecord, CourierSelf, DispatchPassView,
    PositionResult, RegisterCourier, ReportPosition, SetAvailability,
};
pub use health::{HealthFigure, HealthStatus, HealthView};
pub use ledger::{
    CreateTopUp, RequestTopUp, StatementLineView, StatementPage, StoreBalance, TopUpList,
    TopUpRequestView, statement_csv,
};
pub use life::{
    CancelOrder, CancellationView, CourierOrderView, CourierStopView, CurrentOrder, DelayOrder,
    FailDelivery, GiveCode, GiveDeliveryCode, GiveDeliveryReason, GiveReason, NameDelivery,
    OrderList, ReassignOrder, RouteLegView, RouteView, StepTime, StoreList,
};
pub use numbers::{Id, Kilometres, MAX_LIST_ITEMS, Quantity, Reais, objects};
pub use order::{
    CourierView, CreateOrder, DeliveryView, ListedOrder, NewDelivery, OrderDetails, OrderView,
    StoreRef,
};
pub use parts::{EtaView, NoticeView, PriceLineView};
pub use pay::{
    CancelledPercentBody, CommissionBody, CourierPay, CreatePayEntry, CreatePayPlan, EarnedLine,
    Earnings, OrderPayView, PayBandBody, PayEntryView, PayLineView, PayPlanBody, PayPlanList,
    PayPlanVersionView, PayPreview, PaySample, PayStatement, PaySum, PayTermsView, PreviewPay,
    ReturnPayBody, SetCourierPay, SetPayTerms, ShiftPayBody, TripPay, WaitingPayBody, pay_csv,
};
pub use payments::{
    PixRecipientView, PixView, ReceivePayment, ReceivedPaymentView, RecordPayment, SetPix,
    SetStorePayments, StorePaymentsView,
};
pub use preview::{PreviewOrder, PreviewStop, PreviewStopView, PreviewView, QuoteView};
pub use privacy::{
    ErasureList, ErasureResult, ErasureView, ExportedEvent, ExportedOrder, NameRecipient,
    OpenOrder, RecipientExport,
};
pub use proof::{
    OrderProofView, PhotoView, ProofRuleView, ProofRulesView, ProofView, SendProof, SetProofRule,
    SetProofRules,
};
pub use proof_document::{ProofDelivery, ProofDocument, ProofOrder};
pub use report::{DayReportView, ReportDay, report_csv};
pub use requirements::{ExcludedView, RequirementsView, SetRequirements};
pub use schedule::{
    PaymentPartView, PaymentView, SetPayment, SetPaymentPart, SetWindow, WindowView,
};
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

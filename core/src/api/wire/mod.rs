//! The JSON of the API: plain types, apart from the domain. Requests hold what a caller may send, valid or not; responses what
//! the service says, every documented field present and `null` where there is no value.

mod address;
mod context;
mod numbers;
mod order;
mod preview;
mod store;

pub use address::AddressBody;
pub use context::{ContextLimits, ContextLocation, ContextStore, PreviewContext};
pub use numbers::{Id, Kilometres, LONGEST_LIST, Object, Quantity, Reais, object, objects};
pub use order::{
    ConfirmationBody, CourierView, CreateOrder, DeliveryView, EventView, MarketplaceOrder, MarketplaceWebhookOrder,
    NewDelivery, OrderDetails, OrderView, PersonView, PriceLineView, StoreRef,
};
pub use preview::{PreviewOrder, PreviewStop, PreviewStopView, PreviewView, QuoteView};
pub use store::{
    ContactBody, CreateMatrix, CreateSession, CreateStore, FailedFieldView, IssueKey, KeyList, KeyView, MatrixRef,
    NotificationList, NotificationView, StoreCreated, StoreView, UpdateStore,
};

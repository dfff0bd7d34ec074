//! The bounds of the fields of requests: the values that validation enforces and problems state, and
//! the fields whose schemas in the OpenAPI document state them. A schema that has no such field, and
//! a bound that validation does not enforce, fail a test.

#[cfg(feature = "openapi")]
use std::ops::Bound::{Excluded, Included};
use std::ops::RangeInclusive as Range;

#[cfg(feature = "openapi")]
use serde_json::{Value, to_value};

use crate::model::{
    PixKey, PixRecipient, Vehicle,
    order::{ProofPart, ProofParts},
    pay::PayTerms,
};
#[cfg(feature = "openapi")]
use crate::{
    model::{
        pay::PayPlan,
        store::{NotifyAt, RecipientChoice},
        tariff::Tariff,
    },
    rules::{limits::Limits, matching::Dispatch},
};

/// The characters of a string, before trimming, or the items of a list.
type Length = Range<usize>;

/// The name of a schema, the name of its field, and the field's bounds.
#[cfg(feature = "openapi")]
pub(super) type BoundedField = (&'static str, &'static str, Value);

/// Declares bounds, each with the fields that have it. The second list has the bounds that rules
/// declare.
macro_rules! bounds {
    (
        $($(#[$doc:meta])* $name:ident: $kind:ty = $value:expr
            => $($schema:ident { $($field:tt),+ })+;)+
        @rules($limits:ident)
        $($rule:expr => $($rule_schema:ident { $($rule_field:tt),+ })+;)+
    ) => {
        $($(#[$doc])* pub(super) const $name: $kind = $value;)+

        /// Returns the fields.
        ///
        /// # Errors
        /// A bound that cannot be serialised.
        #[cfg(feature = "openapi")]
        pub(super) fn fields() -> serde_json::Result<Vec<BoundedField>> {
            let $limits = Limits::default();
            Ok(vec![
                $($($((stringify!($schema), stringify!($field), to_value($name)?),)+)+)+
                $($($((stringify!($rule_schema), stringify!($rule_field), to_value($rule)?),)+)+)+
            ])
        }
    };
}

bounds! {
    /// A code or a reference of a merchant, and a document number.
    CODE: Length = 0..=64 =>
        CreateOrder { code, fullCode } NewDelivery { code, fullCode, pickupCode }
        RegisterCourier { document } AlterCourier { document } GiveCode { code }
        GiveDeliveryCode { code } CreateTopUp { reference } ReceivePayment { reference }
        RecordPayment { reference } MoveCash { reference } SendSlip { brand, authorisation }
        DeliveryRequest { orderDisplayId, pickupCode };
    /// A string with a format of its own, such as a timestamp.
    FORMATTED: Length = 0..=64 =>
        CreateOrder { deliverAt } SetWindow { from, until } PreviewOrder { deliverAt }
        ReportPosition { at } SetAvailability { availableFrom, availableUntil } StepTime { at }
        NameRecipient { cursor } CompareTariff { cursor } DeliveryRequest { preparationStartDateTime }
        FinishDelivery { finishDate } HandleProblem { reason } CancelDelivery { reason };
    /// A name, a phone number, a reason, or a part of an address.
    NAME: Length = 0..=255 =>
        NewDelivery { name } MarketplaceOrder { orderId }
        MarketplaceWebhookOrder { order_id } PersonContact { name, phone } CreateStore { cnpj }
        CreateParentStore { cnpj } IssueKey { name } CreateUser { name } UpdateUser { name }
        RegisterCourier { name, phone } AlterCourier { name, phone } ReassignOrder { reason }
        CloseCash { reason } ExplainDifference { reason } GiveReason { reason } CreatePayEntry { reason } GiveDeliveryReason { reason } FailDelivery { reason }
        SendProof { receivedBy } SetProofRule { reason } CancelOrder { reason }
        NameRecipient { phone } TrackingContact { name, phone } SetPix { name, city }
        DeliveryRequest { customerName }
        HandleProblem { message } CancelDelivery { message };
    /// The name of a store.
    STORE_NAME: Length = 5..=255 =>
        CreateStore { name } CreateParentStore { name } UpdateStore { name };
    /// An email address.
    EMAIL: Length = 0..=400 =>
        CreateStore { email } CreateParentStore { email }
        UpdateStore { email } CreateUser { email } RegisterCourier { email }
        AlterCourier { email } CreateSession { email };
    /// A new password. The maximum bounds the time for hashing.
    PASSWORD: Length = 10..=128 =>
        CreateStore { password } CreateParentStore { password } ChangePassword { newPassword }
        ResetPassword { newPassword };
    /// The code in a link with which a person signs in or sets a password.
    LINK_CODE: Length = 0..=128 => ResetPassword { code } StartCourierSession { code };
    /// A Pix key. The longest kind is an email address.
    PIX_KEY: Length = 0..=PixKey::MAX_CHARS => SetPix { key };
    /// The reference of a payment by Pix.
    TXID: Length = 0..=PixRecipient::MAX_TXID => CreateTopUp { txid };
    /// An operator's token.
    OPERATOR_TOKEN: Length = 0..=256 => StartOperatorSession { token };
    /// The URL of a webhook or of a push service.
    URL: Length = 0..=2_048 => PushEndpoint { endpoint } CreateWebhook { url };
    /// Instructions for a courier, a note of a courier, and a recipient's comment.
    NOTE: Length = 0..=1_000 =>
        CreateOrder { pickupInstructions } NewDelivery { observation } SendProof { note }
        RateDelivery { text };
    /// A quote.
    QUOTE: Length = 0..=16_384 => CreateOrder { quoteId };
    /// How and when a recipient reaches the store.
    CONTACT_TEXT: Length = 0..=500 => TrackingContact { text };
    /// The name of a date with opening hours of its own.
    DATE_NAME: Length = 0..=60 => HoursException { name };
    /// The ID of a merchant in Open Delivery.
    MERCHANT_ID: Length = 36..=100 => CreateConnection { merchantId } MerchantRef { id };
    /// The name of a merchant in Open Delivery.
    MERCHANT_NAME: Length = 0..=500 => MerchantRef { name };
    /// Instructions for a courier in Open Delivery.
    INSTRUCTIONS: Length = 0..=500 =>
        DeliveryRequest { specialInstructions } RequestedVehicle { instruction };
    /// A note on an address in Open Delivery.
    ADDRESS_NOTE: Length = 0..=200 => LogisticsAddress { reference, pickupLocation, instructions };
    /// Kinds of vehicles, each at most once.
    VEHICLES: Length = 0..=Vehicle::ALL.len() =>
        SetRequirements { vehicle } TariffBody { vehicles };
    /// Parts of a courier's equipment.
    EQUIPMENT: Length = 0..=2 => RegisterCourier { equipment } AlterCourier { equipment };
    /// Parts of a payment.
    PAYMENT_PARTS: Length = 2..=10 => SetPayment { parts };
    /// Slips of a card machine at a closing.
    SLIPS: Length = 0..=100 => CloseCash { slips };
    /// Photos in the proof of a step.
    PROOF_PHOTOS: Length = 0..=ProofParts::MAX_PHOTOS => SendProof { photoIds };
    /// What a step requires of its proof.
    PROOF_PARTS: Length = 1..=ProofPart::ALL.len() => SetProofRule { requires };
    /// A store's rules for proofs.
    PROOF_RULES: Length = 0..=20 => SetProofRules { rules };
    /// The types of events that a webhook receives.
    WEBHOOK_EVENTS: Length = 0..=100 => CreateWebhook { events };
    /// Opening periods of a week.
    OPENING_PERIODS: Length = 0..=50 => StoreHours { hours };
    /// Dates with opening hours of their own.
    HOURS_EXCEPTIONS: Length = 0..=100 => StoreHours { exceptions };
    /// Days of the week.
    WEEKDAYS: Length = 0..=7 => WindowBody { days } OpeningPeriod { days };
    /// Routes to price with a draft of a tariff.
    TARIFF_SAMPLES: Length = 1..=50 => PreviewTariff { samples } PreviewPay { orders };
    /// Orders with which a delivery of Open Delivery is combined.
    COMBINED_ORDERS: Length = 0..=10 => DeliveryRequest { combinedOrdersIds };
    /// Kinds of vehicles in a request of Open Delivery.
    REQUESTED_VEHICLES: Length = 1..=10 => RequestedVehicle { type };
    /// Payments at the door in Open Delivery.
    OFFLINE_PAYMENTS: Length = 0..=100 => DeliveryPayments { offlineMethod };
    /// A latitude in degrees.
    LATITUDE: Range<i32> = -90..=90 =>
        Address { latitude } ReportPosition { latitude } SendProof { latitude }
        LogisticsAddress { latitude };
    /// A longitude in degrees.
    LONGITUDE: Range<i32> = -180..=180 =>
        Address { longitude } ReportPosition { longitude } SendProof { longitude }
        LogisticsAddress { longitude };
    /// The accuracy radius of a position in metres.
    ACCURACY_M: Range<u32> = 0..=10_000 => ReportPosition { accuracy };
    /// An amount in reais, with at most two decimals.
    AMOUNT: Range<i64> = 0..=1_000_000 =>
        CreateOrder { maxDeliveryFee } SetPayment { changeFor }
        SetPaymentPart { amount, changeFor } NewDelivery { productValue }
        PreviewOrder { maxDeliveryFee } ReceivePayment { received } RecordPayment { received }
        CloseCash { counted } SendSlip { amount } RegisterCourier { cashLimit }
        AlterCourier { cashLimit } Price { value } PaySample { fee };
    /// The balance in reais down to which a prepaid store can order.
    PREPAID_FLOOR: Range<i64> = -1_000_000..=1_000_000 =>
        CreateParentStore { prepaidFloor } AlterStore { prepaidFloor };
    /// A payment to a store's balance, or cash that a store gives to a courier or receives, in reais.
    PAID: Range<f64> = 0.01..=1_000_000.0 =>
        CreateTopUp { amount } RequestTopUp { amount } MoveCash { amount };
    /// The weight of a load in grams.
    WEIGHT_G: Range<u32> = 1..=1_000_000 =>
        SetRequirements { weightGrams } RegisterCourier { maxWeightGrams }
        AlterCourier { maxWeightGrams };
    /// The volume of a load in millilitres.
    VOLUME_ML: Range<u32> = 1..=20_000_000 =>
        SetRequirements { volumeMillilitres } RegisterCourier { maxVolumeMillilitres }
        AlterCourier { maxVolumeMillilitres };
    /// The number of packages of a load.
    PACKAGES: Range<u32> = 1..=100 => SetRequirements { packages };
    /// The validity of a key in days.
    KEY_DAYS: Range<u32> = 1..=3_650 =>
        IssueKey { expiresInDays } RegisterCourier { expiresInDays }
        AlterCourier { expiresInDays };
    /// A recipient's rating.
    STARS: Range<u32> = 1..=5 => RateDelivery { stars };
    /// A distance to price with a draft of a tariff, in kilometres.
    SAMPLE_KM: Range<u32> = 0..=5_000 => TariffSample { distanceKm, returnKm } PaySample { distanceKm, returnKm };
    /// The stops of a route to price with a draft of a tariff.
    SAMPLE_STOPS: Range<u32> = 1..=50 => TariffSample { stops } PaySample { deliveries };
    /// A period of a courier's cash.
    CASH_PERIOD: Range<u32> = 1..=1_000_000_000 => CloseCash { period } ExplainDifference { period };
    /// The name of a pay plan.
    PLAN_NAME: Length = 0..=40 => CreatePayPlan { name } SetPayTerms { plan };
    /// The terms of a courier's pay.
    PAY_TERMS: Length = 0..=PayTerms::MAX => SetCourierPay { terms };
    /// The length of a shift or of a wait to pay, in minutes.
    SHIFT_MINUTES: Range<u32> = 0..=1_440 => PreviewPay { shiftMinutes } PaySample { waitedMinutes };
    /// The days whose orders are compared with a draft of a tariff.
    COMPARED_DAYS: Range<u32> = 1..=92 => CompareTariff { days };
    /// The weight of a delivery of Open Delivery in grams; 0 if it is unknown.
    TOTAL_WEIGHT_G: Range<u32> = 0..=1_000_000 =>
        AvailabilityRequest { totalWeight } DeliveryRequest { totalWeight };
    /// The volume of a delivery of Open Delivery in cubic metres; 0 if it is unknown.
    PACKAGE_VOLUME_M3: Range<u32> = 0..=20 =>
        AvailabilityRequest { packageVolume } DeliveryRequest { packageVolume };
    /// The packages of a delivery of Open Delivery; 0 if the number is unknown.
    PACKAGE_QUANTITY: Range<u32> = 0..=100 =>
        AvailabilityRequest { packageQuantity } DeliveryRequest { packageQuantity };
    /// A time limit of Open Delivery in minutes.
    LIMIT_MINUTES: Range<u32> = 0..=43_200 => LimitTimes { pickupLimit, deliveryLimit };

    @rules(limits)
    1..=(1_u64 << 53) - 1 =>
        RegisterCourier { profileId } AlterCourier { profileId } ReassignOrder { courierId };
    1..=limits.deliveries => CreateOrder { deliveries } PreviewOrder { deliveries };
    0..=limits.preparation_minutes =>
        CreateOrder { preparationTime } PreviewOrder { preparationTime }
        StoreHours { preparationTime };
    1..=limits.preparation_minutes => DelayOrder { minutes };
    0..=RecipientChoice::ALL.len() => SetStoreTracking { choices };
    0..=NotifyAt::ALL.len() => SetStoreTracking { notifyAt };
    Tariff::FEE =>
        TariffBody { baseFee, perExtraStop, returnFee, minimumFee } SurchargeBody { fee };
    PayPlan::AMOUNT =>
        PayPlanBody { perTrip, perExtraOrder, perDelivery, minimumPerOrder }
        PayBandBody { amount } ReturnPayBody { fee } WaitingPayBody { perMinute }
        ShiftPayBody { daily, guarantee, guaranteePerHour } CommissionBody { perDelivery };
    PayPlan::KM =>
        PayPlanBody { includedKm, perKm } PayBandBody { untilKm } ReturnPayBody { perKm };
    PayPlan::PERCENT =>
        PayPlanBody { feePercent } CancelledPercentBody { assigned, arrived }
        CommissionBody { percent };
    -1_000_000..=1_000_000 => CreatePayEntry { amount };
    PayPlan::MINUTES => WaitingPayBody { afterMinutes, maxMinutes };
    PayPlan::DELIVERIES => ShiftPayBody { guaranteeDeliveries };
    0..=PayPlan::MAX_ITEMS => PayPlanBody { bands, windows };
    Tariff::KM => TariffBody { baseKm, perKm, returnPerKm };
    Tariff::MINUTES => TariffBody { approachMinutes, handoverMinutes };
    (Excluded(0), Included(Tariff::MAX_REACH_KM)) => TariffBody { maxDistanceKm, serviceRadiusKm };
    0..=Tariff::MAX_WINDOWS => TariffBody { windows };
    Tariff::VEHICLE_PERCENT => SurchargeBody { percent };
    0..=Tariff::MAX_WINDOW_NAME => WindowBody { name };
    Tariff::WINDOW_PERCENT => WindowBody { percent };
    Dispatch::LEAD_MINUTES => SetStoreDispatch { leadMinutes };
    Dispatch::ORDERS_PER_TRIP => SetStoreDispatch { ordersPerTrip } SetDispatch { ordersPerTrip };
    Dispatch::RADIUS_KM => SetDispatch { radiusKm };
    Dispatch::POSITION_AGE_MINUTES => SetDispatch { maxPositionAgeMinutes };
    Dispatch::STUCK_AFTER_MINUTES => SetDispatch { stuckAfterMinutes };
    Dispatch::WAIT_LIMIT_MINUTES => SetDispatch { waitLimitMinutes };
    Dispatch::REOFFER_AFTER_MINUTES => SetDispatch { reofferAfterMinutes };
    Dispatch::HORIZON_MINUTES => SetDispatch { horizonMinutes };
    Dispatch::DETOUR_MINUTES => SetDispatch { detourMinutes };
    Dispatch::READY_SPREAD_MINUTES => SetDispatch { readySpreadMinutes };
    Dispatch::MARGIN_SECONDS => SetDispatch { marginSeconds };
}

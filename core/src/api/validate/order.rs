//! Orders and previews.

use std::ops::RangeInclusive;

use super::{
    address::Need,
    checker::{Checker, Path},
    contact::{EMAIL, PHONE, instructions},
};
use crate::{
    api::{
        bounds,
        problem::{FieldError, Problem, ProblemCode},
        read::Body,
    },
    model::{Money, MoneyError, StoreId, Text, order::Confirmation},
    route::Pin,
    rules::{
        lifecycle::{NewOrder, NewStop, TimeLimits},
        limits::Limits,
        pricing::{Inquiry, InquiryStop, Returns},
    },
    wire::{
        ConfirmationBody, CreateOrder, MAX_LIST_ITEMS, NewDelivery, PreviewOrder, PreviewStop,
        StoreRef,
    },
};

/// Validates a preview.
///
/// # Errors
/// Every invalid field.
pub fn preview(body: Body<PreviewOrder>, limits: &Limits) -> Result<Inquiry, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let stops = checker.list(&root, sent.deliveries.as_deref(), limits)?;
    // The sequence is that of `order`, so that both list their errors in the same order.
    let deliver_at = checker.timestamp(&root.member("deliverAt"), sent.deliver_at.as_ref());
    let store = checker.store_ref(&root, sent.store.as_ref());
    let pickup = sent.pickup_address.as_ref();
    let pickup =
        pickup.map(|address| checker.address(&root.member("pickupAddress"), address, Need::Locate));
    let preparation = checker.preparation(&root, sent.preparation_time, limits);
    let list = root.member("deliveries");
    let mut inquiry = Inquiry {
        store,
        pickup,
        stops: Vec::with_capacity(stops.len()),
        best_route: sent.sort_by_best_route.unwrap_or(false),
        with_times: sent.preview_delivery_time.unwrap_or(false),
        preparation_minutes: preparation,
        deliver_at,
        vehicle: None,
        max_fee: None,
    };
    let mut pins = Pins::default();
    for (
        index,
        PreviewStop {
            address,
            online_payment,
            payment,
            pin,
            window,
            ..
        },
    ) in stops.iter().enumerate()
    {
        let path = list.item(index);
        match address {
            Some(address) => {
                let address = checker.address(&path.member("address"), address, Need::Locate);
                let pin = checker.pin(&path.member("pin"), pin.as_ref(), &mut pins);
                let window =
                    checker.delivery_window(&path, window.as_ref(), deliver_at, stops.len() == 1);
                let online_payment = online_payment.unwrap_or(true);
                let returns = checker.returns(&path, payment.as_ref(), online_payment);
                inquiry.stops.push(InquiryStop {
                    address,
                    online_payment,
                    returns,
                    pin,
                    window,
                });
            }
            None => checker.required(&path.member("address")),
        }
    }
    inquiry.vehicle = checker
        .requirements(&root, sent.requirements.as_ref())
        .smallest_vehicle();
    inquiry.max_fee = checker.value(&root.member("maxDeliveryFee"), sent.max_delivery_fee);
    checker.finish(Some(inquiry))
}

/// Validates a new order.
///
/// # Errors
/// Every invalid field.
pub fn order(body: Body<CreateOrder>, limits: &Limits) -> Result<NewOrder, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let deliveries = checker.list(&root, sent.deliveries.as_deref(), limits)?;
    let code = checker.required_text(&root.member("code"), sent.code.as_ref(), bounds::CODE);
    let full_code = checker.text(
        &root.member("fullCode"),
        sent.full_code.as_ref(),
        bounds::CODE,
    );
    let pickup = sent.pickup_address.as_ref();
    let deliver_at = checker.timestamp(&root.member("deliverAt"), sent.deliver_at.as_ref());
    let mut inquiry = Inquiry {
        store: checker.store_ref(&root, sent.store.as_ref()),
        pickup: pickup
            .map(|address| checker.address(&root.member("pickupAddress"), address, Need::Visit)),
        stops: Vec::with_capacity(deliveries.len()),
        best_route: sent.sort_by_best_route.unwrap_or(false),
        with_times: sent.preview_delivery_time.unwrap_or(false),
        preparation_minutes: checker.preparation(&root, sent.preparation_time, limits),
        deliver_at,
        vehicle: None,
        max_fee: None,
    };
    let list = root.member("deliveries");
    let (mut stops, mut pins) = (Vec::with_capacity(deliveries.len()), Pins::default());
    for (index, delivery) in deliveries.iter().enumerate() {
        let path = list.item(index);
        let stop = checker.stop(&path, delivery);
        match &delivery.address {
            Some(address) => {
                let address = checker.address(&path.member("address"), address, Need::Visit);
                let pin = checker.pin(&path.member("pin"), delivery.pin.as_ref(), &mut pins);
                let window = checker.delivery_window(
                    &path,
                    delivery.window.as_ref(),
                    deliver_at,
                    deliveries.len() == 1,
                );
                let online_payment = delivery.online_payment.unwrap_or(true);
                inquiry.stops.push(InquiryStop {
                    address,
                    online_payment,
                    returns: Returns::of_payment(online_payment, stop.payment.as_ref()),
                    pin,
                    window,
                });
            }
            None => checker.required(&path.member("address")),
        }
        stops.push(stop);
    }
    let pickup_code = checker.pickup_code(&list, deliveries);
    let quote = checker.text(
        &root.member("quoteId"),
        sent.quote_id.as_ref(),
        bounds::QUOTE,
    );
    let combinable = sent.combinable.unwrap_or(true);
    let mut requirements = checker.requirements(&root, sent.requirements.as_ref());
    requirements.equipment.card_machine |= stops.iter().any(NewStop::needs_card_machine);
    inquiry.vehicle = requirements.smallest_vehicle();
    let instructions = root.member("pickupInstructions");
    let pickup_instructions = checker.text(
        &instructions,
        sent.pickup_instructions.as_ref(),
        bounds::NOTE,
    );
    let max_fee = checker.value(&root.member("maxDeliveryFee"), sent.max_delivery_fee);
    let new = code.map(|code| NewOrder {
        code,
        full_code,
        pickup_code,
        quote,
        inquiry,
        combinable,
        requirements,
        pickup_instructions,
        max_fee,
        open_delivery: None,
        notices: std::mem::take(&mut checker.notices),
        limits: TimeLimits::default(),
        stops,
    });
    checker.finish(new)
}

/// Whether an amount is within bounds in whole reais.
pub(super) fn is_within(money: Money, bounds: RangeInclusive<i64>) -> bool {
    (bounds.start() * 100..=bounds.end() * 100).contains(&money.centavos())
}

/// The ends of the route that are already taken by pinned stops.
#[derive(Default)]
struct Pins {
    first: bool,
    last: bool,
}

impl Checker {
    /// Reads a stop's pin. At most one stop can be pinned at each end of the route.
    fn pin(&mut self, path: &Path<'_>, sent: Option<&String>, pins: &mut Pins) -> Option<Pin> {
        let (pin, taken) = match sent?.as_str() {
            "first" => (Pin::First, &mut pins.first),
            "last" => (Pin::Last, &mut pins.last),
            _ => {
                self.reject(
                    path,
                    "invalid_pin",
                    "Expected `first` or `last`.",
                    "Esperado `first` ou `last`.",
                );
                return None;
            }
        };
        if std::mem::replace(taken, true) {
            let en = "Another delivery is already pinned there. Pin at most one delivery as `first` and one as `last`.";
            let pt = "Outra entrega já está fixada ali. Fixe no máximo uma entrega como `first` e uma como `last`.";
            self.reject(path, "conflicting_pin", en, pt);
            return None;
        }
        Some(pin)
    }

    /// Checks the length of the list of deliveries. A list that is too long is not validated
    /// further.
    fn list<'a, T>(
        &mut self,
        root: &Path<'_>,
        list: Option<&'a [T]>,
        limits: &Limits,
    ) -> Result<&'a [T], Problem> {
        let path = root.member("deliveries");
        let list = list.unwrap_or_default();
        let max = limits.deliveries;
        if list.len() > max as usize {
            let length = if list.len() < MAX_LIST_ITEMS {
                list.len().to_string()
            } else {
                format!("{MAX_LIST_ITEMS}+")
            };
            let en = format!(
                "The order has {length} deliveries; the maximum is {max}. Split them into several orders."
            );
            let pt = format!(
                "O pedido tem {length} entregas; o máximo é {max}. Divida-as em mais de um pedido."
            );
            let errors = vec![FieldError {
                pointer: path.pointer(),
                code: "too_many_deliveries",
                detail: Text::new(en.clone(), pt.clone()),
            }];
            return Err(Problem::new(ProblemCode::TooManyDeliveries, en, pt).with_errors(errors));
        }
        if list.is_empty() {
            let (en, pt) = ("Send at least one delivery.", "Envie ao menos uma entrega.");
            self.reject(&path, "required", en, pt);
        }
        Ok(list)
    }

    fn preparation(&mut self, root: &Path<'_>, value: Option<f64>, limits: &Limits) -> u32 {
        let path = root.member("preparationTime");
        self.minutes(&path, value, 0..=limits.preparation_minutes)
            .unwrap_or(0)
    }

    fn store_ref(&mut self, root: &Path<'_>, store: Option<&StoreRef>) -> Option<StoreId> {
        let number = store?.user_platform_id?;
        let id = StoreId::new(number.0);
        if id.is_none() {
            let store = root.member("store");
            self.reject(
                &store.member("userPlatformId"),
                "out_of_range",
                "Expected a store ID, an integer of 1 or more.",
                "Esperado o ID de uma loja, um número inteiro a partir de 1.",
            );
        }
        id
    }

    fn stop(&mut self, path: &Path<'_>, delivery: &NewDelivery) -> NewStop {
        // A recipient without a valid contact still gets the delivery.
        let (phone, unread_phone) = self
            .recipient_phone(&path.member("phone"), delivery.phone.as_ref())
            .split(PHONE);
        let (email, unread_email) = self
            .recipient_email(&path.member("email"), delivery.email.as_ref())
            .split(EMAIL);
        let observation = self.text(
            &path.member("observation"),
            delivery.observation.as_ref(),
            bounds::NOTE,
        );
        let product_value = self.value(&path.member("productValue"), delivery.product_value);
        let value = (delivery.product_value, product_value);
        NewStop {
            code: self.text(&path.member("code"), delivery.code.as_ref(), bounds::CODE),
            full_code: self.text(
                &path.member("fullCode"),
                delivery.full_code.as_ref(),
                bounds::CODE,
            ),
            name: self.text(&path.member("name"), delivery.name.as_ref(), bounds::NAME),
            phone,
            email,
            observation: instructions([observation, unread_phone, unread_email]),
            product_value,
            payment: self.payment(
                path,
                delivery.payment.as_ref(),
                delivery.online_payment.unwrap_or(true),
                value,
            ),
            confirmation: delivery
                .confirmation
                .as_ref()
                .map(|body| self.confirmation(path, body)),
        }
    }

    pub(super) fn value(&mut self, path: &Path<'_>, value: Option<f64>) -> Option<Money> {
        let (min, max) = bounds::AMOUNT.into_inner();
        let money = match Money::from_number(value?) {
            Ok(money) if is_within(money, bounds::AMOUNT) => return Some(money),
            other => other,
        };
        match money {
            Err(MoneyError::TooManyDecimals) => {
                self.reject(
                    path,
                    "too_many_decimals",
                    "Expected at most two decimal places.",
                    "Esperadas no máximo duas casas decimais.",
                );
            }
            _ => self.reject(
                path,
                "out_of_range",
                format!("Expected an amount from {min} to {max}."),
                format!("Esperado um valor de {min} a {max}."),
            ),
        }
        None
    }

    fn confirmation(&mut self, path: &Path<'_>, body: &ConfirmationBody) -> Confirmation {
        let path = path.member("confirmation");
        let a = body
            .marketplace_a
            .as_ref()
            .and_then(|order| order.order_id.as_ref());
        let webhook = body
            .marketplace_a_webhook
            .as_ref()
            .and_then(|order| order.order_id.as_ref());
        let b = body
            .marketplace_b
            .as_ref()
            .and_then(|order| order.order_id.as_ref());
        Confirmation {
            marketplace_a: self.text(
                &path.member("marketplaceA").member("orderId"),
                a,
                bounds::NAME,
            ),
            marketplace_a_webhook: self.text(
                &path.member("marketplaceA_webhook").member("order_id"),
                webhook,
                bounds::NAME,
            ),
            marketplace_b: self.text(
                &path.member("marketplaceB").member("order_id"),
                b,
                bounds::NAME,
            ),
            platform: body.platform.unwrap_or(false),
        }
    }

    /// Reads a code that the merchant set.
    pub(super) fn alphanumeric_code(
        &mut self,
        path: &Path<'_>,
        sent: Option<&String>,
    ) -> Option<String> {
        let code = self.text(path, sent, bounds::CODE)?;
        if (4..=12).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Some(code);
        }
        let (en, pt) = (
            "Expected 4 to 12 letters or digits.",
            "Esperados de 4 a 12 letras ou dígitos.",
        );
        self.reject(path, "invalid_pickup_code", en, pt);
        None
    }

    /// Reads the pickup code, which must be equal in all deliveries that have one.
    fn pickup_code(&mut self, list: &Path<'_>, deliveries: &[NewDelivery]) -> Option<String> {
        let mut agreed: Option<String> = None;
        for (index, delivery) in deliveries.iter().enumerate() {
            let item = list.item(index);
            let path = item.member("pickupCode");
            let Some(code) = self.alphanumeric_code(&path, delivery.pickup_code.as_ref()) else {
                continue;
            };
            if agreed.as_ref().is_some_and(|agreed| *agreed != code) {
                let en = "All deliveries are picked up together. Send the same pickupCode in each, or send it in only one.";
                let pt = "Todas as entregas são coletadas juntas. Envie o mesmo pickupCode em todas ou em apenas uma.";
                self.reject(&path, "conflicting_pickup_code", en, pt);
            } else {
                agreed = Some(code);
            }
        }
        agreed
    }
}

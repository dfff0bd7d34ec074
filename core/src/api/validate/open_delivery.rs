//! Requests of Open Delivery, as orders of the service.

use std::ops::RangeInclusive;

use super::{
    address::Need,
    checker::{Checker, Path},
    contact::{PHONE, instructions, one_line},
};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{
        Address, Duration, Money, Phone, Requirements, Timestamp, WebhookId,
        order::{Confirmation, OpenDelivery, Payment, PaymentMethod, PaymentPart},
    },
    rules::{
        lifecycle::{NewOrder, NewStop, TimeLimits},
        pricing::{Inquiry, InquiryStop, Returns},
    },
    wire::{
        AddressBody, SetRequirements,
        open_delivery::{
            AvailabilityRequest, DeliveryPayments, DeliveryRequest, LogisticsAddress, Price,
        },
    },
};

/// Validates a request for the availability and the price.
///
/// # Errors
/// Every invalid field.
pub fn availability_request(
    body: Body<AvailabilityRequest>,
) -> Result<(Inquiry, TimeLimits), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let is_paid = sent.online_payment.unwrap_or(true);
    let sent = DeliveryRequest {
        merchant: sent.merchant,
        pickup_address: sent.pickup_address,
        return_to_merchant: sent.return_to_merchant,
        can_combine: sent.can_combine,
        delivery_address: sent.delivery_address,
        vehicle: sent.vehicle,
        limit_times: sent.limit_times,
        total_order_price: sent.total_order_price,
        total_weight: sent.total_weight,
        package_volume: sent.package_volume,
        package_quantity: sent.package_quantity,
        ..DeliveryRequest::default()
    };
    let common = checker.common(&sent, is_paid);
    checker.merchant(&sent, None);
    checker.recipient_contact(&sent);
    checker.pickup_instructions(&sent);
    checker.finish(Some((common.inquiry, common.times)))
}

/// Validates a new delivery of a connection for the merchant with the ID `merchant`.
///
/// # Errors
/// Every invalid field.
pub fn delivery_request(
    body: Body<DeliveryRequest>,
    connection: WebhookId,
    merchant: &str,
    now: Timestamp,
) -> Result<NewOrder, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let code = checker.uuid(&root.member("orderId"), sent.order_id.as_ref());
    let display = checker.required_text(
        &root.member("orderDisplayId"),
        sent.order_display_id.as_ref(),
        bounds::CODE,
    );
    let merchant_name = checker.merchant(&sent, Some(merchant));
    let name = checker.required_text(
        &root.member("customerName"),
        sent.customer_name.as_ref(),
        bounds::NAME,
    );
    let payments = checker.payments(sent.payments.as_ref());
    let is_paid = payments.is_none();
    let Common {
        mut inquiry,
        times,
        mut requirements,
        container,
        total,
    } = checker.common(&sent, is_paid);
    if let Some((_, payment)) = &payments {
        for stop in &mut inquiry.stops {
            stop.returns = Returns::of(is_paid, payment.methods(), comes_back(&sent));
        }
    }
    inquiry.preparation_minutes =
        checker.minutes_until_preparation(sent.preparation_start_date_time.as_ref(), now);
    checker.combined(sent.combined_orders_ids.as_deref().unwrap_or_default());
    let (phone, observation) = checker.recipient_contact(&sent);
    let product_value = payments.as_ref().map(|(value, _)| *value).or(total);
    let pickup_code =
        checker.alphanumeric_code(&root.member("pickupCode"), sent.pickup_code.as_ref());
    let pickup_instructions = checker.pickup_instructions(&sent);
    let checks_code = sent.confirmation_code_required.unwrap_or(false);
    let stop = NewStop {
        code: display.clone(),
        full_code: None,
        name,
        phone,
        email: None,
        observation,
        product_value,
        payment: payments.map(|(_, payment)| payment),
        confirmation: checks_code.then(|| Confirmation {
            platform: true,
            ..Confirmation::default()
        }),
    };
    // The merchant can also request the machine in case the recipient changes the method.
    let brings_machine = sent
        .payments
        .as_ref()
        .and_then(|payments| payments.wireless_pos)
        .unwrap_or(false);
    requirements.equipment.card_machine = brings_machine || stop.needs_card_machine();
    let open_delivery = OpenDelivery {
        connection,
        display_id: display.clone().unwrap_or_default(),
        merchant_name: merchant_name.unwrap_or_default(),
        container,
        deliver_until: None,
        awaits_ready: sent.notify_ready_for_pickup.unwrap_or(false),
        awaits_pickup: sent.notify_pickup.unwrap_or(false),
        awaits_conclusion: sent.notify_conclusion.unwrap_or(false),
        checks_code,
        finished_at: None,
    };
    let new = code.map(|code| NewOrder {
        code,
        full_code: display,
        pickup_code,
        quote: None,
        inquiry,
        combinable: sent.can_combine.unwrap_or(false),
        requirements,
        pickup_instructions,
        max_fee: None,
        open_delivery: Some(Box::new(open_delivery)),
        notices: std::mem::take(&mut checker.notices),
        limits: times,
        stops: vec![stop],
    });
    checker.finish(new)
}

/// Returns whether the request requires the way back. Merchants send false for deliveries that are
/// paid at the door, too; then it depends on the method.
fn comes_back(sent: &DeliveryRequest) -> Option<bool> {
    sent.return_to_merchant.filter(|back| *back)
}

/// Writes a volume in cubic metres, in English and Portuguese.
fn cubic_metres(millilitres: u32) -> (String, String) {
    let (whole, part) = (millilitres / 1_000_000, millilitres % 1_000_000);
    let text = format!("{whole}.{part:06}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    (
        format!("{text} m³"),
        format!("{} m³", text.replace('.', ",")),
    )
}

/// The part of a new delivery that a request for the availability also has.
struct Common {
    inquiry: Inquiry,
    times: TimeLimits,
    requirements: Requirements,
    container: String,
    total: Option<Money>,
}

impl Checker {
    fn common(&mut self, sent: &DeliveryRequest, is_paid: bool) -> Common {
        let root = Path::Root;
        let pickup = self.logistics_address("pickupAddress", sent.pickup_address.as_ref());
        let address = self.logistics_address("deliveryAddress", sent.delivery_address.as_ref());
        let back = root.member("returnToMerchant");
        self.present(&back, sent.return_to_merchant.is_some());
        if sent.return_to_merchant == Some(true) && is_paid {
            let en = "A courier returns only with a payment. Send false, or a payment of the method OFFLINE.";
            let pt = "O entregador só retorna com um pagamento. Envie false ou um pagamento com o método OFFLINE.";
            self.reject(&back, "not_applicable", en, pt);
        }
        self.present(&root.member("canCombine"), sent.can_combine.is_some());
        let (requirements, container) = self.load(sent);
        let total = self.price(
            &root.member("totalOrderPrice"),
            sent.total_order_price.as_ref(),
        );
        let times = root.member("limitTimes");
        self.present(&times, sent.limit_times.is_some());
        let given = sent.limit_times.clone().unwrap_or_default();
        let mut minutes = |name, value| {
            let minutes = self.integer(&times.member(name), value, bounds::LIMIT_MINUTES)?;
            Some(Duration::minutes(minutes.into()))
        };
        let times = TimeLimits {
            pickup: minutes("pickupLimit", given.pickup_limit),
            delivery: minutes("deliveryLimit", given.delivery_limit),
        };
        let inquiry = Inquiry {
            store: None,
            pickup: Some(pickup),
            stops: vec![InquiryStop {
                address,
                online_payment: is_paid,
                returns: Returns::of(is_paid, [], comes_back(sent)),
                pin: None,
                window: None,
            }],
            best_route: false,
            with_times: true,
            preparation_minutes: 0,
            deliver_at: None,
            vehicle: requirements.smallest_vehicle(),
            max_fee: None,
        };
        Common {
            inquiry,
            times,
            requirements,
            container,
            total,
        }
    }

    /// Reads the time at which the preparation starts, as minutes from now. No courier is searched
    /// before.
    fn minutes_until_preparation(&mut self, sent: Option<&String>, now: Timestamp) -> u32 {
        let path = Path::Root.member("preparationStartDateTime");
        let Some(start) = self.timestamp(&path, sent) else {
            return 0;
        };
        let minutes = start.since(now).as_millis().max(0).div_euclid(60_000);
        // A part of a minute counts as a whole one.
        let minutes = if now.after(Duration::minutes(minutes)) < start {
            minutes + 1
        } else {
            minutes
        };
        let within = u32::try_from(minutes)
            .ok()
            .filter(|minutes| bounds::LIMIT_MINUTES.contains(minutes));
        within.unwrap_or_else(|| {
            let last = now.after(Duration::minutes((*bounds::LIMIT_MINUTES.end()).into()));
            let en = format!("The time is more than 30 days ahead. Send at most {last}.");
            let pt = format!("O horário está a mais de 30 dias. Envie no máximo {last}.");
            self.reject(&path, "too_late", en, pt);
            0
        })
    }

    pub(super) fn present(&mut self, path: &Path<'_>, is_present: bool) {
        if !is_present {
            self.required(path);
        }
    }

    pub(super) fn one_of<'n>(
        &mut self,
        path: &Path<'_>,
        sent: Option<&String>,
        names: &[&'n str],
        is_required: bool,
    ) -> Option<&'n str> {
        let Some(text) = sent else {
            self.present(path, !is_required);
            return None;
        };
        let found = names.iter().find(|name| **name == text.trim()).copied();
        if found.is_none() {
            let names = names.join(", ");
            self.reject(
                path,
                "unknown_value",
                format!("Expected {names}."),
                format!("Esperado {names}."),
            );
        }
        found
    }

    /// Reads a UUID in lower case.
    fn uuid(&mut self, path: &Path<'_>, sent: Option<&String>) -> Option<String> {
        let text = self.required_text(path, sent, bounds::CODE);
        self.parsed(path, text, |text| {
            let is_valid = text.len() == 36
                && text.bytes().enumerate().all(|(at, byte)| match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                });
            is_valid.then(|| text.to_ascii_lowercase()).ok_or_else(|| {
                let (en, pt) = ("Expected a UUID.", "Esperado um UUID.");
                ("invalid_value", en.to_owned(), pt.to_owned())
            })
        })
    }

    fn combined(&mut self, ids: &[String]) {
        let (root, list) = (Path::Root, "combinedOrdersIds");
        if !self.has_at_most(&root.member(list), ids.len(), bounds::COMBINED_ORDERS) {
            return;
        }
        for (at, id) in ids.iter().enumerate() {
            self.uuid(&root.member(list).item(at), Some(id));
        }
    }

    /// Reads the merchant's name. Without an expected ID, the merchant can be absent.
    fn merchant(&mut self, sent: &DeliveryRequest, expected: Option<&str>) -> Option<String> {
        let root = Path::Root;
        let path = root.member("merchant");
        let Some(merchant) = &sent.merchant else {
            self.present(&path, expected.is_none());
            return None;
        };
        let id = self.merchant_id(&path.member("id"), merchant.id.as_ref());
        if id
            .zip(expected)
            .is_some_and(|(id, expected)| id != expected)
        {
            let en = "These credentials are for another merchant. Send the merchant's ID of the connection.";
            let pt = "Estas credenciais são de outro estabelecimento. Envie o ID do estabelecimento da conexão.";
            self.reject(&path.member("id"), "not_applicable", en, pt);
        }
        self.required_text(
            &path.member("name"),
            merchant.name.as_ref(),
            bounds::MERCHANT_NAME,
        )
    }

    fn logistics_address(
        &mut self,
        name: &'static str,
        sent: Option<&LogisticsAddress>,
    ) -> Address {
        let root = Path::Root;
        let path = root.member(name);
        let Some(sent) = sent else {
            self.required(&path);
            return Address::default();
        };
        self.one_of(
            &path.member("country"),
            sent.country.as_ref(),
            &["BR"],
            true,
        );
        // ISO 3166-2 names a state as `BR-SP`.
        let state = sent
            .state
            .as_deref()
            .map(|state| state.trim().trim_start_matches("BR-").to_owned());
        let body = AddressBody {
            street: sent.street.clone(),
            number: sent.number.clone(),
            complement: sent.complement.clone(),
            neighborhood: sent.district.clone(),
            city: sent.city.clone(),
            state,
            zip_code: sent.postal_code.clone(),
            latitude: sent.latitude,
            longitude: sent.longitude,
        };
        let before = self.errors.len();
        let address = self.address(&path, &body, Need::Visit);
        for error in self.errors.iter_mut().skip(before) {
            error.pointer = standard_pointer(&error.pointer);
        }
        address
    }

    fn load(&mut self, sent: &DeliveryRequest) -> (Requirements, String) {
        let root = Path::Root;
        let path = root.member("vehicle");
        let vehicle = sent.vehicle.clone().unwrap_or_default();
        self.present(&path, sent.vehicle.is_some());
        let kinds = vehicle.kinds.unwrap_or_default();
        let container = vehicle.container.map(|name| name.trim().to_owned());
        if sent.vehicle.is_some() {
            self.present(&path.member("type"), !kinds.is_empty());
            self.one_of(
                &path.member("container"),
                container.as_ref(),
                &["NORMAL", "THERMIC"],
                true,
            );
        }
        self.has_at_most(
            &path.member("type"),
            kinds.len(),
            bounds::REQUESTED_VEHICLES,
        );
        self.present(&root.member("totalWeight"), sent.total_weight.is_some());
        let mut distinct: Vec<String> = Vec::new();
        for kind in kinds.into_iter().take(*bounds::REQUESTED_VEHICLES.end()) {
            if !distinct.contains(&kind) {
                distinct.push(kind);
            }
        }
        let body = SetRequirements {
            vehicle: Some(distinct),
            weight_grams: self.known(
                &root.member("totalWeight"),
                sent.total_weight,
                bounds::TOTAL_WEIGHT_G,
            ),
            volume_millilitres: self.volume(&root.member("packageVolume"), sent.package_volume),
            packages: self.known(
                &root.member("packageQuantity"),
                sent.package_quantity,
                bounds::PACKAGE_QUANTITY,
            ),
            ..SetRequirements::default()
        };
        let before = self.errors.len();
        let mut requirements = self.requirements_in(&root, Some(&body), cubic_metres);
        requirements.equipment.thermic = container.as_deref() == Some("THERMIC");
        for error in self.errors.iter_mut().skip(before) {
            error.pointer = standard_pointer(&error.pointer);
        }
        (requirements, container.unwrap_or_default())
    }

    /// Reads a number, of which 0 means that it is unknown.
    fn known(
        &mut self,
        path: &Path<'_>,
        sent: Option<f64>,
        bounds: RangeInclusive<u32>,
    ) -> Option<f64> {
        self.integer(path, sent, bounds)
            .filter(|number| *number != 0)
            .map(f64::from)
    }

    /// Reads a volume in cubic metres. Returns millilitres, or `None` if it is unknown.
    fn volume(&mut self, path: &Path<'_>, sent: Option<f64>) -> Option<f64> {
        let cubic = sent?;
        let (min, max) = bounds::PACKAGE_VOLUME_M3.into_inner();
        if !(f64::from(min)..=f64::from(max)).contains(&cubic) {
            let en = format!(
                "Expected a volume in cubic metres, from {min} to {max}. One litre is 0.001."
            );
            let pt = format!(
                "Esperado um volume em metros cúbicos, de {min} a {max}. Um litro é 0.001."
            );
            self.reject(path, "out_of_range", en, pt);
            return None;
        }
        Some((cubic * 1e6).round()).filter(|millilitres| *millilitres != 0.0)
    }

    /// Reads an amount, rounded to centavos.
    fn price(&mut self, path: &Path<'_>, sent: Option<&Price>) -> Option<Money> {
        let Some(sent) = sent else {
            self.required(path);
            return None;
        };
        self.one_of(
            &path.member("currency"),
            sent.currency.as_ref(),
            &["BRL"],
            true,
        );
        let value = path.member("value");
        self.present(&value, sent.value.is_some());
        self.value(
            &value,
            sent.value.map(|value| (value * 100.0).round() / 100.0),
        )
    }

    /// Reads the amount due and its method. `None` if the order is already paid.
    fn payments(&mut self, sent: Option<&DeliveryPayments>) -> Option<(Money, Payment)> {
        let sent = sent?;
        let root = Path::Root;
        let path = root.member("payments");
        let method = self.one_of(
            &path.member("method"),
            sent.method.as_ref(),
            &["ONLINE", "OFFLINE"],
            false,
        );
        if method != Some("OFFLINE") {
            return None;
        }
        let list = path.member("offlineMethod");
        let offline = sent.offline_method.as_deref().unwrap_or_default();
        self.present(&list, !offline.is_empty());
        self.has_at_most(&list, offline.len(), bounds::OFFLINE_PAYMENTS);
        let (mut due, mut parts) = (Money::ZERO, Vec::new());
        for (at, payment) in offline
            .iter()
            .take(*bounds::OFFLINE_PAYMENTS.end())
            .enumerate()
        {
            let item = list.item(at);
            let amount = self
                .price(&item.member("amount"), payment.amount.as_ref())
                .unwrap_or_default();
            due = due.plus(amount);
            let names = [
                "CREDIT",
                "DEBIT",
                "MEAL_VOUCHER",
                "FOOD_VOUCHER",
                "PIX",
                "CASH",
                "CREDIT_DEBIT",
                "OTHER",
            ];
            let method =
                match self.one_of(&item.member("type"), payment.kind.as_ref(), &names, true) {
                    Some("PIX") => PaymentMethod::Pix,
                    Some("CASH" | "OTHER") => PaymentMethod::Cash,
                    _ => PaymentMethod::CardMachine,
                };
            // Cash is one handover, whatever the number of lines.
            match parts.iter_mut().find(|part: &&mut PaymentPart| {
                method == PaymentMethod::Cash && part.method == method
            }) {
                Some(cash) => cash.amount = cash.amount.plus(amount),
                None => parts.push(PaymentPart {
                    method,
                    amount,
                    change_for: None,
                }),
            }
        }
        // Systems list the methods that they offer, with 0 for those that the recipient does not
        // use.
        if due > Money::ZERO {
            parts.retain(|part| part.amount > Money::ZERO);
        }
        let change_path = path.member("change");
        let change = sent
            .change
            .as_ref()
            .and_then(|change| self.price(&change_path, Some(change)));
        if let Some(change) = change.filter(|change| *change > Money::ZERO) {
            match parts
                .iter_mut()
                .find(|part| part.method == PaymentMethod::Cash)
            {
                Some(cash) => cash.change_for = Some(cash.amount.plus(change)),
                None => {
                    let en = "Only a payment in cash needs change. Omit this field, or send a payment of the type CASH.";
                    let pt = "Só pagamento em dinheiro tem troco. Não envie este campo ou envie um pagamento do tipo CASH.";
                    self.reject(&change_path, "not_applicable", en, pt);
                }
            }
        }
        Some((due, Payment::of(parts)?))
    }

    /// Reads the phone number and the instructions for the courier, which contain a number that is
    /// not a personal one.
    fn recipient_contact(&mut self, sent: &DeliveryRequest) -> (Option<Phone>, Option<String>) {
        let root = Path::Root;
        let special = self.text(
            &root.member("specialInstructions"),
            sent.special_instructions.as_ref(),
            bounds::INSTRUCTIONS,
        );
        let address = root.member("deliveryAddress");
        let given = sent.delivery_address.as_ref();
        let reference = given.and_then(|given| {
            self.text(
                &address.member("reference"),
                given.reference.as_ref(),
                bounds::ADDRESS_NOTE,
            )
        });
        let own = given.and_then(|given| {
            self.text(
                &address.member("instructions"),
                given.instructions.as_ref(),
                bounds::ADDRESS_NOTE,
            )
        });
        // It applies to a pickup, and has no effect here.
        given.and_then(|given| {
            self.text(
                &address.member("pickupLocation"),
                given.pickup_location.as_ref(),
                bounds::ADDRESS_NOTE,
            )
        });
        let given = sent
            .vehicle
            .as_ref()
            .and_then(|vehicle| vehicle.instruction.as_ref());
        let transport = self.text(
            &root.member("vehicle").member("instruction"),
            given,
            bounds::INSTRUCTIONS,
        );
        let (phone, shared) = self.customer_phone(sent);
        (
            phone,
            instructions([special, transport, own, reference, shared]),
        )
    }

    /// Reads the phone number, or the line that the courier reads instead: a shared number with the
    /// code of the recipient, or a text that is no telephone number.
    fn customer_phone(&mut self, sent: &DeliveryRequest) -> (Option<Phone>, Option<String>) {
        let number = sent.customer_phone.as_ref();
        let code = one_line(sent.customer_phone_localizer.as_deref().unwrap_or_default());
        if code.is_empty() {
            return self
                .recipient_phone(&Path::Root.member("customerPhone"), number)
                .split(PHONE);
        }
        let number = one_line(number.map(String::as_str).unwrap_or_default());
        let text: String = format!("{PHONE}: {number}, código {code}")
            .chars()
            .take(*bounds::NOTE.end())
            .collect();
        (None, (!number.is_empty()).then_some(text))
    }

    /// Reads the instructions for the pickup. How the goods are transported is read there and with
    /// the delivery.
    fn pickup_instructions(&mut self, sent: &DeliveryRequest) -> Option<String> {
        let transport = sent
            .vehicle
            .as_ref()
            .and_then(|vehicle| vehicle.instruction.as_deref());
        let transport = transport
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned);
        let Some(sent) = sent.pickup_address.as_ref() else {
            return transport;
        };
        let root = Path::Root;
        let path = root.member("pickupAddress");
        let texts = [
            ("pickupLocation", &sent.pickup_location),
            ("instructions", &sent.instructions),
            ("reference", &sent.reference),
        ];
        let [location, own, reference] = texts
            .map(|(name, text)| self.text(&path.member(name), text.as_ref(), bounds::ADDRESS_NOTE));
        instructions([transport, location, own, reference])
    }
}

/// Returns the pointer of a field in the standard's terms.
pub fn standard_pointer(pointer: &str) -> String {
    const NAMES: [(&str, &str); 7] = [
        ("/zipCode", "/postalCode"),
        ("/neighborhood", "/district"),
        ("/requirements/vehicle", "/vehicle/type"),
        ("/requirements/weightGrams", "/totalWeight"),
        ("/requirements/volumeMillilitres", "/packageVolume"),
        ("/requirements/packages", "/packageQuantity"),
        ("/deliveries/0/address", "/deliveryAddress"),
    ];
    NAMES
        .iter()
        .fold(pointer.to_owned(), |pointer, (own, standard)| {
            pointer.replace(own, standard)
        })
}

#[cfg(test)]
mod tests;

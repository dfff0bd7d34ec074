//! What the price of a route is calculated from, as far as an order must agree with its quote.

use serde::{Deserialize, Serialize};

use super::{Inquiry, Returns};
use crate::{
    geo::names::plain,
    model::{
        Address, Distance, Located, Point, Text, Timestamp, Vehicle, Zone, fingerprint,
        order::{DeliveryWindow, Place},
        store::Settle,
    },
    route::Pin,
};

/// The parts of a request, and of what is known about it, that determine its price. The tariff is
/// not among them, because a quote keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceBasis {
    pickup: BasisPlace,
    /// The offset of local time from UTC, by which the tariff's windows apply.
    utc_offset_hours: i32,
    stops: Vec<BasisStop>,
    best_route: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deliver_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vehicle: Option<Vehicle>,
    /// The length of the route, if a leg follows from the texts of two addresses. An edited text
    /// must not make it longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    near_metres: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BasisStop {
    place: BasisPlace,
    online_payment: bool,
    /// Whether the courier brings something back, if it does not follow from `online_payment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    returns: Option<bool>,
    /// Whether the preview named the payment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_stated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pin: Option<Pin>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<DeliveryWindow>,
}

/// An address with its location. One of both must agree: an edited text can have the same location,
/// and a text can get another location when a geocoder fails or the operator installs addresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BasisPlace {
    text: String,
    point: Point,
}

/// A part in which an order differs from its quote. Stops are identified by their index in the
/// order sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuoteDifference {
    /// The store.
    Store,
    /// The location of the pickup.
    Pickup,
    /// The state of the pickup, which determines the local time.
    PickupState,
    /// The number of stops.
    StopCount,
    /// The location of a stop.
    Address(usize),
    /// Whether a stop is already paid, on which the way back depends.
    Payment(usize),
    /// Whether the courier brings something back after a stop that is not paid.
    Returns(usize),
    /// The position to which a stop is pinned in the best route.
    Pin(usize),
    /// The window of a stop.
    Window(usize),
    /// Whether the stops are sorted into the best route.
    BestRoute,
    /// The requested time of delivery.
    DeliverAt,
    /// The kind of vehicle.
    Vehicle,
}

impl QuoteDifference {
    /// Returns the JSON pointer to the field in the order.
    pub fn pointer(self) -> String {
        match self {
            QuoteDifference::Store => "/store/userPlatformId".to_owned(),
            QuoteDifference::Pickup => "/pickupAddress".to_owned(),
            QuoteDifference::PickupState => "/pickupAddress/state".to_owned(),
            QuoteDifference::StopCount => "/deliveries".to_owned(),
            QuoteDifference::Address(stop) => format!("/deliveries/{stop}/address"),
            QuoteDifference::Payment(stop) => format!("/deliveries/{stop}/onlinePayment"),
            QuoteDifference::Returns(stop) => format!("/deliveries/{stop}/payment"),
            QuoteDifference::Pin(stop) => format!("/deliveries/{stop}/pin"),
            QuoteDifference::Window(stop) => format!("/deliveries/{stop}/window"),
            QuoteDifference::BestRoute => "/sortByBestRoute".to_owned(),
            QuoteDifference::DeliverAt => "/deliverAt".to_owned(),
            QuoteDifference::Vehicle => "/requirements".to_owned(),
        }
    }

    /// Returns what differs, as sentences.
    pub fn detail(self) -> Text {
        let (en, pt) = match self {
            QuoteDifference::Store => (
                "The quote is for another store.",
                "A cotação é de outra loja.",
            ),
            QuoteDifference::Pickup => (
                "The quote is for a pickup elsewhere.",
                "A cotação é de uma coleta em outro lugar.",
            ),
            QuoteDifference::PickupState => (
                "The quote is for a pickup in a state with another local time.",
                "A cotação é de uma coleta em um estado com outro horário local.",
            ),
            QuoteDifference::StopCount => (
                "The quote is for another number of deliveries.",
                "A cotação é de outro número de entregas.",
            ),
            QuoteDifference::Address(_) => (
                "The quote is for an address elsewhere. The order of the deliveries counts.",
                "A cotação é de um endereço em outro lugar. A ordem das entregas conta.",
            ),
            QuoteDifference::Payment(_) | QuoteDifference::Returns(_) => (
                "The quote is for a delivery with another payment, which changes the way back.",
                "A cotação é de uma entrega com outro pagamento, o que muda a volta.",
            ),
            QuoteDifference::Pin(_) => ("The quote has another pin.", "A cotação tem outro pin."),
            QuoteDifference::Window(_) => (
                "The quote has another window.",
                "A cotação tem outra janela.",
            ),
            QuoteDifference::BestRoute => (
                "The quote has another sortByBestRoute.",
                "A cotação tem outro sortByBestRoute.",
            ),
            QuoteDifference::DeliverAt => (
                "The quote is for another time of delivery.",
                "A cotação é de outro horário de entrega.",
            ),
            QuoteDifference::Vehicle => (
                "The quote is for another kind of vehicle.",
                "A cotação é de outro tipo de veículo.",
            ),
        };
        Text::new(en, pt)
    }
}

impl PriceBasis {
    /// Builds the basis of a valid inquiry. `located` are its stops, in the order sent; `zone`
    /// determines the local time, `settle` whether cash comes back.
    pub fn new(
        inquiry: &Inquiry,
        pickup: &Place,
        located: &[Located],
        (zone, settle): (Zone, Settle),
    ) -> PriceBasis {
        let stops = inquiry
            .stops
            .iter()
            .zip(located)
            .map(|(stop, located)| BasisStop {
                place: BasisPlace::new(&stop.address, located),
                online_payment: stop.online_payment,
                returns: Some(stop.returns.applies(settle))
                    .filter(|returns| *returns == stop.online_payment),
                is_stated: !matches!(stop.returns, Returns::Unstated) && !stop.online_payment,
                pin: stop.pin.filter(|_| inquiry.best_route),
                window: stop.window,
            });
        PriceBasis {
            pickup: BasisPlace::new(&pickup.address, &pickup.located),
            utc_offset_hours: zone.offset_hours(),
            stops: stops.collect(),
            best_route: inquiry.best_route,
            deliver_at: inquiry.deliver_at,
            vehicle: inquiry.vehicle,
            near_metres: None,
        }
    }

    /// Sets the length of a route with a leg that follows from the texts of two addresses.
    #[must_use]
    pub fn with_near(self, distance: Distance) -> PriceBasis {
        PriceBasis {
            near_metres: Some(distance.metres()),
            ..self
        }
    }

    /// Adopts the way back of an inquiry whose quote has this basis, where the preview only said
    /// that a stop is not paid. Its price then contains the way back, whatever the method is that
    /// the order names. `Returns` that the order says itself are kept.
    pub fn complete(&self, inquiry: &mut Inquiry, says: impl Fn(usize) -> bool) {
        if self.stops.len() != inquiry.stops.len() {
            return;
        }
        for (at, (quoted, stop)) in self.stops.iter().zip(&mut inquiry.stops).enumerate() {
            let is_unstated = !quoted.is_stated && !quoted.online_payment;
            if is_unstated && !stop.online_payment && !says(at) {
                stop.returns = Returns::Unstated;
            }
        }
    }

    fn returns(&self) -> bool {
        self.stops.iter().any(BasisStop::returns)
    }

    /// Returns the parts in which an order of this length differs, in the order of its fields.
    pub(super) fn differences(
        &self,
        order: &PriceBasis,
        distance: Distance,
    ) -> Vec<QuoteDifference> {
        let mut found = Vec::new();
        let is_longer = self
            .near_metres
            .is_some_and(|quoted| distance.metres() > quoted);
        let moved = |quoted: &BasisPlace, sent: &BasisPlace| {
            !quoted.agrees(sent) || is_longer && quoted.text != sent.text
        };
        let mut check = |differs: bool, difference| found.extend(differs.then_some(difference));
        check(moved(&self.pickup, &order.pickup), QuoteDifference::Pickup);
        check(
            self.utc_offset_hours != order.utc_offset_hours,
            QuoteDifference::PickupState,
        );
        check(
            self.stops.len() != order.stops.len(),
            QuoteDifference::StopCount,
        );
        // With another number of stops, it is unknown which were added or removed.
        let same_count = self.stops.len() == order.stops.len();
        // The route closes at the pickup if anything comes back, whatever and from where.
        let returned = self.returns() != order.returns();
        for (at, (quoted, sent)) in self
            .stops
            .iter()
            .zip(&order.stops)
            .enumerate()
            .filter(|_| same_count)
        {
            check(
                moved(&quoted.place, &sent.place),
                QuoteDifference::Address(at),
            );
            check(
                returned && quoted.returns() != sent.returns(),
                if quoted.online_payment == sent.online_payment {
                    QuoteDifference::Returns(at)
                } else {
                    QuoteDifference::Payment(at)
                },
            );
            check(
                quoted.pin != sent.pin && self.best_route && order.best_route,
                QuoteDifference::Pin(at),
            );
            check(quoted.window != sent.window, QuoteDifference::Window(at));
        }
        check(
            self.best_route != order.best_route,
            QuoteDifference::BestRoute,
        );
        check(
            self.deliver_at != order.deliver_at,
            QuoteDifference::DeliverAt,
        );
        check(self.vehicle != order.vehicle, QuoteDifference::Vehicle);
        found
    }
}

impl BasisStop {
    fn returns(&self) -> bool {
        self.returns.unwrap_or(!self.online_payment)
    }
}

impl BasisPlace {
    fn new(address: &Address, located: &Located) -> BasisPlace {
        BasisPlace {
            text: text(address),
            point: located.point,
        }
    }

    fn agrees(&self, other: &BasisPlace) -> bool {
        self.point == other.point || self.text == other.text
    }
}

/// Returns a digest of the parts of an address that can determine its location. The complement,
/// case, accents and punctuation cannot.
fn text(address: &Address) -> String {
    let folded = |part: &Option<String>| plain(part.as_deref().unwrap_or_default());
    let parts = [
        &address.street,
        &address.number,
        &address.neighborhood,
        &address.city,
        &address.state,
    ]
    .map(folded);
    let cep = address
        .cep()
        .map_or_else(String::new, |cep| cep.number().to_string());
    let point = address.point.map_or_else(String::new, |point| {
        format!("{} {}", point.lat_e7, point.lon_e7)
    });
    let parts: Vec<&[u8]> = parts
        .iter()
        .chain([&cep, &point])
        .map(String::as_bytes)
        .collect();
    let mut digest = fingerprint(&parts);
    // 128 bits, so that a quote of 50 stops stays below the limit of its length.
    digest.truncate(32);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{geo, model::Precision, rules::pricing::InquiryStop};

    fn address() -> Address {
        let text = |text: &str| Some(text.to_owned());
        Address {
            street: text("Rua Augusta"),
            number: text("1508"),
            city: text("São Paulo"),
            state: text("SP"),
            ..Address::default()
        }
    }

    fn at(lat_e7: i32) -> Located {
        Located {
            point: Point {
                lat_e7,
                lon_e7: -466_000_000,
            },
            precision: Precision::Number,
            radius_m: 15,
        }
    }

    fn inquiry() -> Inquiry {
        let stop = || InquiryStop {
            address: address(),
            online_payment: true,
            returns: Returns::Never,
            pin: None,
            window: None,
        };
        Inquiry {
            store: None,
            pickup: None,
            stops: vec![stop(), stop()],
            best_route: false,
            with_times: false,
            preparation_minutes: 0,
            deliver_at: None,
            vehicle: None,
            max_fee: None,
        }
    }

    /// Returns the differences after an edit of the request and of the locations of the pickup and
    /// the stops.
    fn after(edit: impl Fn(&mut Inquiry, &mut Place, &mut Vec<Located>)) -> Vec<QuoteDifference> {
        let basis = |edit: &dyn Fn(&mut Inquiry, &mut Place, &mut Vec<Located>)| {
            let (mut inquiry, mut located) = (inquiry(), vec![at(-235_500_000), at(-235_600_000)]);
            let mut pickup = Place {
                address: address(),
                located: at(-235_700_000),
            };
            edit(&mut inquiry, &mut pickup, &mut located);
            let zone = geo::zone(&pickup.address).unwrap_or_default();
            PriceBasis::new(&inquiry, &pickup, &located, (zone, Settle::PerOrder))
        };
        basis(&|_, _, _| ()).differences(&basis(&edit), Distance(0))
    }

    #[test]
    fn edits_of_the_text_at_the_same_location_agree() {
        let edit =
            |edit: fn(&mut Address)| after(|inquiry, _, _| edit(&mut inquiry.stops[1].address));
        assert_eq!(
            edit(|address| address.complement = Some("ap. 12".to_owned())),
            []
        );
        assert_eq!(
            edit(|address| address.neighborhood = Some("Consolação".to_owned())),
            []
        );
        assert_eq!(
            edit(|address| address.zip_code = Some("01304-001".to_owned())),
            []
        );
        assert_eq!(
            edit(|address| address.street = Some("RUA AUGUSTA".to_owned())),
            []
        );
        assert_eq!(edit(|address| address.number = Some("1510".to_owned())), []);
    }

    #[test]
    fn same_text_agrees_at_another_location_unless_coordinates_were_sent() {
        assert_eq!(after(|_, _, located| located[0] = at(-235_500_001)), []);
        let edited = |edit: fn(&mut Address)| {
            after(move |inquiry, _, located| {
                edit(&mut inquiry.stops[0].address);
                located[0] = at(-235_500_001);
            })
        };
        assert_eq!(
            edited(|address| address.street = Some("rua  AUGUSTA ".to_owned())),
            []
        );
        assert_eq!(
            edited(|address| address.complement = Some("fundos".to_owned())),
            []
        );
        assert_eq!(
            edited(|address| address.number = Some("9".to_owned())),
            [QuoteDifference::Address(0)]
        );
        assert_eq!(
            edited(|address| address.point = Some(at(-235_500_001).point)),
            [QuoteDifference::Address(0)]
        );
    }

    #[test]
    fn every_part_that_determines_the_price_is_named() {
        let moved = |_: &mut Inquiry, pickup: &mut Place, _: &mut Vec<Located>| {
            pickup.located = at(-1);
            pickup.address.number = Some("1".to_owned());
        };
        assert_eq!(after(moved), [QuoteDifference::Pickup]);
        let other_state = |_: &mut Inquiry, pickup: &mut Place, _: &mut Vec<Located>| {
            pickup.address.state = Some("AM".to_owned())
        };
        assert_eq!(after(other_state), [QuoteDifference::PickupState]);
        assert_eq!(
            after(|inquiry, _, _| inquiry.stops.truncate(1)),
            [QuoteDifference::StopCount]
        );
        assert_eq!(
            after(|inquiry, _, _| {
                inquiry.stops[1].online_payment = false;
                inquiry.stops[1].returns = Returns::Unstated;
            }),
            [QuoteDifference::Payment(1)]
        );
        let window = DeliveryWindow {
            from: Timestamp::from_millis(1),
            until: Timestamp::from_millis(2),
        };
        assert_eq!(
            after(|inquiry, _, _| inquiry.stops[0].window = Some(window)),
            [QuoteDifference::Window(0)]
        );
        assert_eq!(
            after(|inquiry, _, _| inquiry.best_route = true),
            [QuoteDifference::BestRoute]
        );
        let later = Some(Timestamp::from_millis(3));
        assert_eq!(
            after(|inquiry, _, _| inquiry.deliver_at = later),
            [QuoteDifference::DeliverAt]
        );
        assert_eq!(
            after(|inquiry, _, _| inquiry.vehicle = Some(Vehicle::Car)),
            [QuoteDifference::Vehicle]
        );
        let swapped = |inquiry: &mut Inquiry, _: &mut Place, located: &mut Vec<Located>| {
            inquiry.stops[1].address.number = Some("2".to_owned());
            located.reverse();
        };
        assert_eq!(
            after(swapped),
            [QuoteDifference::Address(1)],
            "the first stop has the quoted text"
        );
    }

    #[test]
    fn text_that_made_an_address_near_must_not_make_it_farther() {
        let basis = |number: &str| {
            let mut inquiry = inquiry();
            inquiry.stops[1].address.number = Some(number.to_owned());
            let pickup = Place {
                address: address(),
                located: at(-235_500_000),
            };
            PriceBasis::new(
                &inquiry,
                &pickup,
                &[at(-235_500_000), at(-235_500_000)],
                (Zone::default(), Settle::PerOrder),
            )
        };
        let quoted = basis("1508").with_near(Distance(500));
        assert_eq!(
            quoted.differences(&basis("9000"), Distance(7_492)),
            [QuoteDifference::Address(1)]
        );
        assert_eq!(quoted.differences(&basis("1504"), Distance(500)), []);
        assert_eq!(
            quoted.differences(&basis("1508"), Distance(501)),
            [],
            "the distance changed, but no text"
        );
        assert_eq!(
            basis("1508").differences(&basis("9000"), Distance(20_000)),
            [],
            "no text counted"
        );
    }

    /// All payments of two stops, with the stores that settle in either way.
    #[test]
    fn quote_breaks_only_if_the_route_closes_in_one_of_both() {
        let kinds = [
            (true, Returns::Never),
            (false, Returns::Never),
            (false, Returns::WithCash),
            (false, Returns::Always),
            (false, Returns::Unstated),
        ];
        let basis = |paid: [(bool, Returns); 2], settle| {
            let mut inquiry = inquiry();
            for (stop, (online_payment, returns)) in inquiry.stops.iter_mut().zip(paid) {
                stop.online_payment = online_payment;
                stop.returns = returns;
            }
            let pickup = Place {
                address: address(),
                located: at(-235_700_000),
            };
            let located = [at(-235_500_000), at(-235_600_000)];
            (
                PriceBasis::new(&inquiry, &pickup, &located, (Zone::default(), settle)),
                inquiry,
            )
        };
        let all = |settle| {
            kinds
                .iter()
                .flat_map(move |first| kinds.map(|second| ([*first, second], settle)))
        };
        for (quoted, quoted_settle) in Settle::ALL.iter().flat_map(|one| all(*one)) {
            for (sent, settle) in Settle::ALL.iter().flat_map(|one| all(*one)) {
                let closes = |stops: [(bool, Returns); 2], settle| {
                    stops.iter().any(|(_, returns)| returns.applies(settle))
                };
                let (quote, _) = basis(quoted, quoted_settle);
                let (order, mut inquiry) = basis(sent, settle);
                let found = quote.differences(&order, Distance(0));
                let differs = closes(quoted, quoted_settle) != closes(sent, settle);
                assert_eq!(!found.is_empty(), differs, "{quoted:?} {sent:?}");
                let is_payment = |one: &QuoteDifference| {
                    matches!(
                        one,
                        QuoteDifference::Payment(_) | QuoteDifference::Returns(_)
                    )
                };
                assert!(found.iter().all(is_payment), "{found:?}");
                // An order adopts the way back of a preview that named no payment.
                quote.complete(&mut inquiry, |_| false);
                for ((stop, quoted), (is_paid, returns)) in
                    inquiry.stops.iter().zip(quoted).zip(sent)
                {
                    let adopts = quoted.1 == Returns::Unstated && !is_paid;
                    let expected = if adopts { Returns::Unstated } else { returns };
                    assert_eq!(stop.returns, expected);
                }
            }
        }
    }

    #[test]
    fn pin_without_best_route_has_no_effect() {
        assert_eq!(
            after(|inquiry, _, _| inquiry.stops[0].pin = Some(Pin::Last)),
            []
        );
        let pinned = |inquiry: &mut Inquiry, _: &mut Place, _: &mut Vec<Located>| {
            inquiry.best_route = true;
            inquiry.stops[0].pin = Some(Pin::Last);
        };
        assert_eq!(after(pinned), [QuoteDifference::BestRoute]);
    }

    #[test]
    fn every_difference_has_a_pointer_and_a_detail() {
        let pointers = [
            QuoteDifference::Store,
            QuoteDifference::Pickup,
            QuoteDifference::PickupState,
            QuoteDifference::StopCount,
            QuoteDifference::Address(3),
            QuoteDifference::Payment(0),
            QuoteDifference::Returns(0),
            QuoteDifference::Pin(0),
            QuoteDifference::Window(0),
            QuoteDifference::BestRoute,
            QuoteDifference::DeliverAt,
            QuoteDifference::Vehicle,
        ]
        .map(QuoteDifference::pointer);
        assert_eq!(pointers[4], "/deliveries/3/address");
        assert!(pointers.iter().all(|pointer| pointer.starts_with('/')));
        let Text { en, pt } = QuoteDifference::Address(3).detail();
        assert!(en.contains("address") && pt.contains("endereço"));
    }
}

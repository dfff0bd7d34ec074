//! What an operator must know about stored work.

use crate::{
    model::{Duration, Figures, Fleet, Text},
    rules::matching::Dispatch,
};

/// The age from which a due transition or push is overdue. Passes run every few seconds.
pub const TOLERANCE: Duration = Duration::seconds(60);
/// Number of late orders up to which their share is not judged.
const FEW_ORDERS: u64 = 4;

/// A figure with its judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Name in responses.
    pub name: &'static str,
    /// The value.
    pub value: u64,
    /// What to do if the value is bad.
    pub advice: Option<Text>,
}

/// Judges figures. Each value is judged independently, and only by what an operator can change.
/// `waiting` is the number of orders that have searched for longer than the limit of dispatch.
pub fn judge(figures: &Figures, fleet: &Fleet, waiting: u64, config: &Dispatch) -> Vec<Judged> {
    let mut judged = judge_orders(figures, fleet, waiting, config);
    judged.extend(judge_couriers(fleet, config));
    judged.extend([
        one(
            "overduePushes",
            figures.overdue_pushes,
            figures.overdue_pushes > 0,
            "Pushes to couriers are overdue. Check that the server can reach push services on the internet.",
            "Há notificações push a entregadores vencidas. Verifique se o servidor alcança os serviços de push na internet.",
        ),
        good("queuedMessages", figures.queued_messages),
        good("inactiveWebhooks", figures.inactive_webhooks),
        one(
            "roughStores",
            figures.rough_stores,
            figures.rough_stores > 0,
            "Stores are located only by their municipality, so their prices are estimates. Install the addresses of their cities \
             (`despacho places install`), or connect a geocoder; then save the stores' addresses again, or save them with coordinates.",
            "Há lojas localizadas somente pelo município, e os preços delas são estimativas. Instale os endereços das cidades \
             (`despacho places install`) ou conecte um geocodificador; depois, salve de novo o endereço das lojas ou salve-o com coordenadas.",
        ),
    ]);
    judged
}

fn judge_orders(figures: &Figures, fleet: &Fleet, waiting: u64, config: &Dispatch) -> Vec<Judged> {
    let at_work = fleet.available + fleet.on_trip;
    let limit = config.wait_limit_minutes;
    let (english, portuguese) = match fleet.available {
        0 => (
            "No courier is available: activate more couriers.",
            "Nenhum entregador está disponível: ative mais entregadores.",
        ),
        _ => (
            "Couriers are available, but not for these orders: the dispatch of each order shows who is in reach and why the order is open.",
            "Há entregadores disponíveis, mas não para esses pedidos: o despacho de cada pedido mostra quem está ao alcance e por que ele continua em aberto.",
        ),
    };
    vec![
        good("openOrders", figures.open_orders),
        one(
            "lateOrders",
            figures.late_orders,
            figures.late_orders > FEW_ORDERS && figures.late_orders * 5 > figures.open_orders,
            "More than 20 % of the open orders are late. Activate more couriers, or raise the tariff's times.",
            "Mais de 20 % dos pedidos em aberto estão atrasados. Ative mais entregadores ou aumente os tempos da tarifa.",
        ),
        one(
            "searchingOrders",
            figures.searching_orders,
            figures.searching_orders > 0 && at_work == 0,
            "Orders are searching, and no courier is available. Couriers must become available.",
            "Há pedidos procurando entregador e nenhum entregador disponível. Peça que entregadores fiquem disponíveis.",
        ),
        one(
            "waitingOrders",
            waiting,
            waiting > 0,
            &format!(
                "Ready orders have searched for a courier for more than {limit} minutes. {english}"
            ),
            &format!(
                "Há pedidos prontos procurando entregador há mais de {limit} minutos. {portuguese}"
            ),
        ),
        one(
            "overdueOrders",
            figures.overdue_orders,
            figures.overdue_orders > 0,
            "Timed transitions are overdue. Check that dispatch passes run: the server's log, or the task that calls POST \
             /admin/dispatch.",
            "Há transições por tempo vencidas. Verifique se as passagens do despacho rodam: o log do servidor ou a tarefa que \
             chama POST /admin/dispatch.",
        ),
    ]
}

fn judge_couriers(fleet: &Fleet, config: &Dispatch) -> Vec<Judged> {
    let (age, overdue) = (config.max_position_age_minutes, config.stuck_after_minutes);
    vec![
        good("availableCouriers", fleet.available),
        good("busyCouriers", fleet.on_trip),
        one(
            "stuckCouriers",
            fleet.stuck,
            fleet.stuck > 0,
            &format!(
                "Couriers on a trip are stuck: the next step is overdue by more than {overdue} minutes, and dispatch does not \
                 count on them. Call the courier; for one who waits at a store, call the store, which can give the code or \
                 waive the return."
            ),
            &format!(
                "Há entregadores parados em viagem: o próximo passo está atrasado há mais de {overdue} minutos, e o despacho \
                 não conta com eles. Ligue para o entregador; se ele espera na loja, ligue para a loja, que pode informar o \
                 código ou dispensar a devolução."
            ),
        ),
        one(
            "unresponsiveCouriers",
            fleet.unresponsive,
            fleet.unresponsive > 0,
            &format!(
                "Couriers on duty have not reported for more than {age} minutes, and get no orders. Ask them to open the app \
                 and permit the location, or make those who have stopped working unavailable."
            ),
            &format!(
                "Há entregadores em serviço sem contato há mais de {age} minutos, e eles não recebem pedidos. Peça que abram o \
                 app e permitam a localização, ou torne indisponível quem já parou de trabalhar."
            ),
        ),
    ]
}

fn one(name: &'static str, value: u64, is_bad: bool, english: &str, portuguese: &str) -> Judged {
    Judged {
        name,
        value,
        advice: is_bad.then(|| Text::new(english, portuguese)),
    }
}

fn good(name: &'static str, value: u64) -> Judged {
    one(name, value, false, "", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(figures: Figures, fleet: Fleet, waiting: u64) -> Vec<&'static str> {
        let judged = judge(&figures, &fleet, waiting, &Dispatch::default());
        judged
            .iter()
            .filter(|judged| judged.advice.is_some())
            .map(|judged| judged.name)
            .collect()
    }

    #[test]
    fn idle_deployment_is_good() {
        assert_eq!(bad(Figures::default(), Fleet::default(), 0), [""; 0]);
        let figures = Figures {
            open_orders: 900,
            late_orders: 180,
            inactive_webhooks: 7,
            ..Figures::default()
        };
        assert_eq!(
            bad(
                figures,
                Fleet {
                    available: 3,
                    on_trip: 9,
                    ..Fleet::default()
                },
                0
            ),
            [""; 0]
        );
    }

    #[test]
    fn each_bad_value_has_advice() {
        let orders = |figures| bad(figures, Fleet::default(), 0);
        assert_eq!(
            orders(Figures {
                open_orders: 20,
                late_orders: 5,
                ..Figures::default()
            }),
            ["lateOrders"]
        );
        assert_eq!(
            orders(Figures {
                open_orders: 4,
                late_orders: 4,
                ..Figures::default()
            }),
            [""; 0]
        );
        assert_eq!(
            orders(Figures {
                overdue_orders: 1,
                overdue_pushes: 1,
                ..Figures::default()
            }),
            ["overdueOrders", "overduePushes"]
        );
        assert_eq!(
            orders(Figures {
                rough_stores: 1,
                ..Figures::default()
            }),
            ["roughStores"]
        );
        let searching = Figures {
            searching_orders: 1,
            ..Figures::default()
        };
        assert_eq!(orders(searching), ["searchingOrders"]);
        for at_work in [
            Fleet {
                available: 1,
                ..Fleet::default()
            },
            Fleet {
                on_trip: 1,
                ..Fleet::default()
            },
        ] {
            assert_eq!(bad(searching, at_work, 0), [""; 0]);
            assert_eq!(bad(searching, at_work, 1), ["waitingOrders"]);
        }
    }

    #[test]
    fn stuck_and_unresponsive_couriers_do_not_count_as_available() {
        let searching = Figures {
            searching_orders: 1,
            ..Figures::default()
        };
        let fleet = Fleet {
            stuck: 1,
            unresponsive: 2,
            ..Fleet::default()
        };
        assert_eq!(
            bad(searching, fleet, 0),
            ["searchingOrders", "stuckCouriers", "unresponsiveCouriers"]
        );
    }
}

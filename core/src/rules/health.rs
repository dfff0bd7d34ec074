//! What an operator must know about stored work.

use crate::model::{Duration, Figures, Text};

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
pub fn judge(figures: &Figures) -> Vec<Judged> {
    let one = |name, value, is_bad: bool, english: &str, portuguese: &str| Judged {
        name,
        value,
        advice: is_bad.then(|| Text::new(english, portuguese)),
    };
    let good = |name, value| one(name, value, false, "", "");
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
            figures.searching_orders > 0 && figures.available_couriers == 0,
            "Orders are searching, and no courier is available. Couriers must become available.",
            "Há pedidos procurando entregador e nenhum entregador disponível. Peça que entregadores fiquem disponíveis.",
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
        good("availableCouriers", figures.available_couriers),
        good("busyCouriers", figures.busy_couriers),
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
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(figures: Figures) -> Vec<&'static str> {
        judge(&figures).iter().filter(|judged| judged.advice.is_some()).map(|judged| judged.name).collect()
    }

    #[test]
    fn idle_deployment_is_good() {
        assert_eq!(bad(Figures::default()), [""; 0]);
        assert_eq!(
            bad(Figures { open_orders: 900, late_orders: 180, inactive_webhooks: 7, ..Figures::default() }),
            [""; 0]
        );
    }

    #[test]
    fn each_bad_value_has_advice() {
        assert_eq!(bad(Figures { open_orders: 20, late_orders: 5, ..Figures::default() }), ["lateOrders"]);
        assert_eq!(bad(Figures { open_orders: 4, late_orders: 4, ..Figures::default() }), [""; 0]);
        assert_eq!(bad(Figures { searching_orders: 1, ..Figures::default() }), ["searchingOrders"]);
        assert_eq!(bad(Figures { searching_orders: 1, available_couriers: 1, ..Figures::default() }), [""; 0]);
        assert_eq!(
            bad(Figures { overdue_orders: 1, overdue_pushes: 1, ..Figures::default() }),
            ["overdueOrders", "overduePushes"]
        );
        assert_eq!(bad(Figures { rough_stores: 1, ..Figures::default() }), ["roughStores"]);
    }
}

/** The texts of the page for the health of the service. */

import { translated } from "../../i18n/language";

const en = {
  title: "Health",
  lead: "The figures of the service, read again every 10 seconds while this page is visible.",
  good: "Everything works",
  bad: (n: number) => (n === 1 ? "1 figure needs attention" : `${n} figures need attention`),
  badOverall: "The service needs attention",
  at: (time: string) => `Read at ${time}`,
  old: "The figures could not be read again. They may be outdated.",
  attention: "Needs attention",
  ok: "Good",
  figures: "Figures",
  names: {
    openOrders: "Open orders",
    lateOrders: "Late orders",
    searchingOrders: "Orders searching for a courier",
    waitingOrders: "Ready orders searching for too long",
    overdueOrders: "Orders with overdue changes",
    availableCouriers: "Available couriers",
    busyCouriers: "Couriers on a trip",
    stuckCouriers: "Stuck couriers",
    unresponsiveCouriers: "Unresponsive couriers",
    overduePushes: "Overdue pushes to couriers",
    queuedMessages: "Queued webhook messages",
    inactiveWebhooks: "Stopped webhooks",
    roughStores: "Stores with estimated prices",
  } as Record<string, string>,
};

const pt: typeof en = {
  title: "Saúde",
  lead: "Os números do serviço, lidos de novo a cada 10 segundos enquanto esta página está visível.",
  good: "Tudo funciona",
  bad: (n) => (n === 1 ? "1 número precisa de atenção" : `${n} números precisam de atenção`),
  badOverall: "O serviço precisa de atenção",
  at: (time) => `Lido às ${time}`,
  old: "Não foi possível ler os números de novo. Eles podem estar desatualizados.",
  attention: "Precisa de atenção",
  ok: "Em ordem",
  figures: "Números",
  names: {
    openOrders: "Pedidos em aberto",
    lateOrders: "Pedidos atrasados",
    searchingOrders: "Pedidos em busca de entregador",
    waitingOrders: "Pedidos prontos há muito tempo em busca de entregador",
    overdueOrders: "Pedidos com mudanças em atraso",
    availableCouriers: "Entregadores disponíveis",
    busyCouriers: "Entregadores em viagem",
    stuckCouriers: "Entregadores parados",
    unresponsiveCouriers: "Entregadores sem contato",
    overduePushes: "Notificações push em atraso",
    queuedMessages: "Mensagens de webhook na fila",
    inactiveWebhooks: "Webhooks parados",
    roughStores: "Lojas com preços estimados",
  },
};

export const healthTexts = translated(en, pt);

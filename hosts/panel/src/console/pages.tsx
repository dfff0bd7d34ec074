/** The console's pages, in the order of the menu. Each line adds a page; the first is the start page. */

import type { FunctionComponent } from "preact";
import { lazy } from "../ui/lazy";
import type { PageProps } from "./page-props";
import { consoleTexts } from "./texts";

interface PageEntry {
  /** The first segment of the route. */
  name: string;
  label: () => string;
  Page: FunctionComponent<PageProps>;
}

const page = (
  name: string,
  label: () => string,
  load: () => Promise<FunctionComponent<PageProps>>,
): PageEntry => ({ name, label, Page: lazy(load) });

export const PAGES: readonly PageEntry[] = [
  page(
    "map",
    () => consoleTexts.value.nav.map,
    () => import("./pages/map").then((module) => module.MapPage),
  ),
  page(
    "orders",
    () => consoleTexts.value.nav.orders,
    () => import("./pages/orders").then((module) => module.OrdersPage),
  ),
  page(
    "stores",
    () => consoleTexts.value.nav.stores,
    () => import("./pages/stores").then((module) => module.StoresPage),
  ),
  page(
    "couriers",
    () => consoleTexts.value.nav.couriers,
    () => import("./pages/couriers").then((module) => module.CouriersPage),
  ),
  page(
    "tariffs",
    () => consoleTexts.value.nav.tariffs,
    () => import("./pages/tariffs").then((module) => module.TariffsPage),
  ),
  page(
    "pay",
    () => consoleTexts.value.nav.pay,
    () => import("./pages/pay").then((module) => module.PayPage),
  ),
  page(
    "dispatch",
    () => consoleTexts.value.nav.dispatch,
    () => import("./pages/dispatch").then((module) => module.DispatchPage),
  ),
  page(
    "changes",
    () => consoleTexts.value.nav.changes,
    () => import("./pages/changes").then((module) => module.ChangesPage),
  ),
  page(
    "health",
    () => consoleTexts.value.nav.health,
    () => import("./pages/health").then((module) => module.HealthPage),
  ),
];

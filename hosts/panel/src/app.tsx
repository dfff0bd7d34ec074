/** The panel: session, menu, connection status and the current page. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sessions } from "./api/client";
import { startAttention, unread } from "./attention";
import { online } from "./api/http";
import { streaming } from "./api/stream";
import { texts } from "./i18n";
import { accessTexts } from "./i18n/access";
import { startLiveUpdates } from "./live";
import { BalancePage } from "./pages/balance";
import { CreatePage } from "./pages/create";
import { KeysPage } from "./pages/keys";
import { LoginPage } from "./pages/login";
import { NotificationsPage } from "./pages/notifications";
import { OrderPage } from "./pages/order";
import { OrdersPage } from "./pages/orders";
import { SettingsPage } from "./pages/settings";
import { NewStorePage, StoresPage } from "./pages/stores";
import { WebhookPage } from "./pages/webhook";
import { WebhooksPage } from "./pages/webhooks";
import { sendWaiting } from "./ready";
import { parts } from "./router";
import { isOwner, loadStore, logOut, session, store } from "./session";
import { helpOpen, startShortcuts } from "./shortcuts";
import { Frame, type MenuEntry } from "./ui/frame";
import { LanguageSwitch } from "./ui/language";
import { lazy } from "./ui/lazy";
import { Failure, Loading } from "./ui/parts";
import { Reconfirm, askForConfirmation } from "./ui/reconfirm";
import { Toasts, notify } from "./ui/toast";

const ImportPage = lazy(() => import("./pages/import").then((module) => module.ImportPage));
const StoreDataPage = lazy(() =>
  import("./pages/store-data").then((module) => module.StoreDataPage),
);
const ReportsPage = lazy(() => import("./pages/reports").then((module) => module.ReportsPage));
const CashPage = lazy(() => import("./pages/cash").then((module) => module.CashPage));
const AccessPage = lazy(() => import("./pages/access").then((module) => module.AccessPage));
const PasswordPage = lazy(() => import("./pages/password").then((module) => module.PasswordPage));
const Help = lazy(() => import("./ui/help").then((module) => module.Help), 0);
askForConfirmation();
const loadError = signal<unknown>(null);

export function App() {
  const key = session.value?.key;
  // Orders are loaded by day, which depends on the store's time zone.
  const storeId = store.value?.id;
  useEffect(() => {
    if (key !== undefined && storeId === undefined) void load();
  }, [key, storeId]);
  useEffect(() => {
    if (key === undefined || storeId === undefined) return;
    const stop = startLiveUpdates();
    const stopAttention = startAttention();
    return () => {
      stop();
      stopAttention();
    };
  }, [key, storeId]);

  return (
    <>
      {parts.value[0] === "password" ? (
        <PasswordPage code={parts.value[1] ?? ""} />
      ) : key === undefined ? (
        <LoginPage />
      ) : (
        <PanelFrame />
      )}
      <Toasts />
      <Reconfirm
        field={{ pointer: "/currentPassword", label: accessTexts.value.password }}
        text={accessTexts.value.confirm.text}
        confirm={sessions.confirm}
      />
    </>
  );
}

async function load(): Promise<void> {
  const own = session.value;
  try {
    loadError.value = null;
    await loadStore();
  } catch (error) {
    if (session.value === own) loadError.value = error;
  }
}

function PanelFrame() {
  const t = texts.value;
  useEffect(startShortcuts, []);
  const account = (
    <>
      {store.value !== null && <p class="account-name">{store.value.name}</p>}
      <LanguageSwitch />
      <button
        type="button"
        class="link help-button"
        aria-keyshortcuts="?"
        onClick={() => (helpOpen.value = true)}
      >
        {t.nav.shortcuts}
      </button>
      <button
        type="button"
        class="button small"
        onClick={() =>
          void sendWaiting()
            .then(logOut)
            .then((revoked) => revoked || notify(t.nav.outUnconfirmed))
        }
      >
        {t.nav.out}
      </button>
    </>
  );
  return (
    <>
      <Frame entries={menu()} status={<ConnectionStatus />} account={account} banner={t.net.banner}>
        {store.value !== null ? (
          <CurrentPage />
        ) : loadError.value !== null ? (
          <Failure error={loadError.value} retry={() => void load()} />
        ) : (
          <Loading />
        )}
      </Frame>
      {helpOpen.value && <Help />}
    </>
  );
}

function CurrentPage() {
  const [page, id] = parts.value;
  switch (page) {
    case "orders":
      if (id === "import") return <ImportPage />;
      return id === "new" ? (
        <CreatePage />
      ) : id === undefined ? (
        <OrdersPage />
      ) : (
        <OrderPage key={id} id={Number(id)} />
      );
    case "notifications":
      return <NotificationsPage />;
    case "stores":
      if (id === "edit") return <StoreDataPage />;
      return id === "new" ? <NewStorePage /> : <StoresPage />;
    case "keys":
      return <KeysPage />;
    case "webhooks":
      return id === undefined ? <WebhooksPage /> : <WebhookPage key={id} id={Number(id)} />;
    case "access":
      return <AccessPage />;
    case "settings":
      return <SettingsPage />;
    case "cash":
      return <CashPage />;
    case "balance":
      return <BalancePage />;
    case "reports":
      return <ReportsPage />;
    default:
      return <OrdersPage />;
  }
}

/** The pages that a clerk cannot use. */
const OWNERS_PAGES = new Set<string>(["stores", "keys", "webhooks", "balance", "reports"]);

function menu(): MenuEntry[] {
  const t = texts.value.nav;
  const groups: [string, MenuEntry[]][] = [
    [
      t.work,
      [
        { to: "orders", label: t.orders },
        { to: "orders/new", label: t.create },
        { to: "cash", label: t.cash },
        { to: "notifications", label: t.notifications, count: unread.value },
      ],
    ],
    [
      t.store,
      [
        { to: "reports", label: t.reports },
        { to: "balance", label: t.balance },
        { to: "stores", label: t.stores },
        { to: "access", label: t.access },
        { to: "settings", label: t.settings },
      ],
    ],
    [
      t.integration,
      [
        { to: "keys", label: t.keys },
        { to: "webhooks", label: t.webhooks },
      ],
    ],
  ];
  return groups.flatMap(([group, all]) => {
    const [first, ...others] = all.filter(({ to }) => isOwner.value || !OWNERS_PAGES.has(to));
    return first === undefined ? [] : [{ ...first, group }, ...others];
  });
}

function ConnectionStatus() {
  const t = texts.value.net;
  const [kind, text] = !online.value
    ? ["off", t.offline]
    : streaming.value
      ? ["live", t.live]
      : ["poll", t.polling];
  return <span class={`connection ${kind}`}>{text}</span>;
}

/** The layout of every page: session, menu and connection status. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { startAttention, unread } from "./attention";
import { online } from "./api/http";
import { streaming } from "./api/stream";
import { language, setLanguage, texts } from "./i18n";
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
import { parts, route } from "./router";
import { isOwner, loadStore, logOut, session, store } from "./session";
import { helpOpen, startShortcuts } from "./shortcuts";
import { lazy } from "./ui/lazy";
import { Failure, Loading } from "./ui/parts";
import { Toasts, notify } from "./ui/toast";

const menuOpen = signal(false);
const ImportPage = lazy(() => import("./pages/import").then((module) => module.ImportPage));
const AccessPage = lazy(() => import("./pages/access").then((module) => module.AccessPage));
const PasswordPage = lazy(() => import("./pages/password").then((module) => module.PasswordPage));
const Help = lazy(() => import("./ui/help").then((module) => module.Help), 0);
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
      {parts.value[0] === "password" ? <PasswordPage code={parts.value[1] ?? ""} /> : key === undefined ? <LoginPage /> : <Frame />}
      <Toasts />
    </>
  );
}

async function load(): Promise<void> {
  try {
    loadError.value = null;
    await loadStore();
  } catch (error) {
    loadError.value = error;
  }
}

function Frame() {
  const t = texts.value;
  const main = useRef<HTMLElement>(null);
  const isFirstPage = useRef(true);
  useEffect(() => {
    menuOpen.value = false;
    // Focusing the title makes screen readers announce the new page. The first page keeps the browser's focus.
    if (isFirstPage.current) isFirstPage.current = false;
    // A form focuses its first field.
    else (main.current?.querySelector<HTMLElement>("[data-first] input") ?? main.current?.querySelector<HTMLElement>("#title"))?.focus();
    scrollTo(0, 0);
  }, [route.value]);
  useEffect(startShortcuts, []);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
        {t.skip}
      </a>
      <Sidebar />
      <main id="main" ref={main} tabIndex={-1}>
        {!online.value && (
          <p class="banner" role="alert">
            {t.net.banner}
          </p>
        )}
        {store.value !== null ? <CurrentPage /> : loadError.value !== null ? <Failure error={loadError.value} retry={() => void load()} /> : <Loading />}
      </main>
      {helpOpen.value && <Help />}
    </div>
  );
}

function CurrentPage() {
  const [page, id] = parts.value;
  switch (page) {
    case "orders":
      if (id === "import") return <ImportPage />;
      return id === "new" ? <CreatePage /> : id === undefined ? <OrdersPage /> : <OrderPage key={id} id={Number(id)} />;
    case "notifications":
      return <NotificationsPage />;
    case "stores":
      return id === "new" ? <NewStorePage /> : <StoresPage />;
    case "keys":
      return <KeysPage />;
    case "webhooks":
      return id === undefined ? <WebhooksPage /> : <WebhookPage key={id} id={Number(id)} />;
    case "access":
      return <AccessPage />;
    case "settings":
      return <SettingsPage />;
    case "balance":
      return <BalancePage />;
    default:
      return <OrdersPage />;
  }
}

/** The pages that a clerk cannot use. */
const OWNERS_PAGES = new Set<string>(["stores", "keys", "webhooks", "balance"]);

function Sidebar() {
  const t = texts.value;
  const path = parts.value.join("/");
  const all = [
    ["orders", t.nav.orders, 0],
    ["orders/new", t.nav.create, 0],
    ["notifications", t.nav.notifications, unread.value],
    ["stores", t.nav.stores, 0],
    ["keys", t.nav.keys, 0],
    ["webhooks", t.nav.webhooks, 0],
    ["balance", t.nav.balance, 0],
    ["access", t.nav.access, 0],
    ["settings", t.nav.settings, 0],
  ] as const;
  const entries = all.filter(([to]) => isOwner.value || !OWNERS_PAGES.has(to));
  const current = entries.map(([to]) => to).filter((to) => path === to || path.startsWith(`${to}/`)).at(-1) ?? "orders";
  return (
    <header class="side">
      <div class="brand">
        <a class="name" href="#/orders">
          <img src="./icon.svg" alt="" width="24" height="24" />
          {t.product}
        </a>
        <ConnectionStatus />
        <button
          type="button"
          class="button menu-button"
          aria-expanded={menuOpen.value}
          aria-controls="menu"
          onClick={() => (menuOpen.value = !menuOpen.value)}
        >
          {t.menu}
          {unread.value > 0 && <span class="count">{unread.value}</span>}
        </button>
      </div>
      <div id="menu" class={menuOpen.value ? "menu open" : "menu"}>
        <nav aria-label={t.nav.main}>
          <ul>
            {entries.map(([to, label, count]) => (
              <li key={to}>
                <a href={`#/${to}`} aria-current={to === current ? "page" : undefined} onClick={() => (menuOpen.value = false)}>
                  {label}
                  {count > 0 && (
                    <span class="count">
                      {count} <span class="unseen">{t.notifications.unread}</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account">
          {store.value !== null && <p class="account-name">{store.value.name}</p>}
          <LanguageSwitch />
          <button type="button" class="link help-button" aria-keyshortcuts="?" onClick={() => (helpOpen.value = true)}>{t.nav.shortcuts}</button>
          <button type="button" class="button small" onClick={() => void logOut().then((revoked) => revoked || notify(t.nav.outUnconfirmed))}>
            {t.nav.out}
          </button>
        </div>
      </div>
    </header>
  );
}

function ConnectionStatus() {
  const t = texts.value.net;
  const [kind, text] = !online.value ? ["off", t.offline] : streaming.value ? ["live", t.live] : ["poll", t.polling];
  return <span class={`connection ${kind}`}>{text}</span>;
}

export function LanguageSwitch() {
  return (
    <div class="languages" role="group" aria-label={texts.value.language}>
      {(["pt", "en"] as const).map((one) => (
        <button
          key={one}
          type="button"
          class="link"
          lang={one}
          aria-pressed={language.value === one}
          onClick={() => setLanguage(one)}
        >
          {one === "pt" ? "Português" : "English"}
        </button>
      ))}
    </div>
  );
}

/** The layout around the pages: menu, account and connection status. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { online } from "../api/http";
import { texts } from "../i18n";
import { path } from "../router";
import { notificationTexts } from "../i18n/notifications";

const menuOpen = signal(false);

export interface MenuEntry {
  /** The route, without a leading slash. */
  to: string;
  label: string;
  count?: number;
  /** The title above this entry and the following ones. */
  group?: string;
}

interface Props {
  /** The first entry is the start page. */
  entries: readonly MenuEntry[];
  status: ComponentChildren;
  account: ComponentChildren;
  /** The warning while the server is unreachable. */
  banner: string;
  children: ComponentChildren;
}

export function Frame(props: Props) {
  const t = texts.value;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    menuOpen.value = false;
  }, [path.value]);
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t.skip}
      </a>
      <Sidebar {...props} />
      <main id="main" ref={main} tabIndex={-1}>
        {!online.value && (
          <p class="banner" role="alert">
            {props.banner}
          </p>
        )}
        {props.children}
      </main>
    </div>
  );
}

function Sidebar(props: Props) {
  const t = texts.value;
  const { entries } = props;
  const home = entries[0]?.to;
  const current =
    entries
      .map(({ to }) => to)
      .filter((to) => path.value === to || path.value.startsWith(`${to}/`))
      .at(-1) ?? home;
  const total = entries.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return (
    <header class="side">
      <div class="brand">
        <a class="name" href={`#/${home}`}>
          <img src="./icon.svg" alt="" width="24" height="24" />
          {t.product}
        </a>
        {props.status}
        <button
          type="button"
          class="button menu-button"
          aria-expanded={menuOpen.value}
          aria-controls="menu"
          onClick={() => (menuOpen.value = !menuOpen.value)}
        >
          {t.menu}
          {total > 0 && <span class="count">{total}</span>}
        </button>
      </div>
      <div id="menu" class={menuOpen.value ? "menu open" : "menu"}>
        <nav aria-label={t.nav.main}>
          <ul>
            {entries.map(({ to, label, group, count = 0 }) => (
              <li key={to}>
                {group !== undefined && <p class="menu-group">{group}</p>}
                <a
                  href={`#/${to}`}
                  aria-current={to === current ? "page" : undefined}
                  onClick={() => (menuOpen.value = false)}
                >
                  {label}
                  {count > 0 && (
                    <span class="count">
                      {count} <span class="unseen">{notificationTexts.value.unread}</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account">{props.account}</div>
      </div>
    </header>
  );
}

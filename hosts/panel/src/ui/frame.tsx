/** The layout around the pages: menu, account and connection status. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { online } from "../api/http";
import { texts } from "../i18n";
import { go, path } from "../router";
import { FIRST_FIELD } from "./field";

const menuOpen = signal(false);

export interface MenuEntry {
  /** The route, without a leading slash. */
  to: string;
  label: string;
  count?: number;
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

/** What a page focuses instead of its title, until another page is opened. */
let requested: { path: string; selector: string } | undefined;

/** Opens a page, by its path without a leading slash, and focuses an element of it instead of its title. */
export function goAndFocus(page: string, selector: string): void {
  requested = { path: page, selector };
  go(`/${page}`);
}

/** Focuses what was requested, or the first field of a form, or the title, which makes screen readers announce the page. Returns whether it exists. */
function focusPage(main: HTMLElement, selector: string | undefined): boolean {
  const find = (one: string) => main.querySelector<HTMLElement>(one);
  const target = selector !== undefined ? find(selector) : (find(FIRST_FIELD) ?? find("#title"));
  target?.focus();
  return target !== null;
}

export function Frame(props: Props) {
  const t = texts.value;
  const main = useRef<HTMLElement>(null);
  const isFirstPage = useRef(true);
  useEffect(() => {
    menuOpen.value = false;
    scrollTo(0, 0);
    const { current } = main;
    const selector = requested?.path === path.value ? requested.selector : undefined;
    requested = undefined;
    // The first page keeps the browser's focus.
    if (isFirstPage.current || current === null) {
      isFirstPage.current = false;
      return;
    }
    if (focusPage(current, selector)) return;
    // The page is still being loaded.
    const observer = new MutationObserver(() => {
      if (focusPage(current, selector)) observer.disconnect();
    });
    observer.observe(current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [path.value]);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
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
  const current = entries.map(({ to }) => to).filter((to) => path.value === to || path.value.startsWith(`${to}/`)).at(-1) ?? home;
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
            {entries.map(({ to, label, count = 0 }) => (
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
          {props.account}
        </div>
      </div>
    </header>
  );
}

/** Keyboard shortcuts. Those of one character never interrupt typing and can be switched off. */

import { signal } from "@preact/signals";
import { go } from "./router";
import { goAndFocus } from "./ui/focus";

/** The pages that `g` and another key open. */
export const PAGES = {
  o: "orders",
  n: "notifications",
  s: "stores",
  k: "keys",
  w: "webhooks",
  b: "balance",
  r: "reports",
  u: "access",
  c: "settings",
} as const;

export const helpOpen = signal(false);

const STORAGE_KEY = "despacho.shortcuts";
/** The time between `g` and the second key. */
const SEQUENCE_MS = 1_500;

export const enabled = signal(readEnabled());

function readEnabled(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

export function setEnabled(on: boolean): void {
  enabled.value = on;
  try {
    localStorage.setItem(STORAGE_KEY, on ? "on" : "off");
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

/** The keys that send the form of a new order from any of its fields. They type nothing, so they are not switched off. */
export const SUBMIT_KEYS = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘ Enter" : "Ctrl + Enter";
export const isSubmit = (event: KeyboardEvent): boolean =>
  event.key === "Enter" &&
  (event.ctrlKey || event.metaKey) &&
  !event.repeat &&
  !event.isComposing &&
  // The dialog of the map is in the form.
  document.querySelector("dialog[open]") === null;

let prefixAt = -Infinity;

/** Starts the shortcuts and returns a function that stops them. */
export function startShortcuts(): () => void {
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.isComposing ||
    event.defaultPrevented ||
    isTyping(event.target)
  )
    return;
  if (document.querySelector("dialog[open]") !== null) return;
  const key = event.key.toLowerCase();
  const isSecond = event.timeStamp - prefixAt < SEQUENCE_MS;
  prefixAt = -Infinity;
  // Help also opens while the other shortcuts are switched off, because they are switched on there.
  if (key !== "?" && !enabled.value) return;
  if (!run(key, isSecond, event.timeStamp)) return;
  event.preventDefault();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}

/** Runs a shortcut and returns whether there is one. `pressedAt` is the `timeStamp` of the key's event. */
function run(key: string, isSecond: boolean, pressedAt: number): boolean {
  if (isSecond) {
    const page = key in PAGES ? PAGES[key as keyof typeof PAGES] : undefined;
    if (page !== undefined) go(`/${page}`);
    return page !== undefined;
  }
  if (key === "g") prefixAt = pressedAt;
  else if (key === "n") go("/orders/new");
  else if (key === "/") focusSearch();
  else if (key === "j") focusRow(1);
  else if (key === "k") focusRow(-1);
  else if (key === "p") return clickReady();
  else if (key === "?") helpOpen.value = true;
  else return false;
  return true;
}

/** Clicks the button of the focused order that marks it as ready, and returns whether there is one. */
function clickReady(): boolean {
  const row = document.activeElement?.closest("tr, .board-card");
  const button = row?.querySelector<HTMLElement>(".ready-button");
  button?.click();
  return button != null;
}

const SEARCH = "input[type=search]";

function focusSearch(): void {
  const field = document.querySelector<HTMLElement>(SEARCH);
  if (field !== null) field.focus();
  else goAndFocus("orders", SEARCH);
}

/** The row that a shortcut focused last. A row loses the focus when the list is sorted again. */
let lastRow: HTMLElement | null = null;

/** Moves the focus in the list; Enter then opens the focused row. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".row-link")];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const current = focused < 0 && lastRow !== null ? rows.indexOf(lastRow) : focused;
  const next = current < 0 ? 0 : Math.min(Math.max(current + step, 0), rows.length - 1);
  lastRow = rows[next] ?? null;
  lastRow?.focus();
}

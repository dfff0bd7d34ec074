/** What needs the clerk's attention: unread notifications and late orders. Sound and browser notifications are opt-in per device. */

import { computed, effect, signal } from "@preact/signals";
import { notifications } from "./api/client";
import type { Notification as Notice } from "./api/wire";
import { now } from "./clock";
import { alertCount } from "./context";
import { texts } from "./i18n";
import { lateness } from "./lateness";
import { lastEvent, loaded, rows } from "./live";
import { go } from "./router";
import { session } from "./session";
import { notify } from "./ui/toast";
import { attentionTexts } from "./i18n/attention";
import { notificationTexts } from "./i18n/notifications";
import { orderTexts } from "./i18n/order";

const STORAGE_KEY = "despacho.attention";

interface Options {
  sound: boolean;
  browser: boolean;
}

export const options = signal<Options>(readOptions());
export const unread = signal(0);
const lateIds = computed(() =>
  rows.value.filter((row) => lateness(row, now.value)?.kind === "late").map((row) => row.id),
);

// Unread notifications and late orders.
effect(() => {
  alertCount.value = session.value === null ? 0 : unread.value + lateIds.value.length;
});

function readOptions(): Options {
  try {
    return {
      sound: false,
      browser: false,
      ...(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<Options>),
    };
  } catch {
    return { sound: false, browser: false };
  }
}

export function setOptions(part: Partial<Options>): void {
  options.value = { ...options.value, ...part };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(options.value));
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

let audio: AudioContext | null = null;

/** Plays two short tones. Browsers play nothing before the user's first click or key on the page. */
export function playSound(): void {
  audio ??= new AudioContext();
  void audio.resume();
  for (const [at, pitch] of [
    [0, 660],
    [0.18, 880],
  ] as const) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = audio.currentTime + at;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.17);
  }
}

/** Signals something new. Screen readers always announce it; the browser shows it only while the panel is not in use. */
function alert(text: string, route: string): void {
  notify(text, "quiet");
  if (options.value.sound) playSound();
  if (
    !options.value.browser ||
    !("Notification" in window) ||
    Notification.permission !== "granted" ||
    document.hasFocus()
  )
    return;
  const shown = new Notification(texts.value.product, {
    body: text,
    tag: route,
    icon: "./icon.svg",
  });
  shown.onclick = () => {
    window.focus();
    go(route);
    shown.close();
  };
}

/** The newest notification that was counted; null before the first count, which signals nothing. */
let newestId: number | null = null;

/** Updates the number of unread notifications, and signals new ones. */
export async function countUnread(): Promise<void> {
  const own = session.value;
  try {
    const { notifications: all } = await notifications.list();
    if (session.value !== own) return;
    const open = all.filter((one) => one.readAt === null);
    unread.value = open.length;
    const before = newestId;
    newestId = Math.max(0, ...all.map((one) => one.id));
    const fresh = before === null ? undefined : open.find((one) => one.id > before);
    if (fresh !== undefined)
      alert(
        noticeText(fresh),
        fresh.orderId === null ? "/notifications" : `/orders/${fresh.orderId}`,
      );
  } catch {
    // The notifications page shows the error; the menu keeps the previous number.
  }
}

function noticeText(of: Notice): string {
  const text = notificationTexts.value.types[of.type] ?? notificationTexts.value.other;
  return of.orderCode ? `${orderTexts.value.title(of.orderCode)}: ${text}` : text;
}

const NOTIFYING: ReadonlySet<string> = new Set([
  "order.expired",
  "order.cancelled",
  "delivery.returning",
  "order.courier_at_return",
  "delivery.lost",
]);

/** Signals orders that become late, and returns a function that stops it. */
export function startAttention(): () => void {
  newestId = null;
  let known: ReadonlySet<number> | null = null;
  const stop = effect(() => {
    const ids = lateIds.value;
    // A list of another day can show late orders, which did not become late now.
    if (!loaded.value) known = null;
    if (!loaded.value) return;
    const fresh = known === null ? [] : ids.filter((id) => known?.has(id) === false);
    known = new Set(ids);
    const [order, ...others] = rows.peek().filter((row) => fresh.includes(row.id));
    if (order === undefined) return;
    const t = attentionTexts.peek();
    if (others.length > 0) alert(t.lateOrders(others.length + 1), "/orders");
    else alert(t.late(order.code), `/orders/${order.id}`);
  });
  // These events create notifications; the others are counted by the timer.
  const stopEvents = effect(() => {
    if (NOTIFYING.has(lastEvent.value?.type ?? "")) void countUnread();
  });
  void countUnread();
  const timer = setInterval(() => void countUnread(), 30_000);
  return () => {
    stop();
    stopEvents();
    clearInterval(timer);
    unread.value = 0;
  };
}

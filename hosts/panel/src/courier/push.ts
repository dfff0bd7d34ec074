/** Notices of new trips by Web Push. The messages have no content. */

import { signal } from "@preact/signals";
import { api } from "./api";

/** `off` until the courier allows notices; `unsupported` by the browser or the deployment. */
export const push = signal<"unsupported" | "off" | "on" | "denied">("unsupported");
let publicKey: string | null = null;

const isSupported = () =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** Determines the state, and sends a subscription again that the service may have lost. */
export async function checkPush(): Promise<void> {
  if (!isSupported()) return;
  publicKey = (await api.pushKey()).publicKey;
  if (publicKey === null) return;
  if (Notification.permission === "denied") {
    push.value = "denied";
    return;
  }
  const subscription = await (await navigator.serviceWorker.ready).pushManager.getSubscription();
  push.value = subscription === null ? "off" : "on";
  if (subscription !== null) await api.subscribe(subscription.endpoint);
}

/** Subscribes after a gesture, as browsers require. */
export async function enablePush(): Promise<void> {
  if (publicKey === null) return;
  if ((await Notification.requestPermission()) !== "granted") {
    push.value = "denied";
    return;
  }
  const worker = await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await api.subscribe(subscription.endpoint);
  push.value = "on";
}

export async function disablePush(): Promise<void> {
  if (!isSupported()) return;
  const subscription = await (
    await navigator.serviceWorker.getRegistration("/courier")
  )?.pushManager.getSubscription();
  if (subscription === null || subscription === undefined) return;
  await subscription.unsubscribe();
  push.value = "off";
  await api.unsubscribe(subscription.endpoint);
}

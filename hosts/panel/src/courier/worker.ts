/** The service worker: stores the app's files, so that it opens without a network, and shows notices of new trips. */

interface WorkerScope {
  addEventListener<T extends Event>(type: string, listener: (event: T) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(query: object): Promise<{ url: string; focus(): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  registration: ServiceWorkerRegistration;
  navigator: { language: string };
}
type Waitable = Event & { waitUntil(promise: Promise<unknown>): void };
type FetchEvent = Waitable & { request: Request; respondWith(response: Promise<Response>): void };
type ClickEvent = Waitable & { notification: Notification };

/** The app's files and a hash of them, inserted by the build. */
declare const __FILES__: string[];
declare const __VERSION__: string;

const worker = globalThis as unknown as WorkerScope;
const PAGE = "/courier";
const CONFIG = "/panel.json";
const CACHE = `courier-${__VERSION__}`;

worker.addEventListener<Waitable>("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) =>
        cache.addAll(
          [PAGE, CONFIG, ...__FILES__].map((path) => new Request(path, { cache: "no-cache" })),
        ),
      )
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener<Waitable>("activate", (event) => {
  const removeOthers = async () => {
    const names = (await caches.keys()).filter(
      (name) => name.startsWith("courier-") && name !== CACHE,
    );
    await Promise.all(names.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(removeOthers());
});

worker.addEventListener<FetchEvent>("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname === CONFIG)
    event.respondWith(fetch(request).catch(() => cached(CONFIG, request)));
  else if (url.pathname === PAGE && request.mode === "navigate")
    event.respondWith(cached(PAGE, request));
  else if (__FILES__.includes(url.pathname)) event.respondWith(cached(url.pathname, request));
});

async function cached(path: string, request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(path)) ?? fetch(request);
}

worker.addEventListener<Waitable>("push", (event) => {
  const isEnglish = /^en/i.test(worker.navigator.language);
  const [title, body] = isEnglish
    ? ["New trip", "Open the app to see it."]
    : ["Nova viagem", "Abra o app para ver."];
  event.waitUntil(
    worker.registration.showNotification(title, {
      body,
      tag: "trip",
      icon: "/courier-192.png",
      badge: "/courier-192.png",
    }),
  );
});

worker.addEventListener<ClickEvent>("notificationclick", (event) => {
  event.notification.close();
  const open = async () => {
    const windows = await worker.clients.matchAll({ type: "window" });
    const own = windows.find((one) => new URL(one.url).pathname === PAGE);
    await (own === undefined ? worker.clients.openWindow(PAGE) : own.focus());
  };
  event.waitUntil(open());
});

import { useState } from "preact/hooks";
import { notifications } from "../api/client";
import { countUnread } from "../attention";
import type { Notification } from "../api/wire";
import { now } from "../clock";
import { date, day } from "../format";
import { texts } from "../i18n";
import { zone } from "../session";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { useLoad } from "../ui/load";
import { notifyError } from "../ui/toast";
import { notificationTexts } from "../i18n/notifications";
import { createTexts } from "../i18n/create";
import { addressTexts } from "../i18n/address";
import { orderTexts } from "../i18n/order";

interface LoadedNotifications {
  all: Notification[];
  cursor: string | null;
}

async function loadFirstPage(): Promise<LoadedNotifications> {
  const page = await notifications.list();
  return { all: page.notifications, cursor: page.nextCursor };
}

export function NotificationsPage() {
  const t = notificationTexts.value;
  const list = useLoad(loadFirstPage, []);
  const [busy, setBusy] = useState(false);
  const shown = list.value;
  const markRead = async (ones: readonly Notification[]) => {
    setBusy(true);
    try {
      for (const one of ones) await notifications.read(one.id);
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
      list.reload();
      void countUnread();
    }
  };
  const more = () => {
    if (shown?.cursor == null) return;
    notifications
      .list(shown.cursor)
      .then(
        (page) => list.set({ all: [...shown.all, ...page.notifications], cursor: page.nextCursor }),
        notifyError,
      );
  };
  const unread = shown?.all.filter((one) => one.readAt === null) ?? [];
  return (
    <Page
      title={t.title}
      aside={
        unread.length > 1 ? (
          <button
            type="button"
            class="button"
            aria-disabled={busy}
            onClick={() => void markRead(unread)}
          >
            {t.readAll}
          </button>
        ) : undefined
      }
    >
      <Loaded of={list}>
        {(found) =>
          found.all.length === 0 ? (
            <Empty text={t.empty} hint={t.emptyHint} />
          ) : (
            <>
              {groupByDay(found.all).map(([name, groups]) => (
                <section key={name} class="notice-day">
                  <h2>{dayName(name)}</h2>
                  <ul class="notices">
                    {groups.map((group) => (
                      <Group key={group[0]?.id} of={group} read={(ones) => void markRead(ones)} />
                    ))}
                  </ul>
                </section>
              ))}
              {found.cursor !== null && (
                <button type="button" class="button" onClick={more}>
                  {texts.value.common.more}
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Groups notifications, newest first, by day and then by order. */
function groupByDay(all: readonly Notification[]): [string, Notification[][]][] {
  const days = new Map<string, Map<string, Notification[]>>();
  for (const one of all) {
    const name = day(new Date(one.createdAt), zone.value);
    const groups = days.get(name) ?? new Map<string, Notification[]>();
    days.set(name, groups);
    // Notifications without an order have a group of their own.
    const key = one.orderCode || (one.orderId === null ? `#${one.id}` : String(one.orderId));
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...days].map(([name, groups]) => [name, [...groups.values()]]);
}

const DAY_MS = 86_400_000;

function dayName(name: string): string {
  const t = notificationTexts.value;
  if (name === day(new Date(now.value), zone.value)) return t.today;
  return name === day(new Date(now.value - DAY_MS), zone.value) ? t.yesterday : date(name);
}

/** The notifications of one order on one day. */
function Group(props: {
  of: readonly Notification[];
  read: (ones: readonly Notification[]) => void;
}) {
  const t = notificationTexts.value;
  const { of } = props;
  const first = of[0];
  const id = of.find((one) => one.orderId !== null)?.orderId ?? null;
  const code = first?.orderCode || null;
  const open = of.filter((one) => one.readAt === null);
  const isOrder = id !== null || first?.type === "order_creation_failed";
  return (
    <li class={`card notice-item${open.length > 0 ? " unread" : ""}`}>
      <div class="row between">
        <h3>
          {groupTitle(code, id, isOrder ? t.noCode : (t.types[first?.type ?? ""] ?? t.other))}
          {open.length > 0 && <span class="badge wait">{t.unread}</span>}
        </h3>
        {id !== null && <a href={`#/orders/${id}`}>{t.open}</a>}
      </div>
      <ul class="notice-lines">
        {of.map((one) => (
          <li key={one.id}>
            <span class="dim number">
              <When at={one.createdAt} />
            </span>
            <div>
              {isOrder && <p>{t.types[one.type] ?? t.other}</p>}
              {one.errors.length === 0 && one.detail !== null && <p class="dim">{one.detail}</p>}
              {one.errors.map((error) => (
                <p key={error.pointer + error.code} class="dim">
                  <span class="strong">{fieldName(error.pointer)}</span>: {error.detail}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {open.length > 0 && (
        <div class="row end">
          <button type="button" class="button small" onClick={() => props.read(open)}>
            {t.read}
          </button>
        </div>
      )}
    </li>
  );
}

function groupTitle(code: string | null, id: number | null, other: string): string {
  return code === null && id === null ? other : orderTexts.value.title(code ?? `#${id}`);
}

/** Returns a request field in words, or its pointer if it has no name. */
export function fieldName(pointer: string): string {
  const [create, address] = [createTexts.value, addressTexts.value];
  const names: Record<string, string> = {
    code: create.code,
    preparationTime: create.preparation,
    name: create.name,
    phone: create.phone,
    email: create.email,
    productValue: create.value,
    observation: create.observation,
    onlinePayment: create.online,
    store: create.from,
    pickupAddress: create.from,
    zipCode: address.zip,
    street: address.street,
    number: address.number,
    complement: address.complement,
    neighborhood: address.neighborhood,
    city: address.city,
    state: address.state,
    latitude: address.latitude,
    longitude: address.longitude,
  };
  const name = names[pointer.split("/").at(-1) ?? ""] ?? pointer;
  const delivery = /^\/deliveries\/(\d+)\//.exec(pointer);
  return delivery === null ? name : `${create.delivery(Number(delivery[1]) + 1)}, ${name}`;
}

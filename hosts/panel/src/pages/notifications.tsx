import { useState } from "preact/hooks";
import { notifications } from "../api/client";
import { countUnread } from "../app";
import type { Notification } from "../api/wire";
import { texts } from "../i18n";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { Table } from "../ui/table";
import { useLoad } from "../ui/load";
import { notifyError } from "../ui/toast";

interface LoadedNotifications {
  all: Notification[];
  cursor: string | null;
}

async function loadFirstPage(): Promise<LoadedNotifications> {
  const page = await notifications.list();
  return { all: page.notifications, cursor: page.nextCursor };
}

export function NotificationsPage() {
  const t = texts.value.notifications;
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
    notifications.list(shown.cursor).then((page) => list.set({ all: [...shown.all, ...page.notifications], cursor: page.nextCursor }), notifyError);
  };
  const unread = shown?.all.filter((one) => one.readAt === null) ?? [];
  return (
    <Page
      title={t.title}
      aside={unread.length > 1 ? <button type="button" class="button" aria-disabled={busy} onClick={() => void markRead(unread)}>{t.readAll}</button> : undefined}
    >
      <Loaded of={list}>
        {(found) =>
          found.all.length === 0 ? (
            <Empty text={t.empty} hint={t.emptyHint} />
          ) : (
            <>
              <ul class="notices">
                {found.all.map((one) => (
                  <Notice key={one.id} of={one} read={() => void markRead([one])} />
                ))}
              </ul>
              {found.cursor !== null && <button type="button" class="button" onClick={more}>{texts.value.common.more}</button>}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Notice(props: { of: Notification; read: () => void }) {
  const t = texts.value.notifications;
  const { of } = props;
  return (
    <li class={`card notice-item${of.readAt === null ? " unread" : ""}`}>
      <div class="row between">
        <h2>
          {t.types[of.type] ?? t.other}
          {of.readAt === null && <span class="badge wait">{t.unread}</span>}
        </h2>
        <span class="dim"><When at={of.createdAt} full /></span>
      </div>
      {(of.orderCode !== null || of.orderId !== null) && (
        <p>
          {texts.value.orders.code}: <strong>{of.orderCode === null || of.orderCode === "" ? t.noCode : of.orderCode}</strong>{" "}
          {of.orderId !== null && <a href={`#/orders/${of.orderId}`}>{t.open}</a>}
        </p>
      )}
      {of.errors.length === 0 && of.detail !== null && <p>{of.detail}</p>}
      {of.errors.length > 0 && (
        <Table
          label={t.types[of.type] ?? t.other}
          class="tight"
          rows={of.errors}
          id={(error) => error.pointer + error.code}
          columns={[
            { head: t.field, kind: "main", cell: (error) => <code>{error.pointer}</code> },
            { head: t.reason, cell: (error) => error.detail },
          ]}
        />
      )}
      <div class="row between">
        {of.code !== null ? <code class="dim">{of.code}</code> : <span />}
        {of.readAt === null && <button type="button" class="button small" onClick={props.read}>{t.read}</button>}
      </div>
    </li>
  );
}

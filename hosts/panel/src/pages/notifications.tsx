import { useState } from "preact/hooks";
import { notifications } from "../api/client";
import { countUnread } from "../app";
import type { Notification } from "../api/wire";
import { texts } from "../i18n";
import { Empty, Failure, Loading, Page, When } from "../ui/parts";
import { useLoad } from "../ui/load";
import { say } from "../ui/toast";

interface Shown {
  all: Notification[];
  cursor: string | null;
}

async function first(): Promise<Shown> {
  const page = await notifications.list();
  return { all: page.notifications, cursor: page.nextCursor };
}

export function NotificationsPage() {
  const t = texts.value.notifications;
  const list = useLoad(first, []);
  const [busy, setBusy] = useState(false);
  const shown = list.value;
  const fail = (error: unknown) => say(error instanceof Error ? error.message : String(error), "bad");
  const read = async (ones: readonly Notification[]) => {
    setBusy(true);
    try {
      for (const one of ones) await notifications.read(one.id);
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
      list.again();
      void countUnread();
    }
  };
  const more = () => {
    if (shown?.cursor == null) return;
    notifications.list(shown.cursor).then((page) => list.set({ all: [...shown.all, ...page.notifications], cursor: page.nextCursor }), fail);
  };
  const unread = shown?.all.filter((one) => one.readAt === null) ?? [];
  return (
    <Page
      title={t.title}
      aside={unread.length > 1 ? <button type="button" class="button" aria-disabled={busy} onClick={() => void read(unread)}>{t.readAll}</button> : undefined}
    >
      {shown === null ? (
        list.error !== null ? <Failure error={list.error} retry={list.again} /> : <Loading />
      ) : shown.all.length === 0 ? (
        <Empty text={t.empty} hint={t.emptyHint} />
      ) : (
        <>
          <ul class="notices">
            {shown.all.map((one) => (
              <Notice key={one.id} of={one} read={() => void read([one])} />
            ))}
          </ul>
          {shown.cursor !== null && <button type="button" class="button" onClick={more}>{texts.value.common.more}</button>}
        </>
      )}
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
        <div class="table-box flat">
          <table class="table tight">
            <thead>
              <tr><th scope="col">{t.field}</th><th scope="col">{t.why}</th></tr>
            </thead>
            <tbody>
              {of.errors.map((error) => (
                <tr key={error.pointer + error.code}>
                  <td class="main-cell"><code>{error.pointer}</code></td>
                  <td data-label={t.why}>{error.detail}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="row between">
        {of.code !== null ? <code class="dim">{of.code}</code> : <span />}
        {of.readAt === null && <button type="button" class="button small" onClick={props.read}>{t.read}</button>}
      </div>
    </li>
  );
}

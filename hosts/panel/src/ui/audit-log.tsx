/** The log of changes, newest first. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AuditEntry, AuditPage } from "../api/wire";
import { texts } from "../i18n";
import { accessTexts } from "../i18n/access";
import { useLoad } from "./load";
import { Empty, Loaded, When } from "./parts";
import { Table } from "./table";

interface Props {
  /** Must not change while the log is shown. */
  read: (cursor?: string) => Promise<AuditPage>;
  /** Names the store of an entry. Without it, the log has no column for the store. */
  storeName: ((id: number) => ComponentChildren) | null;
  /** Shows the ID of the changed object. */
  subject?: (entry: AuditEntry) => ComponentChildren;
  /** The page has the title of the log. */
  isPage?: boolean;
}

export function AuditLog(props: Props) {
  const t = accessTexts.value;
  const {
    read,
    storeName,
    subject = (entry) => (entry.subjectId === 0 ? "" : `#${entry.subjectId}`),
    isPage = false,
  } = props;
  const [older, setOlder] = useState<AuditEntry[]>([]);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const first = useLoad(() => read(), []);
  const cursor = next === undefined ? first.value?.nextCursor : next;
  const more = async () => {
    const page = await read(cursor ?? undefined);
    setOlder([...older, ...page.entries]);
    setNext(page.nextCursor);
  };
  const actor = (entry: AuditEntry) =>
    entry.actor.name ??
    (entry.actor.kind === "OPERATOR"
      ? t.operator
      : entry.actor.kind === "KEY"
        ? t.key
        : entry.actor.kind === "COURIER"
          ? `${t.courier} #${entry.actor.id}`
          : t.ownLogin);
  return (
    <section aria-label={t.log}>
      {!isPage && <h2>{t.log}</h2>}
      <Loaded of={first}>
        {(page) =>
          page.entries.length === 0 ? (
            <Empty text={t.logEmpty} />
          ) : (
            <>
              <Table
                label={t.log}
                rows={[...page.entries, ...older]}
                id={(entry) => entry.id}
                columns={[
                  {
                    head: t.what,
                    kind: "main",
                    cell: (entry) => (
                      <>
                        {t.actions[entry.action] ?? entry.action}
                        <span class="dim number"> {subject(entry)}</span>
                      </>
                    ),
                  },
                  { head: t.who, cell: actor },
                  storeName !== null
                    ? {
                        head: texts.value.common.store,
                        cell: (entry) => (entry.storeId === null ? "—" : storeName(entry.storeId)),
                      }
                    : null,
                  { head: t.when, cell: (entry) => <When at={entry.at} full /> },
                ]}
              />
              {cursor != null && (
                <p class="row">
                  <button
                    type="button"
                    class="button"
                    onClick={() => void more().catch(first.reload)}
                  >
                    {texts.value.common.more}
                  </button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

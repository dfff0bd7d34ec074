/** The list of versions: of the tariff or of pay plans. A version can be copied to the draft, and removed before its time of effect. */

import { useState } from "preact/hooks";
import { zone } from "../context";
import { dateTime, money } from "../format";
import { texts } from "../i18n";
import { go } from "../router";
import { Confirm } from "../ui/confirm";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { Table, actionsColumn } from "../ui/table";
import { notify } from "../ui/toast";
import { freeVersion } from "./tariffs/draft";
import { tariffTexts } from "./texts/tariffs";

const MAX_ROWS = 500;

/** What the versions of the tariff and of pay plans have in common. A version of the configuration has no ID and times. */
export interface Version {
  id: number | null;
  state: string;
  effectiveFrom: string | null;
  createdAt: string | null;
}

interface Found<T> {
  rows: T[];
  next: string | null;
}

interface Props<T extends Version> {
  texts: { title: string; lead: string; removeTitle: (name: string) => string; removed: string };
  /** The route of the draft. */
  draft: string;
  hasDraft: boolean;
  /** Creates an empty draft. */
  create?: { label: string; fill: () => void };
  empty?: { text: string; hint: string };
  read: (cursor?: string) => Promise<Found<T>>;
  versionOf: (row: T) => string;
  /** The heading and the text of the main column. */
  head: string;
  name: (row: T) => { title: string; note: string };
  amounts: readonly { head: string; of: (row: T) => number | string }[];
  /** Copies a version to the draft, with the version that it gets there. */
  copy: (row: T, version: string) => void;
  remove: (id: number) => Promise<unknown>;
}

export function Versions<T extends Version>(props: Props<T>) {
  const t = tariffTexts.value;
  const read = async (rows: T[], cursor?: string): Promise<Found<T>> => {
    const page = await props.read(cursor);
    return { rows: [...rows, ...page.rows], next: page.next };
  };
  const list = useLoad(() => read([]), []);
  const [open, setOpen] = useState<{ kind: "copy" | "remove"; row: T } | null>(null);
  const close = () => setOpen(null);
  const more = ({ rows, next }: Found<T>) =>
    void read(rows, next ?? undefined).then(list.set, list.reload);
  const copy = (row: T) => {
    const taken = (list.value?.rows ?? []).map(props.versionOf);
    props.copy(row, freeVersion(props.versionOf(row), taken));
    go(props.draft);
  };
  const { create } = props;
  const start = () => {
    create?.fill();
    go(props.draft);
  };
  return (
    <Page
      title={props.texts.title}
      lead={props.texts.lead}
      aside={
        props.hasDraft ? (
          <a class="button primary" href={`#${props.draft}`}>
            {t.continue}
          </a>
        ) : (
          create !== undefined && (
            <button type="button" class="button primary" onClick={start}>
              {create.label}
            </button>
          )
        )
      }
    >
      <Loaded of={list}>
        {(found) =>
          found.rows.length === 0 && props.empty !== undefined ? (
            <Empty text={props.empty.text} hint={props.empty.hint} />
          ) : (
            <>
              <Rows
                of={props}
                rows={found.rows}
                copy={(row) => (props.hasDraft ? setOpen({ kind: "copy", row }) : copy(row))}
                remove={(row) => setOpen({ kind: "remove", row })}
              />
              {found.next !== null && found.rows.length < MAX_ROWS && (
                <button type="button" class="button" onClick={() => more(found)}>
                  {texts.value.common.more}
                </button>
              )}
            </>
          )
        }
      </Loaded>
      {open?.kind === "copy" && (
        <Confirm
          title={t.copyTitle}
          text={t.copyText}
          submitLabel={t.copy}
          closeLabel={t.cancel}
          act={() => Promise.resolve()}
          done={() => copy(open.row)}
          close={close}
        />
      )}
      {open?.kind === "remove" && (
        <Confirm
          danger
          title={props.texts.removeTitle(props.versionOf(open.row))}
          text={t.removeText}
          submitLabel={t.remove}
          closeLabel={t.cancel}
          act={() => props.remove(open.row.id ?? 0)}
          done={() => {
            close();
            notify(props.texts.removed);
            list.reload();
          }}
          close={close}
        />
      )}
    </Page>
  );
}

const TONES: Record<string, string> = { SCHEDULED: "wait", CURRENT: "good" };

function Rows<T extends Version>(props: {
  of: Props<T>;
  rows: readonly T[];
  copy: (row: T) => void;
  remove: (row: T) => void;
}) {
  const t = tariffTexts.value;
  const { name, amounts, head } = props.of;
  return (
    <Table
      label={props.of.texts.title}
      rows={props.rows}
      id={(row) => row.id ?? "configured"}
      columns={[
        {
          head,
          kind: "main",
          cell: (row) => (
            <>
              <span class="strong break">{name(row).title}</span>
              <span class="sub">{name(row).note}</span>
            </>
          ),
        },
        {
          head: t.state,
          cell: (row) => (
            <span class={`badge ${TONES[row.state] ?? "calm"}`}>
              {t.states[row.state] ?? row.state}
            </span>
          ),
        },
        {
          head: t.start,
          cell: ({ effectiveFrom }) =>
            effectiveFrom === null ? t.always : <When at={effectiveFrom} full />,
        },
        ...amounts.map(({ head, of }) => ({
          head,
          right: true,
          class: "number",
          cell: (row: T) => money(Number(of(row))),
        })),
        actionsColumn<T>((row) => (
          <span class="row">
            <button
              type="button"
              class="button small"
              aria-label={`${t.copy}: ${name(row).title}`}
              onClick={() => props.copy(row)}
            >
              {t.copy}
            </button>
            {row.state === "SCHEDULED" && (
              <button
                type="button"
                class="button small"
                aria-label={`${t.remove}: ${name(row).title}`}
                onClick={() => props.remove(row)}
              >
                {t.remove}
              </button>
            )}
          </span>
        )),
      ]}
    />
  );
}

/** Returns the text about a version's creation. */
export const created = (at: string): string =>
  `${texts.value.common.created}: ${dateTime(at, zone.value)}`;

/** The versions of the tariff; `tariffs/draft` is the editor. */

import { useState } from "preact/hooks";
import type { TariffVersion } from "../../api/wire";
import { dateTime, money } from "../../format";
import { zone } from "../../context";
import { go } from "../../router";
import { Confirm } from "../../ui/confirm";
import { useLoad } from "../../ui/load";
import { Loaded, Page, When } from "../../ui/parts";
import { Table, actionsColumn } from "../../ui/table";
import { notify } from "../../ui/toast";
import { texts } from "../../i18n";
import type { PageProps } from "../page-props";
import { tariffs } from "../tariffs/api";
import { DRAFT, tariffDraft, typedTariff } from "../tariffs/draft";
import { Editor } from "../tariffs/editor";
import { tariffTexts } from "../texts/tariffs";

const MAX_ROWS = 500;

export function TariffsPage(props: PageProps) {
  return props.rest[0] === "draft" ? <Editor /> : <Versions />;
}

interface Found {
  rows: TariffVersion[];
  next: string | null;
}

async function read(rows: TariffVersion[], cursor?: string): Promise<Found> {
  const page = await tariffs.list(cursor);
  return { rows: [...rows, ...page.tariffs], next: page.nextCursor };
}

type Open = { kind: "copy" | "remove"; version: TariffVersion } | null;

/** Returns the next version that none of the tariffs has: `default-2` after `default-1`. */
function freeVersion(of: string, taken: readonly string[]): string {
  const [, name = of, number = "1"] = /^(.+)-(\d{1,6})$/.exec(of) ?? [];
  let next = Number(number) + 1;
  while (taken.includes(`${name}-${next}`)) next += 1;
  return `${name}-${next}`;
}

function Versions() {
  const t = tariffTexts.value;
  const list = useLoad(() => read([]), []);
  const [open, setOpen] = useState<Open>(null);
  const draft = tariffDraft(DRAFT);
  const close = () => setOpen(null);
  const copy = ({ tariff }: TariffVersion) => {
    const version = freeVersion(
      tariff.version,
      (list.value?.rows ?? []).map((row) => row.tariff.version),
    );
    draft.set({ tariff: { ...typedTariff(tariff), version }, effective: "" });
    go("/tariffs/draft");
  };
  const hasDraft = draft.value.tariff !== null;
  const more = ({ rows, next }: Found) =>
    void read(rows, next ?? undefined).then(list.set, list.reload);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      aside={
        hasDraft && (
          <a class="button primary" href="#/tariffs/draft">
            {t.continue}
          </a>
        )
      }
    >
      <Loaded of={list}>
        {(found) => (
          <>
            <VersionTable
              rows={found.rows}
              copy={(version) => (hasDraft ? setOpen({ kind: "copy", version }) : copy(version))}
              remove={(version) => setOpen({ kind: "remove", version })}
            />
            {found.next !== null && found.rows.length < MAX_ROWS && (
              <button type="button" class="button" onClick={() => more(found)}>
                {texts.value.common.more}
              </button>
            )}
          </>
        )}
      </Loaded>
      {open?.kind === "copy" && (
        <Confirm
          title={t.copyTitle}
          text={t.copyText}
          submitLabel={t.copy}
          closeLabel={t.cancel}
          act={() => Promise.resolve()}
          done={() => copy(open.version)}
          close={close}
        />
      )}
      {open?.kind === "remove" && (
        <Confirm
          danger
          title={t.removeTitle(open.version.tariff.version)}
          text={t.removeText}
          submitLabel={t.remove}
          closeLabel={t.cancel}
          act={() => tariffs.remove(open.version.id ?? 0)}
          done={() => {
            close();
            notify(t.removed);
            list.reload();
          }}
          close={close}
        />
      )}
    </Page>
  );
}

const TONES: Record<string, string> = { SCHEDULED: "wait", CURRENT: "good" };

function VersionTable(props: {
  rows: readonly TariffVersion[];
  copy: (version: TariffVersion) => void;
  remove: (version: TariffVersion) => void;
}) {
  const t = tariffTexts.value;
  const start = ({ effectiveFrom }: TariffVersion) =>
    effectiveFrom === null ? t.always : <When at={effectiveFrom} full />;
  return (
    <Table
      label={t.title}
      rows={props.rows}
      id={(row) => row.id ?? "configured"}
      columns={[
        {
          head: t.version,
          kind: "main",
          cell: (row) => (
            <>
              <span class="strong break">{row.tariff.version}</span>
              {row.id === null ? (
                <span class="sub">{t.configured}</span>
              ) : (
                row.createdAt !== null && (
                  <span class="sub">{`${texts.value.common.created}: ${dateTime(row.createdAt, zone.value)}`}</span>
                )
              )}
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
        { head: t.start, cell: start },
        {
          head: t.names.baseFee,
          right: true,
          class: "number",
          cell: (row) => money(Number(row.tariff.baseFee)),
        },
        {
          head: t.perKm,
          right: true,
          class: "number",
          cell: (row) => money(Number(row.tariff.perKm)),
        },
        actionsColumn<TariffVersion>((row) => (
          <span class="row">
            <button
              type="button"
              class="button small"
              aria-label={`${t.copy}: ${row.tariff.version}`}
              onClick={() => props.copy(row)}
            >
              {t.copy}
            </button>
            {row.state === "SCHEDULED" && (
              <button
                type="button"
                class="button small"
                aria-label={`${t.remove}: ${row.tariff.version}`}
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
